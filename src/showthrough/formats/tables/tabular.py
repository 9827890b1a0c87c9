"""What tables hold, whatever file they are in: texts, originals or released ones, or marks of a system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from showthrough.core.errors import shorten
from showthrough.data.documents import Document
from showthrough.formats.base import Input, Masks, Texts
from showthrough.formats.remarks import like_spans
from showthrough.formats.tables.mark_rows import read_marks, refuse_marks, span_columns
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


@dataclass(frozen=True)
class Layout:
    """Which columns of a table hold ids, texts and groups."""

    id: int | None
    text: int
    group: int | None

    @property
    def used(self) -> tuple[int, ...]:
        return tuple(index for index in (self.id, self.text, self.group) if index is not None)

    def row_id(self, cells: Cells, number: int) -> str:
        name = str(number) if self.id is None else cell_text(cells[self.id])
        if not name:
            raise fault("its id is empty; expected a name")
        return name

    def document(self, cells: Cells, number: int) -> Document:
        group = "" if self.group is None else cell_text(cells[self.group])
        return Document(self.row_id(cells, number), cell_text(cells[self.text]), (), group)


def layout_of(file: Input, header: Sequence[str]) -> Layout:
    """Raises InputError where a named column, or that of the texts, is not there, or is there twice."""
    columns = file.columns
    names = {"id": id_column(columns, header), "text": columns.text or TEXT, "group": columns.group}
    check_columns(
        file, header, [name for field, name in names.items() if name and (field != "group" or name in header)]
    )
    at = {field: header.index(name) if name in header else None for field, name in names.items()}
    return Layout(at["id"], at["text"] or 0, at["group"])


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
        why = "so nothing tells whose text a row is; rows of two files are not matched by their order"
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
