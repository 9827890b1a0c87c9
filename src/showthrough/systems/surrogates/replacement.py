"""Surrogates: other PHI in the place of what was marked, so that a record can be read and nobody be found.

The i2b2 challenge of 2006 made its records so (Uzuner, Luo and Szolovits 2007): dates moved by the same number of days
throughout a record, numbers digit by digit, names from recombined syllables, everything in the form of the original
and the same thing the same wherever a record has it. What was marked in one place of a record and overlooked in
another is replaced in both.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from heapq import merge
from itertools import accumulate, chain, starmap
from operator import itemgetter
from random import Random

from msgspec import structs

from showthrough.core.errors import PlanError, at_document, quote_value
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.masks import Mask, apply_masks
from showthrough.data.reading_form import reading_form
from showthrough.data.schemes import phi_type
from showthrough.data.types import Surrogate
from showthrough.systems.surrogates._timeline import timeline
from showthrough.systems.surrogates.chronology import Blemishes, Chronology
from showthrough.systems.surrogates.dates import Span, WrittenDate, cover, day_comes_first, fold_case, span_of
from showthrough.systems.surrogates.invention import Edit
from showthrough.systems.surrogates.names import Names, NameVocabulary
from showthrough.systems.surrogates.numbers import NumberSurrogates
from showthrough.systems.surrogates.wordlists import PARTICLES, TITLES

# An audit proves that surrogates left nothing: whatever was marked in a record must not be read in it any more.

LETTERS = 4  # a string with fewer says too little: initials and numbers may come out the same by chance
_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"\w+")
_START = itemgetter(0)

Phi = tuple[Surrogate, int, int]  # what it is, start and end


@dataclass(frozen=True)
class Leak:
    """A string that was marked in the original and can be read in the surrogate."""

    document: str
    text: str
    start: int
    end: int

    def __str__(self) -> str:
        location = f"{at_document(self.document)}: {quote_value(self.text)} at {self.start}–{self.end}"
        return f"{location} was marked in the original"


def collect_phi(document: Document, keep: Collection[str] = ()) -> list[Phi]:
    """What is to be replaced, of all annotators, each once, the longest first."""
    mentions = {
        (mention.start - mention.end, mention.start, mention.entity_type, mention.end)
        for annotation in document.annotations
        for mention in annotation.mentions
        if mention.must_mask and mention.entity_type not in keep
    }
    return [(phi_type(entity_type).kind, start, end) for _, start, entity_type, end in sorted(mentions)]


class IdentifyingStrings:
    """The strings of a record that may not be left.

    Every marked string of four or more letters, and of persons every single name of as many. One pattern of all of them
    would be tried out string by string at every word of a text. So each is looked for only where its first word stands.
    """

    def __init__(self, document: Document, keep: Collection[str] = ()) -> None:
        self.kinds: dict[str, Surrogate] = {}  # of every string, in small letters
        self._small: set[str] = set()  # those that are marked in small letters, too
        written: set[str] = set()  # as they are marked: some letters are not the same small and large again
        for kind, start, end in collect_phi(document, keep):
            text = document.text[start:end]
            strings = [text]
            if kind == "person":
                strings += (word for word in _WORD.findall(text) if word.casefold() not in TITLES | PARTICLES)
            for string in strings:
                if sum(map(str.isalpha, string)) >= LETTERS:
                    self.kinds.setdefault(_plain(string), kind)
                    written.add(string)
                    if string.islower():
                        self._small.add(_plain(string))
        self._by_word: dict[str, list[str]] = {}
        self._signs: list[str] = []  # that begin with a sign
        for string in sorted(written, key=lambda string: (-len(string), string)):
            first = _TOKEN.match(string.lstrip())
            (self._by_word.setdefault(fold_case(first[0]), []) if first else self._signs).append(string)

    def find_occurrences(self, text: str) -> Iterator[Phi]:
        """Where they stand in a text as whole words, whatever their capitals and line breaks; the longest first.

        A single word that is marked with a capital and stands there without one is another word: a brown mole is not
        Dr. Brown.
        """
        last = 0  # none begins in another, and of several in one place the longest counts
        for start, strings in self._candidates(text):
            ends = (_end(text, start, string) for string in strings) if start >= last else ()
            end = next(filter(None, ends), 0)
            if not end:
                continue
            last = end
            string = _plain(text[start:end])
            other = text[start:end].islower() and " " not in string and string not in self._small
            if string in self.kinds and not other:
                yield self.kinds[string], start, end

    def _candidates(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Where some may begin, in order, and which."""
        words = ((match.start(), self._by_word.get(fold_case(match[0]), [])) for match in _TOKEN.finditer(text))
        signs = [
            (match.start(), [string])
            for string in self._signs
            for match in re.finditer(f"(?={_pattern(string).pattern})", text, re.IGNORECASE)
        ]
        return merge((entry for entry in words if entry[1]), sorted(signs, key=_START), key=_START)


def _end(text: str, start: int, string: str) -> int:
    """Where a string ends that stands at a place as whole words; 0 where it does not stand there."""
    end = start + len(string)
    if text.startswith(string, start) and not _TOKEN.match(text, end):  # nearly always written alike
        return end
    match = _pattern(string).match(text, start)
    return match.end() if match else 0


@lru_cache(maxsize=4096)
def _pattern(string: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, string.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _plain(string: str) -> str:
    return " ".join(string.lower().split())


def audit(original: Document, surrogate: Document, keep: Collection[str] = ()) -> list[Leak]:
    """Every place where a marked string of the original is left in the surrogate; none, if all is well.

    A date is left when all of it is: the June of `5 June 2004` is not the June that was marked alone elsewhere.
    """
    dates = [(start, end) for kind, start, end in collect_phi(surrogate, keep) if kind == "date"]
    return [
        Leak(surrogate.id, surrogate.text[start:end], start, end)
        for kind, start, end in IdentifyingStrings(original, keep).find_occurrences(surrogate.text)
        if kind != "date"
        or not any(low <= start and end <= high and (start, end) != (low, high) for low, high in dates)
    ]


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


def surrogates(
    corpus: Corpus,
    *,
    seed: int = 0,
    ambiguous: float = 0.0,
    out_of_vocabulary: float | None = None,
    dictionary: Set[str] = frozenset(),
    keep: Collection[str] = (),
) -> Surrogates:
    """Replaces the PHI of every record by surrogates, and audits the result.

    `ambiguous` is the share of names that are medical terms, to make records in which names are hard to tell.
    `out_of_vocabulary` is the share of names that the dictionary does not have; all others but medical terms are words
    of it. Without this share, names are recombined syllables, whether a dictionary has them or not. Types in `keep`
    stay as they are. The same seed gives the same surrogates, whatever other records there are, as long as these do not
    tell otherwise which number of 03/04 is the month.
    """
    if not 0 <= ambiguous <= 1:
        raise PlanError(f"found {ambiguous:g}; expected a share between 0 and 1", "ambiguous")
    vocabulary = _vocabulary(ambiguous, out_of_vocabulary, dictionary)
    phi = ((document.text, *mark) for document in corpus for mark in collect_phi(document, keep))
    day_first = bool(day_comes_first(text[start:end] for text, kind, start, end in phi if kind == "date"))
    documents: list[Document] = []
    repeats = along = 0
    leaks: list[Leak] = []
    unmoved: list[tuple[WrittenDate, Leak]] = []
    near: list[str] = []
    groups = {"": ""}  # whose records are one patient's stays known, and not by whose number
    for document in corpus:
        record = _Record(document, seed, ambiguous, vocabulary, keep, day_first)
        group = groups.setdefault(document.group, f"group-{len(groups)}")
        documents.append(structs.replace(record.surrogate(), group=group))
        repeats += record.repeats
        along += record.along
        leaks += audit(document, documents[-1], keep)
        unmoved += record.list_unmoved()
        near += [document.id] * record.near
    return Surrogates(
        Corpus(documents, corpus.name, corpus.source),
        repeats,
        tuple(leaks),
        along,
        tuple(leak for written_date, leak in unmoved if written_date.unit != "year"),
        tuple(leak for written_date, leak in unmoved if written_date.unit == "year"),
        tuple(near),
    )


def _vocabulary(ambiguous: float, outside: float | None, dictionary: Set[str]) -> NameVocabulary | None:
    """What share of names is to be in no dictionary, if that was asked for. Raises PlanError."""
    if outside is None:
        return None
    if not 0 <= outside <= 1:
        raise PlanError(f"found {outside:g}; expected a share between 0 and 1", "out-of-vocabulary")
    if ambiguous + outside > 1:
        fault = f"found {outside:g} beside an ambiguous share of {ambiguous:g}; expected at most 1 together"
        raise PlanError(fault, "out-of-vocabulary")
    return NameVocabulary.of(outside, dictionary)


class _Record:
    """One record, and what has become of its PHI so far."""

    def __init__(
        self,
        document: Document,
        seed: int,
        ambiguous: float,
        vocabulary: NameVocabulary | None,
        keep: Collection[str],
        day_first: bool,
    ) -> None:
        self._document = document
        self._text = document.text
        self._strings = IdentifyingStrings(document, keep)
        self._marked = collect_phi(document, keep)
        # Seeded by the record's id too: its surrogates do not depend on which others are in the corpus.
        random = Random(f"{seed}\0{document.id}")
        exclusions = {word for string in self._strings.kinds for word in (string, *string.split())}
        exclusions |= {reading_form(word) for word in exclusions}  # an accent hides nothing
        exclusions |= {word for word in reading_form(self._text).split() if len(word) == 1}
        self._names = Names(random, exclusions, ambiguous, vocabulary)
        self._numbers = NumberSurrogates(random, exclusions)
        for kind, start, end in self._marked:
            self._numbers.learn(self._text[start:end])
            if kind == "person":
                self._names.learn(self._text[start:end])
        covered = cover(bytearray(len(self._text)), ((start, end) for _, start, end in self._marked))
        occurrences = self._strings.find_occurrences(self._text)
        self._overlooked = [
            phi for phi in occurrences if 1 not in covered[phi[1] : phi[2]]
        ]  # marked elsewhere, not here
        self.repeats = len(self._overlooked)
        spans = [(start, end) for kind, start, end in self._marked if kind == "date"]
        repeats = [(start, end) for kind, start, end in self._overlooked if kind == "date"]
        # No dates are to be looked for in what is marked as something else, nor in what is to stay.
        mentions = [
            mention for layer in document.annotations for mention in layer.mentions if mention.entity_type in keep
        ]
        other_spans = [
            *((start, end) for _, start, end in self._marked),
            *((mention.start, mention.end) for mention in mentions),
            *((start, end) for kind, start, end in self._overlooked if kind != "date"),
        ]
        self._dates = timeline(self._text, spans, repeats, other_spans, day_first)
        chronology = Chronology(self._dates)
        self._move = chronology.move(random, self._blemishes(spans + repeats))
        self._moved = sorted(edit for written_date in self._dates.all for edit in self._move.edits(written_date))
        self.near = chronology.near(self._move)
        again = cover(bytearray(len(self._text)), repeats)
        self.along = sum(1 not in again[slice(*span_of(written_date))] for written_date in self._dates.unmarked)
        self.along += sum(self._move.frees and bool(written_date.beside) for written_date in self._dates.marked)

    def surrogate(self) -> Document:
        edits: list[Edit] = []
        done = bytearray(len(self._text))  # where a longer one has been already
        for kind, start, end in (*self._marked, *self._overlooked):
            new = ((start + low, start + high, text) for low, high, text in self._replace(kind, start, end))
            edits += [edit for edit in new if 1 not in done[edit[0] : edit[1]]]
            cover(done, [(start, end)])
        edits += [edit for edit in self._moved if 1 not in done[edit[0] : edit[1]]]
        return _edit_document(self._document, sorted(edits))

    def list_unmoved(self) -> list[tuple[WrittenDate, Leak]]:
        """Marked dates that are as they were, with their places in the original."""
        left = [
            (written_date, *span_of(written_date))
            for written_date in self._dates.marked
            if self._move.leaves(written_date)
        ]
        return [
            (written_date, Leak(self._document.id, self._text[start:end], start, end))
            for written_date, start, end in left
        ]

    def _replace(self, kind: Surrogate, start: int, end: int) -> list[Edit]:
        text = self._text[start:end]
        names, numbers = self._names, self._numbers
        if kind == "code":
            return numbers.code(text)
        if kind == "age":
            return self._ensure_change(text, numbers.age(text) + names.member(text))
        if kind == "date":
            moved = _within(self._moved, start, end)
            return moved or self._ensure_change(text, names.member(text) + numbers.digits(text))
        place_makers = {"place": names.place, "organization": names.place}
        makers = {"person": names.person, "contact": names.contact, "word": names.other, **place_makers}
        return makers[kind](text) + numbers.digits(text)

    def _ensure_change(self, text: str, edits: list[Edit]) -> list[Edit]:
        """The edits, or, where they leave all as it is and there are letters to be read, other words altogether."""
        if edits or sum(map(str.isalpha, text)) < LETTERS:
            return edits
        return self._names.other(text)

    def _blemishes(self, spans: Sequence[Span]) -> Blemishes:
        """Counts the dates that edits make into ones that were there: the audit cannot tell them apart."""
        lettered = [span for span in spans if sum(map(str.isalpha, self._text[slice(*span)])) >= LETTERS]
        along = list(map(span_of, self._dates.unmarked))

        def edited(edits: list[Edit], targets: Sequence[Span]) -> list[str]:
            return [_apply_edits(self._text[start:end], _within(edits, start, end)) for start, end in targets]

        def count(edits_by_date: Iterable[list[Edit]]) -> int:
            if not lettered and not along:
                return 0
            edits = sorted(chain.from_iterable(edits_by_date))
            same = sum(" ".join(new.lower().split()) in self._strings.kinds for new in edited(edits, lettered))
            return same + len(list(self._strings.find_occurrences(" | ".join(edited(edits, along)))))

        return count


def _within(edits: Sequence[Edit], start: int, end: int) -> list[Edit]:
    """The edits, which are in order, that begin in a span, as edits of its text."""
    first, last = bisect_left(edits, (start,)), bisect_left(edits, (end,))
    return [(begin - start, two - start, new) for begin, two, new in edits[first:last]]


def _apply_edits(text: str, edits: Iterable[Edit]) -> str:
    return apply_masks(text, starmap(Mask, edits))


def _edit_document(document: Document, edits: list[Edit]) -> Document:
    """The record with edits made, and its mentions where they now are."""
    starts, ends = [start for start, _, _ in edits], [end for _, end, _ in edits]
    grown = list(accumulate((len(new) - (end - start) for start, end, new in edits), initial=0))

    def moved(offset: int, is_end: bool) -> int:
        passed = bisect_left(starts, offset)  # edits that start before it
        if passed and ends[passed - 1] > offset:  # it lies inside a replaced word: all of that word is the mention's
            return ends[passed - 1] + grown[passed] if is_end else starts[passed - 1] + grown[passed - 1]
        return offset + grown[passed]

    def mention(original: Mention) -> Mention:
        return structs.replace(original, start=moved(original.start, False), end=moved(original.end, True))

    annotations = tuple(
        Annotation(annotation.annotator, tuple(map(mention, annotation.mentions)))
        for annotation in document.annotations
    )
    # What is true of people in the original, what else its author wrote, and whom a task names, would give them away.
    text = _apply_edits(document.text, edits)
    return structs.replace(document, text=text, annotations=annotations, authorship=None, subjects=(), fields={})
