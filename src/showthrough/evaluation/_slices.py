"""The numbers of groups of documents: no metric counts anything again, since a group is some of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np
from msgspec.structs import replace

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.data.slicing import Slicing
from showthrough.evaluation._scoring import Tables, Uncertain
from showthrough.metrics import HEADLINE, Metric, Rows, metric_text
from showthrough.metrics.chunk import EntityGroups
from showthrough.run.run import Run
from showthrough.run.settings import RecordedSettings
from showthrough.run.slices import GroupScore, Kind, Slice, SliceGroup
from showthrough.run.units import Units
from showthrough.statistics import (
    ALIKE,
    GroupSums,
    GroupTests,
    InfluenceSums,
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
from showthrough.statistics.forms import Form
from showthrough.statistics.intervals import Ends
from showthrough.storage.columns.strings import Strings

_SHUFFLES = 999
_EACH = 50  # shuffles for each group, where there are many: Holm's correction asks for small p values
_HELD = 4_000_000  # sums that are held at once: 32 MB
_NOTHING_VARIES = "it is the same whatever documents there are"
_NO_NUMBER = "it has no main number"
_COUPLED = "its documents cannot be taken apart"
_NO_ENTITIES = "it does not count marked entities one by one"
_ENTITY_KINDS: dict[str, Kind] = {"type": "types", "identifier": "identifiers"}


class _Cell(msgspec.Struct, frozen=True, dict=True):
    """One metric of one anonymization: its rows, and how its main number is made of them."""

    metric: Metric
    text: str
    name: str
    rows: Rows  # by the documents' ids
    form: Form | None  # None: nothing moves it

    @cached_property
    def sums(self) -> Floats:
        """What documents have of the sums that the number is made of."""
        rows = [] if self.form is None else [self.form.sums(block) for block in self.rows.blocks()]
        return np.concatenate(rows, axis=1)

    @property
    def used_columns(self) -> list[str]:
        """The columns that the number is made of."""
        if self.form is None:
            return []
        if isinstance(self.form, Ratios):
            return [self.rows.columns[index] for index in np.flatnonzero(self.form.weights.any(axis=(0, 1))).tolist()]
        return [self.rows.columns[index] for index in self.form.places]


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
    cuts: tuple[Sequence[Slicing], Sequence[EntityGroups]],
    settings: RecordedSettings,
    tables: Tables,
) -> Iterator[Slice]:
    """Every slice of a run that has its rows, of documents and of entities; `ids` are those of the corpus."""
    slicings, entity_groups = cuts
    if not (slicings or entity_groups):
        return
    cells, left_out = _cells(run, metrics, tables)
    order = ids.order()
    rank = np.empty(len(order), dtype=np.int64)  # the place of each document of the corpus in the order of ids
    rank[order] = np.arange(len(order))
    units = Units(run.documents, run.groups)
    every: list[_DocumentCut | _EntityCut] = [_DocumentCut(slicing, rank, units) for slicing in slicings]
    every += [_EntityCut(groups, units) for groups in entity_groups]
    for cut in every:
        usable = [cell for cell in cells if not cut.fault(cell)]
        others = {cell.text: cut.fault(cell) for cell in cells if cut.fault(cell)}
        yield _Slicer(run, cut, settings, units).slice(usable, {**left_out, **others})


def empty_slice(groups: EntityGroups) -> Slice:
    """A slice of entities before anything is counted: rows hang on which there are."""
    names = [SliceGroup(name, 0, 0) for name in groups.groups]
    return Slice(groups.field, _ENTITY_KINDS[groups.field], names, [])


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
class _DocumentCut:
    """Documents in groups."""

    slicing: Slicing
    rank: Ints
    units: Units

    @property
    def field(self) -> str:
        return self.slicing.field

    @property
    def kind(self) -> Kind:
        return self.slicing.kind

    @property
    def groups(self) -> Sequence[str]:
        return self.slicing.groups

    @cached_property
    def _masks(self) -> Bools:
        """The documents of each group, in the order of ids: groups × documents."""
        masks = np.zeros((len(self.groups), len(self.rank)), dtype=bool)
        masks[self.slicing.members, self.rank[self.slicing.documents]] = True
        return masks

    def fault(self, cell: _Cell) -> str:
        return ""

    def members(self, group: int) -> tuple[Bools, Bools]:
        """The units that have documents in the group, and those that have some outside."""
        inside, outside = np.zeros((2, self.units.count), dtype=bool)
        inside[self.units.numbers[self._masks[group]]] = True
        outside[self.units.numbers[~self._masks[group]]] = True
        return inside, outside

    @property
    def is_split(self) -> bool:
        """Whether there are two groups, each of them the rest of the other: their tests are one."""
        return len(self.groups) == 2 and bool((self._masks[0] != self._masks[1]).all())

    def size(self, group: int, cells: Sequence[_Cell]) -> tuple[int, int]:
        """Documents and units of a group."""
        return int(self._masks[group].sum()), int(self.members(group)[0].sum())

    def totals(self, cell: _Cell) -> dict[str, Floats]:
        """What each group sums up to, by column."""
        sums = np.zeros((len(self.groups), len(cell.rows.columns)))
        start = 0
        for block in cell.rows.blocks():
            sums += self._masks[:, start : start + len(block)].astype(np.float64) @ block
            start += len(block)
        return {column: sums[:, index] for index, column in enumerate(cell.rows.columns)}

    def sides(self, cell: _Cell, group: int) -> tuple[Floats, Floats]:
        """What documents have of a number in a group, and outside of it: sums × documents × 1 each."""
        chosen = self._masks[group][None, :, None]
        return np.where(chosen, cell.sums, 0.0), np.where(chosen, 0.0, cell.sums)


@dataclass(frozen=True)
class _EntityCut:
    """Entities in groups: rows have columns of each group. All documents are on both sides, and exchange these."""

    entities: EntityGroups
    units: Units

    @property
    def field(self) -> str:
        return self.entities.field

    @property
    def kind(self) -> Kind:
        return _ENTITY_KINDS[self.field]

    @property
    def groups(self) -> Sequence[str]:
        return self.entities.groups

    def fault(self, cell: _Cell) -> str:
        """Why a number is not made of entities that are counted one by one."""
        used = cell.used_columns
        counted = {self.entities.column(column, group) for column in used for group in range(len(self.groups))}
        return "" if used and counted <= set(cell.rows.columns) else _NO_ENTITIES

    def members(self, group: int) -> tuple[Bools, Bools]:
        every = np.ones(self.units.count, dtype=bool)
        return every, every

    @property
    def is_split(self) -> bool:
        return len(self.groups) == 2

    def size(self, group: int, cells: Sequence[_Cell]) -> tuple[int, int]:
        """Documents and units in which entities of a group are counted."""
        counted = np.zeros(len(self.units.numbers), dtype=bool)
        for cell in cells:
            counted |= (self._sums(cell, [group]) != 0).any(axis=(0, 2))
        return int(counted.sum()), len(np.unique(self.units.numbers[counted]))

    def totals(self, cell: _Cell) -> dict[str, Floats]:
        columns = set(cell.rows.columns)
        totals = cell.rows.totals()
        names = [[self.entities.column(column, group) for group in range(len(self.groups))] for column in columns]
        return {
            column: np.array([float(totals[name]) if name in columns else 0.0 for name in of_groups])
            for column, of_groups in zip(columns, names, strict=True)
        }

    def sides(self, cell: _Cell, group: int) -> tuple[Floats, Floats]:
        return self._sums(cell, [group]), self._sums(cell, [n for n in range(len(self.groups)) if n != group])

    def _sums(self, cell: _Cell, groups: Sequence[int]) -> Floats:
        """What documents have of a number in some groups: as of all entities, by the columns of these."""
        columns = {name: index for index, name in enumerate(cell.rows.columns)}
        places = [
            (columns[used], [columns[self.entities.column(used, group)] for group in groups])
            for used in cell.used_columns
        ]
        sums = []
        for block in cell.rows.blocks():
            values = np.zeros(block.shape)
            for rows_of_metric, of_groups in places:
                values[:, rows_of_metric] = block[:, of_groups].sum(axis=1)
            sums.append(np.zeros((1, len(block), 1)) if cell.form is None else cell.form.sums(values))
        return np.concatenate(sums, axis=1)


class _Slicer(msgspec.Struct, frozen=True):
    """One slice of a run."""

    run: Run
    cut: _DocumentCut | _EntityCut
    settings: RecordedSettings
    units: Units

    @property
    def _groups(self) -> Sequence[str]:
        return self.cut.groups

    def slice(self, cells: Sequence[_Cell], left_out: Mapping[str, str]) -> Slice:
        scores: list[GroupScore] = []
        for some in self._together(cells):
            numbers = [_Numbers(cell, self.cut.totals(cell)) for cell in some]
            for group in range(len(self._groups)):
                self._test(numbers, group)
            for each, (own, rest) in zip(numbers, self._intervals(numbers), strict=True):
                scores += self._scores(each, own, rest, alone=self.cut.is_split)
        groups = [SliceGroup(name, *self.cut.size(group, cells)) for group, name in enumerate(self._groups)]
        return Slice(self.cut.field, self.cut.kind, groups, scores, dict(left_out))

    def _together(self, cells: Sequence[_Cell]) -> Iterator[Sequence[_Cell]]:
        """Some cells at a time, so that the sums of very many documents fit into memory."""
        width = max(1, _HELD // max(4 * len(self.units.numbers), 1))
        return (cells[start : start + width] for start in range(0, len(cells), width))

    def _sums(self, cell: _Cell, form: Form, group: int) -> GroupSums:
        """What units have of a number in a group and outside of it."""
        inside, outside = map(self._by_unit, self.cut.sides(cell, group))
        return GroupSums(form, inside, outside)

    def _by_unit(self, rows: Floats) -> Floats:
        """The sums of documents by unit."""
        if self.units.alone:
            return rows
        sums = np.zeros((rows.shape[0], self.units.count, rows.shape[2]))
        for index, table in enumerate(rows):
            np.add.at(sums[index], self.units.numbers, table)
        return sums

    def _test(self, numbers: Sequence[_Numbers], group: int) -> None:
        """All cells in one group: their tests, and what their intervals follow from."""
        sums = [(each, self._sums(each.cell, form, group)) for each in numbers if (form := each.cell.form)]
        ratios = [each for each, table in sums if isinstance(table.form, Ratios)]
        others = [each for each, table in sums if not isinstance(table.form, Ratios)]
        tables = [table for _, table in sums if not isinstance(table.form, Ratios)]
        if ratios:
            tables = [side_by_side([table for _, table in sums if isinstance(table.form, Ratios)]), *tables]
        shuffles = max(_SHUFFLES, _EACH * len(self._groups))
        inside, outside = self.cut.members(group)
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
        p_values = [score.p for score in scores if score.p is not None]
        corrected = iter(p_values if alone else holm(p_values))
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
                    own = sums.part(each.parts[group])
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


def _uncertain(sums: InfluenceSums, limits: tuple[float, float], unit: float, *, sound: bool) -> Uncertain:
    """What the interval of one number follows from; resamples of each group would cost as much as all of the run."""
    value = sums.values
    free = (np.isinf(limits[1]) & (value != 0)) | (value < limits[0]) | (value > limits[1])
    spread = Spread.of(value[None], sums)
    return Uncertain(value, spread, np.array([limits]).T, free, np.array([unit]), np.array([sound]))
