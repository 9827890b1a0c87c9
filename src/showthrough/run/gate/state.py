"""Whether a release may go out, in one of three states and a plain sentence: for the page, the gate and the summary.

All of it follows from the checks of the gate. Something missed, or a readable direct identifier that nobody accepted,
speaks against a release. Whatever is unsure, unknown or was never looked at leaves too little to decide by. Only where
neither is so there is no objection, and that is no proof: it says what was tested found nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from showthrough.core.errors import PlanError, join_names, shorten
from showthrough.metrics import Role
from showthrough.run.folders import PathNames
from showthrough.run.gate.accepted import Accepted, describe_unused
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.checks import (
    DOCUMENTS,
    IDENTIFIERS,
    AnonymizationChecks,
    BaselineCheck,
    ReadableCheck,
    ThresholdCheck,
)
from showthrough.run.gate.evidence import (
    count_annotated,
    lowered_types,
    say_lowered,
)
from showthrough.run.gate.grading import demands_of, input_of
from showthrough.run.gate.reasons import Reason, ReasonKind, ReleaseState, bears, many, reason_against, title_of
from showthrough.run.roles import (
    INFORMATION,
    MEANING,
    PRECISION,
    choose_metric,
    headline,
)
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold

if TYPE_CHECKING:
    from showthrough.run.gate.checking import Gate

# Which of several reasons the sentence is about.
_ORDER: Sequence[ReasonKind] = (
    "masks", "readable", "people", "worse", "missed", "lacking", "sample", "attacker", "unknown", "unsure",
)  # fmt: skip
# Tests of a release that have no usual limit: whatever they find is no objection as long as nobody sets one.
_WITHOUT_LIMIT: frozenset[Role] = frozenset(
    {
        "inference", "attributes", "authors", "residual", "inconsistency", "reconstruction", "linkage",
        "distinguishing",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Decision:
    """What follows for one anonymization, and why; the first reason is the one that the sentence gives."""

    state: ReleaseState
    candidate: str
    sentence: str
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()  # what a reader must know besides: entries of the accepted list that fit nothing
    accepted: int = 0  # readable identifiers that somebody accepted
    checks: AnonymizationChecks | None = None  # all that was asked; `None` of a run that was interrupted
    best_of: int = 0  # among how many candidates it is the best; 0 of all others, and where there was no choice

    @property
    def limits(self) -> list[ThresholdCheck]:
        """Its thresholds, and what came of them."""
        return [check for check in (self.checks.checks if self.checks else []) if isinstance(check, ThresholdCheck)]

    @property
    def shortfall(self) -> tuple[int, float]:
        """How many thresholds it does not reach, and by how much in all."""
        missed = [check for check in self.limits if bears(check, "missed")]
        unknown = sum(bears(check, "unknown") for check in self.limits)
        short = sum(abs(check.limit - check.value) for check in missed if check.value is not None)
        return len(missed) + unknown, short


def decide(
    run: Run,
    *,
    candidate: str | None = None,
    thresholds: Sequence[Threshold] = (),
    accepted: Accepted | None = None,
    baseline: Baseline | None = None,
    documents: int = DOCUMENTS,
    identifiers: int = IDENTIFIERS,
) -> Decision:
    """The state of one anonymization, or of the best one by these very decisions.

    Raises PlanError for a candidate that the run does not have.
    """
    from showthrough.run.gate.checking import Gate  # here: a gate tells what follows from its checks

    names = [candidate] if candidate else ()
    gate = Gate(thresholds, names, False, documents, identifiers, baseline, accepted=accepted)
    return decisions(run, gate)[0]


def decisions(run: Run, gate: Gate) -> list[Decision]:
    """Of all anonymizations of a gate, the best first; there is one at least. Strict: `only` leaves nothing out."""
    from showthrough.run.gate.checking import check_anonymization

    names = list(gate.names) or run.names
    if strangers := [name for name in names if name not in run.names]:
        raise PlanError(f"not in this run; there are {join_names(run.names)}", f"candidate {shorten(strangers[0])}")
    if not names:
        nothing = Reason("Nothing was evaluated.", "lacking", ReleaseState.NOT_ENOUGH_EVIDENCE)
        return [Decision(nothing.state, "", nothing.sentence, (nothing,))]
    if not run.complete:
        why = "The evaluation was interrupted: nothing can be said yet."
        stopped = Reason(why, "lacking", ReleaseState.NOT_ENOUGH_EVIDENCE)
        return [Decision(stopped.state, name, why, (stopped,)) for name in names]
    gate = strict(gate)
    demands = demands_of(run, gate.thresholds)
    explicit = [demand.threshold for demand in demands if not demand.usual]
    baseline_checks = {}
    if gate.baseline:
        baseline_checks = gate.baseline.check_numbers(
            names,
            gate.baseline.numbers([(limit.metric, limit.part) for limit in explicit if not limit.slice]),
            gate.bound,
        )
    candidates = [
        decide_on(run, check_anonymization(run, gate, name, demands, baseline_checks.get(name, ())), gate.accepted)
        for name in names
    ]
    ranked = sorted(
        candidates, key=lambda each: (_RANKS[each.state], each.shortfall, len(each.reasons), -_use(run, each))
    )
    if len(ranked) > 1 and ranked[0].limits:  # without limits nothing shows which is best
        ranked[0] = replace(ranked[0], best_of=len(ranked))
    return [_in_words(decision, run) for decision in ranked]


def strict(gate: Gate) -> Gate:
    """What a state asks at least, whatever a gate lets pass: the usual thresholds, documents and identifiers too."""
    documents, identifiers = max(gate.documents, DOCUMENTS), max(gate.identifiers, IDENTIFIERS)
    return replace(gate, only=False, documents=documents, identifiers=identifiers)


def rank(run: Run, gate: Gate) -> list[Decision]:
    """Of all anonymizations: the candidate of a gate, where it names one, then all others, the best first."""
    every = decisions(run, replace(gate, names=()))
    if not gate.names:
        return every
    chosen = decisions(run, gate)[0]
    return [chosen, *(decision for decision in every if decision.candidate != chosen.candidate)]


def without_folders(decision: Decision, names: PathNames) -> Decision:
    """The same where folders that metrics name are left out, as in a run for others."""
    checks = names.shorten(msgspec.to_builtins(decision.checks))
    return replace(
        decision,
        sentence=names.shorten_reason(decision.sentence),
        reasons=tuple(
            replace(reason, sentence=names.shorten_reason(reason.sentence), metric=names.shorten(reason.metric))
            for reason in decision.reasons
        ),
        notes=tuple(map(names.shorten_reason, decision.notes)),
        checks=msgspec.convert(checks, AnonymizationChecks | None),
    )


_RANKS = {state: rank for rank, state in enumerate(reversed(ReleaseState))}


def _use(run: Run, decision: Decision) -> float:
    """What it leaves of the texts: of two that are equally safe the more useful one goes first."""
    score = headline(run, decision.candidate, choose_metric(run, INFORMATION, "words", PRECISION, MEANING))
    return -1.0 if score is None or score.value is None else score.value


def decide_on(run: Run, checked: AnonymizationChecks, accepted: Accepted | None = None) -> Decision:
    """What follows from the checks of one anonymization, whatever the gate lets pass."""
    threshold = any(isinstance(check, ThresholdCheck) for check in checked.checks)
    reasons = [reason for check in checked.checks if (reason := reason_against(run, checked.name, check))]
    if not threshold:
        why = "No number of this run has a limit that it must reach, so nothing was decided."
        reasons.append(Reason(why, "lacking", ReleaseState.NOT_ENOUGH_EVIDENCE, of_system=False))
    readable_metrics = {reason.metric for reason in reasons if reason.kind == "readable"}
    reasons = [reason for reason in reasons if reason.kind != "missed" or reason.metric not in readable_metrics]
    reasons.sort(key=lambda reason: (-_RANKS[reason.state], _ORDER.index(reason.kind)))
    state = reasons[0].state if reasons else ReleaseState.NO_OBJECTION
    readable = next((check for check in checked.checks if isinstance(check, ReadableCheck)), None)
    notes = describe_unused(run, accepted, None if readable is None else readable.unused) if accepted else ()
    return _in_words(
        Decision(state, checked.name, "", tuple(reasons), tuple(notes), readable.accepted if readable else 0, checked),
        run,
    )


def _in_words(decision: Decision, run: Run) -> Decision:
    who = "the best candidate" if decision.best_of else f"“{shorten(decision.candidate)}”"
    if not decision.reasons:
        accepted = _accepted_words(decision.accepted)
        sentence = f"What was tested found nothing against {who}{accepted}."
        return replace(decision, sentence=" ".join([sentence, *_besides(run, decision)]))
    sentence = decision.reasons[0].sentence
    if not decision.reasons[0].of_system:
        return replace(decision, sentence=sentence)
    lower = sentence if sentence[1:2].isupper() else sentence[0].lower() + sentence[1:]
    return replace(decision, sentence=f"In {who}, {lower}")


def _besides(run: Run, decision: Decision) -> Iterator[str]:
    """What is no objection, and must be known before anybody signs: what was not looked at, or not decided by."""
    records = [record for record in run.metrics if record.text in run.rows]
    checks = decision.checks.checks if decision.checks else []
    if not any("attack" in record.roles for record in records):
        yield "Nobody tried to recognise people."
    if unmarked := len(run.documents) - count_annotated(run, decision.candidate):
        yield f"Nothing is marked in {unmarked:,} of {many(len(run.documents), 'document')}."
    if lowered := lowered_types(run):
        yield say_lowered(run, decision.candidate, lowered)
    if unlike := input_of(run, decision.candidate).unlike:
        whose = "is unlike its original" if unlike == 1 else "are unlike their originals"
        yield f"{many(unlike, 'released document')} {whose}."
    if failed := [title_of(run, failure.metric) for failure in run.failures]:
        yield f"Could not be computed: {', '.join(dict.fromkeys(failed))}."
    limited = {check.metric for check in checks if isinstance(check, BaselineCheck)}
    limited |= {check.metric for check in checks if isinstance(check, ThresholdCheck) and not check.slice}
    without = [record for record in records if not _WITHOUT_LIMIT.isdisjoint(record.roles)]
    if titles := [record.title for record in without if record.text not in limited]:
        yield f"No limit was set on: {', '.join(dict.fromkeys(titles))}."


def _accepted_words(count: int) -> str:
    if not count:
        return ""
    return f", apart from {count:,} readable identifier{'' if count == 1 else 's'} that somebody accepted"
