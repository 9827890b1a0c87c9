"""A set of whole numbers, stored as ranges."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise


class RangeSet:
    """Numbers that were added range by range, in any order.

    >>> covered = RangeSet()
    >>> covered.add(range(5, 8)); covered.add(range(0, 2)); covered.add(range(2, 3))
    >>> covered.count, list(covered.gaps(10)), covered.holds(range(1, 3)), covered.meets(range(3, 6))
    (6, [range(3, 5), range(8, 10)], True, True)
    """

    def __init__(self, *ranges: range) -> None:
        self._starts: list[int] = []
        self._stops: list[int] = []
        self.count = 0
        for numbers in ranges:
            self.add(numbers)

    @property
    def ranges(self) -> list[range]:
        """The numbers that are there."""
        return list(map(range, self._starts, self._stops))

    def with_more(self, numbers: range) -> RangeSet:
        """These and more; whoever holds this one sees no change."""
        return RangeSet(*self.ranges, numbers)

    def add(self, numbers: range) -> None:
        """More numbers, none of which is there already."""
        if not numbers:
            return
        index = bisect_left(self._starts, numbers.start)
        joins_before = index > 0 and self._stops[index - 1] == numbers.start
        joins_after = index < len(self._starts) and self._starts[index] == numbers.stop
        start = self._starts[index - 1] if joins_before else numbers.start
        stop = self._stops[index] if joins_after else numbers.stop
        joined = slice(index - joins_before, index + joins_after)
        self._starts[joined], self._stops[joined] = [start], [stop]
        self.count += len(numbers)

    def meets(self, numbers: range) -> bool:
        """Whether one of these is there."""
        index = bisect_right(self._stops, numbers.start)
        return bool(numbers) and index < len(self._starts) and self._starts[index] < numbers.stop

    def holds(self, numbers: range) -> bool:
        """Whether all of these are there."""
        index = bisect_right(self._starts, numbers.start) - 1
        return not numbers or (index >= 0 and numbers.stop <= self._stops[index])

    def gaps(self, total: int) -> Iterator[range]:
        """Of so many numbers those that are not there, in stretches."""
        position = 0
        for start, stop in zip([*self._starts, total], [*self._stops, total], strict=True):
            if position < start:
                yield range(position, start)
            position = stop

    def parts(self, numbers: range) -> Iterator[range]:
        """A range, cut where numbers that are there meet those that are not."""
        low, high = bisect_right(self._stops, numbers.start), bisect_left(self._starts, numbers.stop)
        cuts = {numbers.start, numbers.stop, *self._starts[low:high], *self._stops[low:high]}
        edges = sorted(edge for edge in cuts if numbers.start <= edge <= numbers.stop)
        yield from (range(start, stop) for start, stop in pairwise(edges))
