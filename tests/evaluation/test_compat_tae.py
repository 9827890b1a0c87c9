"""Scripts that were written for the Text Anonymization Evaluator: its classes, its results, its results file."""

from __future__ import annotations

import csv
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from showthrough import InputError, OutputError, PlanError, evaluate
from showthrough.compat.tae import TAE, MaskedCorpus, MaskedDocument

TEXT = "Mr Doe lives in Oslo, and Doe is 42."


def mention(span: str, start: int, entity: str, kind: str, identifier: str) -> dict[str, Any]:
    return {
        "entity_type": kind,
        "start_offset": start,
        "end_offset": start + len(span),
        "span_text": span,
        "identifier_type": identifier,
        "entity_id": entity,
    }


def document(document_id: str) -> dict[str, Any]:
    mentions = [
        mention("Doe", 3, f"{document_id}_e1", "PERSON", "DIRECT"),
        mention("Oslo", 16, f"{document_id}_e2", "LOC", "QUASI"),
        mention("Doe", 26, f"{document_id}_e1", "PERSON", "DIRECT"),
        mention("42", 33, f"{document_id}_e3", "QUANTITY", "QUASI"),
    ]
    return {"doc_id": document_id, "text": TEXT, "annotations": {"ann": {"entity_mentions": mentions}}}


CORPUS = [document("a"), document("b")]
NAMES = {"a": [[3, 6], [26, 29, "PERSON"]], "b": [[3, 6, "PERSON"], [16, 20, "CITY"]]}
EVERY = {"a": [[3, 6], [16, 20], [26, 29], [33, 35]], "b": [[3, 6], [16, 20], [26, 29], [33, 35], [7, 12]]}
METRICS: dict[str, dict[str, Any]] = {
    "Precision": {},
    "Recall": {},
    "Recall_Direct": {"include_quasi": False},
    "RecallPerEntityType": {},
}


def written(folder: Path) -> dict[str, str]:
    (folder / "corpus.json").write_text(json.dumps(CORPUS))
    paths = {}
    for name, masks in {"names": NAMES, "every": EVERY}.items():
        paths[name] = str(folder / f"{name}.json")
        Path(paths[name]).write_text(json.dumps(masks))
    return paths


def test_a_script_of_its_readme_runs(tmp_path: Path) -> None:
    paths = written(tmp_path)
    tae = TAE(str(tmp_path / "corpus.json"))
    results = tae.evaluate(paths, METRICS, str(tmp_path / "outputs/deep/results.csv"))
    assert results == {
        "Precision": {"names": 1.0, "every": pytest.approx(8 / 9)},  # "lives" in b is nobody's
        "Recall": {"names": 0.5, "every": 1.0},  # of 8 tokens 4: two names in a, a name and a town in b
        "Recall_Direct": {"names": 0.75, "every": 1.0},  # of 4 names 3
        "RecallPerEntityType": {
            "names": {"PERSON": 0.75, "LOC": 0.5, "QUANTITY": 0.0},
            "every": {"PERSON": 1.0, "LOC": 1.0, "QUANTITY": 1.0},
        },
    }
    assert list(results) == list(METRICS)
    assert list(paths.values()) == [str(tmp_path / "names.json"), str(tmp_path / "every.json")]  # not changed


def test_results_are_appended(tmp_path: Path) -> None:
    paths, results = written(tmp_path), tmp_path / "outputs/results.csv"
    tae = TAE(CORPUS)
    tae.evaluate(paths, {"Recall": {}, "RecallPerEntityType": {}}, results)
    tae.evaluate({"names": paths["names"]}, {"Precision": {}}, results)
    rows = list(csv.reader(results.open(newline="")))
    assert [row[1:] for row in rows] == [
        ["Metric/Anonymization", "names", "every"],
        ["Recall", "0.5", "1.0"],
        [
            "RecallPerEntityType",
            "{'LOC': 0.5, 'PERSON': 0.75, 'QUANTITY': 0.0}",
            "{'LOC': 1.0, 'PERSON': 1.0, 'QUANTITY': 1.0}",
        ],
        ["Metric/Anonymization", "names"],
        ["Precision", "1.0"],
    ]
    assert all(len(row[0]) == len("2026-01-31 12:00:00") for row in rows)


def test_a_results_file_that_cannot_be_written_is_told_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "results.csv").mkdir()
    with pytest.raises(OutputError, match=r"results\.csv"):
        TAE(CORPUS).evaluate({"names": "nowhere.json"}, METRICS, tmp_path / "results.csv")


def test_masks_in_memory_give_the_same_as_files(tmp_path: Path) -> None:
    paths = written(tmp_path)
    tae = TAE(CORPUS)
    loaded = {name: MaskedCorpus(path) for name, path in paths.items()}
    first = MaskedDocument("a", [(3, 6), (26, 29)], [None, "PERSON"])
    by_hand = {"names": [first, MaskedDocument("b", [(3, 6), (16, 20)], [])]}
    assert tae.evaluate(loaded, METRICS) == tae.evaluate(paths, METRICS)
    assert tae.evaluate(by_hand, METRICS)["Recall"] == {"names": 0.5}


def test_a_masked_corpus_is_a_list_of_documents(tmp_path: Path) -> None:
    masked = MaskedCorpus(written(tmp_path)["names"])
    assert masked == [
        MaskedDocument("a", [(3, 6), (26, 29)], [None, "PERSON"]),
        MaskedDocument("b", [(3, 6), (16, 20)], ["PERSON", "CITY"]),
    ]
    assert masked[0].get_masked_offsets() == {3, 4, 5, 26, 27, 28}
    assert masked[0].get_masked_text(TEXT) == "Mr  lives in Oslo, and PERSON is 42."
    backwards = MaskedDocument("b", [(16, 20), (3, 6)], ["CITY", "PERSON"])  # TAE's text is wrong here
    assert backwards.get_masked_text(TEXT) == "Mr PERSON lives in CITY, and Doe is 42."


def test_what_cannot_be_computed_is_logged_and_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    asked: dict[str, dict[str, Any]] = {
        "Recal": {},
        "_Recall": {},
        "Recall_x": {"tokens": True},
        "TRIR": {},
        "PrecisionWeighted": {"weighting_model_name": str(tmp_path / "no_model")},
        "Recall": {},
    }
    results_file = tmp_path / "results.csv"
    with caplog.at_level(logging.WARNING):
        assert TAE(CORPUS).evaluate(written(tmp_path), asked, results_file) == {"Recall": {"names": 0.5, "every": 1.0}}
    told = {record.args[0]: record.levelname for record in caplog.records if record.args}  # type: ignore[index]
    assert told == dict.fromkeys(["Recal", "_Recall", "Recall_x", "TRIR", "PrecisionWeighted"], "ERROR")
    assert [row[1] for row in csv.reader(results_file.open(newline=""))] == ["Metric/Anonymization", "Recall"]


def test_a_corpus_without_annotations_has_no_recall(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    texts = [{"doc_id": "a", "text": TEXT}, {"doc_id": "b", "text": TEXT}]
    tae = TAE(texts)
    assert tae.evaluate(written(tmp_path), {"Recall": {}}) == {}
    assert "no document has annotations" in caplog.text
    assert (len(tae.documents), tae.gold_annotations_ratio) == (2, 0.0)
    assert TAE(CORPUS).gold_annotations_ratio == 1.0


def test_documents_that_are_missing_or_too_many(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tae = TAE(CORPUS)
    more = [MaskedDocument(key, [(3, 6)], [None]) for key in "abc"]
    assert tae.evaluate({"more": more}, {"Recall_Direct": {"include_quasi": False}}) == {"Recall_Direct": {"more": 0.5}}
    assert "document c is not in the corpus" in caplog.text
    with pytest.raises(InputError, match="document b"):
        tae.evaluate({"less": more[:1]}, {"Recall": {}})
    with pytest.raises(InputError, match="occurs twice"):
        tae.evaluate({"twice": [*more[:2], more[0]]}, {"Recall": {}})
    with pytest.raises(PlanError, match="expected a MaskedDocument"):
        tae.evaluate({"odd": [{"doc_id": "a"}]}, {"Recall": {}})  # type: ignore[list-item]


def test_what_makes_a_number_another_than_that_of_TAE_is_logged(caplog: pytest.LogCaptureFixture) -> None:  # noqa: N802
    """The replacement keeps a name. TAE calls it hidden; here it can be read."""
    kept = [MaskedDocument("a", [(3, 6)], ["Doe"]), MaskedDocument("b", [(3, 6)], ["PERSON"])]
    asked = {"Recall_Direct": {"include_quasi": False}}
    assert TAE(CORPUS).evaluate({"kept": kept}, asked) == {"Recall_Direct": {"kept": 0.25}}  # of four Doe
    assert "kept: 1 of 2 masks repeats words of the original; these count as readable" in caplog.text


def test_faults_of_a_corpus_are_told_together() -> None:
    with pytest.raises(InputError) as error:
        TAE([{"doc_id": "a"}, {"text": TEXT}])
    assert len(error.value.problems) == 2


def test_a_pipeline_that_is_named_gives_the_function_words(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It must be there: nothing takes its place silently. Precision asks for no function words."""
    tae = TAE(CORPUS, spacy_model_name="no_such_pipeline")
    assert list(tae.evaluate(written(tmp_path), {"Recall": {}, "Precision": {}})) == ["Precision"]
    assert "no_such_pipeline" in caplog.text


@pytest.mark.slow
def test_numbers_on_TAB_are_those_of_evaluate(data: Path) -> None:  # noqa: N802
    names = "presidio", "manual_entity", "manual_intact", "presidio_gpt"
    paths = {name: str(data / f"tab/train_anonymizations/{name}.json") for name in names}
    texts = {
        "Precision": "precision",
        "Precision_m": 'precision(unit="mention")',
        "Recall": "recall",
        "Recall_m": 'recall(unit="mention")',
        "Recall_d": 'recall(include="direct")',
    }
    asked = {"Precision": {}, "Precision_m": {"token_level": False}, "Recall": {}, "Recall_m": {"token_level": False}}
    asked |= {"Recall_d": {"include_quasi": False}, "RecallPerEntityType": {}}
    run = evaluate(data / "tab/train_100.json", paths, [*texts.values(), "recall_per_type"], resamples=0)
    results = TAE(str(data / "tab/train_100.json")).evaluate({name: MaskedCorpus(paths[name]) for name in names}, asked)
    for name in names:
        assert {label: results[label][name] for label in texts} == {
            label: run[name, text].value for label, text in texts.items()
        }
        types = run.parts(name, "recall_per_type")
        assert results["RecallPerEntityType"][name] == {part: score.value for part, score in types.items()}
    reference = json.loads((data / "tab/reference_train_100.json").read_bytes())
    assert results["Precision"]["presidio"] == pytest.approx(reference["presidio"]["precision_token"], abs=1e-9)
    assert results["Recall"]["presidio"] == pytest.approx(reference["presidio"]["recall_token"], abs=0.005)
