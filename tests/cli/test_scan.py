"""`showthrough scan`: what still looks like an identifier in texts whose originals nobody has."""

from __future__ import annotations

import gzip
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
TEXTS = {
    "one": "Mr PERSON met Ms Rask\nat rask@example.org.",
    "two": "Nothing here.",
    "three": "Ms Rask \x1b[31m again",
}
FIRST = "A scan knows what identifiers look like, but not whom the texts are about"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for key, text in TEXTS.items():
        Path(f"folder/{key}.txt").write_text(text)
    records = [{"doc_id": key, "text": text} for key, text in TEXTS.items()]
    Path("texts.json").write_text(json.dumps(TEXTS))
    Path("lines.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    Path("corpus.json").write_text(json.dumps([{**one, "annotations": {}} for one in records]))
    rows = [",".join((one["doc_id"], f'"{one["text"]}"')) for one in records]
    Path("table.csv").write_text("doc_id,text\n" + "\n".join(rows) + "\n", newline="")
    Path("gold.xml").write_text('<ROOT><RECORD ID="one"><TEXT>Dr <PHI TYPE="DOCTOR">Rask</PHI></TEXT></RECORD></ROOT>')
    Path("applied").mkdir()
    Path("applied/texts.json").write_text(json.dumps(TEXTS))  # as apply writes it
    Path("masks.json").write_text('{"one": [[0, 3, "PERSON"]]}')


@pytest.mark.parametrize("name", ["folder", "applied", "texts.json", "lines.jsonl", "corpus.json", "table.csv"])
def test_any_file_of_texts(cli: Cli, name: str) -> None:
    found = cli("scan", name)
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith(FIRST)
    assert "3 finds in 2 of 3 documents; searched by patterns" in found.out
    lines = [line.split() for line in found.out.splitlines()]
    assert ["EMAIL", "1", "1", "rask@example.org", "one,", "line", "2,", "offset", "25"] in lines
    assert any(line[:5] == ["PERSON", "2", "2", "Ms", "Rask"] for line in lines)
    assert "most finds: one 2, three 1" in found.out


def test_a_corpus_of_marked_texts(cli: Cli) -> None:
    assert "Dr Rask" in cli("scan", "gold.xml").out


def test_nothing_found_is_no_proof(cli: Cli) -> None:
    Path("clean.json").write_text('{"a": "Mr PERSON left on [DATE_1].", "b": ""}')
    found = cli("scan", "clean.json")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith(FIRST)
    assert "Finding nothing proves nothing" in found.out
    assert "0 finds in 0 of 2 documents" in found.out
    assert "safe" not in found.out


def test_places_and_json(cli: Cli) -> None:
    found = cli("scan", "texts.json", "--places", "1", "--json", "finds.json")
    assert "one, line 1, offset 14: PERSON: Ms Rask\n… and 2 more; --json FILE writes all of them" in found.out
    content = json.loads(Path("finds.json").read_text())
    assert content["about"].startswith(FIRST)
    assert len(content["finds"]) == 3
    assert content["finds"][1] == {
        "document": "one", "entity_type": "EMAIL", "detector": "patterns", "start": 25, "end": 41, "line": 2,
        "text": "rask@example.org", "score": 1.0,
    }  # fmt: skip
    assert stat.S_IMODE(Path("finds.json").stat().st_mode) == 0o600
    again = cli("scan", "texts.json", "--json", "finds.json")
    assert again.status == 2
    assert again.err.startswith("finds.json: ")


def test_long_finds_and_strange_characters_are_shown_short(cli: Cli) -> None:
    Path("odd.json").write_text(json.dumps({"x\x1b[2J": f"see https://example.org/{'a' * 300} Mr O\u202eRask"}))
    found = cli("scan", "odd.json", "--places", "9")
    assert found.status == 0
    assert "\x1b" not in found.out
    assert "\u202e" not in found.out
    assert "a" * 41 not in found.out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["masks.json"], "masks.json: holds masks with offsets and no text; expected the texts as they are released"),
        (["nowhere.json"], "nowhere.json: "),
        (
            ["texts.json", "--detector", "nobody"],
            "detector nobody: unknown detector; there are patterns, presidio, spacy",
        ),
        (["texts.json", "--json", "texts.json"], "texts.json: is read by this command"),
        (["texts.json", "--format", "masks"], "texts.json: "),
    ],
)
def test_bad_input(cli: Cli, arguments: list[str], line: str) -> None:
    found = cli("scan", *arguments)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(line)


def test_detectors_are_listed(cli: Cli) -> None:
    found = cli("list", "detectors")
    assert found.status == 0
    assert [line.split()[0] for line in found.out.splitlines()[2:] if line.strip()][:1] == ["patterns"]
    assert "model = 'en_core_web_sm'" in cli("list", "detectors", "spacy").out


@pytest.mark.parametrize("name", ["notes.csv", "notes.tsv", "notes.jsonl", "notes.json"])
def test_texts_without_ids_are_numbered_which_is_told(cli: Cli, name: str) -> None:
    rows = [{"text": "Ms Rask again", "ward": "A"}, {"text": "Nothing.", "ward": "B"}]
    sign = "\t" if name.endswith(".tsv") else ","
    lines = [sign.join(rows[0]), *(sign.join(row.values()) for row in rows)]
    content = {".jsonl": "\n".join(map(json.dumps, rows)), ".json": json.dumps(rows)}
    Path(name).write_text(content.get(Path(name).suffix, "\n".join(lines)))
    outcome = cli("scan", name, "--json", "out.json")
    assert outcome.status == 0
    assert f"{name}: its documents have no ids: they are numbered, from 1 on" in " ".join(outcome.err.split())
    found = json.loads(Path("out.json").read_text())
    assert {one["document"] for one in found["finds"]} == {"1"}


@pytest.mark.parametrize("name", ["letter.txt", "letter.txt.gz"])
def test_one_text_is_a_document_with_the_name_of_its_file(cli: Cli, name: str) -> None:
    written = b"Seen by\nDr Rask.\n"
    Path(name).write_bytes(gzip.compress(written) if name.endswith(".gz") else written)
    assert cli("scan", name, "--json", "out.json").status == 0
    found = json.loads(Path("out.json").read_text())
    assert [(one["document"], one["line"], one["text"]) for one in found["finds"]] == [("letter", 2, "Dr Rask")]
    Path("letter.txt").write_bytes(b"Dr R\xe5sk")
    refused = cli("scan", "letter.txt")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "letter.txt: " in refused.err


def test_finds_set_the_exit_status_where_that_is_asked_for(cli: Cli) -> None:
    assert cli("scan", "texts.json").status == 0
    outcome = cli("scan", "texts.json", "--fail-on-finds", "--json", "out.json")
    assert outcome.status == 1
    assert "Rask" in Path("out.json").read_text()  # all is written and shown all the same
    assert cli("scan", "texts.json").out in outcome.out
    Path("clean.txt").write_text("Nothing here.")
    assert cli("scan", "clean.txt", "--fail-on-finds").status == 0
    assert cli("scan", "missing.txt", "--fail-on-finds").status == 2
