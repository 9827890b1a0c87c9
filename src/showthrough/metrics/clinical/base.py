"""What every clinical metric has: a map between types, where a system's types come from, and counts by category."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from showthrough.axis.axis import Axis
from showthrough.axis.spans import Ints
from showthrough.data.documents import Corpus
from showthrough.data.labels import label_map, label_of
from showthrough.data.masks import Anonymization
from showthrough.data.retyping import Retyping
from showthrough.errors import Problem, shown, some
from showthrough.metrics.base import HEADLINE, Array, Metric, Rows, Totals, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.clinical.instances import Found, Instances, Kinds, gold_instances, system_instances
from showthrough.tables.calls import parameter

MEASURES = ("P", "R", "F")
OUTCOMES = ("TP", "FP", "FN")


@dataclass(frozen=True)
class PhiGold:
    """What people marked, on layers, ready to be compared with."""

    axis: Axis
    kinds: Kinds
    instances: Instances


@dataclass(frozen=True)
class ClinicalMetric(Metric):
    """A metric over types of PHI.

    `map` says which types are the same, on both sides: `map="LOCATION=LOC,CITY=LOC"`; `AGE=` leaves a type out. A
    system's types are those it states; `type_from="replacement"` takes what it writes in place of the PHI instead
    (`[PATIENT]`), which is only right where that is a label. A type that gold does not have is an error, because it is
    nearly always the same type under another name; `unknown_types="keep"` counts it as a wrong one.
    """

    needs = frozenset({"gold"})
    spans_and_types = True
    fixed: ClassVar[tuple[tuple[str, str], ...]] = (("annotators", "micro"),)

    map: str = parameter("", "which type is taken as which, on both sides: LOCATION=LOC,CITY=LOC; AGE= leaves one out")
    type_from: Literal["type", "replacement"] = parameter("type", "a system's types: stated, or what replaces the PHI")
    unknown_types: Literal["error", "keep"] = parameter("error", "a type that gold lacks: an error, or a wrong one")

    def __post_init__(self) -> None:
        super().__post_init__()
        label_map(self.map)

    def gold(self, chunk: Chunk) -> PhiGold:
        def make() -> PhiGold:
            kinds = Kinds(label_map(self.map))
            return PhiGold(chunk.axis, kinds, gold_instances(chunk.axis, kinds))

        return chunk.once(("clinical gold", self.map), make)

    def system(self, gold: PhiGold, anonymized: Anonymized) -> Found:
        """What a system marked."""

        def make() -> Found:
            kinds = gold.kinds.extended()
            return system_instances(gold.axis, kinds, anonymized.anonymization, self.type_from == "replacement")

        return anonymized.once(("clinical system", self.map, self.type_from), make)

    def types_in(self, anonymization: Anonymization) -> frozenset[str]:
        if self.type_from == "type":
            return frozenset(anonymization.types)
        masks = (mask for masks in anonymization.masks.values() for mask in masks)
        return frozenset(filter(None, (label_of(mask.replacement) for mask in masks)))

    def retyped(self, types: Retyping, read: frozenset[str]) -> Metric:
        """With what its masks cannot tell it: which types to leave out, and what replacements mean."""
        own = label_map(self.map)
        if self.type_from == "replacement":
            types.check_once()
            added = {name: "" if types.left_out(name) else types.renamed(name) for name in sorted(read)}
            added = {name: own.get(target, target) for name, target in added.items() if target != name}
        else:
            added = {types.renamed(name) or name: "" for name in sorted(read) if types.left_out(name)}
        if not added:
            return self
        return replace(self, map=",".join(f"{name}={target}" for name, target in {**own, **added}.items()))

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        if self.unknown_types == "keep":
            return []
        return unknown_types(corpus, anonymization, self.types_in(anonymization), label_map(self.map))


def unknown_types(
    corpus: Corpus, anonymization: Anonymization, labels: Set[str], mapping: Mapping[str, str]
) -> list[Problem]:
    """One problem for each type of a system that the corpus does not have, neither itself nor by the map."""
    known = {mapping.get(kind, kind) for kind in corpus.survey.types}
    listed = some(sorted(filter(None, known)))
    return [
        Problem(
            anonymization.source or anonymization.name,
            f"type {shown(label)}",
            f"is not a type of the corpus, which has {listed}; map it (--map {shown(label)}=…), leave it out "
            f'(--map {shown(label)}=) or count it as wrong (unknown_types="keep")',
        )
        for label in sorted(labels)
        if label and (mapped := mapping.get(label, label)) and mapped not in known
    ]


def by_category(gold: PhiGold, names: tuple[str, ...], layer: Ints, kind: Ints) -> Array:
    """How many things of each kind each document has: documents × kinds."""
    documents = len(gold.axis.documents)
    cell = gold.axis.layers.document[layer] * len(names) + kind
    return np.bincount(cell, minlength=documents * len(names)).reshape(documents, len(names)).astype(np.float64)


def counted(overall: Mapping[str, Array], tables: Mapping[str, Array], names: tuple[str, ...]) -> Rows:
    """Counts of everything, then for each category, by name, those of it: `TP`, …, `TP:AGE`, …

    Categories in which nothing happened are left out.
    """
    columns = tuple(overall)
    values = np.column_stack(list(overall.values()))
    if names:
        block = np.stack(list(tables.values()), axis=2)  # documents × kinds × statistics
        used = sorted(np.flatnonzero(block.any(axis=(0, 2))).tolist(), key=names.__getitem__)
        columns += tuple(f"{statistic}:{names[number]}" for number in used for statistic in tables)
        values = np.hstack([values, block[:, used].reshape(len(block), len(used) * len(tables))])
    return Rows(columns, values)


def categories(totals: Totals) -> list[str]:
    return list(dict.fromkeys(column.partition(":")[2] for column in totals if ":" in column))


def of_categories(totals: Totals, statistic: str, kinds: list[str]) -> Array:
    """A statistic of all categories, one below the other."""
    return np.array([totals[f"{statistic}:{kind}"] for kind in kinds])


def measures(right: Array, system: Array, gold: Array) -> dict[str, Array]:
    """P = right / system, R = right / gold, F = 2PR / (P + R), which is 2·right / (system + gold)."""
    return {"P": ratio(right, system), "R": ratio(right, gold), "F": ratio(2 * right, system + gold)}


def named(values: Mapping[str, Array]) -> dict[str, Array]:
    """Measures as parts of a metric: F is the headline."""
    return {HEADLINE: values["F"], "P": values["P"], "R": values["R"]}


def parts_by_category(values: Mapping[str, Array], gold: Array, kinds: list[str]) -> dict[str, Array]:
    """`P:DATE` and the like, and their means over the categories that gold has (macro).

    A category in which a measure is undefined does not count for its mean.
    """
    parts = {}
    for measure in MEASURES:
        counts = ~np.isnan(values[measure]) & (gold > 0)
        parts[f"macro {measure}"] = ratio(np.where(counts, values[measure], 0).sum(axis=0), counts.sum(axis=0))
    for place, kind in enumerate(kinds):
        parts |= {f"{measure}:{kind}": values[measure][place] for measure in MEASURES}
    return parts


def said(found: Found) -> dict[str, Array]:
    """What `where_typed` asks for: how many masks there are, and how many say their types."""
    return {"masks": found.masks, "typed": found.typed}


def where_typed(values: dict[str, Array], totals: Totals) -> dict[str, Array]:
    """The same, and undefined where there are masks but not one says its type."""
    silent = (np.asarray(totals["masks"]) > 0) & (np.asarray(totals["typed"]) == 0)
    return {part: np.where(silent, np.nan, value) for part, value in values.items()}
