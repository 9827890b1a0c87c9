"""Reading 100,000 records of each format, against our own JSON Lines with the same spans.

A record is some 300 characters of text with six marks, as the sets of such records have them. Each file is read as a
corpus, its survey included, in a process of its own; processor time and peak resident memory are printed, and the time
as a multiple of what JSON Lines takes. Limit: 2.0. Times are the quickest of three, taken in turns. Fewer records, or
some formats alone: `python benchmarks/formats.py 10000 doccano prodigy`.

A format that has a writer needs nothing but its name in the table; one that has none brings a function from a document
to a line.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from showthrough import FORMATS, Annotation, Document
from showthrough.data.levels import by_type

LIMIT = 2.0
GOES = 3
OURS = "jsonl"
_BLOCK = 1000
_PIECES = (
    ("Mr ", ""), ("John Doe", "PERSON"), (" of ", ""), ("Oslo", "LOC"), (" wrote on ", ""), ("3 May 2011", "DATE"),
    (" that the file ", ""), ("36110/97", "CODE"),
    (" had been sent to the registry of the court, as he was told. ", ""), ("Ann Lee", "PERSON"),
    (", who keeps it, answered within a week that nothing had come from ", ""), ("Bergen", "LOC"),
    (", and that she would ask once more; so he went there himself and took a copy with him.", ""),
)  # fmt: skip


def document(number: int) -> Document:
    text, mentions = f"Letter {number}. ", []
    for piece, kind in _PIECES:
        if kind:
            mentions.append(by_type(len(text), len(text) + len(piece), kind))
        text += piece
    return Document(f"d{number}", text, (Annotation("gold", tuple(mentions)),))


def _spans(one: Document, start: str, end: str, covered: str) -> list[dict[str, object]]:
    mentions = one.annotations[0].mentions
    return [
        {start: mark.start, end: mark.end, covered: one.text[mark.start : mark.end], "label": mark.entity_type}
        for mark in mentions
    ]


def ai4privacy(one: Document) -> object:
    return {"uid": one.id, "source_text": one.text, "privacy_mask": _spans(one, "start", "end", "value")}


def nemotron(one: Document) -> object:
    return {"uid": one.id, "text": one.text, "spans": repr(_spans(one, "start", "end", "text"))}


def label_studio_min(one: Document) -> object:
    marks = _spans(one, "start", "end", "text")
    for mark in marks:
        mark["labels"] = [mark.pop("label")]
    return {"id": one.id, "text": one.text, "label": marks, "annotator": 1, "annotation_id": int(one.id[1:])}


# By format, its lines; none: its own writer. The ending is that of JSON Lines unless it is a list.
TABLE: dict[str, Callable[[Document], object] | None] = {
    OURS: None,
    "tab": None,
    "label-studio": None,
    "label-studio-min": label_studio_min,
    "doccano": None,
    "prodigy": None,
    "presidio-evaluator": None,
    "ai4privacy": ai4privacy,
    "nemotron-pii": nemotron,
}


def write(name: str, path: Path, records: int) -> None:
    """In blocks of a thousand: what a writer gives of one list is joined to the next."""
    make, chosen = TABLE[name], FORMATS[name]
    if make is not None:
        _write_lines(path, (json.dumps(make(document(number))) for number in range(records)))
        return
    if chosen.write is None:
        raise SystemExit(f"{name} has no writer; give a function in the table")
    with path.open("wb") as out:
        for low in range(0, records, _BLOCK):
            content = chosen.write([document(number) for number in range(low, min(low + _BLOCK, records))])[""]
            if content.startswith(b"["):
                content = (b"[" if not low else b",") + content.strip()[1:-1]
            out.write(content)
        if content.startswith((b"[", b",")):
            out.write(b"]")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in lines)


def read(name: str, path: str) -> None:
    """In a process of its own: read, survey, print seconds, peak memory and what was found."""
    from showthrough import read_corpus

    start = time.process_time()
    survey = read_corpus(path, format=name).survey
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([seconds, peak, len(survey.ids), survey.mentions]))


def main() -> int:
    if sys.argv[1:2] == ["--read"]:
        read(*sys.argv[2:4])
        return 0
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    names = list(dict.fromkeys([OURS, *(sys.argv[2:] or TABLE)]))
    best: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}{_ending(name)}" for name in names}
        for name, path in files.items():
            write(name, path, records)
        for _ in range(GOES):
            for name, path in files.items():
                command = [sys.executable, __file__, "--read", name, str(path)]
                found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                if found[2:] != [records, 6 * records]:
                    raise SystemExit(f"{name}: read {found[2:]}; expected {[records, 6 * records]}")
                best[name] = min(best.get(name, found), found)
    failed = False
    for name, (seconds, peak, *_) in best.items():
        ratio = seconds / best[OURS][0]
        failed |= ratio > LIMIT
        print(f"{name:>20}: {seconds:6.2f} s of processor, {ratio:4.2f} × {OURS}, peak {peak:4.0f} MB")
    print(f"limit {LIMIT} ×")
    return int(failed)


def _ending(name: str) -> str:
    make, chosen = TABLE[name], FORMATS[name]
    if make is not None or chosen.write is None:
        return ".jsonl"
    return ".json" if chosen.write([document(0)])[""].startswith(b"[") else ".jsonl"


if __name__ == "__main__":
    sys.exit(main())
