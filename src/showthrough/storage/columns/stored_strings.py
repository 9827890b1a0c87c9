"""Very many strings in files, and values that belong to some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from showthrough.core.arrays import Uints32
from showthrough.storage.columns.file_slice import FileSlice
from showthrough.storage.columns.strings import BLOCK, Strings, StringSequence

_PLACE = np.dtype("<i8")


class StoredStrings(StringSequence):
    """A sequence of strings, read from two files when they are asked for: what they are, and where each ends."""

    def __init__(self, content: FileSlice, ends: FileSlice) -> None:
        self.content, self.ends = content, ends
        self._count = ends.size // _PLACE.itemsize - 1

    def __len__(self) -> int:
        return self._count

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        if isinstance(other, StoredStrings) and self.content.digest == other.content.digest:
            return self.ends.digest == other.ends.digest
        return len(self) == len(other) and all(own == theirs for own, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment] # as of a list

    def _decode_range(self, start: int, stop: int) -> list[str]:
        return list(self.part(start, stop))

    def parts(self) -> Iterator[Strings]:
        """All of them, some thousands at a time."""
        for start in range(0, len(self), BLOCK):
            yield self.part(start, start + BLOCK)

    def part(self, start: int, stop: int) -> Strings:
        """Those from one number up to another, in memory."""
        stop = max(start, min(stop, len(self)))
        encoded = self.ends.read(start * _PLACE.itemsize, (stop - start + 1) * _PLACE.itemsize)
        ends = np.frombuffer(encoded, dtype=_PLACE).astype(np.int64)
        content = self.content.read(int(ends[0]), int(ends[-1] - ends[0]))
        return Strings(np.frombuffer(content, dtype=np.uint8), ends - ends[0])

    def number_of(self, string: str) -> int | None:
        """The number of a string, where they stand in the order of their code points."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self[middle] < string:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self[low] == string else None


def write_strings(strings: Iterable[Strings], content: Path, ends: Path, keeper: object = None) -> StoredStrings:
    """Writes strings, some at a time."""
    with content.open("xb") as text, ends.open("xb") as ends_file:
        for path in (content, ends):
            path.chmod(0o600)
        ends_file.write(np.zeros(1, dtype=_PLACE).tobytes())
        at = 0
        for part in strings:
            text.write(part.content[part.ends[0] : part.ends[-1]].tobytes())
            ends_file.write((part.ends[1:] - part.ends[0] + at).astype(_PLACE).tobytes())
            at += int(part.ends[-1] - part.ends[0])
    return StoredStrings(FileSlice.from_file(content, keeper), FileSlice.from_file(ends, keeper))


def parts_of(strings: Sequence[str], order: Uints32 | None = None) -> Iterator[Strings]:
    """Strings of any sequence, some thousands at a time, in their order or in that of these numbers."""
    for start in range(0, len(strings), BLOCK):
        stop = min(start + BLOCK, len(strings))
        if isinstance(strings, Strings):
            part = strings.part(start, stop) if order is None else strings.taken(order[start:stop].astype(np.int64))
        elif order is None:
            part = Strings.of(strings[start:stop])
        else:
            part = Strings.of(strings[number] for number in order[start:stop].tolist())
        yield part
