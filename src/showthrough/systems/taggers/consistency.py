"""What a record says of itself: the label that a word mostly has in it, and phrases that stand in it again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from showthrough.systems.taggers.labels import TokenSpan
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
    return {word: counter.most_common(1)[0][0] for word, counter in counts.items()}


def propagate_spans(tokens: Tokens, spans: Sequence[TokenSpan]) -> list[TokenSpan]:
    """What was found, and wherever else the same phrases stand, the longest first; what is shorter gives way there.

    A phrase in small letters alone is not looked for: such words are more often something else.

    >>> tokens, spans = Tokens.of("Ona Rask, then Rask; Ona Rask"), [TokenSpan(0, 2, "NAME")]
    >>> [(span.first, span.last) for span in propagate_spans(tokens, spans)]
    [(0, 2), (6, 8)]
    """
    phrases: dict[tuple[str, ...], TokenSpan] = {}
    for span in spans:
        phrase = tuple(tokens.words[span.first : span.last])
        long = tokens.ends[span.last - 1] - tokens.starts[span.first] >= _SHORTEST
        if long and not all(word.islower() or not word.isalnum() for word in phrase):
            phrases.setdefault(phrase, span)
    by_first: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for phrase in sorted(phrases, key=lambda words: (-len(words), words)):
        by_first[phrase[0]].append(phrase)
    again: list[TokenSpan] = []
    at = 0
    while at < len(tokens):
        match = next(
            (candidate for candidate in by_first.get(tokens.words[at], ()) if _stands(tokens.words, at, candidate)),
            None,
        )
        if match:
            span = phrases[match]
            again.append(TokenSpan(at, at + len(match), span.entity_type, span.score))
        at += len(match) if match else 1
    survivors = longest([*spans, *again])
    return sorted([*survivors, *_rests(spans, survivors)], key=lambda item: item.first)


def _rests(spans: Sequence[TokenSpan], survivors: Sequence[TokenSpan]) -> Iterator[TokenSpan]:
    """What was found where nothing is kept: a phrase that stands over a part of it does not uncover the rest."""
    covered_tokens = {at for span in survivors for at in range(span.first, span.last)}
    for span in spans:
        first = span.first
        for at in range(span.first, span.last + 1):
            if at == span.last or at in covered_tokens:
                if first < at:
                    yield TokenSpan(first, at, span.entity_type, span.score)
                    covered_tokens.update(range(first, at))
                first = at + 1


def _stands(words: list[str], at: int, phrase: tuple[str, ...]) -> bool:
    return tuple(words[at : at + len(phrase)]) == phrase


def longest(spans: Sequence[TokenSpan]) -> list[TokenSpan]:
    """In their order and without overlaps: of two that overlap the longer one stays, of equals the first given."""
    covered_tokens: set[int] = set()
    survivors: list[TokenSpan] = []
    for span in sorted(spans, key=lambda item: item.first - item.last):
        if covered_tokens.isdisjoint(range(span.first, span.last)):
            covered_tokens.update(range(span.first, span.last))
            survivors.append(span)
    return sorted(survivors, key=lambda item: item.first)
