"""How surely a number reaches a threshold.

*Met*: also the cautious end of its interval does, so chance in the choice of documents hardly made it. *Open*: the
number does, but its interval does not, or it has none. *Missed*: the number does not. *Unknown*: there is no number.
Nothing here says that a release is safe: a threshold is met on these documents, by what was measured in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from showthrough.metrics import HEADLINE
from showthrough.metrics.base import Role
from showthrough.run.records import MetricRecord, Score
from showthrough.run.roles import chosen, playing
from showthrough.run.run import Run
from showthrough.run.thresholds import End, Threshold

Grade = Literal["met", "open", "missed", "unknown"]

# Where nobody says otherwise. That 95 % of what identifies should be hidden is the rule of thumb that the organizers of
# i2b2 2014 quote (Stubbs, Kotfila and Uzuner 2015); at most 9 % re-identified is what the European Medicines Agency
# recommends for published clinical reports (Policy 0070, external guidance, 2016).
DEFAULTS: tuple[tuple[Role, End, float], ...] = (
    ("direct identifiers", "min", 0.95),
    ("quasi-identifiers", "min", 0.95),
    ("recall", "min", 0.95),
    ("attack", "max", 0.09),
)


@dataclass(frozen=True)
class Graded:
    """One number beside what was asked of it."""

    threshold: Threshold
    score: Score | None
    grade: Grade

    @property
    def cautious(self) -> float | None:
        """The end of the interval that counts against it."""
        return None if self.score is None else self.score.low if self.threshold.end == "min" else self.score.high


def thresholds_of(run: Run) -> list[Threshold]:
    """What a run was asked to reach, else the usual thresholds on what it has."""
    if run.thresholds:
        return list(run.thresholds)
    found = {role: _judging(run, role) for role, _, _ in DEFAULTS}
    if found["direct identifiers"] or found["quasi-identifiers"]:
        found["recall"] = []  # it counts the same once more, word by word
    return [Threshold(record.text, end, limit) for role, end, limit in DEFAULTS for record in found[role]]


def _judging(run: Run, role: Role) -> list[MetricRecord]:
    """What a usual threshold is on: every attack, since the strongest counts; of all else the one to speak of.

    What failed is asked for too: no number is no pass.
    """
    failed = {failure.metric for failure in run.failures} - run.rows.keys()
    lacking = [record for record in run.metrics if role in record.roles and record.text in failed]
    if role == "attack":
        return [*playing(run, role), *lacking]
    record = chosen(run, role)
    return lacking[:1] if record is None else [record]


def graded(run: Run, name: str, threshold: Threshold) -> Graded:
    """How surely one anonymization reaches a threshold."""
    score = run.parts(name, threshold.metric).get(threshold.part or HEADLINE)
    if score is None or score.value is None:
        return Graded(threshold, score, "unknown")
    if not threshold.holds(score.value):
        return Graded(threshold, score, "missed")
    end = score.low if threshold.end == "min" else score.high
    return Graded(threshold, score, "met" if end is not None and threshold.holds(end) else "open")


def overall(grades: Iterable[Grade]) -> Grade:
    """The worst that was given: a number that is not there may be any.

    >>> overall(["met", "open"]), overall(["missed", "unknown", "met"]), overall([])
    ('open', 'missed', 'unknown')
    """
    ranked: Sequence[Grade] = ("met", "open", "unknown", "missed")
    return max(grades, key=ranked.index, default="unknown")
