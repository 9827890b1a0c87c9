"""Where lines are in a file, in four bytes a line: how long each is, and of every 1,024th where it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from showthrough.core.arrays import AnyArray, Ints
from showthrough.storage.columns.growing_columns import GrowingNumbers

_EVERY = 1024


class LineOffsets(Protocol):
    """Offsets and sizes of lines, by their numbers."""

    def __len__(self) -> int: ...
    def at(self, start: int, stop: int) -> tuple[Ints, Ints]:
        """Offsets and sizes of those from one number up to another."""

    def part(self, start: int, stop: int) -> LineOffsets:
        """Those alone, as few bytes as they need."""

    def taken(self, numbers: Ints) -> ScatteredLines:
        """Those of some numbers, in their order."""


@dataclass(frozen=True, eq=False)
class ScatteredLines:
    """Lines in any order."""

    offsets: Ints
    sizes: Ints

    def __len__(self) -> int:
        return len(self.offsets)

    def at(self, start: int, stop: int) -> tuple[Ints, Ints]:
        return self.offsets[start:stop], self.sizes[start:stop]

    def part(self, start: int, stop: int) -> ScatteredLines:
        return ScatteredLines(*self.at(start, stop))

    def taken(self, numbers: Ints) -> ScatteredLines:
        return ScatteredLines(self.offsets[numbers], self.sizes[numbers])


@dataclass(frozen=True, eq=False)
class ConsecutiveLines:
    """Lines one after the other. Before some there is a gap, where lines are blank."""

    sizes: AnyArray
    marks: Ints  # where every 1,024th line begins
    gapped: Ints  # numbers of the lines before which there is a gap
    gaps: Ints  # how long it is

    def __len__(self) -> int:
        return len(self.sizes)

    def at(self, start: int, stop: int) -> tuple[Ints, Ints]:
        sizes = self.sizes[start:stop].astype(np.int64)
        if not len(sizes):
            return sizes, sizes
        first = start // _EVERY * _EVERY
        steps = np.concatenate(([self.marks[first // _EVERY]], self.sizes[first : start + len(sizes) - 1]))
        low, high = np.searchsorted(self.gapped, (first + 1, start + len(sizes)))  # one before a mark is in the mark
        np.add.at(steps, self.gapped[low:high] - first, self.gaps[low:high])
        return np.cumsum(steps)[start - first :], sizes

    def part(self, start: int, stop: int) -> ConsecutiveLines:
        growing = GrowingLines()
        growing.extend(self, start, min(stop, len(self)))
        return growing.finish()

    def taken(self, numbers: Ints) -> ScatteredLines:
        offsets, sizes = np.empty(len(numbers), dtype=np.int64), self.sizes[numbers].astype(np.int64)
        order = np.argsort(numbers, kind="stable")
        blocks, bounds = np.unique(numbers[order] // _EVERY, return_index=True)
        for block, positions in zip(blocks.tolist(), np.split(order, bounds[1:]), strict=False):
            first = block * _EVERY
            offsets[positions] = self.at(first, min(first + _EVERY, len(self)))[0][numbers[positions] - first]
        return ScatteredLines(offsets, sizes)


class GrowingLines:
    """Lines as they are found, each after the one before."""

    def __init__(self) -> None:
        self._sizes, self._marks = GrowingNumbers(), GrowingNumbers()
        self._gapped, self._gaps = GrowingNumbers(), GrowingNumbers()
        self._end = 0  # of the last line

    def __len__(self) -> int:
        return len(self._sizes)

    def append(self, offset: int, size: int) -> None:
        number = len(self._sizes)
        if offset > self._end and number:
            self._gapped.append(number)
            self._gaps.append(offset - self._end)
        if number % _EVERY == 0:
            self._marks.append(offset)
        self._sizes.append(size)
        self._end = offset + size

    def extend(self, lines: LineOffsets, start: int = 0, stop: int | None = None) -> None:
        """Adds lines that are after these, from one number up to another."""
        stop = len(lines) if stop is None else stop
        for low in range(start, stop, _EVERY):
            offsets, sizes = lines.at(low, min(low + _EVERY, stop))
            before = len(self._sizes)
            ends = np.concatenate(([self._end if before else offsets[0]], (offsets + sizes)[:-1]))
            gapped = np.flatnonzero(offsets > ends)
            self._gapped.extend(gapped + before)
            self._gaps.extend((offsets - ends)[gapped])
            self._marks.extend(offsets[-before % _EVERY :: _EVERY])
            self._sizes.extend(sizes)
            self._end = int(offsets[-1] + sizes[-1])

    def finish(self) -> ConsecutiveLines:
        """All of them; none can be added then."""
        wide = (numbers.finish().astype(np.int64) for numbers in (self._marks, self._gapped, self._gaps))
        return ConsecutiveLines(self._sizes.finish(), *wide)
