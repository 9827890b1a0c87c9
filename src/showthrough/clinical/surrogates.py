"""Surrogates: other PHI in the place of what was marked, so that a record can be read and nobody be found.

The i2b2 challenge of 2006 made its records so (Uzuner, Luo and Szolovits 2007): dates moved by the same number of days
throughout a record, numbers digit by digit, names from recombined syllables, everything in the form of the original
and the same thing the same wherever a record has it. What was marked in one place of a record and overlooked in
another is replaced in both.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from random import Random

from showthrough.clinical.audit import LETTERS, Identifying, Leak, audit, marked
from showthrough.clinical.calendar import PLAIN_YEAR, Written, day_comes_first, written_dates
from showthrough.clinical.categories import Kind, phi_type
from showthrough.clinical.invention import Edit
from showthrough.clinical.names import Names
from showthrough.clinical.numbers import Numbers
from showthrough.errors import PlanError
from showthrough.text import Annotation, Corpus, Document, Mention

_NEAREST, _FARTHEST = 30, 1460  # days by which dates are moved, back or forth
_TRIES, _PATIENCE = 400, 50


@dataclass(frozen=True)
class Surrogates:
    """A corpus of surrogates, how often unmarked text went because it was marked elsewhere, and what is left."""

    corpus: Corpus
    repeats: int
    leaks: tuple[Leak, ...]


def surrogates(corpus: Corpus, *, seed: int = 0, ambiguous: float = 0.0, keep: Collection[str] = ()) -> Surrogates:
    """Replaces the PHI of every record by surrogates, and audits the result.

    `ambiguous` is the share of names that are medical terms, to make records in which names are hard to tell. Types in
    `keep` stay as they are. The same seed gives the same surrogates, whatever other records there are.
    """
    if not 0 <= ambiguous <= 1:
        raise PlanError(f"found {ambiguous:g}; expected a share between 0 and 1", "ambiguous")
    day_first = bool(day_comes_first(_dates(corpus, keep)))
    made: list[Document] = []
    repeats = 0
    leaks: list[Leak] = []
    for document in corpus:
        record = _Record(document, seed, ambiguous, keep, day_first)
        made.append(record.surrogate())
        repeats += record.repeats
        leaks += audit(document, made[-1], keep)
    return Surrogates(Corpus(made, corpus.name, corpus.source), repeats, tuple(leaks))


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
        self._day_first = day_first
        self._read: dict[str, list[Written]] = {}
        # Seeded by the record's id too: its surrogates do not depend on which others are in the corpus.
        random = Random(f"{seed}\0{document.id}")
        taken = {word for string in self._strings.kinds for word in (string, *string.split())}
        self._names = Names(random, taken, ambiguous)
        self._numbers = Numbers(random, taken)
        for mention in self._mentions:
            self._numbers.learn(self._text(mention))
            if phi_type(mention.entity_type).kind == "person":
                self._names.learn(self._text(mention))
        texts = [self._text(one) for one in self._mentions if phi_type(one.entity_type).kind == "date"]
        self._year = self._common_year(texts)
        self._days = self._chosen_days(random, texts)

    def _text(self, mention: Mention) -> str:
        return self._document.text[mention.start : mention.end]

    def surrogate(self) -> Document:
        edits: list[Edit] = []
        done = bytearray(len(self._document.text))
        for mention in self._mentions:
            self._add(
                edits, done, mention.start, self._replaced(phi_type(mention.entity_type).kind, self._text(mention))
            )
            done[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
        for start, end, string in self._strings.places(self._document.text):
            if not any(done[start:end]):
                self.repeats += 1
                self._add(
                    edits, done, start, self._replaced(self._strings.kinds[string], self._document.text[start:end])
                )
        return _edited(self._document, sorted(edits))

    def _add(self, edits: list[Edit], done: bytearray, base: int, found: list[Edit]) -> None:
        """Adds edits of a span, where no longer one has been there already."""
        edits += [
            (base + start, base + end, new) for start, end, new in found if not any(done[base + start : base + end])
        ]

    def _replaced(self, kind: Kind, text: str) -> list[Edit]:
        names, numbers = self._names, self._numbers
        makers: dict[Kind, Callable[[], list[Edit]]] = {
            "person": lambda: names.person(text) + numbers.digits(text),
            "place": lambda: names.place(text) + numbers.digits(text),
            "organization": lambda: names.place(text) + numbers.digits(text),
            "contact": lambda: names.contact(text) + numbers.digits(text),
            "code": lambda: numbers.code(text),
            "age": lambda: self._changed(text, numbers.age(text) + names.member(text)),
            "date": lambda: self._date(text, self._days),
            "word": lambda: names.other(text) + numbers.digits(text),
        }
        return makers[kind]()

    def _changed(self, text: str, edits: list[Edit]) -> list[Edit]:
        """The edits, or, where they leave all as it is and there are letters to be read, other words altogether."""
        if edits or sum(map(str.isalpha, text)) < LETTERS:
            return edits
        return self._names.other(text)

    def _date(self, text: str, days: int) -> list[Edit]:
        return self._moved(text, days) or self._changed(text, self._names.member(text) + self._numbers.digits(text))

    def _moved(self, text: str, days: int) -> list[Edit]:
        return [
            (field.start, field.end, new)
            for one in self._written(text)
            for field, new in one.shifted(days, self._year).items()
        ]

    def _written(self, text: str) -> list[Written]:
        if text not in self._read:
            self._read[text] = written_dates(text, self._day_first)
        return self._read[text]

    def _common_year(self, texts: list[str]) -> int:
        """The year that dates without one are taken to be of."""
        years = Counter(one.year for text in texts for one in self._written(text) if one.year is not None)
        return max(years, key=lambda year: (years[year], year)) if years else PLAIN_YEAR

    def _chosen_days(self, random: Random, texts: list[str]) -> int:
        """By how many days all dates move: so that none becomes one that was there."""
        known = sorted({text for text in texts if self._written(text)})
        best, fewest = _NEAREST, len(known) + 1
        for attempt in range(_TRIES):
            # A record with many dates has some pair of them at nearly every distance: then they move farther.
            farthest = _FARTHEST * (1 + attempt // _PATIENCE)
            days = random.choice((-1, 1)) * random.randint(_NEAREST, farthest)
            same = sum(_applied(text, self._moved(text, days)).lower() in self._strings.kinds for text in known)
            if same < fewest:
                best, fewest = days, same
            if not same:
                break
        return best


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
