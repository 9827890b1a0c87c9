"""What people wrote and marked: documents, mentions, annotations, corpora.

Offsets are Unicode code points of the original text, half-open, as Python indexes strings.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple, overload

import msgspec
import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from showthrough.data.silver import is_silver
from showthrough.data.subjects import Subject, subject_faults
from showthrough.errors import HALF_CHARACTER, InputError, Problem, at_document, shown

Identifier = Literal["DIRECT", "QUASI", "NO_MASK"]

CHUNK_CHARACTERS = 1_000_000  # of a chunk: its arrays then take about 30 MB
_BLOCK = 256  # documents decoded at once while surveying


class Mention(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A half-open character span that an annotator marked."""

    start: int
    end: int
    entity_type: str = ""
    identifier: Identifier = "QUASI"
    entity_id: str = ""
    confidential: str | None = None
    edit: str | None = None  # what the annotator did to a mark that was made beforehand, such as check or insert

    @property
    def stated(self) -> bool:
        """Whether somebody said how it identifies; else its type alone told, or did not."""
        return True


class InferredMention(Mention, frozen=True, gc=False, array_like=True):
    """A mention of which nobody said how it identifies: its type told, or it was a guess. Otherwise a mention."""

    @property
    def stated(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mention) and astuple(self) == astuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(Mention(*astuple(self)))


class Annotation(msgspec.Struct, frozen=True, array_like=True):
    """One annotator's mentions on one document; mentions that share an entity id are one entity."""

    annotator: str
    mentions: tuple[Mention, ...] = ()


class Authorship(msgspec.Struct, frozen=True, array_like=True):
    """A question about who wrote a document: texts that one author wrote, and whether it is by the same one."""

    known: tuple[str, ...]
    same: bool | None = None  # None: nobody said


class Document(msgspec.Struct, frozen=True, array_like=True):
    """An id and a text, with zero or more annotation layers."""

    id: str
    text: str
    annotations: tuple[Annotation, ...] = ()
    group: str = ""  # what it shares with others, such as the patient; empty: it is a group of its own
    split: str = ""  # the part of the corpus that it belongs to, such as train or test
    reviewed: tuple[str, ...] | None = None  # annotators whose work on it somebody else looked through; None: not said
    authorship: Authorship | None = None  # of a problem of author verification, what is known of the author
    subjects: tuple[Subject, ...] = ()  # the people that it is about, where somebody said who they are

    def digest(self) -> bytes:
        """16 bytes that change whenever the id, the text, a mark, the group, its people or its author's texts change.

        Splits and reviews do not: no number is made of them.
        """
        # A document without a group has the digest that it had before there were groups.
        content = (self.id, self.text, self.annotations, *filter(None, [self.group, self.authorship, self.subjects]))
        return hashlib.blake2b(msgspec.json.encode(content), digest_size=16).digest()

    @property
    def readers(self) -> tuple[str, ...]:
        """The people who looked for something to mark, each once: programs are none."""
        return tuple(dict.fromkeys(one.annotator for one in self.annotations if not is_silver(one.annotator)))

    @property
    def to_learn_from(self) -> tuple[Annotation, ...]:
        """The layers of people, where people marked it; else those of programs."""
        return tuple(one for one in self.annotations if not is_silver(one.annotator)) or self.annotations

    def problems(self, file: str = "") -> list[Problem]:
        """What makes this document unusable."""
        problems: list[Problem] = []
        length, place = len(self.text), at_document(self.id)
        if not self.id:
            problems.append(Problem(file, "a document", "its id is empty; expected a name"))
        if not length:
            problems.append(Problem(file, place, "text is empty; expected at least one character"))
        for annotation in self.annotations:
            for index, mention in enumerate(annotation.mentions):
                if not 0 <= mention.start < mention.end <= length:
                    field = f"{place}: annotations.{shown(annotation.annotator)}.entity_mentions[{index}]"
                    problems.append(Problem(file, field, span_fault(mention.start, mention.end, length)))
        problems += [Problem(file, f"{place}: {field}", fault) for field, fault in subject_faults(self.subjects)]
        return problems


def span_fault(start: int, end: int, length: int, names: tuple[str, str] = ("start_offset", "end_offset")) -> str:
    """What is wrong with a span of a text, in one sentence."""
    if start < 0:
        return f"{names[0]} {start} is negative; expected 0 or more"
    if end > length:
        return f"{names[1]} {end} is past the end of the text ({length} characters)"
    return f"{names[1]} {end} is not after {names[0]} {start}; expected a span of at least one character"


class Marked(NamedTuple):
    """What mentions are counted by: their type, how they identify, and whether somebody said so."""

    entity_type: str
    identifier: Identifier
    stated: bool


@dataclass(frozen=True)
class Survey:
    """What one pass over all documents tells: who they are, how long, and that they are sound."""

    ids: tuple[str, ...]
    lengths: NDArray[np.int64]
    annotated: int
    annotators: int
    mentions: int
    digest: str
    types: tuple[str, ...] = ()  # entity types that occur, sorted
    marked: Mapping[Marked, int] = field(default_factory=dict)  # how many mentions of each kind
    groups: tuple[str, ...] = ()  # of the documents, in their order; none where no document has one
    silver: Mapping[str, int] = field(default_factory=dict)  # annotators that are programs, and how many layers of each
    shared: tuple[int, ...] = ()  # numbers of the documents that several people marked
    asked: int = 0  # documents that ask who wrote them
    subjects: int = 0  # people that documents are about, in all
    tags: tuple[str, ...] = ()  # of what is said of them, sorted


def digest_of(values: Mapping[str, object], file: str, what: str) -> str:
    """Changes whenever a key or a value changes, but not with their order. `what` is what keys name, for messages."""
    total = hashlib.blake2b(digest_size=16)
    for key in sorted(values):
        try:
            total.update(msgspec.json.encode((key, values[key])))
        except UnicodeEncodeError:
            raise InputError(Problem(file, f"{what} {shown(key)}", HALF_CHARACTER)) from None
    return total.hexdigest()


class Corpus:
    """A named sequence of documents with a digest.

    `documents` may be any sequence. A JSON Lines file gives one that decodes documents only when they are asked
    for, so that a corpus of any length can be walked through in bounded memory.

    >>> corpus = Corpus([Document("a", "Mr Doe"), Document("b", "Oslo")], name="two")
    >>> len(corpus), corpus.ids
    (2, ('a', 'b'))
    """

    def __init__(
        self, documents: Sequence[Document], name: str = "corpus", source: str = "", notes: Sequence[str] = ()
    ) -> None:
        self.documents = documents
        self.name = name
        self.source = source
        self.notes = tuple(notes)  # what a reader must know of the file it came from, a sentence each

    @classmethod
    def from_texts(cls, texts: Mapping[str, str] | Iterable[str], name: str = "corpus") -> Corpus:
        """Documents without annotations: texts by id, or a list of them, whose ids are then 1, 2 and so on."""
        from showthrough.data.given import corpus_of_texts  # which makes corpora, as the others below

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
    ) -> Corpus:
        """One row a document, of a pandas or polars frame, an Arrow table, columns by name or a list of rows.

        `spans` are what `annotator` marked: a column with a list of spans in each row (a missing value: nobody read the
        document), or a second frame with one row a span, in which a document without a row has no marks. A span
        has start and end, and may have entity_type, entity_id and identifier_type; a row of the second frame also the
        text that it covers, which is then checked.
        """
        from showthrough.data.frames import corpus_of_frame

        return corpus_of_frame(frame, id, text, group, spans, annotator, name)

    @classmethod
    def from_spacy(cls, docs: Any, annotator: str = "spacy", name: str = "corpus") -> Corpus:
        """spaCy `Doc`s with their entities as marks: by id, or a list, whose ids are then 1, 2 and so on.

        Where a pipeline found the entities, an annotator such as `silver(en_core_web_sm)` has every signature say so.
        """
        from showthrough.data.tools import corpus_of_docs

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
        problems: list[Problem] = []
        lengths: dict[str, int] = {}  # by id
        digests: list[bytes] = []
        groups: list[str] = []
        shared: list[int] = []
        names: Counter[str] = Counter()
        annotated = annotators = asked = subjects = 0
        tags: set[str] = set()
        kinds: Counter[tuple[type[Mention], str, Identifier]] = Counter()
        for number, document in enumerate(self):
            problems += document.problems(self.source)
            place = at_document(document.id)
            if document.id in lengths:
                problems.append(Problem(self.source, place, "this id occurs twice; expected unique ids"))
            lengths[document.id] = len(document.text)
            try:
                digests.append(document.digest())
            except UnicodeEncodeError:
                problems.append(Problem(self.source, place, HALF_CHARACTER))
            annotated += bool(document.annotations)
            annotators += len(document.annotations)
            names.update(annotation.annotator for annotation in document.annotations)
            groups.append(document.group)
            asked += document.authorship is not None
            subjects += len(document.subjects)
            tags.update(one.tag for subject in document.subjects for one in subject.attributes)
            if len(document.annotations) > 1 and len(document.readers) > 1:
                shared.append(number)
            mentions = (mention for annotation in document.annotations for mention in annotation.mentions)
            kinds.update((type(one), one.entity_type, one.identifier) for one in mentions)
        if not lengths:
            problems.append(Problem(self.source, "", "the corpus is empty; expected at least one document"))
        if problems:
            raise InputError(problems)
        marked = {Marked(kind, level, made is not InferredMention): many for (made, kind, level), many in kinds.items()}
        return Survey(
            ids=tuple(lengths),
            lengths=np.array(list(lengths.values()), dtype=np.int64),
            annotated=annotated,
            annotators=annotators,
            mentions=kinds.total(),
            # Sorted, so that the same documents in another order are the same corpus.
            digest=hashlib.blake2b(b"".join(sorted(digests)), digest_size=16).hexdigest(),
            types=tuple(sorted({kind.entity_type for kind in marked})),
            marked=marked,
            groups=tuple(groups) if any(groups) else (),
            silver={name: names[name] for name in sorted(filter(is_silver, names))},
            shared=tuple(shared),
            asked=asked,
            subjects=subjects,
            tags=tuple(sorted(tags)),
        )

    @property
    def ids(self) -> tuple[str, ...]:
        return self.survey.ids

    @property
    def digest(self) -> str:
        return self.survey.digest

    def chunks(self, characters: int = CHUNK_CHARACTERS, start: int = 0) -> Iterator[range]:
        """Ranges of document numbers, each of about so many characters, from document `start` on."""
        for part in stretches(self.survey.lengths[start:], characters):
            yield range(start + part.start, start + part.stop)

    def part(self, numbers: range, *, lazy: bool = False) -> Corpus:
        """The documents of one range, decoded; with `lazy`, still to be decoded where the sequence offers that.

        A lazy sequence of documents, such as `LazyDocuments`, has a method `window(start, stop)`: the same documents as
        the slice, cheap to send to another process.
        """
        documents = window(self.documents, numbers) if lazy else self.documents[numbers.start : numbers.stop]
        return Corpus(documents, self.name, self.source)


def stretches(lengths: NDArray[np.int64], characters: int = CHUNK_CHARACTERS) -> Iterator[range]:
    """Documents by number, cut into stretches of about so many characters."""
    number = (np.cumsum(lengths + 1) - lengths - 1) // characters
    for low, high in pairwise([0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(lengths)]):
        if low < high:
            yield range(low, high)


def window(documents: Sequence[Document], numbers: range) -> Sequence[Document]:
    """Those of one range, still to be made where they can be."""
    cut: Callable[[int, int], Sequence[Document]] | None = getattr(documents, "window", None)
    return cut(numbers.start, numbers.stop) if cut else documents[numbers.start : numbers.stop]


class LazyDocuments(Sequence[Document]):
    """Documents that are made when they are asked for, and of which a part travels to another process."""

    @abstractmethod
    def made(self, start: int, stop: int) -> Iterable[Document]:
        """Those from one number up to another, one after the other."""

    @abstractmethod
    def window(self, start: int, stop: int) -> Sequence[Document]:
        """The same, still to be made."""

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> list[Document]: ...
    def __getitem__(self, index: int | slice) -> Document | list[Document]:
        if not isinstance(index, slice):
            number = range(len(self))[index]  # an IndexError past the end
            return next(iter(self.made(number, number + 1)))
        numbers = range(*index.indices(len(self)))
        if numbers.step != 1:
            return [self[number] for number in numbers]
        return list(self.made(numbers.start, numbers.stop)) if numbers else []


class Altered(LazyDocuments):
    """Documents with something else about each, made when they are asked for; it travels to other processes."""

    def __init__(self, documents: Sequence[Document], change: Callable[[Document], Document]) -> None:
        self._documents = documents
        self._change = change

    def __len__(self) -> int:
        return len(self._documents)

    def made(self, start: int, stop: int) -> Iterable[Document]:
        return map(self._change, self._documents[start:stop])

    def window(self, start: int, stop: int) -> Altered:
        return Altered(window(self._documents, range(start, stop)), self._change)


def altered(documents: Sequence[Document], change: Callable[[Document], Document]) -> Sequence[Document]:
    """All documents changed: at once where they are in memory, else each when it is asked for."""
    return Altered(documents, change) if hasattr(documents, "window") else list(map(change, documents))
