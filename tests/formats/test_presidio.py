"""Presidio's results as it writes them itself: of its analyzer in all their forms, and of its anonymizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    OutputError,
    apply_masks,
    evaluate,
    read_anonymization,
    read_corpus,
    write_corpus,
)
from showthrough.data.masks import ScoredMask, TypedMask
from showthrough.formats.registry import FORMATS, recognise_format
from showthrough.storage.file_heads import Head

TEXT = "😀 Mr John Doe of Oslo left on 3 May 2011. Mail john@doe.org or call 212-555-5555."
CORPUS = Corpus([Document("d", TEXT)])
# What presidio-analyzer 2.2.366 gave for this text, as `json.dumps([one.to_dict() for one in results])` has it.
RESULTS = [
    {"entity_type": "EMAIL_ADDRESS", "start": 47, "end": 59, "score": 1.0, "analysis_explanation": None,
     "recognition_metadata": {"recognizer_name": "EmailRecognizer", "recognizer_identifier": "EmailRecognizer_1"}},
    {"entity_type": "PERSON", "start": 5, "end": 13, "score": 0.85,
     "analysis_explanation": {"recognizer": "SpacyRecognizer", "pattern_name": None, "original_score": 0.85},
     "recognition_metadata": {"recognizer_name": "SpacyRecognizer", "recognizer_identifier": "SpacyRecognizer_2"}},
    {"entity_type": "LOCATION", "start": 17, "end": 21, "score": 0.85},
    {"entity_type": "DATE_TIME", "start": 30, "end": 40, "score": 0.85},
    {"entity_type": "URL", "start": 52, "end": 59, "score": 0.5},
    {"entity_type": "PHONE_NUMBER", "start": 68, "end": 80, "score": 0.4},
]  # fmt: skip
# The same by `json.dumps(results, default=str)` and by `json.dumps(str(results))`.
STRINGS = [
    f"type: {one['entity_type']}, start: {one['start']}, end: {one['end']}, score: {one['score']}" for one in RESULTS
]
FOUND = {(one["start"], one["end"], one["entity_type"]) for one in RESULTS}
# And presidio-anonymizer 2.2.366, by `to_json`: the URL is inside the address and gone.
REPLACED = {
    "text": "😀 Mr <PERSON> of <LOCATION> left on <DATE_TIME>. Mail <EMAIL_ADDRESS> or call <PHONE_NUMBER>.",
    "items": [
        {"start": 78, "end": 92, "entity_type": "PHONE_NUMBER", "text": "<PHONE_NUMBER>",
         "operator": "replace", "score": 0.4},
        {"start": 54, "end": 69, "entity_type": "EMAIL_ADDRESS", "text": "<EMAIL_ADDRESS>",
         "operator": "replace", "score": 1.0},
        {"start": 36, "end": 47, "entity_type": "DATE_TIME", "text": "<DATE_TIME>",
         "operator": "replace", "score": 0.85},
        {"start": 17, "end": 27, "entity_type": "LOCATION", "text": "<LOCATION>",
         "operator": "replace", "score": 0.85},
        {"start": 5, "end": 13, "entity_type": "PERSON", "text": "<PERSON>",
         "operator": "replace", "score": 0.85},
    ],
}  # fmt: skip
MASKED = {
    (5, 13, "PERSON"),
    (17, 21, "LOCATION"),
    (30, 40, "DATE_TIME"),
    (47, 59, "EMAIL_ADDRESS"),
    (68, 80, "PHONE_NUMBER"),
}


def read(value: Any, folder: Path, corpus: Corpus = CORPUS) -> Anonymization:
    path = folder / "p.json"
    path.write_text(json.dumps(value))
    assert recognise_format(Head(path), "read_anonymization") == "presidio"
    return read_anonymization(path, corpus)


def spans(masks: Any) -> set[tuple[int, int, str]]:
    return {(mask.start, mask.end, mask.entity_type) for mask in masks}


def item(start: int, text: str, operator: str = "replace", kind: str = "PERSON") -> dict[str, Any]:
    return {"start": start, "end": start + len(text), "entity_type": kind, "text": text, "operator": operator}


@pytest.mark.parametrize(
    "value",
    [
        *(RESULTS, [RESULTS], {"d": RESULTS}, [{"doc_id": "d", "analyzer_results": RESULTS}]),
        *(STRINGS, [STRINGS], {"d": STRINGS}, {"d": f"[{', '.join(STRINGS)}]"}),
        [{"key": "d", "value": TEXT, "recognizer_results": RESULTS}],  # DictAnalyzerResult
        [{"key": "column", "value": [TEXT], "recognizer_results": [RESULTS]}],
    ],
)
def test_results_in_all_their_forms(value: Any, tmp_path: Path) -> None:
    system = read(value, tmp_path)
    assert spans(system.of("d")) == FOUND
    assert sorted(mask.score or 0 for mask in system.of("d")) == [0.4, 0.5, 0.85, 0.85, 0.85, 1.0]
    assert not any("not used" in note for note in system.notes)


def test_other_keys_are_told(tmp_path: Path) -> None:
    system = read({"d": [{**RESULTS[1], "colour": "red"}]}, tmp_path)
    assert system.notes == ("not used, since the format does not know this key: [].colour",)


@pytest.mark.parametrize("value", [REPLACED, {"d": REPLACED}, [REPLACED], [{"id": "d", "anonymized": REPLACED}]])
def test_masks_of_an_anonymized_text_are_found_in_the_original(value: Any, tmp_path: Path) -> None:
    system = read(value, tmp_path)
    assert spans(system.of("d")) == MASKED
    assert sorted(mask.score or 0 for mask in system.of("d")) == [0.4, 0.85, 0.85, 0.85, 1.0]
    assert apply_masks(TEXT, system.of("d")) == REPLACED["text"]
    assert system.notes == ()


def test_surer_results_alone_are_swept_and_a_result_without_a_score_stays(tmp_path: Path) -> None:
    marks = (Mention(5, 13, "PERSON", "DIRECT"), Mention(68, 80, "PHONE", "DIRECT"))
    corpus = Corpus([Document("d", TEXT, (Annotation("ann", marks),))])
    unsure, sure = RESULTS[5], {key: value for key, value in RESULTS[1].items() if key != "score"}
    found = {"x": read({"d": [unsure, sure]}, tmp_path, corpus)}
    assert found["x"].of("d") == [ScoredMask(68, 80, None, "PHONE_NUMBER", 0.4), TypedMask(5, 13, None, "PERSON")]
    assert not evaluate(corpus, found, ["er_di"], resamples=0).sweeps  # one score alone
    found = {"x": read({"d": [unsure, RESULTS[1]]}, tmp_path, corpus)}
    sweep = evaluate(corpus, found, ["er_di"], resamples=0).sweeps["x"]
    assert (list(sweep.thresholds), list(sweep.masks), list(sweep.values["er_di"])) == ([0, 0.8], [2, 1], [1, 0.5])


@pytest.mark.parametrize("key", ["confidence", "probability"])
def test_others_call_a_score_otherwise(key: str, tmp_path: Path) -> None:
    found = read({"d": [{"start": 5, "end": 13, "entity_type": "PERSON", key: 0.7}]}, tmp_path)
    assert (found.of("d"), found.notes) == ([ScoredMask(5, 13, None, "PERSON", 0.7)], ())


@pytest.mark.parametrize(
    ("result", "line"),
    [
        ({**RESULTS[1], "score": 85}, "[0].score: expected a number of 1.0 or less"),
        ({**RESULTS[1], "score": "sure"}, "[0].score: found text; expected a number or null"),
        (STRINGS[1].replace("0.85", "85"), "score: found 85.0; expected how sure the system is, a number from 0 to 1"),
        (
            STRINGS[1].replace("0.85", "sure"),
            "score: found 'sure'; expected how sure the system is, a number from 0 to 1",
        ),
        (STRINGS[1].replace("0.85", "nan"), "score: found nan; expected how sure the system is, a number from 0 to 1"),
    ],
)
def test_what_is_no_score_is_refused(result: Any, line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read({"d": [result]}, tmp_path)
    assert str(caught.value) == f"{tmp_path / 'p.json'}: document d: {line}"


def test_a_text_that_was_redacted(tmp_path: Path) -> None:
    places = zip((5, 9, 18, 25, 34), sorted(MASKED), strict=True)
    items = [item(at, "", "redact", kind) for at, (_, _, kind) in places]
    system = read({"text": "😀 Mr  of  left on . Mail  or call .", "items": items}, tmp_path)
    assert spans(system.of("d")) == MASKED
    assert all(mask.replacement is None for mask in system.of("d"))


def test_a_text_masked_character_by_character_is_exact(tmp_path: Path) -> None:
    corpus = Corpus([Document("d", "Ann Lee 3 May 2011")])
    value = {
        "text": "Ann *** **********",
        "items": [item(0, "Ann ***", "mask"), item(8, "*" * 10, "mask", "DATE_TIME")],
    }
    system = read(value, tmp_path, corpus)
    assert spans(system.of("d")) == {(0, 7, "PERSON"), (8, 18, "DATE_TIME")}
    assert system.notes == ()


def test_what_was_kept_is_no_mask(tmp_path: Path) -> None:
    corpus = Corpus([Document("d", "Ann Lee of Oslo")])
    value = {"text": "<PERSON> of Oslo", "items": [item(12, "Oslo", "keep", "LOCATION"), item(0, "<PERSON>")]}
    system = read(value, tmp_path, corpus)
    assert spans(system.of("d")) == {(0, 7, "PERSON")}
    assert system.notes == ("items kept as they are (operator keep), which are not masks: 1",)


def test_where_masks_may_be_elsewhere_nothing_is_called_hidden_that_may_be_read(tmp_path: Path) -> None:
    """Of "Court of Justice of Norway" one "of" was kept, and nobody knows which; all else is hidden either way."""
    text = "The Court of Justice of Norway."
    value = {"text": "The <ORG> of <LOC>.", "items": [item(4, "<ORG>"), item(13, "<LOC>")]}
    system = read(value, tmp_path, Corpus([Document("d", text)]))
    masks = system.of("d")
    assert [text[mask.start : mask.end] for mask in masks] == ["Court", "Justice ", " Norway"]
    assert [mask.replacement for mask in masks] == ["<ORG>", "<LOC>", None]
    note = "in 1 document the anonymized text does not show where one mask ends and the next starts"
    rest = "it does not show which of several equal words was kept: all of these count as readable"
    assert system.notes == (f"{note}. In 1 of them {rest}",)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"d": [{"entity_type": "P", "start": 3, "end": "5"}]}, "document d: [0].end: found text; expected a whole"),
        ({"d": [*RESULTS, {"entity_type": "P", "start": 3}]}, "document d: [6]: end is missing"),
        ({"d": [*STRINGS, "type: P"]}, "document d: found 'type: P'; expected 'type: …, start: …, end: …, score: …'"),
        (REPLACED["items"], "are items of anonymized text, whose offsets they have, and that text is not here"),
        ({"d": {**REPLACED, "text": "😀 Mrs <PERSON>"}}, "document d: items[4]: the text at 5–13 is ' <PERSON' but"),
        (
            {"d": {"text": "😀 Dr <PERSON>.", "items": [item(5, "<PERSON>")]}},
            "document d: text: '😀 Dr ' is between masks, and the original has no place for it",
        ),
        (
            {"d": {"text": "<PERSON>", "items": [item(0, "<PERSON>"), item(0, "<PERSON>")]}},
            "document d: items[1]: 0–8 is not in what is left of the anonymized text (8–8)",
        ),
        ({"d": {"text": "x", "items": [{"operator": "hash", **RESULTS[2]}]}}, "document d: items[0]: text is missing"),
    ],
)  # fmt: skip
def test_what_is_refused(value: Any, line: str, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InputError) as caught:
        read_anonymization(path, CORPUS)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_anonymized_text_needs_the_original(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"d": REPLACED}))
    with pytest.raises(InputError, match="document d: means nothing without the original; reading it needs the corpus"):
        read_anonymization(path)
    with pytest.raises(InputError, match="document d: has no original text; expected one beside each answer"):
        read_corpus(path)


def test_a_round_trip(tmp_path: Path) -> None:
    masks = {"d": [ScoredMask(5, 13, None, "PERSON", 0.85), Mask(17, 21)], "é😀": []}
    files = FORMATS["presidio"].write_masks(Anonymization(masks))  # type: ignore[misc]
    path = tmp_path / "p.json"
    path.write_bytes(files[""])
    certain = {**masks, "d": [masks["d"][0], ScoredMask(17, 21, None, "", 1.0)]}  # what says nothing
    assert read_anonymization(path).digest == Anonymization(certain).digest
    with pytest.raises(OutputError, match="document d: results of an analyzer hold no replacements; choose masks"):
        FORMATS["presidio"].write_masks(Anonymization({"d": [Mask(0, 1, "x")]}))  # type: ignore[misc]


def test_a_corpus_is_written_as_what_a_system_would_find(tmp_path: Path, tiny: Corpus) -> None:
    write_corpus(tiny, tmp_path / "p.json", "presidio", annotator="a")
    system = read_anonymization(tmp_path / "p.json", tiny)
    assert spans(system.of("d2")) == {(2, 9, "PERSON"), (23, 25, "PERSON")}


def test_a_result_where_a_list_of_them_belongs_is_refused(tmp_path: Path) -> None:
    """The text of the last record is a list, and so is read as texts that have a result each."""
    records = [{"doc_id": name, "text": TEXT, "results": RESULTS[:2]} for name in ("a", "b")]
    records.append({"doc_id": "c", "text": [TEXT], "results": RESULTS[:1]})
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(InputError, match=r"document c: number 1: found keys .*; expected a list of results"):
        read_corpus(path)
