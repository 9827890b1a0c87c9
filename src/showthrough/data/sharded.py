"""Documents and masks of several files, one after the other: each file is asked for what it has."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from itertools import chain

import msgspec
import numpy as np
from numpy.typing import NDArray

from showthrough.columns.index import Index
from showthrough.columns.pieces import SMALL, Pieces
from showthrough.columns.strings import Strings
from showthrough.data.documents import Document, LazyDocuments, window
from showthrough.data.masks import Mask, ScoredMask, TypedMask

Masks = Mapping[str, Sequence[Mask]]
_BLOCK = 1024  # documents whose masks are taken at a time
_PLAIN = msgspec.json.Decoder(list[Mask])
_ANY = msgspec.json.Decoder()
_KINDS: dict[int, Callable[..., Mask]] = {3: Mask, 4: TypedMask, 5: ScoredMask}  # by how much a mask says


class Sharded(LazyDocuments):
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

    def made(self, start: int, stop: int) -> Iterator[Document]:
        for shard, low, high in self._touched(start, stop):
            yield from shard.made(low, high) if isinstance(shard, LazyDocuments) else shard[low:high]

    def window(self, start: int, stop: int) -> Sequence[Document]:
        parts = [window(shard, range(low, high)) for shard, low, high in self._touched(start, stop)]
        return parts[0] if len(parts) == 1 else Sharded(parts)

    def _touched(self, start: int, stop: int) -> Iterator[tuple[Sequence[Document], int, int]]:
        """The files that a range is of, and where it begins and ends in each."""
        number = int(np.searchsorted(self.starts, start, "right")) - 1
        while start < stop:
            first, last = int(self.starts[number]), int(self.starts[number + 1])
            if start < last:
                yield self.shards[number], start - first, min(stop, last) - first
            start, number = max(start, last), number + 1


def _starts(sizes: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum(np.array([0, *sizes], dtype=np.int64))


def encoded(masks: Iterable[Mask]) -> bytes:
    return msgspec.json.encode(list(masks))


def decoded(content: bytes) -> list[Mask]:
    """The masks that were encoded, each of the kind that it was."""
    try:
        return _PLAIN.decode(content)
    except msgspec.ValidationError:
        return [_KINDS[len(one)](*one) for one in _ANY.decode(content)]


class EncodedMasks(Masks):
    """Masks by document id, decoded when they are asked for; they travel as they are."""

    def __init__(self, content: Mapping[str, bytes]) -> None:
        self._content = content

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        return decoded(self._content[document_id])

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._content

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)


class ShardedMasks(Masks):
    """Masks by document id, of several files.

    A part that stays in its file, and is lazy itself, is asked when masks are needed: worth it where documents lie in
    files of the same order. All others are kept encoded, in memory while they are small, else in a private file.
    """

    def __init__(self, small: int = SMALL) -> None:
        self._ids: list[Strings] = []
        self._parts: list[Masks | None] = []  # lazy ones; None: kept
        self._first: list[int] = []  # of what is kept, the number of each part's first
        self._pieces = Pieces(small)
        self._found: Index | None = None

    def add_lazy(self, ids: Strings, part: Masks) -> None:
        self._add(ids, part)

    def add(self, ids: Strings, pieces: Iterable[bytes]) -> None:
        """Documents with their masks, encoded."""
        self._add(ids, None)
        self._pieces.extend(pieces)

    def _add(self, ids: Strings, part: Masks | None) -> None:
        self._first.append(len(self._pieces))
        self._ids.append(ids)
        self._parts.append(part)
        self._found = None

    @property
    def _index(self) -> Index:
        if self._found is None:
            self._found = Index(Strings.joined(self._ids))
            self._starts = _starts(map(len, self._ids))
        return self._found

    def __len__(self) -> int:
        return sum(map(len, self._ids))

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._ids)

    def __contains__(self, document_id: object) -> bool:
        return isinstance(document_id, str) and int(self._index.numbers([document_id])[0]) >= 0

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        return self.window([document_id])[document_id]

    def window(self, document_ids: Iterable[str]) -> Masks:
        """Those of some documents, as far as they are there; it travels to other processes."""
        asked = list(document_ids)
        numbers = self._index.numbers(asked)
        parts = np.searchsorted(self._starts, numbers, "right") - 1
        found: list[Masks] = []
        kept: dict[str, int] = {}
        for number in np.unique(parts[numbers >= 0]).tolist():
            part, places = self._parts[number], np.flatnonzero((parts == number) & (numbers >= 0)).tolist()
            if part is None:
                shift = self._first[number] - int(self._starts[number])
                kept |= {asked[place]: int(numbers[place]) + shift for place in places}
            else:
                found.append(_window(part, [asked[place] for place in places]))
        if kept:
            pieces = self._pieces.taken(list(kept.values()))
            found.append(EncodedMasks(dict(zip(kept, pieces, strict=True))))
        return found[0] if len(found) == 1 else _Several(found)

    def items(self) -> ItemsView[str, Sequence[Mask]]:
        return _Items(self)

    def values(self) -> ValuesView[Sequence[Mask]]:
        return _Values(self)

    def streamed(self) -> Iterator[tuple[str, Sequence[Mask]]]:
        """All of them, file by file, with no look-up for each."""
        for ids, part, first in zip(self._ids, self._parts, self._first, strict=True):
            for start in range(0, len(ids), _BLOCK):
                block = ids[start : start + _BLOCK]
                if part is None:
                    numbers = range(first + start, first + start + len(block))
                    yield from zip(block, map(decoded, self._pieces.taken(numbers)), strict=True)
                else:
                    masks = _window(part, block)
                    yield from ((key, masks[key]) for key in block)


class _Items(ItemsView[str, Sequence[Mask]]):
    _mapping: ShardedMasks

    def __iter__(self) -> Iterator[tuple[str, Sequence[Mask]]]:
        return self._mapping.streamed()


class _Values(ValuesView[Sequence[Mask]]):
    _mapping: ShardedMasks

    def __iter__(self) -> Iterator[Sequence[Mask]]:
        return (masks for _, masks in self._mapping.streamed())


def _window(part: Masks, document_ids: Sequence[str]) -> Masks:
    cut: Callable[[Sequence[str]], Masks] | None = getattr(part, "window", None)
    return cut(document_ids) if cut else {key: part[key] for key in document_ids}


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
