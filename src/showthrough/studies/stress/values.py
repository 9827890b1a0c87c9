"""What a stress test found, as values, and the gate on its largest loss."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from showthrough.core.errors import PlanError, shorten
from showthrough.run.gate.checks import DOCUMENTS
from showthrough.run.gate.grading import FAILED, PASSED, UNSURE

METRICS = ("removed_di", "removed_qi", "precision")
BY_TYPE = "removed"
CONTROL = "every mark masked"

State = Literal["loss", "gain", "unsure", "not shown", "unknown"]


class StressDifference(msgspec.Struct, frozen=True):
    """One number of one system, before and after a perturbation."""

    system: Annotated[str, "whose number it is"]
    perturbation: Annotated[str, "what was done to the documents"]
    metric: Annotated[str, "the metric"]
    part: Annotated[str, "the entity type; empty: all"]
    original: Annotated[float | None, "the number on the original; null where it is undefined"]
    perturbed: Annotated[float | None, "the number on the perturbed corpus"]
    difference: Annotated[float | None, "perturbed minus original; null where one is undefined"]
    low: Annotated[float | None, "the lower end of the difference's interval"]
    high: Annotated[float | None, "the upper end of the difference's interval"]
    p_holm: Annotated[float | None, "how likely chance makes it, corrected for all systems and perturbations"]
    state: Annotated[State, "what can be said: loss, gain, unsure (before correction alone), not shown or unknown"]
    note: Annotated[str, "why something is missing"] = ""


class PerturbedCorpus(msgspec.Struct, frozen=True):
    """One perturbation of the corpus, and how much it changed."""

    name: Annotated[str, "as it is written"]
    summary: Annotated[str, "what it does"]
    scope: Annotated[str, "where: in the whole text, in marks, or in marked names of persons"]
    rate: Annotated[float, "the share of words or places that it changes"]
    documents: Annotated[int, "documents that are not as they were"]
    units: Annotated[int, "independent units that these are"]
    marks: Annotated[int, "marks whose text is not as it was"]
    control: Annotated[dict[str, float | None], "how far each metric changes if exactly the marks are masked"] = {}


class BrokenDocument(msgspec.Struct, frozen=True):
    """A document of which more can be read after a perturbation."""

    document: Annotated[str, "its id"]
    system: Annotated[str, "who anonymized it"]
    perturbation: Annotated[str, "the perturbation that exposed most in it"]
    direct: Annotated[int, "direct identifiers that can be read in addition"]
    quasi: Annotated[int, "quasi-identifiers that can be read in addition"]
    strings: Annotated[list[str], "some of what can be read in addition: words of the document"] = []


class StressGate(msgspec.Struct, frozen=True):
    """Whether the largest loss keeps a limit."""

    limit: Annotated[float, "how much may be lost"]
    status: Annotated[int, "0: kept by the cautious ends of all intervals; 1: exceeded or unknown; 3: not sure"]
    said: Annotated[str, "why, in words"]
    lost: Annotated[float | None, "the largest loss; below 0 if every number rose"] = None
    most: Annotated[float | None, "the largest loss that the intervals and the control do not exclude"] = None


class StressStudy(msgspec.Struct, frozen=True):
    """What systems lose on documents that are harder to read."""

    corpus: Annotated[str, "its name"]
    digest: Annotated[str, "changes whenever the corpus does"]
    sample: Annotated[str, "how many documents there are, in words"]
    units: Annotated[int, "how many independent units there are"]
    seed: Annotated[int, "of the perturbations and of the resampling"]
    confidence: Annotated[float, "of the intervals"]
    systems: Annotated[list[str], "in the order of the tables"]
    perturbations: Annotated[list[PerturbedCorpus], "what was done to the corpus"]
    differences: Annotated[list[StressDifference], "every number before and after"]
    broken: Annotated[list[BrokenDocument], "the documents that broke worst"]
    notes: Annotated[list[str], "what a reader must know besides, a sentence each"]
    gate: Annotated[StressGate | None, "whether the largest loss keeps a limit; null where nobody set one"] = None

    def without_text(self) -> StressStudy:
        """The same without words of documents."""
        broken = [msgspec.structs.replace(case, strings=[]) for case in self.broken]
        return msgspec.structs.replace(self, broken=broken)

    def of(self, system: str, metric: str, part: str = "") -> list[StressDifference]:
        """All differences of one number, one for each perturbation."""
        return [row for row in self.differences if (row.system, row.metric, row.part) == (system, metric, part)]

    def check(self, limit: float) -> StressGate:
        """Whether no number of any system falls by more than a limit, by the cautious ends of the intervals."""
        return _check(self, limit)


def _check(study: StressStudy, limit: float) -> StressGate:
    if not 0 <= limit <= 1:
        raise PlanError(f"found {limit:g}; expected a number from 0 to 1", "max-loss")
    judged = [row for row in study.differences if not row.part and row.metric in METRICS and row.original is not None]
    if not judged:
        return StressGate(limit, FAILED, "no number has a value on the original")
    unknown = [row for row in judged if row.difference is None]
    lost = max((-row.difference for row in judged if row.difference is not None), default=None)
    # Where the search itself finds less than before, so much of a loss may be hidden.
    hidden = {
        (row.name, metric): max(value or 0.0, 0.0)
        for row in study.perturbations
        for metric, value in row.control.items()
    }
    ends = [None if row.low is None else hidden[row.perturbation, row.metric] - row.low for row in judged]
    sure = [end for end in ends if end is not None]
    most = max(sure, default=None)
    if lost is not None and lost > limit:
        worst = max(judged, key=lambda row: -(row.difference or 0))
        return StressGate(limit, FAILED, f"{_words(worst)} falls by {lost:.3f}", lost, most)
    if unknown:
        return StressGate(limit, FAILED, f"{_words(unknown[0])} has no value: {unknown[0].note}", lost, most)
    if study.units < DOCUMENTS:
        return StressGate(
            limit, UNSURE, f"{study.units} independent documents are too few; {DOCUMENTS} are needed", lost, most
        )
    if len(sure) < len(ends):
        return StressGate(limit, UNSURE, f"{_words(judged[ends.index(None)])} has no interval", lost, most)
    if most is not None and most > limit:
        worst = judged[ends.index(most)]
        return StressGate(limit, UNSURE, f"{_words(worst)} may fall by up to {most:.3f}", lost, most)
    return StressGate(limit, PASSED, f"no number falls by more than {most:.3f}, by its interval", lost, most)


def _words(row: StressDifference) -> str:
    return f"{row.metric} of {shorten(row.system)} after {row.perturbation}"
