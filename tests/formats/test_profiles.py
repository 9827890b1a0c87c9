"""Profiles of authors: one person each, with guesses left aside; and released texts of the same."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from showthrough import Attribute, Document, InputError, Subject, read_anonymization, read_corpus
from showthrough.formats.people.inference_answers import read_inference_answers
from showthrough.formats.registry import recognise_format
from showthrough.storage.file_heads import Head

DATA = Path(os.environ.get("SHOWTHROUGH_DATA", "/nowhere")) / "inference"
AGE = {"gold": "33", "hardness": 2, "certainty": 4, "guesses": ["34", "33"], "verdicts": [0, 1]}


def profile(name: Any = "u1", **more: Any) -> dict[str, Any]:
    whole = {"profile": name, "model": "m", "text": "Back in Oslo!", "attributes": {"age": AGE}, "answer": "Type: age"}
    return {key: value for key, value in {**whole, **more}.items() if value is not None}


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_an_author_and_what_is_true_of_them(tmp_path: Path) -> None:
    said = {"income_level": {"gold": 5}, "sex": {"gold": "", "certainty": 3}, "age": {"gold": "9", "certainty": 0}}
    path = lines(tmp_path / "p.jsonl", profile(), profile(2, attributes=said), profile("u3", attributes={}))
    assert recognise_format(Head(path), "read") == "profiles"
    corpus = read_corpus(path)
    assert list(corpus) == [
        Document("u1", "Back in Oslo!", subjects=(Subject("author", (Attribute("age", "33", 4, 2),)),)),
        Document("2", "Back in Oslo!", subjects=(Subject("author", (Attribute("income_level", "5", 5, 0),)),)),
        Document("u3", "Back in Oslo!", subjects=(Subject("author"),)),
    ]
    assert corpus.notes == ()
    assert list(read_inference_answers(lines(tmp_path / "p.jsonl", profile()))) == [("", "u1")]


def test_what_is_wrong_is_told_in_a_line_each(tmp_path: Path) -> None:
    wrong = {"age": {**AGE, "certainty": 9, "hardness": 7}, "": {"gold": "x"}}
    path = lines(
        tmp_path / "p.jsonl",
        profile("a", attributes=wrong),
        profile("b", text=None),
        profile("c", attributes=None),
        profile("d", attributes={"age": {"hardness": 1}}),
    )
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert [line.removeprefix(f"{path}: ") for line in str(caught.value).splitlines()] == [
        "document a: attributes.age.certainty: found 9; expected 0 to 5",
        "document a: attributes.age.hardness: found 7; expected 0 to 5",
        "document a: attributes: found one without a name; expected a name, such as age",
        "document b: text is missing; expected text (answers alone are no corpus)",
        "document c: attributes is missing; expected what is true of the author, by name",
        "line 4: attributes[...]: gold is missing",
    ]


def test_released_texts(tmp_path: Path) -> None:
    corpus = read_corpus(lines(tmp_path / "p.jsonl", profile(), profile("u2")))
    path = lines(tmp_path / "r.jsonl", profile(text="Back in ****!"), profile("u2", attributes={}))
    masks = read_anonymization(path, corpus)
    assert [(one.start, one.end) for one in masks.of("u1")] == [(8, 12)]
    assert masks.of("u2") == []


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the data of SynthPAI")
def test_synthpais_own() -> None:
    corpus = read_corpus(DATA / "synthpai_gpt4.jsonl.gz")
    attributes = [one for each in corpus for one in each.subjects[0].attributes]
    assert (len(corpus), corpus.survey.subjects, len(attributes), corpus.notes) == (294, 294, 700, ())
    with pytest.raises(InputError, match=r"document SpiralSphinx: text is missing; expected text"):
        read_corpus(DATA / "synthpai_llama3_70b.jsonl.gz")
