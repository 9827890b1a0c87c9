"""HIPAA's eighteen identifiers by the types of a corpus, and the other sections of the annex."""

from __future__ import annotations

import pytest

from inferring import corpus_of, run_of
from showthrough import Anonymization, Background, Mask, TypedMask, evaluate, risk_annex
from showthrough.analysis.risk.values import SafeHarbor
from showthrough.data.kinds import HIPAA


def harbor(masks: list[Mask], *metrics: str, documents: int = 30) -> SafeHarbor:
    corpus = corpus_of(documents)
    given = Anonymization({one.id: masks if at else [] for at, one in enumerate(corpus)})
    return risk_annex(evaluate(corpus, {"a": given}, list(metrics), resamples=200)).safe_harbor


def test_recall_and_what_may_be_missed() -> None:
    """Names are hidden in all documents but the first; places nowhere."""
    found = harbor([Mask(3, 11)], 'recall_per_type(unit="mention")')
    assert [one.letter for one in found.identifiers] == list(HIPAA)
    by = {one.letter: one for one in found.identifiers}
    (names,) = by["A"].hidden
    assert (by["A"].types, by["A"].documents) == (("PERSON",), 30)
    assert names.recall.value == pytest.approx(29 / 30)
    assert names.missed.value == pytest.approx(1 / 30)
    assert names.missed.high is not None
    assert names.missed.high > 1 / 30
    assert names.signature.startswith("recall_per_type.v")
    (places,) = by["B"].hidden
    assert (places.recall.value, places.missed.high) == (0.0, 1.0)
    assert found.unknown == ("WHATEVER",)
    assert (found.reason, found.command) == ("", "")


def test_nothing_seen_is_not_nothing() -> None:
    run = evaluate(
        corpus_of(30), {"a": Anonymization({f"d{at}": [Mask(0, 48)] for at in range(30)})}, ["recall_per_type"]
    )
    missed = risk_annex(run).safe_harbor.identifiers[0].hidden[0].missed
    assert missed.value == 0
    assert missed.high == pytest.approx(1 - 0.05 ** (1 / 30))


def test_what_nobody_marked_is_not_measured() -> None:
    by = {one.letter: one for one in harbor([], "recall_per_type").identifiers}
    assert (by["F"].types, by["F"].hidden) == ((), ())
    assert by["F"].reason.startswith(
        "nothing of this kind is marked in these 30 documents: nobody looked for it, or none"
    )
    assert "if annotators did look, at most 9.5 % of such documents have one" in by["F"].reason  # 1 − 0.05^(1/30)
    assert by["E"].reason.endswith("what is marked as PHONE may hold some, and is counted there")
    assert by["Q"].reason == "texts have no photographs; pictures were not looked at"


def test_whole_mentions_are_preferred_and_phi_will_do() -> None:
    both = harbor([Mask(3, 11)], "recall_per_type", 'recall_per_type(unit="mention")')
    assert both.metric == 'recall_per_type(unit="mention")'
    typed = [TypedMask(3, 11, None, "PERSON"), TypedMask(27, 35, None, "DATE")]  # the second is a telephone number
    for metric in ("phi_instance", "phi_token"):
        found = harbor([*typed], metric)
        by = {one.letter: one for one in found.identifiers}
        assert by["A"].hidden[0].recall.value == pytest.approx(29 / 30), metric
        assert by["D"].hidden[0].recall.value == 0, metric


def test_masks_without_types_tell_nothing_of_phi() -> None:
    (names, *_) = harbor([Mask(3, 11)], "phi_instance").identifiers
    assert names.hidden[0].recall.value is None
    assert "do not say their types" in names.hidden[0].missed.reason


def test_types_of_one_paragraph_are_counted_together() -> None:
    """An age and a date are both (C)."""
    from showthrough import Annotation, Corpus, Document, Mention

    marks = (Mention(0, 2, "AGE", "QUASI"), Mention(4, 8, "DATE", "QUASI"), Mention(9, 13, "ORG", "QUASI"))
    corpus = Corpus([Document("d", "34, 1950 NATO", (Annotation("a", marks),))])
    run = evaluate(corpus, {"a": Anonymization({"d": [Mask(0, 2)]})}, ["recall_per_type"], resamples=50)
    found = risk_annex(run).safe_harbor
    assert found.identifiers[2].types == ("AGE", "DATE")
    assert found.identifiers[2].hidden[0].recall.value == 0.5
    assert found.unlisted == ("ORG",)


def test_linkability_and_what_to_run() -> None:
    known = Background({f"d{at}": f"Ole Berg lives in Oslo {at}" for at in range(3)})
    run = run_of([[], [], []], [1, 1, 1], metrics=["trir"], background=known)
    annex = risk_annex(run)
    parts = {one.part: one.estimate.value for one in annex.linkability.figures}
    assert {"", "lexical", "chance", "ceiling"} <= set(parts)
    assert not any("mrr" in part or "@" in part for part in parts)
    assert parts["chance"] == pytest.approx(1 / 3)
    assert all(one.signature.startswith("trir.v") for one in annex.linkability.figures)
    assert annex.safe_harbor.command == (
        "showthrough evaluate corpus.jsonl names=masks.json "
        "--metric 'recall_per_type(unit=\"mention\")' -o risk-run.json"
    )
    assert {one.part for one in annex.inference.figures} >= {"", "success", "control:empty", "risk:other"}
    assert annex.authorship.reason == "nobody tried to tell who wrote the texts"
    assert "--metric safety" in annex.authorship.command


def test_files_are_called_by_their_names_alone() -> None:
    run = run_of([[]], [1])
    run.corpus = type(run.corpus)("letters", "x", 1, "/home/ann/secret project/letters.jsonl")
    run.metrics.pop()
    command = risk_annex(run).inference.command
    assert command.startswith("showthrough evaluate letters.jsonl names=")


def test_a_metric_that_failed_is_not_measured() -> None:
    from showthrough.run.records import Failure

    run = run_of([[]], [1])
    run.scores = [one for one in run.scores if one.metric != "cpr"]
    run.failures.append(Failure("cpr", "the model did not answer"))
    assert risk_annex(run).inference.reason == "cpr failed: the model did not answer"
