"""Collects facts about all documents in one pass, a few bytes a document; surveys of parts add up."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from showthrough.core.arrays import AnyArray, Bytes
from showthrough.core.errors import HALF_CHARACTER, InputError, Problem, at_document, shorten
from showthrough.data._document_traces import Traces, Tracing
from showthrough.data.silver import is_silver
from showthrough.data.units import reach_of
from showthrough.storage.columns.growing_columns import GrowingNumbers, GrowingStrings
from showthrough.storage.columns.index import find_repeats
from showthrough.storage.columns.strings import Digests, Strings, digest_of_all, sorted_digests

if TYPE_CHECKING:
    from showthrough.data.documents import Document, Identifier

_KIND = attrgetter("__class__", "entity_type", "identifier")  # of a mention
_TWICE = "this id occurs twice; expected unique ids"


class MentionCategory(NamedTuple):
    """What mentions are counted by: their type, how they identify, and whether somebody said so."""

    entity_type: str
    identifier: Identifier
    stated: bool


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass over all documents tells: who they are, how long, and that they are sound."""

    ids: Strings
    lengths: AnyArray  # of four bytes each where they suffice, else of eight
    farthest: Bytes  # how far the characters of each document reach, as `reach_of` tells
    annotated: int
    annotators: int
    digests: Digests  # of the documents, sorted
    marked: Mapping[MentionCategory, int] = field(default_factory=dict)  # how many mentions of each kind
    groups: Sequence[str] = ()  # of the documents, in their order; none where no document has one
    silver: Mapping[str, int] = field(default_factory=dict)  # annotators that are programs, and how many layers of each
    shared: Sequence[int] = ()  # numbers of the documents that several people marked
    questions: int = 0  # documents that ask who wrote them
    subjects: int = 0  # people that documents are about, in all
    tags: tuple[str, ...] = ()  # of what is said of them, sorted
    traces: Traces | None = None  # where they were looked for
    left_out: tuple[str, ...] = ()  # types of direct identifiers that a retyping took away
    lowered: tuple[tuple[str, str], ...] = ()  # and those that identify indirectly since, with their names since

    @property
    def mentions(self) -> int:
        return sum(self.marked.values())

    @property
    def types(self) -> tuple[str, ...]:
        """Entity types that occur, sorted."""
        return tuple(sorted({key.entity_type for key in self.marked}))

    @cached_property
    def digest(self) -> str:
        """Of all documents; the same ones in another order are the same corpus."""
        return digest_of_all(self.digests)

    @classmethod
    def merge(cls, parts: Iterable[Survey], sources: Iterable[str]) -> Survey:
        """Of consecutive parts, each with the file that it was made of: the survey that one pass over all gives.

        Raises InputError for ids that several of them have, and where there is no document at all.
        """
        surveying = Surveying()
        for part, source in zip(parts, sources, strict=True):
            surveying.extend(part, source)
        return surveying.survey()


class Surveying:
    """A survey on its way: documents are added one by one, or those of parts all at once.

    Traces take as long as all the rest. They are looked for where documents would have to be decoded again for them.
    """

    def __init__(self, source: str = "", *, traced: bool = True) -> None:
        self.source = source  # of the documents that are added
        self.problems: list[tuple[int, Problem]] = []  # each with the number of its document
        self._sources: list[tuple[int, str]] = []  # of the parts, each with the number of its first document
        self._ids, self._lengths, self._digests = GrowingStrings(), GrowingNumbers(), bytearray()
        self._farthest = bytearray()
        self._groups: GrowingStrings | None = None
        self._shared = array("q")
        self._silver: Counter[str] = Counter()
        self._annotated = self._annotators = self._asked = 0
        self.subjects = 0  # people that documents are about
        self._tags: set[str] = set()
        self._marked: Counter[MentionCategory] = Counter()
        self._tracing = Tracing() if traced else None

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, document: Document) -> None:
        number, layers = len(self._ids), document.annotations
        self.problems += [(number, problem) for problem in document.problems(self.source)]
        self._ids.append(document.id)
        self._lengths.append(len(document.text))
        self._farthest.append(reach_of(document.text))
        if self._tracing is not None:
            self._tracing.add(document)
        try:
            self._digests += document.digest()
        except UnicodeEncodeError:
            self.problems.append((number, Problem(self.source, at_document(document.id), HALF_CHARACTER)))
        if document.group and self._groups is None:
            self._groups = GrowingStrings()
            self._groups.extend(_empty_groups(number))
        if self._groups is not None:
            self._groups.append(document.group)
        self._asked += document.authorship is not None
        if document.subjects:
            self.subjects += len(document.subjects)
            self._tags.update(item.tag for subject in document.subjects for item in subject.attributes)
        if not layers:
            return
        self._annotated += 1
        self._annotators += len(layers)
        self._silver.update(layer.annotator for layer in layers if is_silver(layer.annotator))
        if len(layers) > 1 and len(document.readers) > 1:
            self._shared.append(number)
        kinds = Counter(map(_KIND, chain.from_iterable(layer.mentions for layer in layers)))
        for (mention_class, type_name, level), count in kinds.items():
            self._marked[MentionCategory(type_name, level, mention_class.states)] += count

    def extend(self, part: Survey, source: str, problems: Iterable[tuple[int, Problem]] = ()) -> None:
        """Adds the documents of a part, which are after all others, with what is wrong with them."""
        before = len(self._ids)
        self._sources.append((before, source))
        self.problems += [(before + number, problem) for number, problem in problems]
        self._ids.extend(part.ids)
        self._lengths.extend(part.lengths)
        self._farthest += part.farthest.tobytes()
        self._digests += part.digests.tobytes()
        if part.groups and self._groups is None:
            self._groups = GrowingStrings()
            self._groups.extend(_empty_groups(before))
        if self._groups is not None:
            self._groups.extend(part.groups if isinstance(part.groups, Strings) else _empty_groups(len(part.ids)))
        self._shared.extend(before + number for number in part.shared)
        self._silver.update(part.silver)
        self._annotated += part.annotated
        self._annotators += part.annotators
        self._asked += part.questions
        self.subjects += part.subjects
        self._tags.update(part.tags)
        self._marked.update(part.marked)
        if self._tracing is not None and part.traces is not None:
            self._tracing.extend(part.traces)
        else:
            self._tracing = None

    def part(self) -> Survey:
        """What was found, sound or not; ids may be there twice. Nothing can be added then."""
        return Survey(
            ids=self._ids.finish(),
            lengths=self._lengths.finish(),
            farthest=np.frombuffer(self._farthest, dtype=np.uint8),
            annotated=self._annotated,
            annotators=self._annotators,
            digests=sorted_digests(self._digests),
            marked=dict(self._marked),
            groups=() if self._groups is None else self._groups.finish(),
            silver={name: self._silver[name] for name in sorted(self._silver)},
            shared=self._shared,
            questions=self._asked,
            subjects=self.subjects,
            tags=tuple(sorted(self._tags)),
            traces=None if self._tracing is None else self._tracing.build(),
        )

    def survey(self) -> Survey:
        """All of it; raises InputError with all that is wrong. Nothing can be added then."""
        result = self.part()
        twice = [(number, self._repeated_id(result.ids, number, first)) for number, first in find_repeats(result.ids)]
        problems = self.problems + twice
        if not len(result.ids):
            problems.append((0, Problem(self.source, "", "the corpus is empty; expected at least one document")))
        if problems:
            raise InputError(problem for _, problem in sorted(problems, key=lambda numbered: numbered[0]))
        return result

    def _repeated_id(self, ids: Strings, number: int, first: int) -> Problem:
        source, first_source = self._source_of(number), self._source_of(first)
        message = (
            _TWICE
            if source == first_source
            else f"this id occurs in {shorten(first_source)} as well; expected unique ids"
        )
        return Problem(source, at_document(ids[number]), message)

    def _source_of(self, number: int) -> str:
        return next((source for first, source in reversed(self._sources) if first <= number), self.source)


def _empty_groups(count: int) -> Strings:
    """The groups of so many documents that have none."""
    return Strings(np.zeros(0, dtype=np.uint8), np.zeros(count + 1, dtype=np.int64))
