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


class StatedAttribute(msgspec.Struct, gc=False):
    tag: str
    value: str
    certainty: int = CERTAIN
    hardness: int = 0


class StatedSubject(msgspec.Struct):
    id: str | int
    attributes: list[StatedAttribute] = []
    description: str = ""


def attribute_of(subject: str, entity_type: str, words: str) -> Said:
    """What a mention tells of the one that it is about."""
    return subject, Attribute(_TAGS.get(entity_type, entity_type), " ".join(words.split()), CERTAIN, _PLAIN)


def mention_fault(entity_type: str) -> str:
    """What is wrong with a mention that is about somebody; empty where it is sound."""
    return "" if entity_type else "has a subject and no entity_type; expected one, which names the attribute"


def subjects_of(stated: Iterable[StatedSubject], additions: Iterable[Said]) -> tuple[Subject, ...]:
    """Everybody in their order, each value of a tag once: what is stated of them, and what mentions add."""
    by_id = {str(subject.id): subject for subject in stated}
    attributes = {
        name: [Attribute(*msgspec.structs.astuple(fact)) for fact in subject.attributes]
        for name, subject in by_id.items()
    }
    seen = {(name, fact.tag, fact.value) for name, facts in attributes.items() for fact in facts}
    for name, attribute in additions:
        subject_facts = attributes.setdefault(name, [])
        if attribute.value and (name, attribute.tag, attribute.value) not in seen:
            seen.add((name, attribute.tag, attribute.value))
            subject_facts.append(attribute)
    return tuple(
        Subject(name, tuple(facts), by_id[name].description if name in by_id else "")
        for name, facts in attributes.items()
    )


def subject_records(document: Document) -> list[dict[str, object]]:
    """Everybody as they are written."""
    return [
        {
            "id": subject.id,
            **({"description": subject.description} if subject.description else {}),
            "attributes": [msgspec.structs.asdict(attribute) for attribute in subject.attributes],
        }
        for subject in document.subjects
    ]
