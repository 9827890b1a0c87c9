"""Generalization: what a tagger reaches on documents of another corpus than it learned from, as a matrix.

Each corpus is divided once. A tagger learns from the first part of each, and all taggers are scored on the second part
of each. So the numbers of one column are of the same documents, and can be tested against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from showthrough.core.errors import PlanError, quote_value, suggest_name
from showthrough.data.documents import Corpus
from showthrough.models.settings import Watch
from showthrough.run.records import Comparison
from showthrough.studies.learning_curves import METRICS, CurveScore, score_systems, scores_of
from showthrough.studies.splits import split_corpus
from showthrough.systems.taggers.training import BEST, PRESETS, train_tagger

LEARNERS = ("crf", "svm", "boosted", "hmm")
USUAL = "crf"
SHARES = "80/20"


class AcrossCell(msgspec.Struct, frozen=True):
    """One system: what it learned from, and what it was scored on."""

    trained_on: str
    scored_on: str
    scores: dict[str, CurveScore]


class AcrossMatrix(msgspec.Struct, frozen=True):
    """A system, trained on each of several corpora and scored on each."""

    system: str
    metrics: list[str]
    trained: dict[str, int]  # documents that were learned from, by corpus
    scored: dict[str, int]  # documents that were scored on, by corpus
    cells: list[AcrossCell]
    # Of each corpus that was scored on, by metric: what learned from it against what learned from another.
    tests: dict[str, dict[str, list[Comparison]]]
    seed: int


def learner_and_preset(name: str) -> tuple[str, str]:
    """A learner of `train tagger` or a preset, by one name; the other one is empty. Raises PlanError."""
    if name in LEARNERS:
        return name, ""
    if name in PRESETS or name in BEST:
        return "", name
    names = (*LEARNERS, *PRESETS)
    fault = f"unknown learner or preset {quote_value(name)}; {suggest_name(name, names)}"
    raise PlanError(f"{fault}there are: {', '.join(names)}", "with")


def across(
    corpora: Mapping[str, Corpus],
    system: str = USUAL,
    *,
    metrics: Sequence[str] = METRICS,
    resamples: int = 1000,
    confidence: float = 0.95,
    shuffles: int = 9999,
    seed: int = 0,
    jobs: int = 1,
    watch: Watch | None = None,
) -> AcrossMatrix:
    """Trains on one part of each corpus, and scores on the other part of each."""
    if len(corpora) < 2:
        raise PlanError(f"found {len(corpora)} corpus; expected two or more", "across")
    learner, preset = learner_and_preset(system)
    parts = {name: _divide(corpus, seed) for name, corpus in corpora.items()}
    taggers = {
        name: train_tagger(learned, learner, preset=preset, seed=seed, jobs=jobs, watch=watch)
        for name, (learned, _) in parts.items()
    }
    cells, tests = [], {}
    for scored_on, (_, held_out) in parts.items():
        run = score_systems(
            held_out, dict(taggers), metrics, resamples=resamples, confidence=confidence, seed=seed, jobs=jobs
        )
        cells += [AcrossCell(name, scored_on, scores_of(run, name, metrics)) for name in taggers]
        pairs = [(scored_on, other) for other in taggers if other != scored_on]
        tests[scored_on] = {
            metric: list(run.compare(metric, parts=False, shuffles=shuffles, seed=seed, pairs=pairs))
            for metric in metrics
        }
    return AcrossMatrix(
        system,
        list(metrics),
        {name: len(learned) for name, (learned, _) in parts.items()},
        {name: len(held_out) for name, (_, held_out) in parts.items()},
        cells,
        tests,
        seed,
    )


def _divide(corpus: Corpus, seed: int) -> tuple[Corpus, Corpus]:
    """What is learned from, and what is scored on: four fifths and one, with what belongs together in one of them."""
    learned, held_out = split_corpus(corpus, SHARES, seed=seed).parts.values()
    return learned, held_out
