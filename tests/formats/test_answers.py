"""Answers of services in whatever people keep them in: the same spans everywhere, whosever they are."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Corpus, Document, InputError, Mention, evaluate, read_anonymization, read_corpus
from showthrough.formats.registry import recognise_format
from showthrough.storage.file_heads import Head

ONE = "😀 Mr José Díaz of Oslo left.\r\nHe was 46."
TWO = "Nothing to see."
SPANS = [(5, 14, "PERSON"), (18, 22, "LOCATION")]  # José Díaz, Oslo
CORPUS = Corpus(
    [
        Document("7", ONE, (Annotation("a", (Mention(5, 14, "PERSON", "DIRECT"), Mention(18, 22, "LOC", "QUASI"))),)),
        Document("b", TWO, (Annotation("a"),)),
    ]
)


def presidio(spans: Any = SPANS) -> Any:
    extra = {"analysis_explanation": None, "recognition_metadata": {"recognizer_name": "SpacyRecognizer"}}
    return [{"entity_type": kind, "start": start, "end": end, "score": 0.85, **extra} for start, end, kind in spans]


def comprehend(spans: Any = SPANS) -> Any:
    found = [{"Score": 0.9, "Type": kind, "BeginOffset": start, "EndOffset": end} for start, end, kind in spans]
    return {"Entities": found, "ResponseMetadata": {"RequestId": "x", "HTTPStatusCode": 200}}


def dlp(spans: Any = SPANS) -> Any:
    def finding(start: int, end: int, kind: str) -> Any:
        in_bytes = {"start": str(len(ONE[:start].encode())), "end": str(len(ONE[:end].encode()))}
        place = {"byteRange": in_bytes, "codepointRange": {"start": str(start), "end": str(end)}}
        return {"infoType": {"name": kind}, "likelihood": "LIKELY", "location": place, "quote": ONE[start:end]}

    return {"result": {"findings": [finding(*span) for span in spans]} if spans else {}}


def azure(spans: Any = SPANS) -> Any:
    found = [
        {"text": ONE[start:end], "category": kind, "offset": start, "length": end - start, "confidenceScore": 0.9}
        for start, end, kind in spans
    ]
    return {"redactedText": "***", "entities": found, "warnings": []}


SERVICES = {"presidio": presidio, "comprehend": comprehend, "dlp": dlp, "azure": azure}
HOLDERS = ("by id", "lines by id", "list", "records", "beside", "by text", "lines", "packed", "folder")


def kept(holder: str, name: str, folder: Path) -> Path:
    """A file of answers to both texts."""
    make = SERVICES[name]
    one, two = make(), make([])
    path = folder / "answers.json"
    beside = name in ("comprehend", "dlp", "azure")
    values: dict[str, Any] = {
        "by id": {"7": one, "b": two},
        "list": [one, two],
        "records": [{"doc_id": 7, "results": one}, {"doc_id": "b", "results": two}],
        "beside": [{"id": 7, **one}, {"id": "b", **two}]
        if beside
        else [{"id": "b", "answer": two}, {"id": 7, "answer": one}],
        "by text": [{"text": TWO, "response": two}, {"text": ONE, "response": one}],
    }
    if holder in ("lines", "lines by id", "packed"):
        rows = [{key: value} for key, value in values["by id"].items()]
        lines = "\n".join(map(json.dumps, rows if holder == "lines by id" else values["records"])).encode()
        path = folder / f"answers.jsonl{'.gz' if holder == 'packed' else ''}"
        path.write_bytes(gzip.compress(lines) if holder == "packed" else lines)
    elif holder == "folder":
        path = folder / "answers"
        path.mkdir()
        (path / "7.json").write_text(json.dumps(one))
        (path / "b.json").write_text(json.dumps(two))
    else:
        path.write_text(json.dumps(values[holder]))
    return path


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize("holder", HOLDERS)
def test_the_same_spans_in_whatever_they_are_kept(holder: str, name: str, tmp_path: Path) -> None:
    path = kept(holder, name, tmp_path)
    assert recognise_format(Head(path), "read_anonymization") == name
    system = read_anonymization(path, CORPUS)
    masks = tmp_path / "masks.json"
    score = {"presidio": [0.85], "comprehend": [0.9], "dlp": [], "azure": [0.9]}[name]
    masks.write_text(json.dumps({"7": [[*span[:2], None, span[2], *score] for span in SPANS], "b": []}))
    same = read_anonymization(masks, CORPUS)
    assert system.digest == same.digest
    notes = {
        "list": ("its answers have no ids: they were taken in the order of the corpus",),
        "by text": ("its ids are not the corpus's: documents were matched by their texts, which are the same",),
    }
    assert system.notes == notes.get(holder, ())
    run = evaluate(CORPUS, {"system": system, "same": same}, metrics=["er_di", "recall", "precision"], resamples=10)
    for metric in ("er_di", "recall", "precision"):
        assert run["system", metric].value == run["same", metric].value is not None


@pytest.mark.parametrize("name", SERVICES)
def test_an_id_that_two_lines_have_is_told(name: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(json.dumps({"7": SERVICES[name]()}) for _ in range(2)))
    with pytest.raises(InputError, match="document 7: occurs twice; expected unique ids"):
        read_anonymization(path, CORPUS)


@pytest.mark.parametrize("name", SERVICES)
def test_one_answer_alone_is_of_the_only_document(name: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(SERVICES[name]()))
    assert recognise_format(Head(path), "read_anonymization") == name
    alone = Corpus(CORPUS.documents[:1])
    assert [(mask.start, mask.end) for mask in read_anonymization(path, alone).of("7")] == [(5, 14), (18, 22)]
    with pytest.raises(InputError) as caught:
        read_anonymization(path, CORPUS)
    fault = "holds one answer without an id, but the corpus 2 documents; expected as many, or ids"
    assert str(caught.value) == f"{path}: {fault}"


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_with_their_texts_they_are_a_corpus(name: str, ending: str, tmp_path: Path) -> None:
    make = SERVICES[name]
    records = [{"doc_id": 7, "text": ONE, "results": make()}, {"doc_id": "b", "text": TWO, "results": make([])}]
    path = tmp_path / f"answers.{ending}"
    path.write_text("\n".join(map(json.dumps, records)) if ending == "jsonl" else json.dumps(records))
    assert recognise_format(Head(path), "read") == name
    corpus = read_corpus(path)
    assert corpus.ids == ("7", "b")
    assert corpus.notes == ()
    layer = corpus.documents[0].annotations[0]
    assert layer.annotator == name
    assert [(one.start, one.end, one.entity_type) for one in layer.mentions] == SPANS
    assert corpus.documents[1].annotations == (Annotation(name),)
    assert read_anonymization(path, CORPUS).of("7")[0].end == 14
    if ending == "jsonl":
        part = pickle.loads(pickle.dumps(corpus.part(range(1, 2), lazy=True).documents))  # noqa: S301 (our own bytes)
        assert part[0].id == "b"


def test_records_may_have_columns_of_other_names(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"case": 7, "body": ONE, "results": presidio(), "id": "x", "took": 3}))
    alone = Corpus(CORPUS.documents[:1])
    system = read_anonymization(path, alone, id_column="case", text_column="body")
    assert len(system.of("7")) == 2
    assert system.notes[0].startswith("not used, since the format does not know these keys: ")
    assert {"id", "took"} == set(system.notes[0].rpartition(": ")[2].split(", "))
    corpus = read_corpus(path, id_column="case", text_column="body")
    assert corpus.ids == ("7",)


def test_an_answer_that_comes_late_is_recognised_all_the_same(tmp_path: Path) -> None:
    """The first texts hold nothing; neither are they taken for texts that somebody released."""
    path = tmp_path / "answers.jsonl"
    records = [{"doc_id": "b", "text": TWO, "results": []}, {"doc_id": 7, "text": ONE, "results": presidio()}]
    path.write_text("\n".join(map(json.dumps, records)))
    assert recognise_format(Head(path), "read_anonymization") == recognise_format(Head(path), "read") == "presidio"


def test_marks_behind_a_long_text_are_found(tmp_path: Path) -> None:
    """What is behind 64 kB is not looked at to recognise; who reads looks at the whole first record."""
    path = tmp_path / "answers.json"
    long = ONE + "x" * 70_000
    path.write_text(json.dumps([{"doc_id": 7, "text": long, "results": presidio()}]))
    assert len(read_anonymization(path, Corpus([Document("7", long)])).of("7")) == 2
    assert read_corpus(path).survey.mentions == 2


def test_masks_of_other_formats_are_left_to_them(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    foreign = [
        ({"a": [[3, 9, None, "PERSON"]], "b": []}, "masks"),
        ([{"doc_id": "a", "masks": [[3, 9]]}], "records"),
        ([{"doc_id": "a", "text": "entity_type, BeginOffset, infoType, category"}], "records"),
        ({"a": "type: PERSON, start: 3, end: 9, and so on"}, "texts"),
    ]
    for value, name in foreign:
        path.write_text(json.dumps(value))
        assert recognise_format(Head(path), "read_anonymization") == name
    path.write_text(json.dumps([{"id": 1, "text": "Oslo", "entities": [{"start": 0, "end": 4, "label": "LOC"}]}]))
    assert recognise_format(Head(path), "read") not in SERVICES


def test_recognising_reads_no_more_than_the_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({str(number): presidio() for number in range(3000)}))
    assert path.stat().st_size > 500_000
    head = Head(path)
    monkeypatch.setattr("showthrough.storage.file_heads.read_bytes", None)
    assert recognise_format(head, "read_anonymization") == "presidio"
    assert len(head.start) <= 1 << 16


ERROR = {"error": "quota of text.analyze exceeded"}


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"7": presidio(), "b": ERROR}, "document b: is an error and no answer: 'quota of text.analyze exceeded'"),
        ({"7": presidio(), "b": None}, "document b: found None; expected a list of results with"),
        ({"7": presidio(), "b": {"note": 1}}, "document b: found the keys note; expected a list of results"),
        ([presidio(), presidio([]), []], "holds 3 answers without an id, but the corpus 2 documents"),
        ([{"id": 7, "results": presidio()}, {"results": []}], "answer number 2: found the keys results; expected"),
        ([{"id": 7, "results": presidio()}, []], "answer number 2: has no id, and others do; expected one in each"),
        ([{"id": 7, "results": presidio()}, {"id": 7, "results": []}], "document 7: occurs twice; expected unique ids"),
        (
            [{"id": 7, "results": presidio()}, {"id": "", "results": []}],
            "answer number 2: its id is empty; expected a name",
        ),
        ([{"id": 9, "results": presidio()}], "document 9: is not in the corpus corpus"),
        ([{"id": 7, "text": "Oslo", "results": presidio()}], "document 7: its text differs from the corpus's at char"),
        ([{"text": "Oslo", "results": presidio()}], "number 1: no document of the corpus has its text: 'Oslo'"),
    ],
)
def test_what_is_refused(value: Any, line: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InputError) as caught:
        read_anonymization(path, CORPUS)
    assert line in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_without_a_corpus_ids_are_needed_and_texts_for_a_corpus(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([presidio()]))
    with pytest.raises(InputError, match="its answers have no ids; expected --id-column, or the corpus"):
        read_anonymization(path)
    with pytest.raises(InputError, match="answer number 1: has no original text; expected one beside each answer"):
        read_corpus(path)
    path.write_text(json.dumps({"7": presidio()}))
    assert len(read_anonymization(path).of("7")) == 2


def test_nothing_found_in_any_is_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([{"id": 7, **comprehend([])}, {"id": "b", **comprehend([])}]))
    assert read_anonymization(path, CORPUS, format="comprehend").masks == {"7": [], "b": []}
    path.write_text("[[], []]")
    assert read_anonymization(path, CORPUS, format="presidio").masks == {"7": [], "b": []}
    assert recognise_format(Head(path), "read_anonymization") not in SERVICES  # nobody can tell whose these are
