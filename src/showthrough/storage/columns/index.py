"""Where a string stands among very many: by hashes, of which nothing is kept but an order of four bytes a string."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from showthrough.columns.strings import Ints, Strings

Hashes = NDArray[np.uint64]
_BLOCK = 4096  # strings that are looked at together
_EVERY = 256  # of how many hashes one is kept
_WORDS = 32  # of eight bytes, of a string that is hashed together with others
_MIX = np.uint64(0x9E3779B97F4A7C15)
_TURN = np.uint64(29)
_FEW = 50_000  # strings that a dictionary finds sooner, in a few megabytes


def hashes(strings: Strings) -> Hashes:
    """A number of 64 bits for each, the same for the same string."""
    found = np.empty(len(strings), dtype=np.uint64)
    for start in range(0, len(strings), _BLOCK):
        part = strings.part(start, start + _BLOCK)
        found[start : start + _BLOCK] = _hashes(part)
    return found


def _hashes(strings: Strings) -> Hashes:
    """Those of a few, word by word of eight bytes, all of them at once."""
    sizes = np.diff(strings.ends)
    most = 8 * _WORDS
    words = -(-np.minimum(sizes, most) // 8)
    wide = int(words.max(initial=0))
    table = np.zeros((len(strings), 8 * wide), dtype=np.uint8)
    kept = np.minimum(sizes, most)
    rows = np.repeat(np.arange(len(strings)), kept)
    inside = np.arange(int(kept.sum())) - np.repeat(np.cumsum(kept) - kept, kept)
    table[rows, inside] = strings.content[np.repeat(strings.ends[:-1], kept) + inside]
    columns = table.view("<u8")
    found = sizes.astype(np.uint64) * _MIX
    for number in range(wide):
        mixed = (found ^ columns[:, number]) * _MIX
        mixed ^= mixed >> _TURN
        found = np.where(words > number, mixed, found)
    for number in np.flatnonzero(sizes > most).tolist():
        content = strings.content[strings.ends[number] : strings.ends[number + 1]].tobytes()
        found[number] = int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
    found *= _MIX
    found ^= found >> _TURN
    return found


class GrowingHashes:
    """Hashes of strings that are added one by one; the strings themselves are not kept."""

    def __init__(self) -> None:
        self._hashes = bytearray()
        self._waiting: list[str] = []

    def append(self, string: str) -> None:
        self._waiting.append(string)
        if len(self._waiting) == _BLOCK:
            self._hash()

    def extend(self, found: Hashes) -> None:
        self._hash()
        self._hashes += found.tobytes()

    def _hash(self) -> None:
        self._hashes += _hashes(Strings.of(self._waiting)).tobytes()
        self._waiting = []

    def made(self) -> Hashes:
        """All of them; none can be added then."""
        self._hash()
        return np.frombuffer(self._hashes, dtype=np.uint64)


def repeated(strings: Strings) -> list[tuple[int, int]]:
    """Numbers of strings that were there before, in ascending order, each with the number of the first such string."""
    every = hashes(strings)
    every.sort()
    if not np.any(every[1:] == every[:-1]):  # as nearly always: and no order had to be kept
        return []
    every = hashes(strings)
    order = np.argsort(every, kind="stable")
    every = every[order]
    same = np.flatnonzero(every[1:] == every[:-1])
    suspects = np.unique(np.concatenate((order[same], order[same + 1])))
    first: dict[str, int] = {}
    found = []
    for start in range(0, len(suspects), _BLOCK):
        numbers = suspects[start : start + _BLOCK]
        for number, one in zip(numbers.tolist(), strings.taken(numbers), strict=True):
            before = first.setdefault(one, number)
            if before != number:
                found.append((number, before))
    return found


def _equal(some: Strings, others: Strings) -> NDArray[np.bool_]:
    """Of each pair, whether the two are the same."""
    same: NDArray[np.bool_] = np.diff(some.ends) == np.diff(others.ends)
    numbers = np.flatnonzero(same)
    left, right = some.taken(numbers), others.taken(numbers)
    rows = np.repeat(numbers, np.diff(left.ends))
    same[rows[left.content != right.content]] = False
    return same


class Index:
    """The numbers of strings, no two of which are equal, in the order of their hashes."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        every = hashes(strings)
        order = np.argsort(every)
        self._order = order.astype(np.int32 if len(order) < 2**31 else np.int64)
        self._marks = every[order[::_EVERY]]

    def find(self, asked: Strings) -> Ints:
        """The number of each; -1 where it is not there."""
        parts = [self._find(asked.part(start, start + _BLOCK)) for start in range(0, len(asked), _BLOCK)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def _find(self, asked: Strings) -> Ints:
        wanted = _hashes(asked)
        if not len(self._order):
            return np.full(len(asked), -1)
        # The first that may be it stands in the stretch before the first mark that is not below it.
        low = np.maximum(np.searchsorted(self._marks, wanted, side="left") - 1, 0) * _EVERY
        high = np.minimum(low + _EVERY + 1, len(self._order))
        while np.any(low < high):
            middle = (low + high) // 2
            below = np.zeros(len(asked), dtype=bool)
            here = low < high
            below[here] = self._hashes(middle[here]) < wanted[here]
            low, high = np.where(here & below, middle + 1, low), np.where(here & ~below, middle, high)
        numbers: Ints = self._order[np.minimum(low, len(self._order) - 1)].astype(np.int64)
        candidates = self._strings.taken(numbers)
        numbers[~_equal(candidates, asked)] = -1
        # Hashes of different strings may be the same: the one that is asked for may stand right behind.
        for number in np.flatnonzero((numbers < 0) & (_hashes(candidates) == wanted)).tolist():
            numbers[number] = self._behind(asked[number], int(low[number]) + 1, wanted[number])
        return numbers

    def _behind(self, asked: str, at: int, wanted: np.uint64) -> int:
        while at < len(self._order) and self._hashes(np.array([at]))[0] == wanted:
            number = int(self._order[at])
            if self._strings[number] == asked:
                return number
            at += 1
        return -1

    def _hashes(self, places: Ints) -> Hashes:
        return _hashes(self._strings.taken(self._order[places].astype(np.int64)))


class Finder:
    """Which number a string has among others, no two of which are equal.

    Whoever asks in their own order is answered at once, and nothing is kept for that.

    >>> finder = Finder(Strings.of(["b", "a", "c"]))
    >>> finder.numbers(["a", "c"]).tolist(), finder.numbers(["c", "x"]).tolist(), finder.number("b")
    ([1, 2], [2, -1], 0)
    """

    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        self._next = 0  # after the last that was found
        self._known: dict[str, int] | Index | None = None

    def number(self, one: str) -> int:
        """The number of one; -1 where it is not there."""
        if self._next < len(self.strings) and self.strings[self._next] == one:
            self._next += 1
            return self._next - 1
        known = self._all()
        found = known.get(one, -1) if isinstance(known, dict) else int(known.find(Strings.of([one]))[0])
        self._next = found + 1
        return found

    def holds(self, one: str) -> bool:
        """Whether it is there; who then asks for its number is answered at once."""
        number = self.number(one)
        self._next = max(number, 0)
        return number >= 0

    def numbers(self, asked: Sequence[str]) -> Ints:
        """The number of each."""
        for start in (self._next, 0):
            if self.strings[start : start + len(asked)] == list(asked):
                self._next = start + len(asked)
                return np.arange(start, self._next)
        known = self._all()
        if isinstance(known, dict):
            return np.array([known.get(one, -1) for one in asked], dtype=np.int64)
        return known.find(asked if isinstance(asked, Strings) else Strings.of(asked))

    def _all(self) -> dict[str, int] | Index:
        if self._known is None:
            few = len(self.strings) <= _FEW
            self._known = {one: at for at, one in enumerate(self.strings)} if few else Index(self.strings)
        return self._known

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_next": 0, "_known": None}  # made again where it is needed
