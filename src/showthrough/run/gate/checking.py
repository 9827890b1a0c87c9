"""A run against what is asked of it: thresholds, a baseline, and enough documents to judge by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from showthrough.core.errors import PlanError, join_names, shorten
from showthrough.core.families import families
from showthrough.data.references import NOTHING
from showthrough.run.folders import PathNames
from showthrough.run.gate.accepted import Accepted
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.checks import (
    DOCUMENTS as DOCUMENTS,
    IDENTIFIERS as IDENTIFIERS,
    AnonymizationChecks,
    BaselineCheck,
    Check,
    Enough,
    EvidenceCheck,
    GateOutcome,
    Look,
    RuleCheck,
    ThresholdCheck,
    format_value,
)
from showthrough.run.gate.evidence import check_readable, lacking
from showthrough.run.gate.grading import UNJUDGED, Demand, Grading, demands_of, grade_demand, is_judged, reads_marks
from showthrough.run.gate.parsing import fault_of
from showthrough.run.gate.state import decide_on, strict
from showthrough.run.records import MetricRecord
from showthrough.run.roles import ATTACKS, DocumentCounts, choose_metric, count_by_kind, first, headline, in_all, leaks
from showthrough.run.run import Run
from showthrough.run.slices import slice_fault
from showthrough.run.thresholds import Threshold
from showthrough.statistics import SHOWN

_LOOKS = 10  # documents that are named
_SHOWN = 80  # characters of a metric that a message shows


@dataclass(frozen=True)
class Gate:
    """What is asked. With `bound` what an earlier run reached must be shown to be kept."""

    thresholds: Sequence[Threshold] = ()  # none: what the run was asked for, else the usual ones
    names: Sequence[str] = ()  # none: all
    bound: bool = False
    documents: int = DOCUMENTS
    identifiers: int = IDENTIFIERS
    baseline: Baseline | None = None
    only: bool = False  # without the usual thresholds that nobody asked for
    allow_unsure: bool = False
    accepted: Accepted | None = None  # readable identifiers that somebody accepted


def check_run(run: Run, gate: Gate) -> GateOutcome:
    """What comes of it; raises PlanError for what cannot be asked of this run."""
    names = list(dict.fromkeys(gate.names)) or run.names
    if strangers := [name for name in names if name not in run.names]:
        raise PlanError(f"not in this run; there are {join_names(run.names)}", f"anonymization {shorten(strangers[0])}")
    if not names:
        raise PlanError("there is none in this run, and what was not evaluated does not pass", "anonymizations")
    if gate.bound and gate.baseline and not gate.baseline.margin:
        raise PlanError("found 0; --bound needs more: no test can show that nothing at all was lost", "margin")
    demands = demands_of(run, gate.thresholds, gate.only)
    thresholds = [demand.threshold for demand in demands if not demand.usual]
    for threshold in thresholds:
        if fault := fault_of(threshold, run.metrics):
            raise PlanError(fault, f"threshold {shorten(str(threshold), _SHOWN)}")
    explicit = _has_limits(run, gate)
    if gate.only and not explicit:
        raise PlanError("leaves out the usual thresholds, and no others were set; say --min or --max", "only")
    if not thresholds and not gate.baseline and not any(_rules(run, name) for name in names):
        raise PlanError(f"nothing to check: no metric of this run has a usual one; {_what_to_ask(run)}", "thresholds")
    _check_parts(run, names, [threshold for threshold in thresholds if not threshold.slice])
    _check_groups(run, [threshold for threshold in thresholds if threshold.slice])
    usual = f"no thresholds were set, so the usual ones count: {', '.join(map(str, thresholds))}"
    notes = [] if explicit or not thresholds else [usual]
    if beside := [str(demand.threshold) for demand in demands if demand.usual]:
        notes.append(f"these usual thresholds are checked too: {', '.join(beside)}; --only leaves them out")
    if dropped := _find_dropped(run.thresholds, thresholds):
        notes.append(f"thresholds of the run that are not checked here: {', '.join(map(str, dropped))}")
    notes += _unjudged(run, names)
    notes += [_idle(target) for target in thresholds if _originals_reach(run, target)]
    baseline_checks: dict[str, list[BaselineCheck]] = {name: [] for name in names}
    if gate.baseline:
        whole = [target for target in thresholds if not target.slice]
        judged = [(target.metric, target.part) for target in whole if explicit and not _describes(run, target)]
        notes += [] if judged or gate.baseline.metrics else gate.baseline.left_out()
        baseline_checks = gate.baseline.check_numbers(names, gate.baseline.numbers(judged), gate.bound)
        tested = sum(check.p is not None for ones in baseline_checks.values() for check in ones)
        many = f"{tested} comparison{'' if tested == 1 else 's'}"
        notes += [f"losses are tested from one side at {SHOWN:g}, with Holm's correction for {many}"] * bool(tested)
    return GateOutcome(
        run.corpus.without_path,
        run.sample,
        gate.bound,
        [check_anonymization(run, gate, name, demands, baseline_checks[name]) for name in names],
        gate.baseline.beside.label if gate.baseline else "",
        notes,
        PathNames(run.metrics).shorten(run.notes),
        run.unit,
    )


def check_anonymization(
    run: Run, gate: Gate, name: str, demands: Sequence[Demand], baseline_checks: Sequence[BaselineCheck] = ()
) -> AnonymizationChecks:
    """All that is asked of one, and the state that follows: that asks for the usual thresholds too, whatever `only`."""
    checked = _checks(run, gate, name, demands, baseline_checks)
    every, demanded = checked, strict(gate)
    if demanded != gate:
        every = _checks(run, demanded, name, demands_of(run, gate.thresholds), baseline_checks)
    decision = decide_on(run, every, gate.accepted)
    sentences = [reason.sentence for reason in decision.reasons]
    return replace(
        checked, state=str(decision.state), sentence=decision.sentence, reasons=sentences, unused=list(decision.notes)
    )


def _checks(
    run: Run, gate: Gate, name: str, demands: Sequence[Demand], baseline_checks: Sequence[BaselineCheck]
) -> AnonymizationChecks:
    """All checks. Who set limits asked for these: what no limit was set on keeps nothing from passing."""
    reached = [
        _check_threshold(run, grade_demand(run, name, demand, only=gate.only), gate.allow_unsure) for demand in demands
    ]
    explicit_checks = [check for check in reached if not check.usual]
    checks: list[Check] = [*_sample(run, gate, name, [*explicit_checks, *baseline_checks]), *reached, *baseline_checks]
    readable = check_readable(run, name, gate.accepted, passes=gate.only)
    checks += [readable] if readable else []
    checks += _rules(run, name)
    lenient = gate.only or gate.allow_unsure or _has_limits(run, gate)
    checks += lacking(run, name, gate.documents, counted=readable is not None, passes=lenient)
    checks += [_idle_limit(run, demand, passes=lenient) for demand in demands if _reached_by_originals(run, demand)]
    failed = [check for check in baseline_checks if not check.passed]
    worse = gate.baseline.worse(name, failed) if gate.baseline and failed else DocumentCounts((), ())
    return AnonymizationChecks(name, checks, _looks(run, name, worse))


def _rules(run: Run, name: str) -> list[RuleCheck]:
    """The rules that somebody asked for when the run was made."""
    return [check for family in families() for check in family.checks(run, name)]


def _has_limits(run: Run, gate: Gate) -> bool:
    """Whether somebody set limits."""
    return bool(gate.thresholds or run.thresholds)


def _what_to_ask(run: Run) -> str:
    """How a run can be checked of whose metrics none has a usual threshold."""
    record = next((record for record in run.metrics if headline(run, run.names[0], record)), None)
    if record is None:
        return f"{_remedy(run)}, or say --min or --max"
    example = f"--min {record.name}=0.9" if record.better == "higher" else f"--max {record.name}=0.05"
    return f"{_remedy(run)}, or set limits of your own, such as {example}"


def _unjudged(run: Run, names: Sequence[str]) -> list[str]:
    """That what passes here may still be readable, where a run has nothing that would tell."""
    unjudged = [name for name in names if not is_judged(run, name)]
    if not unjudged:
        return []
    whose = "" if len(unjudged) == len(names) else f" of {join_names(unjudged)}"
    return [f"{UNJUDGED}{whose}; {_remedy(run)}"]


def _remedy(run: Run) -> str:
    """What would tell what is left in a release."""
    if any(reads_marks(record.text) for record in run.metrics):
        return "evaluate with --preset default as well"
    return "mark what identifies people in a sample, and evaluate it with --preset default"


def _find_dropped(planned: Sequence[Threshold], current: Sequence[Threshold]) -> list[Threshold]:
    """What a run was to reach and is not asked for, whatever the limit: options take the place of all that it has."""
    still = {(threshold.what, threshold.end) for threshold in current}
    return [threshold for threshold in planned if (threshold.what, threshold.end) not in still]


def _originals_reach(run: Run, threshold: Threshold) -> bool:
    """Whether a threshold on an attack tells nothing: with nothing masked it holds as well."""
    attacking = threshold.metric in run.rows and not {*ATTACKS}.isdisjoint(run.record(threshold.metric).roles)
    beside = any(reference.name == NOTHING for reference in run.references)
    return bool(attacking and beside) and grade_demand(run, NOTHING, Demand(threshold)).grade in ("met", "unsure")


def _reached_by_originals(run: Run, demand: Demand) -> bool:
    """Whether a limit on privacy holds with nothing masked as well, so that to reach it shows nothing."""
    threshold = demand.threshold
    if threshold.metric not in run.rows or not any(reference.name == NOTHING for reference in run.references):
        return False
    record = run.record(threshold.metric)
    if record.group != "privacy" or record.describes(threshold.part):
        return False
    score = run.parts(NOTHING, threshold.metric).get(threshold.part)
    return score is not None and score.value is not None and threshold.holds(score.value)


def _idle_limit(run: Run, demand: Demand, *, passes: bool) -> EvidenceCheck:
    title = run.record(demand.threshold.metric).title
    sentence = (
        f"Even the originals, with nothing masked, keep the limit on “{title}”. "
        "So keeping it does not show that masks protect anybody."
    )
    return EvidenceCheck("limits that the originals do not meet", passes, sentence, "limit")


def _idle(threshold: Threshold) -> str:
    return f"{threshold} holds even with nothing masked, so meeting it does not show that masks protect anybody"


def _describes(run: Run, threshold: Threshold) -> bool:
    """Whether neither more nor less is better, so that nothing can get worse."""
    return run.record(threshold.metric).describes(threshold.part)


def _check_parts(run: Run, names: Sequence[str], thresholds: Sequence[Threshold]) -> None:
    """Raises PlanError for a part that none of the anonymizations has, though the metric was computed."""
    for threshold in thresholds:
        parts = dict.fromkeys(part for name in names for part in run.parts(name, threshold.metric))
        if parts and threshold.part not in parts:
            available = join_names(part for part in parts if part)
            which = f"has no part {shorten(threshold.part)}" if threshold.part else "has no single number: name a part"
            raise PlanError(f"{which}; there are {available}", f"metric {shorten(threshold.metric, _SHOWN)}")


def _check_groups(run: Run, thresholds: Sequence[Threshold]) -> None:
    """Raises PlanError for limits on groups that the run does not have."""
    for threshold in thresholds:
        if fault := slice_fault(run.slices, threshold.slice, threshold.group, threshold.metric):
            raise PlanError(fault, f"threshold {shorten(str(threshold), _SHOWN)}")


def _check_threshold(run: Run, grading: Grading, allow_unsure: bool) -> ThresholdCheck:
    threshold, score = grading.threshold, grading.score
    return ThresholdCheck(
        str(threshold),
        grading.bearing == "met" or (grading.bearing == "unsure" and allow_unsure),
        _why(run, grading),
        threshold.metric,
        threshold.part,
        threshold.end,
        threshold.limit,
        grading.grade,
        *((score.value, score.low, score.high) if score else (None, None, None)),
        grading.demand.usual,
        grading.need.count if grading.need else None,
        threshold.slice,
        grading.group,
    )


def _why(run: Run, grading: Grading) -> str:
    limit, score = grading.threshold.limit, grading.score
    usual = " (usual)" if grading.demand.usual else ""
    if score is None or score.value is None:
        failures = {failure.metric: failure.reason for failure in run.failures}
        reason = failures.get(grading.threshold.metric) or (score.reason if score else "it was not computed")
        return f"there is no number, so it cannot pass: {reason}{usual}"
    where = f" in {shorten(grading.group)}" if grading.group else ""
    if grading.grade == "missed":
        return f"missed: {format_value(score.value, limit)}{where}{usual}"
    if grading.grade == "unknown":
        return f"the number shows nothing: {grading.why}{usual}"
    if grading.grade == "met":
        how = f"met by its number alone: {grading.why}" if grading.why else _met_words(grading)
        return f"{how}{usual}"
    if grading.why or grading.cautious is None:
        return f"not sure: the number holds, but {grading.why}{usual}"
    direction = "down" if grading.threshold.end == "min" else "up"
    end = f"its interval reaches {direction} to {format_value(grading.cautious, limit)}"
    return f"not sure: the number holds, but {end}{f'; {grading.need}' if grading.need else ''}{usual}"


def _met_words(grading: Grading) -> str:
    if grading.threshold.slice and not grading.threshold.group:
        return f"met in every group, also by the cautious ends of intervals; the worst is {shorten(grading.group)}"
    return "met, also by the cautious end of its interval"


def _sample(run: Run, gate: Gate, name: str, checks: Sequence[ThresholdCheck | BaselineCheck]) -> list[Enough]:
    """Whether there are enough documents, and enough of what each number is made of."""
    seen = run.trained_on(name)  # which tell nothing of others
    units = _holding(run, len(run.documents) - seen) if seen else run.unit_count
    kind = "independent unit" if run.joined else run.unit, " of documents" if run.groups else ""
    least, available = (f"{count:,} {kind[0]}{'' if count == 1 else 's'}{kind[1]}" for count in (gate.documents, units))
    if seen:
        at_least = "at least " if run.groups else ""  # a run does not tell which documents a model was trained on
        available = f"{at_least}{available} that it was not trained on, of {len(run.documents):,}"
    counts = [Enough(f"at least {least}", units >= gate.documents, available, units, gate.documents)]
    for text in dict.fromkeys(check.metric for check in checks):
        if (told_of := _count_documents(run, name, text)) < run.unit_count:
            message = f"{told_of:,} of {run.unit_count:,}"
            enough = told_of >= gate.documents
            counts.append(Enough(f"at least {least} counted by {text}", enough, message, told_of, gate.documents, text))
    things: dict[str, float] = {}
    for check in checks:
        if (count := _things(run, name, check.metric, check.part)) is not None:
            things[f"{check.metric}[{check.part}]" if check.part else check.metric] = count
    usual = choose_metric(run, "direct identifiers", "recall")
    if not things and usual is not None and (count := _sum_counts(run, usual, name)) is not None:
        things[usual.text] = count
    for text, number in things.items():
        total, needed = math.floor(number), gate.identifiers
        least = f"at least {needed} counted by {text}"
        counts.append(Enough(least, total >= needed, f"{total:,} counted", total, needed, text))
    return counts


def _holding(run: Run, documents: int) -> int:
    """How many documents, or groups of them, so many documents are of, whichever they are: no more are sure."""
    if not run.groups:
        return documents
    sizes = sorted(Counter(group or number for number, group in enumerate(run.groups)).values(), reverse=True)
    return int(np.searchsorted(np.cumsum(sizes), documents)) + 1 if documents > 0 else 0


def _count_documents(run: Run, name: str, metric: str) -> int:
    """How many documents, or groups of them, a number tells of; all, unless the metric may leave most aside."""
    roles = run.record(metric).roles if metric in run.rows else ()
    begins = tuple(family.counting[role] for family in families() for role in roles if role in family.counting)
    if not begins:
        return run.unit_count
    columns = [values for column, values in run.rows[metric][name].items() if column.startswith(begins)]
    numbers = (
        np.flatnonzero(np.any([np.asarray(values) != 0 for values in columns], axis=0)).tolist() if columns else []
    )
    return len({run.groups[number] or number for number in numbers}) if run.groups else len(numbers)


def _things(run: Run, name: str, metric: str, part: str) -> float | None:
    """How many things a number is made of, where it counts any."""
    if metric not in run.rows:
        return None
    record = run.record(metric)
    if part and record.group == "privacy" and not run.incomparable(metric):
        return run.contest(metric).out_of(part, name)
    return None if part else _sum_counts(run, record, name)


def _sum_counts(run: Run, record: MetricRecord, name: str) -> float | None:
    return in_all(count_by_kind(run, record, name, "all")) if "all" in record.counts.values() else None


def _looks(run: Run, name: str, worse: DocumentCounts) -> list[Look]:
    """The documents to look at first: those that got worse most, then those in which most can be read."""
    direct, quasi = (
        leaks(run, record, name) if (record := choose_metric(run, role)) else DocumentCounts((), ())
        for role in ("direct identifiers", "quasi-identifiers")
    )
    counts = [counter.every(len(run.documents)) for counter in (worse, direct, quasi)]
    numbers = np.flatnonzero(np.any(counts, axis=0))
    positions = first(run.documents, [column[numbers] for column in counts], _LOOKS, numbers)[:_LOOKS]
    more, readable, hinted = counts
    return [
        Look(run.documents[position], int(readable[position]), int(hinted[position]), int(more[position]))
        for position in positions
    ]
