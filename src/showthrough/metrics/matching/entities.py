"""The entities of a chunk that have to be masked, looked for in what is released of each document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.errors import shorten
from showthrough.data.layout.gold import DIRECT
from showthrough.data.masks import Mask, flatten_masks
from showthrough.data.reading_form import reading_form
from showthrough.data.references import REFERENCES
from showthrough.metrics.chunk import Anonymized, Chunk, HidingRule
from showthrough.metrics.matching._dates import lost_its_day
from showthrough.metrics.matching.forms import LONGEST, TITLE_FORMS, SearchForm, Vocabulary, form_of, vocabulary_of
from showthrough.metrics.matching.search import Hit, Release, releases_of
from showthrough.metrics.released_text import ReleasedText
from showthrough.models.lexicon import ALWAYS, DEFAULT_LEXICON

# How an entity can be read, the plainest way first; 0 is not at all.
WAYS = ("marked", "elsewhere", "otherwise", "encoded")
NEARLY, GENERALIZED, CHANCE, LEFT = "nearly", "generalized", "chance", "left"  # parts, and columns of ways
_MOST_LOCATIONS, _MOST_HITS = 4, 20  # places of one identifier that are kept, and words that are looked at for them
_MOST_MARKS = 5  # of an identifier that evidence tells
_SURROGATE = 60  # characters of a replacement that names somebody else
_AROUND = 3  # characters by which a mask may be wider than the mention that it hides
PlaceOf = tuple[bool, dict[str, Any]]  # whether it is of a direct identifier, and what is shown of it


class HowRead(NamedTuple):
    """What parameters say about how entities are read."""

    function_words: str = DEFAULT_LEXICON
    dictionary: str = "wordfreq:en"
    share: float = 1.0  # of documents that are looked at, by a digest of their ids

    def looks_at(self, document_id: str) -> bool:
        return self.share >= 1 or int.from_bytes(_digest(document_id)) < self.share * 2**64


class Book:
    """All forms of one document, by what a first look at a release tells: its words and its dates."""

    def __init__(self, sought: list[SearchTarget]) -> None:
        self.sought = sought
        self.near = [sought_form for sought_form in sought if sought_form.form.may_be_near]
        self.near_names = [sought_form for sought_form in self.near if sought_form.form.kind != "date"]
        self._always: list[int] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_day: dict[date, list[int]] = {}
        for number, sought_form in enumerate(sought):
            keys = sought_form.form.keys
            if sought_form.form.dates:
                for day in sought_form.form.dates:
                    self._by_day.setdefault(day, []).append(number)
            elif keys is None:
                self._always.append(number)
            else:
                for word in keys:
                    self._by_word.setdefault(word, []).append(number)
        self._words, self._days = frozenset(self._by_word), frozenset(self._by_day)

    def candidates(self, release: Release) -> list[SearchTarget]:
        """The forms of which a release may have one, in their order."""
        numbers = {number for number in self._always if not release.lacks(self.sought[number].form)}
        for word in self._words & release.reading.words:
            numbers.update(self._by_word[word])
        if self._days:
            for day in self._days.intersection(release.readable_dates):
                numbers.update(self._by_day[day])
        return [self.sought[number] for number in sorted(numbers)]


@dataclass
class SearchTarget:
    """One form in one document, and the entities that it belongs to."""

    form: SearchForm
    text: str
    entities: list[int]


class EntitySearch:
    """The entities of a chunk that have to be masked, as forms, document by document."""

    def __init__(self, chunk: Chunk, how: HowRead, *, briefly: bool = False) -> None:
        self.chunk = chunk
        self._briefly = briefly  # direct identifiers alone, and nothing beside them
        self._dictionary = how.dictionary
        self.vocabulary: Vocabulary = vocabulary_of(how.dictionary)
        gold = self.gold = chunk.axis.gold
        self.hiding = HidingRule(how.function_words)
        self.span_index = chunk.span_index(self.hiding)
        masked = gold.level > 0
        if briefly:
            documents = chunk.axis.documents
            looked = np.fromiter((how.looks_at(document.id) for document in documents), bool, len(documents))
            masked = masked & (gold.entity_level[gold.entity] == DIRECT) & looked[gold.entity_document[gold.entity]]
        self.asked = np.flatnonzero(masked)  # mentions that have to be masked
        self.mentions = self.span_index.mentions[self.asked]
        self.entity: Ints = gold.entity[self.asked]
        self.books: list[Book] = []
        self.dates: dict[int, SearchForm] = {}  # mentions that are complete dates, by their place among those asked
        self._words: list[tuple[int, int, int]] = []  # words of names that a list takes for function words
        self._collect()

    def _collect(self) -> None:
        gold, axis, vocabulary = self.gold, self.chunk.axis, self.vocabulary
        types = gold.types
        by_document: list[dict[tuple[str, str, bool], SearchTarget]] = [{} for _ in axis.documents]
        document = gold.entity_document[self.entity].tolist()
        direct = (gold.entity_level[self.entity] == DIRECT).tolist()
        type_numbers = gold.entity_type[self.entity].tolist()
        start, end = gold.start[self.asked].tolist(), gold.end[self.asked].tolist()
        text = axis.text
        forms: dict[tuple[str, str, bool], SearchForm] = {}  # names, towns and dates come again
        rows = zip(self.entity.tolist(), document, direct, type_numbers, start, end, strict=True)
        for number, (entity, document_index, is_direct, type_number, low, high) in enumerate(rows):
            marked = text[low : min(high, low + LONGEST + 1)]  # what is longer is no identifier, and not held
            key = (marked, types[type_number], is_direct)
            form = forms.get(key)
            if form is None:
                form = forms[key] = form_of(*key, vocabulary)
            if form.dates and not is_direct:
                self.dates[number] = form
            if is_direct or form.kind == "person":
                self._note_words(marked, low, entity, form.kind == "person")
            if form.is_searchable:
                entry = by_document[document_index].get(key)
                if entry is None:
                    by_document[document_index][key] = SearchTarget(form, marked, [entity])
                elif entry.entities[-1] != entity:
                    entry.entities.append(entity)
        self.books = [Book(list(entries.values())) for entries in by_document]

    def _note_words(self, marked: str, shift: int, entity: int, person: bool) -> None:
        """Words of names and direct identifiers with a capital are not free, whatever a list takes them for (`No`)."""
        if not any(map(str.isupper, marked)):
            return
        numbered = any(map(str.isdigit, marked))
        for word, start, end in _capitals(marked):
            low = word.lower()
            if low in TITLE_FORMS or (numbered and low in ALWAYS) or (not person and low in _ARTICLES):
                continue
            if low in self._free:
                self._words.append((shift + start, shift + end, entity))

    @cached_property
    def _free(self) -> frozenset[str]:
        return self.vocabulary.function | ALWAYS

    @cached_property
    def own(self) -> _MarkedSpans:
        """Where each entity was marked, in its document."""
        gold = self.gold
        shift = self.chunk.axis.bounds[gold.entity_document[gold.entity]]
        return _MarkedSpans(gold.entity, gold.start - shift, gold.end - shift)

    @cached_property
    def by_document(self) -> list[list[int]]:
        """The entities of each document, all of them."""
        entities: list[list[int]] = [[] for _ in self.chunk.axis.documents]
        for entity, document_index in enumerate(self.gold.entity_document.tolist()):
            entities[document_index].append(entity)
        return entities

    @cached_property
    def spared_spans(self) -> dict[int, list[tuple[int, int]]]:
        """By layer, what its annotator marked and does not ask for: NO_MASK and MAY_MASK, in their document."""
        gold = self.gold
        spans_by_layer: dict[int, list[tuple[int, int]]] = {}
        free = np.flatnonzero(gold.level <= 0)
        layers = gold.layer[free]
        shift = self.chunk.axis.bounds[gold.layers.document[layers]]
        spans = zip((gold.start[free] - shift).tolist(), (gold.end[free] - shift).tolist(), strict=True)
        for layer, span in zip(layers.tolist(), spans, strict=True):
            spans_by_layer.setdefault(layer, []).append(span)
        return spans_by_layer

    @cached_property
    def layer(self) -> Ints:
        """The layer of each entity."""
        layer = np.zeros(len(self.gold.entity_level), dtype=np.int64)
        layer[self.gold.entity] = self.gold.layer
        return layer

    def find_readable(self, anonymized: Anonymized) -> Readable:
        """What can be read of all entities in what an anonymization releases."""
        gold, coverage = self.gold, anonymized.coverage
        covered = coverage.is_covered(self.mentions, self.span_index, "read")
        entities = len(gold.entity_level)
        exposed = np.zeros(entities, dtype=bool)
        if self._words:
            start, end, named = (np.array(column, dtype=np.int64) for column in zip(*self._words, strict=True))
            exposed[named[coverage.hidden_before[end] - coverage.hidden_before[start] < end - start]] = True
        generalized = np.zeros(len(covered), dtype=bool)
        masks_of = _FlatMasks(coverage.of_documents)
        dated_mentions = np.fromiter(self.dates, np.int64, len(self.dates))
        for number in dated_mentions[~covered[dated_mentions]].tolist():
            generalized[number] = self._lost_its_day(number, masks_of)
        slips = np.bincount(self.entity, ~covered, minlength=entities) > 0
        dated = slips & (np.bincount(self.entity, ~covered & ~generalized, minlength=entities) == 0)
        ways = np.where((slips & ~dated) | exposed, 1, 0)
        strict = np.where(slips | exposed, 1, 0)
        readable, strictly = ways.tolist(), strict.tolist()
        nearly = np.zeros(entities, dtype=bool)
        evidence: dict[str, list[PlaceOf]] = {}
        showing = anonymized.name not in REFERENCES and not self._briefly
        doubtful = np.zeros(len(self.books), dtype=bool)  # documents with an entity that is not left where marked
        doubtful[gold.entity_document[self.entity[ways[self.entity] != 1]]] = True
        for document_index, release in releases_of(anonymized, self._dictionary, np.flatnonzero(doubtful).tolist()):
            book = self.books[document_index]
            released = _LazyRelease(
                self.chunk.axis.documents[document_index].text, coverage.of_documents[document_index]
            )
            hits: list[tuple[SearchTarget, Hit | None, str]] = []
            excused = set[int]()  # entities that stand there and do not count: they are not nearly readable either
            for sought in book.candidates(release):
                open_entities = [entity for entity in sought.entities if readable[entity] != 1]
                hit, counting = (
                    self._first_hit(sought, release, open_entities, document_index, released)
                    if open_entities
                    else (None, [])
                )
                if hit is not None:
                    way = _way(hit, sought, release)
                    for entity in counting:
                        readable[entity] = min(way, readable[entity] or way)
                        strictly[entity] = strictly[entity] or way
                    hits.append((sought, hit, WAYS[way - 1]))
                elif open_entities and release.reads(sought.form):
                    excused.update(open_entities)
            for sought, unread in () if self._briefly else _unread(_near(book, release), readable, excused):
                if near := release.nearly(sought.form):
                    nearly[unread] = True
                    hits.append((sought, None, near))
            if hits and showing:
                evidence[self.chunk.axis.documents[document_index].id] = _evidence_rows(
                    hits, release, released.value, self, document_index
                )
        ways, strict = np.array(readable, dtype=np.int64), np.array(strictly, dtype=np.int64)
        return Readable(ways, strict, nearly & (ways == 0), dated & (ways == 0), evidence)

    def by_chance(self, anonymized: Anonymized, other_documents: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
        """Of every entity, in how many other documents' releases it can be read, and how many were looked into."""
        document_indices = sorted({index for indices in other_documents for index in indices})
        releases = dict(releases_of(anonymized, self._dictionary, document_indices))
        entities = len(self.gold.entity_level)
        readable, looked = np.zeros(entities, dtype=np.int64), np.zeros(entities, dtype=np.int64)
        for document_index, strangers in enumerate(other_documents):
            for stranger in map(releases.__getitem__, strangers):
                entities_read = {
                    entity
                    for sought in self.books[document_index].candidates(stranger)
                    if stranger.reads(sought.form)
                    for entity in sought.entities
                }
                readable[list(entities_read)] += 1
                looked[self.by_document[document_index]] += 1
        return readable, looked

    @cached_property
    def _mention_spans(self) -> list[tuple[int, int, int]]:
        """The document of each mention that is asked, and where it stands there."""
        document_index = self.gold.entity_document[self.entity]
        shift = self.chunk.axis.bounds[document_index]
        start, end = self.gold.start[self.asked] - shift, self.gold.end[self.asked] - shift
        return [*zip(document_index.tolist(), start.tolist(), end.tolist(), strict=True)]

    def _lost_its_day(self, number: int, masks_of: _FlatMasks) -> bool:
        """Whether nobody can read the day of a date any more where it was marked, but month or year."""
        document_index, start, end = self._mention_spans[number]
        text = self.chunk.axis.documents[document_index].text
        masks, ends = masks_of[document_index]
        pieces, position = [], start
        for index in range(bisect_right(ends, start), len(masks)):
            mask = masks[index]
            if mask.start >= end:
                break
            pieces += [text[position : max(position, mask.start)], mask.replacement or ""]
            position = mask.end
        pieces.append(text[position:end])
        return lost_its_day("".join(pieces), self.dates[number].dates)

    def _first_hit(
        self, sought: SearchTarget, release: Release, entities: list[int], document_index: int, released: _LazyRelease
    ) -> tuple[Hit | None, list[int]]:
        """The first place that counts, and the entities for which it does."""
        first: Hit | None = None
        counting: list[int] = []
        open_entities = list(entities)
        for hit in release.hits(sought.form):
            if hit.view is not release.reading.plain:
                return first or hit, counting + open_entities
            remaining = []
            for entity in open_entities:
                quasi = self.gold.entity_level[entity] != DIRECT
                if not hit.single and not (quasi and self.layer[entity] in self.spared_spans):
                    counting.append(entity)
                    continue
                if self._is_excused(hit, release, entity, bool(quasi), released.value, document_index):
                    remaining.append(entity)
                else:
                    counting.append(entity)
            if counting and first is None:
                first = hit
            if not remaining:
                break
            open_entities = remaining
        return first, counting

    def more_hits(
        self,
        first: Hit,
        sought: SearchTarget,
        release: Release,
        entity: int,
        released: ReleasedText,
        document_index: int,
    ) -> Iterator[Hit]:
        """Other places that count for an entity, for a reader."""
        quasi = bool(self.gold.entity_level[entity] != DIRECT)
        for hit in islice(release.hits(sought.form), _MOST_HITS):
            is_other = hit.view is release.reading.plain and hit != first
            if is_other and not self._is_excused(hit, release, entity, quasi, released, document_index):
                yield hit

    def _is_excused(
        self, hit: Hit, release: Release, entity: int, quasi: bool, released: ReleasedText, document_index: int
    ) -> bool:
        """Whether a place does not count: its annotator left it on purpose, or it is another entity's surrogate."""
        if released.text != release.reading.text:  # a text that was handed in whole
            return False
        start, end = release.reading.span(hit.start, hit.end)
        low, high = released.original(start, end)
        if quasi and any(
            left <= low and high <= right for left, right in self.spared_spans.get(int(self.layer[entity]), ())
        ):
            return True
        mask = released.mask_at(start, end)
        if not hit.single or mask is None or len(mask.replacement or "") > _SURROGATE:
            return False
        if any(mask.start < right and left < mask.end for left, right in self.own[entity]):
            return False
        hidden = reading_form(released.original_text[mask.start : mask.end]).split()
        if release.reading.form[hit.start : hit.end] in hidden:  # nobody's surrogate: it is what was masked
            return False
        return any(
            left - _AROUND <= mask.start and mask.end <= right + _AROUND
            for other in self.by_document[document_index]
            if other != entity
            for left, right in self.own[other]
        )


def _near(book: Book, release: Release) -> list[SearchTarget]:
    """The forms that may nearly be there: dates only before mask characters."""
    return book.near if release.tails else book.near_names


def _unread(
    near: Iterable[SearchTarget], readable: Sequence[int], excused: set[int]
) -> Iterator[tuple[SearchTarget, list[int]]]:
    """Forms with those of their entities that nobody was seen to read."""
    for sought in near:
        if unread := [entity for entity in sought.entities if not readable[entity] and entity not in excused]:
            yield sought, unread


class _LazyRelease:
    """A released text with what stood in the original, found out once and only where somebody asks."""

    def __init__(self, text: str, masks: Sequence[Mask]) -> None:
        self._text, self._masks = text, masks

    @cached_property
    def value(self) -> ReleasedText:
        return ReleasedText.of(self._text, self._masks)


class _FlatMasks(dict[int, tuple[list[Mask], list[int]]]):
    """The masks of each document, ascending and joined where they overlap, and their ends; found when asked for."""

    def __init__(self, masks: Sequence[Sequence[Mask]]) -> None:
        self._masks = masks

    def __missing__(self, document_index: int) -> tuple[list[Mask], list[int]]:
        flat = flatten_masks(self._masks[document_index])
        self[document_index] = flat, [mask.end for mask in flat]
        return self[document_index]


class _MarkedSpans(dict[int, list[tuple[int, int]]]):
    """Where each entity was marked; found when somebody asks, which is about few of them."""

    def __init__(self, entity: Ints, start: Ints, end: Ints) -> None:
        self._order = np.argsort(entity, kind="stable")
        self._sorted, self._start, self._end = entity[self._order], start, end

    def __missing__(self, entity: int) -> list[tuple[int, int]]:
        low, high = np.searchsorted(self._sorted, [entity, entity + 1])
        indices = self._order[low:high]
        self[entity] = [*zip(self._start[indices].tolist(), self._end[indices].tolist(), strict=True)]
        return self[entity]


_ARTICLES = frozenset({"the", "a", "an"})


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _capitals(text: str) -> Iterator[tuple[str, int, int]]:
    """Words with a capital, and where they stand."""
    position = 0
    for word in text.replace("-", " ").split():
        start = text.index(word, position)
        position = start + len(word)
        bare = word.strip(".,;:()[]'\"")
        if bare and bare[0].isupper():
            begin = start + word.index(bare)
            yield bare, begin, begin + len(bare)


def _way(hit: Hit, sought: SearchTarget, release: Release) -> int:
    """How an entity is written where it was found: as in the original, in another way, or encoded."""
    if hit.how == "encoded":
        return 4
    if hit.how == "otherwise":
        return 3
    start, end = release.reading.span(hit.start, hit.end)
    written = " ".join(release.reading.text[start:end].casefold().split())
    return 2 if written in " ".join(sought.text.casefold().split()) else 3


def _evidence_rows(
    sightings: Sequence[tuple[SearchTarget, Hit | None, str]],
    release: Release,
    released: ReleasedText,
    search: EntitySearch,
    document_index: int,
) -> list[PlaceOf]:
    """Where identifiers of a document can be read, for a reader."""
    text, gold = release.reading.text, search.gold
    evidence: list[PlaceOf] = []
    for sought, hit, how in sightings:
        entity = sought.entities[0]
        direct = bool(gold.entity_level[entity] == DIRECT)
        hits = [] if hit is None else [hit, *search.more_hits(hit, sought, release, entity, released, document_index)]
        spots = _join_adjacent(
            [release.reading.span(*span_hit[1:3]) for span_hit in hits if span_hit.view is release.reading.plain], text
        )
        for start, end in spots[:_MOST_LOCATIONS] or [(0, 0)]:
            written = text[start:end] if end else how if hit is None else hit.view.cased[hit.start : hit.end]
            evidence.append((direct, {
                "entity_type": gold.types[int(gold.entity_type[entity])],
                "start": start,
                "end": end,
                "line": text.count("\n", 0, start) + 1,
                "original": released.original(start, end) if end and released.text == text else (0, 0),
                "text": shorten(written),
                "how": NEARLY if hit is None else how,
                "marked": search.own[entity][:_MOST_MARKS],
            }))  # fmt: skip
    return evidence


def _join_adjacent(spans: Iterable[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Spans in order, with words that stand beside each other joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and not text[joined[-1][1] : start].strip(" .-,"):
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


class Readable(NamedTuple):
    """Of every entity of a chunk: how it can be read (0: not at all), and what is counted beside it."""

    ways: Ints
    strict: Ints  # the same where a date that kept its month is left
    nearly: Bools
    generalized: Bools
    evidence: dict[str, list[PlaceOf]]


def readable_elsewhere(anonymized: Anonymized, how: HowRead) -> Floats:
    """Of each document, how many direct identifiers are hidden where they were marked and can be read all the same."""
    chunk = anonymized.chunk
    search = chunk.once(("removal", how, "briefly"), lambda: EntitySearch(chunk, how, briefly=True))
    readable = search.find_readable(anonymized).ways > WAYS.index("marked") + 1
    return chunk.axis.by_document(search.gold.entity_document, readable)
