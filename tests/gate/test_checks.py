"""What comes of single checks, put together without a run where none is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from showthrough import PlanError
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.checking import Gate, _count_documents, _holding, check_run
from showthrough.run.gate.checks import (
    FAILED,
    PASSED,
    UNSURE,
    AnonymizationChecks,
    BaselineCheck,
    Check,
    Enough,
    GateOutcome,
    Look,
    ThresholdCheck,
    format_value,
    upwards,
)
from showthrough.run.gate.grading import Demand, Grade, Grading
from showthrough.run.gate.parsing import ThresholdRequest
from showthrough.run.gate.reasons import Reason, ReleaseState
from showthrough.run.gate.sample_size import Need
from showthrough.run.gate.state import Decision
from showthrough.run.pairing import RunPair
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold

Runs = Callable[..., Run]


def number(grade: Grade, passed: bool, *, usual: bool = False, more: int | None = None) -> ThresholdCheck:
    return ThresholdCheck("er_di ≥ 0.9", passed, "", "er_di", "", "min", 0.9, grade, usual=usual, more=more)


def kept(passed: bool, most: float | None, margin: float = 0.1) -> BaselineCheck:
    return BaselineCheck("er_di", passed, "", "er_di", "", "last", margin, most=most)


MET, UNSURE_ONE, MISSED = number("met", True), number("unsure", False, more=7), number("missed", False)
ALLOWED = number("unsure", True, more=3)
FEW = Enough("at least 20 documents", False, "19 documents", 19, 20)


@pytest.mark.parametrize(
    ("checks", "status"),
    [
        ([], PASSED),
        ([MET, ALLOWED], PASSED),
        ([MET, UNSURE_ONE], UNSURE),
        ([UNSURE_ONE, MISSED], FAILED),  # the worst counts
        ([UNSURE_ONE, FEW], FAILED),  # too few documents are no unsure number,
        ([UNSURE_ONE, kept(False, 0.3)], FAILED),  # nor is a loss
        ([number("unknown", False)], FAILED),
    ],
)
def test_the_worst_check_decides(checks: list[Check], status: int) -> None:
    one = AnonymizationChecks("a", checks, [])
    assert (one.status, one.passed) == (status, status == PASSED)
    assert one.failed == [check for check in checks if not check.passed]


@pytest.mark.parametrize(
    ("checks", "sure"),
    [
        (MET, True),
        (ALLOWED, False),
        (kept(True, 0.1), True),
        (kept(True, 0.11), False),
        (kept(True, None), False),
        (FEW, True),
    ],
)
def test_what_holds_for_sure(checks: Check, sure: bool) -> None:
    assert checks.sure == sure


@pytest.fixture(scope="module")
def outcome(run_of: Runs) -> GateOutcome:
    return check_run(run_of({"a": ()}), Gate([Threshold("er_di", "min", 0.5)]))


def of(outcome: GateOutcome, *checks: list[Check]) -> GateOutcome:
    each = [AnonymizationChecks(f"s{place}", one, []) for place, one in enumerate(checks)]
    return msgspec.structs.replace(outcome, anonymizations=each)


def test_the_worst_anonymization_decides(outcome: GateOutcome) -> None:
    assert of(outcome, [MET], [UNSURE_ONE], [MET]).status == UNSURE
    assert of(outcome, [UNSURE_ONE], [MISSED], [MET]).status == FAILED
    assert of(outcome, [MET], [MET]).status == PASSED
    assert of(outcome).status == PASSED
    assert (of(outcome, [MET], [MISSED]).passed, of(outcome, [MET], [MET]).passed) == (False, True)


def test_what_passes_without_being_sure_is_counted(outcome: GateOutcome) -> None:
    """Of these ALLOWED, in either anonymization, and a loss that is not excluded pass and are not sure: 3."""
    assert of(outcome, [MET, ALLOWED, kept(True, 0.2)], [ALLOWED, UNSURE_ONE, FEW]).unsure == 3


def test_how_many_more_would_do_for_all(outcome: GateOutcome) -> None:
    """7 make sure of one and 3 of the other, so 7 of both; where it cannot be said of one, it cannot of all."""
    assert of(outcome, [MET, UNSURE_ONE], [ALLOWED]).more == 7
    assert of(outcome, [UNSURE_ONE, number("unsure", False)]).more is None
    assert of(outcome, [MET, MISSED]).more is None
    # Nobody asked for the usual one, which would need 50.
    assert of(outcome, [UNSURE_ONE, number("unsure", True, usual=True, more=50)]).more == 7
    assert of(outcome, [UNSURE_ONE, number("missed", False, more=50)]).more == 7


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (0.04, None, "0.040"),
        (0.041, None, "0.041"),  # 1,000 times that is 41.000000000000001, which is rounding
        (0.0412, None, "0.042"),
        (0.0131, 0.013, "0.014"),  # it lies beyond the limit, and may be told so
        (0.013, 0.013, "0.013"),
        (1 / 3, 1 / 3, "0.3333333333333333"),  # any shorter one lies beyond
        (0.123456711, 0.12345673, "0.12345672"),  # eight digits are enough
    ],
)
def test_a_number_is_told_as_no_smaller(value: float, limit: float | None, text: str) -> None:
    assert upwards(value, limit) == text


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (0.00004, None, "0.00004"),  # 0.0000 would be none
        (0.0, None, "0.000"),
        (0.0, 0.09, "0.000"),
        (1.0, 0.95, "1.000"),
        (1.00004, None, "1.00004"),
        (0.95, 0.95, "0.950"),
        (0.95004, 0.95, "0.95004"),
        (4e-9, None, "0.000"),  # eight digits do not tell it from 0
        (6e-9, None, "0.00000001"),
        (0.95 + 1e-12, 0.95, repr(0.95 + 1e-12)),
        (0.950000012, 0.95, "0.95000001"),  # eight digits are enough
    ],
)
def test_a_number_is_told_apart(value: float, limit: float | None, text: str) -> None:
    assert format_value(value, limit) == text


def test_what_is_not_known_is_null_in_files() -> None:
    """Each kind of check is told by its name, and has all of its fields."""
    asked = {"asked": "er_di", "passed": False, "said": "", "metric": "er_di", "part": ""}
    lacking = {"value": None, "low": None, "high": None, "usual": False, "more": None}
    whole = {"slice": "", "group": ""}  # of all documents
    number = ThresholdCheck("er_di", False, "", "er_di", "", "min", 0.9, "unknown")
    limits = {"end": "min", "limit": 0.9, "grade": "unknown"}
    assert msgspec.to_builtins(number) == {"kind": "threshold", **asked, **limits, **lacking, **whole}
    unknown = dict.fromkeys(["value", "earlier", "lost", "most", "p", "p_holm"])
    against = {"baseline": "last", "margin": 0.1}
    assert msgspec.to_builtins(kept(False, None)) == {"kind": "baseline", **asked, **against, **unknown}
    counts = {"asked": "at least 20 documents", "passed": False, "said": "19 documents", "found": 19, "needed": 20}
    assert msgspec.to_builtins(FEW) == {"kind": "sample", **counts, "metric": ""}
    assert msgspec.to_builtins(Look("d")) == {"document": "d", "direct": 0, "quasi": 0, "more": 0}


def test_an_outcome_without_a_baseline_says_so(outcome: GateOutcome) -> None:
    bare = GateOutcome(outcome.corpus, "1 document", False, [])
    assert (bare.baseline, bare.notes, bare.of_run, bare.unit) == ("", [], [], "document")


def test_what_came_of_a_gate_cannot_be_changed(outcome: GateOutcome) -> None:
    request = ThresholdRequest("min", "er_di", 0.9, "--min er_di=0.9")
    for one in (MET, kept(True, 0.1), FEW, Look("d"), outcome.anonymizations[0], outcome, request):
        field = one.__struct_fields__[0]
        with pytest.raises(AttributeError, match="immutable"):
            setattr(one, field, "other")


def test_what_is_asked_of_a_run_cannot_be_changed() -> None:
    threshold = Threshold("er_di", "min", 0.9)
    other = SimpleNamespace(names=["a"])
    baseline = Baseline(cast("RunPair", SimpleNamespace(other=other, label="last")))
    demand = Demand(threshold)
    grading, reason = Grading(demand, None, "unknown"), Reason("None.", "lacking", ReleaseState.NOT_ENOUGH_EVIDENCE)
    decision = Decision(reason.state, "a", reason.sentence, (reason,))
    for one in (Gate([threshold]), baseline, demand, grading, Need(1, "document"), reason, decision):
        with pytest.raises(FrozenInstanceError):
            setattr(one, fields(one)[0].name, None)


# Of a run.


def test_ten_documents_are_named(run_of: Runs) -> None:
    looks = check_run(run_of({"a": range(12)}), Gate([Threshold("er_di", "min", 0.5)])).anonymizations[0].documents
    assert [one.document for one in looks] == [f"d{number:02}" for number in range(10)]


def test_a_bound_without_a_baseline_asks_nothing_more(run_of: Runs) -> None:
    assert check_run(run_of({"a": ()}), Gate([Threshold("er_di", "min", 0.5)], bound=True)).passed


def test_names_are_counted_where_nothing_asked_for_counts_any(run_of: Runs) -> None:
    """Precision counts nothing that could be too few: then there must be 30 names, of which 20 documents have 20."""
    run = run_of({"a": ()}, 20, metrics=["er_di", "precision"])
    counted = [
        (one.metric, one.found, one.passed)
        for one in check_run(run, Gate([Threshold("precision", "min", 0.5)], only=True)).anonymizations[0].checks
        if isinstance(one, Enough) and one.metric
    ]
    assert counted == [("er_di", 20, False)]


def test_the_first_of_several_strangers_is_named(run_of: Runs) -> None:
    with pytest.raises(PlanError, match=r"^anonymization x: not in this run; there are a$"):
        check_run(run_of({"a": ()}), Gate(names=["x", "a", "y"]))


@pytest.mark.parametrize(
    ("documents", "least", "says"),
    [(1, 1, ("at least 1 document", "1 document")), (2, 1, ("at least 1 document", "2 documents"))],
)
def test_one_document_is_told_as_one(run_of: Runs, documents: int, least: int, says: tuple[str, str]) -> None:
    checks = check_run(run_of({"a": ()}, documents), Gate(documents=least)).anonymizations[0].checks
    assert next((one.asked, one.said) for one in checks if isinstance(one, Enough)) == says


def test_one_comparison_is_told_as_one(run_of: Runs) -> None:
    """Names are compared, which differ; of places the two are the very same, but both systems are not."""
    run, earlier = run_of({"a": range(12)}), run_of({"a": ()})
    for thresholds, many in ((["er_di"], "1 comparison"), (["er_di", "er_qi"], "2 comparisons")):
        asked = [Threshold(metric, "min", 0.0) for metric in thresholds]
        gate = Gate(asked, baseline=Baseline(RunPair(run, earlier, "last"), shuffles=99))
        tested = [note for note in check_run(run, gate).notes if note.startswith("losses are tested")]
        assert tested == [f"losses are tested from one side at 0.04, with Holm's correction for {many}"]


def test_texts_that_no_problem_is_about_do_not_count() -> None:
    """Of four texts two are in problems of either verifier; as groups, two of these being one person's, it is one."""
    columns = {"problems:glad": [1, 0, 0, 0], "problems:ppm": [2, 1, 0, 0], "right": [1, 1, 1, 1]}
    record = SimpleNamespace(roles=("authors",))
    run = SimpleNamespace(rows={"v": {"a": columns}}, record=lambda metric: record, unit_count=4, groups=())
    assert _count_documents(cast("Run", run), "a", "v") == 2
    run.groups = ("ann", "ann", "", "")
    assert _count_documents(cast("Run", run), "a", "v") == 1
    columns["right"], columns["problems:ppm"] = [1] * 4, [1] * 4  # one person, and two texts of nobody's group
    assert _count_documents(cast("Run", run), "a", "v") == 3
    record.roles = ("direct identifiers",)  # which leave no document aside
    assert _count_documents(cast("Run", run), "a", "v") == 4


def test_as_few_groups_as_can_hold_so_many_documents() -> None:
    """Of a group of three, one of two, and a document of its own: the largest may hold them."""
    run = cast("Run", SimpleNamespace(groups=("", "ann", "bo", "ann", "bo", "bo")))
    assert [_holding(run, documents) for documents in range(7)] == [0, 1, 1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("role", "column"),
    [("sense", "ratings"), ("authors", "problems:glad"), ("inference", "people"), ("attributes", "people")],
)
def test_what_may_leave_documents_aside_counts_those_that_it_is_about(role: str, column: str) -> None:
    """Three of four documents have a zero in the column that tells."""
    rows = {"v": {"a": {column: [0, 3, 0, 0], "right": [1, 1, 1, 1]}}}
    run = SimpleNamespace(rows=rows, record=lambda metric: SimpleNamespace(roles=(role,)), drawn=4, groups=())
    assert _count_documents(cast("Run", run), "a", "v") == 1
