"""Where ids stand among very many: a dictionary of ten million strings would take a gigabyte."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from showthrough.columns.strings import Ints, Strings

_WIDTH = 8  # bytes of a hash


class Index:
    """The numbers of strings, each of which is there once.

    >>> Index(Strings.of(["b", "a"])).numbers(["a", "c", "b"]).tolist()
    [1, -1, 0]
    """

    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        hashes = _hashes(strings, len(strings))
        self._order = np.argsort(hashes, kind="stable").astype(np.uint32 if len(strings) < 1 << 32 else np.int64)
        self._hashes = hashes[self._order]

    def numbers(self, asked: Sequence[str]) -> Ints:
        """Of each string its number, or -1."""
        hashes = _hashes(asked, len(asked))
        places = np.searchsorted(self._hashes, hashes)
        found = np.full(len(asked), -1, dtype=np.int64)
        for number, (one, place, hash_) in enumerate(zip(asked, places.tolist(), hashes.tolist(), strict=True)):
            while place < len(self._hashes) and self._hashes[place] == hash_:  # two strings may have one hash
                if self.strings[candidate := int(self._order[place])] == one:
                    found[number] = candidate
                    break
                place += 1
        return found


def _hashes(strings: Iterable[str], count: int) -> NDArray[np.uint64]:
    made = (hashlib.blake2b(one.encode("utf-8", "surrogatepass"), digest_size=_WIDTH).digest() for one in strings)
    return np.frombuffer(b"".join(made), dtype="<u8", count=count)
