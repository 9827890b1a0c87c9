"""What learners of ours have in common: labels as numbers, chains of them, and answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.systems.taggers.labels import OUTSIDE, type_of
from showthrough.systems.taggers.learners.base import TaggedSequence


def names_of(labels: Iterable[Sequence[str]]) -> list[str]:
    """All labels that occur, and O first, which may not."""
    return [OUTSIDE, *sorted({label for sequence in labels for label in sequence} - {OUTSIDE})]


def number_labels(labels: Iterable[Sequence[str]], names: Sequence[str]) -> Ints:
    """Labels of all sequences one under the other, as places among the names."""
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[label] for sequence in labels for label in sequence], dtype=np.int64)


def may_follow(names: Sequence[str]) -> Bools:
    """Whether the label of a column may follow that of a row: what goes on must have begun."""
    begun = np.array([type_of(name) for name in names])
    goes_on = np.array([name.startswith("I-") for name in names])
    return np.asarray(~goes_on[None, :] | (begun[:, None] == begun[None, :]))


def may_begin(names: Sequence[str]) -> Bools:
    """Whether a sequence may begin with a label."""
    return np.array([not name.startswith("I-") for name in names])


def build_answer(names: Sequence[str], path: Ints, probability: Floats) -> TaggedSequence:
    """The answer for a path of labels (O is the first name) and the probabilities of all."""
    if not len(path):
        return TaggedSequence([], [], [], [])
    sure = probability[np.arange(len(path)), path]
    best = probability[:, 1:].argmax(axis=1) + 1 if len(names) > 1 else np.zeros(len(path), dtype=np.int64)
    inside = np.where(path > 0, path, best)
    return TaggedSequence(
        [names[at] for at in path.tolist()],
        sure.tolist(),
        probability[:, 0].tolist(),
        [names[at] for at in inside.tolist()],
    )


def softmax(logits: Floats) -> Floats:
    """Probabilities, row by row."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def best_path(emitted: Floats, moves: Floats, begins: Floats, group: Ints | None = None) -> Ints:
    """The path with the highest sum of logarithms (Viterbi): tokens × states, states × states, states.

    Where states are in groups, what a token emits may depend on the group before it: tokens × groups × states. A
    sequence begins after the first group.
    """
    length, count = len(emitted), len(begins)
    if not length:
        return np.zeros(0, dtype=np.int64)
    came = np.zeros((length, count), dtype=np.int32)
    best = begins + (emitted[0] if group is None else emitted[0, 0])
    every, turned = np.arange(count), np.ascontiguousarray(moves.T)
    for at in range(1, length):
        reached = turned + best if group is None else turned + best + emitted[at][group].T
        came[at] = reached.argmax(axis=1)
        best = reached[every, came[at]] + (emitted[at] if group is None else 0.0)
    path = np.empty(length, dtype=np.int64)
    path[-1] = best.argmax()
    for at in range(length - 1, 0, -1):
        path[at - 1] = came[at, path[at]]
    return path


def state_probabilities(emitted: Floats, moves: Floats, begins: Floats, group: Ints | None = None) -> Floats:
    """The probability of each state at each token, over all paths (forward and backward), from the same logarithms."""
    length, count = len(emitted), len(begins)
    if not length:
        return np.zeros((0, count))
    steps = np.exp(moves)
    emissions = _exponentiate(emitted)
    ahead, back = np.empty((length, count)), np.ones((length, count))
    ahead[0] = np.exp(begins) * (emissions[0] if group is None else emissions[0, 0])
    ahead[0] /= ahead[0].sum()
    for at in range(1, length):
        if group is None:
            ahead[at] = (ahead[at - 1] @ steps) * emissions[at]
        else:
            ahead[at] = ahead[at - 1] @ (steps * emissions[at][group])
        ahead[at] /= ahead[at].sum()
    for at in range(length - 2, -1, -1):
        if group is None:
            back[at] = steps @ (emissions[at + 1] * back[at + 1])
        else:
            back[at] = (steps * emissions[at + 1][group]) @ back[at + 1]
        back[at] /= back[at].max()
    chance = ahead * back
    return np.asarray(chance / chance.sum(axis=1, keepdims=True))


def _exponentiate(emitted: Floats) -> Floats:
    """No longer logarithms, each token's highest 1."""
    top = emitted.reshape(len(emitted), -1).max(axis=1)
    return np.asarray(np.exp(emitted - top.reshape(-1, *[1] * (emitted.ndim - 1))))
