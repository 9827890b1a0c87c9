"""Failures by kind and type, against hand-worked examples and against the metrics."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, TypedMask, evaluate
from showthrough.run.run import Run
from showthrough.studies.failures import (
    FREE,
    HIDDEN,
    KINDS,
    LEAKED,
    NOT_MARKED,
    PARTLY,
    UNASKED,
    FailureAnalysis,
    Inspection,
    Location,
)

#       0         1         2         3         4
#       0123456789012345678901234567890123456789012345
TEXT = "Mr John Doe of Oslo met Ann Lee on 3 May 2021."
DOE = Mention(0, 11, "PERSON", "DIRECT", "e1")
OSLO = Mention(15, 19, "LOC", "QUASI", "e2")
ANN = Mention(24, 31, "PERSON", "NO_MASK", "e3")
DATE = Mention(35, 45, "DATETIME", "QUASI", "e4")
MR = Mention(0, 2, "TITLE", "QUASI", "e5")


def found(
    *masks: Mask,
    layers: tuple[Annotation, ...] = (Annotation("a", (DOE, OSLO, ANN, DATE)),),
    metric: str = "precision",
) -> FailureAnalysis:
    corpus = Corpus([Document("d", TEXT, layers)])
    run = evaluate(corpus, [Anonymization({"d": list(masks)}, "one")], [metric], resamples=0)
    assert run.texts is not None
    return Inspection(run.texts).of("one")


def test_nothing_masked_misses_everything_wanted() -> None:
    answer = found()
    assert answer.outcome.tolist() == [LEAKED, LEAKED, UNASKED, LEAKED]
    assert answer.failures == {
        ("missed", "PERSON"): [Location(0, 0, 11)],
        ("missed", "LOC"): [Location(0, 15, 19)],
        ("missed", "DATETIME"): [Location(0, 35, 45)],
    }
    assert answer.leaks.tolist() == [[1, 2]]  # Doe is direct; Oslo and the date are not


def test_types_of_one_kind_are_one_whoever_named_them() -> None:
    """Masked are words that nobody marked; a system's names are told by the types of the texts, else by the tree."""
    masks = TypedMask(12, 14, None, "CITY"), TypedMask(20, 23, None, "per"), TypedMask(32, 34, None, "E-Mail")
    answer = found(*masks)
    spurious = {kind: places for (what, kind), places in answer.failures.items() if what == "spurious"}
    assert spurious == {"LOC": [Location(0, 12, 14)], "PERSON": [Location(0, 20, 23)], "EMAIL": [Location(0, 32, 34)]}
    person = Annotation("b", (Mention(0, 11, "Person", "DIRECT", "e9"),))
    both = found(layers=(Annotation("a", (DOE,)), person))
    assert both.failures == {("missed", "PERSON"): [Location(0, 0, 11)]}


def test_half_a_name_is_under_masked() -> None:
    answer = found(Mask(3, 7))  # John
    assert answer.outcome[0] == PARTLY
    assert answer.failures["under-masked", "PERSON"] == [Location(0, 0, 11)]
    assert answer.count("missed", "PERSON") == 0


def test_a_title_may_stay() -> None:
    answer = found(Mask(3, 11))  # John Doe, without Mr
    assert answer.outcome[0] == HIDDEN
    assert ("under-masked", "PERSON") not in answer.failures


def test_a_mention_of_free_words_alone_is_asked_for_whole() -> None:
    alone = (Annotation("a", (MR,)), Annotation("b", (DOE,)))
    assert found(Mask(3, 11), layers=alone).outcome.tolist() == [LEAKED, HIDDEN]  # Mr is free only where Doe is too
    assert found(Mask(1, 2), layers=alone).outcome.tolist() == [PARTLY, LEAKED]
    assert found(Mask(0, 2), layers=alone).outcome.tolist() == [HIDDEN, LEAKED]
    space = (Annotation("a", (Mention(2, 3, "X", "QUASI", "e"),)),)
    assert found(layers=space).outcome.tolist() == [FREE]  # there is nothing to hide in a space
    scripts = 'recall(function_word_mentions="free")'
    assert found(layers=alone, metric=scripts).outcome.tolist() == [FREE, LEAKED]  # as the metric of the run took it


def test_what_a_replacement_repeats_can_be_read() -> None:
    answer = found(Mask(0, 11, "Ms Ann Doe"), Mask(15, 19, "OSLO"), Mask(35, 45, "in spring"))
    assert answer.outcome.tolist() == [PARTLY, LEAKED, UNASKED, HIDDEN]
    assert answer.failures["under-masked", "PERSON"] == [Location(0, 0, 11)]
    assert answer.failures["missed", "LOC"] == [Location(0, 15, 19)]
    assert answer.echoes == [Location(0, 8, 11), Location(0, 15, 19)]
    trusting = found(Mask(0, 11, "Mr Ann Doe"), Mask(15, 19, "OSLO"), metric='er(replacements="trusted")')
    assert trusting.outcome.tolist() == [HIDDEN, HIDDEN, UNASKED, LEAKED]  # as the metric of the run took it
    assert trusting.echoes == []


def test_masks_of_what_nobody_wanted() -> None:
    # "met" is nothing; "Ann" is marked NO_MASK; "Oslo met" holds Oslo and a word beside it; "." is punctuation.
    alone, unwanted, both = found(Mask(20, 23)), found(Mask(24, 27)), found(Mask(15, 23))
    assert alone.failures["spurious", NOT_MARKED] == [Location(0, 20, 23)]
    assert unwanted.failures["spurious", "PERSON"] == [Location(0, 24, 27)]
    assert both.failures["over-masked", "LOC"] == [Location(0, 15, 23)]
    assert not [kind for kind, _ in found(Mask(45, 46)).failures if kind in ("spurious", "over-masked")]


def test_a_spurious_mask_is_what_its_anonymizer_took_it_for() -> None:
    assert found(TypedMask(20, 23, None, "VERB")).failures["spurious", "VERB"] == [Location(0, 20, 23)]


def test_overlapping_masks_are_one() -> None:
    answer = found(Mask(12, 16), Mask(14, 23))
    assert answer.failures["over-masked", "LOC"] == [Location(0, 12, 23)]


def test_a_span_that_two_annotators_marked_counts_once() -> None:
    quasi = Mention(0, 11, "PERSON", "QUASI", "x")
    answer = found(layers=(Annotation("a", (DOE,)), Annotation("b", (quasi,))))
    assert answer.count("missed", "PERSON") == 1
    assert answer.leaks.tolist() == [[1, 0]]  # direct for one annotator is direct


def test_where_nobody_read_nothing_is_spurious() -> None:
    documents = [Document("d", TEXT, ()), Document("e", TEXT, (Annotation("a", ()),))]
    masks = {"d": [Mask(20, 23)], "e": [Mask(20, 23)]}
    run = evaluate(Corpus(documents), [Anonymization(masks, "one")], ["precision"], resamples=0)
    assert run.texts is not None
    assert Inspection(run.texts).of("one").failures == {("spurious", NOT_MARKED): [Location(1, 20, 23)]}


spans = st.tuples(st.integers(0, 45), st.integers(1, 12)).map(lambda pair: (pair[0], min(46, sum(pair))))
marks = st.builds(
    lambda span, kind, level, entity: Mention(*span, kind, level, entity),
    spans, st.sampled_from(["A", "B"]), st.sampled_from(["DIRECT", "QUASI", "NO_MASK"]), st.sampled_from("xyz"),
)  # fmt: skip
layers = st.lists(st.lists(marks, max_size=4), min_size=1, max_size=3).map(
    lambda each: tuple(Annotation(str(place), tuple(mentions)) for place, mentions in enumerate(each))
)


texts = st.sampled_from([None, "X", "Mr Doe", "JOHN of Oslo", "3 May", "met ann on 2021"])


@settings(max_examples=40)  # each evaluates
@given(layers, st.lists(st.tuples(spans, texts), max_size=5), st.sampled_from(["er", 'er(replacements="trusted")']))
def test_what_leaks_is_what_entity_recall_says(
    annotations: tuple[Annotation, ...], masked: list[tuple[tuple[int, int], str | None]], metric: str
) -> None:
    """An entity has slipped exactly when one of its mentions leaks, in full or in part."""
    corpus = Corpus([Document("d", TEXT, annotations)])
    one = Anonymization({"d": [Mask(*span, text) for span, text in masked]}, "one")
    run = evaluate(corpus, [one], [metric], resamples=0)
    assert run.texts is not None
    inspection = Inspection(run.texts)
    gold = inspection.axis.gold
    leaking = inspection.of("one").outcome <= PARTLY
    slipped = set(gold.entity[leaking].tolist())
    columns = run.rows[metric]["one"]
    assert len(slipped) == columns["total"][0] - columns["hidden"][0]


@settings(max_examples=40)  # each evaluates
@given(layers)
def test_everything_masked_misses_nothing(annotations: tuple[Annotation, ...]) -> None:
    answer = found(Mask(0, len(TEXT)), layers=annotations)
    assert not {kind for kind, _ in answer.failures} & {"missed", "under-masked"}
    assert not answer.leaks.any()


@settings(max_examples=40)  # each evaluates
@given(layers)
def test_nothing_masked_is_never_needless(annotations: tuple[Annotation, ...]) -> None:
    answer = found(layers=annotations)
    assert {kind for kind, _ in answer.failures} <= {"missed"}
    assert not (answer.outcome == HIDDEN).any()


def test_the_demo_agrees_with_its_scores(demo_run: Run) -> None:
    assert demo_run.texts is not None
    inspection = Inspection(demo_run.texts)
    gold = inspection.axis.gold
    for name in demo_run.names:
        answer = inspection.of(name)
        slips = np.bincount(gold.entity, answer.outcome <= PARTLY, minlength=len(gold.entity_level)) > 0
        for level, metric in ((2, "er_di"), (1, "er_qi")):
            columns = demo_run.rows[metric][name]
            assert (slips & (gold.entity_level == level)).sum() == sum(columns["total"]) - sum(columns["hidden"])
        assert {kind for kind, _ in answer.failures} <= set(KINDS)
