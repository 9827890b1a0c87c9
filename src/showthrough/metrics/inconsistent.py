"""Privacy without annotations: what is masked in one place and can be read in another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from showthrough.axis.axis import Axis
from showthrough.axis.coverage import Coverage
from showthrough.axis.spans import Counts32
from showthrough.data.masks import Mask
from showthrough.metrics.base import HEADLINE, Array, Metric, Rows, Totals, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.masked_strings import Found, Page, Sought, Words, masked
from showthrough.tables.calls import parameter

CORPUS = "corpus"
_DOCUMENTS, _STRINGS, _PLACES = 1_000, 50, 3  # of evidence, at most: documents, strings of each, places of each
_CHARACTERS = 200  # of a string


@dataclass(frozen=True)
class Inconsistency(Metric):
    """Share of the strings that are masked in a document and can be read elsewhere in it.

    A name that is masked in one line and stands in the next is not hidden, whoever has to be protected: no annotations
    are needed to see that. Of each document the distinct strings under its masks are looked for in what can be read of
    it: whole words, as they are written or in capitals, whatever white space is between them; of a name each part
    counts (`Smith` of `John Smith`). Ordinary words are left aside. The part `corpus` also looks into all other
    documents. What nobody masked anywhere is not seen.

    I = |{(d, s) : s is masked in d and can be read in d}| / |{(d, s) : s is masked in d}|

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("a", "Ann Berg of Oslo. Berg was ill."), Document("b", "Oslo is far.")])
    >>> masks = Anonymization({"a": [Mask(0, 8), Mask(12, 16)], "b": []})
    >>> run = evaluate(corpus, {"names": masks}, metrics=["inconsistent"])
    >>> run["names", "inconsistent"].value  # of Ann Berg and Oslo, Berg stands there again: 1 of 2
    0.5
    >>> run["names", "inconsistent", "corpus"].value  # and Oslo in the other document: 2 of 2
    1.0
    """

    version = 2
    group = "privacy"
    scope = "corpus"
    title = "Masked here, readable there"
    better = "lower"
    neutral = (HEADLINE, CORPUS)  # who masks less has less to leave readable, so it ranks nobody
    undefined = "no mask hides a string that could be looked for (ordinary words aside)"
    tells = "what is masked in one place and readable in another"
    roles = ("inconsistency",)
    counts = (("readable", "wrong"), ("strings", "all"))
    dictionaries = ("dictionary",)

    dictionary: str = parameter("wordfreq:en", "ordinary words, in small letters: wordfreq:LANGUAGE, or a file of them")

    def interval_fault(self, part: str) -> str:
        return self.test_fault(part)

    def test_fault(self, part: str) -> str:
        if part != CORPUS:
            return ""
        return "what one document leaves readable counts for all others, so that documents cannot be drawn one by one"

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        search = _Search(chunk, chunk.once(("words", self.dictionary), lambda: Words(self.dictionary)))
        return search.rows

    def combine(self, totals: Totals) -> dict[str, Array]:
        strings = totals["strings"]
        return {HEADLINE: ratio(totals["readable"], strings), CORPUS: ratio(totals["anywhere"], strings)}


@dataclass
class _Hidden:
    """The strings that are masked in one document, by their numbers in the corpus."""

    spans: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # where they are masked
    texts: dict[int, str] = field(default_factory=dict)  # as they stand there first
    here: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # where they can be read


class _Search:
    """All documents, looked through twice: what is masked and what of it can be read there; then what anywhere.

    A stretch of documents is in memory at a time, and of all of them the strings as numbers.
    """

    def __init__(self, chunk: Chunk, words: Words) -> None:
        self._chunk = chunk
        self._words = words
        self._stretches = list(chunk.corpus.chunks())
        self._kept: list[Page] | None = None

    def rows(self, anonymized: Anonymized) -> Rows:
        sought = Sought(self._words)
        hidden: list[Sequence[int]] = []
        readable: list[frozenset[int]] = []
        shown: dict[int, _Hidden] = {}
        for number, (page, pieces, masks) in enumerate(self._pages(anonymized)):
            found = _within(page, pieces, masks, sought, self._words)
            hidden.append(np.fromiter(found.spans, np.int64, len(found.spans)))  # type: ignore[arg-type]
            readable.append(frozenset(found.here))
            if found.spans and len(shown) < _DOCUMENTS:
                shown[number] = found
        anywhere: dict[int, tuple[int, int, int]] = {}  # the first place: document, start, end
        for number, (page, pieces, _) in enumerate(self._pages(anonymized)):
            for one in sought.readable_in(page, pieces):
                if one.number not in anywhere:
                    anywhere[one.number] = (number, page.start[one.first], page.end[one.last - 1])
        columns = {
            "strings": [len(of) for of in hidden],
            "readable": [len(of) for of in readable],
            "anywhere": [
                sum(one in here or one in anywhere for one in of) for of, here in zip(hidden, readable, strict=True)
            ],
        }
        ids = self._chunk.corpus.ids
        evidence = {ids[at]: {"strings": told} for at, one in shown.items() if (told := _told(one, anywhere, ids))}
        return replace(Rows.named(columns), evidence=evidence)

    def _pages(self, anonymized: Anonymized) -> Iterator[tuple[Page, list[bool], Sequence[Mask]]]:
        """Each document in pieces, which of them can be read, and its masks."""
        corpus = self._chunk.corpus
        for numbers in self._stretches:
            alone = len(self._stretches) == 1
            axis = self._chunk.axis if alone else Axis(corpus.part(numbers))
            coverage = anonymized.coverage if alone else Coverage(axis, anonymized.anonymization)
            pages = self._kept if self._kept else [Page(document.text) for document in axis.documents]
            self._kept = pages if alone else None
            for place, page in enumerate(pages):
                yield page, _readable(page, coverage.hidden, int(axis.bounds[place])), coverage.of_documents[place]


def _readable(page: Page, before: Counts32, shift: int) -> list[bool]:
    """Which pieces can be read. Signs between words always can: nobody is told by them."""
    start, end = np.array(page.start, dtype=np.int64) + shift, np.array(page.end, dtype=np.int64) + shift
    whole: list[bool] = (before[start] == before[end]).tolist()
    return [free or not word.isalnum() for free, word in zip(whole, page.words, strict=True)]


def _within(page: Page, pieces: list[bool], masks: Sequence[Mask], everywhere: Sought, words: Words) -> _Hidden:
    """What masks hide in a document, and what of it can be read there."""
    own, found = Sought(words), _Hidden()
    numbers: list[int] = []  # in the corpus, by those in the document
    for mask in sorted(masks, key=_span):
        string = masked(page, mask, words)
        if string is None:
            continue
        place, number = own.add(string), everywhere.add(string)
        if place == len(numbers):
            numbers.append(number)
        found.spans.setdefault(number, []).append(_span(mask))
        found.texts.setdefault(number, " ".join(page.original[mask.start : mask.end][:_CHARACTERS].split()))
    for one in own.readable_in(page, pieces):
        found.here.setdefault(numbers[one.number], []).append(_place(page, one))
    return found


def _span(mask: Mask) -> tuple[int, int]:
    return mask.start, mask.end


def _place(page: Page, one: Found) -> tuple[int, int]:
    return page.start[one.first], page.end[one.last - 1]


def _told(one: _Hidden, anywhere: dict[int, tuple[int, int, int]], ids: Sequence[str]) -> list[dict[str, Any]]:
    """What a reader is shown of a document: its uneven strings, those that can be read in it first."""
    elsewhere = [number for number in one.spans if number in anywhere and number not in one.here]
    told = []
    for number in [*one.here, *elsewhere][:_STRINGS]:
        there = [] if number in one.here else [(ids[anywhere[number][0]], *anywhere[number][1:])]
        told.append({
            "text": one.texts[number],
            "masked": sorted(set(one.spans[number]))[:_PLACES],
            "readable": sorted(set(one.here.get(number, [])))[:_PLACES],
            "elsewhere": there,
        })  # fmt: skip
    return told
