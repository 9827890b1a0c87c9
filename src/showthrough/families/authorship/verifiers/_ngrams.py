"""The cosine of character 4-grams, weighed by how rare they are: PAN's baseline, with two thresholds.

Between the thresholds there is no answer. They lie about the middle, where as many problems of training are answered
"same" as are, as far apart as makes c@1 highest there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from showthrough.core.arrays import Bools, Codes, Floats, Ints, Uints32
from showthrough.families.authorship.verifiers._calibration import middle_of
from showthrough.families.authorship.verifiers.base import UNANSWERED, Question

_LENGTH = 4
_BITS = 16  # of a character: those beyond the first plane, such as emoji, count as one
_LAST = 2**_BITS - 1
_MOST = 20_000  # that are looked at: those that the most texts have
_AT_ONCE = 200  # texts
_SHARES = np.linspace(0, 0.5, 26)  # of problems that may stay unanswered
BOM = "\ufeff"
_WIDE = 2**62  # up to which codes are kept as they are


@dataclass(frozen=True, eq=False)
class FittedNgrams:
    """Which 4-grams count and how much, and between which cosines there is no answer."""

    grams: Codes  # ascending
    rarity: Floats
    low: float
    high: float

    def answers(self, questions: Sequence[Question]) -> Floats:
        return self._to_probability(self.cosines(questions))

    def cosines(self, questions: Sequence[Question]) -> Floats:
        return np.array([self._cosine(*map(_count_grams, _sides(question))) for question in questions])

    def _cosine(self, first: tuple[Codes, Ints], second: tuple[Codes, Ints]) -> float:
        weights = [self._weights(*side) for side in (first, second)]
        length = float(np.sqrt((weights[0] ** 2).sum() * (weights[1] ** 2).sum()))
        return min(float((weights[0] * weights[1]).sum()) / length, 1.0) if length else 0.0

    def _weights(self, codes: Codes, counts: Ints) -> Floats:
        weights = np.zeros(len(self.grams))
        if len(codes):
            index = np.minimum(np.searchsorted(codes, self.grams), len(codes) - 1)
            weights = np.where(codes[index] == self.grams, (1 + np.log(counts[index])) * self.rarity, 0.0)
        return weights

    def _to_probability(self, cosine: Floats) -> Floats:
        """Exactly one half between the thresholds, and beyond them as far as there is room."""
        below = UNANSWERED * cosine / max(self.low, np.finfo(float).tiny)
        above = UNANSWERED + (1 - UNANSWERED) * (cosine - self.high) / max(1 - self.high, np.finfo(float).tiny)
        beyond = np.where(cosine < self.low, below, np.where(cosine > self.high, above, UNANSWERED))
        return np.clip(beyond, 0.0, 1.0)

    def saved(self) -> Mapping[str, Floats]:
        # As numbers of 32 bits: those of 64 do not fit into what arrays of weights hold.
        halves = np.column_stack([self.grams >> np.uint64(32), self.grams & np.uint64(2**32 - 1)]).astype(np.float64)
        return {"grams": halves, "rarity": self.rarity, "thresholds": np.array([self.low, self.high])}


@dataclass(frozen=True)
class Ngrams:
    """Compares weighted 4-grams of characters by their cosine, which training turns into a probability."""

    name: ClassVar[str] = "ngrams"
    version: ClassVar[int] = 1
    oldest: ClassVar[int] = 1

    def prepare(self, questions: Sequence[Question]) -> None:
        """Nothing: what counts in a text depends on all others."""

    def fit(self, questions: Sequence[Question], same: Bools, authors: Ints, seed: int = 0) -> FittedNgrams:
        grams, many = _document_frequencies([side for question in questions for side in _sides(question)])
        frequent = np.sort(np.argsort(-many, kind="stable")[:_MOST])
        rarity = np.log((1 + 2 * len(questions)) / (1 + many[frequent])) + 1
        cosines = FittedNgrams(grams[frequent], rarity, 0.0, 0.0).cosines(questions)
        return FittedNgrams(grams[frequent], rarity, *_thresholds(cosines, same))

    def loaded(self, arrays: Mapping[str, Floats]) -> FittedNgrams:
        high, low = arrays["grams"].astype(np.uint64).T
        return FittedNgrams((high << np.uint64(32)) | low, arrays["rarity"], *arrays["thresholds"].tolist())


def _sides(question: Question) -> tuple[str, str]:
    return "\n".join(question.known), question.text


def _count_grams(text: str) -> tuple[Codes, Ints]:
    """The 4-grams of a text, ascending, and how often each occurs."""
    points = np.minimum(code_points(spaced_once(text)), _LAST).astype(np.uint64)
    length = max(len(points) - _LENGTH + 1, 0)
    codes = np.zeros(length, dtype=np.uint64)
    for at in range(_LENGTH):
        codes = (codes << np.uint64(_BITS)) | points[at : at + length]
    return np.unique(codes, return_counts=True)


def _document_frequencies(texts: Sequence[str]) -> tuple[Codes, Ints]:
    """All 4-grams, ascending, and how many texts have each; as many texts at once as take little memory."""
    grams, many = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
    for start in range(0, len(texts), _AT_ONCE):
        codes = [_count_grams(text)[0] for text in texts[start : start + _AT_ONCE]]
        grams, number = np.unique(np.concatenate([grams, *codes]), return_inverse=True)
        once = np.concatenate([many, np.ones(len(number) - len(many), dtype=np.int64)])
        many = np.bincount(number, once, minlength=len(grams)).astype(np.int64)
    return grams, many


def _thresholds(cosines: Floats, same: Bools) -> tuple[float, float]:
    """About the middle, with the share unanswered that makes c@1 highest; of equal ones the least."""
    middle, few = middle_of(cosines, same), int((~same).sum())
    below, above = np.sort(cosines)[:few][::-1], np.sort(cosines)[few:]
    best = (-1.0, middle, middle)
    for share in _SHARES:
        low = below[int(share * len(below)) - 1] if int(share * len(below)) else middle
        high = above[int(share * len(above)) - 1] if int(share * len(above)) else middle
        right = int(((cosines > high) & same).sum() + ((cosines < low) & ~same).sum())
        open_ = int(((cosines >= low) & (cosines <= high)).sum())
        reached = right * (1 + open_ / len(cosines)) / len(cosines)
        best = max(best, (reached, float(low), float(high)), key=lambda candidate: candidate[0])
    return best[1:]


def spaced_once(text: str) -> str:
    """Any white space as one blank: how lines are broken tells of a program as often as of an author."""
    return " ".join(text.replace(BOM, "").split())


def code_points(text: str) -> Uints32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def gram_codes(symbol: Ints, characters: int, longest: int) -> list[Ints]:
    """For n = 1, 2 and so on a number for the n-gram that begins at each place, equal where n-grams are.

    `symbol` are numbers below `characters`. In the order of codes, n-grams are in the alphabet's.

    >>> [codes.tolist() for codes in gram_codes(np.array([0, 1, 0, 1]), 2, 3)]
    [[0, 1, 0, 1], [1, 2, 1], [2, 5]]
    """
    codes, reach = [symbol], characters
    for n in range(2, longest + 1):
        before = codes[-1][:-1]
        if reach * characters > _WIDE:  # a text with very many characters
            distinct, before = np.unique(before, return_inverse=True)
            reach = len(distinct)
        codes.append(before * characters + symbol[n - 1 :])
        reach *= characters
    return codes
