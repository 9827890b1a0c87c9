"""Masking metrics on examples small enough to count by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    ClusteringAgreement,
    Corpus,
    Document,
    EntityRecall,
    FScore,
    Mask,
    Mention,
    PlanError,
    Precision,
    Recall,
    RecallPerType,
    evaluate,
)  # fmt: skip
from showthrough.metrics import parse_metric

TEXT = "Mr Ole Berg of Oslo, a nurse, met Ole Berg in May 1996."


def span(words: str, nth: int = 0, text: str = TEXT) -> tuple[int, int]:
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    return start, start + len(words)


def mention(words: str, kind: str, identifier: str, entity: str, nth: int = 0) -> Mention:
    return Mention(*span(words, nth), kind, identifier, entity)  # type: ignore[arg-type]


# Two annotators of one document who do not agree, and a second document that one annotator left empty.
FIRST = Annotation(
    "first",
    (
        mention("Mr Ole Berg", "PERSON", "DIRECT", "person"),
        mention("Ole Berg", "PERSON", "DIRECT", "person", 1),
        mention("Oslo", "LOC", "QUASI", "town"),
        mention("May 1996", "DATETIME", "QUASI", "date"),
    ),
)
SECOND = Annotation(
    "second",
    (
        mention("Ole Berg", "PERSON", "DIRECT", "person"),
        mention("Ole Berg", "PERSON", "DIRECT", "person", 1),
        mention("a nurse", "DEM", "QUASI", "job"),
        mention("1996", "DATETIME", "NO_MASK", "date"),
    ),
)
CORPUS = Corpus(
    [Document("d", TEXT, (FIRST, SECOND)), Document("e", "Nothing here.", (Annotation("first"),))], name="hand"
)


def score(metric: object, *masks: tuple[int, int]) -> float | None:
    masked = Anonymization({"d": [Mask(*mask) for mask in masks], "e": []})
    return evaluate(CORPUS, {"a": masked}, metrics=[metric], resamples=10)["a", metric].value  # type: ignore[list-item,index]


NAME, NAME_AGAIN, TOWN, JOB, DATE = (span(x) for x in ("Ole Berg", "met Ole Berg", "Oslo", "nurse", "May 1996"))


def test_entity_recall_asks_for_every_mention() -> None:
    assert score("er_di", NAME) == 0.0  # both annotators' person can still be read once: 0 of 2
    assert score("er_di", NAME, NAME_AGAIN) == 1.0  # "Mr" need not be masked: 2 of 2


def test_entity_recall_of_quasi_identifiers() -> None:
    assert score("er_qi", TOWN) == 1 / 3  # town, date of the first; job of the second: 1 of 3
    assert score("er_qi", TOWN, JOB, DATE) == 1.0  # the article in "a nurse" need not be masked


def test_entity_recall_of_all() -> None:
    assert score("er", NAME, NAME_AGAIN, TOWN) == 3 / 5  # 2 persons and the town, of 2 + 3 entities


def test_token_recall_counts_ignorable_tokens_as_covered() -> None:
    # First: Mr Ole Berg, Ole Berg, Oslo, May 1996 = 8 tokens; second: Ole Berg, Ole Berg, a nurse = 6 tokens.
    assert score("recall") == 2 / 14  # nothing is masked: "Mr" and "a" are free
    assert score("recall", NAME) == 6 / 14  # and Ole, Berg for both annotators
    assert score(Recall(ignorable="skip"), NAME) == 4 / 12  # "Mr" and "a" are out of both counts


def test_recall_by_mention_and_entity() -> None:
    assert score(Recall(unit="mention"), NAME) == 2 / 7  # 4 + 3 mentions; the first name of each annotator
    assert score(Recall(unit="entity"), NAME, NAME_AGAIN) == 2 / 5


def test_recall_selects_identifiers() -> None:
    assert score(Recall(include="direct"), NAME) == 5 / 9  # Mr Ole Berg Ole Berg + Ole Berg Ole Berg; 1 free, 4 masked
    assert score(Recall(include="quasi"), TOWN) == 2 / 5  # Oslo May 1996 + a nurse; Oslo masked, "a" free


def test_recall_per_type() -> None:
    masked = Anonymization({"d": [Mask(*NAME), Mask(*TOWN)], "e": []})
    run = evaluate(CORPUS, {"a": masked}, metrics=["recall_per_type"], resamples=10)
    found = {part: value.value for part, value in run.parts("a", "recall_per_type").items()}
    # PERSON: Mr is free, Ole Berg twice masked, of 9; LOC 1 of 1; DEM: only the article, of 2; DATETIME 0 of 2:
    # the second annotator's date is no entity to be masked.
    assert found == {"PERSON": 5 / 9, "LOC": 1.0, "DEM": 1 / 2, "DATETIME": 0.0}


def test_precision_pools_annotators() -> None:
    assert score("precision", NAME) == 4 / 4  # Ole, Berg: both of two annotators, each
    assert score("precision", NAME, JOB) == 5 / 6  # nurse: one of two
    assert score("precision", span("met")) == 0 / 2


def test_precision_asks_for_whole_containment() -> None:
    # "Mr Ole Berg" as one mask is inside the first annotator's mention only.
    assert score(Precision(unit="mention"), span("Mr Ole Berg")) == 1 / 2
    assert score("precision", span("Mr Ole Berg")) == 5 / 6  # Mr: 1 of 2; Ole, Berg: 2 of 2 each


def test_precision_counts_an_annotator_who_marked_nothing() -> None:
    masked = Anonymization({"d": [Mask(*NAME)], "e": [Mask(0, 7)]})
    run = evaluate(CORPUS, {"a": masked}, metrics=["precision"], resamples=10)
    assert run["a", "precision"].value == 4 / 5  # Ole, Berg 2 of 2 each; Nothing 0 of 1


def test_no_mask_mentions_do_not_make_precision() -> None:
    assert score("precision", span("1996")) == 1 / 2  # the second annotator marked it NO_MASK


def test_f_scores() -> None:
    recall, precision = 6 / 14, 1.0  # as above, for the first name alone
    assert score("f1", NAME) == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-15)
    assert score("f2", NAME) == pytest.approx(5 * precision * recall / (4 * precision + recall), abs=1e-15)
    assert score(FScore(beta=0.5), NAME) == pytest.approx(1.25 * recall / (0.25 + recall), abs=1e-15)


def test_undefined_is_none_with_a_reason() -> None:
    run = evaluate(CORPUS, {"a": Anonymization({"d": [], "e": []})}, metrics=["precision", "f1"], resamples=10)
    for name in ("precision", "f1"):
        assert run["a", name].value is None
        assert run["a", name].low is None
        assert run["a", name].reason


def test_an_entity_with_masked_and_unmasked_mentions() -> None:
    marks = (Mention(0, 4, "ORG", "NO_MASK", "e"), Mention(9, 13, "ORG", "QUASI", "e"))
    corpus = Corpus([Document("d", "Acme and Acme", (Annotation("a", marks),))])
    run = evaluate(corpus, {"a": Anonymization({"d": [Mask(9, 13)]})}, metrics=["er_qi", "recall"], resamples=10)
    assert run["a", "er_qi"].value == 1.0  # entity recall asks only for the mention to be masked
    assert run["a", "recall"].value == 1 / 2  # token recall asks for all mentions of the entity


def test_one_direct_mention_makes_an_entity_direct() -> None:
    marks = (Mention(0, 4, "ORG", "QUASI", "e"), Mention(9, 13, "ORG", "DIRECT", "e"))
    corpus = Corpus([Document("d", "Acme and Acme", (Annotation("a", marks),))])
    run = evaluate(corpus, {"a": Anonymization({"d": [Mask(9, 13)]})}, metrics=["er_di", "er_qi"], resamples=10)
    assert run["a", "er_di"].value == 0.0
    assert run["a", "er_qi"].value is None


def test_mentions_without_entity_id_are_entities_of_their_own() -> None:
    marks = (Mention(0, 4, "ORG", "QUASI"), Mention(9, 13, "ORG", "QUASI"))
    corpus = Corpus([Document("d", "Acme and Acme", (Annotation("a", marks),))])
    run = evaluate(corpus, {"a": Anonymization({"d": [Mask(9, 13)]})}, metrics=["er_qi"], resamples=10)
    assert run["a", "er_qi"].value == 1 / 2


def test_a_mask_counts_once_however_often_it_is_listed() -> None:
    once = score("precision", NAME, JOB)
    assert score("precision", NAME, NAME, JOB, (JOB[0], JOB[0] + 2)) == once
    assert score(Precision(unit="mention"), NAME, NAME, JOB) == 3 / 4  # two masks: 2 of 2 and 1 of 2


def test_masks_that_touch_stay_apart() -> None:
    start, end = span("nurse")
    # Two halves of one token are two masked elements, as the published script counts them.
    assert score("precision", (start, start + 2), (start + 2, end)) == 2 / 4


@pytest.mark.parametrize(
    ("title", "covered"), [("Mr Berg", True), ("Mr. Berg", False), ("A. Berg", False), ("the Berg", True)]
)
def test_what_need_not_be_masked(title: str, covered: bool) -> None:
    marks = (Mention(0, len(title), "PERSON", "DIRECT", "e"),)
    corpus = Corpus([Document("d", title, (Annotation("a", marks),))])
    masked = Anonymization({"d": [Mask(len(title) - 4, len(title))]})
    assert evaluate(corpus, {"a": masked}, metrics=["er_di"], resamples=10)["a", "er_di"].value == float(covered)


def test_possessive_clitic_is_free() -> None:
    corpus = Corpus([Document("d", "Berg’s", (Annotation("a", (Mention(0, 6, "PERSON", "DIRECT", "e"),)),))])
    masked = Anonymization({"d": [Mask(0, 4)]})
    assert evaluate(corpus, {"a": masked}, metrics=["er_di"], resamples=10)["a", "er_di"].value == 1.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: EntityRecall("both"),  # type: ignore[arg-type]
        lambda: Recall(unit="word"),  # type: ignore[arg-type]
        lambda: Recall(include="direct;quasi"),
        lambda: Recall(ignorable="no"),  # type: ignore[arg-type]
        lambda: RecallPerType(unit="entity"),  # type: ignore[arg-type]
        lambda: Precision(unit="entity"),  # type: ignore[arg-type]
        lambda: FScore(beta=0.0),
        lambda: FScore(beta=math.nan),
        lambda: Recall(function_words="lexicon-xx"),
    ],
)
def test_unknown_parameters_are_refused(make: object) -> None:
    with pytest.raises(PlanError, match="expected"):
        make()  # type: ignore[operator]


def test_a_bare_word_is_text() -> None:
    assert parse_metric("recall(unit=mention)") == Recall(unit="mention")
    assert parse_metric("phi_span(types=True)") == parse_metric("phi_strict")  # True stays what it is


def test_one_metric_and_one_anonymization_need_no_list(tiny: Corpus) -> None:
    some = Anonymization({"d1": [], "d2": [], "d3": []}, "some")
    one = evaluate(tiny, some, "er_qi")
    assert one.scores == evaluate(tiny, [some], ["er_qi"]).scores == evaluate(tiny, some, EntityRecall("quasi")).scores
    assert one.names == ["some"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"a": "masks.json"}, "found a value of type str; expected an Anonymization: read a file with"),
        ([{"d1": []}], "found a value of type dict; expected an Anonymization"),
        ("masks.json", "found a value of type str; expected an Anonymization"),
    ],
)
def test_what_is_no_anonymization(given: Any, says: str, tiny: Corpus) -> None:
    with pytest.raises(PlanError, match=f"^anonymizations: {says}"):
        evaluate(tiny, given)


def test_what_is_no_corpus_is_not_shown(tiny: Corpus) -> None:
    with pytest.raises(PlanError) as caught:
        evaluate(list(tiny), {})  # type: ignore[arg-type]
    assert str(caught.value).startswith("corpus: found a value of type list; expected a Corpus")


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        (None, "metrics: found None; expected metrics, or their names"),
        (Recall, "metrics: found <class"),
        (ClusteringAgreement(min_k=2.0), "metric nmi: min_k: found 2.0; expected a whole number"),  # type: ignore[arg-type]
        (ClusteringAgreement(mask_marks=["A"]), "metric nmi: mask_marks: found ['A']; expected text"),  # type: ignore[arg-type]
        (FScore(beta=True), "metric f1: beta: found True; expected a number"),
    ],
)
def test_what_is_no_metric(metric: Any, says: str, tiny: Corpus) -> None:
    masks = Anonymization({document.id: [] for document in tiny})
    with pytest.raises(PlanError) as caught:
        evaluate(tiny, masks, [metric])
    assert str(caught.value).startswith(says)


def test_a_path_is_no_corpus() -> None:
    with pytest.raises(PlanError, match=r"corpus: found 'corpus.json'; expected a Corpus: .* read_corpus"):
        evaluate("corpus.json", {})  # type: ignore[arg-type]
