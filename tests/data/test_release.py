"""Texts as they are released: what stands where something was masked, and that nothing masked is left there."""

from __future__ import annotations

import time

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    PlanError,
    TypedMask,
    release,
    replaced,
)
from showthrough.data.text_anonymizations import Rewriting

TEXT = "Mr John Doe met Ann Lee; Doe paid Lee."
#       0  3    8   12  16  20   25       34
JOHN, ANN, DOE, LEE = Mask(3, 11, "PERSON"), Mask(16, 23, "PERSON"), Mask(25, 28, "PERSON"), Mask(34, 37, "PERSON")


def released(masks: list[Mask], how: str | None = None, document: Document | None = None) -> str:
    made = release(Corpus([document or Document("d", TEXT)]), Anonymization({"d": masks}), how)  # type: ignore[arg-type]
    return made.documents[0].text


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (None, "Mr PERSON met PERSON; PERSON paid PERSON."),
        ("label", "Mr [PERSON] met [PERSON]; [PERSON] paid [PERSON]."),
        ("number", "Mr [PERSON_1] met [PERSON_2]; [PERSON_3] paid [PERSON_4]."),  # four texts, and nobody says more
        ("suppress", "Mr  met ;  paid ."),
    ],
)
def test_what_stands_there(how: str | None, expected: str) -> None:
    assert released([JOHN, ANN, DOE, LEE], how) == expected


def test_numbers_follow_entities_where_they_are_known() -> None:
    marks = (Mention(3, 11, "PERSON", entity_id="doe"), Mention(25, 28, "PERSON", entity_id="doe"))
    document = Document("d", TEXT, (Annotation("a"), Annotation("b", marks)))
    assert released([JOHN, ANN, DOE, LEE], "number", document) == (
        "Mr [PERSON_1] met [PERSON_2]; [PERSON_1] paid [PERSON_3]."
    )


def test_numbers_follow_the_text_where_no_entity_is_known() -> None:
    text = "Doe, Roe,\nDoe; Doe LLP"
    masks = [Mask(0, 3, "PER"), Mask(5, 8, "PER"), Mask(10, 13, "PER"), Mask(15, 18, "ORG")]
    written = [mask.replacement for mask in replaced(masks, text, "number")]
    assert written == ["[PER_1]", "[PER_2]", "[PER_1]", "[ORG_1]"]
    # Two people of one name stay two. An unmarked repeat of a name is whoever alone has it.
    marks = [Mention(0, 3, entity_id="elder"), Mention(10, 13, entity_id="younger"), Mention(5, 8, entity_id="roe")]
    assert [mask.replacement for mask in replaced(masks, text, "number", marks)][:3] == [
        "[PER_1]",
        "[PER_2]",
        "[PER_3]",
    ]
    marks = [Mention(0, 3, entity_id="elder")]
    assert [mask.replacement for mask in replaced(masks, text, "number", marks)][:3] == [
        "[PER_1]",
        "[PER_2]",
        "[PER_1]",
    ]


@pytest.mark.parametrize(
    ("mask", "label"),
    [
        (TypedMask(3, 11, "X", "US SSN"), "[US_SSN]"),
        (TypedMask(3, 11, "X", "LOCATION/CITY"), "[LOCATION/CITY]"),
        (Mask(3, 11, "<PATIENT_12>"), "[PATIENT]"),
        (Mask(3, 11, None), "[MASKED]"),
        (Mask(3, 11, "***"), "[MASKED]"),
        (Mask(3, 11, "Jack Roe"), "[MASKED]"),  # a surrogate is no label
        (Mask(3, 11, "DOE"), "[MASKED]"),
        (TypedMask(3, 11, None, "John"), "[MASKED]"),  # a word of what is masked would tell it
        (TypedMask(3, 11, None, "JOHN_DOE"), "[MASKED]"),
        (TypedMask(3, 11, None, "]\n["), "[MASKED]"),
    ],
)
def test_a_label_tells_the_type_and_never_the_text(mask: Mask, label: str) -> None:
    assert replaced([mask], TEXT, "label") == [Mask(3, 11, label)]


def test_overlapping_masks_are_one_with_the_longest_ones_label() -> None:
    assert replaced([Mask(3, 7, "FIRST"), Mask(5, 15, "LAST")], TEXT, "label") == [Mask(3, 15, "[LAST]")]


def test_white_space_hides_nothing() -> None:
    assert released([Mask(2, 3, " the "), JOHN], "suppress") == "Mr  met Ann Lee; Doe paid Lee."
    assert released([Mask(2, 3, " the "), JOHN]) == "Mr the PERSON met Ann Lee; Doe paid Lee."


@pytest.mark.parametrize("written", ["John Doe", "JOHN  DOE", "the late John Doe", "john-doe"])
def test_a_replacement_that_repeats_what_it_masks_is_refused(written: str) -> None:
    with pytest.raises(
        InputError, match=r"anonymization: document d: masks\[1\]: its replacement repeats what it masks"
    ):
        released([ANN, Mask(3, 11, written)])
    assert "John" not in released([ANN, Mask(3, 11, written)], "label")


def test_what_is_written_for_joined_masks_is_what_counts() -> None:
    assert released([Mask(0, 11, "X"), Mask(8, 11, "Doe")]).startswith("X met")  # the longer one's stands
    with pytest.raises(InputError, match=r"masks\[1\]"):
        released([Mask(0, 11, "Doe"), Mask(8, 11, "X")])


def test_parts_and_other_words_may_stand() -> None:
    assert released([Mask(3, 11, "Doe")]).startswith("Mr Doe met")  # told by the metrics; the whole is gone
    assert released([Mask(8, 11, "Doering")]).startswith("Mr John Doering met")


def test_nothing_of_the_original_is_in_the_documents() -> None:
    marks = (Annotation("a", (Mention(3, 11, "PERSON", "DIRECT", "e"),)),)
    made = release(Corpus([Document("d", TEXT, marks, "patient-7")], "c"), Anonymization({"d": [JOHN]}), "label")
    assert made.documents == [Document("d", TEXT.replace("John Doe", "[PERSON]"), (), "patient-7")]


def test_what_cannot_be_released() -> None:
    two = Corpus([Document("d", TEXT), Document("e", "Doe")])
    with pytest.raises(InputError, match="document e: is in the corpus but not here"):
        release(two, Anonymization({"d": []}))
    assert [one.text for one in release(two, Anonymization({"d": [JOHN]}), "suppress", "unmasked")][1] == "Doe"
    with pytest.raises(InputError, match="document e: nothing is left of its text"):
        release(two, Anonymization({"d": [], "e": [Mask(0, 3)]}))
    with pytest.raises(InputError, match="past the end"):
        release(two, Anonymization({"d": [Mask(0, 99)], "e": []}))
    with pytest.raises(PlanError, match=r"^replace: found 'labels'; expected label, number, suppress"):
        release(two, Anonymization({}), "labels")  # type: ignore[arg-type]


def test_numbers_take_no_quadratic_time() -> None:
    count = 20_000  # each mask against each mention would take minutes
    text = "Ann Berg, " * count
    spans = [(10 * place, 10 * place + 8) for place in range(count)]
    marks = [Mention(start, end, "PERSON", "DIRECT", f"e{start % 3}") for start, end in spans]
    before = time.process_time()
    written = replaced([Mask(start, end, "PERSON") for start, end in spans], text, "number", marks)
    assert time.process_time() - before < 10
    assert [mask.replacement for mask in written[:4]] == ["[PERSON_1]", "[PERSON_2]", "[PERSON_3]", "[PERSON_1]"]


def test_what_was_written_anew_is_released_as_it_was_handed_in() -> None:
    masks, corpus = {"d": [Mask(0, 24, TEXT[:24]), Mask(24, 38, "He paid.")]}, Corpus([Document("d", TEXT)])
    assert release(corpus, Rewriting(masks)).documents[0].text == f"{TEXT[:24]}He paid."
    assert release(corpus, Rewriting(masks, written={"d": "He  paid."})).documents[0].text == "He  paid."
    assert "John" not in release(corpus, Rewriting(masks), "label").documents[0].text
