"""The XML of the i2b2 challenges, read and written.

2006: one file, `<ROOT>/<RECORD ID>/<TEXT>` with `<PHI TYPE="…">` around each instance. 2014, which MEDDOCAN took over:
one file a record, `<TEXT>` and then `<TAGS>` with the offsets of each instance. Which of the two a file is, it says
itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from showthrough.core.errors import InputError, Problem, at_document, quote_value, shorten
from showthrough.data.documents import Document, Mention, span_fault
from showthrough.data.levels import by_type
from showthrough.data.offsets import to_characters, unit_of
from showthrough.data.schemes import PHI_TYPES, phi_type
from showthrough.data.units import EXPECTED
from showthrough.formats.base import SAMPLE, Files, Fit, Format, Input, unlike
from showthrough.formats.clinical.phi import (
    ANNOTATOR,
    build_document,
    fit,
    masks_from,
    overlaps,
    separate,
    silver_of,
    to_mask,
)
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, fail, stem
from showthrough.storage.safe_xml import cdata, escape_text, inline, walk

ROOT_2014 = "deIdi2b2"
ROOT_MEDDOCAN = "MEDDOCAN"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_ANNOTATOR = "ANNOTATOR"  # ours: an attribute that other readers pass over
_BLANK = re.compile(r"\r\n|[\r\n\t]")  # each a space in an attribute, to an XML reader


def read(file: Input) -> list[Document]:
    """All records of a file, or of the .xml files of a folder and of the folders in it."""
    files = file.head.files((".xml",))
    if not files:
        raise fail(file.path, "holds no .xml file; expected i2b2 records")
    read_one = partial(_read_documents, offsets=file.columns.offsets, fields=file.columns.fields)
    return [document for documents in collect_results(files, read_one) for document in documents]


def _read_documents(file: Path, offsets: str, fields: Sequence[str]) -> list[Document]:
    records = _Records(file, offsets, fields)
    walk(file, records)
    if records.problems:
        raise InputError(records.problems)
    if not records.documents:
        raise fail(file, "holds no record; expected <RECORD> with <TEXT> (i2b2 2006), or <TEXT> and <TAGS> (i2b2 2014)")
    return records.documents


class _Records:
    """The records of one file, collected while it is walked through."""

    def __init__(self, file: Path, offsets: str, fields: Sequence[str] = ()) -> None:
        self._offsets = offsets  # what a user said that they count
        self._fields = fields  # attributes of the file and its records that documents keep
        self._attributes: dict[str, str] = {}
        self.documents: list[Document] = []
        self.problems: list[Problem] = []
        self._file = file
        self._record: str | None = None  # the id of the i2b2 2006 record around
        self._text: _Text | None = None  # the last text
        self._inside: _Text | None = None  # the text around
        self._phi: tuple[int, str] | None = None  # where the PHI around starts, and its type
        self._tags: list[_Tag] | None = None
        self._annotator = ANNOTATOR

    def _add_problem(self, location: str, message: str) -> None:
        record = f"{at_document(self._record)}: " if self._record else ""
        self.problems.append(Problem(str(self._file), record + location, message))

    def opens(self, element: str, attributes: dict[str, str], line: int) -> None:
        location = f"line {line}"
        if not (self._inside or self._tags):
            self._attributes |= {name: attributes[name] for name in self._fields if name in attributes}
        if self._tags is not None:
            self._tags.append(_Tag(element, attributes, line))
        elif self._inside:
            self._opens_phi(self._inside, element, attributes, location)
        elif element == "RECORD":
            self._record = attributes.get("ID", "")
            self._annotator = attributes.get(_ANNOTATOR) or ANNOTATOR
            if not self._record:
                self._add_problem(location, "a <RECORD> has no ID")
        elif element == "TEXT":
            self._text = self._inside = _Text()
        elif element == "TAGS":
            self._tags = []
            self._annotator = attributes.get(_ANNOTATOR) or ANNOTATOR

    def _opens_phi(self, text: _Text, element: str, attributes: dict[str, str], location: str) -> None:
        if element != "PHI":
            self._add_problem(location, f"found <{shorten(element)}> inside a text; expected <PHI TYPE=…>")
        elif "TYPE" not in attributes:
            self._add_problem(location, "a <PHI> has no TYPE")
        elif self._phi is not None:
            self._add_problem(location, "a <PHI> lies inside another; expected tags that do not overlap")
        else:
            self._phi = (text.length, attributes["TYPE"])

    def says(self, text: str, written: str) -> None:
        if self._inside:
            self._inside.add(text, written)

    def closes(self, element: str, line: int) -> None:
        if element == "PHI" and self._phi and self._text:
            start, entity_type = self._phi
            self._phi = None
            if self._text.length == start:
                self._add_problem(f"line {line}", "a <PHI> is empty; expected at least one character")
            else:
                self._text.mentions.append(by_type(start, self._text.length, entity_type))
        elif element == "TEXT" and self._inside:
            if self._record is not None:
                inside = self._inside
                self._add_document(self._record, inside, inside.mentions)
            self._inside = None
        elif element == "RECORD":
            self._record, self._attributes = None, {}
        elif element == "TAGS" and self._tags is not None:
            self._record = stem(self._file)
            if self._text is None:
                self._add_problem("<TAGS>", "no <TEXT> comes before them")
            else:
                mentions = _place_tags(self._text, self._tags, self._offsets, self._add_problem)
                self._add_document(self._record, self._text, mentions)
            self._record = self._tags = None

    def _add_document(self, record: str, text: _Text, mentions: Iterable[Mention]) -> None:
        document = build_document(record, text.raw_text, mentions, self._annotator)
        self.documents.append(msgspec.structs.replace(document, fields=dict(self._attributes)))


class _Text:
    """A text as it was written, and as any XML reader sees it: with a line feed for every line end."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.shortened: list[int] = []  # where, in the text as seen, two characters became one line feed
        self.length = 0
        self.mentions: list[Mention] = []

    def add(self, text: str, written: str) -> None:
        if len(text) != len(written):
            self.shortened.append(self.length - len(self.shortened))
        self._pieces.append(written)
        self.length += len(written)

    @property
    def raw_text(self) -> str:
        return "".join(self._pieces)

    def at(self, offset: int) -> int:
        """Where an offset of the text as seen lies in the text as written."""
        return offset + bisect_left(self.shortened, offset)


class _Tag(NamedTuple):
    """An element of `<TAGS>`."""

    element: str
    attributes: dict[str, str]
    line: int

    @property
    def location(self) -> str:
        return f"tag {shorten(self.attributes['id'])}" if self.attributes.get("id") else f"line {self.line}"

    @property
    def span(self) -> tuple[int, int]:
        return int(self.attributes["start"]), int(self.attributes["end"])

    def fault(self) -> str:
        """What is missing or no number; empty when all is there."""
        for name in ("start", "end", "TYPE"):
            value = self.attributes.get(name)
            if value is None:
                return f"{name} is missing"
            if name != "TYPE" and not re.fullmatch(r"-?\d{1,18}", value):
                return f"{name} is {quote_value(value)}; expected a whole number"
        return ""

    @property
    def kind(self) -> str:
        """Its TYPE; where that is none we know and the element tells more, both."""
        kind = self.attributes["TYPE"]
        return kind if _is_specific(kind) or self.element == phi_type(kind).element else f"{self.element}/{kind}"

    def reads(self, covered: str) -> bool:
        """Whether the text at its place is what the tag says it is."""
        return _BLANK.sub(" ", covered) == _BLANK.sub(" ", self.attributes.get("text", covered))


def _is_specific(phi: str) -> bool:
    """Whether a type says all by itself; OTHER does not."""
    return phi in PHI_TYPES and phi != "OTHER"


def _place_tags(text: _Text, tags: list[_Tag], offsets: str, problem: Callable[[str, str], None]) -> list[Mention]:
    """The mentions of an i2b2 2014 file, by offsets of the text as written."""
    for tag in tags:
        if fault := tag.fault():
            problem(tag.location, fault)
    sound = [tag for tag in tags if not tag.fault()]
    written = text.raw_text
    spans = [tag.span for tag in sound]
    # Where line ends are two characters, offsets may count either text. What the tags say they hold tells which;
    # if they say nothing, they count what an XML reader sees.
    says = any("text" in tag.attributes for tag in sound)
    if text.shortened and not (says and all(tag.reads(written[slice(*tag.span)]) for tag in sound)):
        spans = [(text.at(start), text.at(end)) for start, end in spans]
    if unit_of(offsets):
        try:
            spans = [to_characters(written, start, end, offsets) for start, end in spans]
        except InputError as error:
            problem("<TAGS>", error.problems[0].message)
            return []
    mentions = []
    for tag, (start, end) in zip(sound, spans, strict=True):
        if not 0 <= start < end <= len(written):
            problem(tag.location, span_fault(start, end, len(written), ("start", "end")))
        elif not tag.reads(written[start:end]):
            where = f"at {tag.span[0]}–{tag.span[1]}"
            fault = unlike(where, written[start:end], "text is", tag.attributes["text"])
            problem(tag.location, f"{fault}; {EXPECTED}")
        else:
            mentions.append(by_type(start, end, tag.kind, tag.attributes.get("id", "")))
    for first, second in overlaps(mentions):
        location = f"tags {shorten(first.entity_id) or '?'} and {shorten(second.entity_id) or '?'}"
        problem(location, f"{first.start}–{first.end} and {second.start}–{second.end} overlap; expected separate spans")
    return mentions


def write_2006(documents: Iterable[Document]) -> dict[str, bytes]:
    """All records as one file, with the PHI tagged in the text."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<ROOT>"]
    for document in documents:
        location = at_document(document.id)
        pieces: list[str] = []
        position = 0
        for mention in separate(document):
            phi = escape_text(mention.entity_type, location)
            inside = inline(document.text[mention.start : mention.end], location)
            pieces += (inline(document.text[position : mention.start], location), f'<PHI TYPE="{phi}">{inside}</PHI>')
            position = mention.end
        pieces.append(inline(document.text[position:], location))
        record = escape_text(document.id, location)
        lines += (
            f'<RECORD ID="{record}"{_annotator_attribute(document)}>',
            f"<TEXT>{''.join(pieces)}</TEXT>",
            "</RECORD>",
        )
    return {"": ("\n".join([*lines, "</ROOT>"]) + "\n").encode()}


def _annotator_attribute(document: Document) -> str:
    """The attribute that says which programs marked a record; people have none."""
    silver = silver_of(document)
    return f' {_ANNOTATOR}="{escape_text(silver, at_document(document.id))}"' if silver else ""


def write_2014(documents: Iterable[Document], root: str = ROOT_2014) -> dict[str, bytes]:
    """One file a record, with the offsets of the PHI after the text."""
    return {f"{document.id}.xml": _record_2014(document, root).encode() for document in documents}


def _record_2014(document: Document, root: str) -> str:
    at = at_document(document.id)
    mentions = to_mask(document)
    names = [mention.entity_id for mention in mentions]
    if not all(names) or len(set(names)) < len(names):
        names = [f"P{number}" for number in range(len(mentions))]
    text = cdata(document.text, at)
    lines = ["<?xml version='1.0' encoding='UTF-8'?>", f"<{root}>", f"  <TEXT>{text}</TEXT>"]
    lines.append(f"  <TAGS{_annotator_attribute(document)}>")
    for name, mention in zip(names, mentions, strict=True):
        element, phi = _element_and_type(mention.entity_type)
        covered = escape_text(document.text[mention.start : mention.end], at)
        lines.append(
            f'    <{element} id="{escape_text(name, at)}" start="{mention.start}" end="{mention.end}" text="{covered}" '
            f'TYPE="{escape_text(phi, at)}" comment=""/>'
        )
    return "\n".join([*lines, "  </TAGS>", f"</{root}>"]) + "\n"


def _element_and_type(entity_type: str) -> tuple[str, str]:
    """The element and TYPE that a type is written as, so that reading them gives the type again."""
    element, slash, rest = entity_type.partition("/")
    if slash and _NAME.fullmatch(element) and not _is_specific(rest) and element != phi_type(rest).element:
        return element, rest
    return phi_type(entity_type).element, entity_type


def _format(description: str, root: str = "", write: Callable[[Iterable[Document]], Files] | None = None) -> Format:
    """One of the family: all are read alike, and told apart by the element that they begin with."""

    def recognise(head: Head) -> Fit:
        if not root or not fit(head, ".xml"):
            return Fit.NO
        first = Head(head.files((".xml",))[0]) if head.folder else head
        return Fit.SURE if f"<{root}".encode() in first.start else Fit.LIKELY

    sample = {} if write else {"records.xml": write_2006([SAMPLE])[""].decode()}
    return Format(description, (".xml",), recognise, read, masks_from(read), write, in_folders=True, sample=sample)


FORMATS = {
    "i2b2": _format("i2b2 XML, 2006 or 2014, whichever it is"),
    "i2b2-2014": _format("i2b2 2014: a folder of .xml, tags with offsets", ROOT_2014, write_2014),
    "i2b2-2006": _format("i2b2 2006: one .xml with the tags in the text", "RECORD", write_2006),
    "meddocan": _format("MEDDOCAN: as i2b2 2014", ROOT_MEDDOCAN, partial(write_2014, root=ROOT_MEDDOCAN)),
}
