"""The people of a run's documents, and what was inferred of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from showthrough.analysis.risk.learned import Learned
from showthrough.axis.spans import Ints
from showthrough.data.population import tag_of
from showthrough.inference.agreement import PARTLY
from showthrough.metrics.inference.parts import INFERENCES, PEOPLE
from showthrough.run.records import Inferred
from showthrough.run.run import Run
from showthrough.run.stored import numbered


@dataclass(frozen=True)
class People:
    """Everybody who was asked about, by document: the place of that in the run, and what was learned of them."""

    documents: Ints
    known: list[frozenset[Learned]]
    lost: int = 0  # documents of which the run does not keep all that was inferred
    counted: bool = True  # false: nobody knows of how many people nothing was inferred

    def __len__(self) -> int:
        return len(self.known)


def tells_of_people(run: Run, metric: str) -> bool:
    """Whether the rows of a metric count people, or what was inferred of somebody is kept."""
    return bool(run.evidence.get(metric)) or any(PEOPLE in columns for columns in run.rows.get(metric, {}).values())


def people_of(run: Run, metric: str, name: str) -> People:
    """Those of whom nothing was inferred are there too: the rows say how many people there are in a document."""
    seen = run.evidence.get(metric, {}).get(name, {})
    columns = run.rows[metric][name]
    whole, inferences = (columns.get(column, np.zeros(len(run.documents))) for column in (PEOPLE, INFERENCES))
    documents: list[int] = []
    known: list[frozenset[Learned]] = []
    lost = 0
    shown = {number: one.inferred for number, _, one in numbered(run.documents, seen)}
    counted = np.flatnonzero((np.asarray(whole) > 0) | (np.asarray(inferences) > 0))
    for place in sorted({*counted.tolist(), *shown}):
        inferred = shown.get(place, [])
        lost += len(inferred) < inferences[place]
        some = [frozenset(by_tag.values()) for by_tag in _learned(inferred).values()]
        some += [frozenset()] * (int(whole[place]) - len(some))
        known += some
        documents += [place] * len(some)
    return People(np.array(documents, dtype=np.int64), known, lost, PEOPLE in columns)


def _learned(inferred: list[Inferred]) -> dict[str, dict[str, Learned]]:
    """By person and tag what agrees best, where it agrees at all."""
    found: dict[str, dict[str, Learned]] = {}
    for one in inferred:
        if one.agreement >= PARTLY and one.guess:
            tag = tag_of(one.tag)
            before = found.setdefault(one.subject, {}).get(tag)
            if before is None or one.agreement > before.agreement:
                found[one.subject][tag] = Learned(tag, one.true, one.guess, one.agreement)
    return found
