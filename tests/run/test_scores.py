"""What a run is asked for by its keys, and what it says to a wrong one."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, Mask, Recall, Run, evaluate
from showthrough.core.errors import LINE, NoScoreError
from showthrough.run.records import Failure


@pytest.fixture
def run(tiny: Corpus) -> Run:
    some = Anonymization({"d1": [Mask(0, 11)], "d2": [], "d3": []}, "some")
    every = Anonymization({"d1": [Mask(0, 34)], "d2": [Mask(0, 26)], "d3": [Mask(0, 15)]}, "every")
    metrics = ["er_di", 'recall(unit="mention")', "recall_per_type"]
    return evaluate(tiny, [some, every], metrics, resamples=100)


def test_one_systems_scores_are_a_mapping(run: Run) -> None:
    scores = run["some"]
    assert list(scores) == ["er_di", 'recall(unit="mention")']  # the other has no number of its own
    assert len(scores) == 2
    assert scores["er_di"] is run["some", "er_di"]
    assert scores["er_di"].value == 2 / 3  # John Doe for both annotators, but not Ann Lee
    assert scores[Recall(unit="mention")] is run["some", 'recall(unit="mention")']
    assert scores['recall( unit = "mention" )'] is scores[Recall(unit="mention")]
    assert scores["recall_per_type", "PERSON"] is run["some", "recall_per_type", "PERSON"]
    assert set(scores.parts("recall_per_type")) == {"DATETIME", "LOC", "PERSON"}
    assert {name: score.value for name, score in run["every"].items()} == dict.fromkeys(scores, 1.0)
    assert run["nothing masked"]["er_di"].value == 0.0


def test_what_is_in_a_run_can_be_asked(run: Run) -> None:
    assert "some" in run
    assert ("some", "er_di") in run
    assert "sme" not in run
    assert ("some", "no metric at all (") not in run
    assert [1] not in run
    assert "er_di" in run["some"]
    assert Recall() not in run["some"]
    assert ("recall_per_type", ["LOC"]) not in run["some"]


WRONG: list[tuple[Any, str]] = [
    ("sme", "no anonymization 'sme' in this run; did you mean some? there are some, every, and the references "
            "nothing masked, everything masked"),
    ("presidio", "no anonymization 'presidio' in this run; there are some, every, and the references nothing masked, "
                 "everything masked"),
    ("er_di", "found the metric 'er_di'; expected an anonymization first, as in run['some', 'er_di']"),
    (("some", "er_d"), "no metric 'er_d' in this run; did you mean er_di? there are er_di, recall(unit=\"mention\"), "
                       "recall_per_type"),
    (("some", "precision"), "no metric 'precision' in this run; there are er_di, recall(unit=\"mention\"), "
                            "recall_per_type"),
    (("some", "recall_per_type"), "recall_per_type of some has parts alone; expected one of DATETIME, LOC, PERSON"),
    (("some", "recall_per_type", "PERSN"), "recall_per_type of some has no part 'PERSN'; did you mean PERSON? "
                                           "there are DATETIME, LOC, PERSON"),
    ((), "found 0 keys; expected an anonymization, or also a metric, or also one of its parts"),
    (("some", "er_di", "", ""), "found 4 keys; expected an anonymization, or also a metric, or also one of its parts"),
    (0, "found the key 0; expected the name of an anonymization: some, every, nothing masked, everything masked"),
    (("some", 0), "found the key 0; expected the text form of a metric, or a metric"),
    (("some", "er_di", ["x"]), "found the key ['x']; expected the name of a part, as text"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "said"), WRONG)
def test_a_wrong_key_gets_a_kind_line(key: Any, said: str, run: Run) -> None:
    with pytest.raises(KeyError) as raised:
        run[key]
    assert isinstance(raised.value, NoScoreError)
    assert str(raised.value) == said


def test_too_many_keys_of_one_system(run: Run) -> None:
    with pytest.raises(NoScoreError, match="found 3 keys; expected a metric, or a metric and one of its parts"):
        run["some"]["er_di", "", ""]  # type: ignore[index]


def test_what_failed_says_why(run: Run) -> None:
    run.failures = [Failure("tpi", "no model")]
    with pytest.raises(NoScoreError, match=r"^tpi failed: no model$"):
        run["some", "tpi"]


def test_a_reference_may_lack_a_score(run: Run) -> None:
    run.scores = [score for score in run.scores if score.anonymization != "nothing masked"]
    with pytest.raises(NoScoreError, match=r"^nothing masked has no score on er_di in this run$"):
        run["nothing masked", "er_di"]


def test_a_key_is_no_place_for_a_document(run: Run) -> None:
    with pytest.raises(NoScoreError) as raised:
        run["a\nb\x1b[31m" * 10_000]
    assert len(str(raised.value)) <= LINE
    assert str(raised.value).isprintable()


def test_the_line_survives_another_process(run: Run) -> None:
    with pytest.raises(NoScoreError) as raised:
        run["sme"]
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)  # noqa: S301 (our own)


def test_editors_are_told_the_keys(run: Run) -> None:
    assert run._ipython_key_completions_() == ["some", "every", "nothing masked", "everything masked"]
    assert run["some"]._ipython_key_completions_() == list(run["some"])


def test_a_score_prints_in_one_short_line(run: Run) -> None:
    score = run["some", "recall_per_type", "PERSON"]
    assert repr(score) == f"Score(some, recall_per_type, PERSON: {score.value}, {score.low} to {score.high})"
    assert repr(run["nothing masked", "er_di"]) == "Score(nothing masked, er_di: 0.0)"


def test_a_score_that_is_undefined_prints_why(tiny: Corpus) -> None:
    nothing = Anonymization({"d1": [], "d2": [], "d3": []}, "nothing")
    score = evaluate(tiny, [nothing], ["precision"])["nothing", "precision"]
    assert score.reason
    assert repr(score) == f"Score(nothing, precision: {score.reason})"
