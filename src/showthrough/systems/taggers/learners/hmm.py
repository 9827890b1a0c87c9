"""A hierarchical hidden Markov model: states of phrases and of what is around them, moves between them, and words.

What a word tells of the state is backed off from the word as it is written over its root to its ending and its shape,
each as far as training has seen it (after Witten and Bell 1991), and turned round by Bayes' rule. As in every such
model, a word hangs on its own state alone: features of its neighbours are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import ClassVar, Self

import msgspec
import numpy as np

from showthrough.core.arrays import AnyArray, Bools, Floats, Ints
from showthrough.models.model_folders import arrays_as_file, arrays_of_file
from showthrough.statistics.numerics.sparse import SparseRows
from showthrough.systems.taggers.labels import OUTSIDE, spans_of
from showthrough.systems.taggers.learners._columns import FeatureColumns, laid_out
from showthrough.systems.taggers.learners._label_sequences import best_path, build_answer, names_of, state_probabilities
from showthrough.systems.taggers.learners.base import Row, Rows, TaggedSequence

# The states of a hierarchical model are phrases of a type, made of tokens that begin, go on and end, and what is
# around them.


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

    >>> [state.place or state.behind + ">" * bool(state.behind) for state in states_of(["O", "B-A", "I-A", "O", "O"])]
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


_NUMBERS, _NAMES = "hmm.npz", "hmm.json"
# What a row tells of its token itself, from the most general to the most special.
LEVELS = ("o", "s", "S", "f", "r", "l", "w")
_IMPOSSIBLE = -1e9
_TINY = 1e-300
_NOTHING = SparseRows(np.zeros(0), np.zeros(0, np.int64), np.zeros(1, np.int64), 0)  # before it is fitted


class _Names(msgspec.Struct, frozen=True):
    states: list[dict[str, str]]
    columns: list[str]


@dataclass
class Hmm:
    """A hidden Markov model: labels a sequence of tokens by its most probable states."""

    name: ClassVar[str] = "hmm"

    states: list[State] = field(default_factory=list, repr=False)
    columns: FeatureColumns = field(default_factory=lambda: FeatureColumns([]), repr=False)
    counts: SparseRows = field(default_factory=lambda: _NOTHING, repr=False)  # features × states
    followed: Floats = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    opened: Floats = field(default_factory=lambda: np.zeros(0), repr=False)

    def fit(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int = 0) -> None:
        """The seed changes nothing: there is no chance in it."""
        state_lists = [states_of(sequence) for sequence in labels]
        seen = {state for states in state_lists for state in states} | {State()}
        self.states = sorted(seen, key=lambda state: (state.place, state.entity_type, state.behind, state.ahead))
        number = {state: at for at, state in enumerate(self.states)}
        paths = [np.array([number[state] for state in states], dtype=np.int64) for states in state_lists]
        count = len(self.states)
        self.followed, self.opened = np.zeros((count, count)), np.zeros(count)
        for path in paths:
            np.add.at(self.followed, (path[:-1], path[1:]), 1.0)
            self.opened[path[:1]] += 1.0
        rows, _ = laid_out(sequences)
        chains = [[name for name in _chain(row) if name] for row in rows]
        self.columns = FeatureColumns.from_sequences([chains], 1)
        self.counts = _count_features(self.columns.of(chains), np.concatenate([*paths, np.zeros(0, np.int64)]), count)

    def predict(self, sequences: Sequence[Rows]) -> list[TaggedSequence]:
        labels = names_of([[state.label for state in self.states]])
        index = {label: at for at, label in enumerate(labels)}
        label_of = np.array([index[state.label] for state in self.states])
        gathers = np.eye(len(labels))[label_of]
        moves, begins, usual = self._moves()
        answers = []
        for rows in sequences:
            emitted = self._emissions(rows, usual)
            path = label_of[best_path(emitted, moves, begins)]
            answers.append(build_answer(labels, path, state_probabilities(emitted, moves, begins) @ gathers))
        return answers

    def _moves(self) -> tuple[Floats, Floats, Floats]:
        """The logarithms of moves and of beginnings, and how usual each state is."""
        occurs = self.followed.sum(axis=0) + self.opened
        usual = (occurs + 0.1) / (occurs + 0.1).sum()
        fits = may_join(self.states)
        backed = np.where(fits, usual, 0.0)
        backed /= np.maximum(backed.sum(axis=1, keepdims=True), _TINY)
        seen = self.followed.sum(axis=1, keepdims=True)
        kinds = (self.followed > 0).sum(axis=1, keepdims=True) + 1.0
        moves = (self.followed + kinds * backed) / (seen + kinds)
        first = np.array([state.place in {"", "S", "B"} and not state.behind for state in self.states])
        begins = self.opened + np.where(first, usual, 0.0)
        return _log(moves), _log(begins / begins.sum()), usual

    def _emissions(self, rows: Rows, usual: Floats) -> Floats:
        """The logarithm of how much more each token is to be expected in each state than elsewhere."""
        chains = [_chain(row) for row in rows]
        chance = np.tile(usual, (len(rows), 1))
        for level in range(len(LEVELS)):
            matrix = self.columns.of([[chain[level]] for chain in chains])
            at, columns = np.flatnonzero(np.diff(matrix.bound)), matrix.column
            if not len(at):
                continue
            counts = self.counts.rows(columns).dense()
            kinds = np.diff(self.counts.bound)[columns][:, None]
            chance[at] = (counts + kinds * chance[at]) / (counts.sum(axis=1, keepdims=True) + kinds)
        return _log(chance) - np.log(usual)

    def files(self) -> dict[str, bytes]:
        arrays: dict[str, AnyArray] = {
            "data": self.counts.data, "column": self.counts.column, "bound": self.counts.bound,
            "followed": self.followed, "opened": self.opened,
        }  # fmt: skip
        names = _Names([asdict(state) for state in self.states], list(self.columns.names))
        return {_NUMBERS: arrays_as_file(arrays), _NAMES: msgspec.json.encode(names)}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Self:
        names = msgspec.json.decode(files[_NAMES], type=_Names)
        arrays = arrays_of_file(files[_NUMBERS], _NUMBERS)
        states = [State(**values) for values in names.states]
        counts = SparseRows(arrays["data"], arrays["column"], arrays["bound"], len(states))
        return cls(states, FeatureColumns(names.columns), counts, arrays["followed"], arrays["opened"])


def _chain(row: Row) -> list[str]:
    """One feature of each level, the last in the row, which is the longest; empty where there is none."""
    by_level = {name[: name.find("=")]: name for name in row}
    return [by_level.get(level, "") for level in LEVELS]


def _count_features(matrix: SparseRows, states: Ints, count: int) -> SparseRows:
    """How many tokens have each feature in each state."""
    key, many = np.unique(matrix.column * count + states[matrix.row], return_counts=True)
    bound = np.searchsorted(key, np.arange(matrix.width + 1) * count)
    return SparseRows(many.astype(np.float64), key % count, bound, count)


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(values), _IMPOSSIBLE)
