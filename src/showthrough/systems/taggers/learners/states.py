"""The states of a hierarchical model: phrases of a type, made of tokens that begin, go on and end, and what is around.

A phrase of type X is S-X, or B-X, I-X …, E-X. Outside, a token directly before a phrase is `<X`, one directly after
`X>`, one between two `X><Y`, all others O. So the model knows what announces a phrase, and what closes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from showthrough.data.layout.spans import Bools
from showthrough.systems.taggers.labels import OUTSIDE, spans_of


@dataclass(frozen=True)
class State:
    """Where in a phrase a token is, and of which type; outside, which types are behind and ahead of it."""

    place: str = ""  # S, B, I or E; nothing outside
    entity_type: str = ""
    behind: str = ""
    ahead: str = ""

    @property
    def label(self) -> str:
        """As taggers say it."""
        if not self.place:
            return OUTSIDE
        return f"{'B' if self.place in 'SB' else 'I'}-{self.entity_type}"


def states_of(labels: Sequence[str]) -> list[State]:
    """The states of one sequence.

    >>> [one.place or one.behind + ">" * bool(one.behind) for one in states_of(["O", "B-A", "I-A", "O", "O"])]
    ['', 'B', 'E', 'A>', '']
    """
    made = [State()] * len(labels)
    found = spans_of(labels)
    behind = {one.last: one.entity_type for one in found}
    ahead = {one.first - 1: one.entity_type for one in found}
    for at in behind.keys() | ahead.keys():
        if 0 <= at < len(made):
            made[at] = State(behind=behind.get(at, ""), ahead=ahead.get(at, ""))
    for one in found:
        for at in range(one.first, one.last):
            first, last = at == one.first, at == one.last - 1
            made[at] = State("S" if first and last else "B" if first else "E" if last else "I", one.entity_type)
    return made


def joining(states: Sequence[State]) -> Bools:
    """Whether the state of a column may follow that of a row."""
    closed = {one.behind for one in states if not one.place} - {""}  # types after which a state is kept
    opened = {one.ahead for one in states if not one.place} - {""}
    return np.array([[_joins(one, other, closed, opened) for other in states] for one in states])


def _joins(one: State, other: State, closed: set[str], opened: set[str]) -> bool:
    if one.place in {"B", "I"}:
        return other.place in {"I", "E"} and other.entity_type == one.entity_type
    if other.place in {"I", "E"}:
        return False
    if one.place:  # a phrase ends
        return bool(other.place) or other.behind == (one.entity_type if one.entity_type in closed else "")
    if other.place:  # a phrase begins
        return one.ahead == (other.entity_type if other.entity_type in opened else "")
    return not one.ahead and not other.behind
