"""Reads bytes from disk and decodes them to typed values, with errors that name the location."""

from __future__ import annotations

import ast
import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec
import numpy as np

from showthrough.core.arrays import Bytes
from showthrough.core.errors import InputError, Problem, at_document, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.storage.compression import MAGIC, compression_of, open_unpacked
from showthrough.storage.limits import FILE, RECORD, Limit, check_regular, check_size
from showthrough.storage.paths import file_state as file_state

T = TypeVar("T")
U = TypeVar("U")
BOM = b"\xef\xbb\xbf"
WHOLE = 1 << 18  # bytes that are read at a time of a file that is read from its start to its end
ENOUGH = 10_000  # problems of one file; whatever it is, it is broken throughout
_FIELD = 80  # characters of the path to a field, some of them names out of the file
_FOREIGN = {
    b"\xff\xfe\x00\x00": "UTF-32", b"\x00\x00\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16",
}  # fmt: skip
_LIST = lazy_pattern(rb'\s*\[(?!\s*")')  # a list that is no line of its own: such a line starts with a text
_FIELD_PATH = lazy_pattern(r"(.*) - at `(?:key in )?\$?(.*)`$", re.DOTALL)
_WORDS = {
    "object": "an object {…}", "array": "a list […]", "str": "text", "int": "a whole number",
    "float": "a number", "bool": "true or false",
}  # fmt: skip
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)  # what bytes raise that are no such value
_CHOICES = {
    "identifier_type": "DIRECT, QUASI, NO_MASK or MAY_MASK",
    "better": "higher or lower",
    "identifiers": "DIRECT or QUASI",
    "tier": "must, may or keep",
    "others": "may, keep or marked",
    "ways": "suppress, label, generalize or surrogate",
    "leave": "year, age-89, zip-3 or state",
}


def fail(file: Path | str, message: str, location: str = "") -> InputError:
    return InputError(Problem(str(file), location, message))


def suffix(path: Path) -> str:
    """The ending that tells the format: `.jsonl` of `cases.jsonl.gz` and of `cases.jsonl.zst`."""
    bare = path.with_suffix("") if compression_of(path) else path
    return bare.suffix.lower()


def stem(path: Path) -> str:
    """The name without its endings: `cases` of `cases.jsonl.gz`."""
    bare = path.with_suffix("") if compression_of(path) else path
    return bare.stem or bare.name


def is_folder(path: Path) -> bool:
    if "\0" in str(path):
        raise fail(path, "cannot be read: no name of a file has a zero byte")
    with reading(path):  # a name too long, a folder above it that may not be entered
        return path.is_dir()


def files_in(folder: Path) -> list[Path]:
    """All that is in a folder and in the folders in it, sorted. One that cannot be looked into is an error: what is in
    it would be missing, and nobody would know. A link to a folder is not followed, since it could lead in a circle.
    """

    def stop(error: OSError) -> None:
        raise fail(str(error.filename or folder), f"cannot be read: {error.strerror}") from error

    inside = []
    for home, folders, files in os.walk(folder, onerror=stop):
        inside += [Path(home, name) for name in (*folders, *files)]
        if links := [link for name in folders if (link := Path(home, name)).is_symlink()]:
            raise fail(min(links), "is a link to a folder, which is not followed; expected the folder itself")
    return sorted(inside)


def exists(path: Path) -> bool:
    with reading(path):  # in a folder that may be listed and not entered
        return path.exists()


def open_file(path: Path, buffer: int = -1) -> IO[bytes]:
    """A file to read, unpacked on the way where its name ends in .gz or .zst.

    A plain file is read so many bytes at a time: many suit whoever reads all of it, few whoever reads here and there.
    """
    if is_folder(path):
        raise fail(path, "is a folder; expected a file")
    check_regular(path)
    with reading(path):
        if compression_of(path):
            return open_unpacked(path, lambda: path.open("rb"))
        return path.open("rb", buffer)


def read_bytes(path: Path, limit: Limit = FILE) -> bytes:
    """All of a file, without a byte-order mark."""
    return without_bom(path, read_all(path, limit))


def read_all(path: Path, limit: Limit = FILE) -> bytes:
    """All of a file as it is; raises InputError where that is more than the limit, and reads no more of it."""
    with reading(path), open_file(path) as file:
        check_size(path, limit)
        return file.read(limit.bytes)  # it may have grown since


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What the system, a storage or an unpacker refuses, as an InputError that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise fail(path, "no such file") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise fail(path, f"cannot be read: {reason}") from error


def without_bom(path: Path, content: bytes) -> bytes:
    for mark, name in _FOREIGN.items():
        if content.startswith(mark):
            raise fail(path, f"is encoded in {name}; expected UTF-8")
    for mark, (name, ending) in MAGIC.items():
        if content.startswith(mark):
            raise fail(path, f"is packed with {name}; expected a name that ends in {ending}")
    if b"\0" in content[:4]:  # no text starts so in UTF-8, and all but a few do in UTF-16
        raise fail(path, "has a zero byte at its start, as UTF-16 has; expected UTF-8")
    return content.removeprefix(BOM)


def text_of(path: Path, content: bytes, expected: str = "UTF-8 throughout") -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise fail(path, f"byte {error.start} is not UTF-8; expected {expected}") from error


def decoder_of(kind: type[T]) -> msgspec.json.Decoder[T]:
    """Reads JSON as values of a class. It is made when somebody reads: of a class with many fields that takes long."""
    return _decoder_of(kind)  # type: ignore[arg-type]  # a class has a hash


@cache
def _decoder_of(kind: type[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def decode_json(
    content: bytes | msgspec.Raw,
    decoder: msgspec.json.Decoder[T],
    file: Path | str,
    location: str = "",
    field: str = "",
) -> T:
    """One JSON value of a known type; anything else is an InputError that says where and what.

    `location` is the document or line that the value stands in, `field` the path to it in there.
    """
    try:
        return decoder.decode(content)
    except msgspec.ValidationError as error:
        field, fault = type_fault(error, field)
        field = shorten(field, _FIELD)
    except msgspec.DecodeError as error:
        fault = f"is not valid JSON: {_describe_location(str(error), bytes(content))}"
    except UnicodeDecodeError:
        fault = "is not UTF-8; expected UTF-8 throughout"
    except RecursionError:
        fault = "is nested too deeply; expected a few levels"
    raise fail(file, fault, ": ".join(filter(None, (location, field))))


def decoded_or_none(content: bytes | msgspec.Raw, decoder: msgspec.json.Decoder[T]) -> T | None:
    """One JSON value of a known type; `None` for anything else."""
    try:
        return decoder.decode(content)
    except UNREADABLE:
        return None


def type_fault(error: msgspec.ValidationError, field: str = "") -> tuple[str, str]:
    """Where a value of another type stands, in the value that `field` is the path to; and what was found there."""
    message = _FIELD_PATH.match(str(error))
    problem, path = message.groups() if message else (str(error), "")
    field = (field + path).lstrip(".")
    return field, plain(problem, field)


def plain(message: str, field: str = "") -> str:
    """msgspec's wording in ours: `found …; expected …`.

    >>> plain("Expected `str | null`, got `int`")
    'found a whole number; expected text or null'
    >>> plain("Expected `array` of at least length 2, got 1")
    'found a list of 1; expected a list of at least 2'
    """
    if match := re.match(r"Expected `array` of (at \w+) length (\d+)(?:, got (\d+))?$", message):
        description = f"a list of {match[3]}" if match[3] else "a longer list"
        return f"found {description}; expected a list of {match[1]} {match[2]}"
    if match := re.match(r"Expected `array` of length (\d+)(?:, got (\d+))?$", message):
        return f"found a list of {match[2] or 'another length'}; expected one of {match[1]}"
    if match := re.match(r"Expected `(.*?)`(.*?), got `(.*)`$", message, re.DOTALL):
        description = "a decimal number" if match[3] == "float" else _in_words(match[3])
        return f"found {description}; expected {_in_words(match[1])}{match[2]}"
    if match := re.match(r"Expected `(\w+)` ([<>])= (.*)$", message):
        return f"expected {_in_words(match[1])} of {match[3]} or {'less' if match[2] == '<' else 'more'}"
    if match := re.match(r"Invalid enum value (.*)$", message, re.DOTALL):
        name = field.rpartition(".")[2].partition("[")[0]
        return f"found {shorten(match[1])}; expected {_CHOICES.get(name, 'one of the known values')}"
    if match := re.match(r"Object missing required field `(.*)`$", message):
        return f"{match[1]} is missing"
    if match := re.match(r"Object contains unknown field `(.*)`$", message):
        return f"unknown key {shorten(match[1])}"
    if message.endswith("out of range"):
        return "found a number that is out of all range; expected a smaller one"
    return message[0].lower() + message[1:]


def _in_words(types: str) -> str:
    *most, last = (_WORDS.get(name, name) for name in types.split(" | "))
    return f"{', '.join(most)} or {last}" if most else last


def _describe_location(message: str, content: bytes) -> str:
    """`(byte 812)` as line and column; a truncated file at its end."""
    match = re.search(r" \(byte (\d+)\)$", message)
    problem = message[: match.start()].removeprefix("JSON is malformed: ") if match else "it ends too early"
    content = content.rstrip()
    position = min(int(match[1]), len(content)) if match else len(content)
    if content.startswith(BOM, position):
        problem = "a byte order mark; expected it at the start of the file, if anywhere"
    elif problem in ("invalid utf-16 surrogate pair", "unexpected end of hex escape"):
        problem = "half of a surrogate pair, which is no character"
    elif problem == "trailing characters":
        position -= 1  # msgspec counts the first of them
        gap = content[len(content[:position].rstrip()) : position]
        if b"\r" in gap and b"\n" not in gap:
            problem = "a carriage return alone ends a line; expected a line feed, or both"
        else:
            problem = "more follows after the first value; expected one here, or one a line and the ending .jsonl"
    line = content.count(b"\n", 0, position) + 1
    column = position - (content.rfind(b"\n", 0, position) + 1) + 1
    location = f"line {line}, column {column}" if b"\n" in content else f"column {column}"
    return f"{problem} ({location})"


_TOP = msgspec.json.Decoder(dict[str, msgspec.Raw])
_PAIR = lazy_pattern(rb'\s*[,{]\s*"(?:[^"\\]|\\.)*"\s*:\s*')


def object_entries(path: Path, content: bytes, noun: str = "document", at: str = "") -> dict[str, msgspec.Raw]:
    """The values of a JSON object by key, still encoded. A key that occurs twice is an error, not a lost value."""
    entries = decode_json(content, _TOP, path, at)
    longest = RECORD.bytes
    for key, raw in entries.items():
        if len(memoryview(raw)) > longest:
            raise RECORD.exceeded_error(path, "has", f"{noun} {shorten(key)}")
    end = 0
    base = _address(content)
    # A value that a later one of the same key replaced lies in the gap before the next value that was kept.
    for start, raw in sorted((_address(raw) - base, raw) for raw in entries.values()):
        if not _PAIR.fullmatch(content, end, start):
            raise InputError(
                Problem(str(path), f"{noun} {shorten(key)}", "occurs twice; expected it once")
                for key in _repeated_keys(content)
            )
        end = start + len(memoryview(raw))
    return entries


def _address(buffer: Any) -> int:
    view: Bytes = np.frombuffer(buffer, dtype=np.uint8)
    return int(view.__array_interface__["data"][0])


def _repeated_keys(content: bytes) -> Iterator[str]:
    import json

    # Values need not be right for keys to be told: numbers stay text, because Python reads none of thousands of digits.
    text = content.decode("utf-8", "replace")
    keys = json.loads(text, object_pairs_hook=lambda pairs: [key for key, _ in pairs], parse_int=str, parse_float=str)
    earlier: set[str] = set()
    for key in keys:
        if key in earlier:
            yield key
        earlier.add(key)


def lines_of(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and content of every line of a JSON Lines file that is not blank."""
    offset = number = 0
    packed = bool(compression_of(path))
    most, longest = FILE.bytes, RECORD.bytes
    with reading(path), open_file(path, WHOLE) as file:
        while line := file.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise RECORD.exceeded_error(path, "has", f"line {number}")
            if packed and offset + len(line) > most:
                raise FILE.exceeded_error(path, "unpacks to")
            content = without_bom(path, line) if number == 1 else line
            if number == 1 and _LIST.match(content) and not content.rstrip().endswith(b"]"):
                raise fail(path, "starts a JSON list; expected one object a line, or the ending .json")
            if content and not content.isspace():
                yield number, offset + len(line) - len(content), content
            offset += len(line)


def collect_results(items: Iterable[T], read: Callable[[T], U]) -> list[U]:
    """What `read` makes of each; raises InputError with all that is wrong with all of them."""
    problems: list[Problem] = []
    results: list[U] = []
    for item in items:
        try:
            results.append(read(item))
        except InputError as error:
            problems += error.problems
            if len(problems) > ENOUGH:
                break
    if problems:
        raise InputError(problems)
    return results


def unique(pairs: Iterable[tuple[str, T]], path: Path) -> dict[str, T]:
    """Values by id; raises InputError for ids that are empty or occur twice."""
    values: dict[str, T] = {}
    problems = []
    for key, value in pairs:
        if not key:
            problems.append(Problem(str(path), "a document", "its id is empty; expected a name"))
        if key in values:
            problems.append(Problem(str(path), at_document(key), "occurs twice; expected unique ids"))
        values[key] = value
    if problems:
        raise InputError(problems)
    return values


LONGEST_LITERAL = 10**6  # characters of what Python printed: its reader takes a hundred times as much
LITERAL_FAULTS = (ValueError, TypeError, ArithmeticError, SyntaxError, MemoryError, RecursionError)
_ANY = msgspec.json.Decoder()


def parse_list(content: str) -> Any:
    """The list or object that a text is; `None` where it is none.

    >>> parse_list('[{"start": 3}]'), parse_list("[(3, 11, 'PERSON')]"), parse_list("[sic]")
    ([{'start': 3}], [[3, 11, 'PERSON']], None)
    """
    value = from_json(content, _ANY)
    if value is None and len(content) <= LONGEST_LITERAL and content.rstrip().endswith(("]", "}")):
        try:
            value = _ANY.decode(msgspec.json.encode(of_python(content)))
        except (*LITERAL_FAULTS, msgspec.MsgspecError):
            return None
    return value if isinstance(value, list | dict) else None


def from_json(content: str, decoder: msgspec.json.Decoder[Any]) -> Any:
    """What JSON holds, in whatever quotation marks; `None` where it is none, or not what is expected."""
    value = decoded_or_none(content.encode("utf-8", "surrogatepass"), decoder)
    if value is None and not set('"\\') & set(content):  # then every quotation mark is one that Python set
        value = decoded_or_none(content.replace("'", '"').encode("utf-8", "surrogatepass"), decoder)
    return value


def of_python(content: str) -> Any:
    """What Python printed; raises one of its many errors for anything else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a backslash that means nothing
        return ast.literal_eval(content.strip())
