"""What somebody would do who can run the anonymizer too: learn to tell authors from masked texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.families.authorship.verifiers.base import (
    ADAPTIVE as ADAPTIVE,
    Question,
    VerifierLearner,
    question_digest,
)
from showthrough.families.authorship.verifiers.traces import split_folds
from showthrough.models.cache import Cache, question
from showthrough.models.files import library_versions
from showthrough.models.settings import Watch

AUTHORS = 20  # with fewer there is next to nothing to learn from
FOLDS = 10
VERSION = 1  # rises when an answer could change


def cross_fitted(
    learner: VerifierLearner,
    questions: Sequence[Question],
    same: Bools,
    circles: Ints,
    seed: int,
    cache: Cache,
    watch: Watch | None = None,
) -> Floats:
    """What a learner answers to each question that learned from the others, circle-wise; asked before, it is kept."""
    digests = [question_digest(item) for item in questions]
    identity = (
        learner.name,
        learner.version,
        library_versions("scikit-learn"),
    )  # another version may learn another machine
    name = question(ADAPTIVE, VERSION, *identity, FOLDS, seed, digests, same, circles)
    (entry,) = cache.through([name], lambda _: [{"answers": _answers(learner, questions, same, circles, seed, watch)}])
    return np.asarray(entry["answers"], dtype=np.float64)


def _answers(
    learner: VerifierLearner, questions: Sequence[Question], same: Bools, circles: Ints, seed: int, watch: Watch | None
) -> Floats:
    random, folds = np.random.default_rng(seed), split_folds(circles, same, FOLDS, seed)
    answers = np.empty(len(questions))
    parts = int(folds.max()) + 1
    for fold in range(parts):
        train, test = _balance(np.flatnonzero(folds != fold), same, random), np.flatnonzero(folds == fold)
        fitted = learner.fit([questions[index] for index in train.tolist()], same[train], circles[train], seed)
        answers[test] = fitted.answers([questions[index] for index in test.tolist()])
        if watch:
            watch("learning who wrote texts", fold + 1, parts)
    return answers


def _balance(indices: Ints, same: Bools, random: np.random.Generator) -> Ints:
    """As many questions of the one kind as of the other: whoever learns that one is rarer says it less."""
    classes = [random.permutation(indices[same[indices] == is_same]) for is_same in (True, False)]
    return np.sort(np.concatenate([members[: min(map(len, classes))] for members in classes]))
