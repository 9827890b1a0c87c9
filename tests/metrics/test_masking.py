"""Masking metrics on examples small enough to count by hand."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
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
    WeightedPrecision,
    evaluate,
)  # fmt: skip
from showthrough.data.layout.span_layout import SpanLayout
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


def test_recall_by_character_leaves_white_space_aside() -> None:
    # First: MrOleBerg 9, OleBerg 7, Oslo 4, May1996 7; second: OleBerg 7, OleBerg 7, anurse 6. Free: Mr and a.
    assert score(Recall(unit="character")) == 3 / 47
    assert score(Recall(unit="character"), NAME) == (3 + 7 + 7) / 47
    assert score(Recall(unit="character"), span("le Be")) == (3 + 4 + 4) / 47
    assert score(Recall(unit="character"), span("Ole"), span("Berg")) == (3 + 7 + 7) / 47  # as one mask over both
    assert score(Recall(unit="character", ignorable="skip"), NAME) == (7 + 7) / (47 - 3)
    assert score(Recall(unit="character", include="direct"), NAME) == (2 + 7 + 7) / (9 + 7 + 7 + 7)


def test_precision_by_character() -> None:
    assert score(Precision(unit="character"), NAME, JOB) == (2 * 7 + 5) / (2 * 7 + 2 * 5)  # nurse: one of two
    assert score(Precision(unit="character"), span("Mr Ole Berg")) == (2 + 2 * 7) / (2 * 9)
    assert score(Precision(unit="character"), span("le Be")) == 1.0  # a token that is cut counts by its characters
    each = Precision(unit="character", overlaps="each")
    assert score(each, NAME, NAME, JOB) == (2 * 14 + 5) / (2 * 14 + 2 * 5)
    assert score(Precision(unit="character"), span(" of", 0)) == 0 / 4
    assert score(Precision(unit="character"), (span("Mr")[1], span("Mr")[1] + 1)) is None  # a space alone


@pytest.mark.parametrize("seed", range(12))
def test_characters_counted_one_by_one(seed: int) -> None:
    """Any spans, two annotators, every sort of white space and signs: the same as by counting each character."""
    choice = random.Random(seed)
    text = "".join(choice.choice("ab Z9\t\u2009-.Per \n") for _ in range(60))

    def some(least: int) -> list[tuple[int, int]]:
        return [(at, at + choice.randrange(least, 9)) for at in sorted(choice.sample(range(50), 5))]

    layers = [some(1), some(1)]
    masks = some(1)
    corpus = Corpus([
        Document("d", text, tuple(
            Annotation(name, tuple(Mention(*bounds, "PERSON", "DIRECT") for bounds in layer))
            for name, layer in zip("xy", layers, strict=True)
        ))
    ])  # fmt: skip
    given = 'unit="character", function_words="none", function_word_mentions="free"'
    names = [f"recall({given})", f'recall({given}, ignorable="skip")', 'precision(unit="character")']
    run = evaluate(corpus, {"a": Anonymization({"d": [Mask(*mask) for mask in masks]})}, names, resamples=10)
    hidden = {place for mask in masks for place in range(*mask)}
    asked = [place for layer in layers for bounds in layer for place in range(*bounds) if not text[place].isspace()]
    free = [place for place in asked if text[place] in "-."]
    right = sum(place in hidden or place in free for place in asked)
    masked = [place for place in sorted(hidden) if not text[place].isspace()]
    marked = sum(any(place in range(*bounds) for bounds in layer) for layer in layers for place in masked)
    expected = [right / len(asked), (right - len(free)) / (len(asked) - len(free)), marked / (2 * len(masked))]
    assert [run["a", name].value for name in names] == pytest.approx(expected, abs=1e-12)


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
    assert once == 5 / 6  # Ole, Berg: 2 of 2 each; nurse: 1 of 2
    assert score("precision", NAME, NAME, JOB, (JOB[0], JOB[0] + 2)) == once
    assert score(Precision(unit="mention"), NAME, NAME, JOB) == 3 / 4  # two masks: 2 of 2 and 1 of 2


def test_masks_that_touch_stay_apart() -> None:
    start, end = span("nurse")
    halves = (start, start + 2), (start + 2, end)
    # Two halves of one token are two masked elements, as the published script counts them: each 1 of 2 annotators.
    # The name beside them tells two from one, for which it would be (2 + 2 + 1) / 6 and (2 + 1) / 4.
    assert score("precision", NAME, *halves) == (2 + 2 + 1 + 1) / 8
    assert score(Precision(unit="mention"), NAME, *halves) == (2 + 1 + 1) / 6


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
        lambda: WeightedPrecision(unit="character"),  # type: ignore[arg-type]
        lambda: FScore(beta=0.0),
        lambda: FScore(beta=math.nan),
        lambda: Recall(function_words="lexicon-xx"),
        *(lambda kind=kind: kind(replacements="blind") for kind in (EntityRecall, Recall, RecallPerType, FScore)),
        *(
            lambda kind=kind: kind(function_word_mentions="no")
            for kind in (EntityRecall, Recall, RecallPerType, FScore)
        ),
        *(lambda kind=kind: kind(overlaps="twice") for kind in (Precision, FScore, WeightedPrecision)),
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
        (
            {"a": 5},
            "anonymization a: found a value of type int; expected an Anonymization, a file, texts or spans by id",
        ),
        (
            {"tool": [{"doc_id": "d1", "text": "x", "tool": "y"}]},
            "anonymization tool: found a column text and one of this name; Anonymization.from_frame",
        ),
        ([{"d1": []}], "anonymizations: found a value of type dict; expected an Anonymization"),
        ("masks.json", "anonymizations: found a value of type str; expected anonymizations by name"),
    ],
)
def test_what_is_no_anonymization(given: Any, says: str, tiny: Corpus) -> None:
    with pytest.raises(PlanError, match=f"^{says}"):
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


def values_of(
    text: str, layers: tuple[Annotation, ...], masks: list[Mask], *metrics: str, parts: bool = False
) -> dict[str, float | None]:
    """Every metric's value on one document; with `parts` by part instead."""
    corpus = Corpus([Document("d", text, layers)])
    run = evaluate(corpus, {"a": Anonymization({"d": masks})}, metrics, resamples=0, references=False)
    return {score.part if parts else score.metric: score.value for score in run.scores}


RECALLS = ("er_di", "er", "recall", 'recall(ignorable="skip")', 'recall(unit="mention")', 'recall(unit="entity")')


@pytest.mark.parametrize("name", ["Per", "To", "By", "Mr Per", "Mr", "(To)", "A-", "東", "--", "🙂"])
def test_a_name_made_of_function_words_has_to_be_masked(name: str) -> None:
    layers = (Annotation("a", (Mention(0, len(name), "PERSON", "DIRECT", "e"),)),)
    asked = RECALLS if any(map(str.isalnum, name)) else ("er_di", "er", 'recall(unit="mention")')  # no word: no token
    readable = values_of(name + " left.", layers, [], *asked)
    assert readable == dict.fromkeys(asked, 0.0)
    hidden = values_of(name + " left.", layers, [Mask(0, len(name))], *asked)
    assert hidden == dict.fromkeys(asked, 1.0)


def test_all_words_of_a_name_made_of_function_words_are_asked_for() -> None:
    layers = (Annotation("a", (Mention(0, 6, "PERSON", "DIRECT", "e"),)),)
    found = values_of("Mr Per left.", layers, [Mask(3, 6)], "er_di", "recall", 'recall(ignorable="skip")')
    assert found == {"er_di": 0.0, "recall": 1 / 2, 'recall(ignorable="skip")': 1 / 2}  # Mr can be read, Per cannot
    assert values_of("Mr Per left.", layers, [Mask(0, 2), Mask(3, 6)], "er_di") == {"er_di": 1.0}  # not the space


def test_a_name_made_of_function_words_is_free_to_the_scripts() -> None:
    layers = (Annotation("a", (Mention(0, 6, "PERSON", "DIRECT", "e"),)),)
    free = [f'{name}(function_word_mentions="free")' for name in ("er_di", "recall")]
    assert values_of("Mr Per left.", layers, [], *free) == dict.fromkeys(free, 1.0)
    skipped = 'recall(ignorable="skip", function_word_mentions="free")'
    assert values_of("Mr Per left.", layers, [], skipped) == {skipped: None}


def test_a_function_word_is_asked_for_only_where_it_is_the_whole_mention() -> None:
    # The first annotator marks the given name, the second the full name, in which "Per" is a function word.
    alone, full = Mention(0, 3, "PERSON", "DIRECT", "e"), Mention(0, 10, "PERSON", "DIRECT", "e")
    layers = (Annotation("a", (alone,)), Annotation("b", (full,)))
    found = values_of("Per Hansen left.", layers, [Mask(4, 10)], *RECALLS, "f1")
    # The first's Per leaks; the second's is free and Hansen is hidden. "skip": Per of the first, Hansen of the second.
    assert found["er_di"] == found["er"] == found['recall(unit="mention")'] == found['recall(unit="entity")'] == 1 / 2
    assert found["recall"] == 2 / 3
    assert found['recall(ignorable="skip")'] == 1 / 2
    # R = 2/3; P: Hansen is what one of two annotators marked. 2 · 1/2 · 2/3 / (1/2 + 2/3)
    assert found["f1"] == pytest.approx(4 / 7, abs=1e-15)
    both = values_of("Per Hansen left.", layers, [Mask(0, 3)], *RECALLS)
    assert (both["er_di"], both["recall"]) == (1 / 2, 2 / 3)  # Per, Per; not Hansen


def test_an_entity_is_asked_for_mention_by_mention() -> None:
    # "Per Hansen ... Per": masking Hansen leaves "Per" as a mention of its own to be read.
    marks = (Mention(0, 10, "PERSON", "DIRECT", "e"), Mention(15, 18, "PERSON", "DIRECT", "e"))
    text = "Per Hansen met Per."
    assert values_of(text, (Annotation("a", marks),), [Mask(4, 10)], "er_di") == {"er_di": 0.0}
    assert values_of(text, (Annotation("a", marks),), [Mask(4, 10), Mask(15, 18)], "er_di") == {"er_di": 1.0}
    assert values_of(text, (Annotation("a", marks),), [Mask(4, 10)], "recall_per_type", parts=True) == {"PERSON": 2 / 3}


PAIR = (Mention(0, 8, "PERSON", "DIRECT", "e"), Mention(12, 16, "LOC", "QUASI", "f"))
DOE = (Annotation("a", PAIR),)
DOE_TEXT = "John Doe of Oslo"


def test_a_replacement_that_repeats_the_original_hides_nothing() -> None:
    same = [Mask(0, 8, "John Doe")]
    metrics = ("er_di", "recall", 'recall(unit="mention")', "precision", "f1")
    # Nothing of John, Doe, Oslo is hidden; but John and Doe were rightly touched: precision 2 of 2, F = 0.
    assert values_of(DOE_TEXT, DOE, same, *metrics) == dict(zip(metrics, (0.0, 0.0, 0.0, 1.0, 0.0), strict=True))
    assert values_of(DOE_TEXT, DOE, same, "recall_per_type", parts=True) == {"PERSON": 0.0, "LOC": 0.0}
    trusted = [text[:-1] + ", " if text.endswith(")") else text + "(" for text in metrics if text != "precision"]
    trusted = [text + 'replacements="trusted")' for text in trusted]
    # The scripts look at offsets alone: 1 of 1, 2 of 3, 1 of 2; F = 2 · 1 · 2/3 / (1 + 2/3).
    assert list(values_of(DOE_TEXT, DOE, same, *trusted).values()) == pytest.approx([1.0, 2 / 3, 1 / 2, 0.8])


@pytest.mark.parametrize(
    ("replacement", "hidden"),  # of John, Doe, Oslo, under one mask
    [
        (None, 3),
        ("", 3),
        ("***", 3),
        ("PERSON of LOC", 3),  # "of" is a function word
        ("a man called JOHN", 2),
        ("DOE, john", 1),
        ("Johnny Does", 3),  # whole words only
        ("Dr. Doe-Smith", 2),
        ("John_Doe", 1),  # anybody reads two words
        ("Ｊｏｈｎ", 2),  # and these letters
        ("oslo / doe / john", 0),
    ],
)
def test_words_of_the_original_in_a_replacement_can_be_read(replacement: str | None, hidden: int) -> None:
    found = values_of(DOE_TEXT, DOE, [Mask(0, 16, replacement)], 'recall(ignorable="skip")', "er_di")
    assert found['recall(ignorable="skip")'] == hidden / 3
    assert values_of(DOE_TEXT, DOE, [Mask(0, 16, replacement)], "recall") == {"recall": hidden / 3}  # "of" is unmarked


@pytest.mark.parametrize(
    ("original", "replacement", "readable"),
    [
        ("Straße", "STRASSE 5", True),  # case folding makes two letters of one
        ("STRASSE", "die Straße", True),
        ("Ünal", "ÜNAL", True),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ", True),
        ("東京", "大阪", False),
        ("東", "東京", True),  # ideographs are tokens one by one
        ("Müller", "Muller", True),  # everybody reads the name without its accent
        ("Müller", "Miller", False),
        ("John Doe", "J\u200bo\u200bhn D\u00adoe", True),  # letters between which something stands that nobody sees
        ("John Doe", "J o h n D. o. e.", True),
        (
            "John Doe",
            "\U0001d409\U0001d428\U0001d421\U0001d427 \U0001d403\U0001d428\U0001d41e",
            True,
        ),  # mathematical letters
        ("John Doe", "Jоhn Dое", True),  # with Cyrillic о and е
        ("Ünay", "XXXÜnay", True),  # glued to what stands for the rest of the name
        ("Ünay", "PERSONÜnay", True),
        ("Selim Ünay", "SelimÜnay", True),
        ("Ünay", "Ünayev", False),
        ("36110/97", "3611097", True),
        ("36110/97", "3611098", False),
        ("36110/97", "ID3611097", False),  # other digits side by side are another number
        ("3611097", "٣٦١١٠٩٧", True),  # Arabic-Indic digits
        ("Jose\u0301 Pe\u0301rez", "José Pérez", True),  # accents that are characters of their own
        ("John Doe", "Sm9obiBEb2U=", True),  # base64
        ("John Doe", "Jo-\nhn Do-\ne", True),
        ("José", "Jos&eacute;", True),
        ("1 May", "DATE1", False),  # a label with a number
        ("Court", "COURT1", False),
        ("longestname", "longestnaive", False),  # alike in their first eight letters
        ("Longestname", "a longestNAME", True),
        ("Per", "per", True),  # a mention of function words alone is asked for with its words, here too
        ("🙂", "🙂!", True),  # no word in it at all
        ("🙂", "🙃", False),
    ],
)
def test_which_words_are_the_same(original: str, replacement: str, readable: bool) -> None:
    layers = (Annotation("a", (Mention(0, len(original), "PERSON", "DIRECT", "e"),)),)
    found = values_of(f"{original} left.", layers, [Mask(0, len(original), replacement)], "er_di")
    assert found == {"er_di": 0.0 if readable else 1.0}


def test_a_word_cut_by_a_mask_is_compared_as_it_was_cut() -> None:
    layers = (Annotation("a", (Mention(0, 7, "PERSON", "DIRECT", "e"),)),)
    masks = [Mask(0, 4, "John"), Mask(4, 7, "X")]
    assert values_of("Johnson left.", layers, masks, 'recall(unit="mention")') == {'recall(unit="mention")': 0.0}
    masks = [Mask(0, 4, "Johnson"), Mask(4, 7, "X")]
    assert values_of("Johnson left.", layers, masks, "er_di") == {"er_di": 1.0}


def test_of_overlapping_masks_every_replacement_is_read() -> None:
    """Nobody can tell which of them a tool wrote in the end."""
    # "John Doe of Oslo" is one stretch; X says nothing, "Doe Oslo" two of its three words.
    assert values_of(DOE_TEXT, DOE, [Mask(0, 11, "X"), Mask(9, 16, "Doe Oslo")], "recall") == {"recall": 1 / 3}
    assert values_of(DOE_TEXT, DOE, [Mask(0, 11, "Oslo"), Mask(9, 16, "Doe")], "recall") == {"recall": 1 / 3}
    assert values_of(DOE_TEXT, DOE, [Mask(0, 8, "John"), Mask(0, 8), Mask(12, 16)], "recall") == {"recall": 2 / 3}


def test_one_replacement_gives_away_only_what_it_stands_for() -> None:
    text = "Ann met Bob"
    layers = (Annotation("a", (Mention(0, 3, "P", "DIRECT", "e"), Mention(8, 11, "P", "DIRECT", "f"))),)
    assert values_of(text, layers, [Mask(0, 3, "Bob"), Mask(8, 11, "Ann")], "er_di") == {"er_di": 1.0}
    assert values_of(text, layers, [Mask(0, 3, "Bob"), Mask(8, 11, "Bob")], "er_di") == {"er_di": 1 / 2}


def test_overlapping_masks_counted_one_by_one() -> None:
    # Ole Berg twice (2 of 2 annotators each token) and "nurse, met" (1, 0 of 2) as one mask or cut in an overlap.
    start, end = span("nurse, met")
    masks = (NAME, NAME, (start, end - 4), (start + 2, end))
    # Joined: Ole, Berg, nurse, met. Each: Ole Berg Ole Berg, "nurse", "rse", "met".
    assert score("precision", *masks) == (2 + 2 + 1 + 0) / 8
    assert score(Precision(overlaps="each"), *masks) == (2 + 2 + 2 + 2 + 1 + 1 + 0) / 14
    # By mask, joined: Ole Berg (2), "nurse, met" (0). Each: 2, 2, "nurse," ends outside the mention (0), 0.
    assert score(Precision(unit="mention"), *masks) == (2 + 0) / 4
    assert score(Precision(unit="mention", overlaps="each"), *masks) == (2 + 2 + 0 + 0) / 8
    each = 10 / 14
    recall = score("recall", *masks)
    assert recall is not None
    assert score(FScore(overlaps="each"), *masks) == pytest.approx(2 * each * recall / (each + recall), abs=1e-15)
    assert score('wp(ic="uniform", overlaps="each")', *masks) == 10 / 14
    assert score('wp(ic="uniform")', *masks) == 5 / 8


class Tagged:
    """A tagger to which every "A" is a determiner that does not stand before a full stop."""

    revision = "0"

    def ignorable(self, axis: SpanLayout) -> np.ndarray:
        free = np.array([character in " .,-" for character in axis.text])
        for place in range(len(axis.text) - 1):
            if axis.text[place] == "A" and axis.text[place + 1] == " ":
                free[place] = True
        return free


def test_tags_know_a_word_from_a_name_where_the_entity_has_other_mentions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.models.Resources.function_words", lambda self, name: Tagged())
    monkeypatch.setattr("showthrough.models.Resources.revisions", lambda self, models: dict.fromkeys(models, ""))
    text = "It was A. A total of ninety. A came"

    def recall(*marks: Mention) -> float | None:
        corpus = Corpus([Document("d", text, (Annotation("a", marks),))])
        metric = 'recall(unit="mention", function_words="spacy:some")'
        return evaluate(corpus, {"none": Anonymization({"d": []})}, metrics=[metric])["none", metric].value

    name, word, alone = (
        Mention(at, at + 1, "PERSON", "DIRECT", entity) for at, entity in ((7, "e1"), (10, "e1"), (29, "e2"))
    )
    assert recall(name, word) == 1 / 2  # the name is readable; "A total" is none
    assert recall(alone) == 0  # nothing else of this entity: "A came" is asked for


def confidential(words: str, status: str | None, nth: int = 0, identifier: str = "NO_MASK") -> Mention:
    return Mention(*span(words, nth), "MISC", identifier, "", status)  # type: ignore[arg-type]


def test_what_is_left_of_confidential_mentions() -> None:
    """Whether they identify or not; a person who is hidden elsewhere is no part of it."""
    one = Annotation(
        "first",
        (
            mention("Ole Berg", "PERSON", "DIRECT", "person"),
            confidential("a nurse", "ETHNIC", identifier="QUASI"),
            confidential("Oslo", "NOT_CONFIDENTIAL"),
            confidential("Ole Berg", "health ", 1),
        ),
    )
    two = Annotation("second", (confidential("Ole Berg", "HEALTH", 1), confidential("May 1996", None)))
    masks = [Mask(*span("nurse")), Mask(*span("Ole", 1))]
    found = values_of(TEXT, (one, two), masks, 'recall(include="confidential")', parts=True)
    # "a" is a function word, and free; of Ole Berg, twice, Ole is hidden.
    assert found == {"": 4 / 6, "ETHNIC": 2 / 2, "HEALTH": 2 / 4}
    found = values_of(TEXT, (one, two), masks, 'recall(include="confidential", unit="mention")', parts=True)
    assert found == {"": 1 / 3, "ETHNIC": 1.0, "HEALTH": 0.0}
    found = values_of(TEXT, (one, two), masks, 'recall(include="confidential", ignorable="skip")', parts=True)
    assert found == {"": 3 / 5, "ETHNIC": 1.0, "HEALTH": 0.5}
    assert values_of(TEXT, (one, two), masks, 'recall_per_type(include="confidential")', parts=True) == {"MISC": 4 / 6}


def test_nothing_is_confidential() -> None:
    corpus = Corpus([Document("d", TEXT, (FIRST,))])
    run = evaluate(corpus, {"a": Anonymization({"d": []})}, ['recall(include="confidential")'], resamples=0)
    score = run["a", 'recall(include="confidential")']
    assert (score.value, score.reason) == (None, "no annotator gave a mention a confidential status")


def test_confidential_is_a_question_of_recall_about_mentions() -> None:
    with pytest.raises(PlanError, match="expected unit='token', 'character' or 'mention'"):
        parse_metric('recall(include="confidential", unit="entity")')
    with pytest.raises(PlanError, match="include='confidential' is not known; expected 'direct', 'quasi' or 'direct"):
        parse_metric('f1(include="confidential")')
    with pytest.raises(PlanError, match="expected 'direct', 'quasi', 'confidential' or 'direct,quasi'"):
        parse_metric('recall(include="secret")')
    assert parse_metric('recall(include="confidential")').roles == ()
