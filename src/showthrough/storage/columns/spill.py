"""Bytes and numbers that move from memory to a nameless file when they are many megabytes."""

from __future__ import annotations

import weakref
from array import array
from collections.abc import Iterable, Iterator, Sequence
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any, NamedTuple

import numpy as np

from showthrough.core.arrays import AnyArray, Floats, Ints
from showthrough.core.errors import OutputError
from showthrough.storage.columns.tables import narrowest

_HELD = 32_000_000  # bytes of columns that stay in memory


class Spill:
    """What is added is read again by its place. Nobody else can open the file, and no end of the program leaves it."""

    def __init__(self, limit: int) -> None:
        self._most = limit
        self._held = bytearray()  # what is not in the file yet: always whole additions
        self._file: IO[bytes] | None = None
        self.size = 0

    def add(self, content: bytes) -> int:
        """Where it is from now on. Raises OutputError where it has to leave memory, and there is no room."""
        start = self.size
        self._held += content
        self.size += len(content)
        if len(self._held) >= self._most:
            self._write()
        return start

    def read(self, start: int, size: int) -> bytes:
        """So many bytes of one addition."""
        written = self.size - len(self._held)
        if self._file is None or start >= written:
            return bytes(self._held[start - written : start - written + size])
        self._file.seek(start)
        return self._file.read(size)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = TemporaryFile()  # noqa: SIM115 (it stays open as long as this)
                weakref.finalize(self, self._file.close)
            self._file.seek(0, 2)
            self._file.write(self._held)
            self._file.flush()  # a full disk is told here, and not by whoever reads
        except OSError as error:
            why = f"{gettempdir()}: a temporary file cannot be written: {error.strerror}"
            raise OutputError(f"{why}; TMPDIR names another folder") from error
        self._held.clear()


class SpilledColumn(NamedTuple):
    """Where the numbers of a column are, and how each is kept."""

    start: int
    kind: np.dtype
    size: int


class SpilledColumns:
    """Columns of numbers, each put in once and read in ranges, in as few bytes as keep every digit."""

    def __init__(self) -> None:
        self._spill = Spill(_HELD)

    def put(self, values: AnyArray) -> SpilledColumn:
        kind = narrowest(values)
        return SpilledColumn(self._spill.add(values.astype(kind).tobytes()), kind, len(values))

    def get(self, column: SpilledColumn, start: int = 0, stop: int | None = None) -> Floats:
        """The numbers of a column, or those from one place to before another."""
        stop = column.size if stop is None else min(stop, column.size)
        width = column.kind.itemsize
        content = self._spill.read(column.start + start * width, max(stop - start, 0) * width)
        return np.frombuffer(content, dtype=column.kind).astype(np.float64)

    def blocks(self, columns: Sequence[SpilledColumn], positions: range, size: int) -> Iterator[Floats]:
        """Some places of columns side by side, so many at a time, laid out as rows in memory are."""
        for start in range(positions.start, positions.stop, size):
            stop = min(start + size, positions.stop)
            block = np.empty((stop - start, len(columns)))
            for number, column in enumerate(columns):
                block[:, number] = self.get(column, start, stop)
            yield block

    def close(self) -> None:
        self._spill.close()


# Chunks of bytes of very many documents stay in memory while they are small, else in a nameless private file.

SMALL = 100_000_000  # bytes that stay in memory


class ByteStore:
    """What is added is found again by its number."""

    def __init__(self, small: int = SMALL) -> None:
        self._small = small
        self._content = Spill(small)
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def extend(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self._content.add(piece)
            self._ends.append(self._content.size)

    def taken(self, numbers: Sequence[int] | Ints) -> list[bytes]:
        """Those of some numbers; of a file they are read in the order in which they lie there."""
        indices = np.asarray(numbers, dtype=np.int64)
        contents: list[bytes] = [b""] * len(indices)
        for index in np.argsort(indices, kind="stable").tolist():
            start, stop = self._ends[int(indices[index])], self._ends[int(indices[index]) + 1]
            contents[index] = self._content.read(start, stop - start)
        return contents

    def __reduce__(self) -> tuple[Any, ...]:
        """All of them travel; who needs a few takes them and sends those."""
        return _restore, (self.taken(range(len(self))), self._small)


def _restore(pieces: Sequence[bytes], small: int) -> ByteStore:
    result = ByteStore(small)
    result.extend(pieces)
    return result
