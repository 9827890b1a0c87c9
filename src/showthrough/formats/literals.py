"""Lists that stand in a JSON string: as JSON again, or as Python prints them. Nothing of them is ever run."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from showthrough.core.errors import quote_value
from showthrough.formats.annotation_tools.printed import FAULTS, LONGEST, from_json, of_python
from showthrough.formats.objects import Entry
from showthrough.storage.reading import UNREADABLE, type_fault

T = TypeVar("T")


def literal(content: str, decoder: msgspec.json.Decoder[T], entry: Entry, field: str) -> T:
    """What a string holds; raises InputError for anything else."""
    value: T | None = from_json(content, decoder)
    return _of_python(content, decoder, entry, field) if value is None else value


def _of_python(content: str, decoder: msgspec.json.Decoder[T], entry: Entry, field: str) -> T:
    expected = "expected a list, in JSON or as Python prints it"
    if len(content) > LONGEST:
        raise entry.fail(f"has {len(content)} characters; {expected}, of at most {LONGEST}", field)
    try:
        value = of_python(content)
    except FAULTS:
        raise entry.fail(f"found {quote_value(content)}; {expected}", field) from None
    try:
        return decoder.decode(msgspec.json.encode(value))
    except msgspec.ValidationError as error:
        inner, fault = type_fault(error)
        raise entry.fail(fault, f"{field}{'' if inner.startswith('[') or not inner else '.'}{inner}") from None
    except (*UNREADABLE, *FAULTS):  # a kind of value that JSON does not have
        raise entry.fail(f"found {quote_value(content)}; {expected}", field) from None
