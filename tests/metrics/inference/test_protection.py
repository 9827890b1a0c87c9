"""cpr and ipr: counted by hand on people whom an attacker sees or does not see."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, PlanError, Run, evaluate, parse_metric
from showthrough.data.subjects import Attribute, Subject
from showthrough.families.inference import _people
from showthrough.families.inference.base import Answer, AttackCase, Guess, Person
from showthrough.metrics import METRICS

Attacked = Callable[[Callable[[AttackCase], Answer | None]], object]


def subject(key: str, **values: str) -> Subject:
    return Subject(key, tuple(Attribute(tag, value, 5, 1) for tag, value in values.items()))


ANN = Subject(
    "ann", (Attribute("NAME", "Ann Lee", 5, 1), Attribute("AGE", "30", 4, 2), Attribute("SEX", "female", 2, 3))
)
BOB = subject("bob", NAME="Bob Berg", LOCATION="Oslo / Norway")
EVE = subject("eve", NAME="Eve")
CORPUS = Corpus(
    [
        Document("d1", "Ann Lee, 30, met Bob Berg of Oslo, Norway.", subjects=(ANN, BOB)),
        Document("d2", "Eve left.", subjects=(EVE,)),
        Document("d3", "Nobody."),
    ],
    source="c.jsonl",
)
NOTHING = {"x": Anonymization({key: [] for key in CORPUS.ids})}
SAID = {
    "d1": (
        Person((Guess("NAME", "Bob Berg"), Guess("LOCATION", "Norway", span=(35, 41)), Guess("SEX", "male"))),
        Person((Guess("NAME", "Ann Lee", span=(0, 7)), Guess("AGE", "50"), Guess("SEX", "female"))),
    ),
    "d2": (),
}


def by_document(case: AttackCase) -> Answer | None:
    return SAID.get(case.document, ())


def scored(metrics: list[str], corpus: Corpus = CORPUS, **given: object) -> Run:
    masks = given.pop("masks", {"x": Anonymization({key: [] for key in corpus.ids})})
    return evaluate(corpus, masks, metrics, **{"resamples": 50, **given})  # type: ignore[arg-type]


def values(run: Run, metric: str, name: str = "x") -> dict[str, float | None]:
    return {part: score.value for part, score in run.parts(name, metric).items()}


def test_both_rates_by_hand(attacked: Attacked) -> None:
    attacked(by_document)
    run = scored(["cpr", "ipr"])
    # Ann: name 1, age 0 (her sex is not certain enough); Bob: name 1, place 0.5; Eve: name 0. 2.5 of 5.
    assert run["x", "cpr"].value == 1 - 2.5 / 5
    # 1/2, 1.5/2 and 0/1 of each: 1 − 1.25/3.
    assert run["x", "ipr"].value == pytest.approx(1 - 1.25 / 3)
    parts = values(run, "cpr")
    assert parts["tag:NAME"] == 1 - 2 / 3
    assert parts["tag:LOCATION"] == 0.5
    assert parts["tag:AGE"] == 1
    assert parts["certainty:5"] == 1 - 2.5 / 4
    assert parts["certainty:4"] == 1
    assert parts["hardness:1"] == 1 - 2.5 / 4
    assert "tag:SEX" not in parts
    assert "certainty:2" not in parts
    assert parts["success"] == 0.5
    assert values(run, "ipr")["bare"] == 0
    assert values(run, "ipr")["certainty:5"] == pytest.approx(1 - (1 + 0.75 + 0) / 3)


def test_certainty_decides_what_counts(attacked: Attacked) -> None:
    attacked(by_document)
    run = scored(["cpr(certainty=1)", "ipr(certainty=5)"])
    assert run["x", "cpr(certainty=1)"].value == 1 - 3.5 / 6  # her sex too
    assert run["x", "ipr(certainty=5)"].value == pytest.approx(1 - (1 + 0.75 + 0) / 3)  # of Ann her name alone
    assert run["x", "ipr(certainty=5)", "bare"].value == pytest.approx(1 / 3)


def test_what_has_no_answer_is_missing_and_never_protected(attacked: Attacked) -> None:
    attacked(lambda case: None if case.document == "d2" else by_document(case))
    run = scored(["cpr", "ipr"])
    assert run["x", "cpr"].value == 1 - 2.5 / 4
    assert run["x", "ipr"].value == 1 - 1.25 / 2
    assert "x: 1 of 2 documents about people have no answer of reader: these count nowhere in cpr" in run.notes
    attacked(lambda case: None)
    silent = scored(["cpr"])
    assert silent["x", "cpr"].value is None
    assert silent["x", "cpr"].reason == "no attribute that counts has an answer"
    assert "nothing masked" not in {score.anonymization for score in silent.scores}


def test_controls_are_the_same_attack_where_nothing_can_be_known(attacked: Attacked) -> None:
    def says(case: AttackCase) -> Answer:
        if not case.text:
            return (Person((Guess("NAME", "Eve"),)),)  # whom this attacker always guesses
        return by_document(case)

    attacker = attacked(says)
    run = scored(["cpr", "ipr"])
    parts = values(run, "cpr")
    assert parts["control:empty"] == 1 / 5  # right of Eve; d1's two names are others
    assert parts["risk:empty"] == pytest.approx((0.5 - 0.2) / 0.8)
    # d2's people in d1's answer: nobody is Eve. d1's in d2's: nothing was said.
    assert parts["control:other"] == 0
    assert parts["risk:other"] == 0.5
    assert values(run, "ipr")["control:empty"] == pytest.approx(1 / 3)
    asked = attacker.asked  # type: ignore[attr-defined]
    assert {case.document for case in asked if not case.text and case.anonymization == "x"} == {""}
    assert len(asked) == 2 * 3 * 3  # two documents, three texts each, two references: and both metrics share them


def test_recorded_matches_do_not_hold_for_another_document(attacked: Attacked) -> None:
    one = Corpus([Document(key, key, subjects=(subject("0", NAME=f"Name {key * 9}"),)) for key in "ab"])
    said = {key: (Person((Guess("NAME", f"Name {key * 9}"),), "1", "0"),) for key in "ab"}
    attacked(lambda case: said.get(case.document))
    parts = values(scored(["cpr"], one), "cpr")
    assert parts == {
        "": 0,
        "tag:NAME": 0,
        "certainty:5": 0,
        "hardness:1": 0,
        "success": 1,
        "control:other": 0,
        "risk:other": 1,
    }


def planted(leaks: float, guesses: float, documents: int = 60) -> tuple[Corpus, Callable[[AttackCase], Answer]]:
    """Documents with one to four attributes; the attacker finds a share of them, and guesses one without the text."""
    random = np.random.default_rng(3)
    found, known = [], {}
    for number in range(documents):
        own = {f"T{at}": f"{at}{number:03}" * 3 for at in range(random.integers(1, 5))}
        found.append(Document(f"d{number}", f"text {number}", subjects=(subject("s", **own),)))
        known[number] = {tag: (random.random() < leaks, random.random() < guesses) for tag in own}

    def says(case: AttackCase) -> Answer:
        (who,) = case.truth
        number = int(who.attributes[0].value[1:4])
        own = case.text == f"text {number}"
        right = [one for one in who.attributes if known[number][one.tag][0 if own else 1]]
        return (Person(tuple(Guess(one.tag, one.value) for one in right)),)

    return Corpus(found), says


def test_a_control_as_good_as_the_attack_is_said_aloud(attacked: Attacked) -> None:
    corpus, says = planted(leaks=0.4, guesses=0.4)
    attacked(says)
    run = scored(["cpr", "ipr"], corpus)
    for metric in ("cpr", "ipr"):
        for control in ("empty", "other"):
            score = run["x", metric, f"risk:{control}"]
            assert score.low == 0
            assert score.value is not None
            assert score.high is not None
            assert score.value <= score.high < 0.4
        aloud = [note for note in run.notes if f"x, {metric}: " in note and "need not come from the text" in note]
        assert len(aloud) == 2


def test_a_corpus_that_leaks_everything_has_risk_1_and_nothing_is_said_of_controls(attacked: Attacked) -> None:
    corpus, says = planted(leaks=1, guesses=0)
    attacked(says)
    run = scored(["cpr", "ipr"], corpus)
    for metric in ("cpr", "ipr"):
        assert run["x", metric].value == 0
        score = run["x", metric, "risk:other"]
        assert (score.value, score.high) == (1, 1)
        assert score.low is not None
        assert score.low > 0.8
    assert not [note for note in run.notes if "control" in note]
    assert values(run, "ipr")["bare"] == 1


def test_the_interval_of_a_risk_holds_its_value_and_is_of_groups_where_there_are(attacked: Attacked) -> None:
    corpus, says = planted(leaks=0.6, guesses=0.2)
    attacked(says)
    grouped = Corpus(
        [Document(one.id, one.text, group=f"g{at % 6}", subjects=one.subjects) for at, one in enumerate(corpus)]
    )
    alone, together = (scored(["cpr"], each)["x", "cpr", "risk:empty"] for each in (corpus, grouped))
    assert alone.value == together.value
    assert alone.ends
    assert together.ends
    assert alone.ends[1] <= alone.ends[0] <= alone.ends[2]
    assert together.ends[2] - together.ends[1] > alone.ends[2] - alone.ends[1]  # six groups are fewer trials


def test_a_control_that_knows_everything_leaves_nothing_to_tell(attacked: Attacked) -> None:
    corpus, says = planted(leaks=1, guesses=1)
    attacked(says)
    score = scored(["cpr"], corpus)["x", "cpr", "risk:empty"]
    assert score.value is None
    assert score.reason == "everything is inferred without any text: nothing is left that these texts could tell"


def test_that_the_reader_is_a_floor_is_said_once(attacked: Attacked) -> None:
    attacked(by_document)
    notes = [note for note in scored(["cpr", "ipr"]).notes if "simply be read off" in note]
    assert len(notes) == 1
    assert "less is protected than these numbers say" in notes[0]
    assert METRICS["cpr"].title == "Attributes of people not read off"
    assert parse_metric('cpr(attacker="llm:m")').title == "Attributes of people not inferred"


def test_what_was_inferred_is_evidence_with_its_place(attacked: Attacked, tmp_path: Path) -> None:
    thirty = [Mask(9, 11, "thirty")]  # for "30": four characters longer from there on
    masks = {"x": Anonymization({"d1": thirty, "d2": [], "d3": []})}
    said = SAID["d1"][0]
    moved = (Person((*said.guesses[:1], Guess("LOCATION", "Norway", span=(39, 45)), *said.guesses[2:])), SAID["d1"][1])
    attacked(lambda case: moved if case.document == "d1" else ())
    run = scored(["cpr"], masks=masks)
    seen = {(one.subject, one.tag): one for one in run.evidence["cpr"]["x"]["d1"].inferred}
    assert set(seen) == {("ann", "NAME"), ("bob", "NAME"), ("bob", "LOCATION")}
    place = seen["bob", "LOCATION"]
    assert (place.true, place.guess, place.agreement, place.certainty) == ("Oslo / Norway", "Norway", 0.5, 5)
    assert (place.start, place.end, place.original) == (39, 45, (35, 41))
    assert CORPUS.documents[0].text[35:41] == "Norway"
    assert (seen["bob", "NAME"].start, seen["bob", "NAME"].original) == (None, None)
    assert "d2" not in run.evidence["cpr"]["x"]
    run.without_text().save(tmp_path / "bare.json")
    bare = (tmp_path / "bare.json").read_text(encoding="utf-8")
    assert all(word not in bare for word in ("Norway", "Ann Lee", "Berg"))


def test_a_place_that_cannot_be_is_no_place(attacked: Attacked) -> None:
    far = Guess("NAME", "Eve", span=(5, 500))
    attacked(lambda case: (Person((far,)),) if case.document == "d2" else ())
    (one,) = scored(["cpr"]).evidence["cpr"]["x"]["d2"].inferred
    assert (one.start, one.end, one.original) == (None, None, None)


def test_long_lists_are_cut_and_the_most_certain_come_first(attacked: Attacked) -> None:
    own = tuple(Attribute(f"T{at}", str(at) * 4, 3 + at % 3) for at in range(_people.MOST_INFERRED + 10))
    attacked(lambda case: (Person(tuple(Guess(one.tag, one.value) for one in own)),) if case.text else ())
    run = scored(["cpr"], Corpus([Document("d", "d", subjects=(Subject("s", own),))]))
    seen = [one.certainty for one in run.evidence["cpr"]["x"]["d"].inferred]
    assert len(seen) == _people.MOST_INFERRED
    assert seen == sorted(seen, reverse=True)


def test_a_judge_s_silence_leaves_the_denominator(attacked: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent:
        name, overrules = "llm:j", False

        def __init__(self) -> None:
            self.batches: list[int] = []

        def verdicts(self, pairs: list[object]) -> list[None]:
            self.batches.append(len(pairs))
            return [None] * len(pairs)

    judge = Silent()
    attacked(by_document)
    monkeypatch.setattr(_people, "judge_of", lambda name, resources: judge)
    run = scored(["cpr", "ipr"], references=False)
    # Ann's age and Bob's place (0.5 by rules) might be right: what is left are three names, two of them inferred.
    assert run["x", "cpr"].value == pytest.approx(1 - 2 / 3)
    assert "x: 2 attributes count nowhere in cpr: rules did not say whether their guesses are right" in run.notes
    assert len(judge.batches) == 1  # all of an anonymization at once, for both metrics


def test_two_systems_are_tested_against_each_other(attacked: Attacked) -> None:
    corpus, says = planted(leaks=0.9, guesses=0.1)
    attacked(lambda case: () if case.anonymization == "good" and case.text else says(case))
    masks = {name: Anonymization({key: [] for key in corpus.ids}) for name in ("bad", "good")}
    run = scored(["cpr"], corpus, masks=masks)
    (difference,) = [one for one in run.compare(shuffles=199) if not one.part]
    assert difference.p is not None
    assert difference.p < 0.05
    assert not any(math.isnan(score.value) for score in run.scores if score.value is not None)


def test_the_order_of_documents_does_not_matter(attacked: Attacked) -> None:
    corpus, says = planted(leaks=0.5, guesses=0.2, documents=15)
    attacked(says)
    turned = Corpus(list(corpus)[::-1], corpus.name)
    one, two = (values(scored(["cpr", "ipr"], each), "cpr") for each in (corpus, turned))
    assert one == pytest.approx(two)


def test_a_corpus_without_people_is_told_in_one_line() -> None:
    bare = Corpus([Document("a", "text")], source="c.jsonl")
    with pytest.raises(InputError) as told:
        scored(["cpr"], bare)
    assert str(told.value) == (
        "c.jsonl: no document says whom it is about, which the metric cpr needs; "
        "expected people: the formats spia and profiles have them, and tab where mentions say their subject"
    )


def test_recorded_verdicts_cannot_tell_people_apart() -> None:
    metric = parse_metric('ipr(judge="answers:v.jsonl")')
    two = Corpus([Document("a", "text", subjects=(ANN, BOB))])
    (problem,) = metric.problems(two, NOTHING["x"])
    assert str(problem).startswith("metric ipr: recorded verdicts do not say which person of a document they are about")
    assert not metric.problems(Corpus([Document("a", "text", subjects=(ANN,))]), NOTHING["x"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('cpr(attacker="nobody")', "attacker: found 'nobody'; expected reader"),
        ('ipr(judge="llm:")', "judge: found 'llm:'; expected rules"),
        ("cpr(certainty=0)", "certainty=0 is out of range; expected 1 to 5"),
        ("cpr(seed=-1)", "seed=-1 is negative"),
    ],
)
def test_parameters_that_cannot_be(text: str, why: str) -> None:
    with pytest.raises(PlanError, match=why):
        parse_metric(text)
