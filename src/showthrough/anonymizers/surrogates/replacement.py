"""Surrogates: other PHI in the place of what was marked, so that a record can be read and nobody be found.

The i2b2 challenge of 2006 made its records so (Uzuner, Luo and Szolovits 2007): dates moved by the same number of days
throughout a record, numbers digit by digit, names from recombined syllables, everything in the form of the original
and the same thing the same wherever a record has it. What was marked in one place of a record and overlooked in
another is replaced in both.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random

from showthrough.anonymizers.surrogates.audit import LETTERS, Identifying, Leak, audit, marked
from showthrough.anonymizers.surrogates.chronology import Blemishes, Chronology
from showthrough.anonymizers.surrogates.dates import Written, day_comes_first
from showthrough.anonymizers.surrogates.invention import Edit
from showthrough.anonymizers.surrogates.names import Names
from showthrough.anonymizers.surrogates.numbers import Numbers
from showthrough.anonymizers.surrogates.timeline import Span, timeline
from showthrough.data.categories import Kind, phi_type
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.errors import PlanError


@dataclass(frozen=True)
class Surrogates:
    """A corpus of surrogates, how often unmarked text went because it was marked elsewhere, and what is left."""

    corpus: Corpus
    repeats: int
    leaks: tuple[Leak, ...]
    along: int = 0  # dates, and years beside marked dates, that nobody marked and that moved with the others
    unmoved: tuple[Leak, ...] = ()  # marked dates that are as they were: any other would change a distance
    same_years: tuple[Leak, ...] = ()  # marked years that are as they were, because years beside other dates are
    near: tuple[str, ...] = ()  # documents whose dates moved so little that they can be guessed


def surrogates(corpus: Corpus, *, seed: int = 0, ambiguous: float = 0.0, keep: Collection[str] = ()) -> Surrogates:
    """Replaces the PHI of every record by surrogates, and audits the result.

    `ambiguous` is the share of names that are medical terms, to make records in which names are hard to tell. Types in
    `keep` stay as they are. The same seed gives the same surrogates, whatever other records there are, as long as these
    do not tell otherwise which number of 03/04 is the month.
    """
    if not 0 <= ambiguous <= 1:
        raise PlanError(f"found {ambiguous:g}; expected a share between 0 and 1", "ambiguous")
    day_first = bool(day_comes_first(_dates(corpus, keep)))
    made: list[Document] = []
    repeats = along = 0
    leaks: list[Leak] = []
    unmoved: list[tuple[Written, Leak]] = []
    near: list[str] = []
    for document in corpus:
        record = _Record(document, seed, ambiguous, keep, day_first)
        made.append(record.surrogate())
        repeats += record.repeats
        along += record.along
        leaks += audit(document, made[-1], keep)
        unmoved += record.unmoved()
        near += [document.id] * record.near
    return Surrogates(
        Corpus(made, corpus.name, corpus.source),
        repeats,
        tuple(leaks),
        along,
        tuple(leak for one, leak in unmoved if one.unit != "year"),
        tuple(leak for one, leak in unmoved if one.unit == "year"),
        tuple(near),
    )


def _dates(corpus: Corpus, keep: Collection[str]) -> list[str]:
    return [
        document.text[mention.start : mention.end]
        for document in corpus
        for mention in marked(document, keep)
        if phi_type(mention.entity_type).kind == "date"
    ]


class _Record:
    """One record, and what has become of its PHI so far."""

    def __init__(self, document: Document, seed: int, ambiguous: float, keep: Collection[str], day_first: bool) -> None:
        self.repeats = 0
        self._document = document
        self._strings = Identifying(document, keep)
        self._mentions = marked(document, keep)
        # Seeded by the record's id too: its surrogates do not depend on which others are in the corpus.
        random = Random(f"{seed}\0{document.id}")
        taken = {word for string in self._strings.kinds for word in (string, *string.split())}
        self._names = Names(random, taken, ambiguous)
        self._numbers = Numbers(random, taken)
        for mention in self._mentions:
            self._numbers.learn(self._text(mention))
            if phi_type(mention.entity_type).kind == "person":
                self._names.learn(self._text(mention))
        spans = [(one.start, one.end) for one in self._mentions if phi_type(one.entity_type).kind == "date"]
        self._overlooked = self._places_overlooked()
        repeats = [(start, end) for start, end, string in self._overlooked if self._strings.kinds[string] == "date"]
        self._dates = timeline(document.text, spans, repeats, self._other_spans(keep), day_first)
        chronology = Chronology(self._dates)
        self._move = chronology.move(random, self._blemishes(spans + repeats))
        dates = (*self._dates.marked, *self._dates.unmarked)
        self._moved = sorted(edit for one in dates for edit in self._move.edits(one))
        self.near = chronology.near(self._move)
        self.along = sum(
            not any(one.fields[0].start < end and start < one.fields[-1].end for start, end in repeats)
            for one in self._dates.unmarked
        ) + sum(self._move.frees and bool(one.beside) for one in self._dates.marked)

    def _text(self, mention: Mention) -> str:
        return self._document.text[mention.start : mention.end]

    def surrogate(self) -> Document:
        edits: list[Edit] = []
        done = bytearray(len(self._document.text))
        for mention in self._mentions:
            kind = phi_type(mention.entity_type).kind
            self._add(edits, done, mention.start, self._replaced(kind, mention.start, mention.end))
            done[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
        for start, end, string in self._overlooked:
            self.repeats += 1
            self._add(edits, done, start, self._replaced(self._strings.kinds[string], start, end))
            done[start:end] = b"\1" * (end - start)
        self._add(edits, done, 0, self._moved)
        return _edited(self._document, sorted(edits))

    def _places_overlooked(self) -> list[tuple[int, int, str]]:
        """Where something stands unmarked that is marked elsewhere."""
        done = bytearray(len(self._document.text))
        for mention in self._mentions:
            done[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
        places = self._strings.places(self._document.text)
        return [place for place in places if 1 not in done[place[0] : place[1]]]

    def _other_spans(self, keep: Collection[str]) -> list[Span]:
        """Where no dates are to be looked for: in what is marked as something else, and in what is to stay."""
        kept = [
            mention
            for annotation in self._document.annotations
            for mention in annotation.mentions
            if mention.entity_type in keep
        ]
        return [
            *((one.start, one.end) for one in (*self._mentions, *kept)),
            *((start, end) for start, end, string in self._overlooked if self._strings.kinds[string] != "date"),
        ]

    def unmoved(self) -> list[tuple[Written, Leak]]:
        """Marked dates that are as they were, with their places in the original."""
        return [
            (one, Leak(self._document.id, self._document.text[start:end], start, end))
            for one in self._dates.marked
            if self._move.leaves(one)
            for start, end in [(one.fields[0].start, one.fields[-1].end)]
        ]

    def _add(self, edits: list[Edit], done: bytearray, base: int, found: list[Edit]) -> None:
        """Adds edits of a span, where no longer one has been there already."""
        edits += [
            (base + start, base + end, new) for start, end, new in found if 1 not in done[base + start : base + end]
        ]

    def _replaced(self, kind: Kind, start: int, end: int) -> list[Edit]:
        text = self._document.text[start:end]
        names, numbers = self._names, self._numbers
        makers: dict[Kind, Callable[[], list[Edit]]] = {
            "person": lambda: names.person(text) + numbers.digits(text),
            "place": lambda: names.place(text) + numbers.digits(text),
            "organization": lambda: names.place(text) + numbers.digits(text),
            "contact": lambda: names.contact(text) + numbers.digits(text),
            "code": lambda: numbers.code(text),
            "age": lambda: self._changed(text, numbers.age(text) + names.member(text)),
            "date": lambda: self._date(start, end),
            "word": lambda: names.other(text) + numbers.digits(text),
        }
        return makers[kind]()

    def _changed(self, text: str, edits: list[Edit]) -> list[Edit]:
        """The edits, or, where they leave all as it is and there are letters to be read, other words altogether."""
        if edits or sum(map(str.isalpha, text)) < LETTERS:
            return edits
        return self._names.other(text)

    def _date(self, start: int, end: int) -> list[Edit]:
        text = self._document.text[start:end]
        moved = _within(self._moved, start, end)
        return moved or self._changed(text, self._names.member(text) + self._numbers.digits(text))

    def _blemishes(self, spans: Sequence[Span]) -> Blemishes:
        """Counts the dates that edits make into ones that were there: the audit cannot tell them apart."""
        text = self._document.text
        lettered = [span for span in spans if sum(map(str.isalpha, text[slice(*span)])) >= LETTERS]
        along = [(one.fields[0].start, one.fields[-1].end) for one in self._dates.unmarked]

        def made(edits: list[Edit], places: Sequence[Span]) -> list[str]:
            return [_applied(text[start:end], _within(edits, start, end)) for start, end in places]

        def count(found: Iterable[list[Edit]]) -> int:
            if not lettered and not along:
                return 0
            edits = sorted(chain.from_iterable(found))
            same = sum(" ".join(new.lower().split()) in self._strings.kinds for new in made(edits, lettered))
            return same + len(list(self._strings.places(" | ".join(made(edits, along)))) if along else [])

        return count


def _within(edits: Sequence[Edit], start: int, end: int) -> list[Edit]:
    """The edits, which are in order, that begin in a span, as edits of its text."""
    first, last = bisect_left(edits, (start,)), bisect_left(edits, (end,))
    return [(one - start, two - start, new) for one, two, new in edits[first:last]]


def _applied(text: str, edits: list[Edit]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end, new in sorted(edits):
        pieces += (text[position:start], new)
        position = end
    return "".join((*pieces, text[position:]))


def _edited(document: Document, edits: list[Edit]) -> Document:
    """The record with edits made, and its mentions where they now are."""
    starts, ends = [start for start, _, _ in edits], [end for _, end, _ in edits]
    grown = [0]
    for start, end, new in edits:
        grown.append(grown[-1] + len(new) - (end - start))

    def begin(offset: int) -> int:
        passed = bisect_right(starts, offset - 1)  # edits that start before it
        if passed and ends[passed - 1] > offset:  # it lies inside a replaced word: all of that word is the mention's
            return starts[passed - 1] + grown[passed - 1]
        return offset + grown[passed]

    def close(offset: int) -> int:
        passed = bisect_left(starts, offset)
        if passed and ends[passed - 1] > offset:
            return ends[passed - 1] + grown[passed]
        return offset + grown[passed]

    annotations = tuple(
        Annotation(
            annotation.annotator,
            tuple(
                Mention(
                    begin(one.start), close(one.end), one.entity_type, one.identifier, one.entity_id, one.confidential
                )
                for one in annotation.mentions
            ),
        )
        for annotation in document.annotations
    )
    return Document(document.id, _applied(document.text, edits), annotations)
