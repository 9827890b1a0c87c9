"""Linear classifiers of texts: ridge regression on TF-IDF of words or on vectors, and who is held out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.models.embedder import KnownWords, words_of

# Texts, their labels by number, how many labels there are, and texts to label: their labels.
Learn = Callable[[Sequence[str], Ints, int, Sequence[Sequence[str]]], list[Ints]]

RIDGE = 1.0
_DIGITS = 9  # of a label's score: what differs by less is a tie, and the label that comes first wins


def predicted_labels(texts: Sequence[str], labels: Ints, classes: int, tests: Sequence[Sequence[str]]) -> list[Ints]:
    """The labels that a classifier gives to texts, after it has learned those of others.

    It solves (K + 1) a = y − ȳ, where K has the cosines of the training texts by TF-IDF, and y is 1 in the column of a
    text's label. A text's scores are ȳ plus its cosines times a. The largest one is its label.

    >>> predicted_labels(["ash oak", "ash elm", "cat dog"], np.array([0, 0, 1]), 2, [["oak", "dog", "yew"]])
    [array([0, 1, 0])]
    """
    words = KnownWords(list(map(words_of, texts)))
    rows = words.weights(texts)
    turned = rows.transpose()
    share = _shares(labels, classes)
    directions = turned.times(_dual(rows.product(turned), labels, share))
    return [_highest(words.weights(released).times(directions) + share) for released in tests]


def labels_by_vectors(vectors: Floats, labels: Ints, classes: int, tests: Sequence[Floats]) -> list[Ints]:
    """The same of texts as vectors: their mean is subtracted, and each is scaled to length 1.

    >>> vectors = np.array([[3.0, 1], [2, 1], [-5, 1]])
    >>> labels_by_vectors(vectors, np.array([0, 0, 1]), 2, [np.array([[9.0, 1], [-9, 1]])])
    [array([0, 1])]
    """
    centre = vectors.mean(axis=0)
    rows = _unit(vectors - centre)
    share = _shares(labels, classes)
    directions = rows.T @ _dual(rows @ rows.T, labels, share)
    return [_highest(_unit(released - centre) @ directions + share) for released in tests]


def _shares(labels: Ints, classes: int) -> Floats:
    return np.asarray(np.bincount(labels, minlength=classes) / len(labels))


def _dual(kernel: Floats, labels: Ints, share: Floats) -> Floats:
    """What each text to learn from weighs in the score of each label."""
    return np.asarray(np.linalg.solve(kernel + RIDGE * np.eye(len(labels)), np.eye(len(share))[labels] - share))


def _highest(scores: Floats) -> Ints:
    return np.asarray(np.round(scores, _DIGITS).argmax(axis=1))


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))


def count_units(units: Sequence[str], labels: Sequence[str]) -> Counter[str]:
    """How many independent units have a document of each label; documents without a label do not count."""
    pairs = set(zip(labels, units, strict=True))
    return Counter(label for label, _ in sorted(pairs) if label)


def deal_folds(units: Sequence[str], labels: Sequence[str], folds: int, seed: int) -> Ints:
    """The fold of each document, by whom it is tested: units stay whole, and every label is spread over the folds.

    A unit counts as one of its rarest label. −1 where a document has no label.

    >>> deal_folds(["a", "b", "c", "d", "d"], ["x", "x", "y", "y", "y"], 2, 0).tolist()
    [0, 1, 0, 1, 1]
    """
    count = count_units(units, labels)
    rarest: dict[str, str] = {}
    for unit, label in zip(units, labels, strict=True):
        if label:
            rarest[unit] = min(rarest.get(unit, label), label, key=lambda key: (count[key], key))
    names = list(rarest)
    drawn = [names[at] for at in np.random.default_rng(seed).permutation(len(names))]
    drawn.sort(key=lambda unit: (count[rarest[unit]], rarest[unit]))
    fold = {unit: at % folds for at, unit in enumerate(drawn)}
    return np.array([fold[unit] if label else -1 for unit, label in zip(units, labels, strict=True)], dtype=np.int64)


def held_out(
    train: Sequence[str],
    tests: Sequence[Sequence[str]],
    labels: Ints,
    fold: Ints,
    most: int,
    seed: int,
    learn: Learn = predicted_labels,
) -> list[Ints]:
    """The label that each document gets from a classifier that learned from the other folds; −1 where it has no fold.

    If more than `most` documents are there to learn from, as many are drawn.
    """
    classes = int(labels.max()) + 1
    answers = [np.full(len(labels), -1) for _ in tests]
    for number in range(int(fold.max()) + 1):
        out: Bools = fold == number
        learning = np.flatnonzero((fold >= 0) & ~out)
        if len(learning) > most:
            learning = np.sort(np.random.default_rng([seed, number]).choice(learning, most, replace=False))
        chosen = np.flatnonzero(out)
        parts = [[texts[at] for at in chosen.tolist()] for texts in tests]
        learned = learn([train[at] for at in learning.tolist()], labels[learning], classes, parts)
        for answer, predicted in zip(answers, learned, strict=True):
            answer[chosen] = predicted
    return answers
