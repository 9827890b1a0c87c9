"""Singling out: how many of a population are like each person of the documents, by what was inferred of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.errors import PlanError, join_names
from showthrough.data.population import Population, tag_of
from showthrough.families.inference.agreement import PARTLY
from showthrough.families.inference.family import INFERENCES, PEOPLE
from showthrough.metrics import HEADLINE, Rows
from showthrough.run.records import InferenceEvidence, MetricRecord
from showthrough.run.run import WITHOUT_TEXT, Run
from showthrough.run.stored_rows import iter_evidence
from showthrough.statistics import Ratios, Spread, influences, resampled_totals, share_interval
from showthrough.studies.agreement.values import Estimate
from showthrough.studies.risk._inferred_attributes import DIRECT, ColumnReader, LearnedAttribute, reading_of
from showthrough.studies.risk.values import THRESHOLD, SinglingOut, SinglingSection

# A crowd is how many people of a population are like somebody: the k of k-anonymity.


class Fate(NamedTuple):
    """What became of an attribute that was learned."""

    used: bool = False
    lacking: bool = False  # the population has no such column
    vague: bool = False  # it was learned too roughly to narrow anybody down
    strange: bool = False  # the column has no such value, so that nobody is left


class Crowds:
    """A population that is asked how many are left, by what was learned. Equal questions are answered once."""

    def __init__(self, population: Population) -> None:
        self.population = population
        self._readings: dict[str, ColumnReader] = {tag: reading_of(tag, population) for tag in population.columns}
        self._fitting: dict[LearnedAttribute, Floats | None] = {}

    def sizes(self, people: Sequence[frozenset[LearnedAttribute]]) -> Floats:
        """How many are like each of them. Part of a person is possible where a row's ages fit in part."""
        numbers = {attributes: number for number, attributes in enumerate(dict.fromkeys(people))}
        together: dict[tuple[str, ...], list[frozenset[LearnedAttribute]]] = defaultdict(list)
        for attributes in numbers:
            together[tuple(sorted(attribute.tag for attribute in attributes if self.fate(attribute).used))].append(
                attributes
            )
        sizes = np.zeros(len(numbers))
        for tags, group in together.items():
            seen = self.population.over(tags)
            for attributes in group:
                sizes[numbers[attributes]] = self._count_left(seen, attributes)
        return sizes[[numbers[attributes] for attributes in people]]

    def fate(self, attribute: LearnedAttribute) -> Fate:
        if attribute.tag not in self._readings:
            return Fate(lacking=True)
        if attribute not in self._fitting:
            self._fitting[attribute] = self._readings[attribute.tag].fitting(attribute)
        fitting = self._fitting[attribute]
        if fitting is None:
            return Fate(vague=True)
        return Fate(used=True, strange=not fitting.any())

    def _count_left(self, seen: Population, attributes: frozenset[LearnedAttribute]) -> float:
        """Of those rows alone that the most telling attribute leaves, the people that fit in all others too."""
        columns = [
            (seen.columns[attribute.tag], self._fitting[attribute])
            for attribute in attributes
            if self.fate(attribute).used
        ]
        pairs = [(column, fitting) for column, fitting in columns if fitting is not None]
        if not pairs:
            return float(seen.people)
        first, shares = min(pairs, key=lambda pair: int(pair[0].sizes()[pair[1] > 0].sum()))
        rows = first.rows(np.flatnonzero(shares > 0))
        left = seen.counts[rows].astype(np.float64)
        for column, fitting in pairs:
            left *= fitting[column.codes[rows]]
        return float(left.sum())


# People come from a run's documents, each with what was inferred of them.


@dataclass(frozen=True)
class InferredPeople:
    """Everybody who was asked about, by document: the place of that in the run, and what was learned of them."""

    documents: Ints
    attributes: list[frozenset[LearnedAttribute]]
    lost: int = 0  # documents of which the run does not keep all that was inferred
    counted: bool = True  # false: nobody knows of how many people nothing was inferred

    def __len__(self) -> int:
        return len(self.attributes)


def tells_of_people(run: Run, metric: str) -> bool:
    """Whether a metric has numbers, and its rows count people, or what was inferred of somebody is kept."""
    rows = run.rows.get(metric, {})
    return any(PEOPLE in columns for columns in rows.values()) or (bool(rows) and bool(run.evidence.get(metric)))


def people_of(run: Run, metric: str, name: str) -> InferredPeople:
    """Those of whom nothing was inferred are there too: the rows say how many people there are in a document."""
    seen = run.evidence.get(metric, {}).get(name, {})
    columns = run.rows[metric][name]
    people_counts, inferences = (columns.get(column, np.zeros(len(run.documents))) for column in (PEOPLE, INFERENCES))
    documents: list[int] = []
    attributes: list[frozenset[LearnedAttribute]] = []
    lost = 0
    inferred_by_document = {number: shown.inferred for number, shown in iter_evidence(run.documents, seen)}
    counted = np.flatnonzero((np.asarray(people_counts) > 0) | (np.asarray(inferences) > 0))
    for document in sorted({*counted.tolist(), *inferred_by_document}):
        inferred = inferred_by_document.get(document, [])
        lost += len(inferred) < inferences[document]
        learned_sets = [frozenset(by_tag.values()) for by_tag in _learned(inferred).values()]
        learned_sets += [frozenset()] * (int(people_counts[document]) - len(learned_sets))
        attributes += learned_sets
        documents += [document] * len(learned_sets)
    return InferredPeople(np.array(documents, dtype=np.int64), attributes, lost, PEOPLE in columns)


def _learned(inferred: list[InferenceEvidence]) -> dict[str, dict[str, LearnedAttribute]]:
    """By person and tag what agrees best, where it agrees at all."""
    by_person: dict[str, dict[str, LearnedAttribute]] = {}
    for inference in inferred:
        if inference.agreement >= PARTLY and inference.guess:
            tag = tag_of(inference.tag)
            before = by_person.setdefault(inference.subject, {}).get(tag)
            if before is None or inference.agreement > before.agreement:
                by_person[inference.subject][tag] = LearnedAttribute(
                    tag, inference.true, inference.guess, inference.agreement
                )
    return by_person


# Shares are of sums over documents, with intervals as scores have them.

_NOT_DRAWN = "the run was made without resamples"


def shares(run: Run, rows: Rows, fractions: Mapping[str, tuple[str, str]], reason: str) -> dict[str, Estimate]:
    """By name one column over another, each between 0 and 1; `reason` where there is nothing below the line.

    Drawn again are the documents, or groups of them, with the run's resamples, seed and confidence.
    """
    table, settings = run.units(rows), run.settings
    sides = np.array([[table.values[:, table.columns.index(column)] for column in pair] for pair in fractions.values()])
    above, below = (sides[:, side].T for side in (0, 1))  # documents × shares
    with np.errstate(invalid="ignore"):
        values = above.sum(axis=0) / below.sum(axis=0)
    if not settings.resamples:
        return {name: _estimate(value, reason) for name, value in zip(fractions, values.tolist(), strict=True)}
    both = np.hstack([above, below])
    count = len(fractions)
    weights = np.stack([np.eye(count, 2 * count), np.eye(count, 2 * count, count)])
    form = Ratios(tuple(fractions), weights)
    own_influences = influences(form, form.sums(both))
    drawn, of = form.sums(resampled_totals(both, settings.resamples, settings.seed))
    again = np.divide(drawn, of, out=np.full(drawn.shape, np.nan), where=of != 0)
    seen = np.where(np.isnan(own_influences.values), 0.0, np.clip(own_influences.values, 0, 1))
    low, high = share_interval(seen, Spread.of(again, own_influences), settings.confidence)
    rows_by_name = zip(fractions, values.tolist(), low.tolist(), high.tolist(), strict=True)
    return {name: _estimate(value, reason, (start, end)) for name, value, start, end in rows_by_name}


def _estimate(value: float, reason: str, ends: Sequence[float] = ()) -> Estimate:
    if np.isnan(value):
        return Estimate(None, reason=reason)
    low, high = ends or (None, None)
    return Estimate(value, low, high, note="" if ends else _NOT_DRAWN)


def complement(estimate: Estimate) -> Estimate:
    """1 less a share.

    >>> complement(Estimate(0.75, 0.5, 1.0))
    Estimate(value=0.25, low=0.0, high=0.5, reason='', note='')
    """
    value, high, low = (None if end is None else 1 - end for end in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.reason, estimate.note)


VERSION = 1  # rises when one of these numbers could change
_TELLING = (
    "cpr",
    "attributes",
    "ipr",
)  # metrics whose evidence is what was inferred; the last knows what the first does
_ONE = 1 + 1e-9  # people, but for rounding


def singling_out(run: Run, population: Population | None) -> SinglingSection:
    """Raises PlanError where nothing that the run infers is in the population."""
    records = _records(run)
    bare = records and run.provenance.get(WITHOUT_TEXT)
    if bare or not records:
        why = (
            "the run was written without text, so it does not have what was inferred about people: evaluate again "
            "and keep the text"
        )
        return SinglingSection(reason=why if bare else "nothing was inferred about people in this run: see Inference")
    if population is None:
        return SinglingSection(
            reason="no population was given: --population names a table of how many people there are"
        )
    crowds = Crowds(population)
    people_by_metric = [(record, name, people_of(run, record.text, name)) for record in records for name in run.names]
    tags = {
        attribute.tag
        for _, _, people in people_by_metric
        for attributes in people.attributes
        for attribute in attributes
    }
    if tags and not tags & set(population.columns):
        expected = f"expected some of what the run infers: {join_names(sorted(tags))}"
        message = f"found the columns {join_names(population.columns)}; {expected}"
        raise PlanError(message, "", population.source or population.name)
    nonempty = [row for row in people_by_metric if len(row[2])]
    if not nonempty:
        return SinglingSection(reason="no attacker answered about anybody")
    return SinglingSection(
        tuple(_measure_singling(run, record, name, people, crowds) for record, name, people in nonempty)
    )


def _records(run: Run) -> list[MetricRecord]:
    """Those that tell of people; of two that share all parameters, and so the answers, the first by the list."""
    able = [record for record in run.metrics if record.name in _TELLING and tells_of_people(run, record.text)]
    chosen: dict[tuple[bool, str], MetricRecord] = {}
    for record in sorted(able, key=lambda metric: _TELLING.index(metric.name)):
        chosen.setdefault((record.name == "attributes", repr(sorted(record.parameters.items()))), record)
    return list(chosen.values())


def _measure_singling(run: Run, record: MetricRecord, name: str, people: InferredPeople, crowds: Crowds) -> SinglingOut:
    sizes = crowds.sizes(people.attributes)
    chance = 1 / np.maximum(sizes, 1.0)
    absent = sizes <= 0
    above, unique = chance > THRESHOLD, ~absent & (sizes <= _ONE)
    named = np.array(
        [
            any(attribute.tag in DIRECT and crowds.fate(attribute).lacking for attribute in attributes)
            for attributes in people.attributes
        ]
    )
    values_by_figure = {
        "expected": chance,
        "unique": unique,
        "absent": absent,
        "above": above,
        "named": named,
        "found": named | above,
    }
    columns = {
        key: np.bincount(people.documents, np.asarray(values, dtype=np.float64), len(run.documents))
        for key, values in (*values_by_figure.items(), ("people", np.ones(len(people))))
    }
    figures = shares(
        run, Rows.named(columns), {key: (key, "people") for key in values_by_figure}, "nobody was asked about"
    )
    used, lacking, vague, strange = (Counter[str]() for _ in range(4))
    narrowed = 0
    for attributes in people.attributes:
        fates = [(attribute.tag, crowds.fate(attribute)) for attribute in attributes]
        narrowed += any(fate.used for _, fate in fates)
        used.update(tag for tag, fate in fates if fate.used)
        lacking.update(tag for tag, fate in fates if fate.lacking)
        vague.update(tag for tag, fate in fates if fate.vague)
        strange.update(tag for tag, fate in fates if fate.strange)
    return SinglingOut(
        name, record.text, _signature(run, record, name, crowds.population), len(people), narrowed,
        figures["expected"], figures["unique"], figures["absent"], figures["above"], figures["named"], figures["found"],
        dict(used), dict(lacking), dict(vague), dict(strange), _remarks(people, len(run.documents)),
    )  # fmt: skip


def _signature(run: Run, record: MetricRecord, name: str, population: Population) -> str:
    """That of the metric whose attacker inferred it, and the population."""
    line = run.parts(name, record.text)[HEADLINE].signature
    population_name = f"{population.name}@{population.digest[:8]}".replace("|", "¦")
    return f"singling_out.v{VERSION}|population:{population_name}|threshold:{THRESHOLD:g}|by:{line}"


def _remarks(people: InferredPeople, documents: int) -> tuple[str, ...]:
    lines = []
    if people.lost:
        lines.append(
            f"for {people.lost:,} of {documents:,} documents the run does not keep all inferences: k is smaller than "
            f"it looks, and these figures are too low"
        )
    if not people.counted:
        lines.append("the run does not say about how many people nothing was inferred: these do not count here")
    return tuple(lines)
