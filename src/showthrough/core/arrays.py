"""Arrays by what they hold: one name for each type of number, for annotations.

A module that does not need NumPy to start imports these names under `TYPE_CHECKING`.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Codes = NDArray[np.uint64]  # hashes and keys: whole numbers that are compared, not counted with
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Ints8 = NDArray[np.int8]
Ints16 = NDArray[np.int16]
Ints32 = NDArray[np.int32]
Uints32 = NDArray[np.uint32]
AnyArray = NDArray[Any]  # numbers of any type and width


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Each of some numbers once, ascending. `np.unique` imports all of `numpy.ma` to see that none is masked.

    >>> distinct(np.array([2, 1, 2])).tolist()
    [1, 2]
    """
    ordered: NDArray[Number] = np.sort(values, axis=None)
    new: Bools = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return ordered[new]
