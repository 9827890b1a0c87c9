"""Lists that stand in a JSON string: as JSON again, or as Python prints them. Nothing of them is ever run."""

from __future__ import annotations

import ast
import warnings
from typing import TypeVar

import msgspec

from showthrough.errors import quoted
from showthrough.files.reading import UNREADABLE, decoded_or_none, type_fault
from showthrough.formats.objects import Entry

T = TypeVar("T")
_LONGEST = 10**6  # characters of what Python printed: its reader takes a hundred times as much
_FAULTS = (ValueError, TypeError, ArithmeticError, SyntaxError, MemoryError, RecursionError)


def literal(content: str, decoder: msgspec.json.Decoder[T], entry: Entry, field: str) -> T:
    """What a string holds; raises InputError for anything else."""
    value = decoded_or_none(content.encode("utf-8", "surrogatepass"), decoder)
    if value is None and not set('"\\') & set(content):  # then every quotation mark is one that Python set
        value = decoded_or_none(content.replace("'", '"').encode("utf-8", "surrogatepass"), decoder)
    return _of_python(content, decoder, entry, field) if value is None else value


def _of_python(content: str, decoder: msgspec.json.Decoder[T], entry: Entry, field: str) -> T:
    expected = "expected a list, in JSON or as Python prints it"
    if len(content) > _LONGEST:
        raise entry.fail(f"has {len(content)} characters; {expected}, of at most {_LONGEST}", field)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a backslash that means nothing
            value = ast.literal_eval(content.strip())
    except _FAULTS:
        raise entry.fail(f"found {quoted(content)}; {expected}", field) from None
    try:
        return decoder.decode(msgspec.json.encode(value))
    except msgspec.ValidationError as error:
        inner, fault = type_fault(error)
        raise entry.fail(fault, f"{field}{'' if inner.startswith('[') or not inner else '.'}{inner}") from None
    except (*UNREADABLE, *_FAULTS):  # a kind of value that JSON does not have
        raise entry.fail(f"found {quoted(content)}; {expected}", field) from None
