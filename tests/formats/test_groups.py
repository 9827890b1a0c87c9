"""Documents of one group: read from a field, a column or a piece of the id."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mention,
    Run,
    evaluate,
    read_corpus,
    write_corpus,
)

RECORDS = [
    {"doc_id": "110-01", "text": "a", "group": "x", "ward": 4},
    {"doc_id": "110-02", "text": "b", "group": "x", "ward": None},
    {"doc_id": "z", "text": "c", "ward": 4},
]


@pytest.fixture(params=["c.json", "c.jsonl", "c.csv"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    found = tmp_path / str(request.param)
    if found.suffix == ".json":
        found.write_text(json.dumps(RECORDS))
    elif found.suffix == ".jsonl":
        found.write_text("\n".join(map(json.dumps, RECORDS)))
    else:
        found.write_text("doc_id,text,group,ward\n110-01,a,x,4\n110-02,b,x,\nz,c,,4\n")
    return found


def test_where_a_group_stands(path: Path) -> None:
    assert read_corpus(path).survey.groups == ("x", "x", "")
    assert read_corpus(path, group_by="ward").survey.groups == ("4", "", "4")
    assert read_corpus(path, group_by=r"id:^(\d+)-").survey.groups == ("110", "110", "")
    assert read_corpus(path, group_by=r"id:\d$").survey.groups == ("1", "2", "")


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ("clinic", "group-by clinic: no document has this field or column"),
        ("id:q(.)", "group-by id:q(.): matches no document id, such as '110-01'"),
        ("id:(", "group-by id:(: is no regular expression"),
        ("id:", "group-by: found 'id:'; expected another field or column, or id:REGEX"),
        ("text", "group-by: found 'text'; expected another field or column"),
        ("", "group-by: found ''; expected another field or column"),
    ],
)
def test_what_is_refused(path: Path, asked: str, fault: str) -> None:
    with pytest.raises(InputError) as caught:
        read_corpus(path, group_by=asked)
    assert fault in str(caught.value)


def test_a_group_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('[{"doc_id": "a", "text": "x", "group": [1], "ward": 1.5}]')
    with pytest.raises(
        InputError, match=r"document a: group: found a list \[…\]; expected a whole number, text or null"
    ):
        read_corpus(tmp_path / "c.json")


def test_a_folder_has_ids_alone(tmp_path: Path) -> None:
    (tmp_path / "7-a.txt").write_text("x")
    assert read_corpus(tmp_path, group_by=r"id:^\d+").survey.groups == ("7",)
    assert read_corpus(tmp_path).survey.groups == ()
    with pytest.raises(InputError, match="group-by ward: no document has this field or column"):
        read_corpus(tmp_path, group_by="ward")


def test_digests() -> None:
    """Documents without a group have the digest that they always had; a group changes it."""
    assert Document("a", "b").digest().hex() == "8f1fe6b446fda22568c1bf22a517126d"
    one, two = (Corpus([Document("a", "b", (), group)]) for group in ("x", "y"))
    assert len({one.digest, two.digest, Corpus([Document("a", "b")]).digest}) == 3


def test_a_run_has_them(path: Path, tmp_path: Path) -> None:
    corpus = read_corpus(path)
    masks = Anonymization({key: [] for key in corpus.ids}, "none")
    run = evaluate(corpus, [masks], ["nmi(embedding=lsa)"], resamples=0)
    assert run.groups == ["x", "x", ""]
    run.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json").groups == run.groups
    content = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "cut.json").write_text(json.dumps({**content, "groups": ["x"]}))
    with pytest.raises(InputError, match="groups: expected one for each of the 3 documents, or none"):
        Run.load(tmp_path / "cut.json")


def test_they_are_written(path: Path, tmp_path: Path) -> None:
    corpus = read_corpus(path)
    write_corpus(corpus, tmp_path / "again.json", format="tab")
    assert read_corpus(tmp_path / "again.json").digest == corpus.digest


def test_they_are_written_with_one_annotators_marks_too(tmp_path: Path) -> None:
    marks = (Annotation("one", (Mention(0, 1, "X"),)), Annotation("two"))
    corpus = Corpus([Document("a", "b", marks, "ward 4")])
    write_corpus(corpus, tmp_path / "one.json", annotator="one")
    assert read_corpus(tmp_path / "one.json").documents == [Document("a", "b", marks[:1], "ward 4")]
