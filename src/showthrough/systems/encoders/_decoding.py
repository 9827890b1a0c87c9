"""Probabilities of labels into masks: tokens into words, words into mentions, each with its type and score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import regex

from showthrough.core.arrays import Bools, Floats, Floats32, Ints
from showthrough.data.masks import ScoredMask
from showthrough.models.segments import TokenPieces
from showthrough.systems.encoders._schemes import UNTYPED, Tagset

Words = Literal["any", "first", "piece"]
Scores = Literal["mean", "min"]
# What is never masked by half. In scripts that have no spaces between words a run of letters is no word.
_WORD = regex.compile(
    r"[\p{Katakana}ー]+|"
    r"[\p{L}\p{M}\p{N}_--[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]+",
    regex.VERSION1,
)
_DIGITS = 6  # of a score; a model has no more
_SPACE = regex.compile(r"\s+")


@dataclass(frozen=True)
class Decoder:
    """How masks are made of probabilities."""

    tags: Tagset
    threshold: float = 0.0
    words: Words = "any"
    scores: Scores = "mean"

    def masks(self, text: str, pieces: TokenPieces, probabilities: Floats32) -> list[ScoredMask]:
        """The masks of a text, ascending, none overlapping another; probabilities are tokens × labels."""
        units = _units(text, pieces, whole=self.words != "piece")
        if not len(units.start):
            return []
        decisions = self._decide(units, probabilities[units.token])
        masked = np.flatnonzero(decisions.kind >= 0)
        if not len(masked):
            return []
        # A mention begins where the unit before it is not masked, is of another type, or ended one.
        kind = np.append(-1, decisions.kind)
        begins = (kind[:-1] != decisions.kind) | decisions.starts | np.append(True, decisions.ends[:-1])
        first = np.flatnonzero(begins[masked])
        last = np.append(first[1:], len(masked)) - 1
        scores = np.round(np.clip(self._scores(decisions.score[masked], first, last), 0.0, 1.0), _DIGITS)
        return [
            _mask(self.tags.types[number], start, end, score)
            for number, start, end, score in zip(
                decisions.kind[masked[first]].tolist(),
                units.start[masked[first]].tolist(),
                units.end[masked[last]].tolist(),
                scores.tolist(),
                strict=True,
            )
        ]

    def _decide(self, units: _Units, probabilities: Floats32) -> _Decisions:
        """What each unit is: as its first piece says, or the first of them that is to be masked."""
        inside = self.tags.kind >= 0
        hidden = probabilities[:, inside].sum(axis=1, dtype=np.float64)  # 1 − P(O), O being all that is never masked
        if self.threshold:
            label = np.flatnonzero(inside)[probabilities[:, inside].argmax(axis=1)]
            masked = hidden >= self.threshold
        else:
            label = probabilities.argmax(axis=1)
            masked = inside[label]
        opening = units.first
        if self.words == "first":
            first = last = opening
            score = hidden[opening]
        else:
            positions = np.arange(len(hidden))
            first = np.minimum.reduceat(np.where(masked, positions, len(hidden)), opening)
            first = np.where(first < len(hidden), first, opening)
            last = np.maximum(np.maximum.reduceat(np.where(masked, positions, -1), opening), opening)
            score = np.maximum.reduceat(hidden, opening)
        kind = np.where(masked[first], self.tags.kind[label[first]], -1)
        return _Decisions(kind, self.tags.starts[label[first]], self.tags.ends[label[last]], score)

    def _scores(self, scores: Floats, first: Ints, last: Ints) -> Floats:
        if self.scores == "min":
            return np.asarray(np.minimum.reduceat(scores, first))
        return np.asarray(np.add.reduceat(scores, first) / (last - first + 1))


class _Decisions(NamedTuple):
    kind: Ints
    starts: Bools
    ends: Bools
    score: Floats


class _Units(NamedTuple):
    """What is masked as a whole: words, and the tokens between them."""

    token: Ints  # those that stand for something that can be read
    first: Ints  # of each unit, the place of its first token among these
    start: Ints
    end: Ints


def _mask(kind: str, start: int, end: int, score: float) -> ScoredMask:
    if kind == UNTYPED:  # it does not say what it found, only that it is to go
        return ScoredMask(start, end, UNTYPED, "", score)
    return ScoredMask(start, end, None, kind, score)


def _units(text: str, pieces: TokenPieces, whole: bool) -> _Units:
    start, end = _trim(text, pieces.start, pieces.end)
    token = np.flatnonzero(start < end)
    start, end = start[token], end[token]
    joined = np.zeros(len(token), dtype=bool)
    joined[1:] = np.maximum.accumulate(end)[:-1] > start[1:]  # several pieces of one character
    if whole:
        word = _find_spans(_WORD, text)
        first = np.searchsorted(word[:, 1], start, side="right")
        last = np.searchsorted(word[:, 0], end, side="left") - 1
        of_word = first <= last
        joined[1:] |= of_word[1:] & of_word[:-1] & (last[:-1] >= first[1:])
        # A tokenizer may leave letters out that it does not know; they go with their word.
        start[of_word] = np.minimum(start[of_word], word[first[of_word], 0])
        end[of_word] = np.maximum(end[of_word], word[last[of_word], 1])
    opening = np.flatnonzero(~joined)
    if not len(opening):
        return _Units(token, opening, opening, opening)
    return _Units(token, opening, np.minimum.reduceat(start, opening), np.maximum.reduceat(end, opening))


def _trim(text: str, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The same places without the space around them, which some tokenizers count to a word."""
    space = _find_spans(_SPACE, text)
    if not len(space):
        return start.copy(), end.copy()
    before = np.clip(np.searchsorted(space[:, 0], start, side="right") - 1, 0, None)
    inside = (space[before, 0] <= start) & (start < space[before, 1])
    behind = np.clip(np.searchsorted(space[:, 0], end, side="left") - 1, 0, None)
    over = (space[behind, 0] < end) & (end <= space[behind, 1])
    return np.where(inside, space[before, 1], start), np.where(over, space[behind, 0], end)


def _find_spans(pattern: regex.Pattern[str], text: str) -> Ints:
    """Start and end of whatever matches."""
    spans: Iterable[tuple[int, int]] = (match.span() for match in pattern.finditer(text))
    return np.array(list(spans), dtype=np.int64).reshape(-1, 2)
