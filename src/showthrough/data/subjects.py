"""The people that a document is about, and what is true of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from showthrough.core.errors import shorten

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


def duplicate_faults(ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """That subjects of one document share an id, by field."""
    earlier: set[str] = set()
    for index, name in enumerate(ids):
        if name in earlier:
            yield f"subjects[{index}].id", f"found {shorten(name)} a second time; expected every subject once"
        earlier.add(name)


def subject_faults(subjects: Sequence[Subject]) -> Iterator[tuple[str, str]]:
    """What makes subjects unusable, by field."""
    yield from duplicate_faults(item.id for item in subjects)
    for index, subject in enumerate(subjects):
        for number, attribute in enumerate(subject.attributes):
            for name, fault in _faults(attribute):
                yield f"subjects[{index}].attributes[{number}].{name}", fault


def level_faults(certainty: int, hardness: int) -> Sequence[tuple[str, str]]:
    """What is wrong with both, by name; at no cost where nothing is."""
    if 0 <= certainty <= CERTAIN and 0 <= hardness <= CERTAIN:
        return ()
    levels = (("certainty", certainty), ("hardness", hardness))
    return [(name, fault) for name, level in levels if (fault := level_fault(level))]


def _faults(attribute: Attribute) -> Iterator[tuple[str, str]]:
    if not attribute.tag:
        yield "tag", "is empty; expected a name"
    if not attribute.value.strip():
        yield "value", "is empty; expected what is true of the subject"
    yield from level_faults(attribute.certainty, attribute.hardness)
