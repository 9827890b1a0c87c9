"""A run, its scores and its comparisons as Python shows them: as text, and as HTML in a notebook.

Notebooks are kept and passed on with what they show: no word of a document, no folder and no script, and little of it
however large a run is. All text goes through an element tree, which escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import islice
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from showthrough.core.errors import LINE, shorten
from showthrough.metrics import HEADLINE
from showthrough.report.cautions import cautions
from showthrough.report.significance import ALPHA, describes, p_text, result
from showthrough.report.table import DASH, Cell, ScoreColumn, documents_line, format_score, headlines
from showthrough.report.verdict import judge, state_words
from showthrough.run.comparison import Comparisons
from showthrough.run.folders import PathNames
from showthrough.run.records import Comparison, MetricRecord
from showthrough.run.run import Run
from showthrough.run.scores import Scores

_ROWS, _COLUMNS, _LINES = 20, 12, 5  # that are shown; the rest is counted
_NAME = 80  # characters of a metric's text form
_NAMED = re.compile(r" \((?:[^()]|\([^()]*\))*\)")  # documents, in the text of a note: run.notes has them
_DIM = "opacity:.75"
_RULE = "1px solid rgba(128,128,128,.4)"  # seen on white and on black
_HEAD = f"text-align:right;vertical-align:bottom;padding:.2em .6em;border-bottom:{_RULE};font-weight:normal"
_CODE = "color:inherit;background:none;padding:0"  # some notebooks paint it white
_CELL = "text-align:right;vertical-align:top;padding:.2em .6em"
_LEFT = ";text-align:left"
_NEXT = {
    "run.compare()": " shows which differences are more than chance, ",
    'run.to_html("report.html")': " writes the page to look at, ",
    "run.table()": " is a frame of the numbers.",
}


class ColumnHead(NamedTuple):
    """What people read over a column, what they type, and which values are the better ones."""

    title: str
    text: str = ""
    better: str = "neither"
    aligned: str = ""


@singledispatch
def html_of(value: object) -> str:
    """What a notebook shows of a run, of one anonymization's scores or of comparisons."""
    raise TypeError(f"found {type(value).__name__}; expected a run or what was asked of it")


@singledispatch
def text_of(value: object) -> str:
    """The same as lines of text, of an anonymization's scores and of comparisons."""
    raise TypeError(f"found {type(value).__name__}; expected scores or comparisons")


@html_of.register
def _(run: Run) -> str:
    folders, table = PathNames(run.metrics), headlines(run)
    box = _box(run)
    if len(run.names) <= _ROWS and not run.in_files:  # of more it takes seconds, and a cell is shown often
        SubElement(box, "div", style="font-weight:bold").text = state_words(judge(run, without_text=True)[0])
    _list(box, map(folders.shorten, cautions(run)))
    columns = table.columns[:_COLUMNS]
    body = _table(box, [ColumnHead(""), *(_head(run, folders, column) for column in columns)])
    tested = list(enumerate(run.names))
    beside = [(len(tested) + index, reference.name) for index, reference in enumerate(run.references)]
    for index, name in [*tested[:_ROWS], *beside]:
        row = SubElement(body, "tr", {"style": _DIM} if index >= len(tested) else {})
        head = SubElement(row, "th", {"style": _CELL + _LEFT, "scope": "row"})
        head.text = shorten(name)
        if index >= len(tested):
            SubElement(head, "br")
            _small(head, "reference")
        for column in columns:
            _number(row, column.cells[index])
    left = {"anonymizations": len(tested) - _ROWS, "metrics": len(table.columns) - _COLUMNS}
    lines = [f"more {noun} in run.table(): {count}" for noun, count in left.items() if count > 0]
    lines += _failure_lines(run, folders)
    lines += _first_lines("note", [_NAMED.sub("", note) for note in run.notes], " in run.notes")
    lines += _first_lines("", (*table.explain_dashes(), *table.remarks()), "")
    _list(box, map(folders.shorten, lines))
    line = SubElement(box, "div", style=f"margin-top:.3em;{_DIM}")
    for code, does in _NEXT.items():
        SubElement(line, "code", style=_CODE).text = code
        line[-1].tail = does
    return _markup(box)


@html_of.register
def _(scores: Scores) -> str:
    run, folders = scores.run, PathNames(scores.run.metrics)
    box = _box(run, scores.anonymization)
    body = _table(box, [ColumnHead("metric", aligned=_LEFT), ColumnHead("score"), ColumnHead("interval")])
    records = [record for record in run.metrics if scores.parts(record.text)]
    for record in records[: 2 * _ROWS]:
        row = SubElement(body, "tr")
        head = SubElement(row, "th", {"style": _CELL + _LEFT + ";font-weight:normal", "scope": "row"})
        head.text = f"{shorten(record.title)} "
        SubElement(head, "code", style=_CODE).text = shorten(folders.shorten(record.text), _NAME)
        for cell in _cells(scores, record):
            SubElement(row, "td", style=_CELL).text = cell
    lines = [f"more metrics in run.table(): {len(records) - 2 * _ROWS}"] if records[2 * _ROWS :] else []
    lines += _failure_lines(run, folders)
    headline_scores = [(record.text, scores.parts(record.text).get(HEADLINE)) for record in records]
    lines += _first_lines(
        "", (f"{text}: {why}" for text, score in headline_scores if score and (why := score.reason or score.note)), ""
    )
    _list(box, map(folders.shorten, [*lines, *_warning_lines(run)]))
    return _markup(box)


@text_of.register
def _(scores: Scores) -> str:
    run, folders = scores.run, PathNames(scores.run.metrics)
    records = [record for record in run.metrics if scores.parts(record.text)]
    rows = [(shorten(folders.shorten(record.text), _NAME), *_cells(scores, record)) for record in records]
    below = [shorten(folders.shorten(line), LINE) for line in (*_failure_lines(run, folders), *_warning_lines(run))]
    return "\n".join([f"{shorten(scores.anonymization)} on {_title(run)}", *_aligned(rows), *below])


def _cells(scores: Scores, record: MetricRecord) -> tuple[str, str]:
    """A metric's value and interval; how many parts there are, where there are only these."""
    parts = scores.parts(record.text)
    if HEADLINE not in parts:
        return f"{len(parts)} {'part' if len(parts) == 1 else 'parts'}", ""
    cell = Cell(parts[HEADLINE])
    return cell.value, cell.interval


@html_of.register
def _(compared: Comparisons) -> str:
    box = _box(compared.run)
    heads = [ColumnHead(name, aligned=_LEFT) for name in ("metric", "first", "second")]
    heads += [*map(ColumnHead, ("difference", "interval", "p (Holm)")), ColumnHead("", aligned=_LEFT)]
    body = _table(box, heads)
    for cells in _comparison_rows(compared):
        row = SubElement(body, "tr")
        for head, cell in zip(heads, cells, strict=True):
            SubElement(row, "td", style=_CELL + head.aligned).text = cell
    _list(box, _below(compared))
    return _markup(box)


@text_of.register
def _(compared: Comparisons) -> str:
    return "\n".join([_title(compared.run), *_aligned(_comparison_rows(compared)), *_below(compared)])


def _comparison_rows(compared: Comparisons) -> Iterator[tuple[str, ...]]:
    folders = PathNames(compared.run.metrics)
    for comparison in islice(compared, 2 * _ROWS):
        metric = ", ".join(filter(None, (shorten(folders.shorten(comparison.metric), _NAME), shorten(comparison.part))))
        difference = DASH if comparison.difference is None else _format_signed(comparison.difference)
        interval = (
            ""
            if comparison.low is None or comparison.high is None
            else f"{_format_signed(comparison.low)} to {_format_signed(comparison.high)}"
        )
        yield (
            metric,
            shorten(comparison.first),
            shorten(comparison.second),
            difference,
            interval,
            p_text(comparison.p_holm),
            _result_words(compared, comparison),
        )


def _format_signed(difference: float) -> str:
    return f"{'-' if difference < 0 else '+'}{format_score(abs(difference))}"


def _result_words(compared: Comparisons, comparison: Comparison) -> str:
    """Who is better, as far as that is known; the plain test, which finds too much, says nothing about it."""
    if comparison.p_holm is None:
        return f"not tested: {shorten(comparison.note, LINE) or 'it is undefined for one of the two'}"
    if compared.test == "plain" or not compared.run.complete:
        return ""
    if comparison.significant(ALPHA) and describes(compared.run, comparison):
        return "they differ"
    better = {"better": comparison.first, "worse": comparison.second}.get(result(compared.run, comparison))
    return f"{shorten(better)} is better" if better else "not shown to differ"


def _below(compared: Comparisons) -> Iterator[str]:
    if not compared:
        yield "no pairs: a comparison needs two anonymizations and a metric with numbers"
        return
    if len(compared) > 2 * _ROWS:
        yield f"more pairs (run.compare(metric) shows those of one metric): {len(compared) - 2 * _ROWS}"
    yield f"first minus second; p after Holm's correction within each metric and part; at most {ALPHA:g} is significant"
    if compared.test == "plain":
        yield "the plain test finds too many differences: it does not show which is better"
    yield from _warning_lines(compared.run)


def _failure_lines(run: Run, folders: PathNames) -> list[str]:
    lines = (f"{failure.metric}: {folders.shorten_reason(failure.reason)}" for failure in run.failures)
    return _first_lines("failed", lines, " in run.failures")


def _warning_lines(run: Run) -> list[str]:
    return [f"notes to read before you believe the numbers, in run.notes: {len(run.notes)}"] if run.notes else []


def _title(run: Run) -> str:
    sure = f"; intervals at {run.settings.confidence * 100:g} %" if run.settings.resamples else ""
    remark = "" if run.complete else f"; interrupted: only these of {run.corpus.documents:,} documents"
    return shorten(f"{documents_line(run)}{sure}{remark}", LINE)


def _box(run: Run, name: str = "") -> Element:
    """What all stands in: as wide as there is room, in whatever colours the notebook has."""
    box = Element("div", style="overflow-x:auto")
    title = SubElement(box, "div", style="margin:.3em 0")
    SubElement(title, "b").text = f"{shorten(name)} on {_title(run)}" if name else _title(run)
    return box


def _head(run: Run, folders: PathNames, column: ScoreColumn) -> ColumnHead:
    record = run.record(column.head)
    title = f"{shorten(record.title)} {column.arrow}".rstrip()
    return ColumnHead(title, shorten(folders.shorten(record.text), _NAME), column.better)


def _table(box: Element, heads: Iterable[ColumnHead]) -> Element:
    """A table's body, which is still empty."""
    table = SubElement(box, "table", style="border-collapse:collapse;color:inherit")
    row = SubElement(SubElement(table, "thead"), "tr")
    for title, text, better, aligned in heads:
        cell = SubElement(row, "th", {"style": _HEAD + aligned, "scope": "col"})
        cell.text = title
        if better != "neither":
            cell.set("title", f"{better} is better")
        if text:
            SubElement(cell, "br")
            SubElement(cell, "code", style=_CODE).text = text
    return SubElement(table, "tbody")


def _number(row: Element, cell: Cell) -> None:
    cell_element = SubElement(row, "td", style=_CELL)
    cell_element.text = cell.value
    if cell.interval:
        SubElement(cell_element, "br")
        _small(cell_element, cell.interval)


def _small(parent: Element, text: str) -> None:
    SubElement(parent, "small", style=_DIM).text = text


def _first_lines(kind: str, lines: Iterable[str], where: str) -> list[str]:
    """The first line of each of the first few, and how many there are beside."""
    listed = [line.strip().split("\n")[0] for line in lines]
    first_lines = [f"{kind}: {line}" if kind else line for line in listed[:_LINES]]
    return [*first_lines, f"more{where}: {len(listed) - _LINES}"] if listed[_LINES:] else first_lines


def _list(box: Element, lines: Iterable[str]) -> None:
    for line in lines:
        SubElement(box, "div", style=f"{_DIM}").text = shorten(line, LINE)


def _aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows as lines, whose cells begin below each other."""
    listed = list(rows)
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in listed]


def _markup(box: Element) -> str:
    return ElementTree.tostring(box, encoding="unicode", method="html")
