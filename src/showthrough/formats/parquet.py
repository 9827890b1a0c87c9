"""Parquet: a table in groups of rows, each read when it is asked for. Data sets of Hugging Face come as such files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from showthrough.data.documents import Document, LazyDocuments
from showthrough.errors import ChangedError, InputError, Problem, ResourceError, shown
from showthrough.files.heads import Head
from showthrough.files.limits import FILE, check_regular
from showthrough.files.packed import packing
from showthrough.files.places import Remote, StorageError
from showthrough.files.reading import decoded_or_none, fail, file_state, reading
from showthrough.formats.base import Files, Fit, Format, Input
from showthrough.formats.rows import Cells, Make, Rows
from showthrough.formats.tabular import reader, released_reader, to_write

_MAGIC = b"PAR1"
_GROUP = 10_000  # rows of a group that is written, which is what a reader holds at a time
_BATCH = 1000  # rows that are taken out of a group at a time
_HELD = 64_000_000  # bytes of a group that is held as a whole; a larger one is gone through
_BUFFER = 1 << 20
_FAULT = 100  # characters of what the library says
_DAMAGED = (OSError, ValueError, NotImplementedError, KeyError, TypeError, MemoryError)  # whatever pyarrow raises
_METADATA = msgspec.json.Decoder()


def _opened(path: Path) -> Any:
    """The file; raises InputError where it is no Parquet, ResourceError where nothing is installed that reads it."""
    try:
        import pyarrow.parquet as library
    except ImportError as error:
        raise _missing() from error
    if packing(path):
        raise fail(path, "is packed twice, since Parquet is packed itself; expected it unpacked")
    check_regular(path)
    with reading(path), _sound(path):
        file = path.open("rb") if isinstance(path, Remote) else path
        return library.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False)


def _missing() -> ResourceError:
    return ResourceError("Parquet files need pyarrow: pip install 'showthrough[parquet]'")


@contextmanager
def _sound(path: Path) -> Iterator[None]:
    """What the library says of a damaged file, in one line."""
    try:
        yield
    except (FileNotFoundError, StorageError):
        raise  # which says why itself
    except _DAMAGED as error:
        message = shown(str(error).split("\n")[0], _FAULT)
        raise fail(path, f"is not sound Parquet: {message}") from error


class ParquetRows(Rows):
    lazy = True
    nulls = True

    def __init__(self, path: Path) -> None:
        self.path = path
        self._state = file_state(path)
        file = _opened(path)
        with _sound(path):
            self.header = tuple(file.schema_arrow.names)
            if twice := [name for name in self.header if self.header.count(name) > 1]:
                raise fail(path, "is there twice; expected each name once", f"column {shown(twice[0])}")
            groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
            self._sizes = np.array([group.num_rows for group in groups], dtype=np.int64)
            self._bytes = np.array([group.total_byte_size for group in groups], dtype=np.int64)
            most = FILE.bytes
            for number, group in enumerate(groups, 1):  # of a large one, so many rows are in memory at a time
                if group.total_byte_size * min(1, _BATCH / max(group.num_rows, 1)) > most:
                    raise FILE.passed(path, "unpacks to", f"row group {number}")
            self._names = _label_names(file.schema_arrow.metadata or {})

    def __iter__(self) -> Iterator[tuple[str, Cells]]:
        documents = self._groups(range(len(self.header)))
        for number, cells in enumerate(documents.cells(range(len(documents))), 1):
            yield f"row {number}", cells

    def by_number(self, make: Make, columns: Sequence[int]) -> Groups:
        return self._groups(columns, make)

    def _groups(self, columns: Sequence[int], make: Make | None = None) -> Groups:
        starts = np.concatenate(([0], np.cumsum(self._sizes)))
        rows = range(int(starts[-1]))
        large = self._bytes > _HELD
        return Groups(self.path, self.header, tuple(columns), make, starts, large, rows, self._names, self._state)


def _label_names(metadata: Mapping[bytes, bytes]) -> dict[str, list[str]]:
    """What the numbers of a column stand for, where the data set says so: numbers of tags, and their names."""
    said = decoded_or_none(metadata.get(b"huggingface", b"null"), _METADATA)
    features = said.get("info", {}).get("features", {}) if isinstance(said, dict) else {}
    found = {}
    for column, feature in features.items() if isinstance(features, dict) else ():
        inner = feature[0] if isinstance(feature, list) and feature else feature
        inner = inner.get("feature", inner) if isinstance(inner, dict) else {}
        names = inner.get("names") if isinstance(inner, dict) else None
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            found[column] = names
    return found


@dataclass(eq=False)
class Groups(LazyDocuments):
    """Documents of rows, of which one group is in memory, or some rows where a group is large.

    It travels to other processes, and `make` with it.
    """

    path: Path
    header: tuple[str, ...]
    columns: tuple[int, ...]  # that are read; all others are left out
    make: Make | None
    starts: NDArray[np.int64]  # of the groups, and where the last one ends
    large: NDArray[np.bool_]  # groups that are not held as a whole
    rows: range  # of the file
    names: Mapping[str, list[str]]
    state: tuple[int, int]

    def __len__(self) -> int:
        return len(self.rows)

    def window(self, start: int, stop: int) -> Groups:
        return replace(self, rows=self.rows[start:stop])

    def made(self, start: int, stop: int) -> Iterator[Document]:
        if self.make is None:
            return
        rows = self.rows[start:stop]
        try:
            for row, cells in zip(rows, self.cells(rows), strict=True):
                yield self.make(cells, row + 1)
        except InputError as error:  # every row was sound when it was looked at
            raise self._changed() from error

    def cells(self, rows: range) -> Iterator[Cells]:
        """Cells in the columns of the whole table, nothing in those that are not read."""
        row = rows.start
        while row < rows.stop:
            if file_state(self.path) != self.state:
                raise self._changed()
            group = int(np.searchsorted(self.starts, row, "right")) - 1
            start = int(self.starts[group])
            stop = min(rows.stop, int(self.starts[group + 1]), row + _BATCH)
            with reading(self.path), _sound(self.path):
                part = self._opened(group).rows(row - start, stop - start)
                cells = list(self._transposed(part, part.num_rows))
            yield from cells
            row += len(cells)

    def _transposed(self, part: Any, count: int) -> Iterator[Cells]:
        """Columns as rows."""
        read = {self.header[number]: number for number in self.columns}
        cells: list[Sequence[Any]] = [[None] * count] * len(self.header)
        for name, column in zip(part.column_names, part.columns, strict=True):
            values = column.to_pylist()
            names = self.names.get(name)
            cells[read[name]] = values if names is None else [_named(value, names) for value in values]
        return zip(*cells, strict=True)

    def _opened(self, number: int) -> _Group:
        columns = tuple(self.header[one] for one in self.columns)
        return _group(self.path, self.state, columns, number, bool(self.large[number]))

    def _changed(self) -> ChangedError:
        return ChangedError(Problem(str(self.path), "", "changed while it was read; expected it to stay as it was"))


@lru_cache(maxsize=1)
def _group(path: Path, state: tuple[int, int], columns: tuple[str, ...], number: int, large: bool) -> _Group:
    """The group that this process looked into last: whoever asks next, for the rows behind, finds it open."""
    return _Group(path, columns, number, large)


class _Group:
    """A group of rows, all of them in memory; where they are too many, those behind the ones that were asked for."""

    def __init__(self, path: Path, columns: tuple[str, ...], number: int, large: bool) -> None:
        self._path = path
        self._columns = list(columns)
        self._number = number
        self._file = _opened(path)
        self._table = None if large else self._file.read_row_group(number, columns=self._columns)
        self._batches: Iterator[Any] = iter(())
        self._passed = -1  # rows of the group before the batch that is held; -1: none was asked for
        self._batch: Any = None

    def rows(self, start: int, stop: int) -> Any:
        """Those from one number on, up to another or fewer; at least one."""
        if self._table is not None:
            return self._table.slice(start, stop - start)
        if self._passed < 0 or start < self._passed:
            names = self._columns
            self._batches = self._file.iter_batches(_BATCH, row_groups=[self._number], columns=names, use_threads=False)
            self._passed, self._batch = 0, next(self._batches)
        while start >= self._passed + self._batch.num_rows:
            self._passed += self._batch.num_rows
            self._batch = next(self._batches)
        return self._batch.slice(start - self._passed, stop - start)


def _named(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [_named(one, names) for one in value]
    return names[value] if type(value) is int and 0 <= value < len(names) else value


def rows_of(file: Input) -> ParquetRows:
    return ParquetRows(file.path)


def write(documents: Iterable[Document]) -> Files:
    try:
        import pyarrow
        import pyarrow.parquet as library
    except ImportError as error:
        raise _missing() from error
    header, *rows = to_write(documents)
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    table = pyarrow.table(
        {name: pyarrow.array(cells, pyarrow.string()) for name, cells in zip(header, columns, strict=True)}
    )
    content = io.BytesIO()
    library.write_table(table, content, row_group_size=_GROUP)
    return {"": content.getvalue()}


def _recognise(head: Head) -> Fit:
    return Fit.SURE if head.suffix == ".parquet" or head.start.startswith(_MAGIC) else Fit.NO


FORMAT = Format(
    "Parquet: a table of texts, or rows that are objects of another format",
    (".parquet",),
    _recognise,
    reader(rows_of),
    released_reader(rows_of),
    write,
    binary=True,
    rows=rows_of,
)
