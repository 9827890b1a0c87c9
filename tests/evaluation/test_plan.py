"""Plans: all that is wrong is told at once, before any work starts, and what a user says of types reaches metrics."""

from __future__ import annotations

import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, InputError, Mask, Mention, TypedMask, evaluate
from showthrough.evaluation.plan import Plan
from showthrough.metrics import metrics_of

MASKS = Anonymization({"d1": [], "d2": [], "d3": []}, "one")
TEXT = "Ann of Rome, 40"
MARKS = (Mention(0, 3, "NAME"), Mention(7, 11, "CITY"), Mention(13, 15, "AGE"))
CLINICAL = Corpus([Document("a", TEXT, (Annotation("x", MARKS),))])


def problems(plan: Plan) -> list[str]:
    with pytest.raises(InputError) as caught:
        plan.check()
    return [str(problem) for problem in caught.value.problems]


def test_a_sound_plan(tiny: Corpus) -> None:
    Plan(tiny, (MASKS,), tuple(metrics_of("preset:default"))).check()


def test_nothing_is_asked_for(tiny: Corpus) -> None:
    assert problems(Plan(tiny, (), ())) == [
        "anonymizations: none was given; expected at least one: NAME=FILE, or --with SYSTEM; showthrough scan searches "
        "texts alone",
        "metrics: none was given; expected at least one",
    ]


def test_names_that_cannot_be(tiny: Corpus) -> None:
    nothing = Anonymization(MASKS.masks, "nothing masked")
    said = problems(Plan(tiny, (MASKS, MASKS, nothing), tuple(metrics_of("recall"))))
    assert said == [
        "anonymization one: this name is used twice; expected unique names",
        "anonymization nothing masked: this name is reserved for the reference row; expected another name",
    ]


def test_metrics_that_need_what_is_not_there() -> None:
    bare = Corpus([Document("a", "Oslo")])
    one = Anonymization({"a": []}, "one")
    assert problems(Plan(bare, (one,), tuple(metrics_of(["recall", "trir"])))) == [
        "no document has annotations, which the metric recall needs; "
        "without a choice of metrics, what needs none is scored",
        "background: none was given, which the metric trir needs; expected --background FILE (in Python, background=…)",
    ]


def test_masks_outside_a_text_are_all_told(tiny: Corpus) -> None:
    one = Anonymization({"d1": [Mask(0, 99)], "d2": [Mask(5, 5)], "d9": []}, "one")
    assert len(problems(Plan(tiny, (one,), tuple(metrics_of("recall"))))) == 4  # and d3 is missing


def test_a_metric_says_what_types_are_to_it() -> None:
    stated, spelled, recall = metrics_of(["phi_strict", 'phi_strict(type_from="replacement")', "recall"])
    one = Anonymization({"a": [TypedMask(0, 3, "[PERSON]", "NAME"), TypedMask(7, 11, "Oslo", "TOWN")]}, "one")
    assert [sorted(metric.types_in(one)) for metric in (stated, spelled, recall)] == [
        ["NAME", "TOWN"],
        ["Oslo", "PERSON"],
        [],
    ]


@pytest.mark.parametrize("metric", ["phi_strict", 'phi_strict(type_from="replacement")'])
def test_types_that_a_user_renames_and_leaves_out(metric: str) -> None:
    masks = [TypedMask(0, 3, "[NAME]", "NAME"), TypedMask(7, 11, "[TOWN]", "TOWN"), TypedMask(13, 15, "[AGE]", "AGE")]
    run = evaluate(CLINICAL, Anonymization({"a": masks}, "one"), metric, map="TOWN=CITY", ignore="AGE", resamples=0)
    score = next(score for score in run.scores if score.anonymization == "one" and not score.part)
    assert score.value == 1.0  # the name and the town; the age is neither a mention nor a mask
    [columns] = [run.rows[text]["one"] for text in run.rows]
    assert (columns["gold"], columns["system"]) == ([2], [2])


def test_a_name_that_nobody_could_read(tiny: Corpus) -> None:
    with pytest.raises(InputError, match="this name is empty; expected one"):
        evaluate(tiny, {" ": Anonymization({"d1": [], "d2": [], "d3": []})}, ["recall"])
