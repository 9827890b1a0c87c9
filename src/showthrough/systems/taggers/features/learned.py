"""What is learned of training records before the learner: words of what was marked, and words that announce it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec

from showthrough.systems.taggers.labels import spans_of
from showthrough.systems.taggers.tokens import Tokens

_FEWEST = 3  # records that have a cue
_STRENGTHS = (0.3, 0.6, 0.9)  # of a cue's occurrences, how many announce its type
_REACH = 3  # words
Labelled = tuple[Tokens, Sequence[str], str]  # of one layer: its labels, and the record that it is of
Own = frozenset[tuple[str, str]]  # words and types


class LearnedWords(msgspec.Struct, frozen=True):
    """Words that were marked, with the number of records for each type; and cues, with their strength (1 to 3)."""

    known: dict[str, dict[str, int]] = {}
    cues: dict[str, dict[str, int]] = {}  # of a word: `before-TYPE` or `after-TYPE`, where it stands beside the mention

    def types(self, word: str, own: Own) -> list[str]:
        """The types that a word has in other records than the one that `own` is of."""
        return [kind for kind, many in self.known.get(word, {}).items() if many > ((word, kind) in own)]


def own_words(tokens: Tokens, labels: Sequence[str]) -> Own:
    """The words of a record that are marked, with their types."""
    return frozenset(
        (word.lower(), span.entity_type)
        for span in spans_of(labels)
        for word in tokens.words[span.first : span.last]
        if word[0].isalpha()
    )


def learned_from(records: Sequence[Labelled]) -> LearnedWords:
    """What records tell together; several layers of one record are one."""
    types_by_word: dict[str, Counter[str]] = defaultdict(Counter)
    near: Counter[tuple[str, str]] = Counter()
    seen: Counter[str] = Counter()
    spread: dict[str, set[str]] = defaultdict(set)
    marked: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for tokens, labels, record in records:
        marked[record] |= own_words(tokens, labels)
        small = [word.lower() for word in tokens.words]
        seen.update(small)
        for span in spans_of(labels):
            for side, indices in _neighbours(span.first, span.last, len(small)):
                for word in {small[at] for at in indices}:
                    near[word, f"{side}-{span.entity_type}"] += 1
                    spread[word].add(record)
    for words in marked.values():
        for word, kind in words:
            types_by_word[word][kind] += 1
    cues: dict[str, dict[str, int]] = {}
    for (word, cue), many in sorted(near.items()):
        share = many / seen[word]
        if len(spread[word]) >= _FEWEST and share >= _STRENGTHS[0]:
            cues.setdefault(word, {})[cue] = sum(share >= least for least in _STRENGTHS)
    return LearnedWords({word: dict(sorted(kinds.items())) for word, kinds in sorted(types_by_word.items())}, cues)


def _neighbours(first: int, last: int, length: int) -> list[tuple[str, range]]:
    return [("before", range(max(first - _REACH, 0), first)), ("after", range(last, min(last + _REACH, length)))]
