"""How a number is made of sums: found by asking the function that makes it, so that no metric has to say.

Nearly every number is one weighted sum over another (entities hidden over all entities, 2·TP over 2·TP + FP + FN).
Where that is so, a document's part in the number is known in closed form; where it is not, by small differences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from showthrough.core.arrays import Bools, Floats

Combine = Callable[[Mapping[str, Floats]], Mapping[str, Floats]]

_POINTS = 8  # more of them than unknowns, at which a guess about the form is checked
_EXACT = 1e-9  # how far a function may be from what it is taken for
_STEP = 1e-5  # of its scale, by which a sum is moved to see what follows
_PLACES = 64  # at which columns are moved to see which parts depend on them
_TOGETHER = 64  # columns that are moved together first
_HALF = 0.5
_TINY = 1e-12  # what adding in another order can make of nothing


@dataclass(frozen=True)
class Ratios:
    """Parts of a metric that are each one weighted sum over another: `weights` is 2 × parts × columns."""

    parts: tuple[str, ...]
    weights: Floats

    @property
    def size(self) -> int:
        """How many sums a part is made of."""
        return len(self.weights)

    def sums(self, values: Floats) -> Floats:
        """Rows (or totals) of columns, as 2 × rows × parts."""
        return np.asarray(values @ self.weights.transpose(0, 2, 1))

    @staticmethod
    def raise_by(sums: Floats, by: float) -> Floats:
        """Sums whose values are higher by so much: whoever changes sides takes that along."""
        above, below = sums
        return np.stack([above + by * below, below])

    def at(self, sums: Floats) -> tuple[Floats, Floats]:
        """The values at some sums, and how fast they change with each sum."""
        above, below = sums
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = 1 / below
            value = above * slope
            value[below == 0] = np.nan
            return value, np.stack([slope, -value * slope])


@dataclass(frozen=True)
class Smooth:
    """One part that is some other function of a few sums; `places` are their columns."""

    part: str
    combine: Combine
    columns: tuple[str, ...]
    places: tuple[int, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        return (self.part,)

    @property
    def size(self) -> int:
        """How many sums it is made of."""
        return len(self.places)

    def sums(self, values: Floats) -> Floats:
        """Rows (or totals) of columns, as sums × rows × 1."""
        return np.moveaxis(values[..., list(self.places)], -1, 0)[..., None]

    def at(self, sums: Floats) -> tuple[Floats, Floats]:
        """The value at some sums, and how fast it changes with each sum."""
        step = _STEP * np.maximum(np.abs(sums), 1e-3)  # each by its own size: one sum may be a million times another
        moves = np.eye(len(sums)).reshape(len(sums), len(sums), *[1] * (sums.ndim - 1)) * step
        values = self._value(np.stack([sums, *(sums + moves), *(sums - moves)], axis=1))
        up, down = np.split(values[1:], 2)
        return values[0], (up - down) / (2 * step)

    def _value(self, sums: Floats) -> Floats:
        totals = {column: np.zeros(sums.shape[1:]) for column in self.columns}
        totals |= {self.columns[index]: column_sums for index, column_sums in zip(self.places, sums, strict=True)}
        return np.asarray(self.combine(totals)[self.part])


Form = Ratios | Smooth


@dataclass(frozen=True)
class Influences:
    """What documents do to the values of a form (documents × parts): how each moves them, what it weighs, if it counts.

    A document's sums, times how fast a value changes with them; the moves add up to nothing. A ratio is a mean over
    documents: `sizes` is each one's part of what is below the line.
    """

    moves: Floats
    weights: Floats
    counted: Floats
    values: Floats
    sizes: Floats | None = None


def influences(form: Form, rows: Floats, at: tuple[Floats, Floats] | None = None) -> Influences:
    """Of what a form makes of rows; `at` are value and slope, where these are some documents of many."""
    value, slope = at or form.at(rows.sum(axis=1, keepdims=True))
    with np.errstate(invalid="ignore"):  # an undefined value has no slope
        contributions = slope * rows
    counted = (rows != 0).any(axis=0).astype(np.float64)
    with np.errstate(invalid="ignore"):
        sizes = rows[1] * slope[0] if isinstance(form, Ratios) else None
    return Influences(contributions.sum(axis=0), _weights(contributions, value[0]), counted, value[0], sizes)


def _weights(contributions: Floats, value: Floats) -> Floats:
    """What documents weigh in shares: what they have above the line and below it.

    Of a small share few have anything above, and would seem to be all that counts; 1 less the share is as uncertain and
    weighs them alike. So a share below one half is seen from there. What lowers a share stands below its line: with u
    above and d below, both as parts of the share v, its other side has d / v − u above and (1 − v) d / v below.
    """
    up, down = np.maximum(contributions, 0).sum(axis=0), np.maximum(-contributions, 0).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        turned = np.abs(down / value - up) + (1 - value) * down / value
    weights: Floats = np.where((value > 0) & (value < _HALF), turned, up + down)
    return weights


def forms(combine: Combine, columns: Sequence[str], parts: Sequence[str]) -> Sequence[Form]:
    """What each of some parts is made of; parts that are alike together, constants left out.

    It follows from the function and the names alone, so it is found once for all systems that a metric scores.

    >>> def combine(totals):
    ...     share = totals["hidden"] / totals["total"]
    ...     return {"": share, "squared": share**2, "constant": 0 * share}
    >>> number_forms = forms(combine, ["hidden", "total"], ["", "squared", "constant"])
    >>> [(type(form).__name__, form.parts) for form in number_forms]
    [('Ratios', ('',)), ('Smooth', ('squared',))]
    """
    return _find_forms(combine, tuple(columns), tuple(parts)) if parts else ()


@lru_cache(maxsize=128)
def _find_forms(combine: Combine, columns: tuple[str, ...], parts: tuple[str, ...]) -> tuple[Form, ...]:
    used = _used(combine, columns, parts)
    points = np.random.default_rng(0).uniform(1, 2, (_enough(max(map(len, used.values()), default=0)), len(columns)))
    values = values_at(combine, columns, points)
    weights: dict[str, Floats] = {}
    smooth_forms: list[Form] = []
    for part, indices in used.items():
        above_and_below = _ratio(points[:, indices], values[part]) if indices else None
        if above_and_below is not None:
            weights[part] = np.zeros((2, len(columns)))
            weights[part][:, indices] = above_and_below
        elif indices:
            smooth_forms.append(Smooth(part, combine, columns, tuple(indices)))
    ratios = [Ratios(tuple(weights), np.stack(list(weights.values()), axis=1))] if weights else []
    return *ratios, *smooth_forms


def same(first: float, second: float) -> bool:
    """Whether two ways to a value lead to the same, undefined included."""
    return bool(np.isclose(first, second, rtol=_EXACT, atol=_EXACT, equal_nan=True))


def values_at(combine: Combine, columns: Sequence[str], sums: Floats) -> Mapping[str, Floats]:
    """What sums of all columns, in a stack of any shape, are combined into."""
    return combine({column: sums[..., index] for index, column in enumerate(columns)})


def _used(combine: Combine, columns: Sequence[str], parts: Sequence[str]) -> dict[str, list[int]]:
    """The columns that each part depends on: moving one of them moves it, somewhere.

    One place will not do: the largest of several numbers depends on another elsewhere. Columns that only tell may
    be thousands, one for each type of a corpus: they are moved together first, and apart where that moves anything.
    """
    random = np.random.default_rng(1)
    start = np.exp(random.uniform(-2, 2, (_PLACES, 1, len(columns))))
    step = start * random.uniform(0.1, 0.5, start.shape)
    start_values = values_at(combine, columns, start)
    used: dict[str, list[int]] = {part: [] for part in parts if part in start_values}

    def moving(moves: Floats) -> dict[str, Bools]:
        values = values_at(combine, columns, start + moves * step)
        return {part: np.any(~(np.abs(values[part] - start_values[part]) <= _TINY), axis=0) for part in used}

    for first in range(0, len(columns), _TOGETHER):
        apart = np.eye(min(_TOGETHER, len(columns) - first), len(columns), first)
        if any(moved.any() for moved in moving(apart.sum(axis=0, keepdims=True)).values()):
            for part, moved in moving(apart).items():
                used[part] += (np.flatnonzero(moved) + first).tolist()
    # Columns of categories come in the order of chunks, and the last digit of a sum depends on the order.
    return {part: sorted(indices, key=lambda index: columns[index].partition(":")[2]) for part, indices in used.items()}


def _enough(columns: int) -> int:
    """Points for a weighted sum of so many columns over another, and some to check it at."""
    return 2 * columns + _POINTS


def _ratio(points: Floats, values: Floats) -> Floats | None:
    """The weights above and below the line, if the values are one weighted sum of the points over another."""
    if not np.isfinite(values).all():
        return None
    count = points.shape[1]
    points, values = points[: _enough(count)], values[: _enough(count)]
    equations = np.hstack([points, -values[:, None] * points])  # above · x − value · (below · x) = 0
    _, sizes, vectors = np.linalg.svd(equations, full_matrices=False)
    if sizes[-1] > _EXACT * sizes[0] or sizes[-2] <= _EXACT * sizes[0]:  # none fits, or more than one
        return None
    weights = vectors[-1].reshape(2, count)
    weights = np.round(
        weights / weights[1][np.argmax(np.abs(weights[1]))], 10
    )  # whole numbers mostly, which sums then are too
    below = points @ weights[1]
    if not (below > 0).all() or not np.allclose(points @ weights[0] / below, values, rtol=_EXACT, atol=_EXACT):
        return None
    return np.asarray(weights)
