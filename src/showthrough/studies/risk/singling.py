"""Singling out: how many of a population are like each person of the documents, by what was inferred of them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from showthrough.core.errors import PlanError, join_names
from showthrough.data.population import Population
from showthrough.metrics import HEADLINE, Rows
from showthrough.run.records import MetricRecord
from showthrough.run.run import WITHOUT_TEXT, Run
from showthrough.studies.risk.crowds import Crowds
from showthrough.studies.risk.estimates import shares
from showthrough.studies.risk.learned import DIRECT
from showthrough.studies.risk.people import InferredPeople, people_of, tells_of_people
from showthrough.studies.risk.values import THRESHOLD, SinglingOut, SinglingSection

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
        why = "the run was written without text, and so without what was inferred of anybody: keep it"
        return SinglingSection(reason=why if bare else "the run has nothing that was inferred of people: see Inference")
    if population is None:
        return SinglingSection(
            reason="no population was given: --population names a table of how many people there are"
        )
    crowds = Crowds(population)
    people_by_metric = [(record, name, people_of(run, record.text, name)) for record in records for name in run.names]
    tags = {
        attribute.tag for _, _, people in people_by_metric for attributes in people.known for attribute in attributes
    }
    if tags and not tags & set(population.columns):
        message = f"found the columns {join_names(population.columns)}; expected some of what the run infers: {join_names(sorted(tags))}"
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
    sizes = crowds.sizes(people.known)
    chance = 1 / np.maximum(sizes, 1.0)
    absent = sizes <= 0
    above, unique = chance > THRESHOLD, ~absent & (sizes <= _ONE)
    named = np.array(
        [
            any(attribute.tag in DIRECT and crowds.fate(attribute).lacking for attribute in attributes)
            for attributes in people.known
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
    for attributes in people.known:
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
            f"of {people.lost:,} of {documents:,} documents the run does not keep all that was inferred: k is smaller "
            "than it looks, and these figures are too low"
        )
    if not people.counted:
        lines.append("the run does not say of how many people nothing was inferred: those are not counted here")
    return tuple(lines)
