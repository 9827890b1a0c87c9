"""A table of texts, one row a document: originals without annotations, or anonymized texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from showthrough.data.documents import Document
from showthrough.errors import shown
from showthrough.files.limits import RECORD
from showthrough.files.reading import fail, text_of, unique
from showthrough.formats.base import Files, Fit, Format, Input, Texts

_MORE = "\0"  # where cells past the last column go; no column is named so
_ENDINGS = (".csv", ".tsv")


def read(file: Input) -> list[Document]:
    return [Document(key, text, group=group) for key, (text, group) in _rows(file).items()]


def read_texts(file: Input) -> Texts:
    return Texts({key: text for key, (text, _) in _rows(file).items()})


def _rows(file: Input) -> dict[str, tuple[str, str]]:
    """Text and group of every row of a table with a header, by id. Without a column of groups there are none."""
    path = file.path
    id_column, text_column, group = file.columns.id or "doc_id", file.columns.text or "text", file.columns.group
    csv.field_size_limit(RECORD.bytes)
    content = io.StringIO(text_of(path, file.head.content), newline="")
    reader = csv.DictReader(content, delimiter="\t" if file.head.suffix == ".tsv" else ",", strict=True, restkey=_MORE)
    try:
        header = list(reader.fieldnames or [])
        for column in (id_column, text_column, *({group} & set(header))):
            if header.count(column) != 1:
                columns = shown(", ".join(header)) or "no columns"  # without a header, it is a document
                fault = f"found {columns}; expected one of this name (choose with --id-column, --text-column)"
                raise fail(path, fault, f"column {column}")
        rows = []
        for row in reader:
            if _MORE in row or None in row.values():
                fault = f"has {len(header)} columns in its header but not in this row"
                raise fail(path, fault, f"line {reader.line_num}")
            rows.append((row[id_column], (row[text_column], row.get(group) or "")))
    except csv.Error as error:
        if "field limit" in str(error):
            raise RECORD.passed(path, "has a cell of", f"line {reader.reader.line_num}") from None
        raise fail(path, f"is not a well-formed table: {error}", f"line {reader.reader.line_num}") from error
    return unique(rows, path)


def write(documents: Iterable[Document]) -> Files:
    """A .csv; groups have their column where there are any."""
    rows = [(document.id, document.text, document.group) for document in documents]
    width = 3 if any(group for _, _, group in rows) else 2
    content = io.StringIO(newline="")
    csv.writer(content, lineterminator="\n").writerows(row[:width] for row in [("doc_id", "text", "group"), *rows])
    return {"": content.getvalue().encode()}


FORMAT = Format(
    "a table of texts with a header",
    *(_ENDINGS, lambda head: Fit.SURE if head.suffix in _ENDINGS else Fit.NO, read, read_texts, write),
)
