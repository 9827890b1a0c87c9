"""The people in a document of TAB JSON: said in a list of their own, or by mentions that name whom they are about."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from showthrough.data.documents import Document
from showthrough.data.subjects import CERTAIN, Attribute, Subject

_PLAIN = 1  # how hard it is to find out what stands there
# What SPIA calls what the Text Anonymization Benchmark has types for; other types are tags as they are.
_TAGS = {"PERSON": "NAME", "CODE": "IDENTIFICATION_NUMBER", "LOC": "LOCATION", "ORG": "AFFILIATION"}

Said = tuple[str, Attribute]  # of a subject, by id


class Stated(msgspec.Struct, gc=False):
    tag: str
    value: str
    certainty: int = CERTAIN
    hardness: int = 0


class StatedSubject(msgspec.Struct):
    id: str | int
    attributes: list[Stated] = []
    description: str = ""


def said_by(subject: str, entity_type: str, words: str) -> Said:
    """What a mention tells of the one that it is about."""
    return subject, Attribute(_TAGS.get(entity_type, entity_type), " ".join(words.split()), CERTAIN, _PLAIN)


def untyped(entity_type: str) -> str:
    """What is wrong with a mention that is about somebody; empty where it is sound."""
    return "" if entity_type else "has a subject and no entity_type; expected one, which tells what it says of them"


def subjects_of(stated: Iterable[StatedSubject], said: Iterable[Said]) -> tuple[Subject, ...]:
    """Everybody in their order, each value of a tag once: what is stated of them, and what mentions add."""
    known = {str(one.id): one for one in stated}
    attributes = {
        name: [Attribute(*msgspec.structs.astuple(one)) for one in each.attributes] for name, each in known.items()
    }
    seen = {(name, one.tag, one.value) for name, each in attributes.items() for one in each}
    for name, attribute in said:
        each = attributes.setdefault(name, [])
        if attribute.value and (name, attribute.tag, attribute.value) not in seen:
            seen.add((name, attribute.tag, attribute.value))
            each.append(attribute)
    return tuple(
        Subject(name, tuple(each), known[name].description if name in known else "")
        for name, each in attributes.items()
    )


def subject_records(document: Document) -> list[dict[str, object]]:
    """Everybody as they are written."""
    return [
        {
            "id": one.id,
            **({"description": one.description} if one.description else {}),
            "attributes": [msgspec.structs.asdict(each) for each in one.attributes],
        }
        for one in document.subjects
    ]
