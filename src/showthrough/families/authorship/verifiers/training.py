"""Training a verifier on problems of which it is known who wrote them, and how well it does on others."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.errors import PlanError, at_document, quote_value
from showthrough.core.expected import expects
from showthrough.data.copies import copy_mark
from showthrough.data.documents import Corpus, Document
from showthrough.families.authorship.verifiers.base import UNANSWERED, Question, VerifierLearner
from showthrough.families.authorship.verifiers.measures import compute_measures, statistics_of
from showthrough.families.authorship.verifiers.table import learner_named
from showthrough.families.authorship.verifiers.traces import components, split_folds, texts_of, trace, traces
from showthrough.families.authorship.verifiers.trained import Band, TrainedVerifier, without_band
from showthrough.models.model_folders import TrainingRecord
from showthrough.models.settings import Watch

FOLDS = 10
AUTHORS, PROBLEMS = "authors", "problems"  # what is held out where a learner is tried
_BATCH = 32  # questions that are looked at between two steps of a bar


@dataclass(frozen=True, eq=False)
class _Problems:
    """Questions with their answers, and which must not be parted."""

    questions: Sequence[Question]
    same: Bools
    authors: Ints

    def part(self, indices: Ints) -> _Problems:
        return _Problems([self.questions[at] for at in indices.tolist()], self.same[indices], self.authors[indices])


@expects(corpus=Corpus)
def train_verifier(
    corpus: Corpus,
    learner: str = "glad",
    *,
    seed: int = 0,
    band: Band | None = None,
    folds: int = FOLDS,
    name: str = "",
    watch: Watch | None = None,
) -> TrainedVerifier:
    """Trains a verifier on all problems of a corpus whose truth is known. Raises PlanError.

    `learner` is glad, impostors, ngrams or compression. Answers inside the `band`, such as (0.45, 0.55), are none. Its
    figures say how well the learner does on problems that were held out, a part of `folds` at a time. Problems that
    share a text or a group are held out together, like authors it has not met; and each by itself, as PAN does it.
    """
    chosen = learner_named(learner)
    check_request(band, folds, seed)
    problems = _collect_problems(corpus)
    started = time.perf_counter()
    _prepare(chosen, problems.questions, watch)
    advance = _count_rounds(watch, f"trying {learner}", 2 * folds)
    figures: dict[str, Any] = {
        "problems": len(problems.questions), "same": int(problems.same.sum()), "authors": len(set(problems.authors)),
        "folds": folds,
    }  # fmt: skip
    for unit, kept_together in ((AUTHORS, problems.authors), (PROBLEMS, np.arange(len(problems.same)))):
        answers = _cross_validate(
            chosen, problems, split_folds(kept_together, problems.same, folds, seed), seed, advance
        )
        figures[f"held_out_{unit}"] = _figures(problems.same, without_band(answers, band))
    fitted = chosen.fit(problems.questions, problems.same, problems.authors, seed)
    figures["seconds"] = round(time.perf_counter() - started, 3)
    settings = {"seed": seed, "folds": folds}
    return TrainedVerifier(fitted, learner, _describe_training(corpus), name or learner, band, settings, figures)


def check_request(band: Band | None, folds: int, seed: int) -> None:
    """Raises PlanError for what cannot be done, before anything is read."""
    if band is not None and not (len(band) == 2 and 0 <= band[0] <= UNANSWERED <= band[1] <= 1):
        raise PlanError(
            f"found {quote_value(band)}; expected two numbers about 0.5, from 0 to 1, such as 0.45-0.55", "band"
        )
    if folds < 2:
        raise PlanError(f"found {quote_value(folds)}; expected 2 or more", "folds")
    if seed < 0:
        raise PlanError(f"found {quote_value(seed)}; expected 0 or more", "seed")


def _collect_problems(corpus: Corpus) -> _Problems:
    """Raises PlanError for what cannot be learned from, in one line."""
    documents = [document for document in corpus if document.authorship is not None]
    _check_problems(corpus, documents)
    questions = [Question(document.authorship.known, document.text) for document in documents if document.authorship]
    same = np.array([bool(document.authorship and document.authorship.same) for document in documents])
    authors = components(list(map(traces, documents)))
    if authors.max() == 0:
        fault = "all problems share texts or groups, so that no author can be held out; expected several authors"
        raise PlanError(fault, file=corpus.source)
    return _Problems(questions, same, authors)


def _check_problems(corpus: Corpus, documents: Sequence[Document]) -> None:
    file, every = corpus.source, f"of {len(documents)} problems"
    if not documents:
        raise PlanError("no document asks who wrote it; expected problems with known texts, such as PAN's", file=file)
    pairs = [(document, document.authorship) for document in documents if document.authorship]
    if empty := [document.id for document, authorship in pairs if not any(text.strip() for text in authorship.known)]:
        fault = f"{len(empty)} {every} have no known text; expected at least one by the author"
        raise PlanError(fault, at_document(empty[0]), file)
    if unknown := [document.id for document, authorship in pairs if authorship.same is None]:
        fault = f"of {len(unknown)} {every} nobody said who wrote them; expected truth.txt with Y or N for each"
        raise PlanError(fault, at_document(unknown[0]), file)
    labels = {authorship.same for _, authorship in pairs}
    if len(labels) == 1:
        present, lacking = ("one author", "two") if True in labels else ("two authors", "one")
        raise PlanError(
            f"all {len(documents)} problems are by {present}; expected some by {lacking} as well", file=file
        )


def _describe_training(corpus: Corpus) -> TrainingRecord:
    """With a digest of every text, known ones too: a verifier knows each of them again, also from another file."""
    texts = [text for document in corpus for text in texts_of(document)]
    letters, copies = ({*map(of, texts)} for of in (trace, copy_mark))
    return TrainingRecord(corpus.name, corpus.digest, tuple(sorted(filter(None, letters))), tuple(sorted(copies)))


def _prepare(learner: VerifierLearner, questions: Sequence[Question], watch: Watch | None) -> None:
    for start in range(0, len(questions), _BATCH):
        if watch:
            watch("looking at problems", start, len(questions))
        learner.prepare(questions[start : start + _BATCH])


def _cross_validate(
    learner: VerifierLearner, problems: _Problems, fold: Ints, seed: int, advance: Callable[[], None]
) -> Floats:
    """The answer to each problem by a verifier that learned from the other folds."""
    answers = np.empty(len(fold))
    for number in range(int(fold.max()) + 1):
        inside, outside = problems.part(np.flatnonzero(fold != number)), problems.part(np.flatnonzero(fold == number))
        fitted = learner.fit(inside.questions, inside.same, inside.authors, seed)
        answers[fold == number] = fitted.answers(outside.questions)
        advance()
    return answers


def _figures(same: Bools, answers: Floats) -> dict[str, float]:
    """Measures of held-out problems, and what they do not say: how often two authors are taken for one."""
    sums = {name: column.sum() for name, column in statistics_of(same, answers).items()}
    figures = {name: float(value) for name, value in compute_measures(sums).items()}
    open_ = int((answers == UNANSWERED).sum())
    return {
        "accuracy": float(sums["right"] / len(same)), **figures,
        "false_alarms": float((answers[~same] > UNANSWERED).mean()), "unanswered": open_,
    }  # fmt: skip


def _count_rounds(watch: Watch | None, task: str, rounds: int) -> Callable[[], None]:
    """Tells of each round that is done."""
    count = 0

    def done() -> None:
        nonlocal count
        count += 1
        if watch:
            watch(task, min(count, rounds), rounds)

    if watch:
        watch(task, 0, rounds)
    return done
