"""Privacy and utility against annotations: what was to be masked, and what was (Pilán et al. 2022, section 6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, quote_value
from showthrough.data.labels import Labels
from showthrough.data.layout.characters import is_space
from showthrough.data.layout.coverage import Coverage, Replacements
from showthrough.data.layout.span_index import IndexRanges, Runs, SpanIndex
from showthrough.data.layout.spans import count_before
from showthrough.data.types import VERSION
from showthrough.families.masking.precision import OVERLAPS, UNIT, Overlaps, Precision
from showthrough.metrics.base import HEADLINE, Count, FunctionWordsMetric, Role, ratio
from showthrough.metrics.chunk import Anonymized, Chunk, FunctionWordMentions, HidingRule
from showthrough.models.lexicon import DEFAULT_LEXICON
from showthrough.statistics.rows import Rows, Totals

Unit = Literal["token", "character", "mention", "entity"]
Identifier = Literal["direct", "quasi", "all"]
LEVELS: dict[Identifier, tuple[str, ...]] = {"direct": ("direct",), "quasi": ("quasi",), "all": ("direct", "quasi")}
_ROLES: dict[Identifier, tuple[Role, ...]] = {
    "direct": ("direct identifiers",), "quasi": ("quasi-identifiers",), "all": (),
}  # fmt: skip
_TITLES: dict[Identifier, str] = {
    "direct": "Direct identifiers hidden where marked",
    "quasi": "Indirect identifiers hidden where marked",
    "all": "Identifiers hidden where marked",
}  # fmt: skip
_SUMMARIES: dict[Identifier, str] = {
    "direct": "Share of direct identifiers that are covered at every place where annotators marked them.",
    "quasi": "Share of indirect identifiers, such as places and dates, whose every mark is covered.",
    "all": "Share of all identifiers, direct and quasi, whose every mark is covered.",
}
_LARGEST_BETA = 1_000_000  # F is recall by then

# What parameters say that several metrics have.
_INCLUDE = "which identifiers count: direct, quasi or direct,quasi"
_RECALL_INCLUDE = f"{_INCLUDE}; or confidential: mentions with a confidential status, also if they need no mask"
CONFIDENTIAL = "confidential"
_IGNORABLE = "elements made of function words alone: free counts them as covered, skip leaves them out"
_FUNCTION_WORDS = "what need not be masked: a word list that ships, spacy:PIPELINE, or none"
_WORD_MENTIONS = "mentions made of function words alone must be masked whole (asked), or need not be (free)"
_REPLACEMENTS = "whether words that replacements repeat are read, or masks trusted to hide what they cover"


def _parse_identifiers(include: str, more: str = "") -> tuple[str, ...]:
    """`direct,quasi` as a tuple."""
    identifiers = tuple(identifier.strip() for identifier in include.split(","))
    if identifiers not in LEVELS.values():  # one spelling each: equal metrics are equal values
        expected = f"'direct', 'quasi'{more and f', {more!r}'} or 'direct,quasi'"
        raise PlanError(f"include={quote_value(include)} is not known; expected {expected}")
    return identifiers


class MentionMetric(FunctionWordsMetric):
    """What metrics share that ask which mentions are hidden, and leave function words aside."""

    needs = frozenset({"gold"})
    fixed = (("annotators", "micro"),)

    function_word_mentions: FunctionWordMentions
    replacements: Replacements

    @property
    def hiding_rule(self) -> HidingRule:
        return HidingRule(self.function_words, self.function_word_mentions, self.replacements)

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {HEADLINE: ratio(totals["hidden"], totals["total"])}


@dataclass(frozen=True)
class EntityRecall(MentionMetric):
    """Share of identifiers that are covered at every place where annotators marked them.

    Pilán et al. 2022, equations 1 and 2: over all documents, annotators and entities that the annotator wants
    masked, the share whose every to-be-masked mention is covered. One slip discloses the entity. Function words need
    not be masked where a mention has other words. Words of the original that a mask's replacement repeats can be read.

    ER = |{e : every to-be-masked mention of e is covered}| / |{e}|

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> doe = (Mention(0, 6, "PERSON", "DIRECT", "e1"), Mention(17, 20, "PERSON", "DIRECT", "e1"))
    >>> corpus = Corpus([Document("d", "Mr Doe left. Mr. Doe", (Annotation("a", doe),))])
    >>> run = evaluate(corpus, {"first": Anonymization({"d": [Mask(3, 6)]})}, metrics=["er_di", "recall"])
    >>> run["first", "er_di"].value, run["first", "recall"].value  # 0 of 1 entities; Mr, Doe, Doe: 2 of 3 tokens
    (0.0, 0.6666666666666666)
    >>> town = Mention(7, 11, "LOC", "QUASI", "e2")
    >>> corpus = Corpus([Document("d", "Doe of Oslo", (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT"), town)),))])
    >>> run = evaluate(corpus, {"name": Anonymization({"d": [Mask(0, 3)]})}, metrics=["er_di", "er_qi", "er"])
    >>> [run["name", metric].value for metric in ("er_di", "er_qi", "er")]  # Doe: 1 of 1; Oslo: 0 of 1; both: 1 of 2
    [1.0, 0.0, 0.5]
    """

    version = 4
    group = "privacy"
    undefined = "no annotator marked an entity of this kind"
    counts = (("hidden", "right"), ("total", "all"))

    identifier: Identifier = parameter("all", "which entities count")
    function_words: str = parameter(DEFAULT_LEXICON, _FUNCTION_WORDS)
    function_word_mentions: FunctionWordMentions = parameter("asked", _WORD_MENTIONS)
    replacements: Replacements = parameter("read", _REPLACEMENTS)

    @property
    def roles(self) -> tuple[Role, ...]:
        return _ROLES[self.identifier]

    @property
    def summary(self) -> str:
        return _SUMMARIES[self.identifier]

    @property
    def title(self) -> str:
        return _TITLES[self.identifier]

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        axis, span_index = chunk.axis, chunk.span_index(self.hiding_rule)
        gold = axis.gold
        chosen = gold.entities(LEVELS[self.identifier])
        is_asked = (gold.level > 0) & chosen[gold.entity]
        mentions, entity = span_index.mentions[is_asked], gold.entity[is_asked]
        document = gold.entity_document[chosen]
        total = axis.by_document(document)
        kind, documents, entities = gold.entity_type[chosen], len(axis.documents), np.flatnonzero(chosen)

        def rows(anonymized: Anonymized) -> Rows:
            covered = anonymized.coverage.is_covered(mentions, span_index, self.replacements)
            slips = np.bincount(entity, ~covered, minlength=len(chosen))
            hidden = (slips == 0)[chosen]
            readable = np.flatnonzero(~hidden)
            cell = kind[readable] * documents + document[readable]
            table = np.bincount(cell, minlength=len(gold.types) * documents).reshape(-1, documents).astype(np.float64)
            leaked = {  # no number is made of these; they tell which types leak
                f"leaked:{gold.types[type_number]}": table[type_number]
                for type_number in np.flatnonzero(table.any(axis=1)).tolist()
            }
            grouped = chunk.count_by_group(entities, document, {"hidden": hidden, "total": np.ones(len(entities))})
            return Rows.named({"hidden": axis.by_document(document, hidden), "total": total, **leaked, **grouped})

        return rows

    def leaks(self, rows: Rows) -> Floats:
        """How many entities of each document can still be read."""
        return rows.values[:, rows.columns.index("total")] - rows.values[:, rows.columns.index("hidden")]


class _Elements(msgspec.Struct, frozen=True, dict=True):
    """The tokens or mentions that recall counts, as runs: a mention's tokens, or a mention alone."""

    span_index: SpanIndex
    runs: Runs
    counted: Bools  # which things count at all
    document: Ints  # of a run
    kind: Ints  # entity type

    @cached_property
    def total(self) -> Ints:
        return self.runs.counts(self.counted)

    def count_hidden(self, coverage: Coverage, replacements: Replacements) -> Ints:
        """How many of each run's are covered."""
        return self.runs.counts(self.counted & coverage.is_covered(self.runs.place, self.span_index, replacements))


@dataclass(frozen=True)
class _Characters:
    """The characters of mentions that recall counts, white space aside."""

    span_index: SpanIndex
    runs: Runs  # one for each mention
    place: IndexRanges
    visible: Bools  # which characters of the span index are no white space
    total: Ints  # of a run
    document: Ints
    kind: Ints

    def count_hidden(self, coverage: Coverage, replacements: Replacements) -> Ints:
        """How many of each mention's are covered, or need no mask."""
        readable = np.diff(coverage.readable(self.span_index, replacements)) > 0
        return self.total - _count_in(self.place, readable & self.visible)


def _count_in(ranges: IndexRanges, which: Bools) -> Ints:
    """How many of the characters of each range are among some."""
    before = count_before(which)
    return np.asarray(before[ranges.closes] - before[ranges.opens], dtype=np.int64)


def _by_name(totals: Totals) -> dict[str, Floats]:
    """What is hidden of each type or category that has columns of its own."""
    names = sorted(column.removeprefix("total:") for column in totals if column.startswith("total:"))
    return {name: ratio(totals[f"hidden:{name}"], totals[f"total:{name}"]) for name in names}


@dataclass(frozen=True)
class Recall(MentionMetric):
    """Share of the marked words that are covered; with another unit, of mentions or entities.

    Pilán et al. 2022, section 6.1: over all documents and annotators, the tokens (or characters, mentions, entities) of
    entities to be masked that are covered, by their number. Function words, titles and punctuation need not be
    masked where a mention has other words; `ignorable="free"` counts tokens made of them as covered, as TAB's script
    does, `"skip"` leaves them out. Words of the original that a mask's replacement repeats can be read.
    `include="confidential"` asks instead for the mentions with a confidential status (section 4.2), such as health and
    politics, whether they identify or not; its parts are the categories.

    R = |covered| / |to be masked|

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> marks = (Mention(0, 11, "PERSON", "DIRECT", "e1"), Mention(15, 19, "LOC", "QUASI", "e2"))
    >>> corpus = Corpus([Document("d", "Mr Ole Berg of Oslo", (Annotation("a", marks),))])
    >>> masked = {"names": Anonymization({"d": [Mask(3, 11)]})}
    >>> run = evaluate(corpus, masked, metrics=["recall", 'recall(ignorable="skip")', 'recall(unit="mention")'])
    >>> run["names", "recall"].value  # Mr (free), Ole, Berg, but not Oslo: 3 of 4 tokens
    0.75
    >>> run["names", 'recall(ignorable="skip")'].value  # without Mr: 2 of 3 tokens
    0.6666666666666666
    >>> run["names", 'recall(unit="mention")'].value  # Mr Ole Berg, but not Oslo: 1 of 2 mentions
    0.5
    """

    version = 4
    group = "privacy"
    undefined: ClassVar[str] = "no annotator marked anything to be masked"
    counts: ClassVar[tuple[tuple[str, Count], ...]] = (("hidden", "right"), ("total", "all"))

    unit: Unit = parameter("token", UNIT)
    include: str = parameter("direct,quasi", _RECALL_INCLUDE)
    ignorable: Literal["free", "skip"] = parameter("free", _IGNORABLE)
    function_words: str = parameter(DEFAULT_LEXICON, _FUNCTION_WORDS)
    function_word_mentions: FunctionWordMentions = parameter("asked", _WORD_MENTIONS)
    replacements: Replacements = parameter("read", _REPLACEMENTS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unit == "entity" and self.ignorable == "skip":
            raise PlanError("an entity is counted whole; expected ignorable='free' with unit='entity'", "Recall")
        if not self.of_confidential:
            _parse_identifiers(self.include, CONFIDENTIAL)
        elif self.unit == "entity":
            fault = "mentions have a confidential status, not entities; expected unit='token', 'character' or 'mention'"
            raise PlanError(fault, type(self).__name__)

    @property
    def of_confidential(self) -> bool:
        """Whether it asks what is left of confidential mentions, whatever identifies."""
        return self.include == CONFIDENTIAL

    @property
    def roles(self) -> tuple[Role, ...]:
        return () if self.of_confidential else ("recall",)

    @property
    def title(self) -> str:
        marked = "Confidential" if self.of_confidential else "Marked"
        things = {"token": "words", "character": "characters", "mention": "places"}
        return f"{marked} {things[self.unit]} hidden" if self.unit in things else "Identifiers hidden"

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        if self.unit == "entity":
            name = next(
                identifier
                for identifier, identifiers in LEVELS.items()
                if identifiers == _parse_identifiers(self.include)
            )
            return chunk.bind_metric(EntityRecall(name, *self.hiding_rule))
        axis = chunk.axis
        elements = self.elements(chunk)
        total = axis.by_document(elements.document, elements.total)

        of_category: dict[str, Bools] = {}
        if self.of_confidential:
            numbers, names = axis.gold.confidential
            of_category = {name: numbers[elements.runs.mention] == number for number, name in enumerate(names)}
        totals = {
            f"total:{name}": axis.by_document(elements.document, elements.total * chosen)
            for name, chosen in of_category.items()
        }

        def rows(anonymized: Anonymized) -> Rows:
            hidden = self.count_hidden(elements, anonymized)
            by_category = {
                f"hidden:{name}": axis.by_document(elements.document, hidden * chosen)
                for name, chosen in of_category.items()
            }
            whole = {"hidden": axis.by_document(elements.document, hidden), "total": total}
            counts = {"hidden": hidden, "total": elements.total}
            grouped = chunk.count_by_group(axis.gold.entity[elements.runs.mention], elements.document, counts)
            return Rows.named({**whole, **by_category, **totals, **grouped})

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        """The whole; and by confidential category, where it is asked for."""
        return {**super().combine(totals), **_by_name(totals)}

    def why_undefined(self, part: str, totals: Totals) -> str:
        return "no annotator gave a mention a confidential status" if self.of_confidential else self.undefined

    def elements(self, chunk: Chunk) -> _Elements | _Characters:
        """What it counts; found once for all that count the same."""
        span_index = chunk.span_index(self.hiding_rule)

        def make() -> _Elements | _Characters:
            gold = chunk.axis.gold
            if self.of_confidential:
                is_asked = gold.confidential[0] >= 0
            else:
                # All mentions of an entity to be masked are asked for, also those marked NO_MASK (so TAB's script).
                # Not those that may be masked or stay.
                is_asked = gold.entities(_parse_identifiers(self.include))[gold.entity] & (gold.level >= 0)
            every = span_index.tokens if self.unit == "token" else Runs.alone(span_index.mentions)
            counted = every.place.solid if self.ignorable == "skip" else np.ones_like(every.place.solid)
            runs = every[is_asked[every.mention]]
            entity = gold.entity[runs.mention]
            document, kind = gold.entity_document[entity], gold.entity_type[entity]
            if self.unit != "character":
                return _Elements(span_index, runs, counted, document, kind)
            signs = chunk.axis.table(is_space) == 0
            required = signs[np.diff(span_index.before) > 0]
            visible = np.concatenate([required, np.ones(len(span_index.whole), dtype=bool)])
            place, before = runs.place[runs.mention], count_before(signs)
            total = _count_in(place, visible)
            if self.ignorable == "free":
                total = np.asarray(before[gold.end[runs.mention]] - before[gold.start[runs.mention]], dtype=np.int64)
            return _Characters(span_index, runs, place, visible, total, document, kind)

        return chunk.once(("elements", self.unit, self.include, self.ignorable, span_index), make)

    def count_hidden(self, elements: _Elements | _Characters, anonymized: Anonymized) -> Ints:
        """How many of each run are hidden; counted once for all that count the same."""
        key = ("hidden", self.unit, self.include, self.ignorable, self.hiding_rule)
        return anonymized.once(key, lambda: elements.count_hidden(anonymized.coverage, self.replacements))


@dataclass(frozen=True)
class RecallPerType(Recall):
    """Recall of each type by itself, such as people, places and dates.

    As `recall` (Pilán et al. 2022, section 6.1), counted separately for each type that annotators used. An entity's
    type is that of its first mention. Names of one kind (`PER` and `Person`) are one type; `labels="exact"` goes by the
    very names.

    R(type) = |covered of the type| / |to be masked of the type|

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> marks = (Mention(0, 11, "PERSON", "DIRECT", "e1"), Mention(15, 19, "LOC", "QUASI", "e2"))
    >>> corpus = Corpus([Document("d", "Mr Ole Berg of Oslo", (Annotation("a", marks),))])
    >>> run = evaluate(corpus, {"names": Anonymization({"d": [Mask(3, 11)]})}, metrics=["recall_per_type"])
    >>> run["names", "recall_per_type", "PERSON"].value, run["names", "recall_per_type", "LOC"].value  # 3 of 3, 0 of 1
    (1.0, 0.0)
    """

    version = 5
    title = "Marked words hidden, by type"
    undefined = "no annotator marked anything of this type to be masked"
    counts = ()
    roles = ()

    unit: Literal["token", "character", "mention"] = parameter("token", UNIT)
    labels: Literal["tree", "exact"] = parameter("tree", "whether several names of one kind count as one type")

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        return (*self.fixed, ("kinds", str(VERSION))) if self.labels == "tree" else self.fixed

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        documents, elements = len(chunk.axis.documents), self.elements(chunk)
        types, entity_type = list(chunk.axis.gold.types), elements.kind
        if self.labels == "tree":
            types, numbers = Labels(chunk.types).number_titles(types)
            entity_type = np.array(numbers, dtype=np.int64)[entity_type]
        cell = elements.document * len(types) + entity_type

        def table(weights: Ints) -> Floats:
            count = np.bincount(cell, weights, minlength=documents * len(types))
            return count.reshape(documents, len(types)).astype(np.float64)

        total = table(elements.total)
        used = [number for number in range(len(types)) if total[:, number].any()]

        def rows(anonymized: Anonymized) -> Rows:
            hidden = table(self.count_hidden(elements, anonymized))
            columns: dict[str, Floats] = {}
            for number in used:
                columns |= {f"hidden:{types[number]}": hidden[:, number], f"total:{types[number]}": total[:, number]}
            return Rows.named(columns, documents)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return _by_name(totals)


@dataclass(frozen=True)
class FScore(MentionMetric):
    """Harmonic mean of recall and precision, with a weight on recall.

    van Rijsbergen 1979, chapter 7: F = (1 + β²) · P · R / (β² · P + R). β = 2 values privacy (recall) over use
    (precision). It is 0 when both are 0.

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> marks = (Mention(0, 8, "PERSON", "DIRECT", "e1"), Mention(9, 13, "LOC", "QUASI", "e2"))
    >>> corpus = Corpus([Document("d", "Ole Berg Oslo 1996", (Annotation("a", marks),))])
    >>> run = evaluate(corpus, {"some": Anonymization({"d": [Mask(0, 8), Mask(14, 18)]})}, metrics=["f1", "f2"])
    >>> round(run["some", "f1"].value, 4)  # R: Ole, Berg of 3 tokens; P: Ole, Berg of 3 masked; 2/3 both
    0.6667
    >>> run = evaluate(corpus, {"name": Anonymization({"d": [Mask(0, 8)]})}, metrics=["f1", "f2"])
    >>> round(run["name", "f1"].value, 4)  # R: 2 of 3; P: 2 of 2; 2 · 1 · 2/3 / (1 + 2/3)
    0.8
    >>> round(run["name", "f2"].value, 4)  # recall weighs more: 5 · 1 · 2/3 / (4 · 1 + 2/3)
    0.7143
    """

    version = 4
    group = "both"
    title = "Recall and precision in one (F)"
    undefined = "recall or precision is undefined"

    beta: float = parameter(1.0, "how many times as much recall weighs as precision")
    unit: Literal["token", "character", "mention"] = parameter("token", UNIT)
    include: str = parameter("direct,quasi", _INCLUDE)
    ignorable: Literal["free", "skip"] = parameter("free", _IGNORABLE)
    function_words: str = parameter(DEFAULT_LEXICON, _FUNCTION_WORDS)
    function_word_mentions: FunctionWordMentions = parameter("asked", _WORD_MENTIONS)
    replacements: Replacements = parameter("read", _REPLACEMENTS)
    overlaps: Overlaps = parameter("joined", OVERLAPS)

    def __post_init__(self) -> None:
        if not (isinstance(self.beta, int | float) and 0 < self.beta <= _LARGEST_BETA):
            expected = f"a number above 0, at most {_LARGEST_BETA:,}"
            raise PlanError(f"beta={quote_value(self.beta)} is out of range; expected {expected}", type(self).__name__)
        _parse_identifiers(self.include)
        _parts_of(self)

    @property
    def summary(self) -> str:
        weights: dict[float, str] = {1: "both weighted alike", 2: "with recall weighted twice as much"}
        weight = weights.get(self.beta, f"with recall weighted {self.beta:g} times as much")
        return f"Harmonic mean of recall and precision, {weight}."

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        parts = _parts_of(self)

        def rows(anonymized: Anonymized) -> Rows:
            recall, precision = map(anonymized.rows, parts)
            return Rows(recall.columns + precision.columns, np.hstack([recall.values, precision.values]))

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        recall, precision = (metric.combine(totals)[HEADLINE] for metric in _parts_of(self))
        weight = self.beta**2
        below = weight * precision + recall
        value = ratio((1 + weight) * precision * recall, below)
        return {HEADLINE: np.where(below == 0, 0.0, value)}


@lru_cache(maxsize=64)
def _parts_of(score: FScore) -> tuple[Recall, Precision]:
    """What an F is made of; it is asked for whenever numbers are combined."""
    recall = Recall(score.unit, score.include, score.ignorable, *score.hiding_rule)
    return recall, Precision(score.unit, score.overlaps)
