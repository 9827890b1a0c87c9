"""Privacy of the release: which identifiers nobody can read in it any more, wherever they stand and however written."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from showthrough.axis.gold import DIRECT
from showthrough.axis.spans import Bools, Ints
from showthrough.data.kinds import VERSION
from showthrough.data.labels import Labels
from showthrough.data.masks import Mask, flattened
from showthrough.data.references import REFERENCES
from showthrough.errors import shown
from showthrough.metrics.base import HEADLINE, Array, Metric, Role, Rows, Totals, ratio
from showthrough.metrics.chunk import Anonymized, Chunk, Hiding
from showthrough.metrics.masking import DEFAULT_LEXICON
from showthrough.metrics.released import Released
from showthrough.metrics.removal.dates import lost_its_day
from showthrough.metrics.removal.forms import TITLE_FORMS, Form, Vocabulary, form_of, vocabulary_of
from showthrough.metrics.removal.search import Hit, Release, releases_of
from showthrough.resources import function_word_models, function_words_from
from showthrough.resources.lexicon import ALWAYS
from showthrough.tables.calls import parameter

Identifier = Literal["direct", "quasi", "all"]
_LEVELS: dict[Identifier, tuple[str, ...]] = {"direct": ("direct",), "quasi": ("quasi",), "all": ("direct", "quasi")}
_ROLES: dict[Identifier, tuple[Role, ...]] = {
    "direct": ("direct identifiers",), "quasi": ("quasi-identifiers",), "all": (),
}  # fmt: skip
_TITLES: dict[Identifier, str] = {
    "direct": "Direct identifiers removed", "quasi": "Quasi-identifiers removed", "all": "Identifiers removed",
}  # fmt: skip
NEARLY, GENERALIZED, CHANCE, LEFT = "nearly", "generalized", "chance", "left"
# How an entity can be read, the plainest way first; 0 is not at all.
WAYS = ("marked", "elsewhere", "otherwise", "encoded")
_MOST_PLACES = 20  # of a document that are kept as evidence
_SURROGATE = 60  # characters of a replacement that names somebody else
_AROUND = 3  # characters by which a mask may be wider than the mention that it hides
_DICTIONARY = "ordinary words, in small letters: wordfreq:LANGUAGE, or a file of them"
_FUNCTION_WORDS = "what need not be masked where it was marked: a word list that ships, spacy:PIPELINE, or none"
_GENERALIZED = "a quasi-identifying date that lost its day and kept month or year: removed, or left"


_Place = tuple[bool, dict[str, Any]]  # whether it is of a direct identifier, and what is shown of it


class HowRead(NamedTuple):
    """What parameters say about how entities are read."""

    function_words: str = DEFAULT_LEXICON
    dictionary: str = "wordfreq:en"
    share: float = 1.0  # of documents that are looked at, by a digest of their ids

    def looks_at(self, document_id: str) -> bool:
        return self.share >= 1 or int.from_bytes(_digest(document_id)) < self.share * 2**64


@dataclass
class _Sought:
    """One form in one document, and the entities that it belongs to."""

    form: Form
    text: str
    entities: list[int] = field(default_factory=list)


class _Search:
    """The entities of a chunk that have to be masked, as forms, document by document."""

    def __init__(self, chunk: Chunk, how: HowRead, *, briefly: bool = False) -> None:
        self.chunk = chunk
        self._briefly = briefly  # direct identifiers alone, and nothing beside them
        self.vocabulary: Vocabulary = vocabulary_of(how.dictionary)
        self._dictionary = how.dictionary
        axis, gold = chunk.axis, chunk.axis.gold
        self.gold = gold
        self.hiding = Hiding(how.function_words)
        self.ruler = chunk.ruler(self.hiding)
        masked = gold.level > 0
        if briefly:
            looked = np.fromiter((how.looks_at(document.id) for document in axis.documents), bool, len(axis.documents))
            masked = masked & (gold.entity_level[gold.entity] == DIRECT) & looked[gold.entity_document[gold.entity]]
        self.asked = np.flatnonzero(masked)  # mentions that have to be masked
        self.mentions = self.ruler.mentions[self.asked]
        self.entity: Ints = gold.entity[self.asked]
        self.sought: list[list[_Sought]] = [[] for _ in axis.documents]
        self.dates: dict[int, Form] = {}  # mentions that are complete dates, by their place among those asked
        self._words: list[tuple[int, int, int]] = []  # words of names that a list takes for function words
        self._collect()

    def _collect(self) -> None:
        gold, axis, vocabulary = self.gold, self.chunk.axis, self.vocabulary
        types = gold.types
        forms: dict[tuple[str, str, bool], Form] = {}
        here: list[dict[tuple[str, str, bool], _Sought]] = [{} for _ in axis.documents]
        document = gold.entity_document[self.entity].tolist()
        direct = (gold.entity_level[self.entity] == DIRECT).tolist()
        kind = gold.entity_type[self.entity].tolist()
        start, end = gold.start[self.asked].tolist(), gold.end[self.asked].tolist()
        text = axis.text
        rows = zip(self.entity.tolist(), document, direct, kind, start, end, strict=True)
        for number, (entity, place, is_direct, kind_number, low, high) in enumerate(rows):
            marked = text[low:high]
            key = (marked, types[kind_number], is_direct)
            form = forms.get(key)
            if form is None:
                form = forms[key] = form_of(*key, vocabulary)
            if form.dates and not is_direct:
                self.dates[number] = form
            if is_direct or form.kind == "person":
                self._note_words(marked, low, entity, form.kind == "person")
            if form.sought:
                found = here[place].setdefault(key, _Sought(form, marked))
                if not found.entities or found.entities[-1] != entity:
                    found.entities.append(entity)
        self.sought = [list(each.values()) for each in here]

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
    def own(self) -> dict[int, list[tuple[int, int]]]:
        """Where each entity was marked, in its document."""
        found: dict[int, list[tuple[int, int]]] = {}
        shift = self.chunk.axis.bounds[self.gold.entity_document[self.gold.entity]]
        spans = zip((self.gold.start - shift).tolist(), (self.gold.end - shift).tolist(), strict=True)
        for entity, span in zip(self.gold.entity.tolist(), spans, strict=True):
            found.setdefault(entity, []).append(span)
        return found

    @cached_property
    def by_document(self) -> list[list[int]]:
        """The entities of each document, all of them."""
        found: list[list[int]] = [[] for _ in self.chunk.axis.documents]
        for entity, place in enumerate(self.gold.entity_document.tolist()):
            found[place].append(entity)
        return found

    @cached_property
    def spared(self) -> dict[int, list[tuple[int, int]]]:
        """By layer, what its annotator marked to be left: NO_MASK mentions, in their document."""
        gold = self.gold
        found: dict[int, list[tuple[int, int]]] = {}
        free = np.flatnonzero(gold.level == 0)
        layers = gold.layer[free]
        shift = self.chunk.axis.bounds[gold.layers.document[layers]]
        spans = zip((gold.start[free] - shift).tolist(), (gold.end[free] - shift).tolist(), strict=True)
        for layer, span in zip(layers.tolist(), spans, strict=True):
            found.setdefault(layer, []).append(span)
        return found

    @cached_property
    def layer(self) -> Ints:
        """The layer of each entity."""
        layer = np.zeros(len(self.gold.entity_level), dtype=np.int64)
        layer[self.gold.entity] = self.gold.layer
        return layer

    @cached_property
    def others(self) -> Ints:
        """Of each document another one, of another unit as far as this chunk can tell; -1 where there is none.

        A circle over the documents in the order of a digest of their ids: the order in the file does not matter.
        """
        documents = self.chunk.axis.documents
        order = sorted(range(len(documents)), key=lambda place: _digest(documents[place].id))
        texts = [_digest(" ".join(document.text.split())) for document in documents]
        other = np.full(len(documents), -1, dtype=np.int64)
        for place, number in enumerate(order):
            for step in range(1, min(len(order), _STEPS)):
                candidate = order[(place + step) % len(order)]
                group = documents[number].group
                if (
                    candidate != number
                    and texts[candidate] != texts[number]
                    and not (group and group == documents[candidate].group)
                ):
                    other[number] = candidate
                    break
        return other

    def found(self, anonymized: Anonymized) -> _Found:
        """What can be read of all entities in what an anonymization releases."""
        gold, coverage = self.gold, anonymized.coverage
        covered = coverage.covered(self.mentions, self.ruler, "read")
        entities = len(gold.entity_level)
        exposed = np.zeros(entities, dtype=bool)
        if self._words:
            start, end, named = (np.array(each, dtype=np.int64) for each in zip(*self._words, strict=True))
            exposed[named[coverage.hidden[end] - coverage.hidden[start] < end - start]] = True
        generalized = np.zeros(len(covered), dtype=bool)
        masks_of = _Flattened(coverage.of_documents)
        for number in [number for number in np.flatnonzero(~covered).tolist() if number in self.dates]:
            generalized[number] = self._lost_its_day(number, masks_of)
        slips = np.bincount(self.entity, ~covered, minlength=entities) > 0
        dated = slips & (np.bincount(self.entity, ~covered & ~generalized, minlength=entities) == 0)
        ways = np.where((slips & ~dated) | exposed, 1, 0)
        strict = np.where(slips | exposed, 1, 0)
        releases = releases_of(anonymized, self._dictionary)
        nearly = np.zeros(entities, dtype=bool)
        by_chance = np.zeros(entities, dtype=bool)
        asked_by_chance = np.zeros(entities, dtype=bool)
        evidence: dict[str, list[_Place]] = {}
        showing = anonymized.name not in REFERENCES and not self._briefly
        for place, release in enumerate(releases):
            seen: list[tuple[_Sought, Hit | None, str]] = []
            for sought in self.sought[place]:
                wanted = [entity for entity in sought.entities if ways[entity] != 1]
                if not wanted:
                    continue
                hit: Hit | None = None
                if not release.lacks(sought.form):
                    hit, counting = self._first_hit(sought, release, wanted, place, coverage.of_documents[place])
                if hit is not None:
                    way = _way(hit, sought, release)
                    for entity in counting:
                        ways[entity] = min(way, int(ways[entity]) or way)
                        strict[entity] = int(strict[entity]) or way
                    seen.append((sought, hit, WAYS[way - 1]))
                elif not self._briefly and (near := release.nearly(sought.form)):
                    nearly[wanted] = True
                    seen.append((sought, None, near))
            if seen and showing:
                masks = coverage.of_documents[place]
                evidence[self.chunk.axis.documents[place].id] = _places(seen, release, masks, self, place)
            other = -1 if self._briefly else int(self.others[place])
            if other >= 0:
                stranger = releases[other]
                for sought in self.sought[place]:
                    if not stranger.lacks(sought.form) and stranger.reads(sought.form):
                        by_chance[sought.entities] = True
                asked_by_chance[self.by_document[place]] = True
        return _Found(ways, strict, nearly & (ways == 0), dated & (ways == 0), by_chance, asked_by_chance, evidence)

    def _lost_its_day(self, number: int, masks_of: Mapping[int, Sequence[Mask]]) -> bool:
        """Whether nobody can read the day of a date any more where it was marked, but month or year."""
        mention = int(self.asked[number])
        place = int(self.gold.entity_document[self.gold.entity[mention]])
        shift = int(self.chunk.axis.bounds[place])
        start, end = int(self.gold.start[mention]) - shift, int(self.gold.end[mention]) - shift
        text = self.chunk.axis.documents[place].text
        masks = masks_of[place]
        left, position = [], start
        for mask in masks[bisect_right(masks, start, key=_end) :]:
            if mask.start >= end:
                break
            left += [text[position : max(position, mask.start)], mask.replacement or ""]
            position = mask.end
        left.append(text[position:end])
        return lost_its_day("".join(left), self.dates[number].dates)

    def _first_hit(
        self, sought: _Sought, release: Release, entities: list[int], place: int, masks: Sequence[Mask]
    ) -> tuple[Hit | None, list[int]]:
        """The first place that counts, and the entities for which it does."""
        first: Hit | None = None
        counting: list[int] = []
        released: Released | None = None
        open_entities = list(entities)
        for hit in release.hits(sought.form):
            if hit.view is not release.reading.plain:
                return first or hit, counting + open_entities
            still = []
            for entity in open_entities:
                quasi = self.gold.entity_level[entity] != DIRECT
                if not hit.single and not (quasi and self.layer[entity] in self.spared):
                    counting.append(entity)
                    continue
                released = released or Released.of(self.chunk.axis.documents[place].text, masks)
                if self._is_excused(hit, release, entity, bool(quasi), released, place):
                    still.append(entity)
                else:
                    counting.append(entity)
            if counting and first is None:
                first = hit
            if not still:
                break
            open_entities = still
        return first, counting

    def _is_excused(self, hit: Hit, release: Release, entity: int, quasi: bool, released: Released, place: int) -> bool:
        """Whether a place does not count: its annotator left it on purpose, or it is another entity's surrogate."""
        if released.text != release.reading.text:  # a text that was handed in whole
            return False
        start, end = release.reading.span(hit.start, hit.end)
        low, high = released.original(start, end)
        if quasi and any(left <= low and high <= right for left, right in self.spared.get(int(self.layer[entity]), ())):
            return True
        mask = released.mask_at(start, end)
        if not hit.single or mask is None or len(mask.replacement or "") > _SURROGATE:
            return False
        if any(mask.start < right and left < mask.end for left, right in self.own[entity]):
            return False
        return any(
            left - _AROUND <= mask.start and mask.end <= right + _AROUND
            for other in self.by_document[place]
            if other != entity
            for left, right in self.own[other]
        )


class _Flattened(dict[int, list[Mask]]):
    """The masks of each document in ascending order, joined where they overlap; found when they are asked for."""

    def __init__(self, masks: Sequence[Sequence[Mask]]) -> None:
        self._masks = masks

    def __missing__(self, place: int) -> list[Mask]:
        flat = self[place] = flattened(self._masks[place])
        return flat


def _end(mask: Mask) -> int:
    return mask.end


_ARTICLES = frozenset({"the", "a", "an"})
_STEPS = 20  # documents that are tried as another one


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


def _way(hit: Hit, sought: _Sought, release: Release) -> int:
    """How an entity is written where it was found: as in the original, in another way, or encoded."""
    if hit.how == "encoded":
        return 4
    if hit.how == "otherwise":
        return 3
    start, end = release.reading.span(hit.start, hit.end)
    written = " ".join(release.reading.text[start:end].casefold().split())
    return 2 if written in " ".join(sought.text.casefold().split()) else 3


def _places(
    seen: Sequence[tuple[_Sought, Hit | None, str]],
    release: Release,
    masks: Sequence[Mask],
    search: _Search,
    place: int,
) -> list[_Place]:
    """Where identifiers of a document can be read, for a reader."""
    released = Released.of(search.chunk.axis.documents[place].text, masks)
    text, gold = release.reading.text, search.gold
    found: list[_Place] = []
    for sought, hit, how in seen:
        entity = sought.entities[0]
        start = end = 0
        if hit is not None and hit.view is release.reading.plain:
            start, end = release.reading.span(hit.start, hit.end)
        written = text[start:end] if end else how if hit is None else hit.view.cased[hit.start : hit.end]
        found.append((bool(gold.entity_level[entity] == DIRECT), {
            "entity_type": gold.types[int(gold.entity_type[entity])],
            "start": start,
            "end": end,
            "line": text.count("\n", 0, start) + 1,
            "original": released.original(start, end) if end and released.text == text else (0, 0),
            "text": shown(written),
            "how": NEARLY if hit is None else how,
        }))  # fmt: skip
    return found


class _Found(NamedTuple):
    """Of every entity of a chunk: how it can be read (0: not at all), and what is counted beside it."""

    ways: Ints
    strict: Ints  # the same where a date that kept its month is left
    nearly: Bools
    generalized: Bools
    by_chance: Bools
    asked_by_chance: Bools
    evidence: dict[str, list[_Place]]


def readable_elsewhere(anonymized: Anonymized, how: HowRead) -> Array:
    """Of each document, how many direct identifiers are hidden where they were marked and can be read all the same."""
    chunk = anonymized.chunk
    search = chunk.once(("removal", how, "briefly"), lambda: _Search(chunk, how, briefly=True))
    readable = search.found(anonymized).ways > WAYS.index("marked") + 1
    return chunk.axis.by_document(search.gold.entity_document, readable)


class ReadsRelease(Metric):
    """What metrics share that read the release."""

    needs = frozenset({"gold"})
    fixed = (("annotators", "micro"), ("kinds", str(VERSION)))
    group = "privacy"
    dictionaries: ClassVar[tuple[str, ...]] = ("dictionary",)

    generalized: Literal["removed", "left"]
    function_words: str
    dictionary: str

    def __post_init__(self) -> None:
        super().__post_init__()
        function_words_from(self.function_words)

    @property
    def models(self) -> dict[str, str]:
        return function_word_models(self.function_words)

    def search(self, chunk: Chunk) -> _Search:
        how = HowRead(self.function_words, self.dictionary)
        return chunk.once(("removal", how), lambda: _Search(chunk, how))

    def found(self, search: _Search, anonymized: Anonymized) -> _Found:
        key = ("removal", self.function_words, self.dictionary)
        return anonymized.once(key, lambda: search.found(anonymized))


@dataclass(frozen=True)
class Removed(ReadsRelease):
    """Share of identifying entities that nobody can read in the release, wherever they stand and however written.

    Entity recall asks whether marked places are covered. A release is a text, and people read all of it: an entity is
    removed when it is hidden wherever it was marked, and no form of it stands anywhere in the released text. Forms are
    looked for in reading form: accents, case, invisible characters, look-alike letters and encodings aside. Names count
    by each of their words, codes by their letters and digits, dates in any way of writing. Parts are the types, and as
    shares of all: `left:marked`, `left:elsewhere`, `left:otherwise` and `left:encoded` (how it can be read), `nearly`
    (not counted), `generalized`, and `chance` (readable in another document's release).

    removed = |{e : e is hidden where it was marked, and no form of e can be read in R(d)}| / |{e}|

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> doe = Annotation("a", (Mention(3, 11, "PERSON", "DIRECT"),))
    >>> corpus = Corpus([Document("d", "Mr John Doe left. J\u200bohn came back. See /home/doe.", (doe,))])
    >>> masks = {"first": Anonymization({"d": [Mask(3, 11)]}), "all": Anonymization({"d": [Mask(3, 49)]})}
    >>> run = evaluate(corpus, masks, metrics=["er_di", "removed_di"])
    >>> run["first", "er_di"].value, run["first", "removed_di"].value  # the mark is covered; John and doe are left
    (1.0, 0.0)
    >>> run["all", "removed_di"].value
    1.0
    """

    undefined: ClassVar[str] = "no annotator marked an entity of this kind"
    counts = (("removed", "right"), ("total", "all"))
    neutral = (LEFT, NEARLY, GENERALIZED, CHANCE)

    identifier: Identifier = parameter("all", "which entities count")
    generalized: Literal["removed", "left"] = parameter("removed", _GENERALIZED)
    function_words: str = parameter(DEFAULT_LEXICON, _FUNCTION_WORDS)
    dictionary: str = parameter("wordfreq:en", _DICTIONARY)

    @property
    def roles(self) -> tuple[Role, ...]:
        return _ROLES[self.identifier]

    @property
    def title(self) -> str:
        return _TITLES[self.identifier]

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        search = self.search(chunk)
        axis, gold = chunk.axis, chunk.axis.gold
        chosen = gold.entities(_LEVELS[self.identifier])
        document = gold.entity_document[chosen]
        total = axis.by_document(document)
        types, places = Labels(chunk.types).numbered(gold.types)
        kind = np.array(places, dtype=np.int64)[gold.entity_type[chosen]] if len(gold.types) else document
        used = np.unique(kind).tolist()

        def rows(anonymized: Anonymized) -> Rows:
            found = self.found(search, anonymized)
            ways = (found.ways if self.generalized == "removed" else found.strict)[chosen]
            removed = ways == 0
            columns: dict[str, Array] = {"removed": axis.by_document(document, removed), "total": total}
            for number in used:
                mine = kind == number
                columns[f"removed:{types[number]}"] = axis.by_document(document, removed & mine)
                columns[f"total:{types[number]}"] = axis.by_document(document, mine)
                if (mine & ~removed).any():  # no number is made of these; they tell which types leak
                    columns[f"leaked:{types[number]}"] = axis.by_document(document, ~removed & mine)
            for place, way in enumerate(WAYS, start=1):
                columns[f"{LEFT}:{way}"] = axis.by_document(document, ways == place)
            columns[NEARLY] = axis.by_document(document, found.nearly[chosen] & removed)
            columns[GENERALIZED] = axis.by_document(document, found.generalized[chosen])
            columns[CHANCE] = axis.by_document(document, found.by_chance[chosen])
            columns[f"{CHANCE}_asked"] = axis.by_document(document, found.asked_by_chance[chosen])
            return replace(Rows.named(columns), evidence=_shown(found.evidence, self.identifier))

        return rows

    def leaks(self, rows: Rows) -> Array:
        """How many entities of each document can still be read."""
        return rows.values[:, rows.columns.index("total")] - rows.values[:, rows.columns.index("removed")]

    def combine(self, totals: Totals) -> dict[str, Array]:
        whole = totals["total"]
        parts = {HEADLINE: ratio(totals["removed"], whole)}
        for column in sorted(column for column in totals if column.startswith("total:")):
            kind = column.removeprefix("total:")
            parts[kind] = ratio(totals[f"removed:{kind}"], totals[column])
        for way in WAYS:
            parts[f"{LEFT}:{way}"] = ratio(totals[f"{LEFT}:{way}"], whole)
        parts |= {part: ratio(totals[part], whole) for part in (NEARLY, GENERALIZED)}
        parts[CHANCE] = ratio(totals[CHANCE], totals[f"{CHANCE}_asked"])
        return parts


def _shown(evidence: Mapping[str, Sequence[_Place]], identifier: Identifier) -> dict[str, dict[str, Any]]:
    """The evidence on some identifiers, by document."""
    shown = {
        key: [place for direct, place in places if identifier in ("all", "direct" if direct else "quasi")]
        for key, places in evidence.items()
    }
    return {key: {"places": places[:_MOST_PLACES]} for key, places in shown.items() if places}


@dataclass(frozen=True)
class Clean(ReadsRelease):
    """Share of documents in whose release no direct identifier can be read.

    Of the documents that have a direct identifier, those in which every annotator's are all removed (`removed_di`). It
    is what a reviewer counts who goes through a release document by document.

    clean = |{d : every direct identifier of d is removed}| / |{d : d has a direct identifier}|

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> doe = Annotation("a", (Mention(3, 6, "PERSON", "DIRECT"),))
    >>> corpus = Corpus([Document("a", "Mr Doe left.", (doe,)), Document("b", "Mr Roe left. Roe!", (doe,))])
    >>> masks = {"first": Anonymization({"a": [Mask(3, 6)], "b": [Mask(3, 6)]})}
    >>> run = evaluate(corpus, masks, metrics=["er_di", "clean"])
    >>> run["first", "er_di"].value, run["first", "clean"].value  # Roe stands there again: 1 of 2 documents
    (1.0, 0.5)
    """

    title = "Documents without a readable direct identifier"
    undefined: ClassVar[str] = "no document has a direct identifier"
    counts = (("clean", "right"), ("documents", "all"))

    function_words: str = parameter(DEFAULT_LEXICON, _FUNCTION_WORDS)
    dictionary: str = parameter("wordfreq:en", _DICTIONARY)

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        removed = Removed("direct", "removed", self.function_words, self.dictionary)

        def rows(anonymized: Anonymized) -> Rows:
            counted = anonymized.rows(removed)
            total = counted.column("total")
            clean = (total > 0) & (removed.leaks(counted) == 0)
            return Rows.of(clean=clean, documents=total > 0)

        return rows

    def combine(self, totals: Totals) -> dict[str, Array]:
        return {HEADLINE: ratio(totals["clean"], totals["documents"])}
