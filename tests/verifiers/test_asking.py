"""How verifiers are asked for, and what is made of what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough import VERIFIERS, Corpus, InputError, PlanError, ResourceError, train_verifier
from showthrough.families.authorship.verifiers.answering import answer_questions, answers_to
from showthrough.families.authorship.verifiers.base import Question
from showthrough.families.authorship.verifiers.trained import TrainedVerifier, parse_verifiers
from showthrough.models.cache import Cache

from .conftest import problems, questions_of

QUESTIONS = [Question((f"known {number}",), f"text {number}") for number in range(100)]


class Plugin:
    """Somebody else's verifier, which returns what it is told to."""

    name = "plugin"
    version = 3

    def __init__(self, returned: Any = None, digest: str = "") -> None:
        self.returned = returned
        self.asked: list[Question] = []
        if digest:
            self.digest = digest

    def answers(self, questions: Sequence[Question]) -> Any:
        self.asked += questions
        if isinstance(self.returned, Exception):
            raise self.returned
        if self.returned is not None:
            return self.returned
        return [len(one.text) / 10 for one in questions]


Plugin.__module__ = "somebody.elses"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus) -> Path:
    place = tmp_path_factory.mktemp("verifiers") / "glad"
    train_verifier(corpus, folds=2).save(place)
    return place


def test_folders(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    found = parse_verifiers(["glad/", "mine=glad", f"third={folder}/"])
    assert [one.name for one in found] == ["glad", "mine", "third"]
    assert all(isinstance(one, TrainedVerifier) for one in found)
    assert parse_verifiers([]) == ()


def test_guests(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Plugin()
    monkeypatch.setattr(VERIFIERS, "_registered", {})
    VERIFIERS.register("ours", made)
    assert parse_verifiers(["ours"]) == (made,)
    with pytest.raises(InputError, match="is no folder; did you mean ours"):
        parse_verifiers(["ourz"])
    with pytest.raises(PlanError, match="expected a value of Verifier"):
        VERIFIERS.register("none", 3)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("none/", "none: is no folder; expected one that showthrough train verifier made"),
        (f"{Path(__file__).parent}/", "has no model.json; expected a folder that showthrough train verifier made"),
        ("none", "verifier none: is no folder; expected a folder that showthrough train verifier made"),
        ("a=none", "none: is no folder"),
        ("", "expected FOLDER or NAME=FOLDER, neither of them empty"),
        ("=glad", "expected FOLDER or NAME=FOLDER, neither of them empty"),
        ("a=", "expected FOLDER or NAME=FOLDER, neither of them empty"),
    ],
)
def test_what_there_is_not(written: str, line: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_verifiers([written])
    assert line in str(caught.value)


def test_all_that_is_wrong_is_told(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        parse_verifiers([str(folder), "none/", str(folder), ""])
    assert [str(one) for one in caught.value.problems][1] == "verifier glad: " + (
        "this name is used twice; expected unique names, as in second=FOLDER"
    )
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    ("returned", "line"),
    [
        ([0.5] * 3, "answered 32 questions with 3 numbers; expected one number from 0 to 1 for each"),
        ([2.0] * 32, "answered 2.0; expected a number from 0 to 1"),
        ([float("nan")] * 32, "answered nan; expected a number from 0 to 1"),
        ("yes", "answered 32 questions with a value of type str"),
        ([[0.5]] * 32, "with something else"),
        (0.5, "with something else"),
        ([0.5, "x"] * 16, "with a value of type list"),
        (KeyError("the secret text"), "verifier plugin raised KeyError (test_asking.py, line"),
    ],
)
def test_what_a_plugin_answers_is_checked(returned: Any, line: str) -> None:
    with pytest.raises(ResourceError) as caught:
        answer_questions(Plugin(returned), QUESTIONS)
    assert line in str(caught.value)
    assert "secret" not in str(caught.value)


def test_answers_are_kept_where_they_follow_from_a_digest(tmp_path: Path) -> None:
    cache, first, second, other = Cache(tmp_path), Plugin(digest="d"), Plugin(digest="d"), Plugin(digest="e")
    expected = [len(one.text) / 10 for one in QUESTIONS]
    for one, asked in ((first, 100), (second, 0), (other, 100)):
        assert answer_questions(one, QUESTIONS, cache).tolist() == expected
        assert len(one.asked) == asked
    nameless = Plugin()
    answer_questions(nameless, QUESTIONS, cache)
    answer_questions(nameless, QUESTIONS, cache)
    assert len(nameless.asked) == 200


def test_who_is_stopped_goes_on(tmp_path: Path) -> None:
    """Answers are stored batch by batch."""
    cache, plugin = Cache(tmp_path), Plugin(digest="d")

    def stop(_: str, done: int, total: int) -> None:
        if done >= 64:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer_questions(plugin, QUESTIONS, cache, stop)
    assert len(plugin.asked) == 64
    again = Plugin(digest="d")
    answer_questions(again, QUESTIONS, cache)
    assert again.asked == QUESTIONS[64:]


def test_answers_by_document() -> None:
    corpus = problems(4)
    texts = {one.id: "changed" for one in corpus}
    plugin = Plugin()
    assert answers_to(plugin, corpus, texts) == dict.fromkeys(corpus.ids, 0.7)
    assert [one.known for one in plugin.asked] == [one.known for one in questions_of(corpus)]
    with pytest.raises(PlanError, match="no document asks who wrote it"):
        answers_to(plugin, Corpus.from_texts({"a": "b"}), {"a": "b"})


def test_an_answer_is_a_number_of_its_own() -> None:
    assert answer_questions(Plugin(np.full(32, 0.25)), QUESTIONS[:32]).dtype == np.float64
