"""Rows in blocks of any size, as rows of very many documents come."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.metrics import Rows


class Blocks(Rows):
    """The same rows, so many documents at a time."""

    def __init__(self, values: np.ndarray, sizes: int | list[int], columns: tuple[str, ...] = ()) -> None:
        super().__init__(columns or tuple(map(str, range(values.shape[1]))), values)
        cut = range(sizes, len(values), sizes) if isinstance(sizes, int) else np.cumsum(sizes)
        object.__setattr__(self, "cut", [int(place) for place in cut])

    cut: list[int]

    def blocks(self) -> Iterator[Floats]:
        yield from (block for block in np.split(self.values, self.cut) if len(block))
