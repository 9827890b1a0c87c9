"""A run against what is asked of it: thresholds, a baseline, and enough documents to judge by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from showthrough.core.errors import PlanError, shown, some
from showthrough.core.families import families
from showthrough.data.references import NOTHING
from showthrough.run.gate.asking import fault_of
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.checks import Check, Checked, Enough, Kept, Look, Outcome, Reached, told
from showthrough.run.gate.grading import Demand, Graded, demands_of, graded
from showthrough.run.places import Places
from showthrough.run.records import MetricRecord
from showthrough.run.roles import ATTACKS, Counts, chosen, counted, first, in_all, leaks
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold
from showthrough.statistics import SHOWN

DOCUMENTS = 20
IDENTIFIERS = (
    30  # with none of 30 seen to leak, up to 10 % may leak all the same (3 in n: Hanley and Lippman-Hand 1983)
)
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


def checked(run: Run, gate: Gate) -> Outcome:
    """What comes of it; raises PlanError for what cannot be asked of this run."""
    names = list(dict.fromkeys(gate.names)) or run.names
    if strangers := [name for name in names if name not in run.names]:
        raise PlanError(f"not in this run; there are {some(run.names)}", f"anonymization {shown(strangers[0])}")
    if not names:
        raise PlanError("there is none in this run; nothing that was not looked at passes", "anonymizations")
    if gate.bound and gate.baseline and not gate.baseline.margin:
        raise PlanError("found 0; --bound needs more: nobody can show that nothing at all was lost", "margin")
    demands = demands_of(run, gate.thresholds, gate.only)
    thresholds = [one.threshold for one in demands if not one.usual]
    for threshold in thresholds:
        if fault := fault_of(threshold, run.metrics):
            raise PlanError(fault, f"threshold {shown(str(threshold), _SHOWN)}")
    said = bool(gate.thresholds or run.thresholds)
    if gate.only and not said:
        raise PlanError("leaves out what nobody asked for, and nobody asked for anything; say --min or --max", "only")
    if not thresholds and not gate.baseline:
        raise PlanError("nothing to check: no metric of this run has a usual one; say --min or --max", "thresholds")
    _check_parts(run, names, thresholds)
    usual = f"nobody said what to reach, so the usual thresholds count: {', '.join(map(str, thresholds))}"
    notes = [] if said or not thresholds else [usual]
    if beside := [str(one.threshold) for one in demands if one.usual]:
        notes.append(f"the usual thresholds stand beside what was asked: {', '.join(beside)}; --only leaves them out")
    if dropped := _dropped(run.thresholds, thresholds):
        notes.append(f"not asked for here, though the run was asked for it: {', '.join(map(str, dropped))}")
    notes += [_idle(one) for one in thresholds if _originals_reach(run, one)]
    kept: dict[str, list[Kept]] = {name: [] for name in names}
    if gate.baseline:
        judged = [(one.metric, one.part) for one in thresholds if said and not _describes(run, one)]
        notes += [] if judged or gate.baseline.metrics else gate.baseline.left_out()
        kept = gate.baseline.kept(names, gate.baseline.numbers(judged), gate.bound)
        tested = sum(one.p is not None for ones in kept.values() for one in ones)
        many = f"{tested} comparison{'' if tested == 1 else 's'}"
        notes += [f"losses are tested from one side at {SHOWN:g}, with Holm's correction for {many}"] * bool(tested)
    return Outcome(
        run.corpus.unplaced,
        run.sample,
        gate.bound,
        [_one(run, gate, name, demands, kept[name]) for name in names],
        gate.baseline.beside.label if gate.baseline else "",
        notes,
        Places(run.metrics).told(run.notes),
        run.unit,
    )


def _one(run: Run, gate: Gate, name: str, demands: Sequence[Demand], kept: Sequence[Kept]) -> Checked:
    reached = [_reached(run, graded(run, name, one), gate.allow_unsure) for one in demands]
    asked = [one for one in reached if not one.usual]
    checks: list[Check] = [*_sample(run, gate, name, [*asked, *kept]), *reached, *kept]
    failed = [one for one in kept if not one.passed]
    worse = gate.baseline.worse(name, failed) if gate.baseline and failed else Counts((), ())
    return Checked(name, checks, _looks(run, name, worse))


def _dropped(planned: Sequence[Threshold], asked: Sequence[Threshold]) -> list[Threshold]:
    """What a run was to reach and is not asked for, whatever the limit: options take the place of all that it has."""
    still = {(one.metric, one.part, one.end) for one in asked}
    return [one for one in planned if (one.metric, one.part, one.end) not in still]


def _originals_reach(run: Run, threshold: Threshold) -> bool:
    """Whether an attacker is too weak for a threshold to tell anything: with nothing masked it holds as well."""
    attacking = threshold.metric in run.rows and not {*ATTACKS}.isdisjoint(run.record(threshold.metric).roles)
    beside = any(one.name == NOTHING for one in run.references)
    return bool(attacking and beside) and graded(run, NOTHING, Demand(threshold)).grade in ("met", "unsure")


def _idle(threshold: Threshold) -> str:
    return f"{threshold} holds with nothing masked too: this attacker is too weak to tell what masks protect from"


def _describes(run: Run, threshold: Threshold) -> bool:
    """Whether neither more nor less is better, so that nothing can get worse."""
    return run.record(threshold.metric).describes(threshold.part)


def _check_parts(run: Run, names: Sequence[str], thresholds: Sequence[Threshold]) -> None:
    """Raises PlanError for a part that none of the anonymizations has, though the metric was computed."""
    for one in thresholds:
        parts = dict.fromkeys(part for name in names for part in run.parts(name, one.metric))
        if parts and one.part not in parts:
            there = some(part for part in parts if part)
            which = f"has no part {shown(one.part)}" if one.part else "is known by no single number: name a part"
            raise PlanError(f"{which}; there are {there}", f"metric {shown(one.metric, _SHOWN)}")


def _reached(run: Run, one: Graded, allow_unsure: bool) -> Reached:
    threshold, score = one.threshold, one.score
    return Reached(
        str(threshold),
        one.bearing == "met" or (one.bearing == "unsure" and allow_unsure),
        _why(run, one),
        threshold.metric,
        threshold.part,
        threshold.end,
        threshold.limit,
        one.grade,
        *((score.value, score.low, score.high) if score else (None, None, None)),
        one.demand.usual,
        one.need.count if one.need else None,
    )


def _why(run: Run, one: Graded) -> str:
    limit, score = one.threshold.limit, one.score
    usual = " (usual)" if one.demand.usual else ""
    if score is None or score.value is None:
        failures = {failure.metric: failure.reason for failure in run.failures}
        reason = failures.get(one.threshold.metric) or (score.reason if score else "it was not computed")
        return f"there is no number, and no number is no pass: {reason}{usual}"
    if one.grade == "missed":
        return f"missed: {told(score.value, limit)}{usual}"
    if one.grade == "unknown":
        return f"the number tells nothing: {one.why}{usual}"
    if one.grade == "met":
        how = f"met by its number alone: {one.why}" if one.why else "met, also by the cautious end of its interval"
        return f"{how}{usual}"
    if one.why or one.cautious is None:
        return f"not sure: the number holds, but {one.why}{usual}"
    end = f"its interval reaches {'down' if one.threshold.end == 'min' else 'up'} to {told(one.cautious, limit)}"
    return f"not sure: the number holds, but {end}{f'; {one.need}' if one.need else ''}{usual}"


def _sample(run: Run, gate: Gate, name: str, asked: Sequence[Reached | Kept]) -> list[Enough]:
    """Whether there are enough documents, and enough of what each number is made of."""
    seen = run.trained_on(name)  # which tell nothing of others
    units = _holding(run, len(run.documents) - seen) if seen else run.drawn
    kind = "independent unit" if run.joined else run.unit, " of documents" if run.groups else ""
    least, there = (f"{count:,} {kind[0]}{'' if count == 1 else 's'}{kind[1]}" for count in (gate.documents, units))
    if seen:
        known = "at least " if run.groups else ""  # a run does not tell which documents a model was trained on
        there = f"{known}{there} that it was not trained on, of {len(run.documents):,}"
    counts = [Enough(f"at least {least}", units >= gate.documents, there, units, gate.documents)]
    for text in dict.fromkeys(one.metric for one in asked):
        if (told_of := _told_of(run, name, text)) < run.drawn:
            said = f"{told_of:,} of {run.drawn:,}"
            enough = told_of >= gate.documents
            counts.append(Enough(f"at least {least} counted by {text}", enough, said, told_of, gate.documents, text))
    things: dict[str, float] = {}
    for one in asked:
        if (count := _things(run, name, one.metric, one.part)) is not None:
            things[f"{one.metric}[{one.part}]" if one.part else one.metric] = count
    usual = chosen(run, "direct identifiers", "recall")
    if not things and usual is not None and (count := _counted(run, usual, name)) is not None:
        things[usual.text] = count
    for text, number in things.items():
        found, needed = math.floor(number), gate.identifiers
        least = f"at least {needed} counted by {text}"
        counts.append(Enough(least, found >= needed, f"{found:,} counted", found, needed, text))
    return counts


def _holding(run: Run, documents: int) -> int:
    """How many documents, or groups of them, so many documents are of, whichever they are: no more are sure."""
    if not run.groups:
        return documents
    sizes = sorted(Counter(group or place for place, group in enumerate(run.groups)).values(), reverse=True)
    return int(np.searchsorted(np.cumsum(sizes), documents)) + 1 if documents > 0 else 0


def _told_of(run: Run, name: str, metric: str) -> int:
    """How many documents, or groups of them, a number tells of; all, unless the metric may leave most aside."""
    roles = run.record(metric).roles if metric in run.rows else ()
    begins = tuple(family.counting[role] for family in families() for role in roles if role in family.counting)
    if not begins:
        return run.drawn
    columns = [values for column, values in run.rows[metric][name].items() if column.startswith(begins)]
    places = np.flatnonzero(np.any([np.asarray(values) != 0 for values in columns], axis=0)).tolist() if columns else []
    return len({run.groups[place] or place for place in places}) if run.groups else len(places)


def _things(run: Run, name: str, metric: str, part: str) -> float | None:
    """How many things a number is made of, where it counts any."""
    if metric not in run.rows:
        return None
    record = run.record(metric)
    if part and record.group == "privacy" and not run.incomparable(metric):
        return run.contest(metric).out_of(part, name)
    return None if part else _counted(run, record, name)


def _counted(run: Run, record: MetricRecord, name: str) -> float | None:
    return in_all(counted(run, record, name, "all")) if "all" in record.counts.values() else None


def _looks(run: Run, name: str, worse: Counts) -> list[Look]:
    """The documents to look at first: those that got worse most, then those in which most can be read."""
    direct, quasi = (
        leaks(run, record, name) if (record := chosen(run, role)) else Counts((), ())
        for role in ("direct identifiers", "quasi-identifiers")
    )
    counts = [each.every(len(run.documents)) for each in (worse, direct, quasi)]
    numbers = np.flatnonzero(np.any(counts, axis=0))
    places = first(run.documents, [each[numbers] for each in counts], _LOOKS, numbers)[:_LOOKS]
    more, readable, hinted = counts
    return [Look(run.documents[place], int(readable[place]), int(hinted[place]), int(more[place])) for place in places]
