"""Documents that are scored together, and all that is made of them: each thing once, for whoever asks.

Whoever walks over a corpus makes one chunk after the other, and in a chunk looks at one anonymization after the other.
What was made goes with the chunk, or with the look at the anonymization: memory is bounded by the largest of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from showthrough._former import FormerName
from showthrough.core.arrays import Floats, Ints
from showthrough.data.documents import Corpus
from showthrough.data.labels import Labels
from showthrough.data.layout.coverage import Coverage, Replacements
from showthrough.data.layout.gold import Gold
from showthrough.data.layout.span_index import Asking, SpanIndex
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.masks import Anonymization, Mask
from showthrough.models import Resources, function_word_models

if TYPE_CHECKING:
    from showthrough.metrics.base import Metric
    from showthrough.statistics.rows import Rows

FunctionWordMentions = Literal["asked", "free"]
IDENTIFIERS = ("direct", "quasi")
_DOCUMENTS = 256  # that are shared out together
T = TypeVar("T")


class HidingRule(NamedTuple):
    """When a mention counts as hidden: which of its words need not be masked, and whether replacements are read."""

    function_words: str
    function_word_mentions: FunctionWordMentions = "asked"
    replacements: Replacements = "read"

    @property
    def word_demand(self) -> Asking:
        """For which mentions made of function words all their words are asked for.

        A word list cannot tell a person called Per from the word, so for each of them. Tags look at the sentence: where
        an entity has other mentions and a tagger takes one ("A total of …") for a function word, it is not the name.
        """
        if self.function_word_mentions == "free":
            return "never"
        return "entity" if function_word_models(self.function_words) else "mention"


class EntityGroups(NamedTuple):
    """Groups that entities are in, whatever document they stand in: by their type, or by how they identify."""

    field: str
    groups: tuple[str, ...]

    @classmethod
    def of(cls, field: str, types: tuple[str, ...]) -> EntityGroups:
        """Of a corpus with these entity types."""
        return cls(field, IDENTIFIERS if field == "identifier" else tuple(Labels(types).number_titles(types)[0]))

    def labels(self, gold: Gold, types: tuple[str, ...]) -> Ints:
        """The number of each entity's group; −1 where it is in none."""
        if self.field == "identifier":
            return np.array([-1, 1, 0])[gold.entity_level]  # a level of 1 is a quasi-identifier, of 2 a direct one
        titles, numbers = Labels(types).number_titles(gold.types)
        places = [self.groups.index(titles[number]) for number in numbers]
        return np.array(places, dtype=np.int64)[gold.entity_type]

    def column(self, name: str, group: int) -> str:
        """What a column is called that counts the entities of one group alone."""
        return f"{name}@{self.field}:{group}"


class DocumentBatch(NamedTuple):
    """A few documents, as they were or as an anonymization leaves them."""

    corpus: Corpus
    anonymization: Anonymization | None

    def texts(self) -> list[str]:
        if self.anonymization is None:
            return [document.text for document in self.corpus]
        documents = Corpus(list(self.corpus))  # made once
        texts_by_id = self.anonymization.texts(documents)
        return [texts_by_id[document.id] for document in documents]


class _Memo:
    """What is made when it is first asked for."""

    def __init__(self) -> None:
        self._values: dict[object, Any] = {}

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What was made under a key, or is made now."""
        value: T | None = self._values.get(key)
        if value is None:
            value = self._values[key] = make()
        return value

    def forget(self) -> None:
        """Lets go of it all: some of it holds whoever keeps it, and would wait for the collector."""
        self._values.clear()


class Chunk(_Memo):
    """Some documents of a corpus, or all of them, with what metrics ask of them."""

    def __init__(
        self,
        corpus: Corpus,
        resources: Resources | None = None,
        types: tuple[str, ...] | None = None,
        systems: Sequence[Anonymization] = (),
        entity_groups: Sequence[EntityGroups] = (),
    ) -> None:
        super().__init__()
        self.corpus = corpus
        self._types = types
        self.resources = resources or Resources()
        self.entity_groups = entity_groups  # by which metrics count entities beside
        self.systems = systems  # all that are under test together, references aside

    @cached_property
    def axis(self) -> SpanLayout:
        return SpanLayout(self.corpus)

    @property
    def types(self) -> tuple[str, ...]:
        """The entity types of the whole corpus: what a type is taken for must not hang on where chunks are cut."""
        if self._types is not None:
            return self._types
        # A survey would read all texts for it.
        return tuple(sorted({mark.entity_type for marks in self.axis.layers.mentions for mark in marks}))

    def count_by_group(self, entity: Ints, document: Ints, counts: Mapping[str, ArrayLike]) -> dict[str, Floats]:
        """Columns of what is counted of entities, or their mentions and words, in each group that is asked for."""
        columns = {}
        for cut in self.entity_groups:
            labels = self.once(("groups", cut), lambda cut=cut: cut.labels(self.axis.gold, self.types))[entity]  # type: ignore[misc]
            for number in range(len(cut.groups)):
                mine = labels == number
                for name, values in counts.items():
                    counted = np.asarray(values, dtype=np.float64) * mine
                    columns[cut.column(name, number)] = self.axis.by_document(document, counted)
        return columns

    def span_index(self, hiding: HidingRule) -> SpanIndex:
        """What has to be masked of the mentions."""
        source = self.resources.function_words(hiding.function_words)
        return self.axis.span_index(hiding.function_words, source.ignorable, hiding.word_demand)

    def bind_metric(self, metric: Metric) -> Callable[[Anonymized], Rows]:
        """A metric at work on these documents; equal metrics, also inside others, share the work."""
        return self.once(metric, lambda: metric.bind(self))

    def batches(self, anonymization: Anonymization | None = None) -> Iterator[DocumentBatch]:
        """Its documents in their order, a few at a time, for metrics that share them out (`resources.map_items`).

        They are still to be made where they can be, so that whoever reads them makes them, and nobody holds them all.
        """
        travels = self.resources.engine.workers > 1  # else nobody has to cut out what belongs to a few documents
        for first in range(0, len(self.corpus), _DOCUMENTS):
            numbers = range(first, min(first + _DOCUMENTS, len(self.corpus)))
            part = anonymization
            if travels and anonymization is not None:
                part = anonymization.part(self.corpus.ids[numbers.start : numbers.stop], lazy=True)
            yield DocumentBatch(self.corpus.part(numbers, lazy=True), part)

    # For metrics of packages.
    ruler, bound, some = FormerName("span_index"), FormerName("bind_metric"), FormerName("batches")

    def rows(self, metric: Metric, anonymization: Anonymization) -> Rows:
        """What one metric counts for one anonymization."""
        return Anonymized(self, anonymization).rows(metric)


class Anonymized(_Memo):
    """A chunk as one anonymization leaves it, for all metrics that look at it."""

    def __init__(self, chunk: Chunk, anonymization: Anonymization) -> None:
        super().__init__()
        self.chunk = chunk
        self.anonymization = anonymization
        self.name = anonymization.name

    @cached_property
    def coverage(self) -> Coverage:
        """Its masks in the span layout."""
        return Coverage(self.chunk.axis, self.anonymization)

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """What can be read, by document id."""
        return self.anonymization.texts(self.chunk.corpus)

    def of(self, document_id: str) -> Sequence[Mask]:
        """The masks of one document."""
        return self.anonymization.of(document_id)

    def rows(self, metric: Metric) -> Rows:
        """What a metric counts here."""
        return self.once(metric, lambda: self.chunk.bind_metric(metric)(self))
