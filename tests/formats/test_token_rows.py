"""Rows of tokens and tags: where tokens stand, what numbers mean, what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Corpus, Document, InputError, read_anonymization, read_corpus, write_corpus
from showthrough.data.levels import by_type

ROW = {"id": "0", "tokens": ["Mr", "Ann", "Lee", ",", "Oslo"], "pos_tags": [1, 1, 1, 2, 1],
       "ner_tags": ["O", "B-PER", "I-PER", "O", "B-LOC"]}  # fmt: skip
FEATURES = {
    "ner_tags": {"feature": {"names": ["O", "B-PER", "I-PER", "B-LOC"], "_type": "ClassLabel"}, "_type": "List"}
}
JOINED = "what stood between its tokens is not in the file: a space was taken"


def written(folder: Path, *rows: Any, name: str = "r.jsonl") -> Path:
    path = folder / name
    content = json.dumps(rows) if ".jsonl" not in name else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    return path


def marks(document: Document) -> list[tuple[str, str]]:
    return [(document.text[one.start : one.end], one.entity_type) for one in document.annotations[0].mentions]


@pytest.mark.parametrize("name", ["r.jsonl", "r.json", "r.jsonl.gz"])
def test_tokens_alone(name: str, tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path, ROW, {**ROW, "id": 1, "ner_tags": ["O"] * 5}, name=name))
    assert corpus.ids == ("0", "1")
    assert corpus.documents[0].text == "Mr Ann Lee , Oslo"
    assert [marks(one) for one in corpus] == [[("Ann Lee", "PER"), ("Oslo", "LOC")], []]
    assert corpus.notes == (JOINED,)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"text": "Mr\tAnn Lee,Oslo"}, "Mr\tAnn Lee,Oslo"),
        ({"full_text": "Mr Ann  Lee, Oslo\n"}, "Mr Ann  Lee, Oslo\n"),
        ({"trailing_whitespace": [True, True, False, True, False]}, "Mr Ann Lee, Oslo"),
    ],
)
def test_what_stands_between_tokens(more: dict[str, Any], text: str, tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path, {**ROW, **more}))
    assert corpus.documents[0].text == text
    assert [kind for _, kind in marks(corpus.documents[0])] == ["PER", "LOC"]
    assert corpus.notes == ()


def test_places_of_word_pieces(tmp_path: Path) -> None:
    row = {"id": 1, "text": "😀 Anna", "tokens": ["[CLS]", "😀", "Ann", "##a", "[SEP]"],
           "labels": [-100, 0, 1, 2, -100],
           "offset_mapping": [[0, 0], [0, 1], [2, 5], [5, 6], [0, 0]]}  # fmt: skip
    path = written(tmp_path, row)
    (tmp_path / "dataset_infos.json").write_text(json.dumps({"x": {"features": {"labels": [FEATURES["ner_tags"]]}}}))
    assert marks(read_corpus(path).documents[0]) == [("Anna", "PER")]
    left_out = {**row, "labels": [-100, 0, 1, -100, -100]}  # of half a name nobody says whether it is marked
    with pytest.raises(InputError, match=r"document 1: labels\[3\]: found '-100'; expected O, B-TYPE or I-TYPE"):
        read_corpus(written(tmp_path, left_out))


def test_numbers_have_their_names_beside(tmp_path: Path) -> None:
    path = written(tmp_path, {**ROW, "ner_tags": [0, 1, 2, 0, 3]}, ROW)
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value) == (
        f"{path}: ner_tags: the tags are numbers without names; put the dataset's dataset_info.json beside the file, "
        f"which has the names, or write names such as B-PER"
    )
    (tmp_path / "dataset_info.json").write_text(json.dumps({"features": FEATURES}))
    assert [marks(one) for one in read_corpus(written(tmp_path, {**ROW, "ner_tags": [0, 1, 2, 0, 3]}))] == [
        [("Ann Lee", "PER"), ("Oslo", "LOC")]
    ]
    with pytest.raises(InputError, match="document 0: ner_tags: found 4; expected a number below 4"):
        read_corpus(written(tmp_path, {**ROW, "ner_tags": [0, 1, 2, 0, 4]}))


@pytest.mark.parametrize("known", [True, False])
def test_a_systems_tokens_find_their_places(known: bool, tmp_path: Path) -> None:
    """By id where the corpus knows it, else by the letters of the text."""
    text = "Mr Ann\n\nLee, Oslo "
    corpus = Corpus([Document("0" if known else "x", text), Document("y", "Bob")])
    path = written(tmp_path, ROW, {"id": "y" if known else "1", "tokens": ["Bob"], "ner_tags": ["O"]})
    system = read_anonymization(path, corpus)
    assert [text[one.start : one.end] for one in system.of(corpus.ids[0])] == ["Ann\n\nLee", "Oslo"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({**ROW, "ner_tags": ["O"]}, "document 0: ner_tags: has 1 tags for 5 tokens; expected one each"),
        ({**ROW, "ner_tags": ["O", "PER", "O", "O", "O"]},
         "document 0: ner_tags[1]: found 'PER'; expected O, B-TYPE or I-TYPE"),
        ({**ROW, "text": "Mr Eve Lee, Oslo"}, "document 0: tokens[1]: the text at 3 is 'Eve' but the token is 'Ann'"),
        ({**ROW, "trailing_whitespace": [True]},
         "document 0: trailing_whitespace: has 1 values for 5 tokens; expected one each"),
        ({**ROW, "text": "Mr", "offset_mapping": [[0, 2], [3, 6], [7, 10], [10, 11], [12, 16]]},
         "document 0: tokens[1]: end 10 is past the end of the text (2 characters)"),
        ({**ROW, "tokens": ["Mr", "", "Lee", ",", "Oslo"]},
         "document 0: ner_tags[1]: found 'B-PER' at a token of no length; expected O"),
    ],
)  # fmt: skip
def test_what_is_refused(row: Any, fault: str, tmp_path: Path) -> None:
    path = written(tmp_path, row)
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value) == f"{path}: {fault}"


def test_a_round_trip(tmp_path: Path) -> None:
    text = "😀 Mr Ann\r\n\r\nLee e\u0301, Oslo\n"
    layer = Annotation("gold", (by_type(5, 15, "PERSON"), by_type(16, 18, "X Y")))
    corpus = Corpus(
        [Document("a", text, (layer,), "g"), Document("b", "Oslo", (Annotation("gold"),)), Document("c", "x")]
    )
    write_corpus(corpus, tmp_path / "r.jsonl", "token-rows")
    assert list(read_corpus(tmp_path / "r.jsonl")) == list(corpus)
