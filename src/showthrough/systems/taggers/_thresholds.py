"""From which probability on a token is hidden: chosen on training records that the labeller has not seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from showthrough.core.arrays import Bools, Floats
from showthrough.engines.local import Local
from showthrough.systems.taggers._examples import Example, folds_of
from showthrough.systems.taggers._labeller import Recipe, fit_labeller
from showthrough.systems.taggers.labels import OUTSIDE, type_of
from showthrough.systems.taggers.learners.base import TaggedSequence

FOLDS = 3
# Lower ones are not tried: on records that it has not seen, a learner's probabilities are too rough to tell them apart.
GRID = (0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
_MOST_TOKENS = 60_000  # of the records that it is chosen on: more would cost more than they tell
Curve = list[dict[str, float]]  # threshold, precision, recall and F of each point


def curve(
    examples: Sequence[Example],
    recipe: Recipe,
    language: str,
    beta: float,
    seed: int = 0,
    jobs: int = 1,
    done: Callable[[], None] = lambda: None,
) -> Curve:
    """Precision, recall and F at each threshold, by cross-validation over records."""
    chosen = _sample(examples, seed)
    fold = folds_of(chosen, FOLDS, seed)
    tasks = [
        (
            recipe, language, seed,
            [example for example, number in zip(chosen, fold, strict=True) if number != fold_id],
            [example for example, number in zip(chosen, fold, strict=True) if number == fold_id],
        )
        for fold_id in sorted(set(fold))
    ]  # fmt: skip
    answers = []
    for answer in _answers(tasks, jobs):
        answers.append(answer)
        done()
    gold, hidden = (np.concatenate(side) for side in zip(*answers, strict=True))
    return [_point(gold, hidden, threshold, beta) for threshold in GRID]


def best(points: Curve) -> float:
    """The threshold with the highest F; of equals the lowest, which hides most."""
    return max(points, key=lambda point: (point["f"], -point["threshold"]))["threshold"]


def predict_held_out(
    recipe: Recipe, language: str, seed: int, seen: Sequence[Example], examples: Sequence[Example]
) -> tuple[Bools, Floats]:
    """Of each word and number in records that were held out: whether it is to be masked, and how probable that is."""
    labeller = fit_labeller(recipe, seen, language, seed)
    gold: list[bool] = []
    hidden: list[float] = []
    for example in examples:
        answer = labeller.tag(example.tokens)
        for word, label, outside in zip(example.tokens.words, example.labels, answer.outside, strict=True):
            if word[0].isalnum():
                gold.append(label != OUTSIDE)
                hidden.append(1 - outside)
    return np.array(gold, bool), np.array(hidden)


def apply_threshold(answer: TaggedSequence, threshold: float) -> tuple[list[str], list[float]]:
    """Labels in which each token is hidden whose probability reaches the threshold; and these probabilities.

    What the best sequence finds stays as it is; tokens that the threshold adds are found beside it and never
    lengthen it, so that the sure ones keep their borders.
    """
    hidden = [min(max(1 - outside, 0.0), 1.0) for outside in answer.outside]
    labels: list[str] = []
    adding = ""  # the type of the tokens added just before
    for probability, label, inside in zip(hidden, answer.labels, answer.inside, strict=True):
        if probability < threshold or label != OUTSIDE:
            labels.append(OUTSIDE if probability < threshold else label)
            adding = ""
        else:
            kind = type_of(inside)
            labels.append(f"{'I' if kind == adding else 'B'}-{kind}" if kind else OUTSIDE)
            adding = kind
    return labels, hidden


def _answers(tasks: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[Any]:
    if jobs == 1:
        yield from (predict_held_out(*task) for task in tasks)
        return
    with closing(Local(min(jobs, len(tasks)))) as workers:
        yield from workers.in_order(predict_held_out, tasks)


def _sample(examples: Sequence[Example], seed: int) -> list[Example]:
    """Records in an order by chance until there are tokens enough, but at least so many that each fold has one."""
    records = sorted({example.record for example in examples})
    order = np.random.default_rng(seed).permutation(len(records)).tolist()
    size: dict[str, int] = dict.fromkeys(records, 0)
    for example in examples:
        size[example.record] += len(example.tokens)
    sample: set[str] = set()
    tokens = 0
    for index in order:
        if tokens >= _MOST_TOKENS and len(sample) >= FOLDS:
            break
        sample.add(records[index])
        tokens += size[records[index]]
    return [example for example in examples if example.record in sample]


def _point(gold: Bools, hidden: Floats, threshold: float, beta: float) -> dict[str, float]:
    masked = hidden >= threshold
    right = float(np.sum(gold & masked))
    precision, recall = right / max(float(masked.sum()), 1.0), right / max(float(gold.sum()), 1.0)
    both = beta * beta * precision + recall
    f = (1 + beta * beta) * precision * recall / both if both else 0.0
    return {"threshold": threshold, "precision": precision, "recall": recall, "f": f}
