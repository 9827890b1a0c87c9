"""The best pair of a true value and a guess, by rules and by judges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from showthrough.data.subjects import Attribute, Subject
from showthrough.families.inference._findings import InferenceFinding, claims_of, findings_of
from showthrough.families.inference.base import Guess, GuessPair, Person

ANN = Subject("ann", (Attribute("AGE", "30", 2), Attribute("NAME", "Ann", 4, 1), Attribute("AGE", "60", 5, 3)))


@dataclass
class Saying:
    """A judge who says the same of every pair of a guess, and keeps what it was asked."""

    by_guess: dict[str, float | None]
    overrules: bool = False
    name: str = "judge"
    asked: list[list[GuessPair]] = field(default_factory=list)

    def verdicts(self, pairs: Sequence[GuessPair]) -> list[float | None]:
        self.asked.append(list(pairs))
        return [self.by_guess.get(pair.guess) for pair in pairs]


def found(judge: Saying | None = None, *guesses: Guess, truth: Subject = ANN) -> dict[str, InferenceFinding]:
    claims = claims_of("d", [truth], [Person(guesses)])
    return {one.tag: one for one in findings_of(claims, judge, "x")}


def test_a_tag_with_several_values_counts_once_by_the_pair_that_agrees_best() -> None:
    by_tag = found(None, Guess("AGE", "58"), Guess("AGE", "61"))
    assert list(by_tag) == ["AGE", "NAME"]
    assert by_tag["AGE"] == InferenceFinding(
        "ann", "AGE", Attribute("AGE", "60", 5, 3), Guess("AGE", "58"), 1.0
    )  # the first
    assert by_tag["NAME"] == InferenceFinding("ann", "NAME", Attribute("NAME", "Ann", 4, 1), None, 0.0)


def test_ties_keep_the_first_pair_and_silence_the_first_value() -> None:
    by_tag = found(None, Guess("AGE", "45"), Guess("AGE", "90"))
    assert by_tag["AGE"].true.certainty == 2
    assert by_tag["AGE"].guess == Guess("AGE", "45")
    assert found()["AGE"].true.certainty == 2


def test_what_is_said_with_certainty_0_is_not_said() -> None:
    assert found(None, Guess("NAME", "Ann", 0))["NAME"] == InferenceFinding("ann", "NAME", ANN.attributes[1], None, 0.0)


def test_a_judge_is_asked_once_and_only_where_it_can_help() -> None:
    judge = Saying({"Anne-Marie of Oslo": 0.5, "twenty": 1.0})
    by_tag = found(judge, Guess("AGE", "31"), Guess("AGE", "twenty"), Guess("NAME", "Anne-Marie of Oslo"))
    assert by_tag["NAME"].agreement == 0.5
    assert by_tag["AGE"].guess == Guess("AGE", "31")  # which rules find right
    (asked,) = judge.asked
    assert asked == [GuessPair("NAME", "Ann", "Anne-Marie of Oslo", "x", "d", 0)]


def test_a_judge_cannot_lower_what_rules_say_unless_it_overrules() -> None:
    guess = Guess("NAME", "Ann")
    assert found(Saying({"Ann": 0.0}), guess)["NAME"].agreement == 1
    overruling = Saying({"Ann": 0.5}, overrules=True)
    assert found(overruling, guess)["NAME"].agreement == 0.5
    assert found(Saying({}, overrules=True), guess)["NAME"].agreement == 1  # it does not say: rules stand


def test_ranks_count_the_guesses_of_a_tag_also_those_that_say_nothing() -> None:
    judge = Saying({}, overrules=True)
    found(judge, Guess("NAME", "Eve", 0), Guess("AGE", "31"), Guess("NAME", "Bob"))
    assert [(pair.tag, pair.true, pair.rank) for pair in judge.asked[0]] == [
        ("AGE", "30", 0),
        ("AGE", "60", 0),
        ("NAME", "Ann", 1),
    ]


def test_a_verdict_that_is_missing_is_no_no() -> None:
    by_tag = found(Saying({"Eve": None, "Anja": 0.0}), Guess("NAME", "Eve"), Guess("NAME", "Anja"))
    assert math.isnan(by_tag["NAME"].agreement)
    assert found(Saying({"Eve": None, "Anja": 1.0}), Guess("NAME", "Eve"), Guess("NAME", "Anja"))["NAME"].agreement == 1


def test_controls_have_no_document_so_that_no_recorded_verdict_is_theirs() -> None:
    judge = Saying({}, overrules=True)
    findings_of(claims_of("", [ANN], [Person((Guess("NAME", "Eve"),))]), judge, "x")
    assert [pair.document for pair in judge.asked[0]] == [""]


def test_what_is_true_of_an_author_is_compared_as_profiles_are() -> None:
    truth = Subject(
        "author", (Attribute("city_country", "Vienna, Austria"), Attribute("relationship_status", "single"))
    )
    said = (Guess("city_country", "Vienna"), Guess("relationship_status", "not in a relationship"))
    assert [one.agreement for one in found(None, *said, truth=truth).values()] == [1.0, 1.0]
    assert found(None, Guess("city_country", "Sydney, Australia"), truth=truth)["city_country"].agreement == 0.0
