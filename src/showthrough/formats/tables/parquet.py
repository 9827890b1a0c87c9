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

from showthrough.core.arrays import Ints
from showthrough.core.errors import ChangedError, InputError, Problem, UnavailableError, shorten
from showthrough.data.documents import Document, LazyDocuments
from showthrough.formats.base import Files, Fit, Format, Input
from showthrough.formats.tables._parquet_pages import groups_of, leaves
from showthrough.formats.tables.rows import Cells, Make, TableRows
from showthrough.formats.tables.tabular import reader, released_reader, to_write
from showthrough.storage.compression import compression_of
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import FILE, RECORD, check_regular
from showthrough.storage.paths import Remote, StorageError
from showthrough.storage.reading import decoded_or_none, fail, file_state, reading

_MAGIC = b"PAR1"
_GROUP = 10_000  # rows of a group that is written, which is what a reader holds at a time
_BATCH = 1000  # rows that are taken out of a group at a time, at most
_HELD = 64_000_000  # bytes of a group that is held as a whole, and of rows that are given out at a time
_SURE = 256_000_000  # bytes that rows of a larger group are sure not to pass, as many as are read at a time
_DENSEST = 100  # bytes of a table in one of its file, where that unpacks to more than a file may
_CELL = 8  # bytes that a cell counts at least
_BUFFER = 1 << 20
_FAULT = 100  # characters of what the library says
_DAMAGED = (OSError, ValueError, NotImplementedError, KeyError, IndexError, TypeError, EOFError, RecursionError)
_METADATA = msgspec.json.Decoder()


def _open_file(path: Path, folded: Sequence[str] = ()) -> Any:
    """The file, in which equal texts of `folded` columns are read as one.

    Raises InputError where it is no Parquet, UnavailableError where nothing is installed that reads it.
    """
    try:
        import pyarrow.parquet as library
    except ImportError as error:
        raise _missing_library() from error
    if compression_of(path):
        raise fail(path, "is packed twice, since Parquet is packed itself; expected it unpacked")
    check_regular(path)
    with reading(path), _report_damage(path):
        file = path.open("rb") if isinstance(path, Remote) else path
        return library.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False, read_dictionary=list(folded))


def _missing_library() -> UnavailableError:
    return UnavailableError("Parquet files need pyarrow: pip install 'showthrough[parquet]'")


@contextmanager
def _report_damage(path: Path) -> Iterator[None]:
    """What the library says of a damaged file, in one line."""
    try:
        yield
    except (FileNotFoundError, StorageError):
        raise  # which says why itself
    except MemoryError as error:
        raise fail(path, "takes more memory than there is") from error
    except _DAMAGED as error:
        message = shorten(str(error).split("\n")[0], _FAULT)
        raise fail(path, f"is not sound Parquet: {message}") from error


class ParquetRows(TableRows):
    lazy = True
    nulls = True

    def __init__(self, path: Path) -> None:
        self.path = path
        self._state = file_state(path)
        file = _open_file(path)
        with _report_damage(path):
            self.header = tuple(file.schema_arrow.names)
            if twice := [name for name in self.header if self.header.count(name) > 1]:
                raise fail(path, "is there twice; expected each name once", f"column {shorten(twice[0])}")
            groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
            self._sizes = np.array([group.num_rows for group in groups], dtype=np.int64)
            if (self._sizes < 0).any():
                raise fail(path, "is not sound Parquet: a group has less than no rows")
            self._most = max(FILE.bytes, _DENSEST * self._state[0])
            if sum(map(int, self._sizes)) * len(self.header) * _CELL > self._most:
                raise FILE.exceeded_error(path, "unpacks to")
            self._names = _label_names(file.schema_arrow.metadata or {})

    def __iter__(self) -> Iterator[tuple[str, Cells]]:
        documents = self._groups(range(len(self.header)))
        for number, cells in enumerate(documents.cells(range(len(documents)), self._most), 1):
            yield f"row {number}", cells

    def by_number(self, make: Make, columns: Sequence[int]) -> Groups:
        return self._groups(columns, make)

    def _groups(self, columns: Sequence[int], make: Make | None = None) -> Groups:
        starts = np.concatenate(([0], np.cumsum(self._sizes)))
        rows = range(int(starts[-1]))
        return Groups(self.path, self.header, tuple(columns), make, starts, rows, self._names, self._state)


def _label_names(metadata: Mapping[bytes, bytes]) -> dict[str, list[str]]:
    """What the numbers of a column stand for, where the data set says so: numbers of tags, and their names."""
    info = decoded_or_none(metadata.get(b"huggingface", b"null"), _METADATA)
    features = info.get("info", {}).get("features", {}) if isinstance(info, dict) else {}
    names_by_column = {}
    for column, feature in features.items() if isinstance(features, dict) else ():
        inner = feature[0] if isinstance(feature, list) and feature else feature
        inner = inner.get("feature", inner) if isinstance(inner, dict) else {}
        names = inner.get("names") if isinstance(inner, dict) else None
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            names_by_column[column] = names
    return names_by_column


@dataclass(eq=False)
class Groups(LazyDocuments):
    """Documents of rows, of which one group is in memory, or some rows where a group is large.

    It travels to other processes, and `make` with it.
    """

    path: Path
    header: tuple[str, ...]
    columns: tuple[int, ...]  # that are read; all others are left out
    make: Make | None
    starts: Ints  # of the groups, and where the last one ends
    rows: range  # of the file
    names: Mapping[str, list[str]]
    state: tuple[int, int]

    def __len__(self) -> int:
        return len(self.rows)

    def window(self, start: int, stop: int) -> Groups:
        return replace(self, rows=self.rows[start:stop])

    def load_range(self, start: int, stop: int) -> Iterator[Document]:
        if self.make is None:
            return
        rows = self.rows[start:stop]
        try:
            for row, cells in zip(rows, self.cells(rows), strict=True):
                yield self.make(cells, row + 1)
        except InputError as error:  # every row was sound when it was looked at
            raise self._changed_error() from error

    def cells(self, rows: range, most: int | None = None) -> Iterator[Cells]:
        """Cells in the columns of the whole table, nothing in those that are not read.

        Raises InputError for a row that is larger than a record may be, and for `most` bytes of all.
        """
        row, passed = rows.start, 0
        while row < rows.stop:
            if file_state(self.path) != self.state:
                raise self._changed_error()
            group = int(np.searchsorted(self.starts, row, "right")) - 1
            start = int(self.starts[group])
            stop = min(rows.stop, int(self.starts[group + 1]), row + _BATCH)
            with reading(self.path), _report_damage(self.path):
                part, sizes = self._open_group(group).rows(row - start, stop - start)
                count = max(1, int(np.searchsorted(np.cumsum(sizes), _HELD, "right")))
                passed += int(sizes[:count].sum())
                if (large := np.flatnonzero(sizes[:count] > RECORD.bytes)).size:
                    raise RECORD.exceeded_error(self.path, "has", f"row {row + int(large[0]) + 1}")
                if most is not None and passed > most:
                    raise FILE.exceeded_error(self.path, "unpacks to")
                cells = list(self._transpose(part.slice(0, count), count))
            yield from cells
            row += len(cells)

    def _transpose(self, part: Any, count: int) -> Iterator[Cells]:
        """Columns as rows."""
        column_numbers = {self.header[number]: number for number in self.columns}
        cells: list[Sequence[Any]] = [[None] * count] * len(self.header)
        for name, column in zip(part.column_names, part.columns, strict=True):
            values = _unfold(column).to_pylist()
            names = self.names.get(name)
            cells[column_numbers[name]] = (
                values if names is None else [_replace_by_names(value, names) for value in values]
            )
        return zip(*cells, strict=True)

    def _open_group(self, number: int) -> _Group:
        columns = tuple(self.header[column] for column in self.columns)
        return _group(self.path, self.state, columns, number)

    def _changed_error(self) -> ChangedError:
        return ChangedError(Problem(str(self.path), "", "changed while it was read; expected it to stay as it was"))


@lru_cache(maxsize=1)
def _group(path: Path, state: tuple[int, int], columns: tuple[str, ...], number: int) -> _Group:
    """The group that this process looked into last: whoever asks next, for the rows behind, finds it open."""
    return _Group(path, state, columns, number)


@lru_cache(maxsize=1)
def _summary(path: Path, state: tuple[int, int]) -> list[Any]:
    with path.open("rb") as file:
        return groups_of(file)


class _Group:
    """A group of rows, all of them in memory; where they may be too many, those behind the ones that were asked for."""

    def __init__(self, path: Path, state: tuple[int, int], columns: tuple[str, ...], number: int) -> None:
        self._columns = list(columns)
        self._number = number
        with path.open("rb") as file:
            leaves_found = leaves(file, _summary(path, state)[number], _open_file(path).schema, columns)
        flat = [leaf for leaf in leaves_found if not leaf.listed]
        lists = sum(leaf.most(1, folded=True) for leaf in leaves_found if leaf.listed)
        if lists + sum(leaf.most(1, folded=False) for leaf in flat) > FILE.bytes:
            raise FILE.exceeded_error(path, "unpacks to", f"row group {number + 1}")
        count = _open_file(path).metadata.row_group(number).num_rows
        fits = sum(leaf.most(count, folded=True) for leaf in leaves_found) <= _HELD
        self._count = _BATCH
        while self._count > 1 and sum(leaf.most(self._count, folded=False) for leaf in flat) > _SURE:
            self._count //= 2
        # A dictionary grows with all that is read of a group, so one that is gone through has none but for lists.
        self._file = _open_file(path, [leaf.path for leaf in leaves_found if leaf.foldable and (fits or leaf.listed)])
        self._batches: Iterator[Any] = iter(())
        self._passed = -1  # rows of the group before the part that is held; -1: none was asked for
        self._part: Any = None
        if fits:
            self._passed = 0
            self._hold(self._file.read_row_group(number, columns=self._columns, use_threads=False), count)

    def rows(self, start: int, stop: int) -> tuple[Any, Ints]:
        """Those from one number on, up to another or fewer, at least one; and how many bytes each has."""
        if self._passed < 0 or start < self._passed:
            groups, names = [self._number], self._columns
            self._batches = self._file.iter_batches(self._count, row_groups=groups, columns=names, use_threads=False)
            self._passed = 0
            self._hold(next(self._batches, None))
        while start >= self._passed + self._part.num_rows:
            self._passed += self._part.num_rows
            self._hold(next(self._batches, None))
        first, last = start - self._passed, stop - self._passed
        return self._part.slice(first, last - first), self._bytes[first:last]

    def _hold(self, part: Any, least: int = 1) -> None:
        """Raises ValueError for fewer rows than the group says, and for values that lead past what it holds."""
        if part is None or part.num_rows < least:
            raise ValueError(f"row group {self._number + 1} has fewer rows than it says")
        part.validate(full=True)
        self._part = part
        self._bytes = sum((_sizes(column) for column in part.columns), np.zeros(part.num_rows, np.int64))


def _unfold(column: Any) -> Any:
    return column.cast(column.type.value_type) if hasattr(column.type, "index_type") else column


def _sizes(column: Any) -> Ints:
    """How many bytes each value of a column has, however they are folded."""
    import pyarrow
    import pyarrow.compute as compute

    if isinstance(column, pyarrow.ChunkedArray):
        return np.concatenate([np.zeros(0, np.int64), *map(_sizes, column.chunks)])
    of, arrow_type = pyarrow.types, column.type
    if isinstance(column, pyarrow.ExtensionArray):
        return _sizes(column.storage)
    sizes = np.full(len(column), _CELL, np.int64)
    if of.is_dictionary(arrow_type):
        inside = np.append(_sizes(column.dictionary), 0)  # the last one for no value
        sizes += inside[compute.fill_null(column.indices.cast("int64"), len(inside) - 1)]
    elif of.is_struct(arrow_type):
        for part in column.flatten():
            sizes += _sizes(part)
    elif of.is_nested(arrow_type):
        lists = pyarrow.ListArray.from_arrays(column.offsets, column.values) if of.is_map(arrow_type) else column
        lengths = compute.fill_null(compute.list_value_length(lists), 0).to_numpy()
        ends, total = np.cumsum(lengths), np.append(0, np.cumsum(_sizes(lists.flatten())))
        sizes += total[ends] - total[ends - lengths]
    elif not (of.is_primitive(arrow_type) or of.is_decimal(arrow_type) or of.is_null(arrow_type)):  # texts and bytes
        texts = (
            column.cast("large_binary") if of.is_string_view(arrow_type) or of.is_binary_view(arrow_type) else column
        )
        sizes += compute.fill_null(compute.binary_length(texts), 0).to_numpy()
    return sizes


def _replace_by_names(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [_replace_by_names(item, names) for item in value]
    return names[value] if type(value) is int and 0 <= value < len(names) else value


def rows_of(file: Input) -> ParquetRows:
    return ParquetRows(file.path)


def write(documents: Iterable[Document]) -> Files:
    try:
        import pyarrow
        import pyarrow.parquet as library
    except ImportError as error:
        raise _missing_library() from error
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
