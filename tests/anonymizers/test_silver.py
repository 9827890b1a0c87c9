"""Silver annotations: which stretches programs mark, by union and by vote, with which types, and that it is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from showthrough import (
    Annotation,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    PlanError,
    TypedMask,
    annotate,
    evaluate,
)
from showthrough.core.call_syntax import parameter
from showthrough.report._sentences import caveats, sentence
from showthrough.systems import anonymize
from showthrough.systems.silver import silver_mentions

TEXT = "Dr Ona Rask of Oslo left on 3 May."
#       0  3   7    12 15   20   25 28


@dataclass(frozen=True)
class Program:
    """An anonymizer that finds what it was told."""

    name: str
    found: Sequence[Mask]
    version: int = 1

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        return [list(self.found) for _ in documents]


def spans(found: Sequence[Sequence[Mask]], vote: int = 1, text: str = TEXT) -> list[tuple[int, int, str]]:
    return [(one.start, one.end, one.entity_type) for one in silver_mentions(text, found, vote)]


TITLED, NAME, CITY, DAY = Mask(0, 11, "PERSON"), Mask(3, 11, "PERSON"), Mask(15, 19, "LOC"), Mask(28, 33, "DATE")


@pytest.mark.parametrize(
    ("vote", "expected"),
    [
        (1, [(0, 11, "PERSON"), (15, 19, "LOC"), (28, 33, "DATE")]),  # all that any of the three masks
        (2, [(3, 11, "PERSON"), (15, 19, "LOC")]),  # "Dr " has one vote, "Ona Rask" three, "Oslo" two, "3 May" one
        (3, [(3, 11, "PERSON")]),
    ],
)
def test_a_stretch_is_what_enough_programs_mask(vote: int, expected: list[tuple[int, int, str]]) -> None:
    assert spans([[TITLED, CITY], [NAME, CITY], [NAME, DAY]], vote) == expected


def test_masks_that_touch_stay_apart_unless_enough_lie_over_the_seam() -> None:
    cut, whole = [Mask(0, 3, "A"), Mask(3, 6, "B")], [Mask(0, 6, "C")]
    assert spans([cut], text="klmnop") == [(0, 3, "A"), (3, 6, "B")]
    # One of two lies over the seam: for a union that is enough, for two votes it is not. C weighs 6, A and B 3 each;
    # with two votes A and C weigh 3 each in the first half, and A is said first.
    assert spans([cut, whole], 1, "klmnop") == [(0, 6, "C")]
    assert spans([cut, whole], 2, "klmnop") == [(0, 3, "A"), (3, 6, "B")]
    assert spans([cut, whole, whole], 2, "klmnop") == [(0, 6, "C")]


def test_two_of_three_staggered_masks_join() -> None:
    # 0-3 has two votes (1st, 3rd), 3-5 three, 5-8 two; the seams at 3 and 5 have two each.
    assert spans([[Mask(0, 5, "A")], [Mask(3, 8, "A")], [Mask(0, 8, "A")]], 2, "abcdefgh") == [(0, 8, "A")]


def test_a_program_votes_once_however_often_it_masks() -> None:
    assert spans([[NAME, NAME, Mask(3, 7)], []], 2) == []


def test_white_space_at_the_ends_is_no_part_of_a_mention() -> None:
    assert spans([[Mask(2, 12, "PERSON")], [Mask(19, 20, "LOC")]]) == [(3, 11, "PERSON")]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([[Mask(0, 11, "NAME")], [Mask(3, 11, "PERSON")]], "NAME"),  # 11 characters against 8
        ([[Mask(3, 7, "NAME")], [Mask(0, 11, "PERSON")]], "PERSON"),  # 4 against 11
        ([[Mask(3, 11, "NAME")], [Mask(3, 11, "PERSON")]], "NAME"),  # 8 each: the first program decides
        ([[NAME], [Mask(3, 11, "NAME")], [Mask(3, 11, "NAME")]], "NAME"),  # 8 against 16
        ([[TypedMask(3, 11, "[X]", "DATE_TIME")], [TypedMask(3, 11, None, "date-time")]], "DATE_TIME"),  # one type
        ([[Mask(3, 11)], [Mask(3, 7, "PERSON")]], "PERSON"),  # who says nothing of the type has no say in it
        ([[Mask(3, 11, "Ida Berg")]], ""),  # a surrogate is no type
        ([[Mask(3, 11, "***")]], ""),
    ],
)
def test_the_type_is_what_most_characters_are_taken_for(found: list[list[Mask]], expected: str) -> None:
    assert spans(found)[0][2] == expected


def test_the_same_text_of_the_same_type_is_one_entity() -> None:
    text = "Rask met Oslo\nMayor in Oslo Mayor; Rask"
    found = [[Mask(0, 4, "PERSON"), Mask(9, 19, "LOC"), Mask(23, 33, "LOC"), Mask(35, 39, "ORG")]]
    made = silver_mentions(text, found)
    assert [one.entity_id for one in made] == ["e1", "e2", "e2", "e3"]  # "Rask" the second time is an organization
    assert [one.identifier for one in made] == ["DIRECT", "QUASI", "QUASI", "QUASI"]
    assert not any(one.stated for one in made)


GOLD = Annotation("ann", (Mention(3, 11, "PERSON", "DIRECT"),))
CORPUS = Corpus([Document("d", TEXT, (GOLD,), "g")], name="c")


def test_the_layer_says_who_made_it_and_others_go_unless_they_are_kept() -> None:
    programs = [Program("one", [NAME]), Program("two", [CITY], version=3)]
    [made] = annotate(CORPUS, programs)
    assert [layer.annotator for layer in made.annotations] == ["silver(one.v1+two.v3)"]
    assert (made.id, made.text, made.group) == ("d", TEXT, "g")
    [made] = annotate(CORPUS, programs, vote=2, keep=True)
    assert made.annotations == (GOLD, Annotation("silver(2 of one.v1+two.v3)"))
    again = annotate(Corpus([made]), programs, vote=2, keep=True)  # its own layer is made anew, not twice
    assert [layer.annotator for layer in again.documents[0].annotations] == ["ann", "silver(2 of one.v1+two.v3)"]


@pytest.mark.parametrize(
    ("programs", "vote", "fault"),
    [
        ([], 1, "anonymizers: none was given"),
        (["rules"], 2, "vote: found 2; expected a whole number from 1 to 1"),
        (["rules"], 0, "vote: found 0"),
        (["rules"], True, "vote: found True"),
        (["rules", "rules"], 1, "anonymizer rules.v1: is named twice"),
        (["nobody"], 1, "unknown anonymizer 'nobody'"),
    ],
)
def test_what_cannot_be(programs: list[str], vote: int, fault: str) -> None:
    with pytest.raises(PlanError, match="^" + fault.replace("(", r"\(")):
        annotate(CORPUS, programs, vote)


def test_masks_that_cannot_be_are_told_of_all_programs() -> None:
    with pytest.raises(InputError) as caught:
        annotate(CORPUS, [Program("one", [Mask(5, 99)]), Program("two", [Mask(5, 5)])])
    assert [problem.place for problem in caught.value.problems] == [
        "anonymizer one: document d: masks[0]",
        "anonymizer two: document d: masks[0]",
    ]


def test_every_signature_and_a_note_say_that_it_is_silver() -> None:
    one = Program("one", [NAME])
    silver = annotate(CORPUS, [one, Program("two", [CITY])])
    metrics = ["recall", "precision", "er_di", 'tpi(ic="uniform", chunking="none")']
    run = evaluate(silver, [anonymize(CORPUS, one)], metrics=metrics)
    assert run.corpus.silver == "silver(one.v1+two.v1)"
    assert all("|gold:silver(one.v1+two.v1)|" in score.signature for score in run.scores)
    assert run.notes[0] == (
        "the annotations were made by programs (one.v1, two.v1): scores show agreement with them, not what "
        "identifies people. one is one of them, or of their family, and is scored against itself"
    )
    said = " ".join(map(str, sentence(run, "one")))
    assert "that programs marked" in said
    assert "annotators" not in " ".join([said, *caveats(run)])
    # Of "Ona", "Rask" and "Oslo" the first two are hidden.
    assert run["one", "recall"].value == pytest.approx(2 / 3)


def test_of_people_and_programs_both_are_told() -> None:
    mixed = annotate(CORPUS, [Program("one", [NAME])], keep=True)
    run = evaluate(mixed, [anonymize(CORPUS, Program("other", [NAME]))], metrics=["recall"])
    assert "|gold:silver(one.v1) and others|" in run["other", "recall"].signature
    assert run.notes[0].startswith("1 of 2 annotation layers were made by programs (one.v1)")
    assert run.notes[0].endswith("A system under test that is one of them is scored against itself")


def test_of_people_alone_nothing_is_said() -> None:
    run = evaluate(CORPUS, [anonymize(CORPUS, Program("one", [NAME]))], metrics=["recall"])
    assert "gold:" not in run["one", "recall"].signature
    assert not any("programs" in note for note in run.notes)


def test_a_label_that_stands_in_the_text_is_a_type_where_it_is_a_known_one() -> None:
    made = annotate(Corpus([Document("d", "He was less than eighteen years of age.")]), ["rules"])
    assert [mention.entity_type for mention in made.documents[0].annotations[0].mentions] == ["AGE"]


def test_the_model_that_a_program_was_told_is_named() -> None:
    """Of two models the marks differ, and so must the signatures."""

    @dataclass(frozen=True)
    class Told:
        name: ClassVar[str] = "told"
        version: ClassVar[int] = 3
        model: str = parameter("a/b+c", "a folder")

        def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
            return [[Mask(0, 1, "X")] for _ in documents]

    made = annotate(Corpus([Document("a", "abc")]), [Told()])
    assert made.documents[0].annotations[0].annotator == "silver(told.v3 b c)"
