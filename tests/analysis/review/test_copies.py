"""What a second reader reads: nothing of what is hidden, and all else as it stands."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from showthrough import Annotation, Corpus, Document, Mention, PlanError, review_copies
from showthrough.studies.review.assignment import file_names, tells
from showthrough.studies.review.copies import build_masks, marked_copy, review_copy

TEXT = "Mr John Doe of Oslo has diabetes, said Doe.\r\nHe left Oslo."
DOE, OSLO = Mention(3, 11, "PERSON", "DIRECT", "e1"), Mention(15, 19, "LOC", "QUASI", "e2")
AGAIN, HEALTH = Mention(39, 42, "PERSON", "DIRECT", "e1"), Mention(24, 32, "MISC", "NO_MASK", "e3", "HEALTH")
MARKS = (DOE, OSLO, HEALTH, AGAIN)


def test_three_ways_to_hide() -> None:
    assert review_copy(TEXT, MARKS) == "Mr ***** of ***** has {HEALTH: diabetes}, said *****.\r\nHe left Oslo."
    assert review_copy(TEXT, MARKS, "label").startswith("Mr [PERSON] of [LOC] has {HEALTH: diabetes}, said [PERSON].")
    assert review_copy(TEXT, MARKS, "number").startswith(
        "Mr [PERSON_1] of [LOC_1] has {HEALTH: diabetes}, said [PERSON_1]"
    )


def test_stars_do_not_tell_how_long_a_name_is() -> None:
    assert review_copy("Al", (Mention(0, 2),)) == review_copy("Maximiliana", (Mention(0, 11),)) == "*****"


def test_what_is_not_to_be_masked_stays_in_clear() -> None:
    assert review_copy(TEXT, (Mention(15, 19, "LOC", "NO_MASK"),)) == TEXT
    assert review_copy(TEXT, (Mention(15, 19, "LOC", "NO_MASK", "", "NOT_CONFIDENTIAL"),)) == TEXT
    assert review_copy(TEXT, (Mention(15, 19, "LOC", "NO_MASK", "", "not confidential"),)) == TEXT


def test_what_is_confidential_and_masked_is_hidden_without_its_category() -> None:
    masked = Mention(24, 32, "MISC", "QUASI", "", "HEALTH")
    assert "HEALTH" not in review_copy(TEXT, (masked,))
    within = (Mention(20, 32, "MISC", "NO_MASK", "", "BELIEF"), masked)
    assert "{BELIEF: has *****}," in review_copy(TEXT, within)
    over = (Mention(20, 33, "MISC", "QUASI"), Mention(24, 32, "MISC", "NO_MASK", "", "HEALTH"))
    assert "HEALTH" not in review_copy(TEXT, over)


def test_overlapping_marks_are_one_stretch() -> None:
    assert review_copy("Mr John Doe left", (Mention(0, 7), Mention(3, 11), Mention(3, 7))) == "***** left"


def test_marks_shown() -> None:
    assert marked_copy("Mr Doe of Oslo", (Mention(0, 14, "A"), Mention(3, 6, "B", "DIRECT", "", "SEX"))) == (
        "[A/QUASI Mr [B/DIRECT/SEX Doe] of Oslo]"
    )
    # One that ends inside another says which it is: brackets alone would tell otherwise.
    assert marked_copy("one two three", (Mention(0, 7, "A"), Mention(4, 13, "B"))) == (
        "[A/QUASI one [B/QUASI two](A/QUASI) three]"
    )
    assert marked_copy("Doe", (Mention(0, 3, "a\nb|&_["),)) == "[a b|&_[/QUASI Doe]"
    assert marked_copy("Doe", (Mention(0, 3, ""),)) == "[no type/QUASI Doe]"


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@st.composite
def marked_documents(draw: st.DrawFn) -> Document:
    text = draw(texts)
    place = st.integers(0, len(text) - 1)
    marks = []
    for _ in range(draw(st.integers(0, 5))):
        start = draw(place)
        end = draw(st.integers(start + 1, len(text)))
        kind = draw(st.sampled_from(["PERSON", "", "a|b", "[x]", "名前", "שם"]))
        level = draw(st.sampled_from(["DIRECT", "QUASI", "NO_MASK"]))
        status = draw(st.sampled_from([None, "HEALTH", "NOT_CONFIDENTIAL"]))
        marks.append(Mention(start, end, kind, level, draw(st.sampled_from(["", "e1", "e2"])), status))
    return Document("d", text, (Annotation("a", tuple(marks)),))


@given(marked_documents(), st.sampled_from(["stars", "label", "number"]))
def test_all_that_is_not_hidden_is_as_it_was(document: Document, replace: str) -> None:
    """Read from its start: text, or what stands for something hidden, or a mark of what is confidential."""
    marks = document.annotations[0].mentions
    copy = review_copy(document.text, marks, replace)  # type: ignore[arg-type]
    position, pattern = 0, ""
    for mask in build_masks(document.text, marks, replace):  # type: ignore[arg-type]
        pattern += _clear(document.text[position : mask.start]) + re.escape(mask.replacement or "")
        position = mask.end
    assert re.fullmatch(pattern + _clear(document.text[position:]), copy)
    masked = {place for one in marks if one.identifier != "NO_MASK" for place in range(one.start, one.end)}
    left = {place for mask in build_masks(document.text, marks) for place in range(mask.start, mask.end)}
    assert {place for place in masked - left if not document.text[place].isspace()} == set()


def _clear(text: str) -> str:
    between = r"(?:\{HEALTH: |\}(?:\(HEALTH\))?)*"  # an end says its label where others go on
    return between + "".join(re.escape(one) + between for one in text)


@given(marked_documents())
def test_marks_in_brackets_leave_the_text_as_it_was(document: Document) -> None:
    marks = document.annotations[0].mentions
    position = 0
    copy = marked_copy(document.text, marks)
    for character in document.text:
        position = copy.index(character, position) + 1
    assert len(copy) >= len(document.text) + 2 * len(marks)


def test_file_names_are_safe_and_distinct() -> None:
    ids = ["a/b", "a_b", "A_B", "..", ".hidden", "x" * 200, "X" * 200, "名" * 200, "nul.txt", "a\nb", "é", "é", "", "‮x"]
    made = list(file_names(ids))
    assert len({name.casefold() for name in made}) == len(ids)
    assert all(re.fullmatch(r"[\w-][\w.-]*", name) and len(name.encode()) < 120 for name in made)
    assert made[8] == "_nul.txt"


def test_an_id_that_tells_has_a_number_for_a_name() -> None:
    assert tells("doe_v_norway", ["Norway"])
    assert tells("山田-1", ["山田"])
    assert not tells("of-1", ["of Oslo"])
    marks = Annotation("a", (Mention(0, 5, "PERSON", "DIRECT"),))
    corpus = Corpus([Document("a", "Hello", (marks,)), Document("v-smith", "Smith left", (marks,))])
    made = review_copies(corpus)
    assert list(made)[:2] == ["copies/a.txt", "copies/document-2.txt"]
    assert b"smith" not in b"".join(made.values()).lower()
    assert made.assignment.telling == {1}


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    corpus = Corpus([Document(str(number), "Oslo", (Annotation("a"),)) for number in range(50)])
    first, again, other = (review_copies(corpus, sample=10, seed=seed).assignment.numbers for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == 10
    assert list(first) == sorted(first)
    with pytest.raises(PlanError, match="sample: found 0"):
        review_copies(corpus, sample=0)


def test_whose_annotations() -> None:
    both = (Annotation("ann"), Annotation("bob"))
    corpus = Corpus([Document("1", "Oslo", both), Document("2", "Oslo", both[:1]), Document("3", "Oslo")])
    with pytest.raises(PlanError, match="found 2 annotators; choose one of ann, bob"):
        review_copies(corpus)
    with pytest.raises(PlanError, match="found 'anm'; did you mean ann"):
        review_copies(corpus, "anm")
    assert review_copies(corpus, "bob").assignment.without == 2
    with pytest.raises(PlanError, match="nobody has marked anything in corpus"):
        review_copies(Corpus([Document("1", "Oslo")]))
    with pytest.raises(PlanError, match="replace: found 'bars'; expected stars, label, number"):
        review_copies(corpus, "bob", replace="bars")  # type: ignore[arg-type]
