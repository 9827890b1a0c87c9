"""The same inputs give the same bytes: Python shuffles sets of strings anew in each process, and nobody may see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from .conftest import DOCUMENT

# Starting takes longer than any of the commands: one process a seed has them all.
_ALL = """
import json, sys
import showthrough.cli
for arguments in json.load(sys.stdin):
    sys.argv = ["showthrough", *arguments]
    print("$", *arguments, flush=True)
    try:
        showthrough.cli.main()
    except SystemExit as left:
        print(left.code, flush=True)
"""
_KEYS = {f"{name}_of_nobody": 1 for name in ("zebra", "apple", "mango", "kiwi", "plum", "fig")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files with keys that nobody knows, in several formats, and with faults of several kinds."""
    documents: list[dict[str, Any]] = []
    for number in range(6):
        text = (
            f"Mr John Doe{number} of Oslo left Bergen for Paris with Anna Berg. Jon Doe{number}, Ana Berg, Olso: gone."
        )
        marks = [
            {"start_offset": at, "end_offset": at + len(words), "entity_type": kind, "identifier_type": "DIRECT"}
            for words, kind in (
                (f"John Doe{number}", "PERSON"),
                ("Oslo", "LOC"),
                ("Paris", "GPE"),
                ("Anna Berg", "NAME"),
            )
            for at in [text.index(words)]
        ]
        layers = {"ann": {"entity_mentions": marks, **_KEYS}, "other": {"entity_mentions": marks[1:]}}
        documents.append({"doc_id": f"d{number}", "text": text, "annotations": layers, **_KEYS})
    lines = [{"id": one["doc_id"], "text": one["text"], "masks": [[3, 12]], **_KEYS} for one in documents]
    engine = [{"text": "x " + one["text"][3:], "items": [], "id": one["doc_id"], **_KEYS} for one in documents]
    wrong = [{**DOCUMENT, "doc_id": one["doc_id"], "text": 1, **_KEYS} for one in documents]
    files: dict[str, Any] = {
        "corpus.json": documents,
        "masks.json": {one["doc_id"]: [[3, 12]] for one in documents},
        "one.json": {one["doc_id"]: [[0, 2]] for one in documents},
        "strangers.json": {name: [[0, 1]] for name in _KEYS},
        "wrong.json": wrong,
    }
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    for name, records in (("masks.jsonl", lines), ("engine.jsonl", engine)):
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n" for one in records))
    return tmp_path


_COMMANDS = [
    "evaluate corpus.json a=masks.json b=masks.jsonl c=one.json --preset light --resamples 20 -o run.json",
    "evaluate corpus.json e=engine.jsonl --metric removed_di --metric inconsistent --resamples 20 -o e.json",
    "evaluate corpus.json s=strangers.json --metric recall",
    "evaluate corpus.json a=masks.json --metric nothing",
    "validate corpus.json masks.json masks.jsonl strangers.json wrong.json",
    "corpus corpus.json",
    "agreement corpus.json",
    "errors run.json",
    "risk run.json",
    "compare run.json",
    "corpus --vocabulary corpus.json --dictionary wordfreq:en",
    "scan corpus.json",
    "convert corpus.json --to doccano -o out.jsonl",
    "apply corpus.json masks.json -o released.json",
    "list labels",
    "list formats",
]


@pytest.mark.slow
def test_the_order_of_sets_is_nowhere_to_be_seen(folder: Path) -> None:
    with ThreadPoolExecutor() as pool:
        first, *others = pool.map(lambda seed: _seen(folder, seed), ("1", "2"))
    assert first["run.json"].count("zebra_of_nobody, apple_of_nobody") == 2  # of the corpus, and of the masks
    for other in others:
        assert other == first


def _seen(folder: Path, seed: str) -> dict[str, str]:
    """All that commands print and write, in a folder of their own, without times."""
    home = folder / f"seed-{seed}"
    home.mkdir()
    for file in folder.glob("*.json*"):
        (home / file.name).write_bytes(file.read_bytes())
    environment = {**os.environ, "PYTHONHASHSEED": seed, "NO_COLOR": "1", "COLUMNS": "120"}
    given = json.dumps([line.split() for line in _COMMANDS])
    done = subprocess.run(
        [sys.executable, "-c", _ALL], cwd=home, env=environment, input=given, capture_output=True, text=True, check=True
    )
    files = {str(file.relative_to(home)): _timeless(file) for file in sorted(home.rglob("*")) if file.is_file()}
    return {"output": done.stdout, "errors": done.stderr, **files}


def _timeless(file: Path) -> str:
    if file.name not in ("run.json", "e.json"):
        return file.read_text()
    run = json.loads(file.read_text())
    del run["provenance"]["time"], run["provenance"]["seconds"]
    return json.dumps(run, ensure_ascii=False)
