"""What author verifiers answered, and what is true: PAN's lines of text (2013 to 2016) and JSON Lines (2020 on)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from showthrough.core.errors import PlanError, at_document, quote_value
from showthrough.formats.objects import objects_of
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, decode_json, fail, text_of

V = TypeVar("V", float, bool)
Placed: TypeAlias = tuple[str, str, V]  # where it stands, the problem's id, its value

_TRUTHS = {"Y": True, "N": False}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
OBJECTS = re.compile(rb'(\[\s*)?\{\s*["}]|\[\s*\]')  # how JSON begins; a problem may be called [1] as well
_EXPECTED = "expected a number from 0 to 1"
_BREAK = re.compile(r"\r\n|\r|\n")
_NO_LINE = re.compile("[\r\n\0\ufeff]")  # a zero byte looks like UTF-16, and what UTF-8 may begin with is dropped
_NOT_IN_LINES = "its id cannot stand in a line of text; expected a file that ends in .jsonl"
_LISTED = re.compile(r"(?<=\s)\[\s*(\S+?)\s*\]\s*$")  # a list of one value at the end of a line


class _VerifierAnswer(msgspec.Struct):
    id: str | int
    value: float | tuple[float]  # a list of one number, as programs write that work with arrays


class _Truth(msgspec.Struct):
    id: str | int
    same: bool


def read_answers(path: str | os.PathLike[str]) -> dict[str, float]:
    """How probable a verifier finds it that one author wrote each problem, by id: `ID 0.731`, or `{"id", "value"}`."""
    return _read_by_id(
        path, _VerifierAnswer, _parse_number, 'one answer a problem: ID 0.731, or {"id": …, "value": 0.731}'
    )


def read_truth(path: str | os.PathLike[str]) -> dict[str, bool]:
    """Whether one author wrote each problem, by id: `ID Y` or `ID N`, or `{"id", "same"}`."""
    return _read_by_id(path, _Truth, truth_of, 'one line a problem: ID Y or ID N, or {"id": …, "same": true}')


def encode_answers(answers: Mapping[str, float], as_objects: bool) -> bytes:
    """Answers as they are read, to the last digit: what is near one half is no less of an answer."""
    if as_objects:
        return b"".join(msgspec.json.encode({"id": key, "value": value}) + b"\n" for key, value in answers.items())
    for key in answers:
        if not key or key != key.strip() or _NO_LINE.search(key):
            raise PlanError(_NOT_IN_LINES, at_document(key))
    content = "".join(f"{key} {value!r}\n" for key, value in answers.items()).encode()
    if OBJECTS.match(content):
        raise PlanError(_NOT_IN_LINES, at_document(next(iter(answers))))
    return content


def _read_by_id(path: str | os.PathLike[str], wire: Any, value_of: Callable[[str], V], expected: str) -> dict[str, V]:
    """The values of all lines; raises InputError with all that is wrong with them."""
    head = Head(path)
    if head.folder:
        raise fail(head.path, f"is a folder; expected a file with {expected}")
    if OBJECTS.match(head.start):
        read: Callable[[Any], Placed[V]] = partial(_parse_object, msgspec.json.Decoder(wire), head.path)
        lines: Iterable[tuple[str, Any]] = objects_of(head, "problem number")
    else:
        read = partial(_parse_line, value_of, head.path, expected)
        lines = numbered_lines(text_of(head.path, head.content))
    values: dict[str, V] = {}

    def take(line: tuple[str, Any]) -> None:
        location, problem, value = read(line)
        if not problem:
            raise fail(head.path, "its id is empty; expected a name", location)
        location = f"{location}: {at_document(problem)}"
        if problem in values:
            raise fail(head.path, "occurs twice; expected every problem once", location)
        values[problem] = value
        if not 0 <= value <= 1:
            raise fail(head.path, f"value is {value:g}; {_EXPECTED}", location)

    collect_results(lines, take)
    if not values:
        raise fail(head.path, f"is empty; expected {expected}")
    return values


def _parse_object(decoder: msgspec.json.Decoder[Any], path: Path, item: tuple[str, bytes]) -> Placed[Any]:
    location, content = item
    problem, value = msgspec.structs.astuple(decode_json(content, decoder, path, location))
    return location, str(problem), value[0] if isinstance(value, tuple) else value


def _parse_line(value_of: Callable[[str], V], path: Path, expected: str, item: tuple[str, str]) -> Placed[V]:
    """Of a line with an id, in which blanks may be, and a value."""
    location, line = item
    problem, *values = _LISTED.sub(r"\1", line).rsplit(maxsplit=1)
    if not values:
        raise fail(path, f"found {quote_value(line)}; expected {expected}", location)
    try:
        return location, problem.strip(), value_of(values[0])
    except ValueError as error:
        raise fail(path, str(error), f"{location}: {at_document(problem.strip())}") from None


def numbered_lines(text: str) -> Iterator[tuple[str, str]]:
    """The lines that are not blank, each with its place; PAN's end as on any system, sometimes in one file."""
    for number, line in enumerate(_BREAK.split(text), 1):
        if line.strip():
            yield f"line {number}", line


def _parse_number(written: str) -> float:
    if not _NUMBER.fullmatch(written):
        raise ValueError(f"found {quote_value(written)}; {_EXPECTED}")
    return float(written)


def truth_of(letter: str) -> bool:
    """Of PAN's letter; raises ValueError for anything else."""
    if letter not in _TRUTHS:
        raise ValueError(f"found {quote_value(letter)}; expected Y (the same author) or N")
    return _TRUTHS[letter]
