"""The people of a run's documents, and what was inferred of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from showthrough.data.layout.spans import Ints
from showthrough.data.population import tag_of
from showthrough.families.inference.agreement import PARTLY
from showthrough.families.inference.parts import INFERENCES, PEOPLE
from showthrough.run.records import InferenceEvidence
from showthrough.run.run import Run
from showthrough.run.stored import iter_evidence
from showthrough.studies.risk.learned import LearnedAttribute


@dataclass(frozen=True)
class InferredPeople:
    """Everybody who was asked about, by document: the place of that in the run, and what was learned of them."""

    documents: Ints
    known: list[frozenset[LearnedAttribute]]
    lost: int = 0  # documents of which the run does not keep all that was inferred
    counted: bool = True  # false: nobody knows of how many people nothing was inferred

    def __len__(self) -> int:
        return len(self.known)


def tells_of_people(run: Run, metric: str) -> bool:
    """Whether the rows of a metric count people, or what was inferred of somebody is kept."""
    return bool(run.evidence.get(metric)) or any(PEOPLE in columns for columns in run.rows.get(metric, {}).values())


def people_of(run: Run, metric: str, name: str) -> InferredPeople:
    """Those of whom nothing was inferred are there too: the rows say how many people there are in a document."""
    seen = run.evidence.get(metric, {}).get(name, {})
    columns = run.rows[metric][name]
    people_counts, inferences = (columns.get(column, np.zeros(len(run.documents))) for column in (PEOPLE, INFERENCES))
    documents: list[int] = []
    attributes: list[frozenset[LearnedAttribute]] = []
    lost = 0
    inferred_by_document = {number: shown.inferred for number, _, shown in iter_evidence(run.documents, seen)}
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
