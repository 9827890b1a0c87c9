"""Documents of a JSON Lines file, decoded when they are asked for: only where each line starts is kept."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from showthrough.data.documents import Document, LazyDocuments
from showthrough.errors import ChangedError, InputError, Problem
from showthrough.files.heads import Head
from showthrough.files.reading import ENOUGH, UNREADABLE, file_state, lines_of, open_file
from showthrough.formats.rows import RowHead

Decode = Callable[[bytes, int], Document]  # of a line, and the number of its document, from 1 on
LookAt = Callable[[str, int, bytes], Sequence[Problem]]  # its place, that number, the line


def documents_in(head: Head, decode: Decode, look_at: LookAt) -> Sequence[Document]:
    """One a line of JSON Lines, or one a row of a table; raises InputError with all that is wrong."""
    if isinstance(head, RowHead):
        return head.documents(decode, look_at)
    return Lines.of_file(head.path, decode, look_at)


@dataclass(eq=False)
class Lines(LazyDocuments):
    """One document a line. It travels to other processes, and `decode` with it."""

    path: Path
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    decode: Decode
    state: tuple[int, int]  # of the file, when the lines were found: another tells that they are elsewhere now
    before: int = 0  # documents of the file that are before these
    file: IO[bytes] | None = None

    @classmethod
    def of_file(cls, path: Path, decode: Decode, look_at: LookAt) -> Lines:
        """Finds the lines and has each looked at once, with its place; raises InputError with all that is wrong."""
        offsets: list[int] = []
        sizes: list[int] = []
        problems: list[Problem] = []
        state = file_state(path)
        for number, offset, line in lines_of(path):
            offsets.append(offset)
            sizes.append(len(line))
            problems += look_at(f"line {number}", len(offsets), line)
            if len(problems) > ENOUGH:
                break
        if problems:
            raise InputError(problems)
        return cls(path, np.array(offsets, dtype=np.int64), np.array(sizes, dtype=np.int64), decode, state)

    def __len__(self) -> int:
        return len(self.offsets)

    def made(self, start: int, stop: int) -> Iterator[Document]:
        file = self._opened()
        try:
            for number in range(start, stop):
                file.seek(int(self.offsets[number]))
                yield self.decode(file.read(int(self.sizes[number])), self.before + number + 1)
        except (OSError, EOFError, zlib.error, InputError, *UNREADABLE) as error:  # every line was sound when found
            raise self._changed() from error
        self._opened()

    def _opened(self) -> IO[bytes]:
        """The file; raises ChangedError when it is not what it was."""
        if self.file is None:
            try:
                self.file = open_file(self.path)
            except InputError as error:
                raise ChangedError(error.problems) from None
        if file_state(self.file) != self.state:
            raise self._changed()
        return self.file

    def _changed(self) -> ChangedError:
        return ChangedError(Problem(str(self.path), "", "changed while it was read; expected it to stay as it was"))

    def window(self, start: int, stop: int) -> Lines:
        part = slice(start, stop)
        return replace(self, offsets=self.offsets[part], sizes=self.sizes[part], before=self.before + start, file=None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "file": None}  # an open file does not travel to another process
