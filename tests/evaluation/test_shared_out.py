"""What looks at all documents at once, by one process or by several: the same run, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engines.pickling import Pickling
from showthrough import Background, Run, evaluate, read_anonymization, read_corpus
from showthrough.data.documents import Corpus
from showthrough.evaluation import _annotator_scores
from showthrough.evaluation.engine import evaluate_plan
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.settings import Settings
from showthrough.families.reidentification.attacks import lexical
from showthrough.metrics import chunk as chunks, metrics_of

METRICS = [
    "recall",
    "precision",
    'trir(attacks="lexical, lexical+prior")',
    'nmi(embedding="lsa", max_k=4, n_clusterings=2, n_tries=5)',
]


def told(run: Run) -> tuple[Any, ...]:
    return run.scores, run.rows, run.evidence, run.ceiling, run.sweeps, run.failures, run.notes


@pytest.fixture
def given(data: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Small batches, so that there is something to share out."""
    monkeypatch.setattr(lexical, "_BLOCK", 10_000)
    monkeypatch.setattr(lexical, "_CELLS", 100)
    monkeypatch.setattr(_annotator_scores, "_CHARACTERS", 10_000)
    monkeypatch.setattr(chunks, "_DOCUMENTS", 9)
    cases = read_corpus(data / "tab/train_100.json")
    corpus = Corpus(cases.documents[:25], cases.name)
    assert len(corpus.survey.shared) > 3
    masks = (
        read_anonymization(data / "tab/train_anonymizations/presidio.json", cases)
        .part(corpus.ids)
        .with_name("presidio")
    )
    background = Background({document.id: document.text[200:1500] for document in corpus})
    return {"corpus": corpus, "masks": masks, "background": background}


def test_an_engine_changes_nothing(given: dict[str, Any]) -> None:
    settings = Settings(resamples=50, seed=1)
    metrics = metrics_of(METRICS)
    plan = Plan(
        given["corpus"], (given["masks"],), tuple(metrics), settings, inputs={"background": {"": given["background"]}}
    )
    engine = Pickling()
    assert told(evaluate_plan(plan, engine=engine)) == told(evaluate_plan(plan))
    assert engine.tasks > 20


def test_jobs_change_nothing(given: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"background": given["background"], "resamples": 50}
    masks = {"presidio": given["masks"]}
    one, two = (evaluate(given["corpus"], masks, METRICS, jobs=jobs, **asked) for jobs in (1, 2))
    assert told(one) == told(two)
