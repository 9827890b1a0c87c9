"""Releases under wrong ids and offsets in another unit, as somebody meets them who types commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run

WORDS = [
    "apples pears harbour spring flood market bread winter stove candle paper window ladder carpet mirror",
    "physics village school roof parents farms saturday teacher chalk pupil lesson garden bicycle bottle bell",
    "buses tunnels mountains kitchens monday driver ticket engine signal bridge meadow river ferry island storm",
]
TEXTS = {
    f"d{number}": f"{name} wrote to us about {words} and asked for an answer by letter before the end of the month"
    for number, (name, words) in enumerate(zip(["Ann Lee", "Bob Ray", "Cleo Fox"], WORDS, strict=True))
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A corpus, and releases each of which has the id of the document before."""
    mark = {"entity_type": "PERSON", "identifier_type": "DIRECT", "start_offset": 0}
    documents = [
        {"doc_id": key, "text": text, "annotations": {"a": {"entity_mentions": [{**mark, "end_offset": 7}]}}}
        for key, text in TEXTS.items()
    ]
    corpus, released = tmp_path / "corpus.json", tmp_path / "released.json"
    corpus.write_text(json.dumps(documents), encoding="utf-8")
    texts = [f"[NAME] {text.split(maxsplit=2)[2]}" for text in TEXTS.values()]
    released.write_text(json.dumps(dict(zip(TEXTS, [*texts[1:], texts[0]], strict=True))), encoding="utf-8")
    return corpus, released


@pytest.mark.parametrize("command", ["evaluate", "validate"])
def test_they_are_refused_in_one_line(cli: Any, files: tuple[Path, Path], command: str) -> None:
    corpus, released = files
    result = cli(command, str(corpus), f"llm={released}")
    assert result.status == 2
    assert "3 of 3 releases are other documents' than the id says (d0 has the text of d1, d1 has the" in result.err
    assert "--pairing trust" in result.err


def test_who_trusts_them_goes_on_with_a_note(cli: Any, files: tuple[Path, Path], tmp_path: Path) -> None:
    corpus, released = files
    output = tmp_path / "run.json"
    asked = ["--metric", "er_di", "--pairing", "trust", "-o", str(output)]
    result = cli("evaluate", str(corpus), f"llm={released}", *asked)
    assert result.status == 0, result.err
    assert any("because of --pairing trust" in note for note in Run.load(output).notes)
    result = cli("validate", str(corpus), f"llm={released}", "--pairing", "trust")
    assert result.status == 0
    assert "because of --pairing trust" in result.err


def test_refusals_are_counted_in_the_run(cli: Any, files: tuple[Path, Path], tmp_path: Path) -> None:
    corpus, released = files
    released.write_text(json.dumps(dict.fromkeys(TEXTS, "I'm sorry, but I can't help with that.")), encoding="utf-8")
    output = tmp_path / "run.json"
    result = cli("evaluate", corpus, f"llm={released}", "--metric", "er_di", "-o", output)
    assert result.status == 0, result.err
    [one] = Run.load(output).anonymizations
    assert (one.documents, one.unlike) == (3, 3)


def test_offsets_of_all_files_are_counted_again(cli: Any, tmp_path: Path) -> None:
    # The emoji is two UTF-16 units: "Ann Lee" stands at 2–9 in characters and at 3–10 in UTF-16 units.
    mark = {"entity_type": "PERSON", "identifier_type": "DIRECT", "start_offset": 3, "end_offset": 10}
    text = "😀 Ann Lee wrote."
    documents = [
        {"doc_id": str(number), "text": text, "annotations": {"a": {"entity_mentions": [mark]}}} for number in range(4)
    ]
    corpus, masks, output = (tmp_path / name for name in ("corpus.json", "masks.json", "run.json"))
    corpus.write_text(json.dumps(documents), encoding="utf-8")
    masks.write_text(json.dumps({str(number): [[3, 10]] for number in range(4)}), encoding="utf-8")
    command = ["evaluate", str(corpus), f"one={masks}", "--metric", "er_di", "-o", str(output)]
    result = cli(*command)
    assert result.status == 2
    assert "say --offsets utf-16" in result.err
    result = cli(*command, "--offsets", "utf-16")
    assert result.status == 0, result.err
    kept = Run.load(output).texts
    assert kept is not None
    assert [(one.start, one.end) for one in kept.masks["one"][0]] == [(2, 9)]
    result = cli(*command, "--offsets", "utf-32", "--force")
    assert result.status == 2
    assert "offsets: found 'utf-32'; expected characters, utf-16 or bytes" in result.err
