"""What each check of the gate has against a release: a state that follows from it alone, and a plain sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from showthrough.core.errors import shorten
from showthrough.run.gate.checks import (
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
from showthrough.run.gate.evidence import IDENTIFIERS_OF, say_readable
from showthrough.run.gate.grading import DEFAULTS
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold

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


@dataclass(frozen=True)
class Reason:
    """One thing that keeps a release from being free of objections: a plain sentence, and where its number is."""

    sentence: str
    kind: ReasonKind
    state: ReleaseState  # what follows from it alone
    metric: str = ""  # the text form of the metric behind it; empty: none is
    of_system: bool = True  # or of the corpus and the evaluation: the sentence then names no system


def bears(check: ThresholdCheck, grade: str) -> bool:
    """Whether a grade counts: of usual thresholds beside others that of the grave ones, which then do not pass."""
    return check.grade == grade and (not check.usual or not check.passed)


def reason_against(run: Run, name: str, check: Check) -> Reason | None:
    """What a check has against a release, whether or not the gate lets it pass."""
    if isinstance(check, ReadableCheck):
        return None if check.sure else _readable(check, run)
    if isinstance(check, EvidenceCheck):
        state = ReleaseState.DO_NOT_RELEASE if check.grave else ReleaseState.NOT_ENOUGH_EVIDENCE
        kind = _KINDS.get(check.about, "lacking")
        return Reason(check.said, kind, state, of_system=check.about not in _OF_EVALUATION)
    if isinstance(check, RuleCheck):
        sentence = f"The rule {check.asked} is broken by {check.broken:,} of {many(check.judged, 'marked place')}."
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
        f"{many(len(run.documents), 'document')}."
    )
    return Reason(sentence, "readable", ReleaseState.DO_NOT_RELEASE, check.metric)


def _too_few(run: Run, check: Enough) -> Reason:
    if check.metric:
        title, needed = title_of(run, check.metric), f"at least {check.needed:,} are needed"
        sentence = f"Too little was counted ({title}): {check.found:,}, and {needed}."
    else:
        what = "independent document" if run.joined else "group" if run.groups else "document"
        only = "is only" if check.found == 1 else "are only"
        sentence = f"There {only} {many(check.found, what)} to judge by, and at least {check.needed:,} are needed."
    return Reason(sentence, "sample", ReleaseState.NOT_ENOUGH_EVIDENCE, check.metric, of_system=False)


def _not_as_good(run: Run, check: BaselineCheck) -> Reason:
    title = title_of(run, check.metric, check.part)
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
    title = title_of(run, check.metric, check.part, check)
    little = ReleaseState.NOT_ENOUGH_EVIDENCE
    if check.grade == "unknown" or check.value is None:
        why = check.said.removesuffix(_USUAL)
        why = why.removeprefix(_SHOWS_NOTHING).rpartition("cannot pass: ")[2]
        return Reason(f"{title} shows nothing: {why}.", "unknown", little, check.metric)
    people = "attack" in roles and not check.part and not check.slice
    if check.grade == "missed":
        state = ReleaseState.DO_NOT_RELEASE if bears(check, "missed") else little
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


def title_of(run: Run, metric: str, part: str = "", check: ThresholdCheck | None = None) -> str:
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


def many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
