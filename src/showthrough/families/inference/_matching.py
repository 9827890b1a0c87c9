"""Matches the people in an attacker's answer to the true people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from showthrough.core.errors import ResourceError, join_names, quote_value
from showthrough.data.subjects import Attribute, Subject
from showthrough.families.inference.base import Answer, Guess, Person
from showthrough.families.inference.profiles import right
from showthrough.statistics.numerics.matching import NOBODY, best_matching

Said = TypeVar("Said", Attribute, Guess)
Matched = Sequence[Person | None]  # of each true person the one who was seen; None: nobody saw them


def match_people(truth: Sequence[Subject], answer: Answer) -> Matched:
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
    score = np.array([[_score_agreement(by_tag(subject.attributes), other) for other in seen] for subject in truth])
    return [None if index == NOBODY else answer[index] for index in best_matching(score).tolist()]


def by_tag(items: Iterable[Said]) -> dict[str, list[Said]]:
    """What is said, or true, of one person, by tag and in its order."""
    result: dict[str, list[Said]] = {}
    for item in items:
        result.setdefault(item.tag, []).append(item)
    return result


def _score_agreement(true: Mapping[str, Sequence[Attribute]], guesses: Mapping[str, Sequence[Guess]]) -> float:
    """Over all tags, the best agreement of a true and an answered value."""
    return sum(
        max(
            (
                right(tag, attribute.value, guess.value)
                for attribute in true[tag]
                for guess in guesses[tag]
                if guess.certainty
            ),
            default=0.0,
        )
        for tag in true.keys() & guesses.keys()
    )


def _match_recorded(truth: Sequence[Subject], answer: Answer) -> Matched:
    """Whoever matched them has spoken: people without a match are nobody's."""
    by_id: dict[str, Person] = {}
    ids = {subject.id for subject in truth}
    for person in answer:
        if person.matches is None:
            continue
        if person.matches not in ids:
            expected = f"expected one of {join_names(subject.id for subject in truth)}" if ids else "there is nobody"
            raise ResourceError(f"an answer matches the person {quote_value(person.matches)}; {expected}")
        if person.matches in by_id:
            raise ResourceError(f"two answers match the person {quote_value(person.matches)}; expected one")
        by_id[person.matches] = person
    return [by_id.get(subject.id) for subject in truth]
