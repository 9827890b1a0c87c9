"""What a record says of itself: the label that a word mostly has in it, and phrases that stand in it again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from showthrough.systems.taggers.labels import Found
from showthrough.systems.taggers.tokens import Tokens

_SHORTEST = 3  # characters of a phrase that is looked for elsewhere


def majority(tokens: Tokens, labels: Sequence[str]) -> dict[str, str]:
    """The label that each word of a record has most often, by the word in small letters; of equals the first one.

    >>> majority(Tokens.of("Rask saw rask . Rask"), ["B-NAME", "O", "O", "O", "B-NAME"])["rask"]
    'B-NAME'
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word, label in zip(tokens.words, labels, strict=True):
        counts[word.lower()][label] += 1
    return {word: each.most_common(1)[0][0] for word, each in counts.items()}


def propagated(tokens: Tokens, found: Sequence[Found]) -> list[Found]:
    """What was found, and wherever else the same phrases stand, the longest first; what is shorter gives way there.

    A phrase in small letters alone is not looked for: such words are more often something else.

    >>> [(one.first, one.last) for one in propagated(Tokens.of("Ona Rask, then Rask; Ona Rask"), [Found(0, 2, "NAME")])]
    [(0, 2), (6, 8)]
    """
    phrases: dict[tuple[str, ...], Found] = {}
    for one in found:
        phrase = tuple(tokens.words[one.first : one.last])
        long = tokens.ends[one.last - 1] - tokens.starts[one.first] >= _SHORTEST
        if long and not all(word.islower() or not word.isalnum() for word in phrase):
            phrases.setdefault(phrase, one)
    by_first: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for phrase in sorted(phrases, key=lambda each: (-len(each), each)):
        by_first[phrase[0]].append(phrase)
    again: list[Found] = []
    at = 0
    while at < len(tokens):
        match = next((each for each in by_first.get(tokens.words[at], ()) if _stands(tokens.words, at, each)), None)
        if match:
            one = phrases[match]
            again.append(Found(at, at + len(match), one.entity_type, one.score))
        at += len(match) if match else 1
    kept = longest([*found, *again])
    return sorted([*kept, *_rests(found, kept)], key=lambda each: each.first)


def _rests(found: Sequence[Found], kept: Sequence[Found]) -> Iterator[Found]:
    """What was found where nothing is kept: a phrase that stands over a part of it does not uncover the rest."""
    taken = {at for one in kept for at in range(one.first, one.last)}
    for one in found:
        first = one.first
        for at in range(one.first, one.last + 1):
            if at == one.last or at in taken:
                if first < at:
                    yield Found(first, at, one.entity_type, one.score)
                    taken.update(range(first, at))
                first = at + 1


def _stands(words: list[str], at: int, phrase: tuple[str, ...]) -> bool:
    return tuple(words[at : at + len(phrase)]) == phrase


def longest(found: Sequence[Found]) -> list[Found]:
    """In their order and without overlaps: of two that overlap the longer one stays, of equals the first given."""
    taken: set[int] = set()
    kept: list[Found] = []
    for one in sorted(found, key=lambda each: each.first - each.last):
        if taken.isdisjoint(range(one.first, one.last)):
            taken.update(range(one.first, one.last))
            kept.append(one)
    return sorted(kept, key=lambda each: each.first)
