"""Scores as frames: numbers alone, in the order of the run, references last."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Mask, Run, evaluate
from showthrough.run.records import Failure, MetricRecord

METRICS = ["precision", "er_di", "recall_per_type"]


@pytest.fixture
def run(tiny: Corpus) -> Run:
    some = Anonymization({"d1": [Mask(0, 11)], "d2": [], "d3": []}, "some")
    nothing = Anonymization({"d1": [], "d2": [], "d3": []}, "nothing")
    return evaluate(tiny, [some, nothing], METRICS, resamples=100)


def test_a_row_for_each_system_and_a_column_for_each_metric(run: Run) -> None:
    table = run.table()
    assert list(table.index) == ["some", "nothing", "nothing masked", "everything masked"]
    assert list(table.columns) == ["precision", "er_di", "reference"]
    assert list(table["reference"]) == [False, False, True, True]
    assert list(table["er_di"]) == [2 / 3, 0.0, 0.0, 1.0]
    assert table["precision"].dtype == float
    assert np.isnan(table.loc["nothing", "precision"])  # nothing is masked
    assert run["nothing", "precision"].value is None


def test_without_references_there_are_numbers_alone(run: Run) -> None:
    table = run.table(references=False)
    assert list(table.index) == ["some", "nothing"]
    assert list(table.columns) == ["precision", "er_di"]
    assert set(table.dtypes) == {np.dtype(float)}


def test_parts_and_intervals(run: Run) -> None:
    parts = run.table(parts=True, references=False)
    assert list(parts.columns) == [
        ("precision", ""),
        ("er_di", ""),
        *(("recall_per_type", part) for part in ("DATETIME", "LOC", "PERSON")),
    ]
    assert parts.loc["some", ("recall_per_type", "PERSON")] == 6 / 10
    ends = run.table(intervals=True, references=False)
    assert list(ends.columns) == [(text, end) for text in METRICS[:2] for end in ("value", "low", "high")]
    score = run["some", "er_di"]
    assert tuple(ends.loc["some", "er_di"]) == (score.value, score.low, score.high)
    both = run.table(parts=True, intervals=True)
    assert both.columns.names == ["metric", "part", "end"]
    assert both.loc["some", ("recall_per_type", "LOC", "value")] == run["some", "recall_per_type", "LOC"].value
    assert list(both["reference"].squeeze()) == [False, False, True, True]


def test_what_failed_has_a_column_of_nothing(run: Run) -> None:
    """Also where its package is not installed; a column less would not be noticed."""
    run.metrics.insert(0, MetricRecord("theirs", "theirs", 1, "Theirs", "privacy", "higher", {}))
    run.failures = [Failure("theirs", "no model")]
    table = run.table()
    assert list(table.columns) == ["theirs", "precision", "er_di", "reference"]
    assert table["theirs"].isna().all()


def test_a_run_without_any_metric(run: Run) -> None:
    run.metrics, run.scores, run.rows = [], [], {}
    for intervals in (False, True):
        assert run.table(intervals=intervals, references=False).shape == (2, 0)


@pytest.mark.parametrize("asked", ["table", "to_frame"])
def test_without_pandas_it_says_how_to_get_it(asked: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=rf"^{asked} needs pandas: pip install 'showthrough\[pandas\]'$"):
        getattr(run, asked)()
