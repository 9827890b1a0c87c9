"""Pages of a Parquet file: what they say of their sizes, read before anything of them is unpacked.

The file's own summary may say anything, and a page of a few bytes may stand for millions of values: one text in a
dictionary that all rows name, a run of equal numbers, a text that begins as the one before. The headers of pages are
what a reader takes memory by, so they tell how much it can be at most.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any

_VALUE = 8  # bytes of a number, of an entry of a dictionary, or of the levels of a value in a list
_DATA, _DICTIONARY, _DATA_2 = 5, 7, 8  # fields of a header, by the kind of its page
_ENCODING = {_DATA: 2, _DICTIONARY: 2, _DATA_2: 4}
_GROUPS, _META = 4, 3  # fields of a summary, and of a column in a group
_VALUES, _PACKED, _PAGES, _DICTIONARY_PAGE = 5, 7, 9, 11  # fields of what that says of a column
_TAIL = 8  # bytes behind a summary: its size, and who wrote it
_DELTA = {6, 7}  # encodings of texts by the ones before, which cannot be read into a dictionary
_BYTES, _LIST, _SET, _STRUCT = 8, 9, 10, 12  # kinds of fields in the compact protocol of Thrift
_TRUE, _FALSE, _BYTE, _NUMBERS, _DOUBLE = 1, 2, 3, (4, 5, 6), 7
_VARINT = 10  # bytes at most


@dataclass(frozen=True)
class Leaf:
    """The pages of one column in one group of rows."""

    path: str
    texts: bool  # of any length; else each value has `width` bytes
    width: int
    listed: bool  # a row may have any number of them
    values: int
    bytes: int  # of all pages
    largest: int  # bytes of a page
    delta: bool

    @property
    def foldable(self) -> bool:
        """Whether equal texts can be read as one, with a number for each row."""
        return self.texts and not self.delta

    def most(self, rows: int, *, folded: bool) -> int:
        """Bytes that so many rows take at most."""
        count = self.values if self.listed else rows
        each = self.largest if self.texts else self.width
        bound = self.largest + count * max(each, _VALUE)
        return min(bound, self.bytes + count * _VALUE) if folded and self.foldable else bound


def groups_of(file: IO[bytes]) -> list[Any]:
    """The groups of rows in a file's summary, of which the library would end this program where some parts are wrong.

    Raises ValueError or EOFError where it cannot be read.
    """
    end = file.seek(-_TAIL, 2)
    size = int.from_bytes(file.read(4), "little")
    file.seek(max(0, end - size))
    return list(_struct(BytesIO(file.read(size))).get(_GROUPS) or ())


def leaves(file: IO[bytes], group: Mapping[int, Any], schema: Any, columns: Collection[str]) -> list[Leaf]:
    """What a group of rows has in some columns. Raises ValueError or EOFError where that cannot be read."""
    kinds = [schema.column(place) for place in range(len(schema))]
    chunks = [chunk[_META] for chunk in group[1]]
    return [
        _leaf(file, chunk, kind)
        for chunk, kind in zip(chunks, kinds, strict=True)
        if kind.path in columns or any(kind.path.startswith(f"{name}.") for name in columns)
    ]


def _leaf(file: IO[bytes], chunk: Mapping[int, Any], kind: Any) -> Leaf:
    first, dictionary = chunk[_PAGES], chunk.get(_DICTIONARY_PAGE, 0)
    place = dictionary if 0 < dictionary < first else first
    end = place + chunk[_PACKED]
    sizes, values, delta = [0], 0, False
    while place < end and values < chunk[_VALUES]:  # as far as the library reads
        file.seek(place)
        header = _struct(file)
        sizes.append(header[2])
        if header[2] < 0 or header[3] < 0:
            raise ValueError("a page has less than no bytes")
        for field in header.keys() & _ENCODING.keys():
            values += header[field][1] if field != _DICTIONARY else 0
            delta = delta or header[field][_ENCODING[field]] in _DELTA
        place = file.tell() + header[3]
    texts = kind.physical_type == "BYTE_ARRAY" and kind.logical_type.type != "DECIMAL"
    listed = kind.max_repetition_level > 0
    return Leaf(kind.path, texts, kind.length, listed, values, sum(sizes), max(sizes), delta)


def _struct(file: IO[bytes]) -> dict[int, Any]:
    """A struct of Thrift's compact protocol; of its fields, numbers, structs and lists of them are kept."""
    found: dict[int, Any] = {}
    field = 0
    while head := _byte(file):
        field = field + (head >> 4) if head >> 4 else _number(file)
        found[field] = _value(file, head & 15)
    return found


def _value(file: IO[bytes], kind: int) -> Any:
    if kind in (_TRUE, _FALSE):  # which the kind says already
        return None
    if kind in _NUMBERS:
        return _number(file)
    if kind == _STRUCT:
        return _struct(file)
    if kind in (_LIST, _SET):
        head = _byte(file)
        inside = _BYTE if head & 15 in (_TRUE, _FALSE) else head & 15
        return [_value(file, inside) for _ in range(_varint(file) if head >> 4 == 15 else head >> 4)]
    sizes = {_BYTE: 1, _DOUBLE: 8}
    if kind != _BYTES and kind not in sizes:
        raise ValueError("a page has no header")
    file.seek(sizes.get(kind) or _varint(file), 1)
    return None


def _byte(file: IO[bytes]) -> int:
    if not (found := file.read(1)):
        raise EOFError("a page has no end")
    return found[0]


def _varint(file: IO[bytes]) -> int:
    found = 0
    for place in range(_VARINT):
        byte = _byte(file)
        found |= (byte & 127) << 7 * place
        if byte < 128:
            return found
    raise ValueError("a page has no header")


def _number(file: IO[bytes]) -> int:
    found = _varint(file)
    return (found >> 1) ^ -(found & 1)
