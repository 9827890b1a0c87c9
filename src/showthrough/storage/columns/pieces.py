"""Pieces of bytes of very many documents: in memory while they are small, else in a nameless private file."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from showthrough.storage.columns.spill import Spill

SMALL = 100_000_000  # bytes that stay in memory


class ByteStore:
    """What is added is found again by its number."""

    def __init__(self, small: int = SMALL) -> None:
        self._small = small
        self._content = Spill(small)
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def spilled(self) -> bool:
        return self._content.spilled

    def extend(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self._content.add(piece)
            self._ends.append(self._content.size)

    def taken(self, numbers: Sequence[int] | NDArray[np.int64]) -> list[bytes]:
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
