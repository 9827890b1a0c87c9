"""Numbers in as few bytes as tell them exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from showthrough.core.arrays import AnyArray

_WHOLE = tuple(map(np.dtype, ("u1", "<u2", "<u4", "<i4")))
KINDS = {kind.str: kind for kind in (*_WHOLE, np.dtype("<i8"), np.dtype("<f8"))}  # by name, as files have them


def narrowest(values: AnyArray) -> np.dtype[Any]:
    """The narrowest kind that holds all of these numbers as they are.

    >>> [narrowest(np.array(each, dtype=float)).str for each in ([0, 255], [256], [-1, 7], [0.5], [])]
    ['|u1', '<u2', '<i4', '<f8', '|u1']
    """
    low, high = values.min(initial=0), values.max(initial=0)
    fitting = (kind for kind in _WHOLE if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    kind = next(fitting, np.dtype("<f8"))
    return kind if kind.kind == "f" or (values == values.astype(kind)).all() else np.dtype("<f8")


def wide_enough(first: np.dtype[Any], second: np.dtype[Any]) -> np.dtype[Any]:
    """A kind that holds what either of two holds."""
    return np.result_type(first, second).newbyteorder("<")
