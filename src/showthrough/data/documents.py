"""Documents, mentions, annotations and corpora: what people wrote and marked.

Offsets are Unicode code points of the original text, half-open, as Python indexes strings.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import msgspec
import numpy as np
from msgspec.structs import astuple

from showthrough.core.arrays import AnyArray, Ints
from showthrough.core.errors import HALF_CHARACTER, InputError, PlanError, Problem, at_document, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.data._document_traces import Traces, Tracing
from showthrough.data.silver import is_silver
from showthrough.data.subjects import Subject, subject_faults
from showthrough.data.survey import Survey, Surveying
from showthrough.data.units import length_in
from showthrough.storage.columns.strings import Strings

if TYPE_CHECKING:
    from showthrough.data._independence import IndependentUnits

Identifier = Literal["DIRECT", "QUASI", "NO_MASK", "MAY_MASK"]
TO_MASK: tuple[Identifier, ...] = ("DIRECT", "QUASI")  # NO_MASK is to stay; MAY_MASK counts neither way

CHUNK_CHARACTERS = 1_000_000  # of a chunk: its arrays then take about 30 MB
_BLOCK = 256  # documents decoded at once while surveying
_AHEAD = 4096  # documents among which the end of a chunk is looked for first
_TOGETHER = 1 << 16  # documents whose lengths are added up at once


class Mention(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A half-open character span that an annotator marked."""

    start: int
    end: int
    entity_type: str = ""
    identifier: Identifier = "QUASI"
    entity_id: str = ""
    confidential: str | None = None
    edit: str | None = None  # what the annotator did to a mark that was made beforehand, such as check or insert
    states: ClassVar[bool] = True  # how it identifies

    @property
    def stated(self) -> bool:
        """Whether somebody said how it identifies; else its type alone shows it, or does not."""
        return self.states

    @property
    def must_mask(self) -> bool:
        """Whether its annotator wants it masked."""
        return self.identifier in TO_MASK


class InferredMention(Mention, frozen=True, gc=False, array_like=True):
    """A mention of which nobody said how it identifies: its type told, or it was a guess. Otherwise a mention."""

    states: ClassVar[bool] = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mention) and astuple(self) == astuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(Mention(*astuple(self)))


class Annotation(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One annotator's mentions on one document; mentions that share an entity id are one entity."""

    annotator: str
    mentions: tuple[Mention, ...] = ()


class Authorship(msgspec.Struct, frozen=True, array_like=True):
    """A question about who wrote a document: texts that one author wrote, and whether it is by the same one."""

    known: tuple[str, ...]
    same: bool | None = None  # None: nobody said


class Document(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An id and a text, with zero or more annotation layers."""

    id: str
    text: str
    annotations: tuple[Annotation, ...] = ()
    group: str = ""  # what it shares with others, such as the patient; empty: it is a group of its own
    split: str = ""  # the part of the corpus that it belongs to, such as train or test
    reviewed: tuple[str, ...] | None = None  # annotators whose work on it somebody else looked through; None: not said
    authorship: Authorship | None = None  # of a problem of author verification, what is known of the author
    subjects: tuple[Subject, ...] = ()  # the people that it is about, where somebody said who they are
    fields: dict[str, Any] = {}  # what else its file says of it, such as TAB's task and meta; values as in JSON

    def digest(self) -> bytes:
        """16 bytes that change whenever the id, the text, a mark, the group, its people or its author's texts change.

        Splits, reviews and fields do not: no number is made of them.
        """
        # A document without a group has the digest that it had before there were groups.
        content = (self.id, self.text, self.annotations, *filter(None, [self.group, self.authorship, self.subjects]))
        return hashlib.blake2b(msgspec.json.encode(content), digest_size=16).digest()

    def field_values(self, name: str) -> tuple[str, ...]:
        """What a field says, as texts: one, several where it lists them, or none.

        `meta.year` is the entry `year` of `meta`, and so is `year` where no field has that name. Lists and objects may
        be JSON in a string.

        >>> document = Document("d", "text", fields={"task": "t", "meta": {"year": 2008, "articles": "[6, 13]"}})
        >>> document.field_values("year"), document.field_values("meta.articles"), document.field_values("court")
        (('2008',), ('6', '13'), ())
        """
        candidates = (_at(self.fields, name), _at(_decoded(self.fields.get(_META)), name))
        return next(filter(None, map(_texts_of, candidates)), ())

    @property
    def protected(self) -> str:
        """The person whom the task of the Text Anonymization Benchmark names; else the applicant; else empty."""
        task = self.fields.get("task")
        named = _PROTECTED.search(task) if isinstance(task, str) else None
        return named[1].strip() if named else " ".join(self.field_values("applicant")[:1])

    @property
    def readers(self) -> tuple[str, ...]:
        """The people who looked for something to mark, each once: programs are none."""
        return tuple(
            dict.fromkeys(
                annotation.annotator for annotation in self.annotations if not is_silver(annotation.annotator)
            )
        )

    @property
    def to_learn_from(self) -> tuple[Annotation, ...]:
        """The layers of people, where people marked it; else those of programs."""
        return (
            tuple(annotation for annotation in self.annotations if not is_silver(annotation.annotator))
            or self.annotations
        )

    def problems(self, file: str = "") -> list[Problem]:
        """What makes this document unusable."""
        problems: list[Problem] = []
        length, location = len(self.text), at_document(self.id)
        if not self.id:
            problems.append(Problem(file, "a document", "its id is empty; expected a name"))
        if not length:
            problems.append(Problem(file, location, "text is empty; expected at least one character"))
        for annotation in self.annotations:
            for index, mention in enumerate(annotation.mentions):
                if not 0 <= mention.start < mention.end <= length:
                    field = f"{location}: annotations.{shorten(annotation.annotator)}.entity_mentions[{index}]"
                    problems.append(
                        Problem(file, field, span_fault(mention.start, mention.end, length, text=self.text))
                    )
        problems += [Problem(file, f"{location}: {field}", fault) for field, fault in subject_faults(self.subjects)]
        return problems


_META = "meta"
_PROTECTED = lazy_pattern(r"following person:[ \t]*(\S.*)")


def _decoded(value: Any) -> Any:
    """A list or an object that is JSON in a string; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(value)
    return value


def _at(value: Any, name: str) -> Any:
    """What lies under a name: that very key, or the one after each point."""
    if isinstance(value, dict) and name in value:
        return _decoded(value[name])
    first, _, rest = name.partition(".")
    return _at(_decoded(value[first]), rest) if rest and isinstance(value, dict) and first in value else None


def _spelled(values: list[Any]) -> list[Any]:
    """The list that the codes of its characters spell in JSON: TAB has its articles so. Other lists stay.

    >>> _spelled([91, 34, 54, 34, 93]), _spelled([91, 93, 6])
    (['6'], [91, 93, 6])
    """
    if values[:1] != [ord("[")] or values[-1] != ord("]") or not all(type(code) is int for code in values):
        return values
    decoded = _decoded("".join(chr(code) for code in values if 0 < code < 128))
    return decoded if isinstance(decoded, list) else values


def _texts_of(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(dict.fromkeys(text for entry in _spelled(value) for text in _texts_of(entry)))
    if isinstance(value, bool):
        return (str(value).lower(),)
    return () if value is None or isinstance(value, dict) or value == "" else (str(value),)


def span_fault(
    start: int, end: int, length: int, names: tuple[str, str] = ("start_offset", "end_offset"), text: str = ""
) -> str:
    """What is wrong with a span of a text, in one sentence; with the text also in which unit it would be none."""
    if start < 0:
        return f"{names[0]} {start} is negative; expected 0 or more"
    if end > length:
        fitting = next((unit for unit in ("utf-16", "bytes") if end <= length_in(text, unit)), "")
        hint = f"; in {fitting} it is not: say --offsets {fitting} if that is what is counted" if fitting else ""
        return f"{names[1]} {end} is past the end of the text ({length} characters){hint}"
    return f"{names[1]} {end} is not after {names[0]} {start}; expected a span of at least one character"


def digest_of(values: Mapping[str, object], file: str, noun: str) -> str:
    """Changes whenever a key or a value changes, but not with their order. `noun` is what keys name, for messages."""
    total = hashlib.blake2b(digest_size=16)
    for key in sorted(values):
        try:
            total.update(msgspec.json.encode((key, values[key])))
        except UnicodeEncodeError:
            raise InputError(Problem(file, f"{noun} {shorten(key)}", HALF_CHARACTER)) from None
    return total.hexdigest()


class Corpus:
    """A named sequence of documents with a digest.

    `documents` may be any sequence. A JSON Lines file gives one that decodes documents only when they are asked
    for, so that a corpus of any length can be walked through in bounded memory.

    >>> corpus = Corpus([Document("a", "Mr Doe"), Document("b", "Oslo")], name="two")
    >>> len(corpus), list(corpus.ids)
    (2, ['a', 'b'])
    """

    def __init__(
        self,
        documents: Sequence[Document],
        name: str = "corpus",
        source: str = "",
        notes: Sequence[str] = (),
        offsets: str = "",
    ) -> None:
        if isinstance(documents, list | tuple) and not all(isinstance(document, Document) for document in documents):
            takes = "Corpus.from_frame takes rows, and Corpus.from_texts takes texts"
            raise PlanError(f"found something else; expected a list of Document; {takes}", "documents")
        self.documents = documents
        self.name = name
        self.source = source
        self.notes = tuple(notes)  # what a reader must know of the file it came from, a sentence each
        self.offsets = offsets  # what offsets count as they were given, where somebody said it; here it is characters

    @classmethod
    def from_texts(cls, texts: Mapping[str, str] | Iterable[str], name: str = "corpus") -> Corpus:
        """Documents without annotations: texts by id, or a list of them, whose ids are then 1, 2 and so on."""
        from showthrough.data.construction import corpus_of_texts  # which makes corpora, as the others below

        return corpus_of_texts(texts, name)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        id: str = "doc_id",
        text: str = "text",
        group: str | None = None,
        spans: Any = None,
        *,
        annotator: str = "gold",
        name: str = "corpus",
        offsets: str | None = None,
        fields: Sequence[str] = (),
    ) -> Corpus:
        """One row a document, of a pandas or polars frame, an Arrow table, columns by name or a list of rows.

        `spans` are what `annotator` marked: a column with a list of spans in each row, or a second frame with one row a
        span. A missing list means that nobody read the document; a document without a row has no marks. A span
        has start and end, and may have entity_type, entity_id and identifier_type; a row of the second frame also the
        text that it covers, which is then checked. `offsets` are what start and end count, if not characters: `utf-16`
        units, or `bytes` of UTF-8; where they look so, they are refused, unless `characters` insists. `fields` are
        further columns that documents keep, for slices.
        """
        from showthrough.data._frames import corpus_of_frame

        return corpus_of_frame(frame, id, text, group, spans, annotator, name, offsets, fields)

    @classmethod
    def from_spacy(cls, docs: Any, annotator: str = "spacy", name: str = "corpus") -> Corpus:
        """spaCy `Doc`s with their entities as marks: by id, or a list, whose ids are then 1, 2 and so on.

        Where a pipeline found the entities, an annotator such as `silver(en_core_web_sm)` has every signature say so.
        """
        from showthrough.data._tool_objects import corpus_of_docs

        return corpus_of_docs(docs, annotator, name)

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        for start in range(0, len(self.documents), _BLOCK):
            yield from self.documents[start : start + _BLOCK]

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}, {len(self)} documents)"

    @cached_property
    def survey(self) -> Survey:
        """Reads every document once; raises InputError with all that is wrong."""
        stored = self.documents.find_survey() if isinstance(self.documents, LazyDocuments) else None
        if stored is not None:
            return stored
        return self._run_survey(traced=isinstance(self.documents, LazyDocuments))

    @property
    def traced_survey(self) -> Survey:
        """The same with what shows that documents belong together, for use without the documents."""
        return self.survey if isinstance(self.documents, LazyDocuments) else self._run_survey(traced=True)

    def _run_survey(self, *, traced: bool) -> Survey:
        surveying = Surveying(self.source, traced=traced)
        for document in self:
            surveying.add(document)
        return surveying.survey()

    @cached_property
    def traces(self) -> Traces:
        """What shows that documents belong together; if a survey lacks it, the documents are read once more."""
        if self.survey.traces is not None:
            return self.survey.traces
        tracing = Tracing()
        for document in self:
            tracing.add(document)
        return tracing.build()

    @cached_property
    def units(self) -> IndependentUnits:
        """What intervals and tests draw as a whole; reads those documents again that may be near copies."""
        from showthrough.data._independence import independent_units

        return independent_units(self)

    @property
    def ids(self) -> Strings:
        return self.survey.ids

    @property
    def digest(self) -> str:
        return self.survey.digest

    def chunks(self, characters: int = CHUNK_CHARACTERS, start: int = 0) -> Iterator[range]:
        """Ranges of document numbers, each of about so many characters, from document `start` on.

        Who asks for the next alone, again and again, looks at a few documents each time and not at all that are left.
        """
        lengths = self.survey.lengths
        offset = 0  # where document `start` begins, in characters
        while start < len(lengths):
            border = (offset // characters + 1) * characters
            width = count = _AHEAD
            while count == width:
                width *= 2
                sizes = lengths[start : start + width].astype(np.int64)
                begins = offset + np.cumsum(sizes + 1) - sizes - 1
                count = int(np.searchsorted(begins, border))
            yield range(start, start + count)
            offset = int(begins[count - 1] + sizes[count - 1] + 1)
            start += count

    def part(self, numbers: range, *, lazy: bool = False) -> Corpus:
        """The documents of one range, decoded; with `lazy`, still to be decoded where the sequence offers that.

        A lazy sequence of documents, such as `LazyDocuments`, has a method `window(start, stop)`: the same documents as
        the slice, cheap to send to another process.
        """
        documents = window(self.documents, numbers) if lazy else self.documents[numbers.start : numbers.stop]
        return Corpus(documents, self.name, self.source, offsets=self.offsets)


def chunk_ranges(lengths: AnyArray, characters: int = CHUNK_CHARACTERS) -> Iterator[range]:
    """Documents by number, cut into stretches of about so many characters."""
    start = before = last = 0  # of the stretch; characters so far; the number of the stretch
    for block in range(0, len(lengths), _TOGETHER):
        sizes = lengths[block : block + _TOGETHER].astype(np.int64) + 1
        ends = np.cumsum(sizes) + before
        number = (ends - sizes) // characters
        for index in np.flatnonzero(np.diff(number, prepend=last)).tolist():
            if start < block + index:
                yield range(start, block + index)
            start = block + index
        before, last = int(ends[-1]), int(number[-1])
    if start < len(lengths):
        yield range(start, len(lengths))


def window(documents: Sequence[Document], numbers: range) -> Sequence[Document]:
    """Those of one range, still to be made where they can be."""
    cut: Callable[[int, int], Sequence[Document]] | None = getattr(documents, "window", None)
    return cut(numbers.start, numbers.stop) if cut else documents[numbers.start : numbers.stop]


def documents_at(documents: Sequence[Document], numbers: Ints) -> list[Document]:
    """Those of some numbers, in their order."""
    if isinstance(documents, LazyDocuments):
        return list(documents.load_some(numbers))
    return [documents[number] for number in numbers.tolist()]


class LazyDocuments(Sequence[Document]):
    """Documents that are made when they are asked for, and of which a part travels to another process."""

    @abstractmethod
    def load_range(self, start: int, stop: int) -> Iterable[Document]:
        """Those from one number up to another, one after the other."""

    def load_some(self, numbers: Ints) -> Iterable[Document]:
        """Those of some numbers, in their order."""
        return map(self.__getitem__, numbers.tolist())

    @abstractmethod
    def window(self, start: int, stop: int) -> Sequence[Document]:
        """Those from one number up to another, still to be made."""

    def find_survey(self) -> Survey | None:
        """What was told of them when they were found, where somebody looked; raises InputError with what is wrong."""
        return None

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> list[Document]: ...
    def __getitem__(self, index: int | slice) -> Document | list[Document]:
        if not isinstance(index, slice):
            number = range(len(self))[index]  # an IndexError past the end
            return next(iter(self.load_range(number, number + 1)))
        numbers = range(*index.indices(len(self)))
        if numbers.step != 1:
            return [self[number] for number in numbers]
        return list(self.load_range(numbers.start, numbers.stop)) if numbers else []


class MappedDocuments(LazyDocuments):
    """Documents with something else about each, made when they are asked for; it travels to other processes."""

    def __init__(self, documents: Sequence[Document], change: Callable[[Document], Document]) -> None:
        self._documents = documents
        self._change = change

    def __len__(self) -> int:
        return len(self._documents)

    def load_range(self, start: int, stop: int) -> Iterable[Document]:
        return map(self._change, self._documents[start:stop])

    def load_some(self, numbers: Ints) -> Iterable[Document]:
        return map(self._change, documents_at(self._documents, numbers))

    def window(self, start: int, stop: int) -> MappedDocuments:
        return MappedDocuments(window(self._documents, range(start, stop)), self._change)


def map_documents(documents: Sequence[Document], change: Callable[[Document], Document]) -> Sequence[Document]:
    """All documents changed: at once where they are in memory, else each when it is asked for."""
    return MappedDocuments(documents, change) if hasattr(documents, "window") else list(map(change, documents))
