"""What is each service's own: units, truncated answers, batches, jobs, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, Document, InputError, read_anonymization, read_corpus
from showthrough.data.units import Unit, from_code_points
from showthrough.formats.registry import recognise_format
from showthrough.storage.file_heads import Head

TEXT = "👨‍👩‍👧 met José Díaz 👍🏽 in Łódź.\r\nHe left."
JOSE, LODZ = TEXT.index("José"), TEXT.index("Łódź")
SPANS = [(JOSE, JOSE + 9), (LODZ, LODZ + 4)]
CORPUS = Corpus([Document("d", TEXT), Document("e", "Ann left.")])
ALONE = Corpus(CORPUS.documents[:1])


def read(value: Any, folder: Path, corpus: Corpus = ALONE, name: str = "a.json") -> Anonymization:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, value)) if name.endswith("l") else json.dumps(value))
    return read_anonymization(path, corpus)


def spans(system: Anonymization, name: str = "d") -> list[tuple[int, int]]:
    return [(mask.start, mask.end) for mask in system.of(name)]


def refused(value: Any, folder: Path, corpus: Corpus = ALONE, **asked: str) -> str:
    path = folder / "a.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InputError) as caught:
        read_anonymization(path, corpus, **asked)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{path}: ")


def azure(unit: Unit, **more: Any) -> dict[str, Any]:
    entities = []
    for start, end in SPANS:
        offset, last = from_code_points(TEXT, [start, end], unit)
        text = TEXT[start:end]
        entities.append({"text": text, "category": "Person", "offset": offset, "length": last - offset, **more})
    return {"id": "d", "redactedText": "…", "entities": entities, "warnings": []}


def request(*documents: Any, **more: Any) -> dict[str, Any]:
    return {"documents": list(documents), "errors": [], "modelVersion": "2023-09-01", **more}


@pytest.mark.parametrize("unit", ["text elements", "graphemes", "code points", "utf-16"])
def test_azure_texts_of_entities_tell_what_offsets_count(unit: Unit, tmp_path: Path) -> None:
    assert spans(read(request(azure(unit)), tmp_path)) == SPANS
    job = {"jobId": "x", "status": "succeeded", "tasks": {"completed": 1, "items": [
        {"kind": "PiiEntityRecognitionLROResults", "results": request(azure(unit))}]}}  # fmt: skip
    assert spans(read(job, tmp_path)) == SPANS
    newer = {"kind": "PiiEntityRecognitionResults", "results": request(azure(unit))}
    system = read(newer, tmp_path)
    assert spans(system) == SPANS
    assert system.notes == ()


def test_azure_the_file_may_say_what_offsets_count(tmp_path: Path) -> None:
    nameless = azure("utf-16", text=None)
    said = "TextElements_v8", "UnicodeCodePoint", "Utf16CodeUnit"
    assert spans(read(request(nameless, stringIndexType=said[2]), tmp_path)) == SPANS
    ours = azure("code points", text=None)
    assert spans(read({"parameters": {"stringIndexType": said[1]}, **request(ours)}, tmp_path)) == SPANS
    assert spans(read(request(azure("text elements", text=None), stringIndexType=said[0]), tmp_path)) == SPANS
    fault = "document d: its offsets may count text elements, code points or UTF-16 units, which differ in this text"
    remedy = 'say which in the file: "stringIndexType": "UnicodeCodePoint"'
    assert refused(request(nameless), tmp_path) == f"{fault}; {remedy}"
    assert refused(request(azure("utf-16"), stringIndexType=said[1]), tmp_path).startswith(
        "document d: entities[0]: the text at 13–22 is "
    )
    assert refused(request(ours, stringIndexType="Bytes"), tmp_path).startswith(
        "document d: stringIndexType: found 'Bytes'; expected one of TextElements_v8, "
    )


def test_azure_one_file_counts_in_one_unit(tmp_path: Path) -> None:
    """A document whose texts tell decides for one whose texts do not."""
    twins = Corpus([Document("d", TEXT), Document("e", TEXT)])
    silent = {**azure("utf-16", text=None), "id": "e"}
    system = read(request(azure("utf-16"), silent), tmp_path, twins)
    assert spans(system, "e") == SPANS
    other = {**azure("code points"), "id": "e"}
    assert refused(request(azure("utf-16"), other), tmp_path, twins).startswith(
        "document e: its offsets count something"
    )


def test_azure_errors_are_refused_by_name(tmp_path: Path) -> None:
    error = {"id": "e", "error": {"code": "InvalidArgument", "message": "Invalid document", "innererror": {}}}
    value = {**request(azure("utf-16")), "errors": [error]}
    assert refused(value, tmp_path, CORPUS).startswith("document e: is an error and no answer: 'Invalid document'")


@pytest.mark.parametrize("errors", [7, True, "no", {"code": "x"}, ["no"], [None]])
def test_errors_of_whatever_kind_are_errors(errors: Any, tmp_path: Path) -> None:
    assert "is an error and no answer" in refused({**request(azure("utf-16")), "errors": errors}, tmp_path)
    refused({"ResultList": [{"Index": 0, "Entities": []}], "ErrorList": errors}, tmp_path, format="comprehend")


def test_azure_subcategories_and_the_python_client(tmp_path: Path) -> None:
    entity = {
        "text": "Ann",
        "category": "Person",
        "subcategory": "Given",
        "confidence_score": 0.9,
        "offset": 0,
        "length": 3,
    }
    value = [{"id": "e", "redacted_text": "*** left.", "entities": [entity], "warnings": ["long"], "is_error": False}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))
    assert recognise_format(Head(path), "read_anonymization") == "azure"
    system = read_anonymization(path, Corpus(CORPUS.documents[1:]))
    assert system.of("e")[0].entity_type == "Person/Given"
    assert system.notes == ("the service gave warnings with some of its answers: see there",)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ([{"id": "d", "entities": [{"category": "P", "offset": 0}]}], "document d: entities[0]: length is missing"),
        (request({"id": "d", "redactedText": "", "entities": None}), "document d: found the keys id, redactedText"),
        (request({**azure("utf-16"), "entities": [{"category": "P", "offset": 99, "length": 1}]}),
         "document d: entities[0]: offset 99 is past the end of the text"),
    ],
)  # fmt: skip
def test_azure_refused(value: Any, line: str, tmp_path: Path) -> None:
    assert refused(value, tmp_path, format="azure").startswith(line)


def finding(start: Any, end: Any, place: str = "codepointRange", **more: Any) -> dict[str, Any]:
    span = {key: value for key, value in (("start", start), ("end", end)) if value is not None}
    return {"infoType": {"name": "PERSON_NAME"}, "location": {place: span}, **more}


def test_dlp_bytes_missing_zeros_and_numbers_as_text(tmp_path: Path) -> None:
    in_bytes = from_code_points(TEXT, SPANS[0], "bytes")
    found = [finding(*map(str, in_bytes), "byteRange"), finding(*SPANS[1], quote="Łódź"), finding(None, "5")]
    assert spans(read({"result": {"findings": found}}, tmp_path)) == [*SPANS, (0, 5)]
    snake = {"info_type": {"name": "X"}, "likelihood": 4, "location": {"codepoint_range": {"start": 0, "end": 5}}}
    system = read({"result": {"findings": [snake], "findings_truncated": False}}, tmp_path)
    assert spans(system) == [(0, 5)]
    assert system.notes == ()


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (
            {"findings": [finding(0, 5)], "findingsTruncated": True},
            "was truncated: the service found more than it says",
        ),
        ({"findings": [finding(0, 5, "elsewhere")]}, "findings[0].location: found no codepointRange and no byteRange"),
        (
            {"findings": [finding(1, 5, "byteRange")]},
            "findings[0]: offset 1 is inside a character: offsets in",
        ),
        ({"findings": [finding("x", 5)]}, "findings[0].location: found 'x'; expected a whole number"),
        ({"findings": [finding(0, 5, quote="Ann")]}, "findings[0]: the text at 0–5 is "),
        ({"findings": [{"infoType": {}, "location": {}}]}, "findings[0].infoType: name is missing"),
    ],
)
def test_dlp_refused(result: Any, line: str, tmp_path: Path) -> None:
    assert refused({"d": {"result": result}}, tmp_path).startswith(f"document d: {line}")


def test_dlp_a_table_is_no_text(tmp_path: Path) -> None:
    one = finding(0, 5)
    one["location"]["contentLocations"] = [{"containerName": "t", "recordLocation": {"fieldId": {"name": "c"}}}]
    line = "document d: findings[0]: is in a table, an image or pages (recordLocation); expected a text"
    assert refused({"d": {"result": {"findings": [one]}}}, tmp_path) == line


def entity(start: int, end: int, **more: Any) -> dict[str, Any]:
    return {"Score": 0.99, "Type": "NAME", "BeginOffset": start, "EndOffset": end, **more}


def test_comprehend_files_of_jobs(tmp_path: Path) -> None:
    """One text a file is named by it; of one text a line the lines are numbered, and not in order."""
    jose, nobody = {"Entities": [entity(*SPANS[0])]}, {"Entities": [entity(0, 3)]}
    system = read([{**nobody, "File": "e.txt"}, {**jose, "File": "in/d.txt"}], tmp_path, CORPUS, "out.jsonl")
    assert (spans(system), spans(system, "e"), system.notes) == (SPANS[:1], [(0, 3)], ())
    lines = [{**nobody, "File": "all.txt", "Line": 1}, {**jose, "File": "all.txt", "Line": 0}]
    system = read(lines, tmp_path, CORPUS, "out.jsonl")
    assert (spans(system), spans(system, "e")) == (SPANS[:1], [(0, 3)])
    assert system.notes == ("its answers have no ids: they were taken in the order of the corpus",)
    path = tmp_path / "out"  # as the job names it
    path.write_text("\n".join(map(json.dumps, lines)))
    assert spans(read_anonymization(path, CORPUS)) == SPANS[:1]


def test_comprehend_batches(tmp_path: Path) -> None:
    results = [{"Index": 1, "Entities": []}, {"Index": 0, "Entities": [entity(*SPANS[0], Text="José Díaz")]}]
    system = read({"ResultList": results, "ErrorList": []}, tmp_path, CORPUS)
    assert (spans(system), spans(system, "e")) == (SPANS[:1], [])
    error = {"Index": 1, "ErrorCode": "INTERNAL_SERVER_ERROR", "ErrorMessage": "try again"}
    value = {"ResultList": results[1:], "ErrorList": [error]}
    assert refused(value, tmp_path, CORPUS).startswith("Index 1: is an error and no answer: 'try again'")


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"d": {"Entities": [{"BeginOffset": 1}, entity(0, 5)]}}, "document d: Entities[0]: EndOffset is missing"),
        ({"d": {"Entities": [entity(0, 5, Text="Ann")]}}, "document d: Entities[0]: the text at 0–5 is "),
        (
            {"Entities": [entity(0, 5)], "PaginationToken": "x"},
            "is a part of the answer, since it has a PaginationToken",
        ),
        (
            [{"Entities": [entity(0, 5)], "File": "a", "Line": 3}],
            "its answers are not numbered from 0 to 0; expected each",
        ),
    ],
)
def test_comprehend_refused(value: Any, line: str, tmp_path: Path) -> None:
    assert refused(value, tmp_path).startswith(line)


_LINES: dict[str, dict[str, Any]] = {
    "presidio": {"results": [{"entity_type": "PERSON", "start": 0, "end": 3, "score": 0.85}]},
    "comprehend": {"Entities": [{"Score": 0.99, "Type": "NAME", "BeginOffset": 0, "EndOffset": 3}]},
    "dlp": {"result": {"findings": [
        {"infoType": {"name": "PERSON"}, "quote": "Ann", "location": {"codepointRange": {"start": "0", "end": "3"}}}]}},
    "azure": {"redactedText": "*** left.", "entities": [
        {"text": "Ann", "category": "Person", "offset": 0, "length": 3, "confidenceScore": 0.9}]},
}  # fmt: skip


@pytest.mark.parametrize("service", _LINES)
def test_a_line_as_most_are_is_read_as_any_other(service: str, tmp_path: Path) -> None:
    """A key that nobody knows has a line looked at key by key, and the same documents come of it."""
    usual = {"doc_id": "e", "text": "Ann left.", **_LINES[service]}
    (tmp_path / "a.jsonl").write_text(json.dumps(usual))
    (tmp_path / "b.jsonl").write_text(json.dumps({**usual, "took": 3}))
    plain, noted = (read_corpus(tmp_path / name, format=service) for name in ("a.jsonl", "b.jsonl"))
    assert list(plain) == list(noted)
    assert [(one.start, one.end) for one in plain.documents[0].annotations[0].mentions] == [(0, 3)]
    assert (plain.notes, noted.notes) == ((), ("not used, since the format does not know this key: took",))


@pytest.mark.parametrize(
    ("service", "score"), [("presidio", 0.85), ("comprehend", 0.99), ("dlp", None), ("azure", 0.9)]
)
def test_masks_have_the_scores_of_findings(service: str, score: float | None, tmp_path: Path) -> None:
    """Google's likelihood is a word, and no number."""
    system = read([{"doc_id": "e", "text": "Ann left.", **_LINES[service]}], tmp_path, CORPUS)
    assert [mask.score for mask in system.of("e")] == [score]


def test_azure_scores_as_the_python_client_has_them(tmp_path: Path) -> None:
    one = {"text": "José", "category": "Person", "offset": SPANS[0][0], "length": 4, "confidence_score": 0.5}
    assert [mask.score for mask in read({"d": {"entities": [one]}}, tmp_path).of("d")] == [0.5]


@pytest.mark.parametrize("service", _LINES)
@pytest.mark.parametrize("ids", [{"doc_id": ""}, {"doc_id": None, "id": "e"}, {"doc_id": "e", "id": "f"}, {}])
def test_an_id_is_looked_for_where_a_line_has_not_just_one(service: str, ids: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({**ids, "text": "Ann left.", **_LINES[service]}))
    if ids.get("doc_id") == "":
        with pytest.raises(InputError, match="line 1: its id is empty; expected a name"):
            read_corpus(path, format=service)
    else:
        assert read_corpus(path, format=service).ids == ("e" if ids.get("doc_id") else "1",)
