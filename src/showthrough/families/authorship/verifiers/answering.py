"""Asks verifiers questions, checks their answers like input, and caches them by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from showthrough.core.arrays import Bools, Floats
from showthrough.core.errors import PlanError, ResourceError, quote_value, shorten
from showthrough.core.plugins import describe_error, is_plugin
from showthrough.data.documents import Corpus
from showthrough.families.authorship.verifiers.base import Question, Verifier, question_digest
from showthrough.models.cache import Arrays, Cache, question
from showthrough.models.settings import Watch

_VERSION = 1  # of entries; rises when an old one could be misread
_BATCH = 32  # questions at a time: a run that is stopped loses no more
_KEY = "answer"


def answers_to(
    verifier: Verifier,
    corpus: Corpus,
    texts: Mapping[str, str],
    cache: Cache | None = None,
    watch: Watch | None = None,
) -> dict[str, float]:
    """What it answers to each document that asks who wrote it, with these texts in place of its own, by id."""
    known_texts = {document.id: document.authorship.known for document in corpus if document.authorship}
    if not known_texts:
        raise PlanError("no document asks who wrote it; expected problems with known texts", file=corpus.source)
    questions = [Question(texts_known, texts[key]) for key, texts_known in known_texts.items()]
    return dict(zip(known_texts, answer_questions(verifier, questions, cache, watch).tolist(), strict=True))


def answer_questions(
    verifier: Verifier, questions: Sequence[Question], cache: Cache | None = None, watch: Watch | None = None
) -> Floats:
    """What it answers to each question. Raises ResourceError where that is no probability.

    Answers are kept where the verifier says by a digest what they follow from.
    """
    digest = getattr(verifier, "digest", "")
    store = cache if cache is not None and digest else Cache(None)
    identity = "verifier", _VERSION, verifier.version, digest
    names = [question(*identity, question_digest(item)) for item in questions]

    def answer(indices: list[int]) -> Iterator[Arrays]:
        for start in range(0, len(indices), _BATCH):
            if watch:
                watch(f"asking {shorten(verifier.name)}", start, len(indices))
            batch = [questions[index] for index in indices[start : start + _BATCH]]
            yield from ({_KEY: item} for item in _check_answers(verifier, batch))
        if watch:
            watch(f"asking {shorten(verifier.name)}", len(indices), len(indices))

    return np.array([float(entry[_KEY][0]) for entry in store.through(names, answer)])


def find_outliers(
    verifier: Verifier, questions: Sequence[Question], cache: Cache | None = None, watch: Watch | None = None
) -> dict[str, Bools]:
    """By feature, in which questions it is unlike all that a verifier learned from; nothing where nobody can tell."""
    features: Sequence[str] = getattr(verifier, "features", ())
    if not features or is_plugin(verifier):
        return {}
    trained: Any = verifier
    store = cache if cache is not None else Cache(None)
    names = [
        question("outside", _VERSION, trained.version, trained.digest, question_digest(item)) for item in questions
    ]

    def look(indices: list[int]) -> Iterator[Arrays]:
        for start in range(0, len(indices), _BATCH):
            if watch:
                watch(f"looking with {shorten(verifier.name)}", start, len(indices))
            batch = [questions[index] for index in indices[start : start + _BATCH]]
            yield from ({_KEY: item} for item in trained.outside(batch).astype(np.float64))

    flags = [entry[_KEY].astype(bool) for entry in store.through(names, look)]
    return dict(zip(features, np.reshape(flags, (len(questions), len(features))).T, strict=True))


def _check_answers(verifier: Verifier, questions: Sequence[Question]) -> list[Floats]:
    """The answers, each as an array of one. A plugin may return anything."""
    name = shorten(verifier.name)
    try:
        answers = verifier.answers(questions)
    except Exception as error:  # of a plugin, anything
        raise ResourceError(f"verifier {name} {describe_error(error, ours=not is_plugin(verifier))}") from error
    expected = "expected one number from 0 to 1 for each"
    try:
        values = np.asarray(answers, dtype=np.float64)
    except (TypeError, ValueError):
        description = f"a value of type {type(answers).__name__}"
        raise ResourceError(
            f"verifier {name} answered {len(questions)} questions with {description}; {expected}"
        ) from None
    if values.shape != (len(questions),):
        description = f"{len(values)} numbers" if values.ndim == 1 else "something else"
        raise ResourceError(f"verifier {name} answered {len(questions)} questions with {description}; {expected}")
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(wrong):
        raise ResourceError(
            f"verifier {name} answered {quote_value(float(values[wrong[0]]))}; expected a number from 0 to 1"
        )
    return [values[at : at + 1] for at in range(len(values))]
