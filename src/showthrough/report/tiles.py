"""Three numbers that a first look needs of an anonymization, each with all that it must be read beside.

What can be read, who is found, and what is kept: found by their roles. Each is a share from 0 to 1 with its interval,
its limit, what people reach among themselves, and what it was in an earlier run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from showthrough.metrics import HEADLINE
from showthrough.report._people import people
from showthrough.report.wording import counted_words, percent, percent_end
from showthrough.run.gate.checks import BaselineCheck, EvidenceCheck, Lack, ReadableCheck, ThresholdCheck
from showthrough.run.gate.grading import DEFAULTS, Grade
from showthrough.run.gate.state import Decision
from showthrough.run.pairing import RunPair
from showthrough.run.records import MetricRecord, Score
from showthrough.run.roles import (
    INFORMATION,
    MEANING,
    PRECISION,
    choose_metric,
    count_by_kind,
    find_metrics,
    headline,
    in_all,
    leaks,
)
from showthrough.run.run import Run

_SAME = 1e-9
_NONE_READABLE = "no direct identifier may be readable unless somebody accepted it"
_OF_MARKS: frozenset[Lack] = frozenset({"release", "masks", "silver", "sample", "training", "unlike", "others"})
_OF_ATTACKS: frozenset[Lack] = frozenset({"attacker", "originals", "training", "unlike"})


@dataclass(frozen=True)
class Tile:
    """One number. Without a metric it was not counted, and `detail` says so."""

    title: str
    figure: str  # `25 of 130`
    detail: str  # `in 17 of 42 documents`
    share: float | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    most: bool = True  # whether the limit is the most that may be, or the least
    usual: bool = True  # whether the limit is the usual one
    people: float | None = None
    moved: str = ""
    grade: Grade | None = None  # of its threshold; None where it has none
    rule: str = ""  # what it fails, whatever its limit
    record: MetricRecord | None = None

    @property
    def words(self) -> str:
        """All that its bar shows, for those who cannot see it."""
        if self.share is None:
            return f"{self.title}: {self.detail}"
        parts = [f"{self.title}: {percent(self.share)}"]
        if self.low is not None and self.high is not None:
            parts.append(f"interval {percent(self.low)} to {percent(self.high)}")
        if self.limit is not None:
            parts.append(self.limit_words)
        if self.rule:
            parts.append(self.rule)
        if self.people is not None:
            parts.append(f"people among themselves {percent(self.people)}")
        return ", ".join(parts)

    @property
    def limit_words(self) -> str:
        """The limit, and whose it is: `limit: at most 9.0 % (usual)`; nothing where there is none."""
        if self.limit is None:
            return ""
        whose = "usual" if self.usual else "set for this report"
        return f"limit: {'at most' if self.most else 'at least'} {percent(self.limit)} ({whose})"

    @property
    def doubt_words(self) -> str:
        """How bad it may be elsewhere, by the cautious end of its interval."""
        if self.low is None or self.high is None:
            return ""
        far = f"up to {percent_end(self.high)}" if self.most else f"as little as {percent_end(self.low)}"
        return f"{far} cannot be ruled out"


def tiles(run: Run, decision: Decision, earlier: RunPair | None = None, earlier_name: str = "") -> list[Tile]:
    """What can be read, who is found, and what is kept of one anonymization."""
    makers = (_readable_tile, _people_tile, _utility_tile)
    return [make(run, decision, earlier, earlier_name) for make in makers]


def _readable_tile(run: Run, decision: Decision, earlier: RunPair | None, earlier_name: str) -> Tile:
    title, name = "Direct identifiers still readable", decision.candidate
    record = choose_metric(run, "direct identifiers")
    score = headline(run, name, record)
    if record is None or score is None or score.value is None:
        return Tile(title, "–", "Nobody marked direct identifiers, so nobody can count them.")
    where = leaks(run, record, name)
    every = round(in_all(count_by_kind(run, record, name, "all")))
    detail = f"in {len(where):,} of {counted_words(len(run.documents), 'document')}"
    accepted = f"; {decision.accepted:,} accepted" if decision.accepted else ""
    check = _check(decision, record)
    unaccepted = any(isinstance(item, ReadableCheck) and not item.sure for item in _checks(decision))
    grade: Grade | None = "missed" if unaccepted else _doubted(decision, check, _OF_MARKS)
    limit = None if check is None or unaccepted else 1 - check.limit  # beside a graver rule it would contradict it
    human = people(run, record.text)
    return Tile(
        title,
        f"{where.total:,} of {every:,}",
        detail + accepted,
        1 - score.value,
        *_flipped(score),
        limit,
        usual=_is_usual(record, check),
        people=None if human is None else 1 - human.value[0],
        moved=_moved(run, name, record, earlier, earlier_name, flipped=True),
        grade=grade,
        record=record,
        rule=_NONE_READABLE if unaccepted else "",
    )


def _people_tile(run: Run, decision: Decision, earlier: RunPair | None, earlier_name: str) -> Tile:
    title, name = "People found", decision.candidate
    scored = [(score, record) for record in find_metrics(run, "attack") if (score := headline(run, name, record))]
    if not scored:
        return Tile(title, "–", "Nobody tried to recognise people.")
    score, record = max(scored, key=lambda pair: pair[0].value or 0.0)  # the strongest counts
    value, many = score.value or 0.0, len(run.documents)
    detail = "by an attacker who knows something about them" + (
        f", the best of {len(scored)}" if len(scored) > 1 else ""
    )
    check = _check(decision, record)
    return Tile(
        title,
        f"{round(value * many):,} of {many:,}",
        detail,
        value,
        score.low,
        score.high,
        None if check is None else check.limit,
        usual=_is_usual(record, check),
        moved=_moved(run, name, record, earlier, earlier_name),
        grade=_doubted(decision, check, _OF_ATTACKS),
        record=record,
    )


def _utility_tile(run: Run, decision: Decision, earlier: RunPair | None, earlier_name: str) -> Tile:
    title, name = "Text kept", decision.candidate
    record = choose_metric(run, INFORMATION, "words", PRECISION, MEANING)
    if record is not None and INFORMATION in record.roles:
        title = "Information kept"
    score = headline(run, name, record)
    if record is None or score is None or score.value is None or not 0 <= score.value <= 1:
        return Tile(title, "–", "Nobody measured what is left to read.")
    check = _check(decision, record)
    human = people(run, record.text)
    limit, among_people = (None if check is None else check.limit), (None if human is None else human.value[0])
    # Of precision the rest is shown: that all masked words were marked reads as if all marked words were masked.
    needless = PRECISION in record.roles
    if needless:
        title = "Needless masking"
        limit, among_people = (None if number is None else 1 - number for number in (limit, among_people))
    return Tile(
        title,
        percent(1 - score.value if needless else score.value),
        "of the masked words were not marked" if needless else record.title[0].lower() + record.title[1:],
        1 - score.value if needless else score.value,
        *(_flipped(score) if needless else (score.low, score.high)),
        limit,
        most=needless,
        usual=_is_usual(record, check),
        people=among_people,
        moved=_moved(run, name, record, earlier, earlier_name, flipped=needless),
        grade=None if check is None else check.grade,
        record=record,
    )


def _checks(decision: Decision) -> Sequence[object]:
    return decision.checks.checks if decision.checks else ()


def _check(decision: Decision, record: MetricRecord) -> ThresholdCheck | None:
    checks = (item for item in _checks(decision) if isinstance(item, ThresholdCheck))
    return next((item for item in checks if item.metric == record.text and not (item.part or item.slice)), None)


def _is_usual(record: MetricRecord, check: ThresholdCheck | None) -> bool:
    """Whether a limit is the usual one. A check does not say so where nobody set any."""
    threshold = None if check is None else (check.end, check.limit)
    return any(role in record.roles and threshold == (end, limit) for role, end, limit in DEFAULTS)


def _doubted(decision: Decision, check: ThresholdCheck | None, lacks: frozenset[Lack]) -> Grade | None:
    """How surely a threshold is met; not for sure where something is lacking without which its number shows nothing."""
    if check is None or check.grade != "met":
        return None if check is None else check.grade
    earlier = [item for item in _checks(decision) if isinstance(item, BaselineCheck) and item.metric == check.metric]
    if failed := [item for item in earlier if not (item.passed or item.part)]:  # within its limit, and not what it was
        return "missed" if any((item.lost or 0.0) > item.margin for item in failed) else "unsure"
    lacking = any(isinstance(item, EvidenceCheck) and item.about in lacks for item in _checks(decision))
    return "unsure" if lacking else "met"


def _flipped(score: Score) -> tuple[float | None, float | None]:
    """The interval of what is left, from that of what is hidden."""
    return (None if score.high is None else 1 - score.high), (None if score.low is None else 1 - score.low)


def _moved(
    run: Run, name: str, record: MetricRecord, earlier: RunPair | None, earlier_name: str, *, flipped: bool = False
) -> str:
    """`better: was 31.0 % in the earlier release`; nothing without an earlier run that was computed alike."""
    if earlier is None or earlier.fault(record.text):
        return ""
    now = headline(run, name, record)
    which = next((each for each in (earlier_name, name) if each in earlier.other.names), "")
    which = which or (earlier.other.names[0] if len(earlier.other.names) == 1 else "")
    was = earlier.other.parts(which, record.text).get(HEADLINE) if which else None
    if now is None or now.value is None or was is None or was.value is None:
        return ""
    change = (now.value - was.value) * (1 if record.better == "higher" else -1)
    word = "unchanged" if abs(change) < _SAME else "better" if change > 0 else "worse"
    return f"{word}: was {percent(1 - was.value if flipped else was.value)} in the earlier release"
