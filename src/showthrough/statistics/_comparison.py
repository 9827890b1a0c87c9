"""Two systems, one number: do they differ, or are there too few documents to say?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Floats
from showthrough.statistics._influence import Between, InfluenceSums, moved_together
from showthrough.statistics._randomization import studentized_p
from showthrough.statistics.forms import Combine, Form, Ratios, forms, same, values_at
from showthrough.statistics.intervals import (
    Ends,
    alike,
    difference_interval,
    fewer,
    lean_of,
    sure_difference_interval,
    unseen,
)
from showthrough.statistics.numerics.distributions import student_below, student_quantile
from showthrough.statistics.rows import Table, sum_columns

_LEVEL = 0.05  # at which heavier documents than were seen are left out of account
LEAST = 12  # documents that must count on either side, where the two sides do not count the same
_UNSOUND = "it is not known how its sums make it"
_NONE = 1e-8  # a difference or an error that is nothing but rounding, of as many documents as a block has
_NO_ENDS = "one of the two is the same in every document, and intervals, which would show more, were not asked for"
MOST = 6  # sums that a number may be made of to be shuffled: the work grows with their square


@dataclass(frozen=True)
class PairTest:
    """One pair of systems on one part: how likely chance makes such a difference, or why nobody can say.

    `error` is the standard error of the difference, where it was asked for, `freedom` its degrees of freedom. With
    `flat` one side is the same in every document, as a perfect score is: its uncertainty is then not in the error.
    `shift` is how far documents that are heavier than all that were seen might move the difference.
    """

    part: str
    first: int
    second: int
    p: float | None
    error: float | None = None
    freedom: float = 0.0
    flat: bool = False
    fault: str = ""
    among: Among | None = field(default=None, repr=False, compare=False)
    shift: float = 0.0

    def interval(self, difference: float, confidence: float) -> tuple[float, float]:
        """Of the difference, by Student's t."""
        if self.among is None:
            low, high = difference_interval(difference, self.error or 0.0, self.freedom, confidence)
        else:
            reach = self.among.quantile(confidence) * (self.error or 0.0)
            low, high = difference - reach, difference + reach
        return low + min(self.shift, 0.0), high + max(self.shift, 0.0)


class Freedoms:
    """Degrees of freedom of many tests: their quantiles are found together, in a fraction of the time."""

    def __init__(self, degrees: Floats) -> None:
        self._degrees = degrees
        self._quantiles: dict[float, Floats] = {}

    def quantiles(self, confidence: float) -> Floats:
        if confidence not in self._quantiles:
            self._quantiles[confidence] = student_quantile(self._degrees, (1 + confidence) / 2)
        return self._quantiles[confidence]


class Among(NamedTuple):
    """One test's place among those that were made with it."""

    freedoms: Freedoms
    pair: int
    part: int

    def quantile(self, confidence: float) -> float:
        return float(self.freedoms.quantiles(confidence)[self.pair, self.part])


def pair_tests(
    combine: Combine,
    columns: Sequence[str],
    systems: Sequence[Table],
    parts: Sequence[str],
    shuffles: int,
    seed: int,
    unit: str = "document",
    lead: float = 0.0,
) -> Iterator[PairTest]:
    """All pairs of systems on all parts; `systems` are rows of the same documents, in the same columns.

    The p value is that of the studentized randomization test. Where a few documents make all the difference that finds
    too much, so Student's t with as many degrees of freedom as documents speak is asked too, and the larger one counts.
    A number made of many sums (a mean over categories) has that alone.

    With a `lead`, which the first system is given, the question is whether the others differ from it by so much.
    """
    pairs = list(combinations(range(len(systems)), 2))
    real = [values_at(combine, columns, sum_columns(system)) for system in systems] if pairs else []
    for form in forms(combine, columns, parts) if pairs else ():
        sides, between = moved_together(form, systems, pairs)
        shuffled = _shuffled_p(form, systems, lead, shuffles, seed)
        sound = [_agrees(form, side, values) for side, values in zip(sides, real, strict=True)]
        sides[0] = replace(sides[0], values=sides[0].values + lead)
        error, degrees = _error(between, len(systems[0]))
        none = _NONE * float(fewer(len(systems[0])))
        flat = np.array(
            [
                np.minimum(sides[first_index].largest, sides[second_index].largest) <= none
                for first_index, second_index in pairs
            ]
        )
        shift = np.where(flat, 0.0, _shifts(sides, pairs, between))  # the ends of the other side tell
        by_t, freedoms = _t_test(sides, pairs, error, degrees, none, shift), Freedoms(degrees)
        for pair, (first, second) in enumerate(pairs):
            p = np.fmax(by_t[pair], shuffled.get((first, second), np.nan))
            faults = _faults(sides[first], sides[second], between.alike[pair], unit)
            for index, part in enumerate(form.parts):
                fault = faults[index] or ("" if sound[first][index] and sound[second][index] else _UNSOUND)
                unknown = np.isnan(p[index])
                if unknown and not fault and not np.isnan(sides[first].values[index] - sides[second].values[index]):
                    fault = f"nothing varies between {unit}s, so chance cannot be judged"
                spread = float(error[pair, index]), float(degrees[pair, index]), bool(flat[pair, index])
                p_value = None if unknown or fault else float(p[index])
                among = Among(freedoms, pair, index)
                yield PairTest(part, first, second, p_value, *spread, fault, among, float(shift[pair, index]))


def judge_difference(
    test: PairTest,
    difference: float,
    first: Ends | None,
    second: Ends | None,
    confidence: float,
    bounded: bool = True,
    unit: str = "document",
) -> tuple[float | None, float | None, float | None, str]:
    """The interval of a difference, its p value, and why there is none.

    `first` and `second` are the two values, each with the ends of its own interval where there is one.
    """
    if test.fault:
        return None, None, None, test.fault
    if test.error is None:
        return None, None, test.p, ""
    if not test.flat:
        low, high = test.interval(difference, confidence)
        return (max(low, -1.0), min(high, 1.0), test.p, "") if bounded else (low, high, test.p, "")
    if not (first and second) and not bounded:  # nothing says how far a number may go
        return None, None, None if abs(difference) > _NONE else test.p, "" if abs(difference) <= _NONE else _NO_ENDS
    low, high = sure_difference_interval(first, second) if first and second else (-1.0, 1.0)
    if abs(difference) > _NONE and low <= 0 <= high:
        return low, high, None, f"too few to say: one of the two is the same in every {unit}, which others need not be"
    return low, high, test.p, ""


def _shuffled_p(
    form: Form, systems: Sequence[Table], lead: float, shuffles: int, seed: int
) -> dict[tuple[int, int], Floats]:
    """The p values of shuffles, where these can be made: a lead can be laid into the rows of shares alone."""
    if form.size > MOST or (lead and not isinstance(form, Ratios)):
        return {}
    return studentized_p(form, systems, shuffles, seed, lead)


def _agrees(form: Form, side: InfluenceSums, real: Mapping[str, Floats]) -> list[bool]:
    """Whether a form gives the very values that it was made for, part by part."""
    return [same(float(side.values[index]), float(real[part])) for index, part in enumerate(form.parts)]


def _error(between: Between, documents: int) -> tuple[Floats, Floats]:
    """The standard error of each difference, and its degrees of freedom: a few large residuals leave few."""
    error = np.sqrt(between.squares * documents / max(documents - 1, 1))
    return error, np.clip(2 * alike(between.squares, between.fourths), 1, max(documents - 1, 1))


def _shifts(sides: Sequence[InfluenceSums], pairs: Sequence[tuple[int, int]], between: Between) -> Floats:
    """How far documents that are heavier than all that were seen might move each difference: pairs × parts.

    No further than the difference itself leads to, nor than the two values do, neither of which leaves its scale.
    """
    shifts = np.zeros(between.squares.shape)
    if between.sizes is None:
        return shifts
    extremes = [_extreme_values(side) for side in sides]
    counted = np.array([np.maximum(sides[first].counted, sides[second].counted) for first, second in pairs])
    apart = lean_of(between.sizes, between.squares, counted)
    for pair, (first, second) in enumerate(pairs):
        change = extremes[first] - sides[first].values - (extremes[second] - sides[second].values)
        nearer = np.where(np.abs(change) < np.abs(apart[pair]), change, apart[pair])
        shifts[pair] = np.where(change * apart[pair] > 0, nearer, 0.0)
    return np.asarray(np.nan_to_num(unseen(between.sizes.largest, 1 - _LEVEL) * shifts))


def _extreme_values(side: InfluenceSums) -> Floats:
    """Where the values of such documents may lie."""
    lean = lean_of(side.sizes, side.squares, side.counted) if side.sizes else np.zeros(side.values.shape)
    return np.clip(side.values + lean, np.minimum(side.values, 0.0), np.maximum(side.values, 1.0))


def _t_test(
    sides: Sequence[InfluenceSums],
    pairs: Sequence[tuple[int, int]],
    error: Floats,
    degrees: Floats,
    none: float,
    shift: Floats,
) -> Floats:
    """The p values of Student's t: pairs × parts; `none` is a difference or an error that is nothing but rounding.

    Of a difference that heavier documents might lessen, what they would leave counts.
    """
    signed = np.array([sides[first].values - sides[second].values for first, second in pairs])
    difference = np.maximum(np.abs(signed) - np.maximum(-np.sign(signed) * shift, 0), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * student_below(degrees, -difference / error)
    # No difference is none; where nothing varies, the shuffles alone can tell how sure one is.
    return np.where(difference <= none, 1.0, np.where(error > none, p, np.nan))


def _faults(first: InfluenceSums, second: InfluenceSums, alike: Bools, unit: str) -> list[str]:
    """Why each part cannot be tested: too little counts on a side, and what counts there is not the same."""
    fault = "too few to say: on one side it counts in {} only"
    return [
        "" if equal or count >= LEAST else fault.format(f"{count:.0f} {unit}{'s' * (count != 1)}")
        for count, equal in zip(np.minimum(first.counted, second.counted).tolist(), alike.tolist(), strict=True)
    ]
