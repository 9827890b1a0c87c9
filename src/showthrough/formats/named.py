"""Formats that are asked for by name, because a file's ending does not tell them apart."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from showthrough.data.documents import Corpus, Document, Mention
from showthrough.data.levels import known_level
from showthrough.data.masks import Mask, TypedMask
from showthrough.errors import InputError, PlanError, Problem, at_document, quoted
from showthrough.files.reading import files_in, is_folder, open_file, suffix, unreadable
from showthrough.formats import brat, conll, i2b2
from showthrough.formats.phi import to_mask

Files = dict[str, bytes]  # by name; a format that is one file has one without a name
_SHOWN = 20  # characters of a text that a message shows
_NATIVE = (".json", ".jsonl", ".csv", ".tsv")  # these say themselves what they hold, whatever the others are


@dataclass(frozen=True)
class Format:
    """How a corpus is read and written. A reader may be given the texts that a system's output leaves out."""

    what: str
    read: Callable[[Path, Mapping[str, str] | None], list[Document]] | None = None
    write: Callable[[Iterable[Document]], Files] | None = None

    def reads(self, path: Path) -> bool:
        """Whether a file is read in this format; one that says itself what it holds is not."""
        return self.read is not None and suffix(path) not in _NATIVE


def _i2b2(path: Path, texts: Mapping[str, str] | None) -> list[Document]:
    return i2b2.read(path)


def _tab(documents: Iterable[Document]) -> Files:
    """The Text Anonymization Benchmark's JSON, with all annotators."""
    found = [
        {
            "doc_id": document.id,
            "text": document.text,
            **({"group": document.group} if document.group else {}),
            "annotations": {
                annotation.annotator: {
                    "entity_mentions": [
                        {
                            "entity_type": mention.entity_type,
                            "entity_mention_id": f"{document.id}_{annotation.annotator}_{number}",
                            "start_offset": mention.start,
                            "end_offset": mention.end,
                            "span_text": document.text[mention.start : mention.end],
                            **_identifier(mention),
                            "entity_id": mention.entity_id,
                            "confidential_status": mention.confidential,
                        }
                        for number, mention in enumerate(annotation.mentions)
                    ]
                }
                for annotation in document.annotations
            },
        }
        for document in documents
    ]
    return {"": msgspec.json.format(msgspec.json.encode(found), indent=1)}


def _identifier(mention: Mention) -> dict[str, str]:
    """How a mention identifies; a guess is not written, or it would be read as what an annotator said."""
    told = mention.stated or known_level(mention.entity_type)
    return {"identifier_type": mention.identifier} if told else {}


def _masks(documents: Iterable[Document]) -> Files:
    """A perfect system's output: every mention to be masked, with its type."""
    found = {
        document.id: [TypedMask(mention.start, mention.end, None, mention.entity_type) for mention in to_mask(document)]
        for document in documents
    }
    return {"": msgspec.json.encode(found)}


FORMATS: dict[str, Format] = {
    "tab": Format("Text Anonymization Benchmark: one .json", None, _tab),
    "i2b2": Format("i2b2 XML, 2006 or 2014, whichever it is (to read)", _i2b2),
    "i2b2-2006": Format("i2b2 2006: one .xml with the tags in the text", _i2b2, i2b2.write_2006),
    "i2b2-2014": Format("i2b2 2014: a folder of .xml, tags with offsets", _i2b2, i2b2.write_2014),
    "meddocan": Format("MEDDOCAN: as i2b2 2014", _i2b2, i2b2.write_meddocan),
    "brat": Format("brat standoff: a folder of .txt and .ann", brat.read, brat.write),
    "conll": Format("CoNLL-style BIO: one .conll", conll.read, conll.write),
    "masks": Format("a system's output: .json, id to [start, end, replacement, type]", None, _masks),
}


_TOLD = {".xml": "i2b2", ".ann": "brat", **dict.fromkeys(conll.ENDINGS, "conll")}
_PEEK = 1 << 16  # bytes of a file in which it says what it is


def told(path: Path) -> str | None:
    """The format that the endings of a file, or of the files in a folder, tell; `None` where they do not."""
    endings = {suffix(file) for file in files_in(path)} if is_folder(path) else {suffix(path)}
    if ".txt" in endings and ".ann" not in endings:
        return None
    return next((name for ending, name in _TOLD.items() if ending in endings), None)


def same_format(path: Path, name: str | None) -> str:
    """The format to write in what is like a file that was read: of i2b2's, the one it is in."""
    name = name or told(path) or "tab"
    if name != "i2b2":
        return name
    first = next((file for file in files_in(path) if suffix(file) == ".xml"), path) if path.is_dir() else path
    try:
        with open_file(first) as file:
            head = file.read(_PEEK)
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(first, error) from error
    return "i2b2-2006" if b"<RECORD" in head else "meddocan" if b"<MEDDOCAN" in head else "i2b2-2014"


def format_named(name: str) -> Format:
    if name not in FORMATS:
        raise PlanError(f"unknown format; there are {', '.join(FORMATS)}", f"format {name}")
    return FORMATS[name]


def masks_of(path: Path, chosen: Format, corpus: Corpus | None) -> dict[str, list[Mask]]:
    """A system's output in a format of corpora: what it marked, as masks with types.

    Its texts must be the corpus's, character by character: offsets into another text mean nothing.
    """
    if chosen.read is None:
        raise PlanError("is told from the file itself; expected no --format", str(path))
    texts = {document.id: document.text for document in corpus} if corpus is not None else {}
    problems: list[Problem] = []
    masks: dict[str, list[Mask]] = {}
    for document in chosen.read(path, texts):
        expected = texts.get(document.id)
        if expected is not None and document.text != expected:
            problems.append(Problem(str(path), at_document(document.id), _difference(document.text, expected)))
        if document.id in masks:
            problems.append(Problem(str(path), at_document(document.id), "occurs twice; expected unique ids"))
        masks[document.id] = [
            TypedMask(mention.start, mention.end, None, mention.entity_type) for mention in to_mask(document)
        ]
    if problems:
        raise InputError(problems)
    return masks


def _difference(found: str, expected: str) -> str:
    at = next(
        (place for place, (one, two) in enumerate(zip(found, expected, strict=False)) if one != two),
        min(len(found), len(expected)),
    )
    here, there = (text[at : at + _SHOWN] or "the end" for text in (found, expected))
    return f"its text differs from the corpus's at character {at}: found {quoted(here)}; expected {quoted(there)}"
