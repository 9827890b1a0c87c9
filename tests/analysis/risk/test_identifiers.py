"""HIPAA's eighteen identifiers by the types of a corpus, and the other sections of the annex."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace

from inferring import corpus_of, run_of
from showthrough import (
    Annotation,
    Anonymization,
    Background,
    Corpus,
    Document,
    Mask,
    Mention,
    Subject,
    TypedMask,
    evaluate,
    risk_annex,
)
from showthrough.data.types import HIPAA
from showthrough.run.run import Run
from showthrough.studies.risk import for_owner
from showthrough.studies.risk.values import SafeHarbor


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
        "nothing of this kind is marked in these 30 documents. Nobody looked for it, or there"
    )
    assert "if annotators did look, at most 9.5 % of such documents have one" in by["F"].reason  # 1 − 0.05^(1/30)
    assert by["E"].reason.endswith("What is marked as PHONE may hold some, and is counted there")
    assert by["Q"].reason == "texts have no photographs; pictures were not looked at"


def test_whole_mentions_are_preferred_and_phi_will_do() -> None:
    both = harbor([Mask(3, 11)], "recall_per_type", 'recall_per_type(unit="mention")', "phi_instance")
    assert both.metric == 'recall_per_type(unit="mention")'
    typed = [TypedMask(3, 11, None, "PERSON"), TypedMask(27, 35, None, "DATE")]  # the second is a telephone number
    by = {one.letter: one for one in harbor([*typed], "phi_instance").identifiers}
    assert by["A"].hidden[0].recall.value == pytest.approx(29 / 30)
    assert by["D"].hidden[0].recall.value == 0
    for metric in ("phi_token", "recall_per_type", "recall"):  # of which none counts mentions by type
        found = harbor([*typed], metric)
        assert found.metric == 'recall_per_type(unit="mention")', metric
        by = {one.letter: one for one in found.identifiers}
        assert by["D"].hidden[0].recall.value == pytest.approx(29 / 30), metric


def titled() -> Corpus:
    """Ten documents in which `Ms Lind` is marked, and in the last `Ms` alone."""
    mark = (Annotation("a", (Mention(0, 7, "PERSON", "DIRECT"),)),)
    corpus = [Document(f"d{at}", "Ms Lind came.", mark) for at in range(9)]
    return Corpus([*corpus, Document("d9", "Ms was here.", (Annotation("a", (Mention(0, 2, "PERSON", "DIRECT"),)),))])


def test_titles_are_not_names_that_are_hidden() -> None:
    """By words doing nothing hides Ms nine times of nineteen words; of ten mentions it hides none."""
    masks = Anonymization({f"d{at}": [Mask(3, 7)] if at == 0 else [] for at in range(10)})
    run = evaluate(titled(), {"a": masks}, ["recall_per_type"], resamples=200)
    assert run["nothing masked", "recall_per_type", "PERSON"].value == 9 / 19
    (names, *_) = risk_annex(run).safe_harbor.identifiers
    assert names.hidden[0].recall.value == 1 / 10
    assert names.nothing_masked == 0
    assert names.hidden[0].signature.startswith("recall_per_type.v")
    assert "unit:mention" in names.hidden[0].signature


def test_nothing_masked_stands_beside_what_counts_it_as_hidden() -> None:
    """Who takes mentions of titles alone as free sees that the originals do as well."""
    asked = 'recall_per_type(unit="mention", function_word_mentions="free")'
    masks = Anonymization({f"d{at}": [] for at in range(10)})
    (names, *_) = risk_annex(evaluate(titled(), {"a": masks}, [asked])).safe_harbor.identifiers
    assert (names.hidden[0].recall.value, names.nothing_masked) == (0.1, 0.1)


def test_groups_count_where_mentions_are_counted_again() -> None:
    """Twenty documents of two groups are two draws."""
    corpus = Corpus([replace(one, group=f"g{at % 2}") for at, one in enumerate(corpus_of(20))])
    masks = {"a": Anonymization({one.id: [Mask(3, 11)] for one in corpus})}
    by_hand, again = (
        risk_annex(evaluate(corpus, masks, [metric])).safe_harbor.identifiers[0].hidden[0]
        for metric in ('recall_per_type(unit="mention")', "recall_per_type")
    )
    assert by_hand.missed.high == again.missed.high == pytest.approx(1 - 0.05 ** (1 / 2))


def test_masks_without_types_tell_nothing_of_phi() -> None:
    (names, *_) = harbor([Mask(3, 11)], "phi_instance").identifiers
    assert names.hidden[0].recall.value is None
    assert "do not say their types" in names.hidden[0].missed.reason


def test_types_of_one_paragraph_are_counted_together() -> None:
    """An age and a date are both (C)."""
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
    assert {one.part for one in annex.inference.figures} >= {"", "success", "control:empty", "risk:other"}
    assert annex.authorship.reason.startswith(
        "nobody tried to recognise who wrote the texts: evaluate them with --metric"
    )
    assert annex.authorship.command == ""  # nobody knows which field names authors


def kept(folder: Path, people: bool = True) -> Run:
    """A run of files in a folder, without a metric about people."""
    folder.mkdir()
    run = run_of([[]], [1])
    corpus, masks = folder / "letters.jsonl", folder / "masks.json"
    run.corpus = replace(run.corpus, source=str(corpus))
    run.anonymizations = [replace(one, source=str(masks)) for one in run.anonymizations]
    run.metrics.clear()
    assert run.texts is not None
    subjects = (Subject("ole"),) if people else ()
    documents = [replace(one, subjects=subjects) for one in run.texts.documents]
    run.texts = replace(run.texts, documents=documents)
    for file in (corpus, masks):
        file.touch()
    return run


def test_files_are_called_by_their_names_alone_but_for_their_owner(tmp_path: Path) -> None:
    run = kept(tmp_path / "secret project")
    annex = risk_annex(run)
    rest = "--metric cpr -o risk-cpr.json"
    assert annex.inference.command == f"showthrough evaluate letters.jsonl names=masks.json {rest}"
    files = (
        f"{name}{tmp_path}/secret project/{file}" for name, file in (("", "letters.jsonl"), ("names=", "masks.json"))
    )
    assert for_owner(annex, run).inference.command == f"showthrough evaluate {shlex.join(files)} {rest}"
    (tmp_path / "secret project" / "masks.json").unlink()
    assert for_owner(annex, run).inference.command == ""


def test_no_command_is_told_that_would_not_run(tmp_path: Path) -> None:
    nobody = risk_annex(kept(tmp_path / "a", people=False))
    assert nobody.inference.command == ""
    assert "the corpus must say who is in it" in nobody.inference.reason
    assert risk_annex(run_of([[]], [1])).linkability.command == ""
    unmarked = kept(tmp_path / "b")
    assert unmarked.texts is not None
    bare = [replace(one, annotations=()) for one in unmarked.texts.documents]
    unmarked.texts = replace(unmarked.texts, documents=bare)
    found = risk_annex(unmarked).safe_harbor
    assert (found.command, found.identifiers) == ("", ())
    assert "annotate the corpus" in found.reason


def test_a_metric_that_failed_is_not_measured() -> None:
    from showthrough.run.records import Failure

    run = run_of([[]], [1])
    run.scores = [one for one in run.scores if one.metric != "cpr"]
    run.failures.append(Failure("cpr", "the model did not answer"))
    assert risk_annex(run).inference.reason == "cpr failed: the model did not answer"
