"""Stores many strings in two arrays: as Python objects, ten million ids would take a gigabyte."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from showthrough.core.arrays import AnyArray, Bytes, Ints

BLOCK = 4096  # strings that are made objects at a time
_WIDTH = 128  # bytes of the longest string up to which all are sorted as an array of that width
CODEC = "utf-8", "surrogatepass"  # what is no character is told by whoever checks ids, and must get there


class StringSequence(Sequence[str]):
    """What sequences of strings share that decode them when they are asked for."""

    @abstractmethod
    def _decode_range(self, start: int, stop: int) -> list[str]:
        """Those from one number up to another."""

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            numbers = range(*index.indices(len(self)))
            if numbers.step != 1:
                return [self[number] for number in numbers]
            return self._decode_range(numbers.start, max(numbers.start, numbers.stop))
        number = range(len(self))[index]  # an IndexError past the end
        return self._decode_range(number, number + 1)[0]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), BLOCK):
            yield from self._decode_range(start, min(start + BLOCK, len(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} strings)"


class Strings(StringSequence):
    """A sequence of strings that cannot be changed; equal to any other sequence of the same strings.

    >>> ids = Strings.of(["b", "a", "Ærø"])
    >>> ids[2], ids[:2], len(ids), ids == ["b", "a", "Ærø"], ids.order().tolist()
    ('Ærø', ['b', 'a'], 3, True, [1, 0, 2])
    """

    def __init__(self, content: Bytes, ends: AnyArray) -> None:
        self.content = content  # all of them one after the other, in UTF-8
        # Where each ends; the first is 0, before the first string. Of four bytes where those suffice, else of eight.
        self.ends = ends

    @classmethod
    def of(cls, strings: Iterable[str]) -> Strings:
        content, sizes = bytearray(), [0]
        for string in strings:
            encoded = string.encode(*CODEC)
            content += encoded
            sizes.append(len(encoded))
        return cls(np.frombuffer(bytes(content), dtype=np.uint8), np.cumsum(np.array(sizes, dtype=np.int64)))

    @classmethod
    def concatenate(cls, parts: Iterable[Strings]) -> Strings:
        """All strings of consecutive parts."""
        part_list = list(parts)
        content = [part.content[part.ends[0] : part.ends[-1]] for part in part_list]
        ends = np.zeros(sum(map(len, part_list)) + 1, dtype=np.int64)
        index = 0
        for part in part_list:
            ends[index + 1 : index + 1 + len(part)] = part.ends[1:] - part.ends[0] + ends[index]
            index += len(part)
        return cls(np.concatenate(content) if content else np.zeros(0, dtype=np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Strings):
            if len(self) != len(other):
                return False
            blocks = ((start, start + 16 * BLOCK) for start in range(0, len(self), 16 * BLOCK))
            return all(self.part(*block)._same(other.part(*block)) for block in blocks)
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))

    def _same(self, other: Strings) -> bool:
        own_ends, other_ends = (strings.ends - strings.ends[0] for strings in (self, other))
        own_content, other_content = (strings.content[strings.ends[0] : strings.ends[-1]] for strings in (self, other))
        return np.array_equal(own_ends, other_ends) and np.array_equal(own_content, other_content)

    __hash__ = None  # type: ignore[assignment] # as of a list

    def __getstate__(self) -> tuple[Bytes, AnyArray]:
        return self.content[self.ends[0] : self.ends[-1]], self.ends - self.ends[0]  # of a part, not all the others

    def __setstate__(self, state: tuple[Bytes, AnyArray]) -> None:
        self.content, self.ends = state

    def part(self, start: int, stop: int) -> Strings:
        """Those from one number up to another, sharing the content."""
        return Strings(self.content, self.ends[start : max(start, min(stop, len(self))) + 1])

    def taken(self, numbers: Ints) -> Strings:
        """Those of some numbers, in their order."""
        sizes = self.ends[numbers + 1] - self.ends[numbers]  # of these alone: a block of many is asked for often
        ends = np.concatenate(([0], np.cumsum(sizes)))
        content = np.empty(int(ends[-1]), dtype=np.uint8)
        for start in range(0, len(numbers), BLOCK):
            block = slice(start, start + BLOCK)
            offsets = np.repeat(self.ends[:-1][numbers[block]] - ends[:-1][block], sizes[block])
            low, high = int(ends[start]), int(ends[min(start + BLOCK, len(numbers))])
            content[low:high] = self.content[np.arange(low, high) + offsets]
        return Strings(content, ends)

    def order(self) -> Ints:
        """Numbers by which they stand in the order of their code points, which is that of their bytes; stable."""
        sizes = np.diff(self.ends)
        width = int(sizes.max(initial=0))
        if width > _WIDTH or not self.content[self.ends[0] : self.ends[-1]].all():  # arrays drop zeros at the end
            return np.array(sorted(range(len(self)), key=self.__getitem__), dtype=np.int64)
        table = np.zeros((len(self), max(width, 1)), dtype=np.uint8)
        for start in range(0, len(self), BLOCK):
            block_sizes = sizes[start : start + BLOCK]
            low, high = int(self.ends[start]), int(self.ends[start + len(block_sizes)])
            rows = np.repeat(np.arange(start, start + len(block_sizes)), block_sizes)
            first = np.repeat(self.ends[start : start + len(block_sizes)], block_sizes)
            table[rows, np.arange(low, high) - first] = self.content[low:high]
        return np.argsort(table.view(f"S{max(width, 1)}")[:, 0], kind="stable")

    def twice(self, order: Ints | None = None) -> list[str]:
        """The strings that are there more than once."""
        order = self.order() if order is None else order
        repeats: dict[str, None] = {}
        before: str | None = None
        for start in range(0, len(order), BLOCK):
            for string in self.taken(order[start : start + BLOCK]):
                if string == before:
                    repeats[string] = None
                before = string
        return list(repeats)

    def _decode_range(self, start: int, stop: int) -> list[str]:
        ends = self.ends[start : stop + 1].tolist()
        content = self.content[ends[0] : ends[-1]].tobytes() if ends else b""
        base = ends[0] if ends else 0
        return [content[low - base : high - base].decode(*CODEC) for low, high in pairwise(ends)]


DIGEST_SIZE = 16
Digests = NDArray[np.bytes_]  # of 16 bytes each


def digest_of_bytes(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_SIZE).digest()


def sorted_digests(digests: bytearray) -> Digests:
    """Digests that stand one after the other, sorted."""
    column = np.frombuffer(digests, dtype=f"S{DIGEST_SIZE}")
    column.sort()
    return column


def digest_of_all(digests: Digests) -> str:
    """Of sorted ones: the same documents in another order have the same."""
    return hashlib.blake2b(digests.view(np.uint8).data, digest_size=DIGEST_SIZE).hexdigest()
