"""The people that a document is about, and what is true of them."""

from __future__ import annotations

import msgspec

CERTAIN = 5  # the most that certainty and hardness can be; 0 is nothing said


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
