"""What all formats of annotation tools and of data sets share: they tell themselves, and score as our own do."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import FORMATS, Annotation, Document, InputError, Run, evaluate, read_anonymization, read_corpus
from showthrough.data.levels import by_type
from showthrough.formats.lines import LineDocuments
from showthrough.formats.registry import recognise_format
from showthrough.formats.samples import example
from showthrough.storage.file_heads import Head

Record = dict[str, Any]
TEXTS = {"d1": "Mr John Doe of Oslo left. Doe is 46.", "d2": "Ann Lee\r\nmet him in Bergen.", "d3": "Nothing to see."}
MARKS = {
    "d1": [(3, 11, "PERSON"), (15, 19, "LOC"), (26, 29, "PERSON")],
    "d2": [(0, 7, "PERSON"), (20, 26, "LOC")],
    "d3": [],
}  # what annotators marked
FOUND = {
    "d1": [(3, 11, "PERSON"), (26, 35, "LOC")],
    "d2": [(4, 7, "PERSON"), (20, 26, "LOC")],
    "d3": [(0, 7, "PERSON")],
}
Marks = dict[str, list[tuple[int, int, str]]]


def label_studio(key: str, text: str, marks: list[tuple[int, int, str]]) -> Record:
    results = [
        {
            "id": f"r{n}", "from_name": "label", "to_name": "text", "type": "labels",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": [kind]},
        }
        for n, (start, end, kind) in enumerate(marks)
    ]  # fmt: skip
    annotation = {"id": 5, "completed_by": 1, "result": results, "was_cancelled": False, "ground_truth": False}
    return {"id": int(key[1:]), "annotations": [annotation], "predictions": [], "data": {"doc_id": key, "text": text}}


def label_studio_min(key: str, text: str, marks: list[tuple[int, int, str]]) -> Record:
    label = [{"start": start, "end": end, "text": text[start:end], "labels": [kind]} for start, end, kind in marks]
    return {
        "doc_id": key,
        "text": text,
        "id": 4,
        **({"label": label} if label else {}),
        "annotator": 1,
        "annotation_id": 9,
    }


def doccano(key: str, text: str, marks: list[tuple[int, int, str]]) -> Record:
    return {"id": key, "text": text, "label": marks, "Comments": []}


def doccano_entities(key: str, text: str, marks: list[tuple[int, int, str]]) -> Record:
    entities = [{"id": n, "label": kind, "start_offset": a, "end_offset": b} for n, (a, b, kind) in enumerate(marks)]
    return {"id": key, "text": text, "entities": entities, "relations": []}


def prodigy(key: str, text: str, marks: list[tuple[int, int, str]]) -> Record:
    spans = [{"start": a, "end": b, "label": kind, "token_start": 0, "token_end": 1} for a, b, kind in marks]
    return {"text": text, "_input_hash": key, "_task_hash": 1, "tokens": [], "spans": spans, "answer": "accept"}


def presidio_evaluator(key: str, text: str, marks: list[tuple[int, int, str]]) -> Record:
    spans = [
        {"entity_type": kind, "entity_value": text[a:b], "start_position": a, "end_position": b} for a, b, kind in marks
    ]
    return {"full_text": text, "masked": None, "spans": spans, "sample_id": key, "template_id": 3, "metadata": None}


def ai4privacy(key: str, text: str, marks: list[tuple[int, int, str]]) -> Record:
    mask = [{"value": text[a:b], "start": a, "end": b, "label": kind} for a, b, kind in marks]
    return {"source_text": text, "masked_text": "", "privacy_mask": mask, "uid": key, "language": "en"}


def ai4privacy_string(key: str, text: str, marks: list[tuple[int, int, str]]) -> Record:
    record = ai4privacy(key, text, marks)
    return {**record, "privacy_mask": json.dumps(record["privacy_mask"])}


def nemotron(key: str, text: str, marks: list[tuple[int, int, str]]) -> Record:
    spans = [{"start": a, "end": b, "text": text[a:b], "label": kind} for a, b, kind in marks]
    return {"uid": key, "domain": "Law", "text": text, "spans": repr(spans), "text_tagged": ""}


MAKERS: list[tuple[str, Callable[..., Record]]] = [
    ("label-studio", label_studio),
    ("label-studio-min", label_studio_min),
    ("doccano", doccano),
    ("doccano", doccano_entities),
    ("prodigy", prodigy),
    ("presidio-evaluator", presidio_evaluator),
    ("ai4privacy", ai4privacy),
    ("ai4privacy", ai4privacy_string),
    ("nemotron-pii", nemotron),
]
every_format = pytest.mark.parametrize(("name", "make"), MAKERS, ids=[make.__name__ for _, make in MAKERS])


def written(path: Path, make: Callable[..., Record], marks: Marks = MARKS) -> Path:  # type: ignore[assignment]
    records = [make(key, text, marks[key]) for key, text in TEXTS.items()]
    lines = path.name.startswith("lines")
    content = "\n".join(map(json.dumps, records)) if lines else json.dumps(records, indent=1)
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
    return path


CHOSEN = ["er_di", "er_qi", "recall", "recall_per_type", "precision", "f1", "phi_token", "phi_instance"]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run of the same spans in TAB's JSON, and of what the system found as TAE's masks."""
    folder = tmp_path_factory.mktemp("ours")
    corpus, masks = folder / "ours.json", folder / "masks.json"
    documents = [
        {
            "doc_id": key, "text": text,
            "annotations": {
                "a": {"entity_mentions": [
                    {"start_offset": a, "end_offset": b, "entity_type": kind} for a, b, kind in MARKS[key]
                ]}
            },
        }
        for key, text in TEXTS.items()
    ]  # fmt: skip
    corpus.write_text(json.dumps(documents))
    masks.write_text(json.dumps({key: [[a, b, None, kind] for a, b, kind in found] for key, found in FOUND.items()}))
    read = read_corpus(corpus)
    return evaluate(read, {"x": read_anonymization(masks, read)}, CHOSEN, resamples=50)


@every_format
@pytest.mark.parametrize("file", ["list.json", "lines.jsonl", "list.json.gz", "lines.jsonl.gz", "lines.json"])
def test_scores_are_those_of_the_same_spans_in_our_own_format(
    tmp_path: Path, ours: Run, name: str, make: Callable[..., Record], file: str
) -> None:
    gold, system = written(tmp_path / file, make), written(tmp_path / file.replace(".", "-system.", 1), make, FOUND)
    assert recognise_format(Head(gold), "read") == recognise_format(Head(system), "read_anonymization") == name
    corpus = read_corpus(gold)
    assert corpus.notes == ()
    run = evaluate(corpus, {"x": read_anonymization(system, corpus)}, CHOSEN, resamples=50)
    scores = [(one.metric, one.part, one.value, one.low, one.high) for one in ours.scores]
    assert [(one.metric, one.part, one.value, one.low, one.high) for one in run.scores] == scores
    assert run["x", "recall"].value == ours["x", "recall"].value not in (None, 0, 1)


@every_format
def test_spans_are_those_of_the_file(tmp_path: Path, name: str, make: Callable[..., Record]) -> None:
    corpus = read_corpus(written(tmp_path / "lines.jsonl", make))
    assert corpus.ids == tuple(TEXTS)
    assert [
        [(one.start, one.end, one.entity_type) for annotation in each.annotations for one in annotation.mentions]
        for each in corpus
    ] == list(MARKS.values())
    assert all(document.annotations for document in corpus)  # marked with nothing is another thing than not marked
    if name != "label-studio-min":
        assert hasattr(corpus.documents, "window")  # decoded when they are asked for
        assert [one.id for one in corpus.part(range(1, 3), lazy=True)] == ["d2", "d3"]


@every_format
def test_numbers_are_ids(tmp_path: Path, name: str, make: Callable[..., Record]) -> None:
    record = make("d1", TEXTS["d1"], MARKS["d1"])
    key = next((field for field, value in record.items() if value == "d1"), "id")
    if name.startswith("label-studio"):
        record = {**record, "data": {"text": TEXTS["d1"]}} if "data" in record else record
        record.pop("doc_id", None)
        key = "id"
    (tmp_path / "n.json").write_text(json.dumps([{**record, key: -17}]))
    assert read_corpus(tmp_path / "n.json").ids == ("-17",)


@every_format
def test_the_first_kilobytes_are_enough(tmp_path: Path, name: str, make: Callable[..., Record]) -> None:
    """Of a record that is longer than what is looked at, the keys before its text tell, or the text itself is cut."""
    text = "Mr John Doe left. " + "x " * 50_000
    record = make("d1", text, [(3, 11, "PERSON")])
    path = tmp_path / "long.json"
    path.write_text(json.dumps([dict(sorted(record.items(), key=lambda item: len(str(item[1]))))]))
    assert recognise_format(Head(path), "read") == name
    assert read_corpus(path).survey.mentions == 1
    if name in ("presidio-evaluator", "ai4privacy", "nemotron-pii"):  # as they come: much of them behind the text
        path.write_text(json.dumps([record]))
        assert recognise_format(Head(path), "read") == name


@pytest.mark.parametrize("name", sorted({name for name, _ in MAKERS}))
def test_samples_are_read_back(tmp_path: Path, name: str) -> None:
    for file, content in example(FORMATS[name]).items():
        path = tmp_path / file
        path.write_text(content)
        assert recognise_format(Head(path), "read") == name
        (document,) = read_corpus(path)
        assert (document.id, document.text) == ("case-1", "Mr John Doe of Oslo left.")
        assert [(one.start, one.end) for one in document.annotations[0].mentions] == [(3, 11), (15, 19)]


EMOJI = Document(
    "a",
    "😀 Zoe\u0301 Lee\r\nmet Ann 👍🏽 in Oslo.",
    (Annotation("gold", (by_type(2, 10, "PERSON"), by_type(16, 19, "PERSON"), by_type(26, 30, "LOC"))),),
)


@pytest.mark.parametrize("name", ["label-studio", "doccano", "prodigy", "presidio-evaluator"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    writer = FORMATS[name].write
    assert writer is not None
    plain = Document("b", "Oslo", (), "g")
    path = tmp_path / f"c{FORMATS[name].endings[0]}"
    path.write_bytes(writer([EMOJI, plain])[""])
    first, second = read_corpus(path, format=name)
    assert (first.id, first.text, second) == (EMOJI.id, EMOJI.text, plain)
    assert [one.annotator for one in first.annotations] == ["gold"]
    marks = [(one.start, one.end, one.entity_type) for one in first.annotations[0].mentions]
    assert marks == [(2, 10, "PERSON"), (16, 19, "PERSON"), (26, 30, "LOC")]
    assert len({one.entity_id or number for number, one in enumerate(first.annotations[0].mentions)}) == 3


@every_format
def test_marks_in_another_text_are_refused(tmp_path: Path, name: str, make: Callable[..., Record]) -> None:
    path = written(tmp_path / "list.json", make)
    corpus = read_corpus(path)
    record = make("d1", "Dr" + TEXTS["d1"][2:], MARKS["d1"])
    (tmp_path / "other.json").write_text(json.dumps([record]))
    with pytest.raises(InputError, match=r"document d1: its text differs from the corpus's at character 0: found 'Dr "):
        read_anonymization(tmp_path / "other.json", corpus)


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "lines.jsonl", doccano)
    assert isinstance(read_corpus(path).documents, LineDocuments)
