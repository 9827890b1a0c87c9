"""How surely a number reaches a threshold: for the page, the gate and whoever else asks.

*Met*: also the cautious end of its interval does, so chance in the choice of documents hardly made it. *Unsure*: the
number does, but its interval does not, or there is another reason to doubt it. *Missed*: the number does not.
*Unknown*: there is no number, or none that tells anything. A number that can have no interval is graded as it is,
and says so. Nothing here says that a release is safe: a threshold is met on these documents, by what was measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from showthrough.core.errors import PlanError, ResourceError, join_names, shorten
from showthrough.data.silver import akin
from showthrough.metrics import HEADLINE, parse_metric
from showthrough.metrics.base import OUTSIDE, Role
from showthrough.metrics.matching.entities import NEARLY
from showthrough.run.gate.sample_size import Need, count_needed
from showthrough.run.records import Input, MetricRecord, Score
from showthrough.run.roles import as_many_even, choose_metric, find_metrics, goes_first, in_all, own_detector
from showthrough.run.run import Run
from showthrough.run.slices import GroupScore, slice_fault, worst_group
from showthrough.run.thresholds import End, Threshold
from showthrough.statistics import ALIKE, FEW, LEAST_UNITS

Grade = Literal["met", "unsure", "missed", "unknown"]
PASSED, FAILED, UNSURE = 0, 1, 3  # exit statuses; 2 is a bad request
_STATUSES: dict[Grade, int] = {"met": PASSED, "unsure": UNSURE, "missed": FAILED, "unknown": FAILED}

# Where nobody says otherwise. That 95 % of what identifies should be hidden is the rule of thumb that the organizers of
# i2b2 2014 quote (Stubbs, Kotfila and Uzuner 2015); at most 9 % re-identified is what the European Medicines Agency
# recommends for published clinical reports (Policy 0070, external guidance, 2016).
DEFAULTS: tuple[tuple[Role, End, float], ...] = (
    ("direct identifiers", "min", 0.95),
    ("quasi-identifiers", "min", 0.95),
    ("recall", "min", 0.95),
    ("attack", "max", 0.09),
)
_GRAVE: tuple[Role, ...] = ("direct identifiers", "attack")  # to miss these is a miss, whoever asked for what
_FAR = f"{OUTSIDE}:"  # a column that is there where most texts are unlike what a verifier learned from
# These read the release, and cannot tell whether an identifier was missed.
_BLIND: tuple[Role, ...] = ("residual", "inconsistency")
UNJUDGED = "no number of this run shows whether an identifier is left in the release"
_NAMED = 60  # characters of names of groups in a sentence
_UNLIKE = 0.05  # of the documents: with more that are unlike their originals, numbers say little


@dataclass(frozen=True)
class Demand:
    """What a number is to reach. A usual one stands beside what somebody asked for, and bears on less."""

    threshold: Threshold
    usual: bool = False
    grave: bool = False


@dataclass(frozen=True)
class Grading:
    """One number beside what was asked of it."""

    demand: Demand
    score: Score | None
    grade: Grade
    why: str = ""  # it is graded so and not otherwise, where number and interval do not tell
    group: str = ""  # of the documents that the number is of; empty: all
    need: Need | None = None  # how many more documents would do, where it is unsure

    @property
    def threshold(self) -> Threshold:
        return self.demand.threshold

    @property
    def cautious(self) -> float | None:
        """The end of the interval that counts against it."""
        return None if self.score is None else self.score.low if self.threshold.end == "min" else self.score.high

    @property
    def bearing(self) -> Grade:
        """What it adds to a verdict: of a usual threshold that nobody asked for, a grave miss alone.

        That nobody marked any direct identifier is no miss.
        """
        if not self.demand.usual:
            return self.grade
        nothing = self.score is not None and self.score.value is None and self.threshold.end == "min"
        grave = self.demand.grave and (self.grade == "missed" or (self.grade == "unknown" and not nothing))
        return self.grade if grave else "met"


def demands_of(run: Run, thresholds: Sequence[Threshold] = (), only: bool = False) -> list[Demand]:
    """What a run has to reach: what is asked here, else what it was asked for, and the usual thresholds beside that.

    Where nobody asked for anything the usual ones are what is asked. With `only` nothing stands beside.
    """
    thresholds = list(thresholds) or list(run.thresholds)
    usual = usual_thresholds(run, thresholds)
    if not thresholds:
        return [Demand(threshold, grave=grave) for threshold, grave in usual]
    return [*map(Demand, thresholds), *(Demand(threshold, True, grave) for threshold, grave in usual if not only)]


def usual_thresholds(run: Run, thresholds: Sequence[Threshold] = ()) -> Iterator[tuple[Threshold, bool]]:
    """The usual thresholds on what a run has, and whether missing one is grave; none on a number that has one already.

    Who asked for the same metric with other parameters has said how much is enough. Who asked for more of another
    metric of the same role means this one too; who asked for less has to name it. Of quasi-identifiers nothing is asked
    where nobody marked any.
    """
    records = {role: _find_records(run, role) for role, _, _ in DEFAULTS}
    if records["direct identifiers"] or records["quasi-identifiers"]:
        records["recall"] = []  # it counts the same once more, word by word
    limits = {
        (threshold.metric, threshold.end): threshold.limit
        for threshold in thresholds
        if threshold.part == HEADLINE and not threshold.slice
    }
    names = {record.text: record.name for record in run.metrics}
    for role, end, usual in DEFAULTS:
        strictest = max if end == "min" else min
        playing_it = {record.text for record in run.metrics if role in record.roles}
        own = {text: limit for (text, at), limit in limits.items() if at == end and text in playing_it}
        for record in records[role]:
            if (record.text, end) in limits or (role == "quasi-identifiers" and _counts_nothing(run, record)):
                continue
            same = [limit for text, limit in own.items() if names[text] == record.name]
            limit = strictest(same or [*own.values(), usual])
            yield Threshold(record.text, end, limit), role in _GRAVE


def _counts_nothing(run: Run, record: MetricRecord) -> bool:
    """Whether there is nothing in these documents that a number counts."""
    columns = [column for column, kind in record.counts.items() if kind == "all"]
    rows = run.rows.get(record.text, {})
    return bool(columns and rows) and not any(in_all(of.get(name, ())) for of in rows.values() for name in columns)


def _find_records(run: Run, role: Role) -> list[MetricRecord]:
    """What a usual threshold is on: every attack, since the strongest counts; of all else the one to speak of.

    What failed is asked for too: no number is no pass.
    """
    failed = {failure.metric for failure in run.failures} - run.rows.keys()
    lacking = [record for record in run.metrics if role in record.roles and record.text in failed]
    if role == "attack":
        return [*find_metrics(run, role), *lacking]
    record = choose_metric(run, role)
    if record is None:
        return lacking[:1]
    before = [candidate for candidate in lacking if goes_first(candidate) > goes_first(record)]
    return before[:1] or [record]


def grade_demand(run: Run, name: str, demand: Demand, *, only: bool = False) -> Grading:
    """How surely one anonymization reaches a threshold; with `only`, whatever else the run tells of the release."""
    threshold = demand.threshold
    if threshold.slice:
        return _grade_groups(run, name, demand, only=only)
    score = run.parts(name, threshold.metric).get(threshold.part or HEADLINE)
    if score is None or score.value is None:
        return Grading(demand, score, "unknown")
    if not threshold.holds(score.value):
        return Grading(demand, score, "missed")
    if own := _own_marks(run, name, threshold.metric) or _own_detector(run, name, threshold.metric):
        return Grading(demand, score, "unknown", own)
    if not (only or is_judged(run, name)):
        return Grading(demand, score, "unsure", UNJUDGED)  # of which more documents would make nobody sure
    grading = _by_interval(run, Grading(demand, score, "met"))
    doubt = next(_doubts(run, name, threshold, score.value), "")
    if grading.grade == "met" and doubt:
        return replace(grading, grade="unsure", why=doubt)
    return grading


def _grade_groups(run: Run, name: str, demand: Demand, *, only: bool) -> Grading:
    """The same of a limit on one group, or on the worst: then every group has to reach it.

    A group that is too small, or has no number, shows nothing. That none of the others misses the limit is then not
    sure.
    """
    threshold = demand.threshold
    groups = run.slices[threshold.slice].of(name, threshold.metric) if threshold.slice in run.slices else []
    if threshold.group:
        groups = [score for score in groups if score.group == threshold.group]
    enough = [score for score in groups if score.value is not None and (threshold.group or not score.is_small)]
    worst = worst_group(enough, "higher" if threshold.end == "min" else "lower", small=True)
    if worst is None or worst.value is None:
        why = _why_no_group(run, threshold, groups)
        return Grading(demand, _score_of(groups[0], why) if groups else None, "unknown", why)
    grading = Grading(demand, _score_of(worst), "met", group=worst.group)
    if not threshold.holds(worst.value):
        return replace(grading, grade="missed")
    if own := _own_marks(run, name, threshold.metric) or _own_detector(run, name, threshold.metric):
        return replace(grading, grade="unknown", why=own)
    if not (only or is_judged(run, name)):
        return replace(grading, grade="unsure", why=UNJUDGED)
    doubt = next(_group_doubts(run, threshold, groups), "") or next(_doubts(run, name, threshold, worst.value), "")
    return replace(grading, grade="unsure", why=doubt) if doubt else grading


def _why_no_group(run: Run, threshold: Threshold, groups: Sequence[GroupScore]) -> str:
    if not groups:
        return slice_fault(run.slices, threshold.slice, threshold.group, threshold.metric) or "it was not computed"
    reason = next((score.reason for score in groups if score.reason), "")
    return f"no group has a number and {LEAST_UNITS} {run.unit}s{f' ({reason})' if reason else ''}"


def _group_doubts(run: Run, threshold: Threshold, groups: Sequence[GroupScore]) -> Iterator[str]:
    """Why it is not sure that a limit holds in every group, whatever the numbers of the groups."""
    small = [score.group for score in groups if score.value is not None and score.is_small]
    if small:
        which = join_names(map(shorten, small), _NAMED)
        yield f"too few {run.unit}s to tell in {which}: {LEAST_UNITS} are needed in a group"
    for score in groups:
        end = score.low if threshold.end == "min" else score.high
        if score.value is None or score.is_small:
            continue
        if end is None:
            yield f"the number of {shorten(score.group)} has no interval{f': {score.note}' if score.note else ''}"
        elif not threshold.holds(end):
            direction = "down" if threshold.end == "min" else "up"
            yield f"the interval of {shorten(score.group)} reaches {direction} to {end:.3f}"
        elif score.even is not None and score.even < FEW:
            few = f"a few {run.unit}s weigh most, as if there were only {score.even:.1f}"
            yield f"in {shorten(score.group)} {few}"
    of_entities = run.slices[threshold.slice].of_entities  # a type that a number does not count is none of its groups
    if undefined := [score for score in groups if score.value is None and not (of_entities and not score.units)]:
        which = join_names((shorten(score.group) for score in undefined), _NAMED)
        yield f"there is no number for {which}: {undefined[0].reason}"


def _score_of(score: GroupScore, reason: str = "") -> Score:
    """The number of a group as one of a run."""
    name, metric, note = score.anonymization, score.metric, score.note
    return Score(name, metric, HEADLINE, score.value, score.low, score.high, score.reason or reason, "", note)


def _by_interval(run: Run, grading: Grading) -> Grading:
    """What the interval of a number that holds says of it."""
    threshold, score = grading.threshold, grading.score
    if grading.cautious is not None and score is not None:
        if threshold.holds(grading.cautious):
            return grading
        return replace(
            grading,
            grade="unsure",
            need=count_needed(threshold, score, run.settings.confidence, run.unit_count, run.unit),
        )
    fault = "" if score is None else score.note
    if fault and fault != ALIKE:
        return replace(grading, why=f"it can have no interval: {fault}")
    return replace(grading, grade="unsure", why=f"it has no interval{f': {fault}' if fault else ''}")


def _own_marks(run: Run, name: str, metric: str) -> str:
    """Why a number tells nothing of a system that is scored against its own marks, or those of its family."""
    if not run.corpus.silver or not reads_marks(metric):
        return ""
    record = input_of(run, name)
    anonymizer = record.made.anonymizer if record.made else ""
    family = akin(run.corpus.silver, [record.name, record.source], anonymizer)
    return f"it is scored against marks that {shorten(family)} made, a program of its own family" if family else ""


def _own_detector(run: Run, name: str, metric: str) -> str:
    """The same of a system whose release is searched by what it searched itself."""
    detectors = (own_detector(run, name, record) for record in run.metrics if record.text == metric)
    detector = next(filter(None, detectors), "")
    return f"the detector {shorten(detector)} looks for what it hides itself" if detector else ""


def is_judged(run: Run, name: str) -> bool:
    """Whether a number of the run tells of one anonymization what can still be read, or found out, in its release."""
    return any(_has_number(run, name, record) for record in run.metrics if _judges(record))


def _judges(record: MetricRecord) -> bool:
    """Scores of challenges compare spans and types alone, and need every span: they are no judge of what is left."""
    if record.group != "privacy" or not {*_BLIND}.isdisjoint(record.roles):
        return False
    try:
        return not parse_metric(record.text).spans_and_types
    except (PlanError, ResourceError):
        return True


def _has_number(run: Run, name: str, record: MetricRecord) -> bool:
    """By the number that a metric is known by, or by any where it is known by several."""
    parts = run.parts(name, record.text)
    scores = [parts[HEADLINE]] if HEADLINE in parts else list(parts.values())
    return any(score.value is not None for score in scores)


def reads_marks(metric: str) -> bool:
    """Whether a number rests on what was marked; so it is taken where nobody can tell."""
    try:
        return "gold" in parse_metric(metric).needs
    except (PlanError, ResourceError):
        return True


def input_of(run: Run, name: str) -> Input:
    return next(record for record in [*run.anonymizations, *run.references] if record.name == name)


def is_unlike(run: Run, name: str) -> int:
    """How many releases are unlike their originals, where these are more than a few; else 0."""
    unlike = input_of(run, name).unlike
    return unlike if unlike > _UNLIKE * len(run.documents) else 0


def _doubts(run: Run, name: str, threshold: Threshold, value: float) -> Iterator[str]:
    """Why nothing is sure of a number, whatever its interval says."""
    metric = threshold.metric
    record = next((candidate for candidate in run.metrics if candidate.text == metric), None)
    nearly = run.parts(name, metric).get(NEARLY) if record and goes_first(record) else None
    if nearly is not None and nearly.value and not threshold.holds(value - nearly.value):
        yield f"a further share of {nearly.value:.3f} is nearly readable, and with it the number misses the threshold"
    if run.corpus.doubtful:
        yield f"{run.corpus.doubtful:,} documents may be of one person: say which belong together with --group-by"
    if unlike := is_unlike(run, name):
        yield f"{unlike:,} of {len(run.documents):,} documents are unlike their originals"
    far = [column.partition(":")[2] for column in run.rows.get(metric, {}).get(name, ()) if column.startswith(_FAR)]
    if far:
        yield f"most of its texts are unlike everything that {' and '.join(map(shorten, far))} learned from"
    even = as_many_even(run, name, metric, threshold.part)
    if even is not None and even < FEW:
        yield f"a few {run.unit}s weigh most, as if there were only {even:.1f}"


def status_of(run: Run) -> int:
    """The exit status of a command that was told what a run has to reach: that of its worst anonymization."""
    demands = demands_of(run)
    return _STATUSES[overall(grade_demand(run, name, demand).bearing for name in run.names for demand in demands)]


def overall(grades: Iterable[Grade]) -> Grade:
    """The worst that was given: a number that is not there may be any.

    >>> overall(["met", "unsure"]), overall(["missed", "unknown", "met"]), overall([])
    ('unsure', 'missed', 'unknown')
    """
    ranked: Sequence[Grade] = ("met", "unsure", "unknown", "missed")
    return max(grades, key=ranked.index, default="unknown")
