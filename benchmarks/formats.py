"""Reading 100,000 records of each format, against our own JSON Lines with the same texts and marks.

A record is some 350 characters of text with six marks, as the sets of such records have them. Each file is read as a
corpus, its survey included, in a process of its own that has read a small one before, so that libraries are loaded;
processor time and peak resident memory are printed, and the time as a multiple of what JSON Lines takes. Formats that
hold texts alone are measured against JSON Lines of texts alone. Of formats with one file a document there are fewer,
and times are compared by record. Times are the quickest of three, taken in turns.

Limit: 2.0 × by record. Three kinds of formats cannot keep to it and have limits of their own: those that have a line,
or an entry, for every token (72 of a record here, of which JSON Lines knows nothing), those with one file a document,
which has to be found and opened, and `.xlsx`, which is XML in a packed file. By byte is printed as well; packed files
have few. Fewer records, or some formats alone:
`python benchmarks/formats.py --records 10000 doccano prodigy`.

A format that has a writer needs nothing but its name in the table; one that has none brings a function from a document
to a line.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from showthrough import FORMATS, Annotation, Document
from showthrough.data.levels import by_type
from showthrough.formats.base import Format

LIMIT = 2.0
GOES = 3
OURS = "jsonl"
OUR_TEXTS = "jsonl of texts"
_BLOCK = 1000
_FEWER = 20  # times, of formats that are one file a document
_PIECES = (
    ("Mr ", ""), ("John Doe", "PERSON"), (" of ", ""), ("Oslo", "LOC"), (" wrote on ", ""), ("3 May 2011", "DATE"),
    (" that the file ", ""), ("36110/97", "CODE"),
    (" had been sent to the registry of the court, as he was told. ", ""), ("Ann Lee", "PERSON"),
    (", who keeps it, answered within a week that nothing had come from ", ""), ("Bergen", "LOC"),
    (", and that she would ask once more; so he went there himself and took a copy with him.", ""),
)  # fmt: skip
_MARKS = sum(bool(kind) for _, kind in _PIECES)


def document(number: int) -> Document:
    text, mentions = f"Letter {number}. ", []
    for piece, kind in _PIECES:
        if kind:
            mentions.append(by_type(len(text), len(text) + len(piece), kind))
        text += piece
    return Document(f"d{number}", text, (Annotation("gold", tuple(mentions)),))


def _spans(one: Document, start: str, end: str, covered: str, label: str = "label") -> list[dict[str, object]]:
    mentions = one.annotations[0].mentions
    return [
        {start: mark.start, end: mark.end, covered: one.text[mark.start : mark.end], label: mark.entity_type}
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


def presidio(one: Document) -> object:
    results = [
        {"entity_type": mark.entity_type, "start": mark.start, "end": mark.end, "score": 0.85}
        for mark in one.annotations[0].mentions
    ]
    return {"doc_id": one.id, "text": one.text, "results": results}


def comprehend(one: Document) -> object:
    entities = [
        {"Score": 0.99, "Type": mark.entity_type, "BeginOffset": mark.start, "EndOffset": mark.end}
        for mark in one.annotations[0].mentions
    ]
    return {"doc_id": one.id, "text": one.text, "Entities": entities}


def dlp(one: Document) -> object:
    findings = []
    for mark in one.annotations[0].mentions:
        place = {"start": str(mark.start), "end": str(mark.end)}
        findings.append({
            "infoType": {"name": mark.entity_type}, "likelihood": "LIKELY", "quote": one.text[mark.start : mark.end],
            "location": {"byteRange": place, "codepointRange": place},
        })  # fmt: skip
    return {"doc_id": one.id, "text": one.text, "result": {"findings": findings}}


def azure(one: Document) -> object:
    entities = [
        {"text": one.text[mark.start : mark.end], "category": mark.entity_type, "offset": mark.start,
         "length": mark.end - mark.start, "confidenceScore": 0.99}
        for mark in one.annotations[0].mentions
    ]  # fmt: skip
    return {"id": one.id, "text": one.text, "redactedText": one.text, "entities": entities}


def records(one: Document) -> object:
    return {"id": one.id, "text": one.text}


class Measured(NamedTuple):
    """How a format is measured."""

    line: Callable[[Document], object] | None = None  # of JSON Lines; none: its own writer
    texts: bool = False  # whether it holds texts alone
    limit: float = LIMIT


TABLE: dict[str, Measured] = {
    OURS: Measured(),
    OUR_TEXTS: Measured(texts=True),
    "tab": Measured(),
    "texts": Measured(texts=True),
    "records": Measured(records, texts=True),
    "table": Measured(texts=True),
    "xlsx": Measured(texts=True, limit=8.0),
    "parquet": Measured(texts=True),
    "folder": Measured(texts=True, limit=14.0),
    "i2b2-2006": Measured(),
    "i2b2-2014": Measured(limit=13.0),
    "meddocan": Measured(limit=13.0),
    "brat": Measured(limit=14.0),
    "conll": Measured(limit=5.5),
    "conllu": Measured(limit=10.0),
    "webanno": Measured(limit=32.0),
    "xmi": Measured(limit=40.0),
    "spacy": Measured(),
    "spacy-json": Measured(),
    "spacy-pairs": Measured(),
    "token-rows": Measured(limit=3.8),
    "presidio": Measured(presidio),
    "comprehend": Measured(comprehend),
    "dlp": Measured(dlp),
    "azure": Measured(azure),
    "label-studio": Measured(),
    "label-studio-min": Measured(label_studio_min),
    "doccano": Measured(),
    "prodigy": Measured(),
    "presidio-evaluator": Measured(),
    "ai4privacy": Measured(ai4privacy),
    "nemotron-pii": Measured(nemotron),
}


class Found(NamedTuple):
    """What one reading took, and what was read."""

    seconds: float
    megabytes: float
    documents: int
    marks: int


def chosen(name: str) -> Format:
    return FORMATS[name.partition(" ")[0]]


def file_name(name: str, content: dict[str, bytes]) -> str:
    """What the file is called that holds this; a folder has no ending."""
    if "" not in content:
        return name
    endings = chosen(name).endings
    wanted = ".json" if content[""].startswith(b"[") else ".jsonl"
    return name + (wanted if wanted in endings else endings[0])


def made(name: str, numbers: range) -> dict[str, bytes]:
    """The files of some records."""
    line, texts, _ = TABLE[name]
    documents = map(document, numbers)
    if line is not None:
        return {"": b"".join(msgspec.json.encode(line(one)) + b"\n" for one in documents)}
    write = chosen(name).write
    if write is None:
        raise SystemExit(f"{name} has no writer; give a function in the table")
    return write([Document(one.id, one.text) for one in documents] if texts else documents)


def write(name: str, folder: Path, count: int) -> Path:
    """Writes the records; lines, lists and files in blocks, of which the next is joined to the last."""
    first = made(name, range(1))
    path = folder / f"{count}-{file_name(name, first)}"
    if "" not in first:
        path.mkdir()
        count = -(-count // _FEWER)
        for low in range(0, count, _BLOCK):
            for inside, content in made(name, range(low, min(low + _BLOCK, count))).items():
                (path / inside).write_bytes(content)
        return path
    listed = first[""].startswith(b"[")
    block = _BLOCK if listed or path.suffix == ".jsonl" else count
    with path.open("wb") as out:
        for low in range(0, count, block):
            content = made(name, range(low, min(low + block, count)))[""]
            if listed:
                content = (b"," if low else b"[") + content.strip()[1:-1]
            out.write(content)
        if listed:
            out.write(b"]")
    return path


def read(name: str, warm: str, path: str) -> Found:
    from showthrough import read_corpus

    _ = read_corpus(warm, format=name).survey
    start = time.process_time()
    survey = read_corpus(path, format=name).survey
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Found(seconds, peak, len(survey.ids), survey.mentions)


def _size(path: Path) -> int:
    return sum(one.stat().st_size for one in path.iterdir()) if path.is_dir() else path.stat().st_size


def _apart(*arguments: object) -> str:
    """What this program prints in a process of its own, whose memory is then its own too."""
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def measured(names: list[str], count: int, goes: int = GOES) -> dict[str, tuple[Found, int]]:
    """The quickest reading of each, and the bytes of what was read."""
    best: dict[str, Found] = {}
    with tempfile.TemporaryDirectory() as home:
        files: dict[str, tuple[str, str]] = {}
        for name in names:
            few, many = (_apart("--write", name, home, size).strip() for size in (2, count))
            files[name] = few, many
        for _ in range(goes):
            for name, (few, many) in files.items():
                found = Found(*json.loads(_apart("--read", name, few, many)))
                if found.marks != found.documents * (0 if TABLE[name].texts else _MARKS):
                    raise SystemExit(f"{name}: read {found.marks} marks in {found.documents} documents")
                best[name] = min(best.get(name, found), found)
        return {name: (best[name], _size(Path(files[name][1]))) for name in names}


def times_ours(name: str, best: dict[str, tuple[Found, int]]) -> float:
    """How much longer a record takes than one of JSON Lines."""
    found, ours = best[name][0], best[OUR_TEXTS if TABLE[name].texts else OURS][0]
    return (found.seconds / found.documents) / (ours.seconds / ours.documents)


def main() -> int:
    if sys.argv[1:2] == ["--read"]:
        print(json.dumps(read(sys.argv[2].partition(" ")[0], *sys.argv[3:5])))
        return 0
    if sys.argv[1:2] == ["--write"]:
        print(write(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])))
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("formats", nargs="*", choices=[[], *TABLE], metavar="FORMAT")
    asked = parser.parse_args()
    best = measured(list(dict.fromkeys([OURS, OUR_TEXTS, *(asked.formats or TABLE)])), asked.records)
    failed = False
    print(
        f"{'':>20} {'documents':>9} {'seconds':>8} {'× ' + OURS:>8} {'limit':>6} {'bytes':>8} {'by byte':>8} {'MB':>6}"
    )
    for name, (found, size) in best.items():
        ours, our_size = best[OUR_TEXTS if TABLE[name].texts else OURS]
        ratio = times_ours(name, best)
        per_record = size / found.documents
        more = per_record / (our_size / ours.documents)
        failed |= ratio > TABLE[name].limit
        print(
            f"{name:>20} {found.documents:>9} {found.seconds:>8.2f} {ratio:>8.2f} {TABLE[name].limit:>6.1f} "
            f"{per_record:>8.0f} {ratio / more:>8.2f} {found.megabytes:>6.0f}"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
