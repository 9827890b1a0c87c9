"""What somebody would do who can run the anonymizer too: learn to tell authors from masked texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from showthrough.axis.spans import Bools, Ints
from showthrough.resources.cache import Cache, question
from showthrough.resources.files import library_versions
from showthrough.resources.settings import Watch
from showthrough.verifiers.base import ADAPTIVE as ADAPTIVE, Array, Learner, Question
from showthrough.verifiers.folds import parted
from showthrough.verifiers.remembering import question_digest

AUTHORS = 20  # with fewer there is next to nothing to learn from
FOLDS = 10
VERSION = 1  # rises when an answer could change


def cross_fitted(
    learner: Learner,
    questions: Sequence[Question],
    same: Bools,
    circles: Ints,
    seed: int,
    cache: Cache,
    watch: Watch | None = None,
) -> Array:
    """What a learner answers to each question that learned from the others, circle-wise; asked before, it is kept."""
    asked = [question_digest(one) for one in questions]
    by = learner.name, learner.version, library_versions("scikit-learn")  # another version may learn another machine
    name = question(ADAPTIVE, VERSION, *by, FOLDS, seed, asked, same, circles)
    (entry,) = cache.through([name], lambda _: [{"answers": _answers(learner, questions, same, circles, seed, watch)}])
    return np.asarray(entry["answers"], dtype=np.float64)


def _answers(
    learner: Learner, questions: Sequence[Question], same: Bools, circles: Ints, seed: int, watch: Watch | None
) -> Array:
    random, folds = np.random.default_rng(seed), parted(circles, same, FOLDS, seed)
    answers = np.empty(len(questions))
    parts = int(folds.max()) + 1
    for fold in range(parts):
        there, held = _balanced(np.flatnonzero(folds != fold), same, random), np.flatnonzero(folds == fold)
        fitted = learner.fit([questions[place] for place in there.tolist()], same[there], circles[there], seed)
        answers[held] = fitted.answers([questions[place] for place in held.tolist()])
        if watch:
            watch("learning who wrote texts", fold + 1, parts)
    return answers


def _balanced(places: Ints, same: Bools, random: np.random.Generator) -> Ints:
    """As many questions of the one kind as of the other: whoever learns that one is rarer says it less."""
    kinds = [random.permutation(places[same[places] == kind]) for kind in (True, False)]
    return np.sort(np.concatenate([each[: min(map(len, kinds))] for each in kinds]))
