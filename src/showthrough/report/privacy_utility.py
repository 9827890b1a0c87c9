"""Privacy against utility: where each anonymization stands on two metrics, and which of them none betters on both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from showthrough.metrics import HEADLINE
from showthrough.report._people import HumanScores, Value, people
from showthrough.run.records import MetricRecord
from showthrough.run.roles import INFORMATION
from showthrough.run.run import Run

# What the estimate of the room for names assumes: a plot's size, a letter's, a line's and a point's, in points.
_WIDTH, _HEIGHT, _LETTER, _LINE, _POINT = 460.0, 330.0, 7.0, 15.0, 7.0
_NAMED = 30  # names that there is room for; of more points only those on the front have theirs beside them


@dataclass(frozen=True)
class PlaneMetric:
    """A metric that has one number for each anonymization."""

    record: MetricRecord
    values: dict[str, Value]  # by anonymization; one whose number is undefined is not there
    people: HumanScores | None = None  # what people reach on it against each other

    def goodness(self, name: str) -> float:
        """Larger is better, whatever the metric."""
        value = self.values[name][0]
        return value if self.record.better == "higher" else -value


@dataclass(frozen=True)
class PlanePoint:
    """One anonymization on two metrics."""

    name: str
    x: Value
    y: Value
    best: bool = False  # none is at least as good on both metrics and better on one
    drop: float = 0.0  # how far below the point its name stands (less than 0: above it), so that none covers another
    left: bool = False  # whether the name stands to the left of the point
    named: bool = True  # whether it stands there at all


def plane_metrics(run: Run) -> list[PlaneMetric]:
    """The metrics that have a headline of which more or less is better, in the order of the run."""
    values: dict[str, dict[str, Value]] = {}
    tested = set(run.names)  # references stand in tables, and nowhere else
    for score in run.scores:
        if score.part == HEADLINE and score.value is not None and score.anonymization in tested:
            values.setdefault(score.metric, {})[score.anonymization] = score.ends or (score.value,) * 3
    return [
        PlaneMetric(record, values[record.text], people(run, record.text))
        for record in run.metrics
        if record.text in values and not record.describes(HEADLINE)
    ]


def first_choice(numbers: Sequence[PlaneMetric]) -> tuple[PlaneMetric, PlaneMetric] | None:
    """A privacy metric and a utility metric to begin with, else others; never the same one twice.

    How much information is left tells more of use than how much of what is masked was marked.
    """
    if len(numbers) < 2:
        return None
    across = next((metric for metric in numbers if metric.record.group == "privacy"), None)
    useful = [metric for metric in numbers if metric.record.group == "utility"]
    up = next(
        (metric for metric in useful if {INFORMATION, "words"} & {*metric.record.roles}), next(iter(useful), None)
    )
    across = across or next(metric for metric in numbers if metric is not up)
    return across, up or next(metric for metric in reversed(numbers) if metric is not across)


def points(names: Sequence[str], across: PlaneMetric, up: PlaneMetric) -> list[PlanePoint]:
    """The anonymizations that have a value on both metrics."""
    both = [name for name in names if name in across.values and name in up.values]
    best = on_front(names, across, up)
    unnamed = [PlanePoint(name, across.values[name], up.values[name], name in best) for name in both]
    xs, ys = (_shares(metric, both) for metric in (across, up))
    return _with_names_placed(unnamed, [_WIDTH * x for x in xs], [_HEIGHT * (1 - y) for y in ys])


def on_front(names: Sequence[str], across: PlaneMetric, up: PlaneMetric) -> list[str]:
    """Those of which no other is at least as good on both metrics and better on one."""
    both = [name for name in names if name in across.values and name in up.values]
    return [both[number] for number in sorted(front([(across.goodness(name), up.goodness(name)) for name in both]))]


def front(goodness: Sequence[tuple[float, float]]) -> set[int]:
    """The Pareto front: the numbers of those that no other one betters.

    >>> sorted(front([(0.9, 0.2), (0.5, 0.5), (0.4, 0.5), (0.5, 0.1), (0.5, 0.5)]))
    [0, 1, 4]
    """
    best: set[tuple[float, float]] = set()
    highest = -math.inf
    for x, y in sorted(set(goodness), reverse=True):
        if y > highest:  # better than all that are better across; of those as good across it is the first
            highest = y
            best.add((x, y))
    return {number for number, point in enumerate(goodness) if point in best}


def _shares(metric: PlaneMetric, names: Sequence[str]) -> list[float]:
    """How far towards better each number stands between the ends of all intervals."""
    ends = [end for name in names for end in metric.values[name]]
    ends += metric.people.value if metric.people else ()
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    shares = [(metric.values[name][0] - low) / ((high - low) or 1.0) for name in names]
    return shares if metric.record.better == "higher" else [1 - share for share in shares]


def _with_names_placed(unnamed: Sequence[PlanePoint], xs: Sequence[float], ys: Sequence[float]) -> list[PlanePoint]:
    """Puts each name at the nearest height, above or below its point, at which no other name or point stands yet."""
    placed: list[tuple[float, float, float]] = []  # left end, right end, height
    result = []
    spots = list(zip(xs, ys, strict=True))
    drops = [side + sign * _LINE * step for step in range(_NAMED) for side, sign in ((-11, -1), (13, 1))]
    for point, (x, y) in zip(unnamed, spots, strict=True):
        if len(unnamed) > _NAMED and (len(placed) == _NAMED or not point.best):
            result.append(replace(point, named=False))
            continue
        width = _LETTER * (len(point.name) + 2)
        left = x + width > _WIDTH
        start, end = (x - width, x) if left else (x, x + width)
        names = [height for begin, right, height in placed if start < right and begin < end]
        points = [height for at, height in spots if start - _POINT < at < end + _POINT and height != y]
        free = [drop for drop in drops if all(abs(y + drop - height) >= _LINE for height in names)]
        clear = (drop for drop in free if all(abs(y + drop - height) >= _LINE for height in points))
        drop = next(clear, free[0])
        placed.append((start, end, y + drop))
        result.append(replace(point, drop=drop, left=left))
    return result
