"""The people that a document is about, and what is true of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from showthrough.errors import shown

CERTAIN = 5  # the most that certainty and hardness can be; 0 is nothing said
AUTHOR = "author"  # the id of the one who wrote a document, where it is about them alone


class Attribute(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What is true of a person: a tag, such as AGE, and a value. How certain that is, and how hard to find out."""

    tag: str
    value: str
    certainty: int = CERTAIN
    hardness: int = 0


class Subject(msgspec.Struct, frozen=True, array_like=True):
    """One person in a document. Several attributes of one tag are several values of it, each of them true."""

    id: str
    attributes: tuple[Attribute, ...] = ()
    description: str = ""


def level_fault(level: int) -> str:
    """What is wrong with a certainty or a hardness; empty where it is sound."""
    return "" if 0 <= level <= CERTAIN else f"found {level}; expected 0 to {CERTAIN}"


def subject_faults(subjects: Sequence[Subject]) -> Iterator[tuple[str, str]]:
    """What makes subjects unusable, by field."""
    seen: set[str] = set()
    for index, subject in enumerate(subjects):
        place = f"subjects[{index}]"
        if subject.id in seen:
            yield f"{place}.id", f"found {shown(subject.id)} a second time; expected every subject once"
        seen.add(subject.id)
        for number, attribute in enumerate(subject.attributes):
            yield from ((f"{place}.attributes[{number}].{name}", fault) for name, fault in _faults(attribute))


def _faults(attribute: Attribute) -> Iterator[tuple[str, str]]:
    if not attribute.tag:
        yield "tag", "is empty; expected a name"
    if not attribute.value.strip():
        yield "value", "is empty; expected what is true of the subject"
    for name, level in (("certainty", attribute.certainty), ("hardness", attribute.hardness)):
        if fault := level_fault(level):
            yield name, fault
