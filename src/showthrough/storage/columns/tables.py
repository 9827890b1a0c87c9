"""Tables of numbers in files of NumPy's format: a row for each column, so that one column is read in one go.

Chunks of documents come in any order and are written where they belong. At the end every column is put into the order
that documents are to have, one after the other: no more than one of them is ever in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from showthrough.core.arrays import AnyArray, Floats, Uints32
from showthrough.core.errors import InputError, Problem
from showthrough.storage.columns.file_slice import FileSlice

_WHOLE = tuple(map(np.dtype, ("u1", "<u2", "<u4", "<i4")))
KINDS = {kind.str: kind for kind in (*_WHOLE, np.dtype("<i8"), np.dtype("<f8"))}  # by name, as files have them
_BUFFERED = 32_768  # documents whose rows are written together


def narrowest(values: AnyArray) -> np.dtype[Any]:
    """The narrowest kind that holds all of these numbers as they are.

    >>> [narrowest(np.array(each, dtype=float)).str for each in ([0, 255], [256], [-1, 7], [0.5], [])]
    ['|u1', '<u2', '<i4', '<f8', '|u1']
    """
    low, high = values.min(initial=0), values.max(initial=0)
    fitting = (kind for kind in _WHOLE if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    kind = next(fitting, np.dtype("<f8"))
    return kind if kind.kind == "f" or (values == values.astype(kind)).all() else np.dtype("<f8")


def wide_enough(first: np.dtype[Any], second: np.dtype[Any]) -> np.dtype[Any]:
    """A kind that holds what either of two holds."""
    return np.result_type(first, second).newbyteorder("<")


class TableWriter:
    """A table that is being written; a place that nobody writes to holds 0."""

    def __init__(self, path: Path, columns: Sequence[str], documents: int, kind: np.dtype[Any]) -> None:
        self.path, self.columns = path, tuple(columns)
        self._place = {column: number for number, column in enumerate(columns)}
        self._documents, self._kind = documents, kind
        self._held: list[tuple[Sequence[str], AnyArray]] = []
        self._from = self._to = 0  # documents whose rows are held
        head = _head((len(self.columns), documents), kind)
        self._start = len(head)
        with path.open("xb") as file:
            path.chmod(0o600)
            file.write(head)
            file.truncate(self._start + len(self.columns) * documents * kind.itemsize)

    def put(self, start: int, columns: Sequence[str], values: AnyArray) -> None:
        """Rows of consecutive documents, from number `start` on: documents × columns."""
        if start != self._to:
            self.flush()
            self._from = self._to = start
        self._held.append((columns, values.astype(self._kind)))
        self._to += len(values)
        if self._to - self._from >= _BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Writes what is held."""
        if not self._held:
            return
        values = np.zeros((len(self.columns), self._to - self._from), dtype=self._kind)
        at = 0
        for columns, rows in self._held:
            values[[self._place[column] for column in columns], at : at + len(rows)] = rows.T
            at += len(rows)
        with self.path.open("r+b") as file:
            for number, column in enumerate(values):
                file.seek(self._start + (number * self._documents + self._from) * self._kind.itemsize)
                file.write(column.tobytes())
        self._held, self._from = [], self._to

    def finish(self, order: Uints32 | None = None, keeper: object = None) -> ColumnTable:
        """The table, all of it on disk; with an order its documents are those of these numbers, one after the other."""
        self.flush()
        if order is not None:
            size = self._documents * self._kind.itemsize
            with self.path.open("r+b") as file:
                for number in range(len(self.columns)):
                    file.seek(self._start + number * size)
                    column = np.frombuffer(file.read(size), dtype=self._kind)
                    file.seek(self._start + number * size)
                    file.write(column[order].tobytes())
        return ColumnTable(self.columns, FileSlice.from_file(self.path, keeper))


class ColumnTable(Mapping[str, AnyArray]):
    """Columns by name, read from a file when they are asked for."""

    def __init__(self, columns: Sequence[str], file_slice: FileSlice) -> None:
        self.columns, self.file_slice = tuple(columns), file_slice
        self._place = {column: number for number, column in enumerate(columns)}
        shape, self.kind, self._start = _shape(file_slice)
        self.documents = shape[-1]
        expected_size = self._start + len(self.columns) * self.documents * self.kind.itemsize
        if len(shape) != 2 or shape[0] != len(self.columns) or expected_size != file_slice.size:
            raise _damaged_error(file_slice)

    def __getitem__(self, column: str) -> AnyArray:
        number = self._place[column]
        with self.file_slice.open() as file:
            return self._part(file, number, 0, self.documents)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, column: object) -> bool:
        return column in self._place

    def blocks(self, size: int) -> Iterator[Floats]:
        """Documents × columns, so many documents at a time, laid out as rows in memory are: sums hang on that."""
        with self.file_slice.open() as file:
            for start in range(0, self.documents, size):
                stop = min(start + size, self.documents)
                block = np.empty((stop - start, len(self.columns)))
                for number in range(len(self.columns)):
                    block[:, number] = self._part(file, number, start, stop)
                yield block

    def rename(self, columns: Sequence[str]) -> ColumnTable:
        """The same with other names of its columns."""
        return ColumnTable(columns, self.file_slice)

    def _part(self, file: BinaryIO, number: int, start: int, stop: int) -> AnyArray:
        offset = self._start + (number * self.documents + start) * self.kind.itemsize
        file.seek(self.file_slice.start + offset)
        values = np.frombuffer(file.read((stop - start) * self.kind.itemsize), dtype=self.kind)
        if self.kind.kind == "f" and not np.isfinite(values).all():
            raise _damaged_error(self.file_slice)
        return values


def _head(shape: tuple[int, ...], kind: np.dtype[Any]) -> bytes:
    head = BytesIO()
    npy.write_array_header_2_0(head, {"descr": npy.dtype_to_descr(kind), "fortran_order": False, "shape": shape})
    return head.getvalue()


def _shape(file_slice: FileSlice) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """What the head of a file says: shape, kind of the numbers, and where they begin."""
    with file_slice.open(check=False) as file:
        try:
            if npy.read_magic(file) != (2, 0):
                raise ValueError
            shape, by_column, kind = npy.read_array_header_2_0(file)
        except (ValueError, SyntaxError, TypeError):
            raise _damaged_error(file_slice) from None
        if by_column or kind.str not in KINDS or not shape:
            raise _damaged_error(file_slice)
        return shape, kind, file.tell() - file_slice.start


def _damaged_error(file_slice: FileSlice) -> InputError:
    return InputError(Problem(file_slice.name, "", "is no table of its run: another shape, or other numbers"))
