"""Documents and masks of several files, read one file after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from showthrough.core.arrays import AnyArray, Ints
from showthrough.data.documents import Document, LazyDocuments, window
from showthrough.data.masks import Mask, NumberedMasks, ScoredMask, TypedMask
from showthrough.storage.columns.spill import SMALL, ByteStore
from showthrough.storage.columns.strings import Strings

Masks = Mapping[str, Sequence[Mask]]
_BLOCK = 1024  # documents whose masks are taken at a time
_PLAIN = msgspec.json.Decoder(list[Mask])
_ANY = msgspec.json.Decoder()
_MASK_CLASSES: dict[int, Callable[..., Mask]] = {3: Mask, 4: TypedMask, 5: ScoredMask}  # by how much a mask says


class ShardedDocuments(LazyDocuments):
    """The documents of several files. A part travels with the files alone that it is of."""

    def __init__(self, shards: Iterable[Sequence[Document]], sources: Iterable[str] = ()) -> None:
        self.shards = tuple(shards)
        self.sources = tuple(sources)  # the files, where these are all of their documents
        self.starts = _starts(map(len, self.shards))

    def __len__(self) -> int:
        return int(self.starts[-1])

    def numbers(self, shard: int) -> range:
        """Those of the documents of one file."""
        return range(int(self.starts[shard]), int(self.starts[shard + 1]))

    def load_range(self, start: int, stop: int) -> Iterator[Document]:
        for shard, low, high in self._shards_in(start, stop):
            yield from shard.load_range(low, high) if isinstance(shard, LazyDocuments) else shard[low:high]

    def window(self, start: int, stop: int) -> Sequence[Document]:
        parts = [window(shard, range(low, high)) for shard, low, high in self._shards_in(start, stop)]
        return parts[0] if len(parts) == 1 else ShardedDocuments(parts)

    def _shards_in(self, start: int, stop: int) -> Iterator[tuple[Sequence[Document], int, int]]:
        """The files that a range is of, and where it begins and ends in each."""
        number = int(np.searchsorted(self.starts, start, "right")) - 1
        while start < stop:
            first, last = int(self.starts[number]), int(self.starts[number + 1])
            if start < last:
                yield self.shards[number], start - first, min(stop, last) - first
            start, number = max(start, last), number + 1


def _starts(sizes: Iterable[int]) -> Ints:
    return np.cumsum(np.array([0, *sizes], dtype=np.int64))


def encode_masks(masks: Iterable[Mask]) -> bytes:
    return msgspec.json.encode(list(masks))


def decode_masks(content: bytes) -> list[Mask]:
    """The masks that were encoded, each of the kind that it was."""
    try:
        return _PLAIN.decode(content)
    except msgspec.ValidationError:
        return [_MASK_CLASSES[len(values)](*values) for values in _ANY.decode(content)]


class EncodedMasks(Masks):
    """Masks by document id, decoded when they are asked for; they travel as they are."""

    def __init__(self, content: Mapping[str, bytes]) -> None:
        self._content = content

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        return decode_masks(self._content[document_id])

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._content

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)


class ShardedMasks(NumberedMasks):
    """Masks of several files, one after the other.

    A part that stays in its file is asked when masks are needed: worth it where documents lie in files of the same
    order. All others are kept encoded, in memory while they are small, else in a private file.
    """

    def __init__(
        self, ids: Strings, parts: Sequence[NumberedMasks | None], sizes: Sequence[int], pieces: ByteStore
    ) -> None:
        super().__init__(ids)
        self.parts = tuple(parts)  # None: kept
        self._starts = _starts(sizes)
        self._kept = pieces
        inside = [size if part is None else 0 for part, size in zip(parts, sizes, strict=True)]
        self._shift = _starts(inside)[:-1] - self._starts[:-1]  # from numbers to those of what is kept

    def load(self, numbers: Ints) -> Iterator[Sequence[Mask]]:
        for start in range(0, len(numbers), _BLOCK):
            for number, part_numbers in self._by_part(numbers[start : start + _BLOCK]):
                part = self.parts[number]
                if part is None:
                    yield from map(decode_masks, self._kept.taken(part_numbers + self._shift[number]))
                else:
                    yield from part.load(part_numbers - self._starts[number])

    def _by_part(self, numbers: Ints) -> Iterator[tuple[int, Ints]]:
        """Runs of numbers that are of one part."""
        parts = np.searchsorted(self._starts, numbers, "right") - 1
        for indices in np.split(np.arange(len(numbers)), np.flatnonzero(np.diff(parts)) + 1):
            if len(indices):
                yield int(parts[indices[0]]), numbers[indices]

    def taken(self, numbers: Ints) -> Masks:
        mappings: list[Masks] = []
        piece_numbers: dict[str, int] = {}
        ordered = numbers[np.argsort(np.searchsorted(self._starts, numbers, "right"), kind="stable")]
        for number, part_numbers in self._by_part(ordered):
            part = self.parts[number]
            if part is None:
                piece_numbers |= dict(
                    zip(self.ids.taken(part_numbers), (part_numbers + self._shift[number]).tolist(), strict=True)
                )
            else:
                mappings.append(part.taken(part_numbers - self._starts[number]))
        if piece_numbers:
            pieces = self._kept.taken(list(piece_numbers.values()))
            mappings.append(EncodedMasks(dict(zip(piece_numbers, pieces, strict=True))))
        return mappings[0] if len(mappings) == 1 else _Several(mappings)

    @property
    def scored(self) -> bool:
        return any(part is None or part.scored for part in self.parts)

    def outside(self, lengths: AnyArray) -> Ints:
        numbers = [np.zeros(0, dtype=np.int64)]
        for number, part in enumerate(self.parts):
            low, high = int(self._starts[number]), int(self._starts[number + 1])
            part_lengths = lengths[low:high]
            if part is not None:
                numbers.append(part.outside(part_lengths) + low)
                continue
            masks = zip(range(low, high), self.load(np.arange(low, high)), part_lengths.tolist(), strict=True)
            wrong = (
                index
                for index, document_masks, size in masks
                if any(not 0 <= mask.start < mask.end <= size for mask in document_masks)
            )
            numbers.append(np.fromiter(wrong, dtype=np.int64))
        return np.concatenate(numbers)


class Joining:
    """Masks of one file after the other, on their way to one anonymization."""

    def __init__(self, small: int = SMALL) -> None:
        self._ids: list[Strings] = []
        self._parts: list[NumberedMasks | None] = []
        self._kept = ByteStore(small)

    def add_lazy(self, part: NumberedMasks) -> None:
        """Documents whose masks stay in their file."""
        self._ids.append(part.ids)
        self._parts.append(part)

    def add(self, ids: Strings, pieces: Iterable[bytes]) -> None:
        """Documents with their masks, encoded."""
        self._ids.append(ids)
        self._parts.append(None)
        self._kept.extend(pieces)

    def build(self) -> ShardedMasks:
        return ShardedMasks(Strings.concatenate(self._ids), self._parts, list(map(len, self._ids)), self._kept)


class _Several(Masks):
    """Masks of a few documents, from several places."""

    def __init__(self, parts: Sequence[Masks]) -> None:
        self._parts = parts
        self._of = {key: number for number, part in enumerate(parts) for key in part}

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        return self._parts[self._of[document_id]][document_id]

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._of

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)
