"""What every clinical metric has: a map between types, where a system's types come from, and counts by category."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import Problem, join_names, shorten
from showthrough.data.documents import Corpus
from showthrough.data.labels import TypeResolver, label_map, label_of
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import SortedSpans
from showthrough.data.masks import Anonymization
from showthrough.data.retyping import Retyping
from showthrough.data.types import VERSION
from showthrough.families.clinical._instances import (
    Kinds,
    PhiSystem,
    TypedSpans,
    gold_instances,
    may_instances,
    system_instances,
    without_may,
)
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.statistics.rows import Rows, Totals


@dataclass(frozen=True)
class PhiGold:
    """What people marked, on layers, ready to be compared with."""

    axis: SpanLayout
    kinds: Kinds
    instances: TypedSpans
    may: SortedSpans  # what may be masked or stay

    def by_document(self, spans: TypedSpans) -> Floats:
        """How many each document has."""
        return self.axis.by_document(self.axis.layers.document[spans.layer])

    def by_category(self, spans: TypedSpans, kinds: int) -> Floats:
        """How many of each kind each document has: documents × kinds."""
        documents = len(self.axis.documents)
        cell = self.axis.layers.document[spans.layer] * kinds + spans.kind
        return np.bincount(cell, minlength=documents * kinds).reshape(documents, kinds).astype(np.float64)


@dataclass(frozen=True)
class ClinicalMetric(Metric):
    """A metric over types of PHI.

    `map` says which types are the same, on both sides: `map="LOCATION=LOC,CITY=LOC"`; `AGE=` leaves a type out. A
    system's types are those it states; `type_from="replacement"` takes what it writes in place of the PHI instead
    (`[PATIENT]`), which is only right where that is a label. A type that gold does not have is taken for one of gold's
    that means the same or that it lies below in the tree of kinds: `EMAIL_ADDRESS` for `EMAIL`, `CITY` for `LOC`;
    `labels="exact"` goes by the very names. Any other is an error, because it is nearly always coarser, or unknown and
    the same type under another name; `unknown_types="keep"` counts it as a wrong one.
    """

    needs = frozenset({"gold"})
    spans_and_types = True
    fixed: ClassVar[tuple[tuple[str, str], ...]] = (("annotators", "micro"),)

    map: str = parameter("", "which type is taken as which, on both sides: LOCATION=LOC,CITY=LOC; AGE= leaves one out")
    type_from: Literal["type", "replacement"] = parameter(
        "type", "where a system's types come from: its spans, or what it writes in place of the PHI"
    )
    unknown_types: Literal["error", "keep"] = parameter(
        "error", "whether a type that gold lacks stops the evaluation or counts as wrong"
    )
    labels: Literal["tree", "exact"] = parameter("tree", "whether other names and finer types count as gold's")

    def __post_init__(self) -> None:
        super().__post_init__()
        label_map(self.map)

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        return (*self.fixed, ("kinds", str(VERSION))) if self.labels == "tree" else self.fixed

    def meaning(self, types: Iterable[str]) -> TypeResolver:
        """What types count as, in a corpus that has these."""
        return TypeResolver(label_map(self.map), types, exact=self.labels == "exact")

    def gold(self, chunk: Chunk) -> PhiGold:
        def make() -> PhiGold:
            kinds = Kinds(self.meaning(chunk.types))
            return PhiGold(chunk.axis, kinds, gold_instances(chunk.axis, kinds), may_instances(chunk.axis))

        return chunk.once(("clinical gold", self.map, self.labels), make)

    def system(self, gold: PhiGold, anonymized: Anonymized) -> PhiSystem:
        """What a system marked."""
        from_replacement = self.type_from == "replacement"

        def make() -> PhiSystem:
            system = system_instances(gold.axis, gold.kinds, anonymized.anonymization, from_replacement)
            return replace(system, instances=without_may(system.instances, gold.instances, gold.may))

        return anonymized.once(("clinical system", self.map, self.labels, self.type_from), make)

    def types_in(self, anonymization: Anonymization) -> frozenset[str]:
        if self.type_from == "type":
            return frozenset(anonymization.types)
        masks = (mask for masks in anonymization.masks.values() for mask in masks)
        return frozenset(filter(None, (label_of(mask.replacement) for mask in masks)))

    def infer_types(self, types: Iterable[str], anonymization: Anonymization) -> dict[str, str]:
        meaning, mapping = self.meaning(types), label_map(self.map)
        meant = {name: meaning(name) for name in sorted(self.types_in(anonymization)) if name not in mapping}
        return {name: kind for name, kind in meant.items() if kind != name and kind in meaning.types}

    def with_types(self, types: Retyping, read: frozenset[str]) -> Metric:
        """With what its masks cannot tell it: which types to leave out, and what replacements mean."""
        own = label_map(self.map)
        left_out = types.left_out_too if self.labels == "tree" else types.left_out
        if self.type_from == "replacement":
            types.check_once()
            added = {name: "" if left_out(name) else types.rename(name) for name in sorted(read)}
            added = {name: own.get(target, target) for name, target in added.items() if target != name}
        else:
            added = {types.rename(name) or name: "" for name in sorted(read) if left_out(name)}
        if not added:
            return self
        return replace(self, map=",".join(f"{name}={target}" for name, target in {**own, **added}.items()))

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        meaning = self.meaning(corpus.survey.types)
        return unknown_types(meaning, anonymization, self.unknown_in(corpus, anonymization))

    def unknown_in(self, corpus: Corpus, anonymization: Anonymization) -> list[str]:
        """The types of a system that count as none of the corpus, where that is an error."""
        if self.unknown_types == "keep":
            return []
        meaning = self.meaning(corpus.survey.types)
        return sorted(label for label in self.types_in(anonymization) if label and not meaning.knows(label))


@dataclass(frozen=True)
class InstanceMetric(ClinicalMetric):
    """A clinical metric that compares instances, with their types or without."""

    types: bool = parameter(True, "whether the type has to be right")

    def select_instances(self, instances: TypedSpans) -> TypedSpans:
        """What is compared: all, or every span once where types do not matter."""
        return instances if self.types else instances.untyped

    def rows(self, counts: Mapping[str, Floats], marked: PhiSystem) -> Rows:
        return Rows.named({**counts, **marked.type_columns} if self.types else counts)

    def where_typed(self, values: dict[str, Floats], totals: Totals) -> dict[str, Floats]:
        return where_typed(values, totals) if self.types else values


def unknown_types(meaning: TypeResolver, anonymization: Anonymization, labels: Iterable[str]) -> list[Problem]:
    """One problem for each of these types of a system, which count as none of the corpus."""
    listed = join_names(sorted(meaning.types))
    return [
        Problem(
            anonymization.source or anonymization.name,
            f"type {shorten(label)}",
            f"is not a type of the corpus, which has {listed}: map it (--map {shorten(label)}=…), leave it out "
            f'(--map {shorten(label)}=) or count it as wrong (unknown_types="keep")',
        )
        for label in labels
    ]


def build_rows(overall: Mapping[str, Floats], tables: Mapping[str, Floats], names: tuple[str, ...]) -> Rows:
    """Counts of everything, then for each category, by name, those of it: `TP`, …, `TP:AGE`, …

    Categories in which nothing happened are left out.
    """
    columns = dict(overall)
    for number in sorted(range(len(names)), key=names.__getitem__):
        category = {f"{statistic}:{names[number]}": table[:, number] for statistic, table in tables.items()}
        if any(column.any() for column in category.values()):
            columns |= category
    return Rows.named(columns)


def of_categories(totals: Totals, statistics: Iterable[str]) -> tuple[list[str], list[Floats]]:
    """The categories that there are, by name, and each statistic of all of them, one below the other.

    Which of them comes up first hangs on how documents were cut into chunks, and the last digit of a mean on the order.
    """
    kinds = sorted({column.partition(":")[2] for column in totals if ":" in column})
    return kinds, [np.array([totals[f"{statistic}:{kind}"] for kind in kinds]) for statistic in statistics]


def measures(right: Floats, system: Floats, gold: Floats) -> dict[str, Floats]:
    """P = right / system, R = right / gold, F = 2PR / (P + R), which is 2·right / (system + gold)."""
    return {"P": ratio(right, system), "R": ratio(right, gold), "F": ratio(2 * right, system + gold)}


def name_measures(values: Mapping[str, Floats]) -> dict[str, Floats]:
    """Measures as parts of a metric: F is the headline."""
    return {HEADLINE: values["F"], "P": values["P"], "R": values["R"]}


def parts_by_category(values: Mapping[str, Floats], gold: Floats, kinds: list[str]) -> dict[str, Floats]:
    """`P:DATE` and the like, and their means over the categories that gold has (macro).

    A category in which a measure is undefined does not count for its mean.
    """
    parts = {}
    for measure, value in values.items():
        counts = ~np.isnan(value) & (gold > 0)
        parts[f"macro {measure}"] = ratio(np.where(counts, value, 0).sum(axis=0), counts.sum(axis=0))
    for index, kind in enumerate(kinds):
        parts |= {f"{measure}:{kind}": value[index] for measure, value in values.items()}
    return parts


def where_typed(values: dict[str, Floats], totals: Totals) -> dict[str, Floats]:
    """The same, and undefined where there are masks but not one says its type."""
    silent = (np.asarray(totals["masks"]) > 0) & (np.asarray(totals["typed"]) == 0)
    return {part: np.where(silent, np.nan, value) for part, value in values.items()}
