"""Looks up the number of a string among very many by hashes, with four bytes of memory a string."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from showthrough.core.arrays import Bools, Codes, Ints
from showthrough.storage.columns.strings import Strings

_BLOCK = 4096  # strings that are looked at together
_EVERY = 256  # of how many hashes one is kept
_WORDS = 32  # of eight bytes, of a string that is hashed together with others
_MIX = np.uint64(0x9E3779B97F4A7C15)
_TURN = np.uint64(29)
_FEW = 50_000  # strings that a dictionary finds sooner, in a few megabytes


def hashes(strings: Strings) -> Codes:
    """A number of 64 bits for each, the same for the same string."""
    result = np.empty(len(strings), dtype=np.uint64)
    for start in range(0, len(strings), _BLOCK):
        part = strings.part(start, start + _BLOCK)
        result[start : start + _BLOCK] = _hashes(part)
    return result


def _hashes(strings: Strings) -> Codes:
    """Those of a few, word by word of eight bytes, all of them at once."""
    sizes = np.diff(strings.ends)
    limit = 8 * _WORDS
    words = -(-np.minimum(sizes, limit) // 8)
    width = int(words.max(initial=0))
    table = np.zeros((len(strings), 8 * width), dtype=np.uint8)
    lengths = np.minimum(sizes, limit)
    rows = np.repeat(np.arange(len(strings)), lengths)
    inside = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    table[rows, inside] = strings.content[np.repeat(strings.ends[:-1], lengths) + inside]
    columns = table.view("<u8")
    result = sizes.astype(np.uint64) * _MIX
    for number in range(width):
        mixed = (result ^ columns[:, number]) * _MIX
        mixed ^= mixed >> _TURN
        result = np.where(words > number, mixed, result)
    for number in np.flatnonzero(sizes > limit).tolist():
        content = strings.content[strings.ends[number] : strings.ends[number + 1]].tobytes()
        result[number] = int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
    result *= _MIX
    result ^= result >> _TURN
    return result


class GrowingHashes:
    """Hashes of strings that are added one by one; the strings themselves are not kept."""

    def __init__(self) -> None:
        self._hashes = bytearray()
        self._waiting: list[str] = []

    def append(self, string: str) -> None:
        self._waiting.append(string)
        if len(self._waiting) == _BLOCK:
            self._hash()

    def extend(self, new_hashes: Codes) -> None:
        self._hash()
        self._hashes += new_hashes.tobytes()

    def _hash(self) -> None:
        self._hashes += _hashes(Strings.of(self._waiting)).tobytes()
        self._waiting = []

    def finish(self) -> Codes:
        """All of them; none can be added then."""
        self._hash()
        return np.frombuffer(self._hashes, dtype=np.uint64)


def find_repeats(strings: Strings) -> list[tuple[int, int]]:
    """Numbers of strings that were there before, in ascending order, each with the number of the first such string."""
    hash_values = hashes(strings)
    hash_values.sort()
    if not np.any(hash_values[1:] == hash_values[:-1]):  # as nearly always: and no order had to be kept
        return []
    hash_values = hashes(strings)
    order = np.argsort(hash_values, kind="stable")
    hash_values = hash_values[order]
    same = np.flatnonzero(hash_values[1:] == hash_values[:-1])
    suspects = np.unique(np.concatenate((order[same], order[same + 1])))
    first: dict[str, int] = {}
    repeats = []
    for start in range(0, len(suspects), _BLOCK):
        numbers = suspects[start : start + _BLOCK]
        for number, string in zip(numbers.tolist(), strings.taken(numbers), strict=True):
            first_number = first.setdefault(string, number)
            if first_number != number:
                repeats.append((number, first_number))
    return repeats


def _equal(first: Strings, second: Strings) -> Bools:
    """Of each pair, whether the two are the same."""
    same: Bools = np.diff(first.ends) == np.diff(second.ends)
    numbers = np.flatnonzero(same)
    left, right = first.taken(numbers), second.taken(numbers)
    rows = np.repeat(numbers, np.diff(left.ends))
    same[rows[left.content != right.content]] = False
    return same


class StringIndex:
    """The numbers of strings, no two of which are equal, in the order of their hashes."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        hash_values = hashes(strings)
        order = np.argsort(hash_values)
        self._order = order.astype(np.int32 if len(order) < 2**31 else np.int64)
        self._marks = hash_values[order[::_EVERY]]

    def find(self, queries: Strings) -> Ints:
        """The number of each; -1 where it is not there."""
        parts = [self._find(queries.part(start, start + _BLOCK)) for start in range(0, len(queries), _BLOCK)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def _find(self, queries: Strings) -> Ints:
        query_hashes = _hashes(queries)
        if not len(self._order):
            return np.full(len(queries), -1)
        # The first that may be it stands in the stretch before the first mark that is not below it.
        low = np.maximum(np.searchsorted(self._marks, query_hashes, side="left") - 1, 0) * _EVERY
        high = np.minimum(low + _EVERY + 1, len(self._order))
        while np.any(low < high):
            middle = (low + high) // 2
            below = np.zeros(len(queries), dtype=bool)
            active = low < high
            below[active] = self._hashes(middle[active]) < query_hashes[active]
            low, high = np.where(active & below, middle + 1, low), np.where(active & ~below, middle, high)
        numbers: Ints = self._order[np.minimum(low, len(self._order) - 1)].astype(np.int64)
        candidates = self._strings.taken(numbers)
        numbers[~_equal(candidates, queries)] = -1
        # Hashes of different strings may be the same: the one that is asked for may stand right behind.
        for number in np.flatnonzero((numbers < 0) & (_hashes(candidates) == query_hashes)).tolist():
            numbers[number] = self._behind(queries[number], int(low[number]) + 1, query_hashes[number])
        return numbers

    def _behind(self, query: str, position: int, query_hash: np.uint64) -> int:
        while position < len(self._order) and self._hashes(np.array([position]))[0] == query_hash:
            number = int(self._order[position])
            if self._strings[number] == query:
                return number
            position += 1
        return -1

    def _hashes(self, positions: Ints) -> Codes:
        return _hashes(self._strings.taken(self._order[positions].astype(np.int64)))


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
        self._known: dict[str, int] | StringIndex | None = None

    def number(self, string: str) -> int:
        """The number of one; -1 where it is not there."""
        if self._next < len(self.strings) and self.strings[self._next] == string:
            self._next += 1
            return self._next - 1
        lookup = self._all()
        result = lookup.get(string, -1) if isinstance(lookup, dict) else int(lookup.find(Strings.of([string]))[0])
        self._next = result + 1
        return result

    def holds(self, string: str) -> bool:
        """Whether it is there; who then asks for its number is answered at once."""
        number = self.number(string)
        self._next = max(number, 0)
        return number >= 0

    def numbers(self, queries: Sequence[str]) -> Ints:
        """The number of each."""
        for start in (self._next, 0):
            if self.strings[start : start + len(queries)] == list(queries):
                self._next = start + len(queries)
                return np.arange(start, self._next)
        lookup = self._all()
        if isinstance(lookup, dict):
            return np.array([lookup.get(query, -1) for query in queries], dtype=np.int64)
        return lookup.find(queries if isinstance(queries, Strings) else Strings.of(queries))

    def _all(self) -> dict[str, int] | StringIndex:
        if self._known is None:
            few = len(self.strings) <= _FEW
            self._known = (
                {string: number for number, string in enumerate(self.strings)} if few else StringIndex(self.strings)
            )
        return self._known

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_next": 0, "_known": None}  # made again where it is needed
