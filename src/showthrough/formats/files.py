"""Bytes from disk and typed values from bytes, with errors that name the place."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from showthrough.errors import InputError, Problem

T = TypeVar("T")
_BOM = b"\xef\xbb\xbf"
_FOREIGN = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}
_PATH = re.compile(r"(.*) - at `(?:key in )?\$?(.*)`$", re.DOTALL)
_WORDS = {"`object`": "an object {…}", "`array`": "a list […]", "`str`": "text", "`int`": "a whole number"}


def fail(file: Path | str, message: str, place: str = "") -> InputError:
    return InputError(Problem(str(file), place, message))


def suffix(path: Path) -> str:
    """The ending that tells the format: `.jsonl` of `cases.jsonl.gz`."""
    bare = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return bare.suffix.lower()


def stem(path: Path) -> str:
    """The name without its endings: `cases` of `cases.jsonl.gz`."""
    bare = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return bare.stem or bare.name


def open_file(path: Path) -> IO[bytes]:
    """A file to read, unpacked on the way where its name ends in .gz."""
    try:
        if path.is_dir():
            raise fail(path, "is a folder; expected a file")
        return cast("IO[bytes]", gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")
    except FileNotFoundError:
        raise fail(path, "no such file") from None
    except OSError as error:
        raise fail(path, f"cannot be read: {error.strerror}") from error


def read_bytes(path: Path) -> bytes:
    """All of a file, without a byte-order mark."""
    try:
        with open_file(path) as file:
            return without_bom(path, file.read())
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or f"damaged or not a gzip file ({error})"
    return fail(path, f"cannot be read: {reason}")


def without_bom(path: Path, content: bytes) -> bytes:
    for mark, name in _FOREIGN.items():
        if content.startswith(mark):
            raise fail(path, f"is encoded in {name}; expected UTF-8")
    return content.removeprefix(_BOM)


def text_of(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise fail(path, f"byte {error.start} is not UTF-8; expected UTF-8 throughout") from error


def decoded(
    content: bytes | memoryview | msgspec.Raw, decoder: msgspec.json.Decoder[T], file: Path | str, place: str = ""
) -> T:
    """One JSON value of a known type; anything else is an InputError that says where and what."""
    try:
        return decoder.decode(content)
    except msgspec.ValidationError as error:
        found = _PATH.match(str(error))
        what, where = found.groups() if found else (str(error), "")
        raise fail(file, plain(what), ": ".join(part for part in (place, where.lstrip(".")) if part)) from None
    except msgspec.DecodeError as error:
        raise fail(file, f"is not valid JSON: {_located(str(error), bytes(content))}", place) from None
    except UnicodeDecodeError:
        raise fail(file, "is not UTF-8; expected UTF-8 throughout", place) from None
    except RecursionError:
        raise fail(file, "is nested too deeply", place) from None


def plain(message: str) -> str:
    """msgspec's wording in ours: `found …; expected …`."""
    match = re.match(r"Expected (`.*?`)(.*?), got (`.*`|\d+)$", message, re.DOTALL)
    if match:
        expected, more, found = match.groups()
        return (
            f"found {_WORDS.get(found, found.strip('`'))}; expected {_WORDS.get(expected, expected.strip('`'))}{more}"
        )
    match = re.match(r"Invalid enum value (.*)$", message, re.DOTALL)
    if match:
        return f"found {match[1]}; expected DIRECT, QUASI or NO_MASK"
    match = re.match(r"Object missing required field `(.*)`$", message)
    if match:
        return f"{match[1]} is missing"
    return message[0].lower() + message[1:]


def _located(message: str, content: bytes) -> str:
    """`(byte 812)` as line and column; a truncated file at its last line."""
    match = re.search(r" \(byte (\d+)\)$", message)
    at = int(match[1]) if match else len(content)
    what = message[: match.start()].removeprefix("JSON is malformed: ") if match else "it ends too early"
    line = content.count(b"\n", 0, at) + 1
    column = at - (content.rfind(b"\n", 0, at) + 1) + 1
    return f"{what} (line {line}, column {column})"


_TOP = msgspec.json.Decoder(dict[str, msgspec.Raw])
_PAIR = re.compile(rb'\s*[,{]\s*"(?:[^"\\]|\\.)*"\s*:\s*')


def object_entries(path: Path, content: bytes) -> dict[str, msgspec.Raw]:
    """The values of a JSON object by key, still encoded. A key that occurs twice is an error, not a lost value."""
    entries = decoded(content, _TOP, path)
    end = 0
    base = _address(content)
    # A value that a later one of the same key replaced lies in the gap before the next value that was kept.
    for place, raw in sorted((_address(raw) - base, raw) for raw in entries.values()):
        gap = content[end:place]
        if not _PAIR.fullmatch(gap):
            raise InputError(
                Problem(str(path), f"document {key}", "occurs twice; expected unique ids") for key in _twice(content)
            )
        end = place + len(memoryview(raw))
    if not entries and content.strip() not in (b"{}",) and content.strip(b" \t\r\n{}"):
        raise fail(path, "is not a JSON object")
    return entries


def _address(buffer: Any) -> int:
    view: NDArray[np.uint8] = np.frombuffer(buffer, dtype=np.uint8)
    return int(view.__array_interface__["data"][0])


def _twice(content: bytes) -> Iterator[str]:
    import json

    pairs = json.loads(content, object_pairs_hook=lambda found: [key for key, _ in found])
    seen: set[str] = set()
    for key in pairs:
        if key in seen:
            yield key
        seen.add(key)


def lines_of(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and content of every line of a JSON Lines file that is not blank."""
    offset = 0
    try:
        with open_file(path) as file:
            for number, line in enumerate(file, 1):
                content = without_bom(path, line) if number == 1 else line
                if content.strip():
                    yield number, offset + len(line) - len(content), content
                offset += len(line)
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from error


def collect(problems: list[Problem], error: InputError) -> None:
    """Adds an error's problems to the others, so that all are told at once."""
    problems.extend(error.problems)


def first_byte(path: Path) -> bytes:
    """The first byte that is not white space, which tells a JSON list from an object; empty when there is none."""
    try:
        with open_file(path) as file:
            head = without_bom(path, file.read(64)).lstrip()
            return head[:1]
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from error
