"""Pieces of bytes of very many documents: in memory while they are few, else in a private file that nobody can open."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from showthrough.errors import OutputError

SMALL = 100_000_000  # bytes that stay in memory


class Pieces:
    """What is added is found again by its number. The file has no name, and is gone with the process."""

    def __init__(self, small: int = SMALL) -> None:
        self._small = small
        self._memory = bytearray()
        self._file: IO[bytes] | None = None
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def spilled(self) -> bool:
        return self._file is not None

    def extend(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self._ends.append(self._ends[-1] + len(piece))
            self._memory += piece
            if len(self._memory) >= self._small:
                self._spill()

    def taken(self, numbers: Sequence[int] | NDArray[np.int64]) -> list[bytes]:
        """Those of some numbers; of a file they are read in the order in which they lie there."""
        wanted = np.asarray(numbers, dtype=np.int64)
        found: list[bytes] = [b""] * len(wanted)
        for place in np.argsort(wanted, kind="stable").tolist():
            number = int(wanted[place])
            found[place] = self._at(self._ends[number], self._ends[number + 1])
        return found

    def _at(self, start: int, stop: int) -> bytes:
        if self._file is None:
            return bytes(self._memory[start:stop])
        written = self._ends[-1] - len(self._memory)
        if start >= written:  # not yet in the file
            return bytes(self._memory[start - written : stop - written])
        self._file.seek(start)
        return self._file.read(stop - start)

    def _spill(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 (it stays open as long as this)
            self._file.seek(0, 2)
            self._file.write(self._memory)
            self._file.flush()
        except OSError as error:
            why = f"{tempfile.gettempdir()}: a temporary file cannot be written: {error.strerror}"
            raise OutputError(f"{why}; TMPDIR names another folder") from error
        self._memory.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        """All of them travel; who needs a few takes them and sends those."""
        return _again, (self.taken(range(len(self))), self._small)


def _again(pieces: Sequence[bytes], small: int) -> Pieces:
    made = Pieces(small)
    made.extend(pieces)
    return made
