"""brat's standoff format (Stenetorp et al. 2012): `record.txt`, and beside it `record.ann` with one mark a line.

Read are marks (`T`), what is the same entity (`* Equiv`) and the attribute `identifier` (`A`), with which marks say
DIRECT, QUASI or NO_MASK where their type does not; and a note that programs made the marks, `silver(…)`. Relations,
events and other notes are left aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import get_args

from showthrough.core.errors import InputError, Problem, quote_value, shorten
from showthrough.data.documents import Document, Identifier, Mention, span_fault
from showthrough.data.levels import by_type, level_of
from showthrough.data.offsets import to_characters
from showthrough.data.silver import is_silver
from showthrough.formats.base import Format, Input, unlike, unwritable
from showthrough.formats.clinical.phi import ANNOTATOR, build_document, fit, masks_from, silver_of, single_layer
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import collect_results, exists, fail, read_all, stem, text_of, without_bom

_SPAN = r"-?\d{1,18} -?\d{1,18}"
_MARK = re.compile(rf"(T\S+)\t(\S+) ({_SPAN}(?:;{_SPAN})*)(?:\t(.*))?")
_NAME = re.compile(r"T\d+")
_BREAK = re.compile(r"[\r\n\t]")  # each a space in the .ann file
_IDENTIFIERS = get_args(Identifier)


def read(file: Input) -> list[Document]:
    """All records of a folder and of the folders in it; a system's output may be .ann files alone."""
    path = file.path
    if not file.head.folder:
        raise fail(path, "is no folder; expected one with .txt and .ann files")
    homes = sorted({record_file.parent / stem(record_file) for record_file in file.head.files((".txt", ".ann"))})
    if not homes:
        raise fail(path, "holds no .txt or .ann file; expected brat records")
    return collect_results(homes, lambda home: _document(home, file.originals, file.columns.offsets))


def _document(home: Path, texts: Mapping[str, str], offsets: str) -> Document:
    text_file, mark_file = (home.with_name(home.name + ending) for ending in (".txt", ".ann"))
    if exists(text_file):
        text = _content(text_file)
    elif home.name in texts:
        text = texts[home.name]
    else:
        raise fail(mark_file, f"has no {text_file.name} beside it")
    if not exists(mark_file):
        return Document(home.name, text)
    marks = _Marks(mark_file, text, offsets)
    if marks.problems:
        raise InputError(marks.problems)
    return build_document(home.name, text, marks.mentions(), marks.annotator)


def _content(path: Path) -> str:
    """All of a file. brat counts a byte-order mark as a character, so it stays."""
    content = read_all(path, RECORD)
    without_bom(path, content)  # refuses UTF-16 and UTF-32
    return text_of(path, content)


_OTHERS = frozenset("TERAMN#*")  # what lines begin with: marks, events, relations, attributes, notes, equivalences
_REFERRING = tuple("ERAM*")
_REFERENCE = re.compile(r"(?<![^\s:])T\d+(?!\S)")


class _Marks:
    """What an .ann file says, line by line."""

    def __init__(self, path: Path, text: str, offsets: str) -> None:
        self.problems: list[Problem] = []
        self.annotator = ANNOTATOR
        self._path = path
        self._text = text
        self._offsets = offsets  # what a user said that they count
        self._marks: dict[str, list[tuple[int, int, str]]] = {}  # by name; a mark in several pieces is several mentions
        self._entity: dict[str, str] = {}
        self._named: dict[str, str] = {}  # marks that other lines name, and the last line that does
        self._identifier: dict[str, Identifier] = {}
        for number, line in enumerate(_content(path).removeprefix("\ufeff").split("\n"), 1):
            for fault in self._take(line.removesuffix("\r")):
                self.problems.append(Problem(str(path), f"line {number}", fault))
        for name, by in self._named.items():
            if name not in self._marks:
                self.problems.append(Problem(str(path), by, f"names {name}, which is not there"))

    def _take(self, line: str) -> Iterator[str]:
        """Takes a line in; gives what is wrong with it."""
        fields = line.partition("\t")[2].split()
        if line.startswith("T"):
            yield from self._take_mark(line)
        elif line.startswith("*") and fields[:1] == ["Equiv"]:
            names = [self._entity.get(name, name) for name in fields[1:]]
            self._entity |= dict.fromkeys([*fields[1:], *names], names[0] if names else "")
        elif line.startswith("A") and fields[:1] == ["identifier"] and len(fields) == 3:
            if fields[2] in _IDENTIFIERS:
                self._identifier[fields[1]] = fields[2]  # type: ignore[assignment]
            else:
                yield f"found {quote_value(fields[2])}; expected {', '.join(_IDENTIFIERS)}"
        elif line.startswith("#") and fields[:1] == ["AnnotatorNotes"] and is_silver(line.split("\t")[-1]):
            self.annotator = line.split("\t")[-1]
        elif line and line[0] not in _OTHERS:
            yield f"found {quote_value(line)}; expected a line of brat: T1, E1, R1, A1, M1, N1, # or *"
        if line[:1] in _REFERRING:
            self._named |= dict.fromkeys(_REFERENCE.findall(line.partition("\t")[2]), line.partition("\t")[0])

    def _take_mark(self, line: str) -> Iterator[str]:
        mark = _MARK.fullmatch(line)
        if mark is None:
            yield f"found {quote_value(line)}; expected T1<tab>TYPE start end<tab>text"
            return
        name, kind, offsets, covered = mark.groups()
        spans = [(int(start), int(end)) for start, end in (span.split(" ") for span in offsets.split(";"))]
        try:
            spans = [to_characters(self._text, *span, self._offsets) for span in spans]
        except InputError as error:
            yield f"{shorten(name)}: {error.problems[0].message}"
            return
        wrong = [(start, end) for start, end in spans if not 0 <= start < end <= len(self._text)]
        for start, end in wrong:
            yield f"{shorten(name)}: {span_fault(start, end, len(self._text), ('start', 'end'))}"
        reads = " ".join(_BREAK.sub(" ", self._text[start:end]) for start, end in spans)
        if covered is not None and not wrong and reads != covered:
            yield f"{shorten(name)}: {unlike('there', reads, 'the line says', covered)}"
        if name in self._marks:
            yield f"{shorten(name)}: this name occurs twice; expected unique names"
        self._marks[name] = [(start, end, kind) for start, end in spans]

    def mentions(self) -> Iterator[Mention]:
        for name, pieces in self._marks.items():
            entity, identifier = self._entity.get(name, name), self._identifier.get(name)
            for piece in pieces:
                yield Mention(*piece, identifier, entity) if identifier else by_type(*piece, entity)


def write(documents: Iterable[Document]) -> dict[str, bytes]:
    """Two files a record. Mentions of one entity are joined by an `Equiv` line."""
    files: dict[str, bytes] = {}
    for document in documents:
        files[f"{document.id}.txt"] = document.text.encode()
        if document.annotations:
            files[f"{document.id}.ann"] = "".join(_lines(document)).encode()
    return files


def _lines(document: Document) -> Iterator[str]:
    mentions = single_layer(document)
    ids = [mention.entity_id for mention in mentions]
    # Names that came from a brat file stay; all others are made.
    keep_ids = all(map(_NAME.fullmatch, ids)) and len(set(ids)) == len(ids)
    names = ids if keep_ids else [f"T{number}" for number in range(1, len(ids) + 1)]
    for name, mention in zip(names, mentions, strict=True):
        if not mention.entity_type or re.search(r"\s", mention.entity_type):
            kind = quote_value(mention.entity_type)
            raise unwritable(document, f"the type {kind} cannot be written; brat's types are one word")
        covered = _BREAK.sub(" ", document.text[mention.start : mention.end])
        yield f"{name}\t{mention.entity_type} {mention.start} {mention.end}\t{covered}\n"
    entities: dict[str, list[str]] = {}
    attributes = []
    for name, mention in zip(names, mentions, strict=True):
        entities.setdefault(mention.entity_id, []).append(name)
        if mention.stated and mention.identifier != level_of(mention.entity_type):
            attributes.append(f"{name} {mention.identifier}")
    for entity, members in entities.items():
        if entity and len(members) > 1:
            yield f"*\tEquiv {' '.join(members)}\n"
    for number, attribute in enumerate(attributes, 1):
        yield f"A{number}\tidentifier {attribute}\n"
    if names and (silver := silver_of(document)):  # a note has to stand at a mark; one is enough
        yield f"#1\tAnnotatorNotes {names[0]}\t{_BREAK.sub(' ', silver)}\n"


FORMAT = Format(
    "brat standoff: a folder of .txt and .ann; of a system, .ann alone",
    *((".ann", ".txt"), lambda head: fit(head, ".ann"), read, masks_from(read), write),
    in_folders=True,
    aside=(".conf",),
)
