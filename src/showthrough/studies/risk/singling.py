"""Singling out: how many of a population are like each person of the documents, by what was inferred of them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from showthrough.analysis.risk.crowds import Crowds
from showthrough.analysis.risk.estimates import shares
from showthrough.analysis.risk.learned import DIRECT
from showthrough.analysis.risk.people import People, people_of, tells_of_people
from showthrough.analysis.risk.values import THRESHOLD, Singled, SinglingOut
from showthrough.data.population import Population
from showthrough.errors import PlanError, some
from showthrough.metrics import HEADLINE, Rows
from showthrough.run.records import MetricRecord
from showthrough.run.run import WITHOUT_TEXT, Run

VERSION = 1  # rises when one of these numbers could change
_TELLING = (
    "cpr",
    "attributes",
    "ipr",
)  # metrics whose evidence is what was inferred; the last knows what the first does
_ONE = 1 + 1e-9  # people, but for rounding


def singling_out(run: Run, population: Population | None) -> Singled:
    """Raises PlanError where nothing that the run infers is in the population."""
    records = _records(run)
    bare = records and run.provenance.get(WITHOUT_TEXT)
    if bare or not records:
        why = "the run was written without text, and so without what was inferred of anybody: keep it"
        return Singled(reason=why if bare else "the run has nothing that was inferred of people: see Inference")
    if population is None:
        return Singled(reason="no population was given: --population names a table of how many people there are")
    crowds = Crowds(population)
    found = [(record, name, people_of(run, record.text, name)) for record in records for name in run.names]
    tags = {one.tag for _, _, people in found for known in people.known for one in known}
    if tags and not tags & set(population.columns):
        message = (
            f"found the columns {some(population.columns)}; expected some of what the run infers: {some(sorted(tags))}"
        )
        raise PlanError(message, "", population.source or population.name)
    there = [one for one in found if len(one[2])]
    if not there:
        return Singled(reason="no attacker answered about anybody")
    return Singled(tuple(_singled(run, record, name, people, crowds) for record, name, people in there))


def _records(run: Run) -> list[MetricRecord]:
    """Those that tell of people; of two that share all parameters, and so the answers, the first by the list."""
    able = [one for one in run.metrics if one.name in _TELLING and tells_of_people(run, one.text)]
    kept: dict[tuple[bool, str], MetricRecord] = {}
    for one in sorted(able, key=lambda record: _TELLING.index(record.name)):
        kept.setdefault((one.name == "attributes", repr(sorted(one.parameters.items()))), one)
    return list(kept.values())


def _singled(run: Run, record: MetricRecord, name: str, people: People, crowds: Crowds) -> SinglingOut:
    sizes = crowds.sizes(people.known)
    chance = 1 / np.maximum(sizes, 1.0)
    absent = sizes <= 0
    above, unique = chance > THRESHOLD, ~absent & (sizes <= _ONE)
    named = np.array([any(one.tag in DIRECT and crowds.fate(one).lacking for one in known) for known in people.known])
    each = {
        "expected": chance,
        "unique": unique,
        "absent": absent,
        "above": above,
        "named": named,
        "found": named | above,
    }
    columns = {
        key: np.bincount(people.documents, np.asarray(values, dtype=np.float64), len(run.documents))
        for key, values in (*each.items(), ("people", np.ones(len(people))))
    }
    found = shares(run, Rows.named(columns), {key: (key, "people") for key in each}, "nobody was asked about")
    used, lacking, vague, strange = (Counter[str]() for _ in range(4))
    narrowed = 0
    for known in people.known:
        fates = [(one.tag, crowds.fate(one)) for one in known]
        narrowed += any(fate.used for _, fate in fates)
        used.update(tag for tag, fate in fates if fate.used)
        lacking.update(tag for tag, fate in fates if fate.lacking)
        vague.update(tag for tag, fate in fates if fate.vague)
        strange.update(tag for tag, fate in fates if fate.strange)
    return SinglingOut(
        name, record.text, _signature(run, record, name, crowds.population), len(people), narrowed,
        found["expected"], found["unique"], found["absent"], found["above"], found["named"], found["found"],
        dict(used), dict(lacking), dict(vague), dict(strange), _remarks(people, len(run.documents)),
    )  # fmt: skip


def _signature(run: Run, record: MetricRecord, name: str, population: Population) -> str:
    """That of the metric whose attacker inferred it, and the population."""
    line = run.parts(name, record.text)[HEADLINE].signature
    known = f"{population.name}@{population.digest[:8]}".replace("|", "¦")
    return f"singling_out.v{VERSION}|population:{known}|threshold:{THRESHOLD:g}|by:{line}"


def _remarks(people: People, documents: int) -> tuple[str, ...]:
    lines = []
    if people.lost:
        lines.append(
            f"of {people.lost:,} of {documents:,} documents the run does not keep all that was inferred: k is smaller "
            "than it looks, and these figures are too low"
        )
    if not people.counted:
        lines.append("the run does not say of how many people nothing was inferred: those are not counted here")
    return tuple(lines)
