"""All pairs of anonymizations on one metric: do they differ, or are there too few documents to say?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from showthrough.metrics import Metric, Rows
from showthrough.run import views
from showthrough.run.records import Comparison, Score
from showthrough.statistics import PairTest, holm, judged, pair_tests, plain_p

if TYPE_CHECKING:
    from showthrough.run.run import Run

Test = Literal["studentized", "plain"]


class Comparisons(list[Comparison]):
    """What `Run.compare` found: a list that can be looked at."""

    def __init__(self, run: Run, test: Test, compared: Iterable[Comparison] = ()) -> None:
        super().__init__(compared)
        self.run = run
        self.test = test

    def __repr__(self) -> str:
        return views.text(self)

    def _repr_html_(self) -> str:
        return views.html(self)


@dataclass(frozen=True)
class Contest:
    """What is compared: the anonymizations of a run on one metric, all in the same order.

    `tables` are what is counted, in the same columns; none where documents cannot be exchanged one by one.
    """

    metric: Metric
    text: str
    names: Sequence[str]
    tables: Sequence[Rows]
    values: Sequence[Mapping[str, Any]]
    scores: Sequence[Mapping[str, Score]]
    confidence: float
    unit: str

    def compared(self, parts: Collection[str], shuffles: int, seed: int, test: Test) -> Iterator[Comparison]:
        """All pairs, part by part, with Holm's correction within each part."""
        tests = self._tests([part for part in parts if not self.metric.test_fault(part)], shuffles, seed, test)
        for part in parts:
            pairs = list(combinations(range(len(self.names)), 2))
            compared = [self._pair(part, pair, tests.get((part, *pair))) for pair in pairs]
            corrected = iter(holm([one.p for one in compared if one.p is not None]))
            for one in compared:
                note = one.note or ("" if one.difference is None else self.metric.test_fault(part))
                yield msgspec.structs.replace(one, p_holm=None if one.p is None else next(corrected), note=note)

    def _tests(
        self, parts: Sequence[str], shuffles: int, seed: int, test: Test
    ) -> dict[tuple[str, int, int], PairTest]:
        if not self.tables:
            return {}
        systems = [table.values for table in self.tables]
        asked = self.metric.combine, self.tables[0].columns, systems, parts, shuffles, seed
        if test == "plain":
            return {key: PairTest(*key, p) for key, p in plain_p(*asked).items()}
        return {(one.part, one.first, one.second): one for one in pair_tests(*asked, self.unit)}

    def _pair(self, part: str, pair: tuple[int, int], test: PairTest | None) -> Comparison:
        first, second = pair
        difference = float(self.values[first][part] - self.values[second][part])
        named = self.text, part, self.names[first], self.names[second]
        if np.isnan(difference) or test is None:
            return Comparison(*named, None if np.isnan(difference) else difference)
        one, two = (score.ends if (score := self.scores[place].get(part)) else None for place in pair)
        bounded = self.metric.bounded(part)
        low, high, p, note = judged(test, difference, one, two, self.confidence, bounded, self.unit)
        return Comparison(*named, difference, low, high, p, None, note)
