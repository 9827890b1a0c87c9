"""The numbers of groups of documents: which is worst, which differs from the rest, and what nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console

from showthrough.core.errors import join_names, shorten
from showthrough.report.sheets import Grid, GridEntry, GridRow, ReportDocument, count, missing, number, words
from showthrough.report.sheets.terminal import show_sheet
from showthrough.report.significance import ALPHA
from showthrough.report.table import DASH
from showthrough.run.records import MetricRecord
from showthrough.run.roles import RECALL, choose_metric
from showthrough.run.run import Run
from showthrough.run.slices import GroupScore, Slice, largest_difference, worst_group
from showthrough.statistics import LEAST_UNITS

_ALL_EQUAL = "every group that was tested has the same number as the rest"
_NAMED = 60  # characters of names of groups in a sentence
_KINDS = {
    "values": "one for each value",
    "lists": "one for each entry of its lists; a document may be in several",
    "numbers": "of about as many documents each",
    "years": "one for each year",
    "types": "entities by their type",
    "identifiers": "entities by how they identify",
}


def slice_metrics(run: Run, cut: Slice) -> list[MetricRecord]:
    """The metrics that have numbers in the groups of a slice, the one to speak of first."""
    texts = {score.metric for score in cut.scores}
    records = [record for record in run.metrics if record.text in texts]
    first = choose_metric(run, "direct identifiers", "quasi-identifiers", RECALL)
    return sorted(records, key=lambda record: first is None or record.text != first.text)


def sorted_scores(run: Run, scores: Sequence[GroupScore]) -> list[GroupScore]:
    """The worst group first; groups without a number last."""
    better = run.record(scores[0].metric).better if scores else "higher"
    sign = 1 if better == "higher" else -1
    return sorted(scores, key=lambda score: (score.value is None, sign * (score.value or 0.0)))


def summary_grid(run: Run, cut: Slice, record: MetricRecord) -> Grid:
    """For each anonymization the worst group, and the group that differs most surely from the rest."""
    rows = []
    for name in run.names:
        scores = cut.of(name, record.text)
        worst, apart = worst_group(scores, record.better), largest_difference(scores)
        apart = None if apart is not None and not apart.difference else apart
        none = missing(f"no group has {LEAST_UNITS} {run.unit}s and a number")
        why = next((score.untested for score in scores if score.untested), "nothing was tested")
        untested = missing(_ALL_EQUAL if any(score.p_holm is not None for score in scores) else why)
        rows.append(
            GridRow(
                name,
                (
                    words(worst.group) if worst else none,
                    _value(worst) if worst else none,
                    words(apart.group) if apart else untested,
                    _difference(apart) if apart else untested,
                    _p(apart) if apart else untested,
                ),
            )
        )
    heads = "worst group", record.name, "differs most", "difference", "p"
    return Grid(_caption(cut), heads, tuple(rows), "anonymization", tuple(_notes(run, cut, record)))


def group_grid(run: Run, cut: Slice, record: MetricRecord) -> Grid:
    """The number of each group, its difference from the rest, and the test of that, for each anonymization."""
    scores = {(score.anonymization, score.group): score for score in cut.scores if score.metric == record.text}
    heads = [head for name in run.names for head in (name, f"{name}: difference", f"{name}: p")]
    rows = []
    for group in cut.groups:
        entries: list[GridEntry] = [count(group.units)]
        for name in run.names:
            score = scores[name, group.name]
            entries += [_value(score), _difference(score), _p(score)]
        rows.append(GridRow(group.name, tuple(entries)))
    return Grid(f"{record.text} in groups by {shorten(cut.field)}", (f"{run.unit}s", *heads), tuple(rows), cut.field)


def slice_grids(run: Run) -> list[Grid]:
    """Of each slice the summary, and the groups on the first metric."""
    grids = []
    for cut in run.slices.values():
        records = slice_metrics(run, cut)[:1]
        grids += [grid for record in records for grid in (summary_grid(run, cut, record), group_grid(run, cut, record))]
        grids += [] if records else [_without_numbers(cut)]
    return grids


def _without_numbers(cut: Slice) -> Grid:
    """What stands for a slice in which no metric has a number: why."""
    return Grid(f"{_caption(cut)}; no metric has numbers there", (), (), notes=tuple(_left_out(cut)))


def _left_out(cut: Slice) -> Iterator[str]:
    for metric, reason in cut.left_out.items():
        yield f"{shorten(metric)} has no groups: {reason}."


def show_slices(run: Run, console: Console, *, short: bool) -> None:
    """In short the summaries on the first metric; else all groups on all metrics too."""
    for cut in run.slices.values():
        records = slice_metrics(run, cut)
        blocks = [summary_grid(run, cut, record) for record in (records[:1] if short else records)]
        blocks += [] if records else [_without_numbers(cut)]
        if not short:
            blocks += [group_grid(run, cut, record) for record in records]
        show_sheet(ReportDocument("", (), tuple(blocks)), console)


def _caption(cut: Slice) -> str:
    return f"Groups by {shorten(cut.field)}: {len(cut.groups)}, {_KINDS[cut.kind]}"


def _notes(run: Run, cut: Slice, record: MetricRecord) -> Iterator[str]:
    """What is too small to tell, what has no number, and what the tests can show."""
    scores = [score for score in cut.scores if score.metric == record.text]
    small = dict.fromkeys(score.group for score in scores if score.is_small and score.value is not None)
    if small:
        verb = "has" if len(small) == 1 else "have"
        yield (
            f"Too few to say: {join_names(small, _NAMED)} {verb} fewer than {LEAST_UNITS} {run.unit}s. "
            "Nothing is tested there, and the worst group is chosen without them."
        )
    undefined = {score.group: score.reason for score in scores if score.value is None}
    for reason in dict.fromkeys(undefined.values()):
        groups = [group for group, why in undefined.items() if why == reason]
        yield f"{DASH} {join_names(groups, _NAMED)}: {reason}."
    p_values = [score.p_holm for score in scores if score.p_holm is not None]
    others = "entities" if cut.of_entities else "documents"
    yield f"A difference is that of a group from all other {others}; p has Holm's correction for all tested groups."
    if p_values and min(p_values) > ALPHA:
        yield "No group was shown to differ from the rest. That does not show that all groups are alike."
    yield from _left_out(cut)


def _value(score: GroupScore) -> GridEntry:
    return number(score.value, score.low, score.high, reason=score.reason)


def _difference(score: GroupScore) -> GridEntry:
    return number(score.difference, score.difference_low, score.difference_high, reason=score.untested)


def _p(score: GroupScore) -> GridEntry:
    if score.p_holm is None:
        return missing(score.untested)
    return words(f"{score.p_holm:.3f}" if score.p_holm >= 0.001 else "<0.001")


# The figure of the page: for each anonymization the groups as dots with intervals, the worst on top.

_WIDTH = 100.0  # of a line, in per cent


class Dot(NamedTuple):
    """One group on a line from the least to the largest number; places are per cents of it."""

    group: str
    units: int
    text: str
    interval: str
    position: float | None  # None: it has no number
    low: float | None
    high: float | None
    remark: str


class DotPlot(NamedTuple):
    """The groups of one slice under one anonymization, on one metric."""

    name: str
    dots: list[Dot]


class SliceFigure(NamedTuple):
    """What the page shows of one slice."""

    field: str
    metric: str
    title: str
    plots: list[DotPlot]
    summaries: list[Grid]


def slice_figures(run: Run) -> list[SliceFigure]:
    figures = []
    for cut in run.slices.values():
        records = slice_metrics(run, cut)
        plots = [_plot(run, cut, name, records[0]) for name in run.names] if records else []
        summaries = [summary_grid(run, cut, record) for record in records] or [_without_numbers(cut)]
        first = records[0].text if records else ""
        figures.append(SliceFigure(cut.field, first, _caption(cut), plots, summaries))
    return figures


def _plot(run: Run, cut: Slice, name: str, record: MetricRecord) -> DotPlot:
    scores = cut.of(name, record.text)
    ends = [end for score in scores for end in (score.value, score.low, score.high) if end is not None]
    least, most = min([0.0, *ends]), max([1.0, *ends])

    def position(value: float | None) -> float | None:
        return None if value is None else round(_WIDTH * (value - least) / (most - least), 2)

    dots = []
    for score in sorted_scores(run, scores):
        if cut.of_entities and not score.units:
            continue  # a type that the number does not count
        entry = _value(score)
        remark = f"too few {run.unit}s to tell" if score.is_small else _apart(score)
        remark = score.reason if score.value is None else remark
        places = position(score.value), position(score.low), position(score.high)
        dots.append(Dot(score.group, score.units, entry.text, entry.interval, *places, remark))
    return DotPlot(name, dots)


def _apart(score: GroupScore) -> str:
    """Whether a group was shown to differ from the rest."""
    if score.p_holm is None or score.difference is None:
        return f"not tested: {score.untested}"
    if score.p_holm > ALPHA:
        return ""
    return f"differs from the rest by {score.difference:+.3f} (p {_p(score).text})"
