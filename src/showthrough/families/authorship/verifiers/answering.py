"""Verifiers asked: their answers checked like input, and kept by what was asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from showthrough.axis.spans import Bools
from showthrough.data.documents import Corpus
from showthrough.errors import PlanError, ResourceError, quoted, shown
from showthrough.resources.cache import Arrays, Cache, question
from showthrough.resources.settings import Watch
from showthrough.tables import is_guest, raised
from showthrough.verifiers.base import Array, Question, Verifier
from showthrough.verifiers.remembering import question_digest

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
    asked = {one.id: one.authorship.known for one in corpus if one.authorship}
    if not asked:
        raise PlanError("no document asks who wrote it; expected problems with known texts", file=corpus.source)
    questions = [Question(known, texts[key]) for key, known in asked.items()]
    return dict(zip(asked, answered(verifier, questions, cache, watch).tolist(), strict=True))


def answered(
    verifier: Verifier, questions: Sequence[Question], cache: Cache | None = None, watch: Watch | None = None
) -> Array:
    """What it answers to each question. Raises ResourceError where that is no probability.

    Answers are kept where the verifier says by a digest what they follow from.
    """
    digest = getattr(verifier, "digest", "")
    kept = cache if cache is not None and digest else Cache(None)
    of = "verifier", _VERSION, verifier.version, digest
    names = [question(*of, question_digest(one)) for one in questions]

    def answer(places: list[int]) -> Iterator[Arrays]:
        for start in range(0, len(places), _BATCH):
            if watch:
                watch(f"asking {shown(verifier.name)}", start, len(places))
            batch = [questions[place] for place in places[start : start + _BATCH]]
            yield from ({_KEY: one} for one in _checked(verifier, batch))
        if watch:
            watch(f"asking {shown(verifier.name)}", len(places), len(places))

    return np.array([float(entry[_KEY][0]) for entry in kept.through(names, answer)])


def outside(
    verifier: Verifier, questions: Sequence[Question], cache: Cache | None = None, watch: Watch | None = None
) -> dict[str, Bools]:
    """By feature, in which questions it is unlike all that a verifier learned from; nothing where nobody can tell."""
    features: Sequence[str] = getattr(verifier, "features", ())
    if not features or is_guest(verifier):
        return {}
    trained: Any = verifier
    kept = cache if cache is not None else Cache(None)
    names = [question("outside", _VERSION, trained.version, trained.digest, question_digest(one)) for one in questions]

    def look(places: list[int]) -> Iterator[Arrays]:
        for start in range(0, len(places), _BATCH):
            if watch:
                watch(f"looking with {shown(verifier.name)}", start, len(places))
            batch = [questions[place] for place in places[start : start + _BATCH]]
            yield from ({_KEY: one} for one in trained.outside(batch).astype(np.float64))

    found = [entry[_KEY].astype(bool) for entry in kept.through(names, look)]
    return dict(zip(features, np.reshape(found, (len(questions), len(features))).T, strict=True))


def _checked(verifier: Verifier, questions: Sequence[Question]) -> list[Array]:
    """The answers, each as an array of one. A guest may return anything."""
    name = shown(verifier.name)
    try:
        answers = verifier.answers(questions)
    except Exception as error:  # of a guest, anything
        raise ResourceError(f"verifier {name} {raised(error, ours=not is_guest(verifier))}") from error
    expected = "expected one number from 0 to 1 for each"
    try:
        values = np.asarray(answers, dtype=np.float64)
    except (TypeError, ValueError):
        found = f"a value of type {type(answers).__name__}"
        raise ResourceError(f"verifier {name} answered {len(questions)} questions with {found}; {expected}") from None
    if values.shape != (len(questions),):
        found = f"{len(values)} numbers" if values.ndim == 1 else "something else"
        raise ResourceError(f"verifier {name} answered {len(questions)} questions with {found}; {expected}")
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(wrong):
        raise ResourceError(
            f"verifier {name} answered {quoted(float(values[wrong[0]]))}; expected a number from 0 to 1"
        )
    return [values[at : at + 1] for at in range(len(values))]
