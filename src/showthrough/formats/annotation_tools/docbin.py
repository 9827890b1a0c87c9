"""spaCy's DocBin, a `.spacy` file: packed arrays of tokens, with entities, span groups and user data.

It is unpacked here and not by spaCy, which makes a document of every record and reads whatever user data may hold: what
is wanted are texts and spans, and the arrays have them. spaCy only says which number stands for which string.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Codes, Ints
from showthrough.core.errors import UnavailableError
from showthrough.data.documents import Annotation, Document, Mention
from showthrough.formats.annotation_tools._tags import pieces
from showthrough.formats.annotation_tools.spacy_json import ID_KEYS, MarkSource, entity_of
from showthrough.formats.base import Files, Fit, Format, Input, unwritable
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from, separate
from showthrough.formats.objects import Entry, Id
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import FILE
from showthrough.storage.reading import UNREADABLE, collect_results, fail, read_all, type_fault

# How spaCy numbers what it keeps of a token.
_ORTH, _ENT_IOB, _ENT_TYPE, _ENT_KB_ID, _ENT_ID = 65, 77, 78, 452, 454
_INSIDE, _OUTSIDE, _BEGIN = 1, 2, 3  # of _ENT_IOB; 0: nobody looked
_NOTHING = np.uint64(0)
_SPAN = struct.Struct(">QQQllll")  # id, link and label; from which token to which, from which character to which
_START = b"\xa7version"  # how the unpacked file begins, after a byte that says how many entries there are


class _Bin(msgspec.Struct):
    attrs: list[int]
    tokens: bytes
    spaces: bytes
    lengths: bytes
    strings: list[str]
    flags: list[dict[str, Any]] | None = None
    span_groups: list[bytes] | None = None
    user_data: list[bytes | None] | None = None


class _Group(msgspec.Struct):
    spans: list[bytes]
    name: str = ""


_BIN = msgspec.msgpack.Decoder(_Bin)
_GROUPS = msgspec.msgpack.Decoder(dict[bytes, list[str]] | list[bytes])
_GROUP = msgspec.msgpack.Decoder(_Group)
_USER_DATA = msgspec.msgpack.Decoder(dict[Any, Any])


def _unpack(path: Path) -> bytes:
    """What a file holds; raises InputError where that is more than may be read."""
    most = FILE.bytes
    worker = zlib.decompressobj()
    try:
        content = worker.decompress(read_all(path), most + 1)
    except zlib.error:
        raise fail(
            path, "is no DocBin of spaCy: it is not packed as one; expected what DocBin.to_disk writes"
        ) from None
    if len(content) > most:
        raise FILE.exceeded_error(path, "unpacks to")
    if not worker.eof:
        raise fail(path, "ends too early; expected a whole DocBin")
    return content


def _decode(path: Path) -> _Bin:
    try:
        return _BIN.decode(_unpack(path))
    except msgspec.ValidationError as error:
        field, fault = type_fault(error)
        raise fail(path, f"is no DocBin of spaCy: {fault}", field) from None
    except UNREADABLE:
        raise fail(path, "is no DocBin of spaCy: what it unpacks to is no msgpack") from None


@dataclass(frozen=True)
class _Tokens:
    """The tokens of all documents, laid end to end."""

    path: Path
    bin: _Bin

    @cached_property
    def bounds(self) -> Ints:
        """Where each document starts, and the end of the last."""
        raw, columns = self.bin, len(self.bin.attrs)
        lengths = np.frombuffer(raw.lengths[: len(raw.lengths) // 4 * 4], dtype="<i4").astype(np.int64)
        total = int(lengths.sum())
        sound = columns and _ORTH in raw.attrs and len(raw.lengths) % 4 == 0 and (lengths >= 0).all()
        if not sound or len(raw.tokens) != total * columns * 8 or len(raw.spaces) != total:
            raise fail(self.path, "is a damaged DocBin: its arrays are not as long as its documents")
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])

    @cached_property
    def _table(self) -> Codes:
        return np.frombuffer(self.bin.tokens, dtype="<u8").reshape(-1, len(self.bin.attrs))

    def column(self, attribute: int) -> Codes | None:
        return self._table[:, self.bin.attrs.index(attribute)] if attribute in self.bin.attrs else None

    @cached_property
    def strings(self) -> dict[int, str]:
        """Strings by the number that spaCy gives them."""
        store = _spacy("strings").StringStore()
        return {0: "", **{store.add(string): string for string in self.bin.strings}}

    @cached_property
    def texts(self) -> tuple[list[str], Ints, Ints]:
        """What each token adds to the text, then what follows it; where in its document it starts and ends."""
        numbers = self._table[:, self.bin.attrs.index(_ORTH)].tolist()
        try:
            words = list(map(self.strings.__getitem__, numbers))
        except KeyError:
            raise fail(self.path, "is a damaged DocBin: a token has no text") from None
        spaced = np.frombuffer(self.bin.spaces, dtype=np.uint8).astype(bool)
        parts = 2 * words
        parts[::2], parts[1::2] = words, map(("", " ").__getitem__, spaced.tolist())
        sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        ends = np.cumsum(sizes + spaced)
        before = np.concatenate([np.zeros(1, dtype=np.int64), ends])[self.bounds]
        starts = ends - sizes - spaced - np.repeat(before[:-1], np.diff(self.bounds))
        return parts, starts, starts + sizes

    @cached_property
    def entities(self) -> tuple[Ints, Ints, Bools]:
        """The first and the last token of every entity; of each document, whether somebody looked for any."""
        kinds, iob = self.column(_ENT_TYPE), self.column(_ENT_IOB)
        count = len(self._table)
        if kinds is None:
            kinds = np.zeros(count, dtype=np.uint64)
        if iob is None:  # types alone: each run of one is an entity
            iob = np.where(kinds != _NOTHING, np.uint64(_INSIDE), _NOTHING)
        inside = (iob == _INSIDE) | (iob == _BEGIN)
        first = np.zeros(count + 1, dtype=bool)
        first[self.bounds] = True
        changed = np.ones(count, dtype=bool)
        changed[1:] = (kinds[1:] != kinds[:-1]) | ~inside[:-1]
        opens = inside & ((iob == _BEGIN) | changed | first[:-1])
        goes_on = np.zeros(count, dtype=bool)
        goes_on[:-1] = inside[1:] & ~opens[1:]
        before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(iob != _NOTHING)])[self.bounds]
        return np.flatnonzero(opens), np.flatnonzero(inside & ~goes_on), np.diff(before) > 0

    def labels(self, attribute: int, at: Ints) -> list[str]:
        """What some tokens say, as texts; nothing where no token says it."""
        column = self.column(attribute)
        return [""] * len(at) if column is None else [self.string(number) for number in column[at].tolist()]

    def string(self, number: int) -> str:
        if number not in self.strings:
            raise fail(self.path, "is a damaged DocBin: a label has no text")
        return self.strings[number]


def read(file: Input) -> list[Document]:
    raw = _decode(file.path)
    tokens = _Tokens(file.path, raw)
    count = len(tokens.bounds) - 1
    firsts, lasts, looked_at = tokens.entities
    looked = looked_at.tolist()
    parts, starts, ends = tokens.texts
    spans = list(zip(starts[firsts].tolist(), ends[lasts].tolist(), tokens.labels(_ENT_TYPE, firsts), strict=True))
    entities = list(map(entity_of, tokens.labels(_ENT_KB_ID, firsts), tokens.labels(_ENT_ID, firsts)))
    marks = MarkSource(entities=len(spans))
    groups = collect_results(range(count), lambda number: _read_groups(file.path, raw, number))
    for span_groups in groups:
        marks.see(0, span_groups)
    marks.group = marks.elsewhere(file)
    bounds, owners = tokens.bounds.tolist(), np.searchsorted(firsts, tokens.bounds).tolist()
    id_keys = (file.columns.id,) if file.columns.id else ID_KEYS
    if any(flags.get("has_unknown_spaces") for flags in raw.flags or ()):
        file.remarks.others.append("what stood between its tokens is not in the file: a space was taken")

    def document(number: int) -> Document:
        entry = Entry(file.path, f"document number {number + 1}", file.columns, file.remarks)
        user_data = _read_user_data(raw, number)
        name = entry.named(_user_value(user_data, *id_keys))
        file.remarks.numbered += not name
        group = _user_value(user_data, file.columns.group)
        text = "".join(parts[2 * bounds[number] : 2 * bounds[number + 1]])
        mentions: Iterable[Mention] | None = None
        if marks.group is not None:
            packed = groups[number].get(marks.group)
            mentions = None if packed is None else _read_mentions(tokens, entry, text, packed)
        elif looked[number]:
            own = slice(owners[number], owners[number + 1])
            mentions = [
                entry.mention(text, *span, entity_id=entity)
                for span, entity in zip(spans[own], entities[own], strict=True)
            ]
        layers = () if mentions is None else (Annotation(ANNOTATOR, tuple(mentions)),)
        return Document(name or str(number + 1), text, layers, "" if group is None else str(group))

    return collect_results(range(count), document)


def _read_mentions(tokens: _Tokens, entry: Entry, text: str, spans: Sequence[bytes]) -> Iterator[Mention]:
    for number, packed in enumerate(spans):
        if len(packed) != _SPAN.size:
            raise entry.fail("is a damaged DocBin: a span of its span groups is cut off")
        own, link, label, _, _, start, end = _SPAN.unpack(packed)
        entity_type, entity = tokens.string(label), entity_of(tokens.string(link), tokens.string(own))
        yield entry.mention(text, start, end, entity_type, entity_id=entity, field=f"span {number + 1}")


def _read_groups(path: Path, raw: _Bin, number: int) -> dict[str, list[bytes]]:
    """The span groups of a document by name, each span still packed."""
    packed = raw.span_groups[number] if raw.span_groups and number < len(raw.span_groups) else b""
    if not packed:
        return {}
    try:
        decoded_groups = _GROUPS.decode(packed)
        if isinstance(decoded_groups, dict):
            return {
                name: _GROUP.decode(packed_group).spans
                for packed_group, names in decoded_groups.items()
                for name in names
            }
        groups = [_GROUP.decode(packed_group) for packed_group in decoded_groups]  # of spaCy before 3.4
    except UNREADABLE:
        raise fail(
            path, "is a damaged DocBin: its span groups cannot be read", f"document number {number + 1}"
        ) from None
    return {group.name: group.spans for group in groups}


def _read_user_data(raw: _Bin, number: int) -> Mapping[Any, Any]:
    """The user data of a document. It may be anything; where it is nothing that we read, there is no id in it."""
    packed = raw.user_data[number] if raw.user_data and number < len(raw.user_data) else None
    try:
        return _USER_DATA.decode(packed) if packed else {}
    except UNREADABLE:
        return {}


def _user_value(user_data: Mapping[Any, Any], *keys: str) -> Id:
    """A value of user data, or of an extension attribute, which spaCy keeps there under a name of four parts."""
    for key in keys:
        for name in (key, ("._.", key, None, None)):
            value = user_data.get(name)
            if isinstance(value, (str, int)):
                return value
    return None


def _spacy(module: str) -> Any:
    try:
        return import_module(f"spacy.{module}")
    except ImportError:
        raise UnavailableError("files of the format spacy need spaCy: pip install 'showthrough[spacy]'") from None


def write(documents: Iterable[Document]) -> Files:
    """One DocBin. Ids are in the user data, under `doc_id`."""
    spacy = _spacy("tokens")
    vocabulary = _spacy("vocab").Vocab()
    packed = spacy.DocBin(attrs=("ORTH", "ENT_IOB", "ENT_TYPE", "ENT_ID"), store_user_data=True)
    for document in documents:
        mentions = separate(document)
        for item in mentions:
            if not item.entity_type:
                fault = (
                    f"the mention {item.start}–{item.end} has no type, and spaCy takes an entity without one for none"
                )
                raise unwritable(document, f"{fault}; choose spacy-json")
        cut = pieces(document.text, mentions)
        words, spaces = [document.text[item.start : item.end] for item in cut], [item.spaced for item in cut]
        group = {"group": document.group} if document.group else {}
        doc = spacy.Doc(vocabulary, words=words, spaces=spaces, user_data={"doc_id": document.id, **group})
        if document.annotations:
            first = {item.start: number for number, item in enumerate(cut)}
            last = {item.end: number + 1 for number, item in enumerate(cut)}
            doc.set_ents(
                [
                    spacy.Span(doc, first[item.start], last[item.end], item.entity_type, span_id=item.entity_id)
                    for item in mentions
                ],
                default="outside",
            )
        packed.add(doc)
    return {"": packed.to_bytes()}


def _recognise(head: Head) -> Fit:
    """Sure of what unpacks as a DocBin does; likely of what is called so."""
    try:
        unpacked = zlib.decompressobj().decompress(head.start, 64) if head.start[:1] == b"x" else b""
    except zlib.error:
        unpacked = b""
    if unpacked[1:].startswith(_START) and b"attrs" in unpacked:
        return Fit.SURE
    return Fit.LIKELY if head.suffix == ".spacy" else Fit.NO


_SAMPLE = """\
import spacy
from spacy.tokens import DocBin, Span

doc = spacy.blank("en")("Mr John Doe of Oslo left.")
doc.user_data["doc_id"] = "case-1"
doc.set_ents([Span(doc, 1, 3, "PERSON"), Span(doc, 4, 5, "LOC")])
DocBin(docs=[doc], store_user_data=True).to_disk("sample.spacy")
"""
FORMAT = Format(
    "spaCy's DocBin: entities, or spans",
    *((".spacy",), _recognise, read, masks_from(read), write),
    sample={"sample.py": _SAMPLE},
)
