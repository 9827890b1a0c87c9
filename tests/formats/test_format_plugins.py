"""A format of one's own: registered, recognised or named, checked like any file, listed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from showthrough import (
    Annotation,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    PlanError,
    evaluate,
    read_anonymization,
    read_corpus,
)
from showthrough.data.masks import TypedMask
from showthrough.formats import FORMATS, Fit, Format, Input, Texts, read_anonymized
from showthrough.formats.registry import recognise_format, shared_format
from showthrough.formats.samples import example
from showthrough.storage.file_heads import Head

RECORDS = [
    {"uid": "a", "body": "Mr John Doe left.", "marks": [[3, 11, "PERSON"]]},
    {"uid": "b", "body": "Oslo.", "marks": []},
]


def documents(file: Input) -> list[Document]:
    return [
        Document(one["uid"], one["body"], (Annotation("us", tuple(Mention(*mark) for mark in one["marks"])),))
        for one in json.loads(file.head.content)
    ]


def masks(file: Input) -> dict[str, list[Mask]]:
    return {
        one["uid"]: [TypedMask(start, end, None, kind) for start, end, kind in one["marks"]]
        for one in json.loads(file.head.content)
    }


def recognise(head: Head) -> Fit:
    return Fit.SURE if {"uid", "marks"} <= head.json.keys.keys() else Fit.NO


OURS = Format("ours: JSON with marks", (".json",), recognise, documents, masks)


@pytest.fixture
def register() -> Iterator[Callable[..., None]]:
    """Enters plugins, who leave with the test."""
    names = []

    def enter(name: str, **changes: Any) -> None:
        FORMATS.register(name, replace(OURS, **changes))
        names.append(name)

    yield enter
    for name in names:
        del FORMATS[name]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "ours.json").write_text(json.dumps(RECORDS))
    return tmp_path / "ours.json"


def test_without_the_guest_the_keys_are_told(path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value).startswith(f"{path}: found objects with the keys uid, body, marks, which no ")
    lines = path.with_name("ours.jsonl")
    lines.write_text("\n".join(map(json.dumps, RECORDS)))
    with pytest.raises(InputError, match="found objects with the keys uid, body, marks"):
        read_anonymization(lines)


@pytest.mark.parametrize("format", [None, "ours"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_format_of_ones_own(path: Path, format: str | None, jobs: int, register: Callable[..., None]) -> None:
    register("ours")
    corpus = read_corpus(path, format=format)
    assert corpus.ids == ("a", "b")
    found = read_anonymization(path, corpus, name="x", format=format)
    assert found.of("a") == [TypedMask(3, 11, None, "PERSON")]
    run = evaluate(corpus, [found], ["recall"], jobs=jobs, resamples=20)
    assert run["x", "recall"].value == 1.0
    assert read_anonymized(path, corpus, format=format) == {"a": "Mr  left.", "b": "Oslo."}


def test_a_named_format_wins_whatever_the_file_looks_like(tmp_path: Path, register: Callable[..., None]) -> None:
    def shouted(file: Input) -> list[Document]:
        return [Document(one["doc_id"], one["text"].upper()) for one in json.loads(file.head.content)]

    register("loud", recognise=lambda head: Fit.NO, read=shouted)
    (tmp_path / "c.json").write_text('[{"doc_id": "a", "text": "Oslo"}]')
    assert [one.text for one in read_corpus(tmp_path / "c.json")] == ["Oslo"]
    assert [one.text for one in read_corpus(tmp_path / "c.json", format="loud")] == ["OSLO"]
    with pytest.raises(InputError, match="is not well-formed XML"):
        read_corpus(tmp_path / "c.json", format="i2b2")
    with pytest.raises(InputError, match="is not well-formed XML"):
        read_anonymization(tmp_path / "c.json", format="i2b2")


def test_plugins_do_not_take_what_a_built_in_format_is_sure_of(tmp_path: Path, register: Callable[..., None]) -> None:
    register("greedy", recognise=lambda head: Fit.SURE)
    (tmp_path / "c.json").write_text('[{"doc_id": "a", "text": "Oslo"}]')
    (tmp_path / "c.csv").write_text("doc_id,text\na,Oslo\n")
    for name in ("c.json", "c.csv"):
        assert [one.text for one in read_corpus(tmp_path / name)] == ["Oslo"]


def test_two_plugins_who_are_sure(path: Path, register: Callable[..., None]) -> None:
    register("ours")
    register("theirs")
    with pytest.raises(PlanError, match=re.escape(f"{path}: may be ours or theirs; say which with --format")):
        read_corpus(path)
    register("unsure", recognise=lambda head: Fit.LIKELY)
    assert len(read_corpus(path, format="theirs")) == 2


BAD: dict[str, tuple[Any, str]] = {
    "no documents": (lambda file: 5, "format ours: its reader failed: TypeError"),
    "something else": (lambda file: [{"id": "a"}], "document number 1: found {'id': 'a'}; expected a Document"),
    "text that is none": (lambda file: [Document("a", 5)], "document number 1: Document[1]: found a whole number"),  # type: ignore[arg-type]
    "a mention that is none": (
        lambda file: [Document("a", "b", (Annotation("us", ((0, 1),)),))],  # type: ignore[arg-type]
        "document number 1: found (0, 1); expected a Mention",
    ),
    "an offset that is none": (
        lambda file: [Document("a", "b", (Annotation("us", (Mention(0, 1.0),)),))],  # type: ignore[arg-type]
        "found a decimal number; expected a whole number",
    ),
    "an id twice": (lambda file: [Document("a", "b")] * 2, "format ours: document a: this id occurs twice"),
    "past the end": (
        lambda file: [Document("a", "b", (Annotation("us", (Mention(0, 9),)),))],
        "format ours: document a: annotations.us.entity_mentions[0]: end_offset 9 is past the end of the text",
    ),
    "nothing": (lambda file: [], "format ours: the corpus is empty"),
    "a bug": (lambda file: {}["x"], "format ours: its reader failed: KeyError: 'x'"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_a_plugin_reads_is_checked(case: str, path: Path, register: Callable[..., None]) -> None:
    read, says = BAD[case]
    register("ours", read=read)
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value).startswith(f"{path}: format ours")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


BAD_MASKS: dict[str, tuple[Any, str]] = {
    "no mapping": ([], "found []; expected masks by document id, or Texts"),
    "plain texts": ({"a": "Mr X left."}, "document a: masks[0]: found 'M'; expected a Mask"),
    "tuples": ({"a": [(0, 1)]}, "document a: masks[0]: found (0, 1); expected a Mask"),
    "offsets": ({"a": [Mask("0", 1)]}, "document a: masks[0]: Mask[0]: found text; expected a whole number"),  # type: ignore[arg-type]
    "past the end": ({"a": [Mask(0, 99)]}, "document a: masks[0]: end 99 is past the end of the text"),
    "reversed": ({"a": [Mask(4, 2)]}, "document a: masks[0]: end 2 is not after start 4"),
    "a stranger": ({"z": []}, "document z: is not in the corpus"),
    "an id": ({5: []}, "found the id 5; expected text"),
    "texts": (Texts({"a": 5}), "document a: found 5; expected a str"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("case", BAD_MASKS)
def test_what_a_plugin_masks_is_checked(case: str, path: Path, register: Callable[..., None]) -> None:
    given, says = BAD_MASKS[case]
    register("ours", read_anonymization=lambda file: given)
    with pytest.raises(InputError) as caught:
        read_anonymization(path, read_corpus(path))
    assert str(caught.value).startswith(f"{path}: format ours: ")
    assert says in str(caught.value)


def test_a_plugin_may_give_texts(path: Path, register: Callable[..., None]) -> None:
    register("ours", read_anonymization=lambda file: Texts({"a": "Mr X left.", "b": "Oslo."}))
    corpus = read_corpus(path)
    assert list(read_anonymization(path, corpus).of("a")) == [Mask(3, 11, "X")]
    assert read_anonymized(path) == {"a": "Mr X left.", "b": "Oslo."}


def test_a_recogniser_that_fails_names_its_format(path: Path, register: Callable[..., None]) -> None:
    register("ours", recognise=lambda head: head.nothing)
    with pytest.raises(InputError, match="format ours: its reader failed: AttributeError"):
        read_corpus(path)


def test_what_is_no_format_and_names_that_are_taken() -> None:
    with pytest.raises(PlanError, match=r"format ours: found 5; expected a showthrough\.formats\.Format"):
        FORMATS.register("ours", 5)
    with pytest.raises(PlanError, match="format tab: is built in"):
        FORMATS.register("tab", OURS)


def test_one_format_for_a_corpus_and_what_belongs_to_it(tmp_path: Path, register: Callable[..., None]) -> None:
    """A format holds for files of its endings; a file of another ending tells itself."""
    register("ours")
    register("corpora", read_anonymization=None)
    assert shared_format(None, "masks.json") is None
    assert shared_format("i2b2", "masks.json") is None
    assert shared_format("i2b2", "system.xml") == shared_format("i2b2", "system.out") == "i2b2"
    assert shared_format("conll", "system.txt") == "conll"
    assert shared_format("brat", tmp_path) == "brat"
    assert shared_format("ours", "system.json") == "ours"
    assert shared_format("corpora", "masks.json") is None
    assert shared_format("tab", "masks.json") is None


@pytest.mark.parametrize("name", [name for name, one in FORMATS.built_in.items() if not one.binary])
def test_every_sample_is_read_as_what_it_is(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = FORMATS[name]
    if name == "xmi":
        pytest.importorskip("cassis")
    files = example(known)
    assert files
    for file, content in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(content)
    if file.endswith(".py"):  # of a format that is no text: what makes such a file
        monkeypatch.chdir(tmp_path)
        exec(content, {})  # noqa: S102 (our own)
        file = f"sample{known.endings[0]}"
    place = tmp_path if len(files) > 1 or file == "case-1.txt" else tmp_path / file
    corpus = Corpus([Document("case-1", "Mr John Doe of Oslo left.")])
    if known.read:
        ids = ("1",) if name == "spacy-pairs" else ("case-1",)  # which have no ids
        assert read_corpus(place, format=name).ids == read_corpus(place).ids == ids
        assert recognise_format(Head(place), "read") == {"i2b2": "i2b2-2006"}.get(name, name)
    if known.read_anonymization:
        system = read_anonymization(place, corpus, format=name)
        assert system.digest == read_anonymization(place, corpus).digest
        assert set(system.masks) == {"case-1"}
    assert "\n" not in known.description
