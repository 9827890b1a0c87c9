"""Prodigy's JSON Lines: sessions as layers, answers that were no acceptance, what is refused."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Corpus, Document, InputError, Mention, read_anonymization, read_corpus, write_corpus
from showthrough.data.masks import ScoredMask, TypedMask
from showthrough.formats._layers import LayeredDocuments

TEXT = "Mr John Doe of Oslo left."
DOE, OSLO = {"start": 3, "end": 11, "label": "PERSON"}, {"start": 15, "end": 19, "label": "LOC"}


def answer(*spans: Any, **more: Any) -> dict[str, Any]:
    """As `db-out` writes it."""
    shared = {"_input_hash": 5, "_task_hash": 6, "_is_binary": False, "_view_id": "ner_manual", "_timestamp": 17}
    tokens = [{"text": "Mr", "start": 0, "end": 2, "id": 0, "ws": True}]
    return {"text": TEXT, "tokens": tokens, "spans": list(spans), "answer": "accept", **shared, **more}


def read(tmp_path: Path, *answers: Any, name: str = "p.jsonl") -> Corpus:
    path = tmp_path / name
    content = "\n".join(map(json.dumps, answers)).encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return read_corpus(path)


SESSIONS = [
    answer({**DOE, "token_start": 1, "token_end": 2}, _session_id="set-ann", _annotator_id="set-ann"),
    answer(text="Other", _input_hash=9, answer="ignore"),
    answer(_session_id="set-bob"),
    answer(DOE, _session_id="set-eve", answer="reject"),
    answer(DOE, OSLO, _session_id="set-ann"),
]


@pytest.mark.parametrize("name", ["p.jsonl", "p.jsonl.gz"])
def test_sessions_are_layers_of_one_document(tmp_path: Path, name: str) -> None:
    corpus = read(tmp_path, *SESSIONS, name=name)
    one, other = corpus
    assert (one.id, other.id, other.annotations) == ("5", "9", ())
    ann = (Mention(3, 11, "PERSON", "DIRECT"), Mention(15, 19, "LOC", "QUASI"))
    assert one.annotations == (Annotation("set-ann", ann), Annotation("set-bob"))
    assert corpus.notes == (
        "left aside: ignored answers (1), rejected answers (1)",
        "texts that one annotator answered several times: the marks are taken together (1)",
    )


def test_a_list_is_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(SESSIONS))
    assert list(read_corpus(path)) == list(read(tmp_path, *SESSIONS))


def test_scores_of_a_model_are_those_of_masks_and_none_of_a_corpus(tmp_path: Path) -> None:
    scored, plain = answer({**DOE, "score": 0.25}, OSLO), answer(DOE, OSLO)
    corpus = read(tmp_path, scored)
    assert corpus.digest == read(tmp_path, plain, name="plain.jsonl").digest
    found = read_anonymization(tmp_path / "p.jsonl", corpus).of("5")
    assert found == [ScoredMask(3, 11, None, "PERSON", 0.25), TypedMask(15, 19, None, "LOC")]
    read(tmp_path, answer({**DOE, "score": "sure"}))  # as a corpus
    with pytest.raises(InputError, match=r"document 5: spans\[0\]\.score: found 'sure'; expected how sure"):
        read_anonymization(tmp_path / "p.jsonl", corpus)


def test_white_space_of_what_a_span_covers_does_not_count(tmp_path: Path) -> None:
    corpus = read(tmp_path, answer({**DOE, "text": "John\u00a0Doe"}))
    assert [(one.start, one.end) for one in corpus.documents[0].annotations[0].mentions] == [(3, 11)]


def test_documents_are_joined_late_and_travel(tmp_path: Path) -> None:
    rows = [answer(DOE, _input_hash=n % 40, _session_id=f"s{n // 40}") for n in range(100)]
    corpus = read(tmp_path, *rows)
    documents = corpus.documents
    assert isinstance(documents, LayeredDocuments)
    assert [len(one.annotations) for one in documents[18:22]] == [3, 3, 2, 2]  # 100 rows of 40 documents
    assert documents[-1] == documents[39]
    assert documents[5:1:-2] == [documents[5], documents[3]]
    part = pickle.loads(pickle.dumps(documents.window(10, 30)))  # noqa: S301 (our own bytes)
    assert list(part.window(5, 7)) == documents[15:17]
    with pytest.raises(IndexError):
        documents[40]


def test_without_hashes_texts_tell(tmp_path: Path) -> None:
    rows = [{"text": TEXT, "spans": [DOE], "_session_id": "a"}, {"text": "x", "spans": []},
            {"text": TEXT, "spans": [], "_session_id": "b"}]  # fmt: skip
    corpus = read(tmp_path, *rows)
    assert [(one.id, [layer.annotator for layer in one.annotations]) for one in corpus] == [
        ("1", ["a", "b"]), ("2", ["gold"]),
    ]  # fmt: skip
    assert [one.id for one in corpus.part(range(1, 2), lazy=True)] == ["2"]
    assert corpus.notes == ("its documents have no ids: they are numbered, from 1 on",)


def test_accepted_without_spans(tmp_path: Path) -> None:
    """In an interface for marking that says there is nothing; elsewhere nobody was asked."""
    marked, labelled = answer(), answer(_input_hash=6, _view_id="classification", label="letter")
    del marked["spans"], labelled["spans"]
    corpus = read(tmp_path, marked, labelled, answer(DOE, _input_hash=7, _view_id="ner", _is_binary=True))
    assert [one.annotations for one in corpus][:2] == [(Annotation("gold"),), ()]
    assert corpus.notes == (
        "left aside: labels of whole texts (1)",
        "answers to one suggestion each: other marks of these texts are not known (1)",
    )


def test_relations(tmp_path: Path) -> None:
    relation = {"head": 2, "child": 4, "head_span": {**DOE, "token_start": 1, "token_end": 2}, "color": "red"}
    related = [
        {**relation, "child_span": OSLO, "label": "COREF"},
        {**relation, "child_span": OSLO, "label": "AT"},
        {**relation, "child_span": {"start": 20, "end": 24, "label": None}, "label": "COREF"},
    ]
    corpus = read(tmp_path, answer(DOE, OSLO, _view_id="relations", relations=related))
    assert [one.entity_id for one in corpus.documents[0].annotations[0].mentions] == ["3-11", "3-11"]
    assert corpus.notes == ("left aside: relations AT (1), relations of words that are not marked (1)",)


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ([answer({**DOE, "end": 110})], "document 5: spans[0]: end 110 is past the end of the text (25 characters)"),
        ([answer(answer="maybe")], "document 5: answer: found 'maybe'; expected accept, reject or ignore"),
        ([answer({"token_start": 3, "token_end": 5, "label": "P"})], "line 1: spans[0]: start is missing"),
        ([answer({**DOE, "text": "John"})],
         "document 5: spans[0]: the text at 3–11 is 'John Doe' but the file says 'John'; expected offsets in Unicode "
         "code points, unless --offsets says what they count"),
        ([answer(), answer(text="x")],
         "document 5: occurs with different texts; expected one text, marked by several annotators"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, answers: Any, line: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, *answers)
    assert str(caught.value) == f"{tmp_path / 'p.jsonl'}: {line}"


def test_layers_are_written(tmp_path: Path) -> None:
    mentions = (Mention(3, 11, "PERSON", "DIRECT", "3-11"), Mention(15, 19, "LOC", "QUASI", "3-11"))
    documents = [Document("x", TEXT, (Annotation("a", mentions), Annotation("b")), "g"), Document("y", "Oslo")]
    write_corpus(Corpus(documents), tmp_path / "out.jsonl", "prodigy")
    assert list(read_corpus(tmp_path / "out.jsonl")) == documents
