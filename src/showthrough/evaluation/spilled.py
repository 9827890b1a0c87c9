"""Columns of numbers that may be more than memory should hold: beyond some megabytes they lie in a nameless file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile, gettempdir
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from showthrough.errors import OutputError
from showthrough.metrics.base import BLOCK, Array, Rows

_HELD = 32_000_000  # bytes that stay in memory
_WHOLE = (np.uint8, np.uint16, np.uint32)


class Column(NamedTuple):
    """Where the numbers of a column are, and how each is kept."""

    place: int
    kept: str  # the type, as NumPy writes it
    size: int


class Spilled:
    """Columns that are written once and read in stretches. Nobody else can open the file, and no end leaves it."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_HELD)  # noqa: SIM115 (it is closed with this)
        self._end = 0

    def put(self, values: Array) -> Column:
        narrow = narrowed(values)
        column = Column(self._end, narrow.dtype.str, len(narrow))
        try:
            self._file.seek(column.place)
            self._file.write(narrow.tobytes())
        except OSError as error:
            raise OutputError(f"{gettempdir()}: cannot be written: {error.strerror}; expected room for rows") from error
        self._end += narrow.nbytes
        return column

    def get(self, column: Column, start: int = 0, stop: int | None = None) -> Array:
        """The numbers of a column, or those from one place to before another."""
        kept = np.dtype(column.kept)
        stop = column.size if stop is None else min(stop, column.size)
        self._file.seek(column.place + start * kept.itemsize)
        content = self._file.read(max(stop - start, 0) * kept.itemsize)
        return np.frombuffer(content, dtype=kept).astype(np.float64)

    def close(self) -> None:
        self._file.close()


def narrowed(values: Array) -> NDArray[np.generic]:
    """The same numbers in as few bytes as keep every digit: counts, as nearly all are, in one to four.

    >>> narrowed(np.array([0.0, 300.0])).dtype.name, narrowed(np.array([0.5])).dtype.name
    ('uint16', 'float64')
    """
    if values.min(initial=0) < 0 or not (values == np.rint(values)).all():
        return values
    most = values.max(initial=0)
    kept = next((kind for kind in _WHOLE if most <= np.iinfo(kind).max), None)
    return values if kept is None else values.astype(kept)


class SpilledRows(Rows):
    """Rows of which every column is a stretch of a spilled one; a block of them is in memory at a time."""

    def __init__(self, columns: tuple[str, ...], spilled: Spilled, kept: Sequence[Column], span: range) -> None:
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "evidence", {})
        object.__setattr__(self, "_spilled", spilled)
        object.__setattr__(self, "_kept", kept)
        object.__setattr__(self, "_span", span)

    _spilled: Spilled
    _kept: Sequence[Column]
    _span: range

    def __len__(self) -> int:
        return len(self._span)

    def blocks(self) -> Iterator[Array]:
        for start in range(self._span.start, self._span.stop, BLOCK):
            yield self._stretch(start, min(start + BLOCK, self._span.stop))

    @property
    def values(self) -> Array:
        return self._stretch(self._span.start, self._span.stop)

    def _stretch(self, start: int, stop: int) -> Array:
        table = np.empty((stop - start, len(self._kept)))
        for place, column in enumerate(self._kept):
            table[:, place] = self._spilled.get(column, start, stop)
        return table
