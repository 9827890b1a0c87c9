"""A user's table of what documents or people have in common, such as the origin of a name: nothing of it is guessed."""

from __future__ import annotations

import os

from showthrough.core.errors import InputError, Problem, join_names, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.data.reading_form import reading_form
from showthrough.data.slicing import NamesTable
from showthrough.formats.base import ColumnNames, Input
from showthrough.formats.tables import parquet, table
from showthrough.formats.tables.rows import IDS, Cells, cell_text, fault
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import fail

_NAME = "name"
_ENDINGS = {".csv": table.rows_of, ".tsv": table.rows_of, ".parquet": parquet.rows_of}
_EXPECTED = "a .csv, .tsv or .parquet file with a column doc_id or name, and further columns"


def read_names(path: str | os.PathLike[str], corpus: Corpus) -> NamesTable:
    """Reads a table keyed by document (`doc_id` or `id`) or by person (`name`); raises InputError with what is wrong.

    The rows of a name are of every document in which that name is marked as a person's, in whatever case or accents.
    """
    head = Head.of(path)
    if head.folder or head.suffix not in _ENDINGS:
        raise fail(head.path, f"found {quote_value(head.suffix or 'a folder')}; expected {_EXPECTED}")
    rows = _ENDINGS[head.suffix](Input(head, ColumnNames()))
    key = next((name for name in (*IDS, _NAME) if name in rows.header), None)
    if key is None or len(rows.header) < 2:
        raise fail(head.path, f"found the columns {join_names(rows.header)}; expected {_EXPECTED}")
    key_column = rows.header.index(key)
    others = [(column, index) for index, column in enumerate(rows.header) if index != key_column and column]
    by_key: dict[str, dict[str, str]] = {}

    def take(cells: Cells, number: int) -> None:
        value = cell_text(cells[key_column]).strip()
        form = reading_form(value) if key == _NAME else value
        if not form:
            raise fault("is empty; expected a name", key)
        if form in by_key:
            raise fault(f"found {quote_value(value)} twice; expected each once", key)
        by_key[form] = {column: cell_text(cells[index]) for column, index in others}

    for _ in rows.convert(take):
        pass
    if key == _NAME:
        return NamesTable(by_name=by_key, source=str(head.path))
    if by_key.keys().isdisjoint(corpus.ids):
        problem = f"found {join_names(by_key)}; expected ids of the corpus, such as {shorten(corpus.ids[0])}"
        raise InputError(Problem(str(head.path), f"column {key}", problem))
    return NamesTable(by_key, source=str(head.path))
