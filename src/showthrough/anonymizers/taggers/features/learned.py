"""What is learned of training records before the learner: words of what was marked, and words that announce it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from showthrough.anonymizers.taggers.labels import spans_of
from showthrough.anonymizers.taggers.tokens import Tokens

_FEWEST = 3  # records that have a cue
_STRONG = 0.3  # of a cue's occurrences, how many announce its type
_CUE_REACH = 3  # words
Labelled = tuple[Tokens, Sequence[str]]


class Learned(msgspec.Struct, frozen=True):
    """Words by the types that they are in, with the number of records, and cues by the types that they announce."""

    known: dict[str, dict[str, int]] = {}
    cues: dict[str, dict[str, int]] = {}  # "before" and "after" a mention of the type: strength from 1 to 3
    records: int = 0

    def without(self, own: Counter[tuple[str, str]]) -> Any:
        """The types of a word as other records tell: what the record itself adds is taken off."""

        def types(word: str) -> list[str]:
            return [kind for kind, many in self.known.get(word, {}).items() if many > own[word, kind]]

        return types


def own_words(record: Labelled) -> Counter[tuple[str, str]]:
    """The words of a record that are marked, each type once."""
    tokens, labels = record
    return Counter({(tokens.words[at].lower(), one.entity_type) for one in spans_of(labels) for at in _words(tokens, one)})


def _words(tokens: Tokens, one: Any) -> list[int]:
    return [at for at in range(one.first, one.last) if tokens.words[at][0].isalpha()]


def learned_from(records: Iterable[Labelled], reach: int = _CUE_REACH) -> Learned:
    """What records tell together."""
    known: dict[str, Counter[str]] = defaultdict(Counter)
    near: dict[str, Counter[str]] = {"before": Counter(), "after": Counter()}
    seen: Counter[str] = Counter()
    spread: dict[str, set[int]] = defaultdict(set)
    count = 0
    for record in records:
        tokens, labels = record
        count += 1
        for word, kind in own_words(record):
            known[word][kind] += 1
        small = [word.lower() for word in tokens.words]
        seen.update(small)
        for one in spans_of(labels):
            for side, places in _beside(one.first, one.last, reach, len(small)):
                for word in {small[at] for at in places}:
                    near[side][f"{word}\t{one.entity_type}"] += 1
                    spread[word].add(count)
    cues: dict[str, dict[str, int]] = {}
    for side, counts in near.items():
        for key, many in sorted(counts.items()):
            word, _, kind = key.partition("\t")
            share = min(many / seen[word], 1.0)
            if len(spread[word]) >= _FEWEST and share >= _STRONG:
                cues.setdefault(word, {})[f"{side}-{kind}"] = 1 + (share >= 0.6) + (share >= 0.9)
    return Learned({word: dict(sorted(kinds.items())) for word, kinds in sorted(known.items())}, cues, count)


def _beside(first: int, last: int, reach: int, length: int) -> list[tuple[str, range]]:
    return [("before", range(max(first - reach, 0), first)), ("after", range(last, min(last + reach, length)))]
