"""doccano's JSON Lines: spans, entities and relations, what offsets count, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Corpus, Document, InputError, Mention, OutputError, read_corpus, write_corpus

TEXT = "Mr John Doe of Oslo left."
UNDECIDED = (
    "offsets were taken as UTF-16 units: the file does not say what they count in texts with emoji and the like (1)"
)


def read(tmp_path: Path, *examples: Any) -> Corpus:
    path = tmp_path / "all.jsonl"
    path.write_text("".join(json.dumps(example) + "\n" for example in examples))
    return read_corpus(path)


def spans(corpus: Corpus, number: int = 0) -> list[tuple[int, int]]:
    return [(one.start, one.end) for layer in corpus.documents[number].annotations for one in layer.mentions]


def test_spans_of_every_export(tmp_path: Path) -> None:
    corpus = read(
        tmp_path,
        {"id": 1, "text": TEXT, "label": [[3, 11, "PERSON"]], "Comments": []},
        {"id": 2, "data": TEXT, "labels": [[3, 11, "PERSON"]]},
        {"id": 3, "text": TEXT, "entities": [[3, 11, "PERSON"]], "cats": ["letter"]},  # of intents and slots
        {"id": 4, "text": TEXT, "label": []},
        {"id": 5, "text": TEXT},
        {"id": 6, "text": TEXT, "label": ["letter"], "ward": 3},
    )
    assert [spans(corpus, number) for number in range(6)] == [[(3, 11)]] * 3 + [[]] * 3
    assert [bool(document.annotations) for document in corpus] == [True] * 4 + [False] * 2
    assert corpus.notes == (
        "not used, since the format does not know this key: ward",
        "left aside: labels of whole texts (2)",
    )


def test_relations_that_say_the_same(tmp_path: Path) -> None:
    entities = [{"id": 7, "label": "PERSON", "start_offset": 3, "end_offset": 11},
                {"id": 9, "label": "LOC", "start_offset": 15, "end_offset": 19}]  # fmt: skip
    relations = [
        {"id": n, "from_id": 9, "to_id": 7, "type": kind} for n, kind in enumerate(("co-reference", "lives in"))
    ]
    corpus = read(tmp_path, {"id": 1, "text": TEXT, "entities": entities, "relations": relations, "Comments": []})
    assert [one.entity_id for one in corpus.documents[0].annotations[0].mentions] == ["7", "7"]
    assert corpus.notes == ("left aside: relations lives in (1)",)


@pytest.mark.parametrize(
    ("text", "label", "found", "notes"),
    [
        ("😀 Ann Lee", [3, 6, "P"], (2, 5), ()),  # UTF-16 units, as its editor counts
        ("😀 Ann Lee", [2, 5, "P"], (2, 5), ()),  # code points
        ("a\r\nAnn", [2, 5, "P"], (3, 6), ()),  # graphemes, of which a line break is one
        ("a\r\nAnn", [3, 6, "P"], (3, 6), ()),
        ("😀王小明来了", [2, 5, "P"], (1, 4), (UNDECIDED,)),  # no words to tell by
        ("Ann 😀", [0, 3, "P"], (0, 3), ()),  # the same however it is counted
    ],
)
def test_words_tell_what_offsets_count(
    tmp_path: Path, text: str, label: Any, found: tuple[int, int], notes: tuple[str, ...]
) -> None:
    corpus = read(tmp_path, {"id": 1, "text": text, "label": [label]})
    assert (spans(corpus), corpus.notes) == ([found], notes)


@pytest.mark.parametrize(
    ("example", "line"),
    [
        ({"id": 1, "text": TEXT, "label": [[3, 99, "P"]]},
         "document 1: label[0]: end 99 is past the end of the text (25 characters)"),
        ({"id": 1, "text": TEXT, "label": [[3, 3, "P"]]},
         "document 1: label[0]: end 3 is not after start 3; expected a span of at least one character"),
        ({"id": 1, "text": TEXT, "label": [[3, "x", "P"]], "Comments": []},
         "line 1: label[0][1]: found text; expected a whole number"),
        ({"id": 1, "text": TEXT, "annotations": [{"label": 4, "start_offset": 3, "end_offset": 11, "user": 1}]},
         "document 1: annotations: labels are numbers there, whose names are not in the file; export with their names "
         "(JSONL)"),
        ({"id": 1, "text": TEXT, "entities": [], "relations": [{"from_id": 9, "to_id": 7, "type": "same"}]},
         "document 1: relations[0]: is to 9, which is no entity"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, example: Any, line: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, example)
    assert str(caught.value) == f"{tmp_path / 'all.jsonl'}: {line}"


def test_entities_are_written(tmp_path: Path) -> None:
    mentions = (
        Mention(2, 5, "PERSON", "DIRECT", "e"),
        Mention(6, 9, "LOC", "QUASI"),
        Mention(10, 13, "PERSON", "DIRECT", "e"),
    )
    document = Document("x", "😀 Ann Lee Ann", (Annotation("a", mentions),), "g")
    write_corpus(Corpus([document]), tmp_path / "out.jsonl", "doccano")
    found = read_corpus(tmp_path / "out.jsonl").documents[0]
    assert (found.id, found.text, found.group) == ("x", document.text, "g")
    first, other, again = found.annotations[0].mentions
    assert [(one.start, one.end) for one in (first, other, again)] == [(2, 5), (6, 9), (10, 13)]
    assert first.entity_id == again.entity_id != other.entity_id
    two = Document("x", "Ann", (Annotation("a"), Annotation("b")))
    with pytest.raises(OutputError, match="document x: has 2 annotators"):
        write_corpus(Corpus([two]), tmp_path / "two.jsonl", "doccano")
