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
    states = [State()] * len(labels)
    spans = spans_of(labels)
    behind = {span.last: span.entity_type for span in spans}
    ahead = {span.first - 1: span.entity_type for span in spans}
    for at in behind.keys() | ahead.keys():
        if 0 <= at < len(states):
            states[at] = State(behind=behind.get(at, ""), ahead=ahead.get(at, ""))
    for span in spans:
        for at in range(span.first, span.last):
            first, last = at == span.first, at == span.last - 1
            states[at] = State("S" if first and last else "B" if first else "E" if last else "I", span.entity_type)
    return states


def may_join(states: Sequence[State]) -> Bools:
    """Whether the state of a column may follow that of a row."""
    closed = {state.behind for state in states if not state.place} - {""}  # types after which a state is kept
    opened = {state.ahead for state in states if not state.place} - {""}
    return np.array([[_joins(state, other, closed, opened) for other in states] for state in states])


def _joins(state: State, other: State, closed: set[str], opened: set[str]) -> bool:
    if state.place in {"B", "I"}:
        return other.place in {"I", "E"} and other.entity_type == state.entity_type
    if other.place in {"I", "E"}:
        return False
    if state.place:  # a phrase ends
        return bool(other.place) or other.behind == (state.entity_type if state.entity_type in closed else "")
    if other.place:  # a phrase begins
        return state.ahead == (other.entity_type if other.entity_type in opened else "")
    return not state.ahead and not other.behind
