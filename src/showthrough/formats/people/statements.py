"""Statements about documents, from a table or from JSON: one a row, one a line, or one an entry of a list."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from showthrough.core.errors import InputError, quote_value
from showthrough.data.statements import MUST, Statement, Statements
from showthrough.formats.base import ColumnNames, Input
from showthrough.formats.objects import objects_of
from showthrough.formats.tables.rows import Cells, cell_text, fault
from showthrough.formats.tables.table import rows_of
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, decode_json, fail, stem

_DOCUMENT = ("document", "document_id", "doc_id", "id")  # the first that there is
_TABLES = (".csv", ".tsv")
_KINDS = "JSON Lines, a JSON list, a .csv or a .tsv with document, statement and must (gone or kept)"
_OBJECT = msgspec.json.Decoder(dict[str, Any])
Failing = Callable[[str, str], InputError]  # of what is wrong, and under which key


def read_statements(path: str | os.PathLike[str], *, name: str | None = None) -> Statements:
    """What must be gone from documents, and what must stay true; raises InputError with all that is wrong.

    Each entry has `document`, `statement`, `must` (`gone` or `kept`), and perhaps a `quote`: the original's own words.
    """
    head = Head.of(path)
    if head.folder:
        raise fail(head.path, f"is a folder; expected a file: {_KINDS}")
    if head.suffix in _TABLES:
        statements = _of_table(head)
    elif head.first_byte in (b"{", b"["):
        statements = _of_objects(head)
    else:
        raise fail(head.path, f"{'is no table and no JSON' if head.first_byte else 'is empty'}; expected {_KINDS}")
    if not statements:
        raise fail(head.path, f"has no statements; expected {_KINDS}")
    return Statements(statements, name or stem(head.path), str(head.path))


def _of_objects(head: Head) -> list[Statement]:
    def statement(placed: tuple[str, bytes | msgspec.Raw]) -> Statement:
        location, content = placed
        values = decode_json(content, _OBJECT, head.path, location)
        return _parse(values, lambda why, key: fail(head.path, why, f"{location}: {key}"))

    return collect_results(objects_of(head, "statement"), statement)


def _of_table(head: Head) -> list[Statement]:
    rows = rows_of(Input(head, ColumnNames()))
    header = [column.strip() for column in rows.header]

    def statement(cells: Cells, _: int) -> Statement:
        values = {column: cell_text(cell) for column, cell in zip(header, cells, strict=True)}
        return _parse(values, fault)

    return list(rows.convert(statement))


def _parse(values: Mapping[str, Any], failing: Failing) -> Statement:
    def text(key: str, needed: bool = True) -> str:
        value = values.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
            raise failing(f"found {quote_value(value)}; expected text", key)
        if needed and not str("" if value is None else value).strip():
            raise failing(f"{'is missing' if value is None else 'is empty'}; expected text", key)
        return str("" if value is None else value).strip()

    document = next((key for key in _DOCUMENT if values.get(key) is not None), _DOCUMENT[0])
    word = text("must")
    must = next((name for name in MUST if name == word), None)
    if must is None:
        raise failing(f"found {quote_value(word)}; expected {' or '.join(MUST)}", "must")
    return Statement(document=text(document), text=text("statement"), must=must, quote=text("quote", needed=False))
