"""What a gate asked of a run, and what came of it: a record for each question, for whoever shows or keeps it."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import msgspec

from showthrough.run.gate.grading import FAILED, PASSED, UNSURE, Grade
from showthrough.run.records import Input
from showthrough.run.thresholds import End

DOCUMENTS = 20
IDENTIFIERS = (
    30  # with none of 30 seen to leak, up to 10 % may leak all the same (3 in n: Hanley and Lippman-Hand 1983)
)
_DIGITS = 3
_MOST_DIGITS = 9


class ThresholdCheck(msgspec.Struct, frozen=True, tag="threshold", tag_field="kind"):
    """Whether a number reaches a threshold."""

    asked: Annotated[str, "the threshold in words"]
    passed: Annotated[bool, "whether the gate can be passed with it"]
    said: Annotated[str, "why, in words"]
    metric: Annotated[str, "the text form of the metric"]
    part: Annotated[str, "which of its numbers; empty: the main one"]
    end: Annotated[End, "whether the number must be at least or at most the limit"]
    limit: Annotated[float, "the limit"]
    grade: Annotated[Grade, "how surely it is reached: met, unsure, missed or unknown"]
    value: Annotated[float | None, "the number; null where there is none"] = None
    low: Annotated[float | None, "the lower end of its interval"] = None
    high: Annotated[float | None, "the upper end of its interval"] = None
    usual: Annotated[bool, "whether it is a usual threshold that nobody asked for"] = False
    more: Annotated[
        int | None,
        "how many more documents, or groups, without a leak would make it sure; null where that is not known",
    ] = None

    slice: Annotated[str, "the field whose groups the limit is for; empty: all documents together"] = ""
    group: Annotated[str, "the group that the number is of: the one that was named, or the worst"] = ""

    @property
    def sure(self) -> bool:
        """Whether more than the number itself holds."""
        return self.grade == "met"


class BaselineCheck(msgspec.Struct, frozen=True, tag="baseline", tag_field="kind"):
    """Whether what an earlier run reached was kept."""

    asked: Annotated[str, "what must not be lost, in words"]
    passed: Annotated[bool, "whether that is good enough"]
    said: Annotated[str, "why, in words"]
    metric: Annotated[str, "the text form of the metric"]
    part: Annotated[str, "which of its numbers; empty: the main one"]
    baseline: Annotated[str, "the anonymization of the earlier run"]
    margin: Annotated[float, "how much may be lost"]
    value: Annotated[float | None, "the number; null where there is none"] = None
    earlier: Annotated[float | None, "what it was"] = None
    lost: Annotated[float | None, "by how much it is worse; negative where it is better"] = None
    most: Annotated[float | None, "the largest loss that cannot be excluded, with 95 % confidence"] = None
    p: Annotated[float | None, "how likely chance alone makes it look so much worse"] = None
    p_holm: Annotated[float | None, "the same, corrected for all that this gate compares"] = None

    @property
    def sure(self) -> bool:
        """Whether a larger loss than may be is excluded, and not only not shown."""
        return self.most is not None and self.most <= self.margin


class Enough(msgspec.Struct, frozen=True, tag="sample", tag_field="kind"):
    """Whether there is enough to judge by."""

    asked: Annotated[str, "what is needed, in words"]
    passed: Annotated[bool, "whether there is as much"]
    said: Annotated[str, "how much there is, in words"]
    found: Annotated[int, "how much there is"]
    needed: Annotated[int, "how much there must be"]
    metric: Annotated[str, "whose things are counted; empty: documents"] = ""

    @property
    def sure(self) -> bool:
        return True


class ReadableCheck(msgspec.Struct, frozen=True, tag="readable", tag_field="kind"):
    """Whether every direct identifier that can be read was accepted by somebody."""

    asked: Annotated[str, "what is needed, in words"]
    passed: Annotated[bool, "whether the gate can be passed with it"]
    said: Annotated[str, "how many there are, in words"]
    metric: Annotated[str, "the metric that found them"]
    readable: Annotated[int, "direct identifiers that can be read"]
    accepted: Annotated[int, "those of them that somebody accepted"]
    marked: Annotated[int, "direct identifiers that were marked"]
    documents: Annotated[int, "documents in which one can be read that nobody accepted"]
    unused: Annotated[list[int], "entries of the accepted list, from 1, that fit nothing that can be read"] = []

    @property
    def sure(self) -> bool:
        return self.readable <= self.accepted


Lack = Literal[
    "annotations",
    "release",
    "nearly",
    "masks",
    "judged",
    "silver",
    "training",
    "unlike",
    "others",
    "attacker",
    "originals",
    "sample",
    "limit",
]


class EvidenceCheck(msgspec.Struct, frozen=True, tag="evidence", tag_field="kind"):
    """Something without which no number shows anything; there where it is lacking."""

    asked: Annotated[str, "what is needed, in words"]
    passed: Annotated[bool, "whether the gate can be passed all the same"]
    said: Annotated[str, "what is lacking, a plain sentence"]
    about: Annotated[Lack, "what it is about"]
    grave: Annotated[bool, "whether that alone speaks against a release"] = False
    metric: Annotated[str, "always empty: no number makes up for it"] = ""

    @property
    def sure(self) -> bool:
        return False


class RuleCheck(msgspec.Struct, frozen=True, tag="rule", tag_field="kind"):
    """Whether a rule is kept that somebody asked for."""

    asked: Annotated[str, "the rule in words"]
    passed: Annotated[bool, "whether nothing breaks it"]
    said: Annotated[str, "how much breaks it, and where, in words"]
    metric: Annotated[str, "the metric that judges it"]
    rule: Annotated[str, "the rule, as parts of the metric call it"]
    judged: Annotated[int, "how much it is about"]
    broken: Annotated[int, "how much of that breaks it"]

    @property
    def sure(self) -> bool:
        return self.passed


class DriftCheck(msgspec.Struct, frozen=True, tag="drift", tag_field="kind"):
    """Whether a rate of released texts is as it was in the month before."""

    asked: Annotated[str, "what must not change, in words"]
    passed: Annotated[bool, "whether no look raised an alarm"]
    said: Annotated[str, "what was found, in words"]
    metric: Annotated[str, "the rate, in words"]
    value: Annotated[float | None, "the rate of the days of the first alarm, else of all days that are watched"]
    earlier: Annotated[float | None, "the rate of the reference"]
    day: Annotated[str, "the day of the look that raised the first alarm; empty: none did"] = ""
    days: Annotated[int, "how many days with releases the number is of"] = 0

    @property
    def sure(self) -> bool:
        """Nobody can be sure that nothing changes."""
        return False


Check = ThresholdCheck | BaselineCheck | Enough | ReadableCheck | EvidenceCheck | DriftCheck | RuleCheck


class Look(msgspec.Struct, frozen=True):
    """A document to look at first."""

    document: Annotated[str, "its id"]
    direct: Annotated[int, "direct identifiers that can be read"] = 0
    quasi: Annotated[int, "quasi-identifiers that can be read"] = 0
    more: Annotated[int, "how many more than in the baseline, where something was lost"] = 0


class AnonymizationChecks(msgspec.Struct, frozen=True):
    """All that was asked of one anonymization."""

    name: Annotated[str, "the anonymization"]
    checks: Annotated[list[Check], "what was asked, and what came of it"]
    documents: Annotated[list[Look], "where to look first"]
    state: Annotated[str, "what follows for a release: do not release, not enough evidence or no objection found"] = ""
    sentence: Annotated[str, "why, in a plain sentence"] = ""
    reasons: Annotated[list[str], "all that is against it, a plain sentence each; the gravest first"] = []
    unused: Annotated[list[str], "entries of the accepted list that fit nothing, a sentence each"] = []

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.checks if not check.passed]

    @property
    def status(self) -> int:
        """0: all that counts is met; 3: what is not is unsure; 1: something is missed, or cannot be known."""
        unsure = [
            (isinstance(check, ThresholdCheck) and check.grade == "unsure")
            or (isinstance(check, EvidenceCheck) and not check.grave)
            for check in self.failed
        ]
        return PASSED if self.passed else UNSURE if all(unsure) else FAILED


class GateOutcome(msgspec.Struct, frozen=True):
    """All that a gate asked of a run."""

    corpus: Annotated[Input, "what was anonymized"]
    sample: Annotated[str, "how many documents there are, in words"]
    bound: Annotated[bool, "whether what an earlier run reached had to be shown to be kept"]
    anonymizations: Annotated[list[AnonymizationChecks], "what came of each"]
    baseline: Annotated[str, "what the earlier run is called; empty: there is none"] = ""
    notes: Annotated[list[str], "what a reader must know besides, a sentence each"] = []
    of_run: Annotated[list[str], "what the run says that a reader must know before believing its numbers"] = []
    unit: Annotated[str, "what `more` counts: documents, or groups of them"] = "document"

    @property
    def passed(self) -> bool:
        return all(anonymization.passed for anonymization in self.anonymizations)

    @property
    def status(self) -> int:
        """The exit status of the command: the worst of all anonymizations."""
        worst = (FAILED, UNSURE, PASSED)
        return min((anonymization.status for anonymization in self.anonymizations), key=worst.index, default=PASSED)

    @property
    def unsure(self) -> int:
        """How many checks pass and do not hold for sure: what is allowed, or usual and not asked for."""
        return sum(
            check.passed and not check.sure and not isinstance(check, ReadableCheck)
            for checked in self.anonymizations
            for check in checked.checks
        )

    @property
    def readable(self) -> int:
        """How many direct identifiers can be read that nobody accepted, though the gate lets that pass."""
        checks = [check for checked in self.anonymizations for check in checked.checks if check.passed]
        return sum(check.readable - check.accepted for check in checks if isinstance(check, ReadableCheck))

    @property
    def more(self) -> int | None:
        """How many more documents without a leak would make sure of all that is unsure; `None`: that cannot be said."""
        counts = [
            check.more
            for checked in self.anonymizations
            for check in checked.checks
            if isinstance(check, ThresholdCheck) and check.grade == "unsure" and not check.usual
        ]
        available = [count for count in counts if count is not None]
        return max(available) if available and len(available) == len(counts) else None


def format_value(value: float, limit: float | None = None) -> str:
    """A number with as many digits as it takes to tell on which side of a limit it lies, and 0 and 1 from nearly so.

    >>> format_value(0.94996, 0.95), format_value(0.97, 0.95)
    ('0.94996', '0.970')
    >>> format_value(0.99967), format_value(1.0), format_value(58.0)
    ('0.9997', '1.000', '58.000')
    """
    for digits in range(_DIGITS, _MOST_DIGITS):
        text = f"{value:.{digits}f}"
        near = float(text)
        sides = limit is None or ((near < limit), (near > limit)) == ((value < limit), (value > limit))
        if sides and (near == value or near not in (0.0, 1.0)):
            return text
    return f"{value:.{_DIGITS}f}" if limit is None else f"{value!r}"


def upwards(value: float, limit: float | None = None) -> str:
    """A number that is told as no smaller than it is, nor beyond a limit that it keeps.

    >>> upwards(0.0401), upwards(0.0124, 0.0125)
    ('0.041', '0.0124')
    """
    for digits in range(_DIGITS, _MOST_DIGITS):
        near = math.ceil(value * 10**digits - 1e-9) / 10**digits
        if limit is None or near <= limit or value > limit:
            return f"{near:.{digits}f}"
    return f"{value!r}"
