"""Towards the average: each rule by hand, and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from showthrough.core.errors import PlanError
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import apply_masks
from showthrough.systems import anonymize, anonymizer
from showthrough.systems.obfuscators import average
from showthrough.systems.obfuscators._tokens import masks_of, sentences_of, tokens_of
from showthrough.systems.obfuscators.average import Average, Style, _find_ways


class Words:
    """A thesaurus of two words."""

    def synonyms(self, word: str) -> tuple[str, ...]:
        return {"residence": ("house",), "house": ("home",)}.get(word, ())

    def ready(self) -> None:
        """It is."""


def moved(text: str, *others: str) -> str:
    """A text moved towards the style of others."""
    words: average.Thesaurus = Words()  # type: ignore[assignment]
    return apply_masks(text, average._obfuscate(text, Style.of(others), words))


def test_what_is_measured_by_hand() -> None:
    style = Style.of(["Ann left! She WENT away; we don't know.", "It is very late."])
    # 8 and 4 words in 2 and 1 sentences
    assert style.sentence == 4.0
    assert style.signs["!"] == style.signs[";"] == style.capitals == style.strengthening == 1 / 12
    assert dict(style.ways) == {("don't",): 1, ("it", "is"): 1}


def test_ways_to_say_the_same_are_as_frequent_as_on_average() -> None:
    """Of three, one in four is `don't` in the others: 0.75 of a time, and `do not` 2.25 times."""
    others = "I do not. You do not. We do not. They don't."
    assert moved("I don't. You don't. We don't.", others) == "I do not. You do not. We don't."
    assert moved("Although it rained, we left.", "Though it rained, we left. Though it snowed, we left.") == (
        "Though it rained, we left."
    )
    assert moved("I DON'T.", "I don't.") == "I DON'T."


def test_what_was_not_said_by_others_stays() -> None:
    assert moved("Perhaps. I do not.", "He came. I left.") == "Perhaps. I do not."


def test_has_is_not_is() -> None:
    assert [way for way, _ in _find_ways(tokens_of("It's been late, and it's late."))] == [("it's",)]


def test_long_sentences_are_split_where_a_clause_begins() -> None:
    others = "Ann came home late. She ate some bread. It was not good."  # 4 words a sentence
    text = "The old man came home late, and he ate some of the bread."
    assert moved(text, others) == "The old man came home late. He ate some of the bread."
    assert moved("He came home late, and ate bread and good cheese.", others).count(".") == 1  # no clause: no subject


def test_short_sentences_are_joined_where_words_of_grammar_follow() -> None:
    others = "The old man came home late and then he ate some of the bread."
    assert moved("Ann left. She ran. Bob came.", others).startswith("Ann left and she ran. Bob came")
    assert moved("Ann left. Bob came.", others) == "Ann left. Bob came."  # a name keeps its capital, and its sentence


def test_signs_that_are_too_many_become_others() -> None:
    assert moved("Stop! Go! Wait!", "Stop. Go. Wait. Stop! Go. Wait.").count("!") in (0, 1)
    assert moved("Yes: we left.", "Yes, we left.") == "Yes, we left."
    assert moved("At 12:30 we left 1,000 people.", "At noon we left.") == "At 12:30 we left 1,000 people."
    assert moved("We left and they came.", "We left, and they came.") == "We left, and they came."


def test_a_dash_that_goes_leaves_two_words() -> None:
    """Nobody else has a dash or a comma; without spaces around it, the dash keeps its two words apart."""
    assert moved("She saw the house—old and grey.", "It is old.") == "She saw the house, old and grey."
    assert moved("He was late--too late.", "It is old.") == "He was late, too late."
    assert moved("It was grey... (and old).", "It is old. (so) (so) (so) (so)").count(".,") == 0


def test_capitals_and_strengthening_words() -> None:
    assert moved("This was NEVER very good.", "This was never good.") == "This was never good."
    assert moved("The NATO came.", "The people came.") == "The NATO came."
    assert moved("STOP, we said, stop.", "Go, we said, go.") == "stop, we said, stop."


def test_vocabulary_moves_both_ways() -> None:
    plain = " ".join(f"w{number % 50}" for number in range(100))  # 50 different words among a hundred
    many = " ".join(f"w{number}" for number in range(99)) + " residence"  # 100
    few = " ".join(["house"] * 100)  # 1
    assert moved(many, plain).split()[-1] == "house"  # the more frequent of both
    assert moved(few, plain).split() == ["house", "home"] * 49 + ["house"] * 2  # 49 are lacking


def test_masks_are_where_something_changed() -> None:
    tokens = tokens_of("So, we left.")
    assert masks_of(tokens) == []
    text = "Mr. Lee left.\nWhy did\nhe go? J. Doe knows"
    tokens = tokens_of(text)
    found = ["".join(one.text for one in tokens[low:high]).strip() for low, high in sentences_of(tokens)]
    assert found == ["Mr. Lee left.", "Why did\nhe go?", "J. Doe knows"]


def test_as_a_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(average, "thesaurus", Words)
    file = tmp_path / "others.json"
    file.write_text(json.dumps([{"doc_id": "a", "text": "I do not know. You do not know."}]))
    system = anonymizer(f"average:{file}")
    assert system.name == f"average:{file}"
    one, two = Document("1", "I don't know."), Document("2", "You can't.")
    alone, both = system.masks([one]), system.masks([one, two])
    assert both[0] == alone[0]
    assert apply_masks(one.text, alone[0]) == "I do not know."
    made = anonymize(Corpus([one]), Average(str(file)))  # labels have no type here, so what is written stays
    assert made.texts(Corpus([one])) == {"1": "I do not know."}


def test_without_a_corpus_nothing_is_average() -> None:
    with pytest.raises(PlanError, match=r"does not know what is average; expected a corpus .*average:corpus\.json"):
        Average().prepare()
