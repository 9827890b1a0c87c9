"""Privacy of the release: which identifiers nobody can read in it any more, wherever they stand and however written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from showthrough.core.arrays import Floats, distinct
from showthrough.core.call_syntax import parameter
from showthrough.data.labels import Labels
from showthrough.data.types import VERSION
from showthrough.families.masking.recall import LEVELS, EntityRecall, Identifier
from showthrough.metrics.base import HEADLINE, FunctionWordsMetric, Metric, Role, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.matching.entities import (
    CHANCE,
    GENERALIZED,
    LEFT,
    NEARLY,
    WAYS,
    EntitySearch,
    HowRead,
    PlaceOf,
    Readable,
)
from showthrough.models.lexicon import DEFAULT_LEXICON
from showthrough.statistics.rows import Rows, Totals

_ROLES: dict[Identifier, tuple[Role, ...]] = {
    "direct": ("direct identifiers", "release"), "quasi": ("quasi-identifiers", "release"), "all": ("release",),
}  # fmt: skip
_TITLES: dict[Identifier, str] = {
    "direct": "Direct identifiers removed", "quasi": "Indirect identifiers removed", "all": "Identifiers removed",
}  # fmt: skip
_SUMMARIES: dict[Identifier, str] = {
    "direct": "Share of direct identifiers that the search no longer finds anywhere in the release.",
    "quasi": "Share of indirect identifiers, such as places and dates, that the search no longer finds in the release.",
    "all": "Share of all identifiers, direct and quasi, that the search no longer finds in the release.",
}
_MOST_PLACES = 20  # of a document that are kept as evidence
_DICTIONARY = "ordinary words, in small letters: wordfreq:LANGUAGE, or a file of them"
_FUNCTION_WORDS = "what need not be masked where it was marked: a word list that ships, spacy:PIPELINE, or none"
_GENERALIZED = "a quasi-identifying date that lost its day and kept month or year: removed, or left"


class ReadsRelease(FunctionWordsMetric):
    """What metrics share that read the release."""

    version = 3
    reads_release: ClassVar[bool] = True

    needs = frozenset({"gold"})
    fixed = (("annotators", "micro"), ("kinds", str(VERSION)))
    group = "privacy"
    dictionaries: ClassVar[tuple[str, ...]] = ("dictionary",)

    generalized: Literal["removed", "left"]
    dictionary: str

    def search(self, chunk: Chunk) -> EntitySearch:
        how = HowRead(self.function_words, self.dictionary)
        return chunk.once(("removal", how), lambda: EntitySearch(chunk, how))

    def search_release(self, search: EntitySearch, anonymized: Anonymized) -> Readable:
        key = ("removal", self.function_words, self.dictionary)
        return anonymized.once(key, lambda: search.find_readable(anonymized))


@dataclass(frozen=True)
class Removed(ReadsRelease):
    """Share of identifiers that the search no longer finds anywhere in the release.

    Entity recall asks whether marked places are covered. A release is a text, and people read all of it. An entity is
    removed when it is hidden wherever it was marked, and no form of it appears anywhere in the released text. Forms are
    compared without accents, case, invisible characters, look-alike letters and encodings. Each word of a name counts,
    the letters and digits of a code, and a date in any notation. Parts are the types, and as shares of all:
    `left:marked`, `left:elsewhere`, `left:otherwise` and `left:encoded` (how it can be read), `nearly` (not counted),
    `generalized`, and `chance` (readable in another document's release).

    removed = |{e : e is hidden where it was marked, and no form of e can be read in R(d)}| / |{e}|

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> doe = Annotation("a", (Mention(3, 11, "PERSON", "DIRECT"),))
    >>> corpus = Corpus([Document("d", "Mr John Doe left. J\u200bohn came back. See /home/doe/.", (doe,))])
    >>> masks = {"first": Anonymization({"d": [Mask(3, 11)]}), "all": Anonymization({"d": [Mask(3, 48)]})}
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
    def summary(self) -> str:
        return _SUMMARIES[self.identifier]

    @property
    def title(self) -> str:
        return _TITLES[self.identifier]

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        search = self.search(chunk)
        axis, gold = chunk.axis, chunk.axis.gold
        chosen = gold.entities(LEVELS[self.identifier])
        document, entities = gold.entity_document[chosen], np.flatnonzero(chosen)
        total = axis.by_document(document)
        types, numbers = Labels(chunk.types).number_titles(gold.types)
        kind = np.array(numbers, dtype=np.int64)[gold.entity_type[chosen]] if len(gold.types) else document
        used = distinct(kind).tolist()

        def rows(anonymized: Anonymized) -> Rows:
            result = self.search_release(search, anonymized)
            ways = (result.ways if self.generalized == "removed" else result.strict)[chosen]
            removed = ways == 0
            columns: dict[str, Floats] = {"removed": axis.by_document(document, removed), "total": total}
            for number in used:
                mine = kind == number
                columns[f"removed:{types[number]}"] = axis.by_document(document, removed & mine)
                columns[f"total:{types[number]}"] = axis.by_document(document, mine)
                if (mine & ~removed).any():  # no number is made of these; they tell which types leak
                    columns[f"leaked:{types[number]}"] = axis.by_document(document, ~removed & mine)
            for number_of_way, way in enumerate(WAYS, start=1):
                columns[f"{LEFT}:{way}"] = axis.by_document(document, ways == number_of_way)
            columns[NEARLY] = axis.by_document(document, result.nearly[chosen] & removed)
            columns[GENERALIZED] = axis.by_document(document, result.generalized[chosen])
            columns |= chunk.count_by_group(entities, document, {"removed": removed, "total": np.ones(len(entities))})
            return replace(Rows.named(columns), evidence=_select_evidence(result.evidence, self.identifier))

        return rows

    def leaks(self, rows: Rows) -> Floats:
        """How many entities of each document can still be read."""
        return rows.values[:, rows.columns.index("total")] - rows.values[:, rows.columns.index("removed")]

    def by_chance(self, anonymized: Anonymized, other_documents: Sequence[Sequence[int]]) -> dict[str, float | None]:
        search = self.search(anonymized.chunk)
        readable, looked = anonymized.once(("chance", search), lambda: search.by_chance(anonymized, other_documents))
        chosen = search.gold.entities(LEVELS[self.identifier])
        looked_at = int(looked[chosen].sum())
        return {CHANCE: int(readable[chosen].sum()) / looked_at if looked_at else None}

    def combine(self, totals: Totals) -> dict[str, Floats]:
        total = totals["total"]
        parts = {HEADLINE: ratio(totals["removed"], total)}
        for column in sorted(column for column in totals if column.startswith("total:")):
            entity_type = column.removeprefix("total:")
            parts[entity_type] = ratio(totals[f"removed:{entity_type}"], totals[column])
        for way in WAYS:
            parts[f"{LEFT}:{way}"] = ratio(totals[f"{LEFT}:{way}"], total)
        parts |= {part: ratio(totals[part], total) for part in (NEARLY, GENERALIZED)}
        return parts


def risks(function_words: str, metrics: Iterable[Metric] = ()) -> tuple[EntityRecall | Removed, ...]:
    """What tells which documents are at most risk: leaks of the first weigh most, the next decide among equals.

    Of the metrics at hand those that read the release; else entity recall, which costs little.
    """
    identifiers: tuple[Identifier, ...] = ("direct", "quasi")
    reading = {metric.identifier: metric for metric in metrics if isinstance(metric, Removed)}
    return tuple(reading.get(kind) or EntityRecall(kind, function_words) for kind in identifiers)


def _select_evidence(evidence: Mapping[str, Sequence[PlaceOf]], identifier: Identifier) -> dict[str, dict[str, Any]]:
    """The evidence on some identifiers, by document."""
    by_document = {
        key: [location for direct, location in locations if identifier in ("all", "direct" if direct else "quasi")]
        for key, locations in evidence.items()
    }
    return {key: {"places": locations[:_MOST_PLACES]} for key, locations in by_document.items() if locations}


@dataclass(frozen=True)
class Clean(ReadsRelease):
    """Share of documents in whose release the search finds no direct identifier.

    It counts the documents that have a direct identifier. A document is clean when all direct identifiers of every
    annotator are removed (`removed_di`). A reviewer who reads a release document by document counts the same.

    clean = |{d : every direct identifier of d is removed}| / |{d : d has a direct identifier}|

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> doe = Annotation("a", (Mention(3, 6, "PERSON", "DIRECT"),))
    >>> corpus = Corpus([Document("a", "Mr Doe left.", (doe,)), Document("b", "Mr Roe left. Mr Roe!", (doe,))])
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

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {HEADLINE: ratio(totals["clean"], totals["documents"])}
