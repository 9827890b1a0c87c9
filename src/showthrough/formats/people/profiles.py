"""Profiles of authors, as SynthPAI has them: what somebody wrote, and what is true of them.

What an attacker guessed may stand beside it, so one file is a corpus and answers. Here it is left aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar

import msgspec

from showthrough.core.errors import InputError, shorten
from showthrough.data.documents import Document
from showthrough.data.subjects import AUTHOR, CERTAIN, Attribute, Subject, level_faults
from showthrough.formats.base import Fit, Format, Input, Texts
from showthrough.formats.objects import Entry, Id, Objects, W
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import unique

Value = str | int | float | None
Fault = tuple[str, str]  # a field, and what is wrong there


def build_attributes(tag: str, value: Value, certainty: int, hardness: int) -> tuple[Attribute, ...]:
    """One attribute; none where nothing is said."""
    text = "" if value is None else str(value)
    return (Attribute(tag, text, certainty, hardness),) if text.strip() and certainty else ()


def refuse(faults: Iterable[Fault], entry: Entry) -> None:
    """Raises InputError with all faults of a document, where there are any."""
    if problems := [problem for field, fault in faults for problem in entry.fail(fault, field).problems]:
        raise InputError(problems)


def text_alone(name: str, text: str | None, group: Id, entry: Entry) -> Document:
    """A document of which nothing is said yet."""
    if text is None:
        raise entry.fail("text is missing; expected text (answers alone are no corpus)")
    return Document(name, text, group="" if group is None else str(group))


def released_texts(objects: Objects[W]) -> Callable[[Input], Texts]:
    """A reader of texts alone: who is said to be in them is said of the originals."""

    def read(file: Input) -> Texts:
        return Texts(unique(((document.id, document.text) for document in objects.read(file)), file.path))

    return read


class _Attribute(msgspec.Struct, gc=False):
    aside: ClassVar = ("guesses", "verdicts")

    gold: Value
    hardness: int = 0
    certainty: int = CERTAIN


class _Profile(msgspec.Struct, rename={"id": "profile"}):
    aside: ClassVar = ("model", "answer")

    id: str | int
    text: str | None = None
    attributes: dict[str, _Attribute] | None = None
    group: Id = None


def _profile(wire: _Profile, entry: Entry) -> Document:
    released = _released(wire, entry)
    if wire.attributes is None:
        raise entry.fail("attributes is missing; expected what is true of the author, by name")
    refuse(_faults(wire.attributes), entry)
    attributes = (
        attribute
        for tag, wire_attribute in wire.attributes.items()
        for attribute in build_attributes(tag, wire_attribute.gold, wire_attribute.certainty, wire_attribute.hardness)
    )
    return msgspec.structs.replace(released, subjects=(Subject(AUTHOR, tuple(attributes)),))


def _released(wire: _Profile, entry: Entry) -> Document:
    return text_alone(entry.named(wire.id), wire.text, wire.group, entry)


def _faults(attributes: Mapping[str, _Attribute]) -> Iterator[Fault]:
    for tag, attribute in attributes.items():
        if not tag:
            yield "attributes", "found one without a name; expected a name, such as age"
        for name, fault in level_faults(attribute.certainty, attribute.hardness):
            yield f"attributes.{shorten(tag)}.{name}", fault


def _recognise(head: Head) -> Fit:
    row = head.first
    if not isinstance(row, dict) or not isinstance(row.get("profile"), str | int):
        return Fit.NO
    return Fit.CERTAIN if isinstance(row.get("attributes"), dict) else Fit.NO


ROWS = Objects(_Profile, _profile)
FORMAT = Format(
    "profiles of authors: what one wrote and what is true of them, one a line",
    *((".jsonl",), _recognise, ROWS.read, released_texts(Objects(_Profile, _released))),
    sample={
        "sample.jsonl": (
            '{"profile": "case-1", "text": "Mr John Doe of Oslo left.", "attributes": {'
            '"sex": {"gold": "female", "hardness": 4, "certainty": 2}, '
            '"city_country": {"gold": "Oslo, Norway", "hardness": 1, "certainty": 4}}}\n'
        )
    },
)
