"""Privacy without annotations: what is masked in one place and can be read in another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.matching.forms import SearchForm, vocabulary_of
from showthrough.metrics.matching.search import Hit, Release, releases_of
from showthrough.metrics.matching.strings import FormIndex, MaskedDocument
from showthrough.metrics.released_text import ReleasedText
from showthrough.statistics.rows import Rows, Totals

CORPUS = "corpus"
_DOCUMENTS, _STRINGS, _PLACES = 1_000, 50, 3  # of evidence, at most: documents, strings of each, places of each
_CHARACTERS = 200  # of a string


@dataclass(frozen=True)
class Inconsistency(Metric):
    """Share of the strings masked in a document that are still readable elsewhere in it.

    A name that is masked in one line and readable in the next is not hidden. No annotations are needed to see that. The
    metric looks for each distinct string under a document's masks in the released text, in any spelling (as
    `removed_di` does). Each part of a name counts (`Berg` of `Ann Berg`); ordinary words do not. The part `corpus` also
    looks in all other documents. What nobody masked anywhere is not seen.

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

    version = 3
    group = "privacy"
    scope = "corpus"
    title = "Masked here, readable there"
    better = "lower"
    neutral = (HEADLINE, CORPUS)  # who masks less has less to leave readable, so it ranks nobody
    undefined = "no mask hides a string that could be looked for (ordinary words aside)"
    tells = "what is masked here and readable there"
    roles = ("inconsistency",)
    counts = (("readable", "wrong"), ("strings", "all"))
    dictionaries = ("dictionary",)

    dictionary: str = parameter("wordfreq:en", "ordinary words, in small letters: wordfreq:LANGUAGE, or a file of them")

    def interval_fault(self, part: str) -> str:
        return self.test_fault(part)

    def test_fault(self, part: str) -> str:
        if part != CORPUS:
            return ""
        return "what one document leaves readable counts for all others, so documents cannot be resampled one by one"

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        return _Search(chunk, self.dictionary).rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        strings = totals["strings"]
        return {HEADLINE: ratio(totals["readable"], strings), CORPUS: ratio(totals["anywhere"], strings)}


@dataclass
class _HiddenStrings:
    """The strings that are masked in one document, by their numbers in the corpus."""

    spans: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # where they are masked
    texts: dict[int, str] = field(default_factory=dict)  # as they stand there first
    here: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # where they can be read, in the original


class _Page:
    """A document, and what is released of it."""

    def __init__(self, document: Document, masks: Sequence[Mask], release: Release) -> None:
        self.text, self.masks, self.release = document.text, masks, release

    @cached_property
    def _released(self) -> ReleasedText:
        return ReleasedText.of(self.text, self.masks)

    def counts(self, hit: Hit, form: SearchForm, own: Sequence[tuple[int, int]] = ()) -> bool:
        """Whether somebody reads a string there: not where another's mask invents a name, or writes a word of it."""
        reading = self.release.reading
        if hit.view is not reading.plain or not (hit.single or form.is_word) or self._released.text != reading.text:
            return True
        mask = self._released.mask_at(*reading.span(hit.start, hit.end))
        return mask is None or any(mask.start < end and start < mask.end for start, end in own)

    def locate(self, hit: Hit) -> list[tuple[int, int]]:
        """Where that stands in the original; nowhere where somebody wrote the text anew."""
        if self._released.text != self.release.reading.text:
            return []
        spans = self.release.reading.spans(hit.view, hit.start, hit.end)
        return [self._released.original(*span) for span in spans]


class _Search:
    """All documents, looked through twice: what is masked and what of it can be read there; then what anywhere.

    A chunk of documents is in memory at a time, and of all of them the strings as numbers.
    """

    def __init__(self, chunk: Chunk, dictionary: str) -> None:
        self._chunk, self._dictionary = chunk, dictionary
        self._vocabulary = vocabulary_of(dictionary)
        self._stretches = list(chunk.corpus.chunks())

    def rows(self, anonymized: Anonymized) -> Rows:
        numbers: dict[str, int] = {}
        index, pairs = FormIndex(), set[tuple[int, SearchForm]]()
        hidden: list[Ints] = []
        readable: list[frozenset[int]] = []
        shown: dict[int, _HiddenStrings] = {}
        for document_index, page in enumerate(self._pages(anonymized)):
            hidden_strings = _HiddenStrings()
            for number, form in self._within(page, hidden_strings, numbers):
                if (number, form) not in pairs:
                    pairs.add((number, form))
                    index.add(number, form)
            hidden.append(np.fromiter(hidden_strings.spans, np.int64, len(hidden_strings.spans)))
            readable.append(frozenset(hidden_strings.here))
            if hidden_strings.spans and len(shown) < _DOCUMENTS:
                shown[document_index] = hidden_strings
        del pairs, numbers
        anywhere: dict[int, tuple[int, int, int]] = {}  # the first place: document, start, end
        for document_index, page in enumerate(self._pages(anonymized)):
            for number, hit in index.search(page.release, page.counts):
                anywhere[number] = (document_index, *next(iter(page.locate(hit)), (0, 0)))
        columns = {
            "strings": [len(of) for of in hidden],
            "readable": [len(of) for of in readable],
            "anywhere": [
                sum(number in visible or number in anywhere for number in of.tolist())
                for of, visible in zip(hidden, readable, strict=True)
            ],
        }
        ids = self._chunk.corpus.ids
        evidence = {
            ids[at]: {"strings": entries} for at, of in shown.items() if (entries := _list_evidence(of, anywhere, ids))
        }
        return replace(Rows.named(columns), evidence=evidence)

    def _pages(self, anonymized: Anonymized) -> Iterator[_Page]:
        corpus = self._chunk.corpus
        for numbers in self._stretches:
            block = anonymized
            if len(self._stretches) > 1:
                part = Chunk(corpus.part(numbers))
                block = Anonymized(part, anonymized.anonymization.part(part.corpus.ids))
            releases = releases_of(block, self._dictionary)
            for document, (_, release) in zip(block.chunk.corpus, releases, strict=True):
                yield _Page(document, block.of(document.id), release)

    def _within(self, page: _Page, hidden: _HiddenStrings, numbers: dict[str, int]) -> set[tuple[int, SearchForm]]:
        """What masks hide in a document, and what of it can be read there."""
        document = MaskedDocument(page.text, self._vocabulary)
        forms: dict[tuple[int, SearchForm], None] = {}
        for mask in sorted(page.masks, key=_span):
            string = document.string(mask)
            if string is not None:
                number = numbers.setdefault(string.key, len(numbers))
                forms[number, string.form] = None
                hidden.spans.setdefault(number, []).append(_span(mask))
                hidden.texts.setdefault(number, " ".join(page.text[mask.start : mask.end][:_CHARACTERS].split()))
        for number, form in forms:
            for hit in page.release.hits(form):
                if page.counts(hit, form, hidden.spans[number]):
                    locations = hidden.here.setdefault(number, [])
                    locations += page.locate(hit)
                    if len(locations) >= _PLACES:
                        break
        return set(forms)


def _span(mask: Mask) -> tuple[int, int]:
    return mask.start, mask.end


def _list_evidence(
    of: _HiddenStrings, anywhere: dict[int, tuple[int, int, int]], ids: Sequence[str]
) -> list[dict[str, Any]]:
    """What a reader is shown of a document: its uneven strings, those that can be read in it first."""
    elsewhere = [number for number in of.spans if number in anywhere and number not in of.here]
    entries = []
    for number in [*of.here, *elsewhere][:_STRINGS]:
        locations = [] if number in of.here else [(ids[anywhere[number][0]], *anywhere[number][1:])]
        entries.append({
            "text": of.texts[number],
            "masked": sorted(set(of.spans[number]))[:_PLACES],
            "readable": sorted(set(of.here.get(number, [])))[:_PLACES],
            "elsewhere": locations,
        })  # fmt: skip
    return entries
