"""Matches the people in an attacker's answer to the true people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from showthrough.core.errors import ResourceError, quoted, some
from showthrough.data.subjects import Attribute, Subject
from showthrough.families.inference.base import Answer, Guess, Person
from showthrough.families.inference.profiles import right
from showthrough.statistics.numerics.matching import NOBODY, best_matching

Said = TypeVar("Said", Attribute, Guess)
Matched = Sequence[Person | None]  # of each true person the one who was seen; None: nobody saw them


def matched(truth: Sequence[Subject], answer: Answer) -> Matched:
    """As the answer says itself, where it says so of anybody; else by agreement. Raises ResourceError."""
    if any(person.matches is not None for person in answer):
        return _match_recorded(truth, answer)
    return by_agreement(truth, answer)


def by_agreement(truth: Sequence[Subject], answer: Answer) -> Matched:
    """One to one, so that all that was said agrees best with what is true; of several such, always the same."""
    if len(truth) == len(answer) == 1:
        return answer
    if not truth or not answer:
        return [None] * len(truth)
    seen = [by_tag(person.guesses) for person in answer]
    score = np.array([[_agreeing(by_tag(one.attributes), other) for other in seen] for one in truth])
    return [None if place == NOBODY else answer[place] for place in best_matching(score).tolist()]


def by_tag(said: Iterable[Said]) -> dict[str, list[Said]]:
    """What is said, or true, of one person, by tag and in its order."""
    result: dict[str, list[Said]] = {}
    for item in said:
        result.setdefault(item.tag, []).append(item)
    return result


def _agreeing(true: Mapping[str, Sequence[Attribute]], said: Mapping[str, Sequence[Guess]]) -> float:
    """Over all tags, the best agreement of a true and an answered value."""
    return sum(
        max(
            (right(tag, one.value, two.value) for one in true[tag] for two in said[tag] if two.certainty),
            default=0.0,
        )
        for tag in true.keys() & said.keys()
    )


def _match_recorded(truth: Sequence[Subject], answer: Answer) -> Matched:
    """Whoever matched them has spoken: people without a match are nobody's."""
    by_id: dict[str, Person] = {}
    known = {one.id for one in truth}
    for person in answer:
        if person.matches is None:
            continue
        if person.matches not in known:
            expected = f"expected one of {some(one.id for one in truth)}" if known else "there is nobody"
            raise ResourceError(f"an answer matches the person {quoted(person.matches)}; {expected}")
        if person.matches in by_id:
            raise ResourceError(f"two answers match the person {quoted(person.matches)}; expected one")
        by_id[person.matches] = person
    return [by_id.get(one.id) for one in truth]
