"""`showthrough corpus`: what a corpus holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough.cli.demo_corpus import corpus_path


def test_a_corpus(desk: Any) -> None:
    found = desk.cli("corpus", "corpus.json")
    assert (found.status, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[:2] == [
        "1 document, 1 annotation layer by 1 annotator; no document has more than one layer.",
        "2 mentions in 2 types: 1 direct, 1 quasi, 0 no mask.",
    ]
    assert ["documents", "with", "1", "annotator", "1"] in [line.split() for line in lines]
    assert "no document says whether it was reviewed" in found.out


def test_it_fits_a_page(desk: Any) -> None:
    found = desk.cli("corpus", corpus_path())
    assert found.status == 0
    assert max(map(len, found.out.splitlines())) <= 100
    assert "1,231 mentions of 1,085 entities in 8 types: 199 direct, 833 quasi, 199 no mask." in found.out


def test_json_has_everything(desk: Any) -> None:
    found = desk.cli("corpus", corpus_path(), "--json", "corpus-numbers.json")
    assert (found.status, found.err) == (0, "")
    assert found.out.endswith("written to corpus-numbers.json\n")
    read = json.loads(Path("corpus-numbers.json").read_text())
    assert read["whole"]["documents_by_annotators"] == {"1": 24, "2": 15, "3": 3}
    assert read["whole"]["marks"]["mentions"] == {"direct": 199, "quasi": 833, "no_mask": 199, "may_mask": 0}
    assert list(read["splits"]) == ["demo"]
    assert 0 < read["whole"]["annotators"]["annotator1"]["masked_share"] < 1


def test_texts_without_annotations(desk: Any) -> None:
    desk.write({"texts.json": {"a": "Mr Doe", "b": "Oslo"}})
    found = desk.cli("corpus", "texts.json")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith("2 documents and no annotations: nobody marked anything.\n")
    assert "nan" not in found.out


@pytest.mark.parametrize(
    "text", ["Hr. Åge Ødegård bor i Århus.", "La señora Núñez vive en Logroño.", "山田さんは東京に住む。"]
)
def test_languages_and_lazy_files(desk: Any, text: str) -> None:
    mark = {"start_offset": 0, "end_offset": 4, "entity_type": "人|&_", "identifier_type": "DIRECT", "entity_id": "ø"}
    layer = {"日本": {"entity_mentions": [mark]}}
    records = [{"doc_id": str(each), "text": text, "annotations": layer, "dataset_type": "prøve"} for each in range(3)]
    desk.write({"lines.jsonl": "".join(json.dumps(one) + "\n" for one in records)})
    found = desk.cli("corpus", "lines.jsonl")
    assert (found.status, found.err) == (0, "")
    assert "3 mentions in 1 type: 3 direct, 0 quasi, 0 no mask." in found.out
    assert "人|&_" in found.out
    assert "All documents are of the split prøve." in found.out


def test_what_was_left_aside_is_told(desk: Any) -> None:
    mark = {"start_offset": 0, "end_offset": 2, "entity_type": "A", "colour": "red"}
    desk.write({"odd.json": [{"doc_id": "a", "text": "abc", "annotations": {"x": {"entity_mentions": [mark]}}}]})
    found = desk.cli("corpus", "odd.json")
    assert found.status == 0
    assert found.err.startswith("note: odd.json: ")
    assert "colour" in found.err


def test_what_is_wrong_is_told(desk: Any) -> None:
    desk.refuses("corpus", "nothing.json", starts="nothing.json: ")
    desk.write({"broken.json": [{"doc_id": "a", "text": "abc", "annotations": {"x": {"entity_mentions": [
        {"start_offset": 0, "end_offset": 9, "entity_type": "A"}]}}}]})  # fmt: skip
    desk.refuses("corpus", "broken.json", starts="broken.json: document a: ", says=("past the end of the text",))
    desk.write({"empty.json": []})
    desk.refuses("corpus", "empty.json", starts="empty.json: ")
    desk.refuses("corpus", "corpus.json", "--format", "brta", starts="")


def test_outputs_are_checked_before_anything_is_read(desk: Any) -> None:
    desk.write({"there.json": "{}"})
    desk.refuses("corpus", "nothing.json", "--json", "there.json", starts="there.json: exists already")
    desk.refuses("corpus", "corpus.json", "--json", "corpus.json", "--force", starts="corpus.json: is read by")
    desk.refuses("corpus", "corpus.json", "--json", "no/where.json", starts="no/where.json: ")
