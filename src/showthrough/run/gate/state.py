"""Whether a release may go out, in one of three states and a plain sentence: for the page, the gate and the summary.

All of it follows from the checks of the gate. Something missed, or a readable direct identifier that nobody accepted,
speaks against a release. Whatever is unsure, unknown or was never looked at leaves too little to decide by. Only where
neither is so there is no objection, and that is no proof: it says what was tested found nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

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
    Check,
    DriftCheck,
    Enough,
    EvidenceCheck,
    Lack,
    ReadableCheck,
    RuleCheck,
    ThresholdCheck,
)
from showthrough.run.gate.evidence import (
    IDENTIFIERS_OF,
    count_annotated,
    lowered_types,
    say_lowered,
    say_readable,
)
from showthrough.run.gate.grading import DEFAULTS, demands_of, input_of
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

_NEEDS_SAID = "not sure: the number holds, but "
_SHOWS_NOTHING = "the number shows nothing: "
_USUAL = " (usual)"
_USUAL_LIMITS = [usual for usual in DEFAULTS if usual[0] in ("attack", "quasi-identifiers")]


class ReleaseState(StrEnum):
    """What follows for a release."""

    DO_NOT_RELEASE = "do not release"
    NOT_ENOUGH_EVIDENCE = "not enough evidence"
    NO_OBJECTION = "no objection found"

    @property
    def title(self) -> str:  # type: ignore[override] # as a heading: only its first letter is a capital
        return f"{self.value[0].upper()}{self.value[1:]}"

    @property
    def sign(self) -> str:
        """What stands beside the words: colour alone is not for everybody."""
        return {"do not release": "✗", "not enough evidence": "?", "no objection found": "✓"}[self.value]


ReasonKind = Literal[
    "readable", "people", "masks", "missed", "worse", "lacking", "sample", "attacker", "unknown", "unsure"
]
# Which of several reasons the sentence is about.
_ORDER: Sequence[ReasonKind] = (
    "masks", "readable", "people", "worse", "missed", "lacking", "sample", "attacker", "unknown", "unsure",
)  # fmt: skip
# What is so of the corpus or of the evaluation, whichever system it is about.
_OF_EVALUATION: frozenset[Lack] = frozenset(
    {"annotations", "release", "judged", "silver", "sample", "attacker", "originals"}
)
_KINDS: dict[Lack, ReasonKind] = {
    "masks": "masks",
    "attacker": "attacker",
    "originals": "attacker",
    "limit": "attacker",
}


# Tests of a release that have no usual limit: whatever they find is no objection as long as nobody sets one.
_WITHOUT_LIMIT: frozenset[Role] = frozenset(
    {
        "inference", "attributes", "authors", "residual", "inconsistency", "reconstruction", "linkage",
        "distinguishing",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Reason:
    """One thing that keeps a release from being free of objections: a plain sentence, and where its number is."""

    sentence: str
    kind: ReasonKind
    state: ReleaseState  # what follows from it alone
    metric: str = ""  # the text form of the metric behind it; empty: none is
    of_system: bool = True  # or of the corpus and the evaluation: the sentence then names no system


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
        missed = [check for check in self.limits if _bears(check, "missed")]
        unknown = sum(_bears(check, "unknown") for check in self.limits)
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
    reasons = [reason for check in checked.checks if (reason := _reason(run, checked.name, check))]
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
        yield f"Nothing is marked in {unmarked:,} of {_many(len(run.documents), 'document')}."
    if lowered := lowered_types(run):
        yield say_lowered(run, decision.candidate, lowered)
    if unlike := input_of(run, decision.candidate).unlike:
        whose = "is unlike its original" if unlike == 1 else "are unlike their originals"
        yield f"{_many(unlike, 'released document')} {whose}."
    if failed := [_title(run, failure.metric) for failure in run.failures]:
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


def _bears(check: ThresholdCheck, grade: str) -> bool:
    """Whether a grade counts: of usual thresholds beside others that of the grave ones, which then do not pass."""
    return check.grade == grade and (not check.usual or not check.passed)


def _reason(run: Run, name: str, check: Check) -> Reason | None:
    """What a check has against a release, whether or not the gate lets it pass."""
    if isinstance(check, ReadableCheck):
        return None if check.sure else _readable(check, run)
    if isinstance(check, EvidenceCheck):
        state = ReleaseState.DO_NOT_RELEASE if check.grave else ReleaseState.NOT_ENOUGH_EVIDENCE
        kind = _KINDS.get(check.about, "lacking")
        return Reason(check.said, kind, state, of_system=check.about not in _OF_EVALUATION)
    if isinstance(check, RuleCheck):
        sentence = f"The rule {check.asked} is broken by {check.broken:,} of {_many(check.judged, 'marked place')}."
        return None if check.passed else Reason(sentence, "missed", ReleaseState.DO_NOT_RELEASE, check.metric)
    if isinstance(check, Enough):
        return None if check.passed else _too_few(run, check)
    if isinstance(check, BaselineCheck):
        return None if check.passed else _not_as_good(run, check)
    if isinstance(check, DriftCheck):  # of texts without a run, which no decision is about
        return None
    return _allowed(run, name, check) if check.grade == "met" else _not_met(run, name, check)


def _allowed(run: Run, name: str, check: ThresholdCheck) -> Reason | None:
    """People found, or indirect identifiers left, beyond the usual limit: that a looser one was set is no evidence.

    Of direct identifiers each that can be read counts, unless somebody accepted it.
    """
    record = next((record for record in run.metrics if record.text == check.metric), None)
    if record is None or check.part or check.slice or check.value is None:
        return None
    usual = [limit for role, end, limit in _USUAL_LIMITS if role in record.roles and end == check.end]
    if not usual or Threshold("", check.end, usual[0]).holds(check.value):
        return None
    people = "attack" in record.roles
    counted = f"{_people(run, check.value)}." if people else say_readable(run, name, record)
    if not counted:
        return None
    sentence = f"{counted.removesuffix('.')}; the limit that was set ({_number(check.limit)}) allows it."
    return Reason(sentence, "people" if people else "missed", ReleaseState.NOT_ENOUGH_EVIDENCE, check.metric)


def _people(run: Run, share: float) -> str:
    return f"{round(share * len(run.documents)):,} of {len(run.documents):,} people can still be recognised"


def _readable(check: ReadableCheck, run: Run) -> Reason:
    left = check.readable - check.accepted
    nobody = f" and {'was' if left == 1 else 'were'} accepted by nobody" if check.accepted else ""
    things = "identifier" if check.marked == 1 else "identifiers"
    sentence = (
        f"{left:,} of {check.marked:,} direct {things} can still be read{nobody}, in {check.documents:,} of "
        f"{_many(len(run.documents), 'document')}."
    )
    return Reason(sentence, "readable", ReleaseState.DO_NOT_RELEASE, check.metric)


def _too_few(run: Run, check: Enough) -> Reason:
    if check.metric:
        title, needed = _title(run, check.metric), f"at least {check.needed:,} are needed"
        sentence = f"Too little was counted ({title}): {check.found:,}, and {needed}."
    else:
        what = "independent document" if run.joined else "group" if run.groups else "document"
        only = "is only" if check.found == 1 else "are only"
        sentence = f"There {only} {_many(check.found, what)} to judge by, and at least {check.needed:,} are needed."
    return Reason(sentence, "sample", ReleaseState.NOT_ENOUGH_EVIDENCE, check.metric, of_system=False)


def _not_as_good(run: Run, check: BaselineCheck) -> Reason:
    title = _title(run, check.metric, check.part)
    if check.lost is not None and check.lost > check.margin and check.value is not None and check.earlier is not None:
        sentence = _worse(run, check, title, check.value, check.earlier)
        return Reason(sentence, "worse", ReleaseState.DO_NOT_RELEASE, check.metric)
    sentence = f"Nothing shows that it is as good as the earlier release ({title})."
    return Reason(sentence, "unsure", ReleaseState.NOT_ENOUGH_EVIDENCE, check.metric)


def _worse(run: Run, check: BaselineCheck, title: str, value: float, earlier: float) -> str:
    """`Only 85 % of indirect identifiers are hidden; the earlier release hid 100 %.`, or so for what is counted."""
    record = next((record for record in run.metrics if record.text == check.metric), None)
    roles = record.roles if record and not check.part else ()
    now, was = _numbers_apart(value, earlier)
    if things := next((words for role, words in IDENTIFIERS_OF.items() if role in roles), ""):
        return f"Only {now} of {things} are hidden; the earlier release hid {was}."
    if "attack" in roles:
        return f"{now} of people can be recognised; in the earlier release it was {was}."
    return f"{title}: {now}, which is worse than {was} in the earlier release."


def _not_met(run: Run, name: str, check: ThresholdCheck) -> Reason:
    record = next((record for record in run.metrics if record.text == check.metric), None)
    roles = record.roles if record else ()
    title = _title(run, check.metric, check.part, check)
    little = ReleaseState.NOT_ENOUGH_EVIDENCE
    if check.grade == "unknown" or check.value is None:
        why = check.said.removesuffix(_USUAL)
        why = why.removeprefix(_SHOWS_NOTHING).rpartition("cannot pass: ")[2]
        return Reason(f"{title} shows nothing: {why}.", "unknown", little, check.metric)
    people = "attack" in roles and not check.part and not check.slice
    if check.grade == "missed":
        state = ReleaseState.DO_NOT_RELEASE if _bears(check, "missed") else little
        if people:
            return Reason(f"{_people(run, check.value)}.", "people", state, check.metric)
        if record and not (check.part or check.slice) and (counted := say_readable(run, name, record)):
            return Reason(counted, "missed", state, check.metric)
        least = "at least" if check.end == "min" else "at most"
        sentence = f"{title}: {_number(check.value)}, and the limit is {least} {_number(check.limit)}."
        return Reason(sentence, "missed", state, check.metric)
    why = check.said.removeprefix(_NEEDS_SAID).removesuffix(_USUAL)
    end = check.low if check.end == "min" else check.high
    if why.startswith("its interval") and end is not None:
        if people:
            sentence = f"Up to {_number(end)} of people might be recognised in other documents, as too few were tested."
        else:
            far = f"{'as little as' if check.end == 'min' else 'up to'} {_number(end)}"
            sentence = f"{title}: {_number(check.value)} here, but {far} cannot be ruled out, as too few were tested."
    else:
        sentence = f"{title}: {_number(check.value)}, but {why}."
    return Reason(sentence, "unsure", little, check.metric)


def _title(run: Run, metric: str, part: str = "", check: ThresholdCheck | None = None) -> str:
    record = next((record for record in run.metrics if record.text == metric), None)
    title = record.title if record else shorten(metric)
    if check is not None and check.slice:
        group = f" {shorten(check.group)}" if check.group else ""
        return f"{title} (in groups by {shorten(check.slice)}{':' if group else ''}{group})"
    return f"{title} ({shorten(part)})" if part else title


def _number(value: float) -> str:
    """Shares as per cent, in as many digits as tell them from nothing and from all.

    >>> _number(0.30952), _number(0.9994), _number(1.0), _number(3.5)
    ('31 %', '99.9 %', '100 %', '3.5')
    """
    if not 0 <= value <= 1:
        return f"{value:g}"
    for digits in range(5):
        text = f"{100 * value:.{digits}f}"
        if float(text) == 100 * value or float(text) not in (0.0, 100.0):
            return f"{text} %"
    return f"{100 * value:g} %"


def _numbers_apart(value: float, other: float) -> tuple[str, str]:
    """Two shares in as many digits as tell one from the other.

    >>> _numbers_apart(0.85, 1.0), _numbers_apart(0.8491, 0.8512)
    (('85 %', '100 %'), ('84.9 %', '85.1 %'))
    """
    texts = _number(value), _number(other)
    for digits in range(1, 5):
        if texts[0] != texts[1]:
            break
        texts = f"{100 * value:.{digits}f} %", f"{100 * other:.{digits}f} %"
    return texts


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
