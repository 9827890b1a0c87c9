"""Tokens of sheets, each with one category of PHI or none.

The challenge's texts are tokenised with spaces (`SLOAN , CHARLES E`), so its tokens are runs without a space: `10/29`
and `358-51-76` are one each. In texts as people write them, full stops and brackets stand at the words without a space;
so signs at the edges of a run are split off, and what is inside stays. Runs of word characters are the other choice.

Tokens depend on the text alone, so gold and every system are asked about the same ones. What counts is letters and
digits: a token is gold's when an instance has any of its letters or digits, and hidden when all of these are masked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from showthrough.axis import Axis, Bools, Counts32, Ints, is_ideograph
from showthrough.clinical.instances import NONE, Instances, Sheets, overlapping, spread

WAYS = ("challenge", "words")  # of telling tokens
_SPACE, _SIGN, _LETTER, _IDEOGRAPH = range(4)


@dataclass(frozen=True)
class Tokens:
    """Tokens on sheets, by start, and the kind of each."""

    start: Ints
    end: Ints
    sheet: Ints
    kind: Ints

    def __len__(self) -> int:
        return len(self.start)

    def at(self, places: Ints) -> Tokens:
        return Tokens(self.start[places], self.end[places], self.sheet[places], self.kind[places])


@dataclass(frozen=True)
class Letters:
    """Where the letters and digits of all texts are, to be asked for places of sheets."""

    kinds: NDArray[np.uint8]  # of a character of the axis
    before: Counts32  # of a place of the axis: how many letters and digits come before it
    sheets: Sheets

    @classmethod
    def of(cls, axis: Axis, sheets: Sheets) -> Letters:
        kinds = axis.table(_kind_of)
        before = np.zeros(len(kinds) + 1, dtype=np.int32)
        np.cumsum(kinds >= _LETTER, out=before[1:], dtype=np.int32)
        return cls(kinds, before, sheets)

    def between(self, sheet: Ints, start: Ints, end: Ints) -> Ints:
        """How many there are in stretches of sheets."""
        shift = self.sheets.shift[sheet]
        return np.asarray(self.before[end - shift] - self.before[start - shift], dtype=np.int64)

    def trimmed(self, sheet: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Stretches that have some, from the first to the last."""
        shift = self.sheets.shift[sheet]
        place = np.flatnonzero(self.kinds >= _LETTER)
        return place[self.before[start - shift]] + shift, place[self.before[end - shift] - 1] + 1 + shift


@dataclass(frozen=True)
class _Stretches:
    """Parts of tokens that are asked about, by start."""

    start: Ints
    end: Ints
    token: Ints  # of a stretch: the number of its token


@dataclass(frozen=True)
class _Common:
    """What tokens and instances have in common: pairs, and the letters and digits of each."""

    token: Ints
    instance: Ints
    letters: Ints

    def at(self, which: Bools) -> _Common:
        return _Common(self.token[which], self.instance[which], self.letters[which])

    def added(self) -> _Common:
        """Each pair once: what a token has of an instance may lie in several stretches."""
        pairs, place = np.unique(np.stack([self.token, self.instance]), axis=1, return_inverse=True)
        return _Common(pairs[0], pairs[1], np.bincount(place.ravel(), self.letters).astype(np.int64))


class TokenGold:
    """All tokens of a corpus with gold's kinds, ready for systems.

    Most of a text is touched by nobody, so tokens are kept with the signs at their edges: those change no count, and
    are taken off where a word is asked for.
    """

    def __init__(self, axis: Axis, sheets: Sheets, gold: Instances, way: str) -> None:
        self._axis, self._sheets, self._gold = axis, sheets, gold
        self._letters = Letters.of(axis, sheets)
        start, end = _runs(self._letters.kinds) if way == "challenge" else (axis.tokens.start, axis.tokens.end)
        if (sheets.count != 1).any():
            edges = np.searchsorted(start, axis.bounds)
            sheet, token = spread(edges[sheets.document], edges[sheets.document + 1])
            start, end = start[token] + sheets.shift[sheet], end[token] + sheets.shift[sheet]
        self._whole = _Stretches(start, end, np.arange(len(start)))
        self._kind = _kinds(len(start), self._common(self._whole, gold), gold)

    @cached_property
    def tokens(self) -> Tokens:
        """All tokens that have a letter or digit."""
        found = self._at(np.arange(len(self._kind)), self._kind)
        return found.at(np.flatnonzero(self._letters.between(found.sheet, found.start, found.end)))

    @cached_property
    def inside(self) -> Tokens:
        """The tokens of gold instances."""
        places = np.flatnonzero(self._kind != NONE)
        return self._at(places, self._kind[places])

    def taken(self, system: Instances) -> tuple[Ints, Tokens]:
        """What a system takes the tokens of gold for, and the others that it masks, with what it takes them for.

        A token of gold is taken when all is masked that gold marks of it: whatever is left can be read. Any other
        token is taken when a letter or digit of it is masked.
        """
        asked, letters = self._asked
        common = self._common(asked, system)
        kind = _kinds(len(letters), common, system)
        once = common if system.joined is system else self._common(asked, system.joined)
        kind[np.bincount(once.token, once.letters, minlength=len(letters)) < letters] = NONE
        return kind, self._beyond(system)

    def spellings(self, tokens: Tokens) -> list[str]:
        """The words of tokens, in small letters and without the signs at their edges."""
        base = self._sheets.base[tokens.sheet]
        start, end = self._letters.trimmed(tokens.sheet, tokens.start, tokens.end)
        texts = [self._axis.documents[number].text for number in self._sheets.document.tolist()]
        places = zip(tokens.sheet.tolist(), (start - base).tolist(), (end - base).tolist(), strict=True)
        return [texts[sheet][low:high].casefold() for sheet, low, high in places]

    def in_instances(self) -> tuple[Ints, Ints]:
        """All pairs of a token, by its number among all, and a gold instance that has a letter or digit of it."""
        common = self._common(_Stretches(self.tokens.start, self.tokens.end, np.arange(len(self.tokens))), self._gold)
        return common.token, common.instance

    def _beyond(self, system: Instances) -> Tokens:
        common = self._common(self._whole, system)
        free = common.at(self._kind[common.token] == NONE)
        places, token = np.unique(free.token, return_inverse=True)
        return self._at(places, _kinds(len(places), _Common(token, free.instance, free.letters), system))

    @cached_property
    def _asked(self) -> tuple[_Stretches, Ints]:
        """What gold marks of its tokens, and of each token how many letters and digits that is."""
        tokens, marked = self.inside, self._gold.joined
        token, instance, _ = overlapping(tokens, marked)
        start = np.maximum(tokens.start[token], marked.start[instance])
        end = np.minimum(tokens.end[token], marked.end[instance])
        letters = self._letters.between(tokens.sheet[token], start, end)
        return _Stretches(start, end, token), np.bincount(token, letters, minlength=len(tokens)).astype(np.int64)

    def _common(self, asked: _Stretches, spans: Instances) -> _Common:
        stretch, span, _ = overlapping(asked, spans)
        start = np.maximum(asked.start[stretch], spans.start[span])
        end = np.minimum(asked.end[stretch], spans.end[span])
        found = _Common(asked.token[stretch], span, self._letters.between(spans.sheet[span], start, end))
        return found.at(found.letters > 0)

    def _at(self, places: Ints, kind: Ints) -> Tokens:
        start = self._whole.start[places]
        sheet = np.searchsorted(self._sheets.base, start, side="right") - 1
        return Tokens(start, self._whole.end[places], sheet, kind)


def _kinds(count: int, common: _Common, instances: Instances) -> Ints:
    """The kind of every token: that of the instance with most of its letters, then the longest, then the first."""
    kind = np.full(count, NONE, dtype=np.int64)
    kind[common.token] = instances.kind[common.instance]
    rival = np.bincount(common.token, minlength=count)[common.token] > 1
    if rival.any():
        rivals = common.at(rival).added()
        order = np.lexsort((rivals.instance, -instances.size[rivals.instance], -rivals.letters, rivals.token))
        which, best = np.unique(rivals.token[order], return_index=True)
        kind[which] = instances.kind[rivals.instance[order][best]]
    return kind


def _runs(kinds: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Runs without a space; ideographs one by one."""
    padded = np.full(len(kinds) + 2, _SPACE, dtype=np.uint8)
    padded[1:-1] = kinds
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
