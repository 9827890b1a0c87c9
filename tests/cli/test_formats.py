"""`showthrough formats`: what is read and written, plugins among them; and plugins on the other commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Document, Mention, read_corpus
from showthrough.data.masks import Mask
from showthrough.formats import FORMATS, Fit, Format, Input

Cli = Callable[..., Any]


def documents(file: Input) -> list[Document]:
    return [
        Document(one["uid"], one["body"], (Annotation("us", tuple(Mention(*mark) for mark in one["marks"])),))
        for one in json.loads(file.head.content)
    ]


def masks(file: Input) -> dict[str, list[Mask]]:
    return {one["uid"]: [Mask(*mark) for mark in one["marks"]] for one in json.loads(file.head.content)}


def write(found: Iterable[Document]) -> dict[str, bytes]:
    return {"": json.dumps([{"uid": one.id, "body": one.text, "marks": []} for one in found]).encode()}


PLUGINS = {
    "ours": Format("ours: JSON with marks", (".json",), lambda head: Fit.NO, documents, masks, write),
    "silent": Format("[only] a sample", (".x",), lambda head: Fit.NO, sample={"a.x": "look\n"}),
    "wrong": Format("a writer of text", (".json",), lambda head: Fit.NO, write=lambda found: {"": "text"}),  # type: ignore[dict-item]
}


@pytest.fixture(autouse=True)
def plugins() -> Iterator[None]:
    for name, plugin in PLUGINS.items():
        FORMATS.register(name, plugin)
    yield
    for name in PLUGINS:
        del FORMATS[name]


def test_all_are_listed(cli: Cli) -> None:
    found = cli("list", "formats")
    assert (found.status, found.err) == (0, "")
    assert [line.split()[0] for line in found.out.splitlines()[2:-1]] == list(FORMATS)
    assert re.search(r"^masks {8,} +yes +yes +masks by id, .* \[start, end.* \(\.json\)", found.out, re.MULTILINE)
    assert re.search(r"^i2b2 +yes +yes +i2b2 XML.* \(\.xml\)", found.out, re.MULTILINE)
    assert re.search(r"^ours +yes +yes +yes +ours: JSON with marks", found.out, re.MULTILINE)


def test_one_with_a_sample(cli: Cli) -> None:
    found = cli("list", "formats", "brat").out
    assert found.startswith(
        "brat: brat standoff: a folder of .txt and .ann; of a system, .ann alone\nfiles: .ann, .txt; "
    )
    assert "\ncase-1.ann:\n\nT1\tPERSON 3 11\tJohn Doe\nT2\tLOC 15 19\tOslo\n" in found
    ours = 'sample.json:\n\n[{"uid": "case-1", "body": "Mr John Doe of Oslo left.", "marks": []}]\n'
    assert cli("list", "formats", "ours").out.endswith(ours)
    assert (
        cli("list", "formats", "silent").out == "silent: [only] a sample\nfiles: .x; read as: nothing\n\na.x:\n\nlook\n"
    )
    found = cli("list", "formats", "nope")
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("format nope: unknown format; there are tab, jsonl, ")


def test_plugins_on_other_commands(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text('[{"uid": "a", "body": "Mr John Doe left.", "marks": [[3, 11]]}]')
    found = cli("evaluate", path, f"x={path}", "--format", "ours", "--jobs", "2", "-m", "recall", "--no-references")
    assert found.status == 0
    assert "1.000" in found.out
    found = cli("validate", path, "--format", "silent")
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("format silent: holds no corpus; choose one of tab, jsonl, ")
    assert cli("convert", path, "--format", "ours", "--to", "ours", "-o", tmp_path / "out.json").status == 0
    assert read_corpus(tmp_path / "out.json", format="ours").ids == ("a",)
    found = cli("convert", path, "--format", "ours", "--to", "wrong", "-o", tmp_path / "wrong.json")
    assert (found.status, found.err) == (
        2,
        "format wrong: its writer gave something else than bytes; nothing was written\n",
    )
    assert not (tmp_path / "wrong.json").exists()


def test_lines_stay_lines(cli: Cli, tmp_path: Path) -> None:
    """Surrogates of JSON Lines are JSON Lines again."""
    mark = {"start_offset": 3, "end_offset": 6, "entity_type": "PATIENT"}
    record = {"doc_id": "a", "text": "Mr Doe left.", "annotations": {"us": {"entity_mentions": [mark]}}}
    (tmp_path / "c.jsonl").write_text(json.dumps(record) + "\n")
    assert cli("apply", "--replace", "surrogate", tmp_path / "c.jsonl", "-o", tmp_path / "out.jsonl").status == 0
    assert len(read_corpus(tmp_path / "out.jsonl")) == 1
