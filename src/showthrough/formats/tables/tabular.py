"""What tables hold, whatever file they are in: texts, originals or released ones, or marks of a system."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from showthrough.core.errors import InputError, at_document, join_names, quote_value, shorten
from showthrough.data.construction import SCORES
from showthrough.data.documents import Document, span_fault
from showthrough.data.masks import Mask, score_fault, typed_mask
from showthrough.data.offsets import to_characters, unit_of
from showthrough.data.units import EXPECTED, reads_as
from showthrough.formats.base import Input, Masks, Texts, needs_texts, unlike
from showthrough.formats.remarks import like_spans
from showthrough.formats.tables.rows import (
    IDS,
    NAMELESS,
    Cells,
    RowHead,
    TableRows,
    cell_text,
    check_columns,
    fault,
    id_column,
)
from showthrough.storage.reading import fail, unique

# Where each row of a table is a mark, it says whose it is, from where to where, and what it is: a system's masks.

# What columns are called, the first of these that is there.
_STARTS = (
    "start",
    "begin",
    "start_offset",
    "begin_offset",
    "start_char",
    "start_position",
    "startOffset",
    "BeginOffset",
)
_ENDS = ("end", "end_offset", "end_char", "end_position", "endOffset", "EndOffset")
_TYPES = ("entity_type", "type", "label")
_OTHERS = {
    "annotator": ("annotator",),
    "text": ("text",),
    "replacement": ("replacement",),
    "score": (*SCORES, "Score", "confidenceScore", "confidence_score"),
}
_WHOLE = re.compile(r"(-?\d{1,18})(?:\.0+)?")


class _Mark(NamedTuple):
    document_id: str
    mask: Mask | None  # none: a document in which nothing was found
    annotator: str


def span_columns(header: Sequence[str]) -> tuple[str, str] | None:
    """The columns of a table that hold the ends of spans, where there are such."""
    start, end = (next((name for name in names if name in header), None) for names in (_STARTS, _ENDS))
    return (start, end) if start and end else None


def refuse_marks(file: Input, rows: TableRows) -> None:
    """Raises InputError for a table of marks where a corpus is expected."""
    if (ends := span_columns(rows.header)) and file.columns.text not in rows.header:
        reason = f"has the columns {ends[0]} and {ends[1]}, so a row is a mark and no document"
        raise fail(file.path, f"{reason}; the corpus comes first, or choose its texts with --text-column")


def read_marks(file: Input, rows: TableRows, ends: tuple[str, str]) -> Masks:
    """Masks by document. A document of the corpus without a row is one in which nothing was found, which is told."""
    header = rows.header
    key = id_column(file.columns, header)
    if key is None:
        raise fail(file.path, f"has no column {' or '.join(IDS)}: choose the one that holds ids with --id-column")
    columns = {field: next((name for name in names if name in header), None) for field, names in _OTHERS.items()}
    kind = next((name for name in _TYPES if name in header), None)
    check_columns(file, header, [key, *ends, *filter(None, (*columns.values(), kind))])
    at = {name: header.index(name) for name in header}
    used = {key, *ends, kind, *columns.values(), ""}  # and what spreadsheets number their rows in
    file.remarks.kind = "column"
    file.remarks.unknown.update(name or NAMELESS for name in header if name not in used)

    def cell(cells: Cells, name: str | None) -> str:
        return "" if name is None else cell_text(cells[at[name]])

    def mark(cells: Cells, number: int) -> _Mark:
        document_id = cell(cells, key)
        if not document_id:
            raise fault("its id is empty; expected a name")
        start, end = (cell(cells, name) for name in ends)
        if not (start or end):
            return _Mark(document_id, None, "")
        span = _whole(start, ends[0]), _whole(end, ends[1])
        if unit_of(file.columns.offsets):
            span = _convert_span(span, file, document_id)
        _check(span, cell(cells, columns["text"]), file.originals, document_id, ends)
        written_there = cell(cells, columns["replacement"]) or None
        score = _score(cell(cells, columns["score"]), columns["score"] or "")
        mask = typed_mask(*span, written_there, cell(cells, kind), score)
        return _Mark(document_id, mask, cell(cells, columns["annotator"]))

    masks: dict[str, list[Mask]] = {}
    annotators: dict[str, None] = {}
    for row_mark in rows.convert(mark):
        masks.setdefault(row_mark.document_id, []).extend([row_mark.mask] if row_mark.mask else [])
        annotators |= {row_mark.annotator: None} if row_mark.mask else {}
    if len(annotators) > 1:
        names = join_names(name or "(none)" for name in annotators)
        problem = f"found {names}; expected one, since what a system hides is one set of masks"
        raise fail(file.path, problem, f"column {columns['annotator']}")
    if lacking := [key for key in file.originals if key not in masks]:
        masks |= {key: [] for key in lacking}
        which = f"1 document ({shorten(lacking[0])})" if len(lacking) == 1 else f"{len(lacking)} documents"
        file.remarks.others.append(f"has no row for {which} of the corpus: taken as nothing found there")
    return masks


def _whole(value: str, column: str) -> int:
    number = _WHOLE.fullmatch(value.strip())
    if number is None:
        raise fault(f"found {quote_value(value)}; expected a whole number", column)
    return int(number[1])


def _score(value: str, column: str) -> float | None:
    """How sure the system is; an empty cell does not say."""
    if not value:
        return None
    score: Any = value
    with suppress(ValueError):
        score = float(value)
    if wrong := score_fault(score):
        raise fault(f"{wrong}; give the column another name if it holds something else", column)
    return score  # type: ignore[no-any-return]


def _convert_span(span: tuple[int, int], file: Input, document_id: str) -> tuple[int, int]:
    """A span in characters, where a user said that offsets count something else."""
    if file.corpus is None:
        raise needs_texts(file)
    original = file.originals.get(document_id)
    try:
        return span if original is None else to_characters(original, *span, file.columns.offsets)  # pairing tells
    except InputError as error:
        raise fault(f"{at_document(document_id)}: {error.problems[0].message}") from None


def _check(
    span: tuple[int, int], covered: str, originals: Mapping[str, Any], document_id: str, names: tuple[str, str]
) -> None:
    """Raises InputError for a mark that is not in its text, or reads otherwise there."""
    original = originals.get(document_id)
    if original is None:  # pairing tells
        return
    start, end = span
    if not 0 <= start < end <= len(original):
        raise fault(f"{at_document(document_id)}: {span_fault(start, end, len(original), names)}")
    if covered and not reads_as(original[start:end], covered):
        mismatch = unlike(f"at {start}–{end}", original[start:end], "the row says", covered)
        raise fault(f"{at_document(document_id)}: {mismatch}; {EXPECTED}")


TEXT = "text"


def reader(rows_of: Callable[[Input], TableRows]) -> Callable[[Input], Sequence[Document]]:
    """Of a corpus of texts without annotations."""

    def read(file: Input) -> Sequence[Document]:
        rows = _open_rows(file, rows_of)
        refuse_marks(file, rows)
        return _documents(file, rows)

    return read


def released_reader(rows_of: Callable[[Input], TableRows]) -> Callable[[Input], Masks | Texts]:
    """Of released texts; where a table has columns of offsets, of marks, unless its texts were named."""

    def read_released(file: Input) -> Masks | Texts:
        rows = _open_rows(file, rows_of)
        ends = span_columns(rows.header)
        marks = ends is not None and file.columns.text not in rows.header
        return read_marks(file, rows, ends) if ends and marks else _released(file, rows)

    return read_released


def _open_rows(file: Input, rows_of: Callable[[Input], TableRows]) -> TableRows:
    """The rows of a table, which may have been looked at already."""
    return file.head.rows if isinstance(file.head, RowHead) else rows_of(file)


def to_write(documents: Iterable[Document]) -> list[tuple[str, ...]]:
    """A header and the rows of a corpus; groups have their column where there are any."""
    rows = [(document.id, document.text, document.group) for document in documents]
    width = 3 if any(group for _, _, group in rows) else 2
    return [row[:width] for row in [(IDS[0], TEXT, "group"), *rows]]


class Layout(msgspec.Struct, frozen=True):
    """Which columns of a table hold ids, texts and groups."""

    id: int | None
    text: int
    group: int | None
    fields: tuple[tuple[str, int], ...] = ()  # further columns that documents keep, by name

    @property
    def used(self) -> tuple[int, ...]:
        columns = (self.id, self.text, self.group, *(index for _, index in self.fields))
        return tuple(dict.fromkeys(index for index in columns if index is not None))

    def row_id(self, cells: Cells, number: int) -> str:
        name = str(number) if self.id is None else cell_text(cells[self.id])
        if not name:
            raise fault("its id is empty; expected a name")
        return name

    def document(self, cells: Cells, number: int) -> Document:
        group = "" if self.group is None else cell_text(cells[self.group])
        document = Document(self.row_id(cells, number), cell_text(cells[self.text]), (), group)
        if not self.fields:
            return document
        return msgspec.structs.replace(document, fields={name: _field(cells[index]) for name, index in self.fields})


def _field(cell: Any) -> str | list[str]:
    """A cell that a document keeps: a text, or several where the table has lists."""
    return [cell_text(entry) for entry in cell] if isinstance(cell, list | tuple) else cell_text(cell)


def layout_of(file: Input, header: Sequence[str]) -> Layout:
    """Raises InputError where a named column, or that of the texts, is not there, or is there twice."""
    columns = file.columns
    names = {"id": id_column(columns, header), "text": columns.text or TEXT, "group": columns.group}
    check_columns(
        file, header, [name for field, name in names.items() if name and (field != "group" or name in header)]
    )
    at = {field: header.index(name) if name in header else None for field, name in names.items()}
    fields = tuple((name, header.index(name)) for name in columns.fields if header.count(name) == 1)
    return Layout(at["id"], at["text"] or 0, at["group"], fields)


def _documents(file: Input, rows: TableRows) -> Sequence[Document]:
    """A corpus of texts without annotations. Columns that nobody asked for are told."""
    layout = layout_of(file, rows.header)
    unused = [(number, name or NAMELESS) for number, name in enumerate(rows.header) if number not in layout.used]
    file.remarks.kind = "column"
    file.remarks.unknown.update(name for _, name in unused)

    def look_at(cells: Cells, number: int) -> Document:
        for other, name in unused:
            if like_spans(cells[other]):
                file.remarks.spans.add(name)
        file.remarks.numbered += layout.id is None
        return layout.document(cells, number)

    return rows.documents(look_at, layout.document, layout.used)


def _released(file: Input, rows: TableRows) -> Texts:
    """Released texts. Without ids they are the corpus's only where both stand in the same rows.

    Where there is no corpus, rows without ids are numbered.
    """
    layout = layout_of(file, rows.header)
    if layout.id is None and file.corpus is not None and not file.is_corpus_file:
        why = "so nothing shows whose text a row is; rows of two files are not matched by their order"
        raise fail(file.path, f"has no column {' or '.join(IDS)}, {why}: choose one with --id-column")
    name = rows.header[layout.text]
    unused = [] if file.columns.text else [index for index in range(len(rows.header)) if index not in layout.used]
    spans: set[int] = set()
    if not file.is_corpus_file:  # else the corpus has told them
        file.remarks.kind = "column"
        file.remarks.unknown.update(
            name or NAMELESS for number, name in enumerate(rows.header) if number not in layout.used
        )

    def text(cells: Cells, number: int) -> tuple[str, str]:
        if rows.nulls and cells[layout.text] is None:
            raise fault("found no value; expected text, an empty one where all was suppressed", name)
        spans.update(index for index in unused if like_spans(cells[index]))
        file.remarks.numbered += layout.id is None and file.corpus is None
        return layout.row_id(cells, number), cell_text(cells[layout.text])

    texts = Texts(unique(rows.convert(text), file.path))
    if spans:
        fault_ = "looks like marks, which no format has so; if the texts are what was released, say --text-column"
        raise fail(file.path, f"{fault_} {shorten(name)}", f"column {shorten(rows.header[min(spans)])}")
    return texts
