"""When a run passes: thresholds, a sample large enough, a baseline that is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, InputError, Mask, Mention, PlanError, evaluate
from showthrough.data.authorship import Rating, Ratings
from showthrough.data.provenance import Provenance
from showthrough.data.references import NOTHING
from showthrough.data.subjects import Attribute, Subject
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.checking import Gate, _find_dropped, _originals_reach, _why, check_run
from showthrough.run.gate.checks import (
    FAILED,
    PASSED,
    UNSURE,
    BaselineCheck,
    Enough,
    GateOutcome,
    ThresholdCheck,
    format_value,
)
from showthrough.run.gate.grading import Demand, grade_demand
from showthrough.run.pairing import RunPair
from showthrough.run.records import Failure
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold
from showthrough.statistics import Loss

Runs = Callable[..., Run]
MARKS = (Mention(0, 3, "PERSON", "DIRECT", "e"), Mention(9, 13, "LOC", "QUASI", "f"))


def reached(outcome: GateOutcome, place: int = 0) -> ThresholdCheck:
    return next(one for one in outcome.anonymizations[place].checks if isinstance(one, ThresholdCheck))


def kept(outcome: GateOutcome, place: int = 0) -> BaselineCheck:
    return next(one for one in outcome.anonymizations[place].checks if isinstance(one, BaselineCheck))


def at_least(limit: float, metric: str = "er_di", part: str = "") -> Threshold:
    return Threshold(metric, "min", limit, part)


@pytest.mark.parametrize(
    ("leaking", "limit", "status", "says"),
    [
        ((), 0.9, PASSED, "met, also by the cautious end of its interval"),  # 40 of 40: the interval starts at 0.928
        # 0.05 ** (1 / 58) = 0.9497 and 0.05 ** (1 / 59) = 0.9505: 59 without a leak would do, and 40 are there.
        (
            (),
            0.95,
            UNSURE,
            "not sure: the number holds, but its interval reaches down to 0.928; "
            "19 more documents without a leak would be enough",
        ),
        ((0,), 0.975, UNSURE, "not sure"),  # 39 of 40, which still is good enough
        ((0,), 0.976, FAILED, "missed: 0.975"),
    ],
)
def test_thresholds(run_of: Runs, leaking: tuple[int, ...], limit: float, status: int, says: str) -> None:
    one = reached(outcome := check_run(run_of({"a": leaking}), Gate([at_least(limit)], only=True)))
    assert (one.passed, outcome.passed, outcome.status) == (status == PASSED, status == PASSED, status)
    assert one.said.startswith(says)


def test_what_is_unsure_passes_only_where_that_is_allowed(run_of: Runs) -> None:
    run = run_of({"a": (), "b": (0, 1, 2)})  # b leaves 3 of 40: 0.925
    ask = [at_least(0.95)]
    assert check_run(run, Gate(ask, ["a"])).status == UNSURE
    allowed = check_run(run, Gate(ask, ["a"], allow_unsure=True))
    assert (allowed.status, allowed.passed, allowed.unsure) == (
        PASSED,
        True,
        3,
    )  # er_qi, which is usual, is not sure either; and er_di looks at marked places alone
    assert check_run(run, Gate(ask, allow_unsure=True)).status == FAILED  # b misses it
    assert check_run(run, Gate(ask)).status == FAILED  # which is worse than to be unsure of a
    assert check_run(run, Gate(ask, ["a"])).more == 19


def test_intervals_that_were_left_out_make_nothing_sure(run_of: Runs) -> None:
    run = run_of({"a": ()}, resamples=0)
    found = reached(outcome := check_run(run, Gate([at_least(0.9)], only=True)))
    assert (outcome.status, found.said) == (UNSURE, "not sure: the number holds, but it has no interval")
    assert outcome.more is None


def broken(run: Run, metric: str = "er_di") -> Run:
    """The same run, but that one of its metrics failed."""
    return msgspec.structs.replace(
        run,
        rows={text: rows for text, rows in run.rows.items() if text != metric},
        scores=[score for score in run.scores if score.metric != metric],
        failures=[Failure(metric, "it broke")],
    )


@pytest.mark.parametrize("thresholds", [[at_least(0.0)], []])  # also where nobody asks for it by name
def test_no_number_is_no_pass(run_of: Runs, thresholds: list[Threshold]) -> None:
    found = reached(check_run(broken(run_of({"a": ()})), Gate(thresholds)))
    assert (found.passed, found.said) == (False, "there is no number, so it cannot pass: it broke")


def test_what_was_not_computed_is_said_to_be_just_that(run_of: Runs) -> None:
    run = run_of({"a": ()})
    lacking = msgspec.structs.replace(run, scores=[one for one in run.scores if one.metric != "er_di"])
    one = reached(check_run(lacking, Gate([at_least(0.9)])))
    assert (one.passed, one.value, one.low, one.high) == (False, None, None, None)
    assert one.said == "there is no number, so it cannot pass: it was not computed"
    undefined = [msgspec.structs.replace(one, value=None, reason="nobody marked any") for one in run.scores]
    one = reached(check_run(msgspec.structs.replace(run, scores=undefined), Gate([at_least(0.9)])))
    assert one.said == "there is no number, so it cannot pass: nobody marked any"


def test_a_number_that_tells_nothing_is_no_pass(run_of: Runs) -> None:
    """Whoever made the marks hides all of them."""
    run = run_of({"rules": ()})
    own = msgspec.structs.replace(run, corpus=msgspec.structs.replace(run.corpus, silver="silver(rules.v1)"))
    one = reached(check_run(own, Gate([at_least(0.5)])))
    assert (one.passed, one.grade) == (False, "unknown")
    assert one.said.startswith("the number shows nothing: it is scored against marks that rules")


def test_nothing_to_check_is_no_pass(run_of: Runs) -> None:
    """Of recall by type there is no usual threshold, nor a number that it is known by."""
    run = run_of({"a": ()}, metrics=["recall_per_type"])
    with pytest.raises(PlanError, match=r"^thresholds: nothing to check"):
        check_run(run, Gate())
    with pytest.raises(PlanError, match=r"^baseline: has no privacy number in common with this run; name one with"):
        check_run(run, Gate(baseline=Baseline(RunPair(run, run, "last"))))


def test_nobody_is_no_pass(run_of: Runs) -> None:
    run = msgspec.structs.replace(run_of({"a": ()}), anonymizations=[])
    with pytest.raises(PlanError, match="anonymizations: there is none in this run"):
        check_run(run, Gate())


def test_what_the_run_was_asked_for_goes_before_the_usual(run_of: Runs) -> None:
    usual = check_run(run_of({"a": (0, 1, 2)}), Gate())
    assert [(one.asked, one.passed) for one in usual.anonymizations[0].checks if isinstance(one, ThresholdCheck)] == [
        ("er_di ≥ 0.95", False),  # 37 of 40 are hidden
        ("er_qi ≥ 0.95", False),  # of 40 places none leaks, which is not sure
    ]
    assert usual.notes == ["no thresholds were set, so the usual ones count: er_di ≥ 0.95, er_qi ≥ 0.95"]
    asked = check_run(run_of({"a": (0, 1, 2)}, thresholds={"min": {"er_di": 0.7}}), Gate())
    assert all(one.passed for one in asked.anonymizations[0].checks if isinstance(one, ThresholdCheck))
    assert asked.notes == ["these usual thresholds are checked too: er_qi ≥ 0.95; --only leaves them out"]


def test_a_usual_threshold_that_nobody_asked_for_fails_where_missing_it_is_grave(run_of: Runs) -> None:
    """20 of 40 names leak and no place: asked for places alone, names are missed all the same."""
    run = run_of({"a": range(20)})
    outcome = check_run(run, Gate([at_least(0.9, "er_qi")]))
    usual = next(one for one in outcome.anonymizations[0].checks if isinstance(one, ThresholdCheck) and one.usual)
    assert (usual.asked, usual.passed, usual.grade) == ("er_di ≥ 0.95", False, "missed")
    assert usual.said == "missed: 0.500 (usual)"
    assert outcome.status == FAILED
    assert check_run(run, Gate([at_least(0.9, "er_qi")], only=True)).status == PASSED
    other = check_run(run_of({"a": ()}), Gate([at_least(0.9)]))  # er_qi is not sure, which nobody asked for
    assert (other.status, other.unsure) == (PASSED, 2)
    with pytest.raises(PlanError, match="only: leaves out the usual thresholds, and no others were set"):
        check_run(run, Gate(only=True))


def test_a_limit_for_one_number_of_a_role_counts_for_the_usual_one(run_of: Runs) -> None:
    """Who asks that 0.4 of what names people is hidden has said how much is enough, by whatever metric."""
    run = run_of({"a": range(20)}, metrics=["er_di", 'er_di(replacements="trusted")'])
    strict, trusted = (one.text for one in run.metrics)
    outcome = check_run(run, Gate([at_least(0.3, trusted)]))
    asked = [(one.asked, one.usual) for one in outcome.anonymizations[0].checks if isinstance(one, ThresholdCheck)]
    assert asked == [(f"{trusted} ≥ 0.3", False), (f"{strict} ≥ 0.3", True)]
    assert all(one.passed for one in outcome.anonymizations[0].checks if isinstance(one, ThresholdCheck))


def test_what_is_no_longer_asked_for_is_told(run_of: Runs) -> None:
    run = run_of({"a": (0, 1, 2)}, thresholds={"min": {"er_di": 0.99, "er_qi": 0.9}})
    outcome = check_run(run, Gate([at_least(0.8, "er_qi")], only=True))
    assert outcome.passed
    assert outcome.notes == ["thresholds of the run that are not checked here: er_di ≥ 0.99"]


def test_what_is_dropped_is_another_number_or_the_other_end() -> None:
    """Another limit of the same number is not: it is still asked for."""
    planned = [at_least(0.9), at_least(0.9, part="LOC"), at_least(0.9, "er_qi"), Threshold("er_di", "max", 1.0)]
    assert _find_dropped(planned, [at_least(0.5)]) == planned[1:]
    assert _find_dropped(planned, planned[1:]) == planned[:1]


def test_an_attacker_too_weak_for_a_threshold_is_told() -> None:
    """Of the address nobody can read anything even in the originals; of the name everything."""
    about = Subject("s", (Attribute("NAME", "Ann Berg"), Attribute("EMAIL_ADDRESS", "ann@example.org")))
    people = Corpus([Document(f"d{number}", f"Ann Berg was ill {number}.", subjects=(about,)) for number in range(20)])
    masks = Anonymization({one: [Mask(0, 8)] for one in people.ids}, "names")
    run = evaluate(people, [masks], ["cpr"], resamples=50)
    said = [check_run(run, Gate([at_least(limit, "cpr")], identifiers=0)) for limit in (0.4, 0.9)]
    assert [outcome.status for outcome in said] == [PASSED, UNSURE]  # 20 documents show no more than 0.861
    assert [any("even with nothing masked" in note for note in outcome.notes) for outcome in said] == [True, False]
    for references in ([one for one in run.references if (one.name == NOTHING) is alone] for alone in (True, False)):
        beside = msgspec.structs.replace(run, references=references)  # the originals tell, whatever else is there
        notes = check_run(beside, Gate([at_least(0.4, "cpr")], identifiers=0)).notes
        assert any("even with nothing masked" in note for note in notes) == (references[0].name == NOTHING)


@pytest.mark.parametrize(
    ("role", "weak"), [("inference", True), ("attributes", True), ("attack", True), ("direct identifiers", False)]
)
def test_whoever_attacks_may_be_too_weak(run_of: Runs, role: str, weak: bool) -> None:
    """With nothing masked none of 40 names is hidden: a number of 0, which at most 0.5 is sure of, and 0 is not."""
    run = run_of({"a": ()}, references=True)
    roles = [msgspec.structs.replace(one, roles=(role,)) for one in run.metrics]
    attacked = msgspec.structs.replace(run, metrics=roles)
    assert _originals_reach(attacked, Threshold("er_di", "max", 0.5)) == weak
    assert _originals_reach(attacked, Threshold("er_di", "max", 0.0)) == weak
    assert not _originals_reach(attacked, at_least(0.5))  # it does not hold there
    assert not _originals_reach(broken(attacked), Threshold("er_di", "max", 0.5))  # nobody attacked


def test_only_attackers_are_too_weak(run_of: Runs) -> None:
    """That nothing masked hides 0 or more says nothing of an attacker: there is none."""
    outcome = check_run(run_of({"a": ()}, references=True), Gate([at_least(0.0)]))
    assert not [note for note in outcome.notes if "too weak" in note]


def test_which_end_of_an_interval_is_told(run_of: Runs) -> None:
    """39 of 40, each end against the limit on its side; the upper one is not 1, though it is 1.000."""
    run = run_of({"a": (0,)})
    low, high = run["a", "er_di"].low, run["a", "er_di"].high
    assert (low, high) == (pytest.approx(0.868, abs=0.01), pytest.approx(0.9994, abs=0.0002))
    for threshold, says in {
        at_least(0.95): f"its interval reaches down to {low:.3f}; about ",
        Threshold("er_di", "max", 0.98): f"its interval reaches up to {high:.4f}; about ",
    }.items():
        assert _why(run, grade_demand(run, "a", Demand(threshold))).startswith(
            f"not sure: the number holds, but {says}"
        )
    # 0.05 ** (1 / 40) = 0.92784: below 0.928, as which three digits would tell it.
    just = grade_demand(clean := run_of({"a": ()}), "a", Demand(at_least(0.928)))
    assert "its interval reaches down to 0.9278;" in _why(clean, just)
    usual = grade_demand(run, "a", Demand(at_least(0.5), usual=True))
    assert _why(run, usual) == "met, also by the cautious end of its interval (usual)"


def test_one_that_fails_fails_the_gate(run_of: Runs) -> None:
    run = run_of({"a": (), "b": range(20)})
    twice = check_run(run, Gate([at_least(0.9)], names=["a", "a"]))
    assert [one.name for one in twice.anonymizations] == ["a"]
    assert not check_run(run, Gate([at_least(0.9)])).passed
    assert check_run(run, Gate([at_least(0.9)], names=["a"])).passed
    with pytest.raises(PlanError, match="anonymization c: not in this run; there are a, b"):
        check_run(run, Gate([at_least(0.9)], names=["c"]))


def test_too_few_to_pass(run_of: Runs) -> None:
    run = run_of({"a": ()}, 19)
    few = check_run(run, Gate([at_least(0.5)]))
    failed = few.anonymizations[0].failed
    assert [(one.asked, one.said) for one in failed] == [
        ("at least 20 documents", "19 documents"),
        ("at least 30 counted by er_di", "19 counted"),
    ]
    assert check_run(run, Gate([at_least(0.5)], documents=19, identifiers=19)).passed


def test_documents_that_a_model_was_trained_on_are_no_sample(run_of: Runs) -> None:
    run = run_of({"learned": (), "other": ()})
    made = Provenance(anonymizer="crf/", version=1, trained_on="train@0a", seen=25)
    run.anonymizations[0] = msgspec.structs.replace(run.anonymizations[0], made=made)
    learned, other = check_run(run, Gate([at_least(0.5)])).anonymizations
    assert [one.said for one in learned.failed] == ["15 documents that it was not trained on, of 40"]
    assert not other.failed
    assert check_run(run, Gate([at_least(0.5)], documents=15)).passed


def test_documents_that_a_model_was_trained_on_are_no_groups(run_of: Runs) -> None:
    """20 people of two documents each: the 20 documents that are left may be of 10 people, and 19 too."""
    marks = (Annotation("a", MARKS),)
    texts = [Document(f"d{one:02}", f"Doe left Oslo {one}", marks, f"g{one // 2}") for one in range(40)]
    run = run_of({"learned": ()}, corpus=Corpus(texts))
    for seen, units, said in ((20, 10, "10 groups"), (21, 10, "10 groups"), (39, 1, "1 group"), (40, 0, "0 groups")):
        made = Provenance(anonymizer="crf/", version=1, trained_on="train@0a", seen=seen)
        run.anonymizations[0] = msgspec.structs.replace(run.anonymizations[0], made=made)
        first = check_run(run, Gate([at_least(0.5)], documents=11)).anonymizations[0].checks[0]
        assert isinstance(first, Enough)
        assert (first.passed, first.found) == (False, units)
        assert first.said == f"at least {said} of documents that it was not trained on, of 40"


def test_what_a_part_counts_is_its_own(run_of: Runs) -> None:
    """10 codes beside 30 places: of codes there are too few."""
    kinds = ["CODE"] * 10 + ["LOC"] * 30
    marks = [
        Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"), Mention(9, 13, kind, "QUASI", "f"))) for kind in kinds
    ]
    texts = [Document(f"d{number:02}", "Doe left Oslo", (mark,)) for number, mark in enumerate(marks)]
    run = run_of({"a": ()}, corpus=Corpus(texts))
    counted = [
        (one.metric, one.found)
        for kind in ("CODE", "LOC")
        for one in check_run(run, Gate([at_least(0.5, "recall_per_type", kind)])).anonymizations[0].checks
        if isinstance(one, Enough) and one.metric
    ]
    assert counted == [("recall_per_type[CODE]", 10), ("recall_per_type[LOC]", 30)]


def test_each_number_has_to_count_enough_of_its_own(run_of: Runs) -> None:
    """40 names, and places in 10 documents: of those there are too few. A part of one is none: 29.5 are 29."""
    texts = [
        Document(f"d{one:02}", f"Doe left Oslo {one}", (Annotation("a", MARKS[: 1 + (one < 10)]),)) for one in range(40)
    ]
    run = run_of({"a": ()}, corpus=Corpus(texts), metrics=["er_di", "er_qi"])

    def counted(run: Run, metric: str) -> list[tuple[str, int, bool]]:
        checks = check_run(run, Gate([at_least(0.5, metric)])).anonymizations[0].checks
        return [(one.metric, one.found, one.passed) for one in checks if isinstance(one, Enough) and one.metric]

    assert counted(run, "er_qi") == [("er_qi", 10, False)]
    assert counted(run, "er_di") == [("er_di", 40, True)]
    rows = {**run.rows, "er_di": {"a": {**run.rows["er_di"]["a"], "total": [29.5 / 40] * 40}}}
    assert counted(msgspec.structs.replace(run, rows=rows), "er_di") == [("er_di", 29, False)]


@pytest.mark.parametrize("change", [{"group": "utility"}, {"version": 0}])  # no identifiers, or counted otherwise
def test_a_part_that_tells_no_count_is_judged_by_the_names(run_of: Runs, change: dict[str, Any]) -> None:
    """40 names: enough, whatever the part is a share of."""
    run = run_of({"a": ()})
    changed = [msgspec.structs.replace(one, **change) if one.name == "recall_per_type" else one for one in run.metrics]
    other = msgspec.structs.replace(run, metrics=changed)
    checks = check_run(other, Gate([at_least(0.5, "recall_per_type", "LOC")])).anonymizations[0].checks
    assert [(one.metric, one.found) for one in checks if isinstance(one, Enough)] == [("", 40), ("er_di", 40)]


@pytest.mark.parametrize(
    ("marks", "status"),
    [
        ((Mention(0, 3, "PERSON", "DIRECT", "e"),), 0),  # nobody marked a quasi-identifier, so that none is asked for
        ((Mention(9, 13, "LOC", "QUASI", "f"),), 1),
        ((Mention(0, 3, "PERSON", "NO_MASK", "e"),), 1),
        ((), 1),  # what nobody marked is not known to be hidden
    ],
)
def test_the_usual_gate_can_be_passed_with_direct_marks_alone(marks: tuple[Mention, ...], status: int) -> None:
    texts = [Document(f"d{number:03}", f"Doe left Oslo {number}", (Annotation("a", marks),)) for number in range(200)]
    masks = {one.id: [Mask(0, 3), Mask(9, 13)] for one in texts}
    run = evaluate(Corpus(texts), {"every": Anonymization(masks)}, metrics="preset:default")
    assert check_run(run, Gate()).status == status


def test_groups_count_once(run_of: Runs) -> None:
    marks = (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"),)),)
    texts = [Document(f"d{one:02}", f"Doe left Oslo {one}", marks, f"g{one % 5}") for one in range(40)]
    outcome = check_run(run_of({"a": ()}, corpus=Corpus(texts)), Gate([at_least(0.5)]))
    assert outcome.unit == "group"
    assert [one.said for one in outcome.anonymizations[0].failed] == [
        "5 groups of documents",
        "not sure: the number holds, but a few groups weigh most, as if there were only 5.0",
    ]


def test_documents_that_belong_together_count_once(run_of: Runs) -> None:
    """40 equal texts in pairs of their own: 20 independent units, which are enough, and 30 names are not too few."""
    marks = (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"),)),)
    words = ["".join("bdfgklmnprst"[number // 12**place % 12] + "aeiou"[number % 5] for place in range(3)) * 3
             for number in range(20)]  # fmt: skip
    texts = [Document(f"d{one:02}", f"Doe met {words[one // 2]} at home", marks) for one in range(40)]
    run = run_of({"a": ()}, corpus=Corpus(texts), metrics=["er_di"])
    outcome = check_run(run, Gate([at_least(0.5)]))
    first = outcome.anonymizations[0].checks[0]
    assert isinstance(first, Enough)
    assert (first.asked, first.said) == (
        "at least 20 independent units of documents",
        "20 independent units of documents",
    )
    assert (first.passed, first.found, outcome.unit) == (True, 20, "unit")
    assert outcome.sample == "20 independent units of 40 documents"


@pytest.mark.parametrize(
    ("threshold", "says"),
    [
        (at_least(0.5, "f2"), "metric f2 is not among the metrics; there are er_di"),
        (Threshold("er_di", "max", 0.5), "er_di is better if higher"),
        (at_least(0.5, "recall_per_type"), "has no single number: name a part; there are LOC, PERSON"),
        (at_least(0.5, "recall_per_type", "CODE"), "has no part CODE; there are LOC, PERSON"),
    ],
)
def test_bad_requests(run_of: Runs, threshold: Threshold, says: str) -> None:
    with pytest.raises(PlanError) as caught:
        check_run(run_of({"a": ()}), Gate([threshold]))
    assert says in str(caught.value)


def test_only_parts_are_named_where_one_is_lacking(run_of: Runs) -> None:
    """The number that a metric is known by has no name among them."""
    run = run_of({"a": ()}, metrics=["removed_di"])
    with pytest.raises(PlanError, match="has no part CODE; there are PERSON, left:marked, left:elsewhere,"):
        check_run(run, Gate([at_least(0.5, "removed_di", "CODE")]))


def test_a_long_metric_is_named_as_a_whole(run_of: Runs) -> None:
    """60 characters and the limit are less than the 80 that there is room for."""
    with pytest.raises(PlanError, match=rf"^threshold {'x' * 60} ≥ 0.5: metric {'x' * 60} is not among"):
        check_run(run_of({"a": ()}), Gate([at_least(0.5, "x" * 60)]))


def test_where_to_look_first(run_of: Runs) -> None:
    outcome = check_run(run_of({"a": (7, 3)}), Gate([at_least(0.5)]))
    assert [(one.document, one.direct, one.quasi) for one in outcome.anonymizations[0].documents] == [
        ("d03", 1, 0),
        ("d07", 1, 0),
    ]


def test_names_go_before_places_where_to_look_first(run_of: Runs) -> None:
    """d05 leaves a name, d03 and d04 a place each, and d06 both, which goes first: as many names, and more places."""
    texts = [Document(f"d{number:02}", f"Doe left Oslo {number}", (Annotation("a", MARKS),)) for number in range(40)]
    corpus = Corpus(texts)
    masks = {one.id: [Mask(0, 3), Mask(9, 13)] for one in texts}
    masks |= {"d03": [Mask(0, 3)], "d04": [Mask(0, 3)], "d05": [Mask(9, 13)], "d06": []}
    run = evaluate(corpus, {"a": Anonymization(masks)}, ["er_di", "er_qi"], references=False)
    looks = check_run(run, Gate([at_least(0.5)])).anonymizations[0].documents
    assert [(one.document, one.direct, one.quasi) for one in looks] == [
        ("d06", 1, 1),
        ("d05", 1, 0),
        ("d03", 0, 1),
        ("d04", 0, 1),
    ]


# Baselines.


def held(
    run: Run, earlier: Run, margin: float = 0.0, *, bound: bool = False, name: str = "", metric: str = ""
) -> GateOutcome:
    against = Baseline(RunPair(run, earlier, "last"), margin, name, [metric] if metric else [], shuffles=999)
    return check_run(run, Gate([at_least(0.0)], bound=bound, baseline=against))


def test_a_loss_is_shown(run_of: Runs) -> None:
    """None of 40 names leaked, now 12 do: chance does that in 1 of 2¹² cases."""
    outcome = held(run_of({"a": range(12)}), run_of({"a": ()}))
    one = kept(outcome)
    assert not outcome.passed
    assert (one.value, one.earlier, one.lost) == pytest.approx((0.7, 1.0, 0.3))
    assert one.said.startswith("worse by 0.300, which is hardly chance (p = 0.0")
    assert [(look.document, look.more) for look in outcome.anonymizations[0].documents][:2] == [("d00", 1), ("d01", 1)]


def test_documents_that_got_worse_are_told_by_the_first_number_that_tells(run_of: Runs) -> None:
    """A part does not: what it counts is not told apart document by document."""
    metrics = ["er_qi", "recall_per_type", "er_di"]  # of places none is lost
    run, earlier = (run_of({"a": leaking}, metrics=metrics) for leaking in (range(12), ()))
    asked = [at_least(0.0, "recall_per_type", "PERSON"), at_least(0.0)]
    outcome = check_run(run, Gate(asked, baseline=Baseline(RunPair(run, earlier, "last"), shuffles=999)))
    assert [one.passed for one in outcome.anonymizations[0].checks if isinstance(one, BaselineCheck)] == [False, False]
    looks = outcome.anonymizations[0].documents
    assert [(look.document, look.more) for look in looks][:2] == [("d00", 1), ("d01", 1)]


def test_a_part_alone_tells_no_document(run_of: Runs) -> None:
    """That names got worse is no reason to point at a document for whatever else its metric counts."""
    run, earlier = (run_of({"a": leaking}, metrics=["removed_di"]) for leaking in (range(12), ()))
    part = at_least(0.0, "removed_di", "PERSON")
    outcome = check_run(run, Gate([part], baseline=Baseline(RunPair(run, earlier, "last"), shuffles=999)))
    assert [one.passed for one in outcome.anonymizations[0].checks if isinstance(one, BaselineCheck)] == [False]
    assert {look.more for look in outcome.anonymizations[0].documents} == {0}


def test_what_is_not_shown_is_said_to_be_just_that(run_of: Runs) -> None:
    one = kept(outcome := held(run_of({"a": (0, 1)}), run_of({"a": (1,)})))
    assert one.passed
    assert {look.more for look in outcome.anonymizations[0].documents} == {0}  # nothing was lost, so nothing got worse
    assert one.said.startswith("not shown to be worse; a loss of up to 0.")
    assert one.said.endswith(" cannot be excluded")
    assert not one.sure


def test_a_margin_allows_a_loss(run_of: Runs) -> None:
    later, earlier = run_of({"a": range(12)}), run_of({"a": ()})
    assert kept(held(later, earlier, 0.3)).passed
    assert kept(held(later, earlier, 0.3)).said.startswith(
        "not shown to be worse by more than 0.3; a loss of up to 0.4"
    )
    sure = kept(held(later, earlier, 0.6, bound=True))
    assert sure.passed
    assert sure.said.startswith("shown not to be worse by more than 0.6: a loss of more than 0.4")
    assert not held(later, earlier, 0.35, bound=True).passed


@pytest.fixture(scope="module")
def worse_by_one(run_of: Runs) -> tuple[Run, Run]:
    """A run in which two of 40 names leak, and an earlier one with one of them."""
    return run_of({"a": (0, 1)}), run_of({"a": (1,)})


@pytest.mark.parametrize(
    ("p", "most", "margin", "passed", "sure", "says"),
    [
        (0.04, 0.3, 0.1, False, False, "worse by 0.025, shown to be more than 0.1 (p = 0.0400)"),
        (0.0001, 0.3, 0.0, False, False, "worse by 0.025, which is hardly chance (p = 0.0001)"),
        (0.00009, 0.3, 0.0, False, False, "worse by 0.025, which is hardly chance (p < 0.0001)"),
        (0.041, 0.3, 0.1, True, False, "not shown to be worse by more than 0.1; a loss of up to 0.300 cannot be"),
        (0.041, None, 0.1, True, False, "not shown to be worse by more than 0.1; how much may be lost is not known"),
        (0.5, 0.1001, 0.1, True, False, "not shown to be worse by more than 0.1; a loss of up to 0.101 cannot be"),
        (0.5, 0.1, 0.1, True, True, "shown not to be worse by more than 0.1: a loss of more than 0.100 is excluded"),
        (0.5, 0.0124, 0.0125, True, True, "shown not to be worse by more than 0.0125: a loss of more than 0.0124 is"),
        (0.5, 0.0, 0.1, True, True, "shown not to be worse by more than 0.1: any loss is excluded"),
        (0.5, 0.0, 0.0, True, True, "shown not to be worse: any loss is excluded"),
        (0.5, -0.1, 0.0, True, True, "shown not to be worse: any loss is excluded"),
        (0.5, 0.0004, 0.1, True, True, "shown not to be worse by more than 0.1: a loss of more than 0.001 is excluded"),
    ],
)
def test_what_a_test_and_its_bound_say(
    worse_by_one: tuple[Run, Run],
    monkeypatch: pytest.MonkeyPatch,
    p: float,
    most: float | None,
    margin: float,
    passed: bool,
    sure: bool,
    says: str,
) -> None:
    """Just the margin may be lost, and p = 0.04 is shown; a bound is kept by what is sure alone."""
    monkeypatch.setattr("showthrough.run.comparison.loss_of", lambda *asked, **how: Loss(p, most))
    one = kept(held(*worse_by_one, margin))
    assert (one.passed, one.sure, one.p, one.most) == (passed, sure, p, most)
    assert one.said.startswith(says)
    if margin:
        assert kept(held(*worse_by_one, margin, bound=True)).passed == sure


def test_a_bound_needs_a_margin(run_of: Runs) -> None:
    with pytest.raises(PlanError, match="margin: found 0; --bound needs more"):
        held(run_of({"a": ()}), run_of({"a": ()}), bound=True)
    with pytest.raises(PlanError, match="margin: found -1; expected 0 or more"):
        held(run_of({"a": ()}), run_of({"a": ()}), -1)


def test_the_very_same_is_told(run_of: Runs) -> None:
    outcome = held(run_of({"a": (0,)}), run_of({"a": (0,)}), 0.01, bound=True)
    one = kept(outcome)
    assert (one.passed, one.said, one.p) == (True, "the very same anonymization as in last", None)
    assert (one.value, one.earlier, one.lost, one.most, one.sure) == (0.975, 0.975, 0.0, 0.0, True)
    assert not [note for note in outcome.notes if "Holm" in note]  # nothing was tested


def test_the_very_same_with_another_number_is_a_loss(run_of: Runs) -> None:
    """What is counted has changed, and not what is masked: 40 names were hidden, and 28 are."""
    run, earlier = run_of({"a": range(12)}), run_of({"a": ()})
    same = msgspec.structs.replace(earlier.anonymizations[0], digest=run.anonymizations[0].digest)
    one = kept(held(run, msgspec.structs.replace(earlier, anonymizations=[same])))
    assert (one.passed, one.lost) == (False, pytest.approx(0.3))
    assert one.said.startswith("worse by 0.300")


def test_one_document_is_told_as_one(run_of: Runs) -> None:
    for documents, said in ((1, "1 document"), (2, "2 documents"), (1_000, "1,000 documents")):
        enough = check_run(run_of({"a": ()}), Gate(documents=documents)).anonymizations[0].checks[0]
        assert enough.asked == f"at least {said}"


def test_what_the_run_says_of_itself_is_in_the_outcome(run_of: Runs) -> None:
    run = run_of({"a": ()})
    run.notes = ["2 pairs of masks overlap"]
    assert check_run(run, Gate()).of_run == ["2 pairs of masks overlap"]


def test_whom_it_is_held_against(run_of: Runs) -> None:
    run, two = run_of({"a": ()}), run_of({"b": (), "c": (1,)})
    assert kept(held(run, run_of({"b": ()}))).baseline == "b"  # the only one
    assert kept(held(run, two, name="c")).baseline == "c"
    with pytest.raises(PlanError, match="last has b, c and no a; say which one with --baseline-name"):
        held(run, two)
    with pytest.raises(PlanError, match="baseline-name: found 'x'; last has b, c"):
        held(run, two, name="x")


def test_many_comparisons_are_corrected(run_of: Runs) -> None:
    """6 of 40 more leak: 1 in 2⁶, which of six systems one shows by chance in 9 % of all cases."""
    alone = kept(held(run_of({"a": range(6)}), run_of({"a": ()})))
    names = "abcdef"
    together = held(
        run_of({name: range(6) if name == "a" else (1,) for name in names}), run_of(dict.fromkeys(names, ()))
    )
    assert not alone.passed
    assert kept(together).passed
    assert kept(together).p == alone.p


def test_without_anything_said_all_of_privacy_is_kept(run_of: Runs) -> None:
    run, earlier = run_of({"a": ()}), run_of({"a": (1,)})
    outcome = check_run(run, Gate(baseline=Baseline(RunPair(run, earlier, "last"), shuffles=99)))
    compared = [one.metric for one in outcome.anonymizations[0].checks if isinstance(one, BaselineCheck)]
    assert compared == ["er_di", "er_qi"]  # not inconsistent, of which neither is better
    assert outcome.notes == [
        "no thresholds were set, so the usual ones count: er_di ≥ 0.95, er_qi ≥ 0.95",
        "losses are tested from one side at 0.04, with Holm's correction for 2 comparisons",
    ]


def test_what_can_get_no_worse_is_held_against_nothing(run_of: Runs) -> None:
    """Somebody asked for it all the same: then all of privacy is kept, as though nothing had been said."""
    run, earlier = run_of({"a": ()}), run_of({"a": (1,)})
    asked = Threshold("inconsistent", "max", 1.0)
    outcome = check_run(
        run, Gate([asked], baseline=Baseline(RunPair(run, earlier, "last"), 0.5, shuffles=99), bound=True)
    )
    assert [one.metric for one in outcome.anonymizations[0].checks if isinstance(one, BaselineCheck)] == [
        "er_di",
        "er_qi",
    ]
    assert (outcome.baseline, outcome.bound, outcome.sample) == ("last", True, "40 documents")


@pytest.mark.parametrize(("lacking", "compared"), [("b", ["er_di", "er_qi"]), ("ab", ["er_qi"])])
def test_what_any_of_the_earlier_reached_is_to_be_kept(run_of: Runs, lacking: str, compared: list[str]) -> None:
    """That one of two had no number is no reason to keep none of the other; where neither had one, there is none."""
    run, earlier = run_of({"a": (), "b": ()}), run_of({"a": (1,), "b": (2,)})
    bare = [
        msgspec.structs.replace(one, value=None) if one.metric == "er_di" and one.anonymization in lacking else one
        for one in earlier.scores
    ]
    baseline = Baseline(RunPair(run, msgspec.structs.replace(earlier, scores=bare), "last"), shuffles=99)
    checks = check_run(run, Gate(baseline=baseline)).anonymizations[0].checks
    assert [one.metric for one in checks if isinstance(one, BaselineCheck)] == compared


def test_what_is_kept_is_asked_for_once_and_named(run_of: Runs) -> None:
    """As a threshold and by name alike; a part is named with its metric."""
    run, earlier = run_of({"a": ()}), run_of({"a": (1,)})
    asked = [at_least(0.0), at_least(0.0, "recall_per_type", "PERSON")]
    baseline = Baseline(RunPair(run, earlier, "last"), metrics=["er_di", "er_qi"], shuffles=99)
    checks = check_run(run, Gate(asked, baseline=baseline)).anonymizations[0].checks
    assert [(one.asked, one.metric, one.part) for one in checks if isinstance(one, BaselineCheck)] == [
        ("er_di against a of last", "er_di", ""),
        ("recall_per_type[PERSON] against a of last", "recall_per_type", "PERSON"),
        ("er_qi against a of last", "er_qi", ""),
    ]


def test_what_failed_is_not_kept(run_of: Runs) -> None:
    run = run_of({"a": ()}, metrics=["er_di", "recall"])
    baseline = Baseline(RunPair(broken(run), run, "old"))
    assert check_run(broken(run), Gate([at_least(0.9, "recall")], baseline=baseline, only=True)).passed
    assert check_run(broken(run), Gate([at_least(0.9, "recall")], baseline=baseline)).status == FAILED  # no number
    one = kept(check_run(broken(run), Gate(baseline=Baseline(RunPair(broken(run), run, "old")))))
    assert (one.metric, one.passed) == ("er_di", False)
    assert one.said == "there is no number here, so it cannot pass"


def test_what_is_computed_no_more_is_told(run_of: Runs) -> None:
    run, earlier = run_of({"a": ()}, metrics=["er_qi"]), run_of({"a": ()}, metrics=["er_di", "er_qi"])
    notes = check_run(run, Gate(baseline=Baseline(RunPair(run, earlier, "old")))).notes
    assert "not compared: er_di has no numbers in this run; there are er_qi" in notes


def test_what_failed_earlier_and_is_computed_no_more_is_not_told(run_of: Runs) -> None:
    """There never was a number to keep."""
    run, earlier = run_of({"a": ()}, metrics=["er_di"]), run_of({"a": ()}, metrics=["er_di", "er_qi"])
    notes = check_run(run, Gate(baseline=Baseline(RunPair(run, broken(earlier, "er_qi"), "old")))).notes
    assert notes == ["no thresholds were set, so the usual ones count: er_di ≥ 0.95"]


def test_what_is_not_compared_is_told_where_nobody_said_what_to_compare(run_of: Runs) -> None:
    run, earlier = run_of({"a": ()}, metrics=["er_di"]), run_of({"a": ()}, metrics=["er_di", "er_qi"])

    def left_out(gate: Gate) -> list[str]:
        return [note for note in check_run(run, gate).notes if note.startswith("not compared")]

    beside = RunPair(run, earlier, "old")
    assert len(left_out(Gate(baseline=Baseline(beside)))) == 1
    assert not left_out(Gate([at_least(0.9)], baseline=Baseline(beside)))
    assert not left_out(Gate(baseline=Baseline(beside, metrics=["er_di"])))


def test_numbers_of_other_types_are_refused(run_of: Runs) -> None:
    run, earlier = run_of({"a": ()}, metrics=["er_di"], ignore="LOC"), run_of({"a": ()}, metrics=["er_di"])
    says = r"not compared: er_di was not computed alike in this run and in old: types differ\); name one"
    with pytest.raises(PlanError, match=says):
        check_run(run, Gate(baseline=Baseline(RunPair(run, earlier, "old"))))


def test_what_no_test_can_tell_needs_a_margin(run_of: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.metrics.EntityRecall.test_fault", lambda self, part: "documents hang together")
    worse, better = run_of({"a": (0, 1)}), run_of({"a": (1,)})
    found = kept(held(worse, better))
    assert not found.passed
    assert found.said == (
        "worse by 0.025: no test can show whether that is chance (documents hang together); --margin allows it"
    )
    assert kept(held(worse, better, 0.025)).passed
    assert kept(held(better, worse)).passed
    assert not kept(held(better, worse, 0.1, bound=True)).passed


def test_no_number_to_keep(run_of: Runs) -> None:
    run = run_of({"a": ()})
    undefined = [msgspec.structs.replace(one, value=None) if one.metric == "er_di" else one for one in run.scores]
    lacking = msgspec.structs.replace(run, scores=undefined)
    for here, there, where in ((run, lacking, "in last"), (lacking, run, "here")):
        one = kept(outcome := held(here, there))
        assert one.said == f"there is no number {where}, so it cannot pass"
        assert (one.passed, one.value, one.lost, one.most, one.p) == (False, None, None, None, None)
        assert not [note for note in outcome.notes if "Holm" in note]  # nothing was tested


def test_what_has_no_number_takes_no_part_in_the_correction(run_of: Runs) -> None:
    """Of two systems only b has a number in both runs: one comparison, whose p is its own."""
    run, earlier = run_of({"a": range(6), "b": range(6)}), run_of({"a": (), "b": ()})

    def lacking(whole: Run) -> Run:
        bare = [msgspec.structs.replace(one, value=None) if one.anonymization == "a" else one for one in whole.scores]
        return msgspec.structs.replace(whole, scores=bare)

    for here, there in ((lacking(run), earlier), (run, lacking(earlier))):
        one = kept(held(here, there), 1)
        assert one.p is not None
        assert one.p_holm == one.p


def test_what_may_not_grow_is_lost_by_growing(run_of: Runs) -> None:
    """12 of 40 addresses can be read where 6 could, among 40 × 6 words: 50 in 1,000 where it was 25."""
    texts = Corpus([Document(f"d{number:02}", f"a@b.org in Oslo {number}") for number in range(40)])
    run, earlier = (run_of({"a": leaking}, corpus=texts, metrics=["residual"]) for leaking in (range(12), range(6)))
    for now, before, lost in ((run, earlier, 25.0), (earlier, run, -25.0)):
        gate = Gate(baseline=Baseline(RunPair(now, before, "last"), metrics=["residual"], shuffles=999))
        one = kept(outcome := check_run(now, gate))
        assert not [note for note in outcome.notes if "usual thresholds" in note]  # there are none of it
        assert (one.value, one.lost) == pytest.approx((37.5 + lost / 2, lost))
        assert one.passed == (lost < 0)


def test_another_corpus_is_refused(run_of: Runs) -> None:
    run = run_of({"a": ()})
    for other in (run_of({"a": ()}, 39), run_of({"a": ()}, corpus=Corpus(
        [Document(f"d{one:02}", "Roe left Oslo") for one in range(40)]), metrics=["residual"])):  # fmt: skip
        with pytest.raises(
            InputError, match=r"^last: corpus: is a run of .*; expected one of the same corpus, corpus \("
        ):
            RunPair(run, other, "last")


def test_metrics_must_be_the_same(run_of: Runs) -> None:
    run, other = run_of({"a": ()}), run_of({"a": ()}, metrics=["er_qi"])
    with pytest.raises(PlanError, match="metric er_di: has no numbers in last; there are er_qi"):
        held(run, other)
    older = msgspec.structs.replace(run, metrics=[msgspec.structs.replace(one, version=1) for one in run.metrics])
    with pytest.raises(PlanError, match="metric er_di: this run has version"):
        held(run, older)
    with pytest.raises(PlanError, match="metric inconsistent: neither a higher nor a lower value is better"):
        held(run, run, metric="inconsistent")


@pytest.mark.parametrize(
    ("value", "limit", "text"), [(0.94996, 0.95, "0.94996"), (0.95, 0.95, "0.950"), (1 - 1e-5, None, "0.99999")]
)
def test_a_number_is_told_on_its_side_of_a_limit(value: float, limit: float | None, text: str) -> None:
    assert format_value(value, limit) == text


def test_documents_that_nobody_rated_do_not_count(run_of: Runs) -> None:
    """40 documents, of which people read 5: too few to judge a mean of ratings by, and enough for the rest."""
    said = [Rating(document=f"d{n:02}", anonymization="a", item="1", rater="r", value=2) for n in range(5)]
    run = run_of({"a": ()}, metrics=["er_di", "sensibleness"], ratings=Ratings(said))
    asked = [at_least(0.5), at_least(1.0, "sensibleness")]

    def samples(least: int) -> list[Enough]:
        checks = check_run(run, Gate(asked, documents=least)).anonymizations[0].checks
        return [one for one in checks if isinstance(one, Enough)]

    def found(least: int) -> list[tuple[str, int, bool]]:
        return [(one.metric, one.found, one.passed) for one in samples(least)]

    assert found(20) == [("", 40, True), ("sensibleness", 5, False), ("er_di", 40, True)]
    assert found(5) == [("", 40, True), ("sensibleness", 5, True), ("er_di", 40, True)]
    assert [(one.asked, one.said) for one in samples(20)] == [
        ("at least 20 documents", "40 documents"),
        ("at least 20 documents counted by sensibleness", "5 of 40"),
        ("at least 30 counted by er_di", "40 counted"),
    ]
