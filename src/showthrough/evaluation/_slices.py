"""The numbers of groups of documents: no metric counts anything again, since a group is some of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec.structs import replace

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.data.slicing import Slicing
from showthrough.evaluation._scoring import Tables, Uncertain
from showthrough.metrics import HEADLINE, Metric, Rows, metric_text
from showthrough.run.run import Run
from showthrough.run.settings import RecordedSettings
from showthrough.run.slices import GroupScore, Slice, SliceGroup
from showthrough.run.units import Units
from showthrough.statistics import (
    ALIKE,
    GroupSums,
    GroupTests,
    Ratios,
    Spread,
    even_units,
    forms,
    group_tests,
    holm,
    judge_difference,
    same,
    side_by_side,
)
from showthrough.statistics._influence import InfluenceSums, Sizes
from showthrough.statistics.forms import Form
from showthrough.statistics.intervals import Ends
from showthrough.storage.columns.strings import Strings

_SHUFFLES = 999
_EACH = 50  # shuffles for each group, where there are many: Holm's correction asks for small p values
_LARGE = 20_000  # units, from which on Student's t is asked alone
_HELD = 4_000_000  # sums that are held at once: 32 MB
_NOTHING_VARIES = "it is the same whatever documents there are"
_NO_NUMBER = "it has no main number"
_COUPLED = "its documents cannot be taken apart"


@dataclass(frozen=True)
class _Cell:
    """One metric of one anonymization: its rows, and how its main number is made of them."""

    metric: Metric
    text: str
    name: str
    rows: Rows  # by the documents' ids
    form: Form | None  # None: nothing moves it

    def sums(self) -> Floats:
        """What documents have of the sums that the number is made of."""
        rows = [] if self.form is None else [self.form.sums(block) for block in self.rows.blocks()]
        return np.concatenate(rows, axis=1)


class _Numbers:
    """The numbers of one cell in all groups, as they are found out."""

    def __init__(self, cell: _Cell, totals: Mapping[str, Floats]) -> None:
        self.cell = cell
        self.totals = totals
        self.values = np.asarray(cell.metric.combine(totals)[HEADLINE], dtype=np.float64)
        self.tests: dict[int, GroupTests] = {}
        self.parts: dict[int, int] = {}  # which part of these tests it is


def compute_slices(
    run: Run,
    metrics: Sequence[Metric],
    ids: Strings,
    slicings: Sequence[Slicing],
    settings: RecordedSettings,
    tables: Tables,
) -> Iterator[Slice]:
    """Every slice of a run that has its rows; `ids` are those of the corpus, in its order."""
    if not slicings:
        return
    cells, left_out = _cells(run, metrics, tables)
    order = ids.order()
    rank = np.empty(len(order), dtype=np.int64)  # the place of each document of the corpus in the order of ids
    rank[order] = np.arange(len(order))
    units = Units(run.documents, run.groups)
    for slicing in slicings:
        yield _Slicer(run, slicing, settings, units, rank).slice(cells, left_out)


def _cells(run: Run, metrics: Sequence[Metric], tables: Tables) -> tuple[list[_Cell], dict[str, str]]:
    """All that has a main number, and why the others have none in groups."""
    cells, left_out = [], {}
    for metric in metrics:
        text = metric_text(metric)
        if text not in run.rows:
            continue
        if fault := _fault(metric, tables[text, run.names[0]]):
            left_out[text] = fault
            continue
        for anonymization in run.anonymizations:
            rows = tables[text, anonymization.name]
            form = next(iter(forms(metric.combine, rows.columns, [HEADLINE])), None)
            cells.append(_Cell(metric, text, anonymization.name, run.by_id(rows), form))
    return cells, left_out


def _fault(metric: Metric, rows: Rows) -> str:
    if not metric.apart:
        return _COUPLED
    return "" if HEADLINE in metric.combine(rows.totals()) else _NO_NUMBER


@dataclass(frozen=True)
class _Slicer:
    """One slice of a run."""

    run: Run
    slicing: Slicing
    settings: RecordedSettings
    units: Units
    rank: Ints

    @property
    def _groups(self) -> Sequence[str]:
        return self.slicing.groups

    def slice(self, cells: Sequence[_Cell], left_out: Mapping[str, str]) -> Slice:
        masks = [self._mask(number) for number in range(len(self._groups))]
        members = [self._members(mask) for mask in masks]
        alone = self._is_split(masks)
        scores: list[GroupScore] = []
        for some in self._together(cells):
            numbers = [_Numbers(cell, self._totals(cell, masks)) for cell in some]
            for group, (mask, (inside, outside)) in enumerate(zip(masks, members, strict=True)):
                self._test(numbers, group, mask, inside, outside)
            for each, (own, rest) in zip(numbers, self._intervals(numbers), strict=True):
                scores += self._scores(each, own, rest, alone=alone)
        groups = [
            SliceGroup(name, int(mask.sum()), int(inside.sum()))
            for name, mask, (inside, _) in zip(self._groups, masks, members, strict=True)
        ]
        return Slice(self.slicing.field, self.slicing.kind, groups, scores, dict(left_out))

    def _mask(self, group: int) -> Bools:
        """The documents of a group, in the order of ids."""
        mask = np.zeros(len(self.rank), dtype=bool)
        mask[self.rank[self.slicing.documents[self.slicing.members == group]]] = True
        return mask

    def _members(self, mask: Bools) -> tuple[Bools, Bools]:
        """The units that have documents in the group, and those that have some outside."""
        inside, outside = np.zeros((2, self.units.count), dtype=bool)
        inside[self.units.numbers[mask]] = True
        outside[self.units.numbers[~mask]] = True
        return inside, outside

    @staticmethod
    def _is_split(masks: Sequence[Bools]) -> bool:
        """Whether there are two groups, each of them the rest of the other: their tests are one."""
        return len(masks) == 2 and bool((masks[0] != masks[1]).all())

    def _together(self, cells: Sequence[_Cell]) -> Iterator[Sequence[_Cell]]:
        """Some cells at a time, so that the sums of very many documents fit into memory."""
        width = max(1, _HELD // max(4 * len(self.rank), 1))
        return (cells[start : start + width] for start in range(0, len(cells), width))

    @staticmethod
    def _totals(cell: _Cell, masks: Sequence[Bools]) -> dict[str, Floats]:
        """What each group sums up to, by column."""
        sums = np.zeros((len(masks), len(cell.rows.columns)))
        start = 0
        for block in cell.rows.blocks():
            chosen = np.stack([mask[start : start + len(block)] for mask in masks]).astype(np.float64)
            sums += chosen @ block
            start += len(block)
        return {column: sums[:, index] for index, column in enumerate(cell.rows.columns)}

    def _sums(self, cell: _Cell, form: Form, mask: Bools) -> GroupSums:
        """What units have of a number in a group and outside of it."""
        rows = cell.sums()
        sides = (np.where(chosen[None, :, None], rows, 0.0) for chosen in (mask, ~mask))
        inside, outside = map(self._by_unit, sides)
        return GroupSums(form, inside, outside)

    def _by_unit(self, rows: Floats) -> Floats:
        """The sums of documents by unit."""
        if self.units.count == rows.shape[1]:
            return rows  # each is alone, in the same order
        sums = np.zeros((rows.shape[0], self.units.count, rows.shape[2]))
        for index, table in enumerate(rows):
            np.add.at(sums[index], self.units.numbers, table)
        return sums

    def _test(self, numbers: Sequence[_Numbers], group: int, mask: Bools, inside: Bools, outside: Bools) -> None:
        """All cells in one group: their tests, and what their intervals follow from."""
        sums = [(each, self._sums(each.cell, form, mask)) for each in numbers if (form := each.cell.form)]
        ratios = [each for each, table in sums if isinstance(table.form, Ratios)]
        others = [each for each, table in sums if not isinstance(table.form, Ratios)]
        tables = [table for _, table in sums if not isinstance(table.form, Ratios)]
        if ratios:
            tables = [side_by_side([table for _, table in sums if isinstance(table.form, Ratios)]), *tables]
        shuffles = max(_SHUFFLES, _EACH * len(self._groups)) if self.units.count <= _LARGE else 0
        results = group_tests(tables, inside, outside, shuffles, self.settings.seed, self.run.unit) if tables else []
        if ratios:
            for part, each in enumerate(ratios):
                each.tests[group], each.parts[group] = results[0], part
            results = results[1:]
        for each, result in zip(others, results, strict=True):
            each.tests[group], each.parts[group] = result, 0

    def _scores(
        self, numbers: _Numbers, own: Mapping[int, Ends], rest: Mapping[int, Ends], *, alone: bool
    ) -> Iterator[GroupScore]:
        scores = [self._score(numbers, group, own.get(group), rest.get(group)) for group in range(len(self._groups))]
        tested = [score.p for score in scores if score.p is not None]
        corrected = iter(tested if alone else holm(tested))
        for score in scores:
            yield score if score.p is None else replace(score, p_holm=next(corrected))

    def _intervals(self, numbers: Sequence[_Numbers]) -> list[tuple[dict[int, Ends], dict[int, Ends]]]:
        """The intervals of all groups, and those of what is outside each; all quantiles are asked for at once."""
        sides: list[Uncertain] = []
        calls: list[int] = []
        keys: list[tuple[int, int, int]] = []
        for number, each in enumerate(numbers):
            metric, limits = each.cell.metric, each.cell.metric.limits(HEADLINE) or (0.0, np.inf)
            if not self.settings.resamples or metric.interval_fault(HEADLINE):
                continue
            for group, tests in each.tests.items():
                totals = {name: sums[group] for name, sums in each.totals.items()}
                unit = metric.unit_change(HEADLINE, totals)
                for side, sums in enumerate((tests.inside, tests.outside)):
                    own = _only(sums, each.parts[group])
                    sound = bool(side) or same(float(own.values[0]), float(each.values[group]))
                    sides.append(_uncertain(own, limits, unit, sound=sound))
                    calls.append(number)
                    keys.append((number, group, side))
        ends: list[tuple[dict[int, Ends], dict[int, Ends]]] = [({}, {}) for _ in numbers]
        together = Uncertain.concatenate(sides).ends(self.settings.confidence, np.array(calls)) if sides else []
        for (number, group, side), uncertain, pair in zip(keys, sides, together, strict=True):
            if pair is not None and not np.isnan(uncertain.values[0]):
                ends[number][side][group] = (float(uncertain.values[0]), *pair)
        return ends

    def _score(self, numbers: _Numbers, group: int, own: Ends | None, rest: Ends | None) -> GroupScore:
        metric, value, tests = numbers.cell.metric, float(numbers.values[group]), numbers.tests.get(group)
        part = numbers.parts.get(group, 0)
        counted = 0 if tests is None else int(tests.inside.counted[part])
        head = numbers.cell.name, numbers.cell.text, self._groups[group]
        if np.isnan(value):
            totals = {name: sums[group] for name, sums in numbers.totals.items()}
            reason = metric.why_undefined(HEADLINE, totals)
            return GroupScore(*head, None, None, None, counted, reason, untested="it is undefined in the group")
        low, high = own[1:] if own else (None, None)
        note = "" if own or not self.settings.resamples else metric.interval_fault(HEADLINE) or ALIKE
        if tests is None:
            return GroupScore(*head, value, low, high, counted, "", note, untested=_NOTHING_VARIES)
        even = float(even_units(tests.inside)[part])
        difference = value - float(tests.outside.values[part])
        score = GroupScore(*head, value, low, high, counted, "", note, None if np.isnan(even) else even)
        if np.isnan(difference):
            return replace(score, untested="it is undefined outside the group")
        if fault := metric.test_fault(HEADLINE):
            return replace(score, difference=difference, untested=fault)
        bounded = metric.is_bounded(HEADLINE)
        lowest, highest, p, why = judge_difference(
            tests.tests[part], difference, own, rest, self.settings.confidence, bounded, self.run.unit
        )
        return replace(score, difference=difference, difference_low=lowest, difference_high=highest, p=p, untested=why)


def _only(sums: InfluenceSums, part: int) -> InfluenceSums:
    """Of several parts, one."""
    return InfluenceSums(*(_chosen(getattr(sums, name), part) for name in InfluenceSums.__dataclass_fields__))


def _chosen(values: Any, part: int) -> Any:
    if isinstance(values, Sizes):
        return Sizes(*(getattr(values, name)[part : part + 1] for name in Sizes.__dataclass_fields__))
    return None if values is None else values[part : part + 1]


def _uncertain(sums: InfluenceSums, limits: tuple[float, float], unit: float, *, sound: bool) -> Uncertain:
    """What the interval of one number follows from; resamples of each group would cost as much as all of the run."""
    value = sums.values
    free = (np.isinf(limits[1]) & (value != 0)) | (value < limits[0]) | (value > limits[1])
    spread = Spread.of(value[None], sums)
    return Uncertain(value, spread, np.array([limits]).T, free, np.array([unit]), np.array([sound]))
