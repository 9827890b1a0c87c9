"""Character n-grams as numbers."""

from __future__ import annotations

import numpy as np

from showthrough.core.arrays import Ints, Uints32

BOM = "\ufeff"
_WIDE = 2**62  # up to which codes are kept as they are


def spaced_once(text: str) -> str:
    """Any white space as one blank: how lines are broken tells of a program as often as of an author."""
    return " ".join(text.replace(BOM, "").split())


def code_points(text: str) -> Uints32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def gram_codes(symbol: Ints, characters: int, longest: int) -> list[Ints]:
    """For n = 1, 2 and so on a number for the n-gram that begins at each place, equal where n-grams are.

    `symbol` are numbers below `characters`. In the order of codes, n-grams are in the alphabet's.

    >>> [codes.tolist() for codes in gram_codes(np.array([0, 1, 0, 1]), 2, 3)]
    [[0, 1, 0, 1], [1, 2, 1], [2, 5]]
    """
    codes, reach = [symbol], characters
    for n in range(2, longest + 1):
        before = codes[-1][:-1]
        if reach * characters > _WIDE:  # a text with very many characters
            distinct, before = np.unique(before, return_inverse=True)
            reach = len(distinct)
        codes.append(before * characters + symbol[n - 1 :])
        reach *= characters
    return codes
