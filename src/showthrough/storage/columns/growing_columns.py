"""Columns that grow while documents are read: a few bytes a value, and no Python object for each."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from showthrough.core.arrays import AnyArray
from showthrough.storage.columns.strings import CODEC, Strings


class GrowingNumbers:
    """Whole numbers, four bytes each; eight from the first that needs them."""

    def __init__(self) -> None:
        self._values = array("i")

    def __len__(self) -> int:
        return len(self._values)

    def append(self, value: int) -> None:
        try:
            self._values.append(value)
        except OverflowError:
            self._values = array("q", self._values)
            self._values.append(value)

    def extend(self, values: NDArray[np.integer]) -> None:
        wide = self._values.typecode == "q"
        if not wide and values.dtype != np.int32:
            ends = np.iinfo(np.int32)
            wide = bool(values.min(initial=0) < ends.min or values.max(initial=0) > ends.max)
            if wide:
                self._values = array("q", self._values)
        self._values.frombytes(np.ascontiguousarray(values, dtype=np.int64 if wide else np.int32).tobytes())

    def finish(self) -> AnyArray:
        """All of them; none can be added then."""
        return np.frombuffer(self._values, dtype=np.int64 if self._values.typecode == "q" else np.int32)


class GrowingStrings:
    """Strings that become `Strings`."""

    def __init__(self) -> None:
        self._content = bytearray()
        self._sizes = GrowingNumbers()

    def __len__(self) -> int:
        return len(self._sizes)

    def append(self, string: str) -> None:
        encoded = string.encode(*CODEC)
        self._content += encoded
        self._sizes.append(len(encoded))

    def extend(self, strings: Strings) -> None:
        self._content += strings.content[strings.ends[0] : strings.ends[-1]].data
        self._sizes.extend(np.diff(strings.ends))

    def finish(self) -> Strings:
        """All of them; none can be added then."""
        narrow = len(self._content) < 2**31
        ends = np.zeros(len(self) + 1, dtype=np.int32 if narrow else np.int64)
        np.cumsum(self._sizes.finish(), out=ends[1:])
        return Strings(np.frombuffer(self._content, dtype=np.uint8), ends)


class ReusedStrings:
    """Strings that are expected to be others, which are there already: then they are not kept a second time."""

    def __init__(self, expected: Strings) -> None:
        self._expected = expected
        self._same = 0  # of them were found
        self._others: GrowingStrings | None = None  # all, from the first that is another on

    def extend(self, strings: Strings) -> None:
        stop = self._same + len(strings)
        if self._others is None and self._expected.part(self._same, stop) == strings:
            self._same = stop
            return
        if self._others is None:
            self._others = GrowingStrings()
            self._others.extend(self._expected.part(0, self._same))
        self._others.extend(strings)

    def finish(self) -> Strings:
        """All of them: the expected ones, where they are these."""
        return self._expected.part(0, self._same) if self._others is None else self._others.finish()
