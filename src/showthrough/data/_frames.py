"""Makes corpora and anonymizations of tables in memory: pandas, polars, Arrow or plain Python.

None of these libraries is imported: whatever has columns by name is a frame. Rows are counted from 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from showthrough.core.errors import (
    QUOTED,
    InputError,
    PlanError,
    Problem,
    at_document,
    join_names,
    quote_value,
    shorten,
)
from showthrough.data.construction import (
    ENDS,
    SCORES,
    STARTS,
    TYPES,
    build_corpus,
    by_id,
    fault,
    id_of,
    is_missing,
    layer_of,
    masks_of,
    masks_of_texts,
    text_of,
    whole,
)
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization
from showthrough.data.offsets import parse_offsets, to_characters
from showthrough.data.originals import Originals
from showthrough.data.units import reads_as
from showthrough.storage.reading import collect_results

_SPAN_COLUMNS = (
    "entity_type",
    "replacement",
    "score",
    "identifier_type",
    "entity_id",
    "text",
)  # of a span, where they are there
# What these columns may be called as well, as the fields of a span.
_OTHER_NAMES = {"start": STARTS, "end": ENDS, "entity_type": TYPES, "score": SCORES}
_ID, _SHORT_ID = "doc_id", "id"  # the usual column of ids, and what it is called where that is not there, as in files
_LISTS = ("tolist", "to_list", "to_pylist")  # of pandas, polars and Arrow


class Frame:
    """A table: its columns by name, as lists."""

    def __init__(self, table: Any, label: str) -> None:
        if isinstance(table, list | tuple) and all(isinstance(row, Mapping) for row in table):
            table = {
                name: [row.get(name) for row in table] for name in dict.fromkeys(key for row in table for key in row)
            }
        self._given = table
        # What Arrow calls columns are the values.
        names = table if isinstance(table, Mapping) else getattr(table, "column_names", getattr(table, "columns", None))
        if names is None:
            problem = f"found a value of type {type(table).__name__}"
            raise PlanError(f"{problem}; expected a frame: columns by name, or a list of rows", label)
        self.names = [str(name) for name in names]
        self._what = label

    def column(self, name: str) -> list[Any]:
        if self.names.count(name) != 1:
            columns = join_names(self.names) if self.names else "no columns"
            other = "; from_frame takes other names: id=…, text=…" if name in (_ID, "text") else ""
            raise PlanError(
                f"found {columns}; expected one column of this name{other}", f"{self._what}: column {shorten(name)}"
            )
        values = self._given[name]
        make = next((getattr(values, method) for method in _LISTS if hasattr(values, method)), None)
        return list(values) if make is None else list(make())

    def optional(self, name: str | None, length: int) -> list[Any]:
        """A column that need not be there: all its cells are empty then."""
        return self.column(name) if name is not None and name in self.names else [None] * length


def corpus_of_frame(
    frame: Any,
    id: str,
    text: str,
    group: str | None,
    spans: Any,
    annotator: str,
    name: str,
    offsets: str | None,
    fields: Sequence[str] = (),
) -> Corpus:
    unit = parse_offsets(offsets)
    table = Frame(frame, "frame")
    keys, texts = _ids(table, id), table.column(text)
    groups = [None] * len(keys) if group is None else table.column(group)
    by_key = by_id(zip(keys, texts, strict=True), "texts")
    marked = table.column(spans) if isinstance(spans, str) else _rows_of_spans(spans, id, by_key, unit)

    field_columns = {field: table.column(field) for field in fields}

    def document(row: tuple[int, str, Any, Any, Any]) -> Document:
        number, key, words, shared, marks = row
        body = text_of(words, f"row {number}: {at_document(key)}: column {text}")
        belongs = "" if is_missing(shared) else id_of(shared, f"row {number}: column {group}")
        values = {field: _field(column[number - 1]) for field, column in field_columns.items()}
        return Document(key, body, layer_of(key, marks, annotator, body, unit), belongs, fields=values)

    numbers = range(1, len(keys) + 1)
    return build_corpus(collect_results(zip(numbers, keys, texts, groups, marked, strict=True), document), name, unit)


def _field(value: Any) -> Any:
    """A cell that a document keeps, as JSON has it: lists as lists, nothing where there is none."""
    if isinstance(value, list | tuple | set):
        return [_field(entry) for entry in value]
    if isinstance(value, str | bool | int):
        return value
    if is_missing(value):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else str(value)


def _rows_of_spans(frame: Any, id: str, texts: Mapping[str, Any], offsets: str) -> list[Any]:
    """The spans of each document from a frame with one row a span; nobody marked anything where there is no frame."""
    if frame is None:
        return [None] * len(texts)
    spans = _spans_by_id(Frame(frame, "spans"), {"id": id})
    if strangers := sorted(set(spans) - set(texts)):
        raise InputError(Problem("spans", at_document(key), "is not among the texts") for key in strangers)
    _check_covered(spans, texts, offsets)
    return [spans.get(key, []) for key in texts]


def anonymization_of_frame(
    frame: Any, corpus: Corpus, columns: Mapping[str, str], name: str, offsets: str | None
) -> Anonymization:
    """One row a span where there are offsets, else one row a released text."""
    table = Frame(frame, "frame")
    if {_column_name(table, key, columns) for key in ("start", "end")} & set(table.names):
        spans = _spans_by_id(table, columns)
        _check_covered(spans, Originals(corpus), parse_offsets(offsets))
        # A document without a row has no span, so nothing of it is masked.
        every = [*spans.items(), *((key, []) for key in corpus.ids if key not in spans)]
        return masks_of(every, name, corpus, offsets)
    return masks_of_texts(zip(_ids(table, columns["id"]), table.column(columns["text"]), strict=True), corpus, name)


def _ids(table: Frame, column: str) -> list[str]:
    if column == _ID and _ID not in table.names and _SHORT_ID in table.names:
        column = _SHORT_ID
    return collect_results(
        enumerate(table.column(column), 1), lambda row: id_of(row[1], f"row {row[0]}: column {column}")
    )


def _spans_by_id(table: Frame, columns: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    """The spans of each document, one row each: offsets, and what else there is."""
    ids = _ids(table, columns["id"])
    cells = {key: table.column(_column_name(table, key, columns)) for key in ("start", "end")}
    cells |= {key: table.optional(_column_name(table, key, columns), len(ids)) for key in _SPAN_COLUMNS}
    spans: dict[str, list[dict[str, Any]]] = {}
    for key, *row in zip(ids, *cells.values(), strict=True):
        spans.setdefault(key, []).append(dict(zip(cells, row, strict=True)))
    return spans


def _column_name(table: Frame, key: str, columns: Mapping[str, str]) -> str:
    """The column that was named; where it has its usual name and is not there, another usual one."""
    name = columns.get(key, key)
    if name != key or name in table.names:
        return name
    return next((other for other in _OTHER_NAMES.get(key, ()) if other in table.names), name)


def _check_covered(spans: Mapping[str, Sequence[Mapping[str, Any]]], texts: Mapping[str, Any], offsets: str) -> None:
    """Raises InputError where a row says what it covers and its offsets do not: the one sure sign of other units."""

    def check(placed: tuple[str, int, Mapping[str, Any]]) -> None:
        key, index, row = placed
        location, original, covered = f"{at_document(key)}: spans[{index}]", texts.get(key), row["text"]
        if is_missing(covered) or not isinstance(original, str) or covered == original:  # of the whole document
            return
        start, end = whole(row["start"], f"{location}: start"), whole(row["end"], f"{location}: end")
        try:
            start, end = to_characters(original, start, end, offsets)
        except InputError as error:
            raise fault(location, error.problems[0].message) from None
        if 0 <= start < end <= len(original) and not reads_as(original[start:end], covered):
            actual = f"the text at {start}–{end} is {quote_value(original[start:end], QUOTED // 2)}"
            expected = "expected offsets in Unicode code points, unless offsets says what they count"
            raise fault(location, f"{actual} but the row has {quote_value(covered, QUOTED // 2)}; {expected}")

    collect_results(((key, index, row) for key, rows in spans.items() for index, row in enumerate(rows)), check)
