"""PAN's pairs: decoded when they are asked for, with the truth from beside them."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as some

from showthrough import Corpus, Document, InputError, OutputError, read_corpus
from showthrough.data.documents import Authorship, LazyDocuments
from showthrough.formats.registry import recognise_format
from showthrough.formats.writing import write_checked, write_corpus
from showthrough.storage.file_heads import Head

A = {"id": "a", "fandoms": ["X", "Y"], "pair": ["One text.", "\ufeffTwo texts.\r\n"]}
B = {"id": 7, "discourse_types": ["essay", "email"], "pair": ["Of her.", "Of him."]}
TRUE = [{"id": "a", "same": True, "authors": ["1", "1"]}, {"id": "7", "same": False, "authors": ["1", "2"]}]


def lines(path: Path, *records: Any) -> Path:
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def said(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    return [line.removeprefix(f"{path.parent}/") for line in str(caught.value).splitlines()]


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("pan20-small.jsonl", "pan20-small-truth.jsonl"),
        ("pairs.jsonl", "truth.jsonl"),
        ("pan23-pairs.jsonl", "pan23-truth.jsonl"),
        ("pairs.jsonl.gz", "truth.jsonl.gz"),
    ],
)
def test_pairs_and_their_truth(tmp_path: Path, name: str, beside: str) -> None:
    path = lines(tmp_path / name, A, B)
    assert recognise_format(Head(path), "read") == "pan-pairs"
    assert [one.authorship and one.authorship.same for one in read_corpus(path)] == [None, None]
    lines(tmp_path / beside, *TRUE)
    corpus = read_corpus(path)
    assert list(corpus) == [
        Document("a", "\ufeffTwo texts.\r\n", authorship=Authorship(("One text.",), True)),
        Document("7", "Of him.", authorship=Authorship(("Of her.",), False)),
    ]
    assert (corpus.notes, corpus.survey.questions) == ((), 2)
    assert read_corpus(tmp_path).digest == corpus.digest
    assert isinstance(corpus.documents, LazyDocuments)
    window = pickle.loads(pickle.dumps(corpus.documents.window(1, 2)))  # noqa: S301 (as to another process)
    assert list(window) == [corpus.documents[1]]


def test_a_list_of_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([{**A, "same": True}, {**B, "same": None}]))
    assert [one.authorship and one.authorship.same for one in read_corpus(path)] == [True, None]
    lines(tmp_path / "truth.jsonl", *TRUE)
    assert [one.authorship and one.authorship.same for one in read_corpus(path)] == [True, False]


def test_truth_of_more_and_of_fewer_pairs(tmp_path: Path) -> None:
    path = lines(tmp_path / "pairs.jsonl", A)
    lines(tmp_path / "truth.jsonl", *TRUE)
    assert read_corpus(path).notes == ("truth.jsonl also says the truth of pairs that are not here (1)",)
    lines(tmp_path / "truth.jsonl", TRUE[1])
    lines(path, A, B)
    lacking = "is a pair here, and no truth is said of it; expected a line with its id"
    assert said(path) == [f"truth.jsonl: document a: {lacking}"]
    lines(tmp_path / "truth.jsonl", {"id": "a", "same": "Y"}, TRUE[1])
    assert said(path) == ["truth.jsonl: line 1: same: found text; expected true or false"]


def test_truths_that_disagree(tmp_path: Path) -> None:
    path = lines(tmp_path / "pairs.jsonl", {**A, "same": False}, B)
    lines(tmp_path / "truth.jsonl", *TRUE)
    assert said(path) == ["pairs.jsonl: document a: same is false, and truth.jsonl says true; expected one truth"]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (["One text.", ""], "document b: pair[1]: is empty; expected at least 2 words"),
        (["One", "Two texts."], "document b: pair[0]: is one word; expected at least 2 words"),
        (["One text."], "line 2: pair: found a list of 1; expected one of 2"),
        (["One text.", 2], "line 2: pair[1]: found a whole number; expected text"),
        ("One text.", "line 2: pair: found text; expected a list […]"),
    ],
)
def test_bad_pairs_are_one_line_each(tmp_path: Path, pair: Any, expected: str) -> None:
    assert said(lines(tmp_path / "x.jsonl", A, {"id": "b", "pair": pair})) == [f"x.jsonl: {expected}"]


def test_ids_that_occur_twice(tmp_path: Path) -> None:
    lines(tmp_path / "truth.jsonl", *TRUE)
    assert said(lines(tmp_path / "x.jsonl", A, A)) == ["x.jsonl: document a: this id occurs twice; expected unique ids"]


def test_folders_of_several(tmp_path: Path) -> None:
    lines(tmp_path / "x.jsonl", A)
    lines(tmp_path / "y.jsonl", A)
    with pytest.raises(InputError, match=r"found x\.jsonl, y\.jsonl; expected one \.jsonl of pairs, with truth\.jsonl"):
        read_corpus(tmp_path, format="pan-pairs")


TEXTS = some.text(some.characters(exclude_categories=["Cs"]), max_size=8).map(lambda text: f"{text} a b")


@settings(max_examples=40)  # each writes files
@given(
    some.dictionaries(
        some.text(some.characters(exclude_categories=["Cs"]), min_size=1, max_size=5), some.tuples(TEXTS, TEXTS)
    ).filter(bool),
    some.sampled_from([True, False, None]),
)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, pairs: dict[str, tuple[str, str]], same: bool | None
) -> None:
    documents = [Document(name, text, authorship=Authorship((known,), same)) for name, (known, text) in pairs.items()]
    folder = tmp_path_factory.mktemp("written") / "pairs"
    write_corpus(Corpus(documents), folder, "pan-pairs")
    assert list(read_corpus(folder)) == documents
    assert [path.name for path in sorted(folder.iterdir())] == ["pairs.jsonl"] + ["truth.jsonl"] * (same is not None)


def test_what_is_no_pair_is_not_written(tmp_path: Path) -> None:
    several = Document("a", "A text.", authorship=Authorship(("A text.", "Another text."), True))
    with pytest.raises(OutputError, match="document a: has 2 known texts of an author; PAN's pairs have one each"):
        write_checked(Corpus([several]), tmp_path / "x", "pan-pairs")
    with pytest.raises(OutputError, match="document a: has no known text of an author; PAN's pairs have one each"):
        write_checked(Corpus([Document("a", "A text.")]), tmp_path / "x", "pan-pairs")
    assert list(tmp_path.iterdir()) == []
