"""What each check that does not hold says against a release, as one plain sentence, without a run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from showthrough.run.gate import accepted as accepted_list
from showthrough.run.gate.accepted import Accepted, AcceptedIdentifier, ReadableIdentifiers
from showthrough.run.gate.checks import BaselineCheck, Check, Enough, EvidenceCheck, ReadableCheck, ThresholdCheck
from showthrough.run.gate.grading import Grade
from showthrough.run.gate.reasons import Reason, ReleaseState, _numbers_apart, reason_against
from showthrough.run.records import MetricRecord
from showthrough.run.run import Run
from showthrough.run.thresholds import End

NEVER, NOT_YET = ReleaseState.DO_NOT_RELEASE, ReleaseState.NOT_ENOUGH_EVIDENCE
ROLES = {"trir": ("attack",), "er_di": ("direct identifiers",), "nmi": (), "er_qi": ("quasi-identifiers",)}
TITLES = {"trir": "People found", "er_di": "Direct identifiers", "nmi": "Groups kept", "er_qi": "Indirect identifiers"}


def reason(check: Check, **of_run: Any) -> Reason | None:
    """Of a run of 200 documents; identifiers are counted nowhere, so nothing but numbers can be said."""
    records = [SimpleNamespace(text=text, title=TITLES[text], roles=ROLES[text], counts={}) for text in ROLES]
    usual = {"documents": ["d"] * 200, "metrics": records, "joined": False, "groups": ()}
    return reason_against(cast("Run", SimpleNamespace(**{**usual, **of_run})), "tool", check)


def number(
    metric: str, grade: Grade, value: float | None, limit: float = 0.95, end: End = "min", said: str = "", **more: Any
) -> ThresholdCheck:
    check = ThresholdCheck("", grade == "met", said, metric, more.pop("part", ""), end, limit, grade, value)
    low, high = more.pop("low", None), more.pop("high", None)
    return ThresholdCheck(*(getattr(check, field) for field in check.__struct_fields__[:9]), low, high, **more)


@pytest.mark.parametrize(
    ("check", "kind", "state", "sentence"),
    [
        (
            number("nmi", "unknown", None, said="there is no number, so it cannot pass: it broke (usual)"),
            *("unknown", NOT_YET, "Groups kept shows nothing: it broke."),
        ),
        (
            number("nmi", "unknown", 1.0, said="the number shows nothing: tool made the marks"),
            *("unknown", NOT_YET, "Groups kept shows nothing: tool made the marks."),
        ),
        (number("trir", "missed", 0.25, 0.09, "max"), "people", NEVER, "50 of 200 people can still be recognised."),
        (  # a part of an attack is no share of people
            number("trir", "missed", 0.25, 0.09, "max", part="risk"),
            *("missed", NEVER, "People found (risk): 25 %, and the limit is at most 9 %."),
        ),
        (number("nmi", "missed", 0.5), "missed", NEVER, "Groups kept: 50 %, and the limit is at least 95 %."),
        (  # which nobody asked for, and the gate lets pass
            ThresholdCheck("", True, "", "nmi", "", "min", 0.95, "missed", 0.5, usual=True),
            *("missed", NOT_YET, "Groups kept: 50 %, and the limit is at least 95 %."),
        ),
        (
            number("trir", "unsure", 0.05, 0.09, "max", "not sure: the number holds, but its interval …", high=0.125),
            *(
                "unsure",
                NOT_YET,
                "Up to 12 % of people might be recognised in other documents, as too few were tested.",
            ),
        ),
        (
            number("nmi", "unsure", 0.97, said="not sure: the number holds, but its interval …", low=0.9, high=0.99),
            *(
                "unsure",
                NOT_YET,
                "Groups kept: 97 % here, but as little as 90 % cannot be ruled out, as too few were tested.",
            ),
        ),
        (
            number(
                "nmi", "unsure", 0.01, 0.09, "max", "not sure: the number holds, but its interval …", low=0, high=0.2
            ),
            *("unsure", NOT_YET, "Groups kept: 1 % here, but up to 20 % cannot be ruled out, as too few were tested."),
        ),
        (
            number("nmi", "unsure", 0.97, said="not sure: the number holds, but it has no interval (usual)"),
            *("unsure", NOT_YET, "Groups kept: 97 %, but it has no interval."),
        ),
        (  # met, by a limit that was set beyond the usual 9 % of people
            number("trir", "met", 0.25, 0.5, "max"),
            *("people", NOT_YET, "50 of 200 people can still be recognised; the limit that was set (50 %) allows it."),
        ),
    ],
)
def test_a_number_that_does_not_hold(check: ThresholdCheck, kind: str, state: ReleaseState, sentence: str) -> None:
    against = reason(check)
    assert against is not None
    assert (against.kind, against.state, against.sentence) == (kind, state, sentence)
    assert (against.metric, against.of_system) == (check.metric, True)


@pytest.mark.parametrize(
    "check",
    [
        number("nmi", "met", 0.25, 0.5, "max"),  # no attack
        number("trir", "met", 0.25, 0.5, "max", part="risk"),
        number("trir", "met", 0.09, 0.5, "max"),  # just the usual limit
        number("trir", "met", 0.25, 0.2),  # somebody wants many to be found
    ],
)
def test_what_is_met_within_the_usual_limit_is_no_objection(check: ThresholdCheck) -> None:
    assert reason(check) is None


def kept(metric: str, value: float | None, earlier: float | None, lost: float | None, part: str = "") -> BaselineCheck:
    return BaselineCheck("", False, "", metric, part, "last", 0.01, value, earlier, lost)


@pytest.mark.parametrize(
    ("check", "state", "sentence"),
    [
        (
            kept("er_qi", 0.85, 1.0, 0.15),
            *(NEVER, "Only 85 % of indirect identifiers are hidden; the earlier release hid 100 %."),
        ),
        (  # what its part counts nobody says in words
            kept("er_qi", 0.85, 1.0, 0.15, "LOC"),
            *(NEVER, "Indirect identifiers (LOC): 85 %, which is worse than 100 % in the earlier release."),
        ),
        (kept("trir", 0.2, 0.1, 0.1), NEVER, "20 % of people can be recognised; in the earlier release it was 10 %."),
        (kept("nmi", 0.8, 0.9, 0.1), NEVER, "Groups kept: 80 %, which is worse than 90 % in the earlier release."),
        # Just the margin is no loss, and without a number nobody knows.
        (
            kept("nmi", 0.89, 0.9, 0.01),
            NOT_YET,
            "Nothing shows that it is as good as the earlier release (Groups kept).",
        ),
        (
            kept("nmi", None, 0.9, None),
            NOT_YET,
            "Nothing shows that it is as good as the earlier release (Groups kept).",
        ),
        (kept("new", None, 0.9, None), NOT_YET, "Nothing shows that it is as good as the earlier release (new)."),
    ],
)
def test_a_number_that_was_not_kept(check: BaselineCheck, state: ReleaseState, sentence: str) -> None:
    against = reason(check)
    assert against is not None
    assert (against.kind, against.state) == ("worse" if state == NEVER else "unsure", state)
    assert against.sentence == sentence


@pytest.mark.parametrize(
    ("found", "metric", "of_run", "sentence"),
    [
        (1, "", {}, "There is only 1 document to judge by, and at least 1,000 are needed."),
        (2, "", {}, "There are only 2 documents to judge by, and at least 1,000 are needed."),
        (2, "", {"groups": ("a",)}, "There are only 2 groups to judge by, and at least 1,000 are needed."),
        (
            *(2, "", {"groups": ("a",), "joined": 2}),
            "There are only 2 independent documents to judge by, and at least 1,000 are needed.",
        ),
        (999, "nmi", {}, "Too little was counted (Groups kept): 999, and at least 1,000 are needed."),
    ],
)
def test_too_few(found: int, metric: str, of_run: dict[str, Any], sentence: str) -> None:
    assert reason(Enough("", False, "", found, 1_000, metric), **of_run) == Reason(
        sentence, "sample", NOT_YET, metric, of_system=False
    )
    assert reason(Enough("", True, "", found, 1_000, metric), **of_run) is None


@pytest.mark.parametrize(
    ("readable", "accepted", "marked", "sentence"),
    [
        (1, 0, 1, "1 of 1 direct identifier can still be read, in 3 of 200 documents."),
        (2, 0, 400, "2 of 400 direct identifiers can still be read, in 3 of 200 documents."),
        (3, 2, 4, "1 of 4 direct identifiers can still be read and was accepted by nobody, in 3 of 200 documents."),
        (4, 2, 4, "2 of 4 direct identifiers can still be read and were accepted by nobody, in 3 of 200 documents."),
    ],
)
def test_identifiers_that_can_be_read(readable: int, accepted: int, marked: int, sentence: str) -> None:
    against = reason(ReadableCheck("", True, "", "er_di", readable, accepted, marked, 3))
    assert against == Reason(sentence, "readable", NEVER, "er_di")
    assert reason(ReadableCheck("", True, "", "er_di", accepted, accepted, marked, 0)) is None


def test_what_is_lacking_is_about_the_system_or_the_evaluation() -> None:
    """Almost no masks are the system's, and grave; that nobody marked anything is nobody's."""
    assert reason(EvidenceCheck("", False, "Few masks.", "masks", grave=True)) == Reason("Few masks.", "masks", NEVER)
    nobody = Reason("Nobody marked.", "lacking", NOT_YET, of_system=False)
    assert reason(EvidenceCheck("", True, "Nobody marked.", "annotations")) == nobody
    assert reason(EvidenceCheck("", True, "Weak.", "originals")) == Reason(
        "Weak.", "attacker", NOT_YET, of_system=False
    )
    assert reason(EvidenceCheck("", True, "No limit.", "limit")) == Reason("No limit.", "attacker", NOT_YET)


@pytest.mark.parametrize(
    ("value", "other", "texts"),
    [
        (0.849, 0.851, ("84.9 %", "85.1 %")),
        (0.85, 1.0, ("85 %", "100 %")),
        (0.84999, 0.85001, ("84.999 %", "85.001 %")),
        (0.9999, 1.0, ("99.99 %", "100 %")),
        (0.0, 0.00001, ("0 %", "0.001 %")),
        (1.5, 2.25, ("1.5", "2.25")),
    ],
)
def test_two_shares_are_told_apart(value: float, other: float, texts: tuple[str, str]) -> None:
    assert _numbers_apart(value, other) == texts


def test_a_state_begins_with_a_capital_as_a_heading() -> None:
    titles = {state.title: state.sign for state in ReleaseState}
    assert titles == {"Do not release": "✗", "Not enough evidence": "?", "No objection found": "✓"}


def test_documents_count_in_which_something_is_left_that_nobody_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three documents one has one readable identifier, which was accepted, and another two, which were not."""
    monkeypatch.setattr(accepted_list, "wrongs", lambda *_: [1, 2, 0])
    monkeypatch.setattr(accepted_list, "_match", lambda *_: ({"d0": 1}, {1}))
    record = cast("MetricRecord", SimpleNamespace(text="er_di", counts={"total": "all", "hidden": "right"}))
    rows = {"er_di": {"a": {"total": [1, 2, 3], "hidden": [0, 0, 3]}}}
    run = cast("Run", SimpleNamespace(rows=rows, documents=["d0", "d1", "d2"]))
    listed = Accepted((AcceptedIdentifier("d0", "Ann", "2026-11-18", "known", text="Doe"),) * 2)
    found = accepted_list._readable_by(run, "a", record, listed)
    assert found == ReadableIdentifiers("er_di", readable=3, accepted=1, marked=6, documents=1, unused=[2])
    nobody = accepted_list._readable_by(run, "a", record, None)
    assert nobody == ReadableIdentifiers("er_di", readable=3, accepted=0, marked=6, documents=2, unused=[])
