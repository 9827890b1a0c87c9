"""Learning curves: one way of training on ever more documents of a corpus, scored on the same other documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.evaluation.api import evaluate
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.models.languages import another_language, sample_of
from showthrough.run.run import Run
from showthrough.systems.anonymizing import anonymize
from showthrough.systems.base import Anonymizer

METRICS = ("f1", "recall", "precision")  # no types: those of two corpora need not be the same
SHARES = (0.0625, 0.125, 0.25, 0.5, 1.0)
_FEWEST = 2  # units; a tagger asks for two
_ENGLISH = "en"
SYSTEM = "system"
System = TypeVar("System", bound=Anonymizer)


class CurveScore(msgspec.Struct, frozen=True):
    """A number and its interval; null where it is undefined."""

    value: float | None
    low: float | None
    high: float | None


class CurvePoint(msgspec.Struct, frozen=True):
    """What was reached with so many documents to learn from."""

    documents: int
    scores: dict[str, CurveScore]


class LearningCurve(msgspec.Struct, frozen=True):
    """A system trained on growing parts of a corpus, each within the next one."""

    system: str
    corpus: str
    scored_on: str
    scored_documents: int
    seed: int
    points: list[CurvePoint]


def growing_parts(corpus: Corpus, shares: Sequence[float] = SHARES, seed: int = 0) -> list[Corpus]:
    """Parts of a corpus by chance, each within the next one; the last one is the whole.

    Documents that belong together come together, so a part may be larger than its share.

    >>> from showthrough.data.documents import Document
    >>> texts = ("Oslo is cold.", "She left Rome.", "He likes tea.", "Snow fell twice.")
    >>> corpus = Corpus([Document(str(number), text) for number, text in enumerate(texts)])
    >>> [len(part) for part in growing_parts(corpus)]
    [2, 4]
    """
    if not shares or min(shares) <= 0 or max(shares) > 1:
        raise PlanError(f"found {quote_value(list(shares))}; expected shares above 0, and at most 1", "shares")
    units = _units(corpus)
    if len(units) < _FEWEST:
        fault = f"makes {len(units)} independent unit{'s' * (len(units) != 1)}; expected at least {_FEWEST}"
        raise PlanError(fault, f"corpus {shorten(corpus.name)}")
    drawn = [units[index] for index in np.random.default_rng(seed).permutation(len(units)).tolist()]
    sizes = np.cumsum([len(unit) for unit in drawn])
    taken = {max(_FEWEST, int(np.searchsorted(sizes, share * len(corpus) - 1e-9)) + 1) for share in (*shares, 1.0)}
    parts = []
    for count in sorted(min(number, len(drawn)) for number in taken):
        numbers = sorted(number for unit in drawn[:count] for number in unit)
        documents = [corpus.documents[number] for number in numbers]
        whole = len(documents) == len(corpus)
        parts.append(corpus if whole else Corpus(documents, corpus.name, corpus.source, offsets=corpus.offsets))
    return parts


def _units(corpus: Corpus) -> list[list[int]]:
    """The documents that belong together, in an order that is not that of the documents."""
    labels, ids = corpus.units.labels, list(corpus.ids)
    members: dict[tuple[str, bool], list[int]] = {}
    for number, document_id in enumerate(ids):
        label = labels[number] if labels else ""
        members.setdefault((label, True) if label else (document_id, False), []).append(number)
    return sorted(members.values(), key=lambda numbers: min(ids[number] for number in numbers))


def learning_curve(
    corpus: Corpus,
    scored_on: Corpus,
    train: Callable[[Corpus], System],
    *,
    system: str = SYSTEM,
    metrics: Sequence[str] = METRICS,
    shares: Sequence[float] = SHARES,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int = 1,
) -> tuple[LearningCurve, System]:
    """Trains on growing parts and scores each; with the curve comes what was trained on the whole corpus.

    A part from which nothing can be learned, such as one without marks, has no point.
    """
    points = []
    for part in growing_parts(corpus, shares, seed):
        try:
            trained = train(part)
        except PlanError:  # few documents may have nothing to learn from
            if len(part) == len(corpus):
                raise
            continue
        run = score_systems(scored_on, {SYSTEM: trained}, metrics, resamples=resamples, seed=seed, jobs=jobs)
        points.append(CurvePoint(len(part), scores_of(run, SYSTEM, metrics)))
    return LearningCurve(system, corpus.name, scored_on.name, len(scored_on), seed, points), trained


def score_systems(
    corpus: Corpus,
    systems: dict[str, Anonymizer],
    metrics: Sequence[str],
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    jobs: int = 1,
) -> Run:
    """The run of systems put to work on a corpus, with the word lists of its own language."""
    other = another_language(sample_of(corpus), _ENGLISH)
    language = other[0] if other and other[0] in CLOSED_CLASSES else _ENGLISH
    masked = {name: anonymize(corpus, system, name=name, jobs=jobs) for name, system in systems.items()}
    return evaluate(
        corpus, masked, metrics, references=False, sweeps=False, texts=False, language=language,
        resamples=resamples, confidence=confidence, seed=seed, jobs=jobs,
    )  # fmt: skip


def scores_of(run: Run, name: str, metrics: Sequence[str]) -> dict[str, CurveScore]:
    """The headlines of a system."""
    scores = {metric: run[name, metric] for metric in metrics}
    return {metric: CurveScore(score.value, score.low, score.high) for metric, score in scores.items()}
