"""De-identification as the i2b2 challenge of 2006 scored it (Uzuner, Luo and Szolovits 2007): tokens.

What every clinical metric has: a map between types, where a system's types come from, and counts by category.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from showthrough.axis import Axis, Ints
from showthrough.clinical.instances import (
    NONE,
    Found,
    Instances,
    Kinds,
    Sheets,
    gold_instances,
    label_map,
    label_of,
    system_instances,
)
from showthrough.clinical.tokens import WAYS, TokenGold, Tokens
from showthrough.errors import Problem, shown, some
from showthrough.masks import Anonymization
from showthrough.metrics.base import HEADLINE, Array, Metric, Rows, Totals, choose, ratio
from showthrough.resources import Resources
from showthrough.text import Corpus

MEASURES = ("P", "R", "F")
OUTCOMES = ("TP", "FP", "FN")


@dataclass(frozen=True)
class Gold:
    """What people marked, on sheets, ready to be compared with; and the system that was looked at last."""

    axis: Axis
    sheets: Sheets
    kinds: Kinds
    instances: Instances
    latest: list[tuple[Anonymization, str, Found]] = field(default_factory=list)

    def system(self, anonymization: Anonymization, type_from: str) -> Found:
        """What a system marked; all clinical metrics look at one system before the next comes."""
        if not self.latest or self.latest[0][0] is not anonymization or self.latest[0][1] != type_from:
            kinds = self.kinds.extended()
            found = system_instances(self.axis, self.sheets, kinds, anonymization, type_from == "replacement")
            self.latest[:] = [(anonymization, type_from, found)]
        return self.latest[0][2]


@dataclass(frozen=True)
class ClinicalMetric(Metric):
    """A metric over types of PHI.

    `map` says which types are the same, on both sides: `map="LOCATION=LOC,CITY=LOC"`; `AGE=` leaves a type out. A
    system's types are those it states; `type_from="replacement"` takes what it writes in place of the PHI instead
    (`[PATIENT]`), which is only right where that is a label. A type that gold does not have is an error, because it is
    nearly always the same type under another name; `unknown_types="keep"` counts it as a wrong one.
    """

    needs = frozenset({"gold"})
    fixed: ClassVar[tuple[tuple[str, str], ...]] = (("annotators", "micro"),)

    map: str = ""
    type_from: Literal["type", "replacement"] = "type"
    unknown_types: Literal["error", "keep"] = "error"

    def __post_init__(self) -> None:
        label_map(self.map)
        choose(self, "type_from", ("type", "replacement"))
        choose(self, "unknown_types", ("error", "keep"))

    def gold(self, corpus: Corpus, resources: Resources) -> Gold:
        def make() -> Gold:
            axis = resources.axis(corpus)
            sheets = Sheets.of(axis)
            kinds = Kinds(label_map(self.map))
            return Gold(axis, sheets, kinds, gold_instances(axis, sheets, kinds))

        return resources.once(corpus, ("clinical gold", self.map), make)

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        if self.unknown_types == "keep":
            return []
        if self.type_from == "replacement":
            labels = {label_of(mask.replacement) for masks in anonymization.masks.values() for mask in masks}
        else:
            labels = set(anonymization.types)
        return unknown_types(corpus, anonymization, labels, label_map(self.map))


def unknown_types(
    corpus: Corpus, anonymization: Anonymization, labels: set[str], mapping: Mapping[str, str]
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


def by_category(gold: Gold, names: tuple[str, ...], sheet: Ints, kind: Ints) -> Array:
    """How many things of each kind each document has: documents × kinds."""
    documents = len(gold.axis.documents)
    cell = gold.sheets.document[sheet] * len(names) + kind
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


@dataclass(frozen=True)
class PhiToken(ClinicalMetric):
    """Precision, recall and F of PHI, token by token.

    Uzuner, Luo and Szolovits 2007: every token has one category or none. The headline, P and R ask whether PHI was
    told from everything else, whatever it was taken for; `P:DATE` and the like count one category, micro all of them,
    macro their mean. Tokens are the challenge's, runs without a space less the signs at their edges, so `10/29` is one;
    `tokens="words"` takes runs of word characters. A token is PHI when gold marks a letter or digit of it, and the
    system's when all is masked that gold marks of it; beyond gold, when a letter or digit of it is masked.

    P = TP / (TP + FP), R = TP / (TP + FN), F = 2PR / (P + R)

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mention, TypedMask, evaluate
    >>> gold = (Mention(4, 14, "PATIENT"), Mention(18, 23, "DATE"))
    >>> corpus = Corpus([Document("1", "Mr. John Smith on 10/29 slept", (Annotation("gold", gold),))])
    >>> masks = [TypedMask(4, 8, None, "PATIENT"), TypedMask(18, 29, None, "DATE")]
    >>> run = evaluate(corpus, {"a": Anonymization({"1": masks})}, metrics=["phi_token"])
    >>> [run["a", "phi_token", part].value for part in ("P", "R", "R:PATIENT", "P:DATE")]  # 2/3; 2/3; 1/2; 1/2
    [0.6666666666666666, 0.6666666666666666, 0.5, 0.5]
    """

    version = 2
    group = "both"
    title = "PHI, token by token"
    undefined = "no such PHI in gold or in what was masked, or the masks do not say their types"

    tokens: Literal["challenge", "words"] = "challenge"

    def __post_init__(self) -> None:
        super().__post_init__()
        choose(self, "tokens", WAYS)

    def bind(self, corpus: Corpus, resources: Resources) -> Callable[[Anonymization], Rows]:
        gold = self.gold(corpus, resources)
        tokens = self.token_gold(corpus, resources)

        def rows(anonymization: Anonymization) -> Rows:
            found = gold.system(anonymization, self.type_from)
            taken, beyond = tokens.taken(found.instances)
            return token_rows(gold, tokens.inside, taken, beyond, found)

        return rows

    def token_gold(self, corpus: Corpus, resources: Resources) -> TokenGold:
        gold = self.gold(corpus, resources)
        return resources.once(
            corpus,
            ("clinical tokens", self.map, self.tokens),
            lambda: TokenGold(gold.axis, gold.sheets, gold.instances, self.tokens),
        )

    def combine(self, totals: Totals) -> dict[str, Array]:
        right, extra, lost = (np.asarray(totals[outcome]) for outcome in OUTCOMES)
        parts = named(measures(right, right + extra, right + lost))
        if kinds := categories(totals):
            right, extra, lost = (of_categories(totals, outcome, kinds) for outcome in OUTCOMES)
            micro = measures(*(count.sum(axis=0) for count in (right, right + extra, right + lost)))
            typed = {f"micro {measure}": micro[measure] for measure in MEASURES}
            typed |= parts_by_category(measures(right, right + extra, right + lost), right + lost, kinds)
            parts |= where_typed(typed, totals)
        return parts


def token_rows(gold: Gold, inside: Tokens, taken: Ints, beyond: Tokens, found: Found) -> Rows:
    """TP, FP and FN of PHI against the rest, and of every category.

    `taken` is what gold's tokens were taken for; the tokens beyond gold have the kinds that they were taken for.
    """
    hidden, same = taken != NONE, taken == inside.kind
    retyped = hidden & ~same
    sheets = {"TP": inside.sheet[hidden], "FP": beyond.sheet, "FN": inside.sheet[~hidden]}
    overall = {outcome: gold.axis.by_document(gold.sheets.document[sheet]) for outcome, sheet in sheets.items()}
    overall |= said(found)
    tables = {
        "TP": by_category(gold, found.names, inside.sheet[same], taken[same]),
        "FP": by_category(gold, found.names, beyond.sheet, beyond.kind)
        + by_category(gold, found.names, inside.sheet[retyped], taken[retyped]),
        "FN": by_category(gold, found.names, inside.sheet[~same], inside.kind[~same]),
    }
    return counted(overall, tables, found.names)
