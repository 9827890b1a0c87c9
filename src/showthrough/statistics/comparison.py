"""Two systems, one number: do they differ, or are there too few documents to say?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from showthrough.statistics.forms import Combine, Form, Influences, Ratios, forms, influences
from showthrough.statistics.intervals import alike
from showthrough.statistics.randomization import studentized_p

Array = NDArray[np.float64]
LEAST = 12  # documents that must count on either side, where the two sides do not count the same
MOST = 6  # sums that a number may be made of to be shuffled: the work grows with their square


@dataclass(frozen=True)
class PairTest:
    """One pair of systems on one part: how likely chance makes such a difference, or why nobody can say.

    `error` is the standard error of the difference, `freedom` its degrees of freedom.
    """

    part: str
    first: int
    second: int
    p: float | None
    error: float
    freedom: float
    fault: str = ""


def pair_tests(
    combine: Combine, columns: Sequence[str], systems: Sequence[Array], parts: Sequence[str], shuffles: int, seed: int
) -> Iterator[PairTest]:
    """All pairs of systems on all parts; `systems` are rows of the same documents, in the same columns.

    The p value is that of the studentized randomization test. Where a few documents make all the difference that finds
    too much, so Student's t with as many degrees of freedom as documents speak is asked too, and the larger one counts.
    A number made of many sums (a mean over categories) has that alone.
    """
    for form in forms(combine, columns, parts):
        rows = [form.sums(values) for values in systems]
        sides = [influences(form, one) for one in rows]
        found = studentized_p(form, systems, shuffles, seed) if len(rows[0]) <= MOST else {}
        for first, second in combinations(range(len(systems)), 2):
            error, degrees = _error(sides[first], sides[second])
            p = np.maximum(_t_test(sides[first], sides[second], error, degrees), found.get((first, second), 0.0))
            faults = _faults(form, rows[first], rows[second])
            for place, part in enumerate(form.parts):
                known = None if np.isnan(p[place]) or faults[place] else float(p[place])
                spread = float(error[place]), float(degrees[place])
                yield PairTest(part, first, second, known, *spread, faults[place])


def _error(one: Influences, two: Influences) -> tuple[Array, Array]:
    """The standard error of a difference, and its degrees of freedom: a few large residuals leave few."""
    residuals = one.moves - two.moves
    documents = len(residuals)
    error = np.sqrt((residuals**2).sum(axis=0) * documents / max(documents - 1, 1))
    return error, np.clip(2 * alike(residuals**2), 1, max(documents - 1, 1))


def _t_test(one: Influences, two: Influences, error: Array, degrees: Array) -> Array:
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.abs(one.values - two.values) / error
        return np.where(error > 0, 2 * stdtr(degrees, -away), 0.0)


def _faults(form: Form, one: Array, two: Array) -> list[str]:
    """Why each part cannot be tested: too few documents count on a side, and what counts there is not the same."""
    counted = np.minimum(*((rows != 0).any(axis=0).sum(axis=0) for rows in (one, two)))
    same = (one[1] == two[1]).all(axis=0) if isinstance(form, Ratios) else np.zeros(len(form.parts), dtype=bool)
    return [
        "" if equal or count >= LEAST else f"too few to say: counted in {_documents(count)} of one side"
        for count, equal in zip(counted.tolist(), same.tolist(), strict=True)
    ]


def _documents(count: int) -> str:
    return f"{count} document" if count == 1 else f"{count} documents"
