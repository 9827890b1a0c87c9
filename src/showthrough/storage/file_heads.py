"""Looks at the beginning of a file once, to tell what it holds, and passes it to the reader."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from showthrough.core.patterns import lazy_pattern
from showthrough.storage.limits import FILE, RECORD
from showthrough.storage.paths import as_path
from showthrough.storage.reading import (
    BOM,
    decoded_or_none,
    files_in,
    is_folder,
    lines_of,
    object_entries,
    open_file,
    read_bytes,
    reading,
    suffix,
    unique,
    without_bom,
)
from showthrough.storage.shards import Shards, shards_of

LINES = (".jsonl", ".ndjson")
PEEK = 1 << 16  # bytes in which a file says what it is
_MAX_RECORD = 1 << 22  # bytes of a first record that are looked at before it is read
_MANY = 64  # keys of an object that is one value a document, and no record
_MAX_LINES = 50  # lines that are looked at
_BLOCK = 1 << 20
_MARK = lazy_pattern(rb'"[^"\\]*(?:\\.[^"\\]*)*("?)|[\[\]{},]', re.DOTALL)
_KEY = msgspec.json.Decoder(str)
_VALUE = lazy_pattern(rb"\s*:\s*(\S?)\s*(\S?)")


class Shape(msgspec.Struct, frozen=True):
    """JSON by its first bytes: what it opens with, and the keys of its first object, with what their values open with.

    >>> shape_of(b'[{"id": 1, "data": {"text": "Oslo"}, "marks": [ {"st')
    Shape(opening=b'[', keys={'id': b'1,', 'data': b'{"', 'marks': b'[{'}, whole=False)
    """

    opening: bytes
    keys: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    whole: bool = True  # whether the object ended, so that these are all of its keys


def shape_of(start: bytes) -> Shape:
    opening = start[:1]
    record = start[1:].lstrip() if opening == b"[" else start
    if record[:1] != b"{":
        return Shape(opening)
    keys: dict[str, bytes] = {}
    depth, before, position = 0, b"", 0
    characters = record.decode("latin-1")  # a character a byte will do
    while mark := _MARK.search(record, position):
        sign, position = mark[0][:1], mark.end()
        if sign == b'"' and not mark[1]:  # it goes on after what was looked at
            break
        if sign == b'"' and depth == 1 and before in b"{,":
            value = _VALUE.match(record, mark.end())
            key = decoded_or_none(mark[0], _KEY)  # where it is no text, the reader of the file will say so
            key = mark[0][1:-1].decode("utf-8", "replace") if key is None else key
            keys[key] = value[1] + value[2] if value else b""
            if value and value[1] in (b"{", b"[") and (inner := _read_whole(characters, value.start(1))):
                position = inner[1]  # nothing inside it is asked for
        depth += (sign in b"{[") - (sign in b"}]")
        if depth == 0:
            return Shape(opening, keys)
        before = sign
    return Shape(opening, keys, whole=False)


_TOKEN = lazy_pattern(rb'"[^"\\]*(?:\\.[^"\\]*)*("?)|[\[\]{},:]|[^\s"\[\]{},:]+', re.DOTALL)
_CLOSING = {b"{": b"}", b"[": b"]"}
_ANY = msgspec.json.Decoder()
_WHOLE = json.JSONDecoder(strict=False)
_DEEP = 50  # levels that are looked into


def first_value(start: bytes) -> tuple[Any, bytes]:
    """The first JSON value of a file as far as it can be seen (of a list its first item), and what follows it.

    What was cut off is left out, a text that was cut off is empty. `None` where it is no JSON.

    >>> first_value(b'[{"id": 1, "data": {"text": "Oslo"}, "marks": [{"start": 3, "en')[0]
    {'id': 1, 'data': {'text': 'Oslo'}, 'marks': [{'start': 3}]}
    """
    value = start[1:].lstrip() if start[:1] == b"[" else start
    if end := _end_of(value):
        return decoded_or_none(value[:end], _ANY), value[end:].lstrip()
    open_: list[bytes] = []
    closable = 0, b""  # up to where it can be closed into a value, and with what
    key = False  # whether a text is a key: in an object, before its colon
    position, characters = 0, value.decode("latin-1")
    while token := _TOKEN.search(value, position):
        sign, position = token[0][:1], token.end()
        if (sign == b'"' and not token[1]) or (sign not in b'"[]{},:' and token.end() == len(value)):  # it is cut off
            closable = (
                (token.start(), b'""' + _closing_signs(open_)) if open_ and not key and sign == b'"' else closable
            )
            break
        levels = _DEEP - len(open_) if open_ else 0
        if sign in b"{[" and levels > 0 and (inner := _read_whole(characters, token.start(), levels)):
            position, key = inner[1], False
            closable = position, _closing_signs(open_)
            continue
        if sign in b"{[":
            open_.append(sign)
        elif sign in b"}]" and open_:
            open_.pop()
        if len(open_) > _DEEP:
            break
        if not (key or sign in b",:"):
            closable = token.end(), _closing_signs(open_)
            if not open_:
                return decoded_or_none(value[: token.end()], _ANY), value[token.end() :].lstrip()
        key = open_[-1:] == [b"{"] and (sign in b"{," or (key and sign == b'"'))
    return decoded_or_none(value[: closable[0]] + closable[1], _ANY), b""


def _end_of(value: bytes) -> int:
    """Where an object or a list ends that can be seen whole; 0 where it goes on, is empty, too deep or no JSON."""
    if value[:1] not in (b"{", b"["):
        return 0
    whole = _read_whole(value.decode("latin-1"), 0, _DEEP)
    return 0 if whole is None else whole[1]


def _read_whole(characters: str, start: int, levels: int = 0) -> tuple[Any, int] | None:
    """An object or a list and its end; `None` where it goes on, is no JSON, or is empty or too deep if that matters.

    The standard library tells that many times sooner than going from token to token.
    """
    try:
        value, end = _WHOLE.raw_decode(characters, start)
    except (ValueError, RecursionError):
        return None
    return None if levels and (value == {} or _is_deeper(value, levels)) else (value, end)


def _is_deeper(value: dict[str, Any] | list[Any], levels: int) -> bool:
    inside = value if isinstance(value, list) else value.values()
    return not levels or any(_is_deeper(item, levels - 1) for item in inside if isinstance(item, dict | list))


def _closing_signs(open_: list[bytes]) -> bytes:
    return b"".join(_CLOSING[sign] for sign in reversed(open_))


class Head(os.PathLike[str]):
    """A file or folder that is to be read. Whatever is asked of it is read when it is first asked for, and once.

    It stands wherever a path may, so a command that has looked at a file hands on what it has seen. Of several files
    that are one, the first tells what they are.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.shards = shards_of(path)  # where it is several files
        self.path = as_path(path) if self.shards is None else self.shards.paths[0]
        self._whole: bytes | None = None  # of a file that is no longer than what is looked at

    @classmethod
    def of(cls, path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Head:
        if isinstance(path, str | os.PathLike):
            return path if isinstance(path, cls) else cls(path)
        return cls(Shards.from_paths(path))

    def __fspath__(self) -> str:
        return str(self.path if self.shards is None else self.shards.pattern)

    @cached_property
    def folder(self) -> bool:
        return is_folder(self.path)

    @cached_property
    def suffix(self) -> str:
        """The ending of a file; a folder has none."""
        return "" if self.folder else suffix(self.path)

    @cached_property
    def endings(self) -> frozenset[str]:
        """The ending of a file, or those of all files in a folder."""
        return frozenset(map(suffix, files_in(self.path))) if self.folder else frozenset({self.suffix})

    def files(self, endings: Collection[str]) -> list[Path]:
        """The files of a folder that have one of these endings; a file is its own, whatever its ending."""
        return [file for file in files_in(self.path) if suffix(file) in endings] if self.folder else [self.path]

    @cached_property
    def start(self) -> bytes:
        """The first bytes of a file, white space and a byte-order mark aside; a folder has none."""
        if self.folder:
            return b""
        with reading(self.path), open_file(self.path) as file:
            raw = file.read(PEEK)
            self._whole = raw if len(raw) < min(PEEK, FILE.bytes) else None
            start = raw.removeprefix(BOM).lstrip()
            most = FILE.bytes
            while not start and (more := file.read(_BLOCK)):
                start = more.lstrip()
                if file.tell() > most:
                    raise FILE.exceeded_error(self.path, "begins with white space,")
            return start[:PEEK]

    @property
    def first_byte(self) -> bytes:
        """The first byte, which tells a JSON list from an object; raises InputError for another encoding than UTF-8."""
        return without_bom(self.path, self.start)[:1]

    @cached_property
    def json(self) -> Shape:
        return shape_of(self.start)

    @cached_property
    def _first(self) -> tuple[Any, bytes]:
        return first_value(self.start)

    @property
    def first(self) -> Any:
        """The first JSON value as far as it can be seen: of a list or of lines, the first of them."""
        return self._first[0]

    def closer(self) -> Head:
        """The same, seen up to the end of its first JSON record, where that is longer than what is looked at at first.

        For who is about to read the file: behind a long text, keys tell what it is, and whether there are marks.
        """
        start = self.start
        if self._whole is not None or start[:1] not in (b"{", b"[") or self._ends(start):
            return self
        with reading(self.path), open_file(self.path) as file:
            raw, most = file.read(PEEK), min(_MAX_RECORD, RECORD.bytes, FILE.bytes)
            while len(raw) < most and (more := file.read(min(3 * len(raw), most - len(raw)))):
                raw += more
                start = raw.removeprefix(BOM).lstrip()
                if self._ends(start):
                    break
        closer_head = Head(self.path)  # whether it is lines may be another thing now
        closer_head.start = start
        return closer_head

    def beginning_with(self, telling: Callable[[Any], bool]) -> Head:
        """The same as if it began with the first record that can be seen and tells more; itself where none does."""
        start, opening = self.start, self.start[:1]
        if opening not in (b"{", b"[") or (opening == b"{" and not self.lines):
            return self
        rest = start if self.lines else start[1:].lstrip()
        first = True
        while rest:
            record = rest
            value, rest = first_value(b"[" + record)  # of a list its first item, which is here all of it
            if telling(value):
                return self if first else self._starting_at(record if self.lines else b"[" + record)
            first, rest = False, rest.removeprefix(b",").lstrip()
        return self

    def _starting_at(self, start: bytes) -> Head:
        head = Head(self.path)
        head.start = start
        head.lines = self.lines
        return head

    def _ends(self, start: bytes) -> bool:
        """Whether the first record is all there; an object of many documents is none."""
        value, rest = first_value(start)
        alone = start[:1] == b"{" and self.suffix not in LINES
        return bool(rest) or (alone and isinstance(value, dict) and len(value) > _MANY)

    @cached_property
    def lines(self) -> bool:
        """Whether it is JSON Lines: because one value follows another, or by its ending, unless it is one list."""
        if self.suffix in (".csv", ".tsv"):
            return False
        listed = self.start[:1] == b"["
        if self.suffix not in LINES:
            return self.start[:1] == b"{" and self._first[1][:1] == b"{"
        first, rest = first_value(b"[" + self.start) if listed else (None, b"")
        alone = isinstance(first, list) and all(isinstance(item, dict | list) for item in first)
        return not (listed and alone and rest[:1] != b"[")

    def numbered_lines(self) -> Iterator[tuple[int, int, bytes]]:
        """Number, offset and content of every line of JSON Lines."""
        return lines_of(self.path)

    @cached_property
    def content(self) -> bytes:
        """All of a file; a short one was read when it was looked at."""
        return read_bytes(self.path) if self._whole is None else without_bom(self.path, self._whole)

    @cached_property
    def values(self) -> list[Any]:
        """What it begins with, as far as it can be seen: its one JSON value, or those of its first lines."""
        values: list[Any] = []
        rest = self.start
        while rest and len(values) < (_MAX_LINES if self.lines else 1):
            value, rest = first_value(b"[" + rest)  # of a list its first item, which is here all of it
            values.append(value)
        return values

    def by_id(self, fits: Callable[[Any], bool]) -> bool:
        """Whether its lines are objects from id to value: values fit, and no key is in all lines, as in records.

        That an id occurs twice is told by whoever reads them.
        """
        objects = [record for record in self.values if isinstance(record, dict)]
        shared = set(objects[0]).intersection(*objects[1:]) if len(objects) > 1 else ()
        return (
            self.lines
            and bool(objects)
            and not shared
            and all(fits(value) for record in objects for value in record.values())
        )

    @cached_property
    def entries(self) -> dict[str, msgspec.Raw]:
        """The values of a JSON object by key, still encoded; of lines, those of all of them."""
        if not self.lines:
            return object_entries(self.path, self.content)
        lines = ((f"line {number}", line) for number, _, line in self.numbered_lines())
        return unique(
            (entry for location, line in lines for entry in object_entries(self.path, line, at=location).items()),
            self.path,
        )
