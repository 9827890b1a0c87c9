"""Pages of a Parquet file: what they say of their sizes, read before anything of them is unpacked.

The file's own summary may say anything, and a page of a few bytes may stand for millions of values: one text in a
dictionary that all rows name, a run of equal numbers, a text that begins as the one before. The headers of pages are
what a reader takes memory by, so they tell how much it can be at most.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from io import BytesIO
from typing import IO, Any

import msgspec

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


class Leaf(msgspec.Struct, frozen=True):
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
        value_size = self.largest if self.texts else self.width
        bound = self.largest + count * max(value_size, _VALUE)
        return min(bound, self.bytes + count * _VALUE) if folded and self.foldable else bound


def groups_of(file: IO[bytes]) -> list[Any]:
    """The groups of rows in a file's summary, of which the library would end this program where some parts are wrong.

    Raises ValueError or EOFError where it cannot be read.
    """
    end = file.seek(-_TAIL, 2)
    size = int.from_bytes(file.read(4), "little")
    file.seek(max(0, end - size))
    return list(_read_struct(BytesIO(file.read(size))).get(_GROUPS) or ())


def leaves(file: IO[bytes], group: Mapping[int, Any], schema: Any, columns: Collection[str]) -> list[Leaf]:
    """What a group of rows has in some columns. Raises ValueError or EOFError where that cannot be read."""
    column_types = [schema.column(index) for index in range(len(schema))]
    chunks = [chunk[_META] for chunk in group[1]]
    return [
        _read_leaf(file, chunk, column_type)
        for chunk, column_type in zip(chunks, column_types, strict=True)
        if column_type.path in columns or any(column_type.path.startswith(f"{name}.") for name in columns)
    ]


def _read_leaf(file: IO[bytes], chunk: Mapping[int, Any], column_type: Any) -> Leaf:
    first, dictionary = chunk[_PAGES], chunk.get(_DICTIONARY_PAGE, 0)
    position = dictionary if 0 < dictionary < first else first
    end = position + chunk[_PACKED]
    sizes, values, delta = [0], 0, False
    while position < end and values < chunk[_VALUES]:  # as far as the library reads
        file.seek(position)
        header = _read_struct(file)
        sizes.append(header[2])
        if header[2] < 0 or header[3] < 0:
            raise ValueError("a page has less than no bytes")
        for field in header.keys() & _ENCODING.keys():
            values += header[field][1] if field != _DICTIONARY else 0
            delta = delta or header[field][_ENCODING[field]] in _DELTA
        position = file.tell() + header[3]
    texts = column_type.physical_type == "BYTE_ARRAY" and column_type.logical_type.type != "DECIMAL"
    listed = column_type.max_repetition_level > 0
    return Leaf(column_type.path, texts, column_type.length, listed, values, sum(sizes), max(sizes), delta)


def _read_struct(file: IO[bytes]) -> dict[int, Any]:
    """A struct of Thrift's compact protocol; of its fields, numbers, structs and lists of them are kept."""
    fields: dict[int, Any] = {}
    field = 0
    while head := _read_byte(file):
        field = field + (head >> 4) if head >> 4 else _read_number(file)
        fields[field] = _read_value(file, head & 15)
    return fields


def _read_value(file: IO[bytes], field_type: int) -> Any:
    if field_type in (_TRUE, _FALSE):  # which the kind says already
        return None
    if field_type in _NUMBERS:
        return _read_number(file)
    if field_type == _STRUCT:
        return _read_struct(file)
    if field_type in (_LIST, _SET):
        head = _read_byte(file)
        inside = _BYTE if head & 15 in (_TRUE, _FALSE) else head & 15
        return [_read_value(file, inside) for _ in range(_read_varint(file) if head >> 4 == 15 else head >> 4)]
    sizes = {_BYTE: 1, _DOUBLE: 8}
    if field_type != _BYTES and field_type not in sizes:
        raise ValueError("a page has no header")
    file.seek(sizes.get(field_type) or _read_varint(file), 1)
    return None


def _read_byte(file: IO[bytes]) -> int:
    if not (byte := file.read(1)):
        raise EOFError("a page has no end")
    return byte[0]


def _read_varint(file: IO[bytes]) -> int:
    number = 0
    for index in range(_VARINT):
        byte = _read_byte(file)
        number |= (byte & 127) << 7 * index
        if byte < 128:
            return number
    raise ValueError("a page has no header")


def _read_number(file: IO[bytes]) -> int:
    encoded = _read_varint(file)
    return (encoded >> 1) ^ -(encoded & 1)
