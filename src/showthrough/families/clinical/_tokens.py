"""Tokens of layers, each with one category of PHI or none.

The challenge's texts are tokenised with spaces (`SLOAN , CHARLES E`), so its tokens are runs without a space: `10/29`
and `358-51-76` are one each. In texts as people write them, full stops and brackets stand at the words without a space;
so signs at the edges of a run are split off, and what is inside stays. Runs of word characters are the other choice.

Tokens depend on the text alone, so gold and every system are asked about the same ones. What counts is letters and
digits: a token is gold's when an instance has any of its letters or digits, and hidden when all of these are masked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from showthrough.core.arrays import Bools, Bytes, Ints, Ints32
from showthrough.data.layout.characters import is_ideograph
from showthrough.data.layout.gold import AnnotationLayers
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import (
    TokenFinder,
    contents_of,
    count_before,
    expand_ranges,
    find_overlaps,
    find_touching,
    highest,
    list_positions,
    merge_spans,
)
from showthrough.families.clinical._instances import NONE, TypedSpans

_SPACE, _SIGN, _LETTER, _IDEOGRAPH = range(4)


@dataclass(frozen=True)
class Letters:
    """Where the letters and digits of all texts are, to be asked for places of layers."""

    kinds: Bytes  # of a character of the span layout
    before: Ints32  # of a place of the span layout: how many letters and digits come before it
    layers: AnnotationLayers

    @classmethod
    def of(cls, axis: SpanLayout) -> Letters:
        kinds = axis.table(_kind_of)
        return cls(kinds, count_before(kinds >= _LETTER), axis.layers)

    def between(self, layer: Ints, start: Ints, end: Ints) -> Ints:
        """How many there are in spans of layers."""
        shift = self.layers.shift[layer]
        return np.asarray(self.before[end - shift] - self.before[start - shift], dtype=np.int64)

    def trim(self, layer: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Spans that have some, from the first to the last."""
        shift = self.layers.shift[layer]
        positions = np.flatnonzero(self.kinds >= _LETTER)
        return positions[self.before[start - shift]] + shift, positions[self.before[end - shift] - 1] + 1 + shift


@dataclass(frozen=True)
class _TokenSegments:
    """Tokens, and the spans of them that are asked about; both by start."""

    tokens: TypedSpans
    start: Ints
    end: Ints
    token: Ints  # of a span
    letters: Letters

    @cached_property
    def sizes(self) -> Ints:
        """How many letters and digits are asked for of each token."""
        return np.bincount(self.token, self._sizes, minlength=len(self.tokens)).astype(np.int64)

    @cached_property
    def _sizes(self) -> Ints:
        return self._between(np.arange(len(self.start)), self.end)

    @cached_property
    def _cumulative(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self._sizes)])

    def _between(self, segment: Ints, position: Ints) -> Ints:
        """Letters and digits from the start of a segment to a position in it."""
        return self.letters.between(self.tokens.layer[self.token[segment]], self.start[segment], position)

    def before(self, position: Ints) -> Ints:
        """How many letters and digits that are asked for come before places of the line."""
        passed = np.searchsorted(self.start, position, side="right")
        count = self._cumulative[passed]
        inside = np.flatnonzero((passed > 0) & (np.append(self.end, 0)[passed - 1] > position))  # a span goes on there
        segment = passed[inside] - 1
        count[inside] = self._cumulative[segment] + self._between(segment, position[inside])
        return count

    def kinds(self, instances: TypedSpans) -> Ints:
        """What each token is taken for: by the instance with most of its letters, then the longest, then the first.

        An instance has all that is asked for of the tokens that lie in it, so of several only one counts; it has less
        of at most two, those that its edges cut.
        """
        contents, count = contents_of(self.tokens, instances.start, instances.end), len(instances)
        cut = contents.cut
        best = np.full(len(self.tokens), NONE, dtype=np.int64)  # letters, then rank, in one number
        token, rank = highest(contents.first, contents.last, instances.rank)
        best[token] = self.sizes[token] * count + rank
        letters = self.before(cut.end) - self.before(cut.start)
        np.maximum.at(best, cut.token, letters * count + instances.rank[cut.origin])
        has_kind = best >= count  # by one letter or more
        kind_of_rank = np.empty_like(instances.kind)
        kind_of_rank[instances.rank] = instances.kind
        kind = np.full(len(best), NONE, dtype=np.int64)
        kind[has_kind] = kind_of_rank[best[has_kind] % count]
        return kind

    def count_covered(self, spans: TypedSpans) -> Ints:
        """How many of each token's letters and digits lie in spans that do not overlap."""
        segment, span, _ = find_overlaps(self, spans)
        start, end = np.maximum(self.start[segment], spans.start[span]), np.minimum(self.end[segment], spans.end[span])
        letters = self.letters.between(spans.layer[span], start, end)
        return np.bincount(self.token[segment], letters, minlength=len(self.tokens)).astype(np.int64)


class TokenGold:
    """All tokens of a corpus with gold's kinds, ready for systems.

    Most of a text is touched by nobody, so tokens are kept with the signs at their edges: those change no count, and
    are taken off where a word is asked for.
    """

    def __init__(self, axis: SpanLayout, gold: TypedSpans, way: str) -> None:
        self._axis, self._gold, self._letters = axis, gold, Letters.of(axis)
        layers = axis.layers
        start, end = _runs(self._letters.kinds) if way == "challenge" else (axis.tokens.start, axis.tokens.end)
        edges = np.searchsorted(start, axis.bounds)
        if (layers.count == 1).all():
            layer = np.repeat(np.arange(len(layers.count)), np.diff(edges))
        else:
            layer, token = expand_ranges(edges[layers.document], edges[layers.document + 1])
            start, end = start[token] + layers.shift[layer], end[token] + layers.shift[layer]
        self._every = TypedSpans(start, end, layer, np.full(len(start), NONE, dtype=np.int64))
        length = layers.base[-1] + np.diff(axis.bounds)[layers.document[-1]] if len(layers.base) else 0
        self._finder = TokenFinder(self._every, int(length))
        number = self._find_touched(gold)
        self._every.kind[number] = self._whole(number).kinds(gold)

    @cached_property
    def tokens(self) -> TypedSpans:
        """All tokens that have a letter or digit."""
        every = self._every
        return every.at(self._letters.between(every.layer, every.start, every.end) > 0)

    @cached_property
    def gold_tokens(self) -> TypedSpans:
        """The tokens of gold instances."""
        return self._every.at(np.flatnonzero(self._every.kind != NONE))

    def taken(self, system: TypedSpans) -> tuple[Ints, TypedSpans]:
        """What a system takes the tokens of gold for, and the others that it masks, with what it takes them for.

        A token of gold is taken when all is masked that gold marks of it: whatever is left can be read. Any other
        token is taken when a letter or digit of it is masked.
        """
        kind = self._gold_segments.kinds(system)
        kind[self._gold_segments.count_covered(system.joined) < self._gold_segments.sizes] = NONE
        number = self._find_touched(system)
        beyond = self._whole(number[self._every.kind[number] == NONE])
        first, last = find_touching(beyond.tokens, system.start, system.end)
        reaching = system.at(last > first)  # few: most of what a system marks is gold
        typed_tokens = replace(beyond.tokens, kind=beyond.kinds(reaching))
        return kind, typed_tokens.at(typed_tokens.kind != NONE)

    def _find_touched(self, instances: TypedSpans) -> Ints:
        """The numbers of the tokens that instances have, at least in part: few of all."""
        return list_positions(*merge_spans(*self._finder.touching(instances.start, instances.end)))

    def _whole(self, number: Ints) -> _TokenSegments:
        """Tokens that are asked about as a whole."""
        tokens = self._every.at(number)
        return _TokenSegments(tokens, tokens.start, tokens.end, np.arange(len(tokens)), self._letters)

    def spellings(self, tokens: TypedSpans) -> list[str]:
        """The words of tokens, in small letters and without the signs at their edges."""
        layers = self._axis.layers
        base = layers.base[tokens.layer]
        start, end = self._letters.trim(tokens.layer, tokens.start, tokens.end)
        texts = [self._axis.documents[number].text for number in layers.document.tolist()]
        ranges = zip(tokens.layer.tolist(), (start - base).tolist(), (end - base).tolist(), strict=True)
        return [texts[layer][low:high].casefold() for layer, low, high in ranges]

    def find_containing(self, which: Bools) -> Bools:
        """The gold instances that have a letter or digit of one or more of some tokens, which are told of all."""
        contents = contents_of(self.tokens, self._gold.start, self._gold.end)
        before, cut = count_before(which), contents.cut
        including = before[contents.last] > before[contents.first]
        letters = self._letters.between(self.tokens.layer[cut.token], cut.start, cut.end)
        including[cut.origin[which[cut.token] & (letters > 0)]] = True
        return np.asarray(including)

    @cached_property
    def _gold_segments(self) -> _TokenSegments:
        """What gold marks of its tokens."""
        tokens, marked = self.gold_tokens, self._gold.joined
        token, instance, _ = find_overlaps(tokens, marked)
        start = np.maximum(tokens.start[token], marked.start[instance])
        end = np.minimum(tokens.end[token], marked.end[instance])
        order = np.argsort(start, kind="stable")
        return _TokenSegments(tokens, start[order], end[order], token[order], self._letters)


def _runs(kinds: Bytes) -> tuple[Ints, Ints]:
    """Runs without a space; ideographs one by one."""
    padded = np.pad(kinds, 1, constant_values=_SPACE)
    filled = padded != _SPACE
    borders = filled[1:] != filled[:-1]
    if kinds.max(initial=0) < _IDEOGRAPH:  # borders alternate: one opens a run, the next closes it
        edges = np.flatnonzero(borders)
        return edges[::2].copy(), edges[1::2].copy()
    alone = padded == _IDEOGRAPH
    edges = np.flatnonzero(borders | alone[1:] | alone[:-1])
    return edges[filled[edges + 1]], edges[filled[edges]]


def _kind_of(character: str) -> int:
    if is_ideograph(character):
        return _IDEOGRAPH
    if character.isalnum():
        return _LETTER
    return _SPACE if character.isspace() else _SIGN
