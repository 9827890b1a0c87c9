"""The verdict of a run: a sentence and grades for each anonymization, what was found, and what follows from it.

What follows from numbers is little: which anonymizations reach the thresholds, how surely, and which of these leaves
more use. That one reaches them is no promise that a release is safe, and is never said to be one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from showthrough.core.errors import shorten
from showthrough.report._sentences import caveats, sentence
from showthrough.report.cautions import cautions
from showthrough.report.findings import Finding, findings
from showthrough.report.section import sections_of_tables
from showthrough.report.significance import ALPHA, compare_pairs, is_tested, result
from showthrough.report.table import format_score
from showthrough.report.wording import Clause, join_names, markers, short_names, shortened, training_warnings
from showthrough.run.folders import PathNames
from showthrough.run.gate.checking import Gate
from showthrough.run.gate.checks import format_value
from showthrough.run.gate.grading import UNJUDGED, Grade, Grading, demands_of, grade_demand, overall
from showthrough.run.gate.reasons import ReleaseState
from showthrough.run.gate.sample_size import Need
from showthrough.run.gate.state import Decision, rank, without_folders
from showthrough.run.records import MetricRecord
from showthrough.run.roles import ATTACKS, INFORMATION, MEANING, PRECISION, choose_metric, find_metrics, headline
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold
from showthrough.run.weak_systems import almost_nothing

WORDS: dict[Grade, str] = {
    "met": "meets", "unsure": "is not sure to meet", "missed": "misses", "unknown": "is not judged by",
}  # fmt: skip


@dataclass(frozen=True)
class SystemVerdict:
    """One anonymization: what can be said of it, and how surely it reaches each threshold."""

    name: str
    sentence: Sequence[Clause]
    grades: Sequence[Grading]

    @property
    def first(self) -> list[Clause]:
        """What a first look must tell: all, where there is nothing but what it can do without."""
        return [clause for clause in self.sentence if not clause.aside] or list(self.sentence)

    @property
    def grade(self) -> Grade:
        """The worst that bears on it; usual thresholds beside what was asked bear on it where missing one is grave."""
        return overall(graded.bearing for graded in self.grades)

    @property
    def shortfall(self) -> tuple[int, float]:
        """How many thresholds it does not reach, and by how much in all: the least is closest."""
        short = [
            abs(graded.threshold.limit - graded.score.value)
            for graded in self.grades
            if graded.bearing == "missed" and graded.score is not None and graded.score.value is not None
        ]
        return len(short) + sum(graded.bearing == "unknown" for graded in self.grades), sum(short)

    @property
    def unmet_usual(self) -> list[Grading]:
        """Usual thresholds that are not met and do not bear on it."""
        return [graded for graded in self.grades if graded.demand.usual and graded.grade != graded.bearing]


@dataclass(frozen=True)
class Verdict:
    """All that a first look has to tell."""

    systems: Sequence[SystemVerdict]
    thresholds: Sequence[Threshold]
    has_thresholds: bool  # whether somebody set some of them
    cautions: Sequence[str]  # what goes before everything else
    findings: Sequence[Finding]
    decision: Decision  # what follows for a release, of the candidate or of the best
    recommendation: str  # empty where nothing has a threshold, or the run was interrupted
    caveats: Sequence[str]
    names: Mapping[str, str] = field(default_factory=dict)  # what metrics are called in short, by their text forms

    @property
    def state(self) -> str:
        """`Do not release. In the best candidate, 13 of 42 people can still be recognised.`, and which that is."""
        return state_words(self.decision)

    @property
    def usual(self) -> str:
        """Which thresholds nobody set."""
        if self.thresholds and not self.has_thresholds:
            return "The thresholds are the usual ones; --min METRIC=LIMIT and --max set others."
        usual = (
            [str(graded.threshold) for graded in self.systems[0].grades if graded.demand.usual] if self.systems else []
        )
        return f"Usual thresholds that nobody set: {', '.join(usual)}." if usual else ""


def judge(run: Run, gate: Gate | None = None, *, without_text: bool = False) -> list[Decision]:
    """What follows for a release, of each anonymization: the candidate of a gate first, or the best."""
    ranked = rank(run, gate or Gate())
    return [without_folders(decision, PathNames(run.metrics)) for decision in ranked] if without_text else ranked


def state_words(decision: Decision) -> str:
    """The state and its sentence, as the gate and the page say them; of several candidates also which one is meant."""
    name, count = shorten(decision.candidate), decision.best_of
    best = f" The best of {count:,} by these checks is {name}." if count else ""
    return f"{decision.state.title}. {decision.sentence}{best}"


def verdict(run: Run, ranked: Sequence[Decision] = ()) -> Verdict:
    """What a run says. Of one that was interrupted nothing: the documents that were done are no sample.

    `ranked` has what follows for each anonymization, if somebody judged it before.
    """
    ranked = ranked or judge(run)
    demands = demands_of(run) if run.complete else []
    systems = [
        SystemVerdict(name, sentence(run, name), [grade_demand(run, name, demand) for demand in demands])
        for name in run.names
    ]
    run_findings = findings(run) if run.complete else []
    rests = caveats(run) if run.complete else []
    names = short_names(run)
    return Verdict(
        systems,
        [demand.threshold for demand in demands],
        bool(run.thresholds),
        cautions(run),
        run_findings,
        ranked[0],
        shortened(_recommendation(run, systems, ranked), names),
        rests,
        names,
    )


def _recommendation(run: Run, systems: Sequence[SystemVerdict], ranked: Sequence[Decision]) -> str:
    if not run.complete or not any(system.grades for system in systems):
        return ""
    against = {decision.candidate for decision in ranked if decision.state == ReleaseState.DO_NOT_RELEASE}
    within = [system for system in systems if system.grade in ("met", "unsure")]
    met, unsure = (
        [system.name for system in within if system.grade == grade and system.name not in against]
        for grade in ("met", "unsure")
    )
    if met:
        beside = _unmet_sentence([system for system in systems if system.name in met])
        return f"{join_names(met)} {_meet(met)} {_thresholds(systems)}.{beside}{_choice(run, met)} {_limits(run, met)}"
    if unsure:
        doubt, advice = _doubt([system for system in systems if system.name in unsure])
        return (
            f"{join_names(unsure)} {_meet(unsure)} {_thresholds(systems)} in these documents, but may not in "
            f"others ({doubt}): {advice}.{_choice(run, unsure)} {_limits(run, unsure)}"
        )
    if within:
        names = [system.name for system in within]
        beside = _unmet_sentence(within)
        return (
            f"{join_names(names)} {_meet(names)} {_thresholds(systems)}, but something else speaks against a release."
            f"{beside}"
        )
    unjudged = [system.name for system in systems if system.grade == "unknown"]
    closest = min(
        (system for system in systems if system.grade == "missed"), key=lambda system: system.shortfall, default=None
    )
    if closest is None:
        whys = [
            (graded.threshold, graded.why)
            for system in systems
            for graded in system.grades
            if graded.bearing == "unknown"
        ]
        reason = next(
            (f"{why} ({threshold})" for threshold, why in whys if why),
            "a number that a threshold needs is missing",
        )
        return f"{join_names(unjudged)} cannot be judged: {reason}."
    rests = f" But {join_names(warnings)}." if (warnings := training_warnings(run, [closest.name])) else ""
    return f"{_none(systems)} {_closest(closest, alone=len(systems) == 1)}{rests}"


def _meet(names: Sequence[str]) -> str:
    return "meets" if len(names) == 1 else "meet"


def _thresholds(systems: Sequence[SystemVerdict]) -> str:
    if any(graded.demand.usual for graded in systems[0].grades):
        return "all thresholds that count"
    return "the threshold" if len(systems[0].grades) == 1 else "all thresholds"


def _unmet_sentence(systems: Sequence[SystemVerdict]) -> str:
    """What of the usual thresholds is not met, though nobody asked for it."""
    not_met = [f"{format_grading(graded)} by {system.name}" for system in systems for graded in system.unmet_usual]
    return f" Usual thresholds that are not met, though nobody set them: {join_names(not_met)}." if not_met else ""


def _none(systems: Sequence[SystemVerdict]) -> str:
    if len(systems) == 1:
        return f"{systems[0].name} does not meet {_thresholds(systems)}."
    return f"None of the {len(systems)} meets {_thresholds(systems)}."


def _closest(system: SystemVerdict, *, alone: bool) -> str:
    """By the numbers alone: no test tells whether another is further off."""
    missing = join_names([format_grading(graded) for graded in system.grades if graded.bearing == "missed"])
    return f"It misses {missing}." if alone else f"{system.name} comes closest. It misses {missing}."


def format_grading(graded: Grading) -> str:
    """`er_di ≥ 0.95 (0.808)`."""
    return f"{graded.threshold} ({value_words(graded)})"


def value_words(graded: Grading) -> str:
    """`0.808`; where only the interval falls short `1.000, but may be 0.931`; or why it is graded as it is."""
    if graded.score is None or graded.score.value is None:
        return graded.score.reason if graded.score and graded.score.reason else "no number"
    value = format_value(graded.score.value, graded.threshold.limit)
    if graded.why:
        return f"{value}, {'but ' * (graded.grade != 'met')}{graded.why}"
    return value if graded.grade != "unsure" else f"{value}, but may be {_end(graded)}"


def _end(graded: Grading) -> str:
    return "" if graded.cautious is None else format_value(graded.cautious, graded.threshold.limit)


def _doubt(systems: Sequence[SystemVerdict]) -> tuple[str, str]:
    """Why what holds here may not hold elsewhere, and what would tell: more documents make no interval of none."""
    doubts = [(system.name, doubt) for system in systems for doubt in system.grades if doubt.bearing == "unsure"]
    open_ended = [(name, doubt) for name, doubt in doubts if doubt.cautious is not None and not doubt.why]
    if open_ended:
        name, doubt = open_ended[0]
        advice = f"score more documents before deciding{_need_words([doubt.need for _, doubt in open_ended])}"
        return f"{name} may miss {doubt.threshold}: {_end(doubt)} cannot be ruled out", advice
    name, doubt = doubts[0]
    if doubt.why == UNJUDGED:
        return f"{doubt.threshold} of {name}: {doubt.why}", "find that out before deciding"
    return f"{doubt.threshold} of {name}: {doubt.why}", "look at other documents too before deciding"


def _need_words(needs: Sequence[Need | None]) -> str:
    """How many more documents would do for all of these; nothing where that cannot be said of one of them."""
    counts = [need for need in needs if need is not None]
    never = next((need for need in counts if need.never), None)
    if never is not None:
        return f"; {never}"
    if len(counts) < len(needs) or any(not need.count for need in counts):
        return ""
    return f"; {max(counts, key=lambda need: need.count or 0)}"


def _choice(run: Run, names: Sequence[str]) -> str:
    """Which of several that are good enough leaves more use, where a test shows it."""
    record = choose_metric(run, INFORMATION, "words", PRECISION, MEANING)
    names = [name for name in names if not almost_nothing(run, name)]
    if len(names) < 2 or record is None:
        return ""
    best = max(names, key=lambda name: _value(run, name, record))
    if _is_shown_best(run, record, best, names):
        return f" Of these, {best} keeps most use ({record.title}: {format_score(_value(run, best, record))})."
    return f" No test shows which of these keeps most use ({record.title}, {record.text})."


def _value(run: Run, name: str, record: MetricRecord) -> float:
    score = headline(run, name, record)
    return -1.0 if score is None or score.value is None else score.value


def _is_shown_best(run: Run, record: MetricRecord, best: str, names: Sequence[str]) -> bool:
    pairs = (
        [pair for comparison in compare_pairs(run, record.text) for pair in (comparison, comparison.swapped)]
        if is_tested(run)
        else []
    )
    results = {pair.second: result(run, pair, ALPHA) for pair in pairs if pair.first == best}
    return all(results.get(name) == "better" for name in names if name != best)


def _limits(run: Run, names: Sequence[str]) -> str:
    """What meeting a threshold does not tell of those that do."""
    limits = training_warnings(run, names)
    if run.corpus.silver:
        limits.append(f"what {markers(run)} marked is not what identifies")
    limits += [limit for section in sections_of_tables() for limit in section.limits(run)]
    if not find_metrics(run, "attack"):
        attacked = any(find_metrics(run, role) for role in ATTACKS)
        limits.append("nobody tried to link documents to people" if attacked else "no attack was made")
    if choose_metric(run, "direct identifiers") is None:
        limits.append("direct identifiers were not counted")
    return f"That is no proof that a release is safe{': ' + ', and '.join(limits) if limits else ''}."
