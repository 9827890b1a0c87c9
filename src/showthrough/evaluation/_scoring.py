"""From rows to scores: every part of every metric, with its interval and its signature."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import islice

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Bools, Floats
from showthrough.core.families import input_types
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.metrics import Metric, Rows, metric_text
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.derived import join_columns
from showthrough.run.provenance import signature
from showthrough.run.records import Input, MetricRecord, Score
from showthrough.run.run import Run
from showthrough.run.settings import RecordedSettings
from showthrough.statistics import (
    ALIKE,
    Spread,
    forms,
    number_interval,
    resampled_totals,
    same,
    share_interval,
    sum_influences,
)
from showthrough.statistics.rows import BLOCK
from showthrough.storage.columns.strings import digest_of_bytes
from showthrough.version import __version__

_CHARACTERS = 300_000  # of documents that are read again to see what is found by chance
_STEPS, _BESIDE = 40, 8  # documents that are tried as others, and of these so many are looked into
_COLUMNS = 2048  # that are resampled together: 16 MB for a thousand resamples
_FEWER = 256  # where documents come in several blocks: 32 MB for one of them

Tables = Mapping[tuple[str, str], Rows]  # rows of all documents, by a metric's text and the name of an anonymization


def compute_scores(run: Run, metrics: Sequence[Metric], settings: RecordedSettings, tables: Tables) -> Iterator[Score]:
    """Combines rows into numbers; the same resamples serve all of them."""
    keys = [
        (metric, anonymization)
        for anonymization in run.anonymizations
        for metric in metrics
        if metric_text(metric) in run.rows
    ]
    records = {record.text: record for record in run.metrics}
    scores: list[tuple[Metric, Score]] = []
    varying: list[tuple[tuple[str, str], Sequence[str], Uncertain]] = []
    for metric, anonymization, table, again in _iter_resamples(run, keys, settings, tables):
        record = records[metric_text(metric)]
        line = _signature(run, metric, record, anonymization, settings)
        drawn = table if settings.resamples else None
        if drawn is not None:
            key = (anonymization.name, record.text)
            varying += ((key, parts, numbers) for parts, numbers in uncertain(metric, drawn, again))
        totals = metric.totals(tables[record.text, anonymization.name]) if table is None else table.totals()
        for part, value in metric.combine(totals).items():
            if np.isnan(value):
                why = metric.why_undefined(part, totals)
                scores.append((metric, Score(anonymization.name, record.text, part, None, None, None, why, line)))
                continue
            own = None if drawn is None else metric.own_interval(part, drawn, settings.confidence)
            low, high = own or (None, None)
            scores.append((metric, Score(anonymization.name, record.text, part, float(value), low, high, "", line)))
    intervals = _all_intervals(varying, settings.confidence)
    for metric, score in scores:
        if score.value is not None and score.low is None:
            low, high = intervals.get((score.anonymization, score.metric, score.part)) or (None, None)
            note = "" if low is not None or not settings.resamples else metric.interval_fault(score.part) or ALIKE
            score = msgspec.structs.replace(score, low=low, high=high, note=note)
        yield score


def _all_intervals(
    varying: Sequence[tuple[tuple[str, str], Sequence[str], Uncertain]], confidence: float
) -> dict[tuple[str, str, str], tuple[float, float] | None]:
    """The intervals of all scores at once, with the digits that each metric's would have alone."""
    if not varying:
        return {}
    calls = np.repeat(np.arange(len(varying)), [len(parts) for _, parts, _ in varying])
    ends = Uncertain.concatenate([numbers for *_, numbers in varying]).ends(confidence, calls)
    names = [(*key, part) for key, parts, _ in varying for part in parts]
    return dict(zip(names, ends, strict=True))


class Uncertain(msgspec.Struct, frozen=True):
    """Numbers, and what tells how uncertain each is."""

    values: Floats
    spread: Spread
    limits: Floats  # between which each lies: 2 × values; infinite above where nothing bounds it
    free: Bools  # whether it lies as a number does that has no upper bound
    unit: Floats  # how far it would be from the end that it is at with one in every document
    right: Bools  # whether its form gives the number itself

    @classmethod
    def concatenate(cls, parts: Sequence[Uncertain]) -> Uncertain:
        """All of them: quantiles cost next to nothing more for many than for one."""
        spreads = zip(
            *([getattr(part.spread, attribute.name) for attribute in fields(Spread)] for part in parts), strict=True
        )
        return cls(
            np.concatenate([part.values for part in parts]),
            Spread(*map(np.concatenate, spreads)),
            np.concatenate([part.limits for part in parts], axis=1),
            np.concatenate([part.free for part in parts]),
            np.concatenate([part.unit for part in parts]),
            np.concatenate([part.right for part in parts]),
        )

    def ends(self, confidence: float, calls: ArrayLike = 0) -> list[tuple[float, float] | None]:
        """The interval of each, where it has one; `calls` as of quantiles (`share_interval`)."""
        low, high = self._shares(confidence, calls)
        if self.free.any():  # few are: quantiles are asked for nobody else
            numbers = number_interval(self.values, self.spread, confidence, calls)
            low, high = (np.where(self.free, *pair) for pair in zip(numbers, (low, high), strict=True))
        has_interval = (self.right & ~np.isnan(low)).tolist()
        pairs = zip(low.tolist(), high.tolist(), has_interval, strict=True)
        return [(below, above) if has else None for below, above, has in pairs]

    def _shares(self, confidence: float, calls: ArrayLike) -> tuple[Floats, Floats]:
        """As intervals of shares: of the way from the lowest value that there is to the highest."""
        least, most = self.limits
        width = np.where(np.isfinite(most), most - least, 1.0)
        share = np.clip((self.values - least) / width, 0, 1)
        spread = replace(self.spread, variance=self.spread.variance / width**2, lean=self.spread.lean / width)
        usual = (least == 0) & (most == 1)
        from_above = (share == 1) & np.isfinite(most) & ~usual
        unit = np.where((share == 0) | from_above, self.unit, width)
        low, high = share_interval(share, spread, confidence, calls)
        if usual.all():
            return unit * low, unit * high
        calls = np.broadcast_to(calls, usual.shape)
        plain = ~np.isin(calls, calls[~usual])  # those of calls in which all are shares
        ends = (np.where(from_above, most - unit * (1 - end), least + unit * end) for end in (low, high))
        below, above = (np.clip(end, least, most) for end in ends)
        within = np.minimum(below, self.values), np.maximum(above, self.values)
        return np.where(plain, unit * low, within[0]), np.where(plain, unit * high, within[1])


def intervals_of(
    metric: Metric, rows: Rows, resampled: dict[str, Floats], confidence: float
) -> dict[str, tuple[float, float]]:
    """The interval of every part that can have one, as benchmarks measure it."""
    intervals: dict[str, tuple[float, float]] = {}
    for parts, numbers in uncertain(metric, rows, resampled):
        intervals |= {part: ends for part, ends in zip(parts, numbers.ends(confidence), strict=True) if ends}
    return intervals


def uncertain(
    metric: Metric, rows: Rows, resampled: dict[str, Floats], only: Collection[str] | None = None
) -> Iterator[tuple[Sequence[str], Uncertain]]:
    """The parts that can have an interval, or some of them, those of one form together."""
    totals = rows.totals()
    values = metric.combine(totals)
    chosen = [part for part in values if only is None or part in only]
    usable = [part for part in chosen if not np.isnan(values[part]) and not metric.interval_fault(part)]
    again = metric.combine(resampled) if usable else {}
    every = forms(metric.combine, rows.columns, usable)
    for form, influence_sums in zip(every, sum_influences(every, rows), strict=True):
        value = influence_sums.values
        spread = Spread.of(np.column_stack([again[part] for part in form.parts]), influence_sums)
        limits = np.array([metric.limits(part) or (0.0, np.inf) for part in form.parts]).T
        free = (np.isinf(limits[1]) & (value != 0)) | (value < limits[0]) | (value > limits[1])
        unit = np.array([metric.unit_change(part, totals) for part in form.parts])
        pairs = zip(form.parts, value.tolist(), strict=True)
        right = np.array([same(number, float(values[part])) for part, number in pairs])
        yield form.parts, Uncertain(value, spread, limits, free, unit, right)


def chance_scores(
    run: Run,
    metrics: Sequence[Metric],
    settings: RecordedSettings,
    corpus: Corpus,
    anonymizations: Sequence[Anonymization],
) -> Iterator[Score]:
    """What metrics would find by chance, on some documents each beside a few of other units.

    Which they are hangs on the ids alone: not on the order of documents, nor on how the work is cut.
    """
    asking = [metric for metric in metrics if metric_text(metric) in run.rows and _asks_chance(metric)]
    if not asking:
        return
    records = {record.text: record for record in run.metrics}
    numbers = _sample_documents(corpus)
    labels = corpus.units.labels
    sample = Chunk(Corpus([corpus.documents[number] for number in numbers]), types=corpus.survey.types)
    partners = _pick_partners([labels[number] if labels else "" for number in numbers])
    looked = f"it is of {len(numbers):,} documents, each beside up to {_BESIDE} others"
    inputs = {run_input.name: run_input for run_input in run.anonymizations}
    for anonymization in anonymizations:
        anonymized = Anonymized(sample, anonymization)
        for metric in asking:
            record = records[metric_text(metric)]
            line = _signature(run, metric, record, inputs[anonymization.name], settings)
            for part, value in metric.by_chance(anonymized, partners).items():
                why = "" if value is not None else "there is no other document to look into"
                yield Score(anonymization.name, record.text, part, value, None, None, why, line, "" if why else looked)


def _asks_chance(metric: Metric) -> bool:
    return type(metric).by_chance is not Metric.by_chance


def _sample_documents(corpus: Corpus) -> list[int]:
    """Documents in the order of a digest of their ids, as many as may be read again."""
    order = sorted(range(len(corpus)), key=lambda number: digest_of_bytes(corpus.ids[number].encode()))
    room = np.cumsum(corpus.survey.lengths[order]) <= _CHARACTERS
    return order[: max(2, int(room.sum()))]


def _pick_partners(labels: Sequence[str]) -> list[list[int]]:
    """Of each document the next ones of other units, in a circle: one alone would say little."""
    count = len(labels)
    partners = []
    for index, label in enumerate(labels):
        following = ((index + step) % count for step in range(1, min(count, _STEPS)))
        strangers = (other for other in following if not label or labels[other] != label)
        partners.append(list(islice(strangers, _BESIDE)))
    return partners


def reference_scores(
    run: Run, metrics: Sequence[Metric], settings: RecordedSettings, tables: Tables
) -> Iterator[Score]:
    """What the references reach, as plain numbers: they are no sample of anything, so they have no interval."""
    records = {record.text: record for record in run.metrics}
    for reference in run.references:
        for metric in metrics:
            text = metric_text(metric)
            if (text, reference.name) not in tables:
                continue  # the metric cannot score it
            line = _signature(run, metric, records[text], reference, settings)
            totals = metric.totals(run.by_id(tables[text, reference.name]))
            for part, value in metric.combine(totals).items():
                defined = not np.isnan(value)
                reason = "" if defined else metric.why_undefined(part, totals)
                yield Score(reference.name, text, part, float(value) if defined else None, None, None, reason, line)


def _signature(run: Run, metric: Metric, record: MetricRecord, anonymization: Input, settings: RecordedSettings) -> str:
    dtype, models, used = settings.dtype, run.provenance["models"], metric.models
    revisions = [(parameter, models[name]) for parameter, name in used.items() if name in models]
    extra = [(f"{parameter}_revision", revision[:8]) for parameter, revision in revisions]
    if used and dtype != "fp32":
        extra.append(("dtype", dtype))
    for kind in input_types():
        records = run.inputs.get(kind.name) if kind.name in metric.needs else None
        if records and (pinned := kind.pin(records, record)):
            extra.insert(0, (kind.name, pinned))
    extra += [(f"asked:{model.name}", model.pin) for model in run.asked if model.name in metric.asks]
    if "systems" in metric.needs:  # the number hangs on all of them
        extra.insert(0, ("systems", ",".join(f"{other.name}@{other.digest[:8]}" for other in run.anonymizations)))
    return signature(record, (*metric.pinned, *extra), run.corpus, anonymization, settings, __version__)


def _iter_resamples(
    run: Run, keys: Sequence[tuple[Metric, Input]], settings: RecordedSettings, tables: Tables
) -> Iterator[tuple[Metric, Input, Rows | None, dict[str, Floats]]]:
    """What each metric counts for each anonymization, and its totals over and over, a few columns at a time.

    Nothing of a metric whose documents cannot be drawn one by one.
    """
    pending: list[tuple[Metric, Input, Rows | None]] = []
    for number, (metric, anonymization) in enumerate(keys, 1):
        rows = tables[metric_text(metric), anonymization.name] if metric.apart else None
        pending.append((metric, anonymization, None if rows is None else run.units(rows)))
        drawn = [table for _, _, table in pending if table is not None]
        most = _FEWER if drawn and len(drawn[0]) > BLOCK else _COLUMNS
        if number < len(keys) and sum(len(table.columns) for table in drawn) < most:
            continue
        again = drawn_again(drawn, settings)
        for pending_metric, of, table in pending:
            yield pending_metric, of, table, {} if table is None else next(again)
        pending = []


def drawn_again(tables: Sequence[Rows], settings: RecordedSettings) -> Iterator[dict[str, Floats]]:
    """The totals of each table over and over; the same draws serve all of them."""
    if not tables:
        return
    sums = resampled_totals(join_columns(tables), settings.resamples, settings.seed)
    position = 0
    for table in tables:
        again = sums[:, position : position + len(table.columns)].T
        position += len(table.columns)
        yield dict(zip(table.columns, again, strict=True))
