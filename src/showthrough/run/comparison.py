"""All pairs of anonymizations on one metric: do they differ, or are there too few documents to say?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from showthrough.metrics import Metric, Rows
from showthrough.run import _views
from showthrough.run.records import Comparison, Score
from showthrough.statistics import (
    Loss,
    PairTest,
    Ratios,
    blocks,
    forms,
    holm,
    judge_difference,
    loss_of,
    pair_tests,
    plain_p,
)

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
        return _views.text(self)

    def _repr_html_(self) -> str:
        return _views.html(self)


class Contest(msgspec.Struct, frozen=True):
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

    def compare(
        self,
        parts: Collection[str],
        shuffles: int,
        seed: int,
        test: Test,
        pairs: Sequence[tuple[str, str]] | None = None,
    ) -> Iterator[Comparison]:
        """All pairs, or those that are named, part by part, with Holm's correction within each part."""
        everyone = range(len(self.names))
        together: Sequence[Sequence[int]] = [everyone] if pairs is None else [self._indices(pair) for pair in pairs]
        testable = [part for part in parts if not self.metric.test_fault(part)]
        tests = self._tests(testable, together, shuffles, seed, test)
        chosen = [pair for indices in together for pair in combinations(indices, 2)]
        for part in parts:
            compared = [self._pair(part, pair, tests.get((part, *pair))) for pair in chosen]
            corrected = iter(holm([comparison.p for comparison in compared if comparison.p is not None]))
            for comparison in compared:
                note = comparison.note or ("" if comparison.difference is None else self.metric.test_fault(part))
                yield msgspec.structs.replace(
                    comparison, p_holm=None if comparison.p is None else next(corrected), note=note
                )

    def measure_loss(
        self, part: str, later: str, earlier: str, higher: bool, margin: float, shuffles: int, seed: int
    ) -> Loss:
        """What one anonymization lost against an earlier one, beyond a margin."""
        if fault := self.metric.test_fault(part):
            return Loss(None, None, fault)
        if not self.tables:
            return Loss(None, None, "its documents cannot be exchanged one by one")
        later_table, earlier_table = (self.tables[index] for index in self._indices((later, earlier)))
        return loss_of(
            self.metric.combine, self.tables[0].columns, later_table, earlier_table, part,
            higher=higher, margin=margin, shuffles=shuffles, seed=seed, unit=self.unit,
            bounded=self.metric.is_bounded(part),
        )  # fmt: skip

    def out_of(self, part: str, name: str) -> float | None:
        """How much a part is a share of, in all documents: the sum below the line, where there is one."""
        if not self.tables:
            return None
        table = self.tables[self.names.index(name)]
        form = next(iter(forms(self.metric.combine, table.columns, [part])), None)
        if not isinstance(form, Ratios):
            return None
        return float(sum(form.sums(block)[1].sum() for block in blocks(table)))

    def _indices(self, pair: tuple[str, str]) -> tuple[int, int]:
        first, second = map(self.names.index, pair)
        return first, second

    def _tests(
        self, parts: Sequence[str], together: Sequence[Sequence[int]], shuffles: int, seed: int, test: Test
    ) -> dict[tuple[str, int, int], PairTest]:
        """All pairs among those that are tested together; the coins are the same for all."""
        results: dict[tuple[str, int, int], PairTest] = {}
        for indices in together if self.tables else ():
            systems = [self.tables[index] for index in indices]
            arguments = self.metric.combine, self.tables[0].columns, systems, parts, shuffles, seed
            if test == "plain":
                tests = [PairTest(*key, p) for key, p in plain_p(*arguments).items()]
            else:
                tests = list(pair_tests(*arguments, self.unit))
            results |= {
                (pair_test.part, indices[pair_test.first], indices[pair_test.second]): pair_test for pair_test in tests
            }
        return results

    def _pair(self, part: str, pair: tuple[int, int], test: PairTest | None) -> Comparison:
        first, second = pair
        difference = float(self.values[first][part] - self.values[second][part])
        named = self.text, part, self.names[first], self.names[second]
        if np.isnan(difference) or test is None:
            return Comparison(*named, None if np.isnan(difference) else difference)
        first_ends, second_ends = (score.ends if (score := self.scores[index].get(part)) else None for index in pair)
        bounded = self.metric.is_bounded(part)
        low, high, p, note = judge_difference(
            test, difference, first_ends, second_ends, self.confidence, bounded, self.unit
        )
        return Comparison(*named, difference, low, high, p, None, note)
