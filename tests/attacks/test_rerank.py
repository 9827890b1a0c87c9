"""A language model puts the best candidates in order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from showthrough.data.background import Background
from showthrough.families.reidentification import attacks
from showthrough.families.reidentification.attacks import _rerank
from showthrough.families.reidentification.attacks._rerank import (
    BACKGROUND,
    CANDIDATES,
    DOCUMENT,
    ReleasedDocuments,
    rerank_candidates,
    shorten,
)
from showthrough.families.reidentification.attacks.base import Candidates
from showthrough.families.reidentification.attacks.ranks import plain
from showthrough.families.reidentification.attacks.suite import AttackOutcome, Suite
from showthrough.models import Resources
from showthrough.models.chat.base import AnswerSource, ChatQuestion, Check, Reply

PEOPLE = [f"person {number} likes {word}" for number, word in enumerate("abcdefghijklmno")]
PERSON = re.compile(r"# Person (\d+)\n\n(.*)")


class Model:
    """Answers as a function of a question does; what that raises or cannot be read is no answer."""

    name = "llm:fake"

    def __init__(self, answer: Callable[[ChatQuestion], str]) -> None:
        self.answer = answer
        self.questions: list[ChatQuestion] = []

    def replies(self, questions: Sequence[ChatQuestion], check: Check) -> list[Reply | None]:
        self.questions += questions
        return [self._reply(self.answer(one), check) for one in questions]

    def _reply(self, content: str, check: Check) -> Reply | None:
        try:
            check(content)
        except ValueError:
            return None
        return Reply(content)

    def asked(self) -> AnswerSource:
        return AnswerSource(self.name)

    def expect(self, questions: int, characters: int, tokens: int) -> None:
        raise AssertionError


def people(question: ChatQuestion) -> dict[str, int]:
    """Who is shown under which number."""
    return {text: int(number) for number, text in PERSON.findall(question.text)}


def choosing(likes: Callable[[str], bool]) -> Callable[[ChatQuestion], str]:
    """Puts those first whom it likes."""

    def answer(question: ChatQuestion) -> str:
        shown = people(question)
        return json.dumps({"order": [shown[text] for text in sorted(shown, key=lambda text: not likes(text))]})

    return answer


def asked(score: Sequence[Sequence[float]], answer: Callable[[ChatQuestion], str]) -> tuple[Candidates, Model]:
    model = Model(answer)
    ids = [f"d{number}" for number in range(len(score))]
    released = ReleasedDocuments("mine", ids, [f"text {key}" for key in ids])
    return rerank_candidates(Candidates.of(np.array(score, dtype=float)), released, PEOPLE, model), model


def test_the_models_order_counts_among_the_ten_best() -> None:
    score = [[*range(15)]]  # 14 is best; 5 to 14 are asked about
    found, model = asked(score, choosing(lambda text: text.endswith(("f", "a"))))  # numbers 5 and 0
    assert len(people(model.questions[0])) == CANDIDATES
    assert set(people(model.questions[0])) == {*PEOPLE[5:]}
    order = np.argsort(-found.score[0])
    assert order[0] == 5
    assert set(order[:CANDIDATES].tolist()) == {*range(5, 15)}
    assert order[CANDIDATES:].tolist() == [4, 3, 2, 1, 0]  # whom it was not asked about stays behind, as they stood
    assert found.unanswered is not None
    assert not found.unanswered.any()


def test_where_a_candidate_stands_in_the_question_tells_nothing() -> None:
    """In 40 questions the best fit is under every number, and no question says who anybody is."""
    random = np.random.default_rng(0)
    score = random.normal(size=(40, 15))
    _, model = asked(score.tolist(), choosing(lambda text: True))
    places = [people(one)[PEOPLE[best]] for one, best in zip(model.questions, score.argmax(axis=1), strict=True)]
    assert len({*places}) >= CANDIDATES - 1
    assert max(map(places.count, places)) < 15
    assert not any(re.search(r"\bd\d+\b", one.text.replace(f"text {one.about[1]}", "")) for one in model.questions)
    again = asked(score.tolist(), choosing(lambda text: True))[1]
    assert [one.text for one in again.questions] == [one.text for one in model.questions]


@pytest.mark.parametrize(
    "content",
    ["", "I think 3", "[1, 2]", '{"order": []}', '{"order": [0]}', '{"order": [11]}', '{"order": [1, 1]}',
     '{"order": ["1"]}', '{"order": [1.5]}', '{"order": {}}', '{"rank": [1]}', '{"order": [1', "null"],
)  # fmt: skip
def test_what_is_no_order_leaves_it_as_it_was(content: str) -> None:
    score = [[*range(15)], [3.0, 3.0, *range(-13, 0)]]
    found, _ = asked(score, lambda _: content)
    assert found.unanswered is not None
    assert found.unanswered.tolist() == [True, True]
    before, after = (
        plain(one, np.array([14, 0]), np.ones(15, dtype=np.int64), 5) for one in (Candidates.of(np.array(score)), found)
    )
    assert (before.right.tolist(), before.rank.tolist()) == ([1, 1 / 2], [1, 1.5])  # who was tied stays tied
    assert (after.right.tolist(), after.rank.tolist()) == ([1, 1 / 2], [1, 1.5])


def test_who_is_left_out_of_an_answer_follows() -> None:
    found, _ = asked([[*range(15)]], lambda one: json.dumps({"order": [people(one)[PEOPLE[7]]]}))
    assert np.argsort(-found.score[0])[:4].tolist() == [7, 14, 13, 12]


def test_a_model_that_contradicts_the_fits_is_less_sure() -> None:
    score = [[*range(15)], [*range(15)]]
    agreeing, _ = asked(score, choosing(lambda text: text == PEOPLE[14]))
    other, _ = asked(score, choosing(lambda text: text == PEOPLE[9]))
    sizes, truth = np.ones(15, dtype=np.int64), np.array([14, 14])
    assert plain(agreeing, truth, sizes, 5).lead[0] > plain(other, truth, sizes, 5).lead[0] > 0


def test_a_document_that_tells_nothing_is_not_asked_about() -> None:
    score = np.array([[0.0] * 15, [*range(15)]])
    found, model = asked(score.tolist(), choosing(lambda text: True))
    assert [one.about for one in model.questions] == [("mine", "d1")]
    assert not found.score[0].any()
    assert asked(np.zeros((2, 15)).tolist(), choosing(lambda text: True))[1].questions == []


def test_few_candidates_are_all_shown() -> None:
    model = Model(choosing(lambda text: text == "b"))
    found = rerank_candidates(
        Candidates.of(np.array([[1.0, 0.0]])), ReleasedDocuments("x", ["d"], ["text"]), ["a", "b"], model
    )
    assert found.score[0].argmax() == 1


def test_long_texts_are_shown_in_passages_from_all_of_them() -> None:
    text = " ".join(f"w{number}" for number in range(20_000))
    short = shorten(text, BACKGROUND)
    assert len(short) <= BACKGROUND
    assert short.startswith("w0 w1 ")
    assert short.endswith("w19999")
    model = Model(choosing(lambda text: True))
    rerank_candidates(
        Candidates.of(np.array([[1.0, 0.0]])), ReleasedDocuments("x", ["d"], [text]), [text, f"b {text}"], model
    )
    assert len(model.questions[0].text) < DOCUMENT + 2 * BACKGROUND + 100


def test_the_prompt_is_known_by_its_digest() -> None:
    _, model = asked([[*range(15)]], choosing(lambda text: True))
    question = model.questions[0]
    assert question.prompt == "rerank.v1"
    assert "order" in question.instructions
    assert question.schema is not None
    assert len(question.digest) == 32


# With the other attacks.

TOPICS = ["surgeon", "baker", "judge", "sailor", "singer", "farmer"]
KNOWN = {f"p{number}": f"a {topic}, the {topic} of town {number}" for number, topic in enumerate(TOPICS)}
TEXTS = {f"p{number}": f"PERSON left town {topic if number % 2 else ''}" for number, topic in enumerate(TOPICS)}


def outcome(answer: Callable[[ChatQuestion], str], known: dict[str, str], texts: dict[str, str]) -> AttackOutcome:
    resources = Resources()
    resources.chat = lambda name: Model(answer)  # type: ignore[method-assign, assignment, misc]
    chosen = attacks.approaches("lexical+llm:fake, lexical+prior+llm:fake+assignment")
    return Suite(chosen, Background(known), resources, {}).attack(texts, 5, "mine")


def test_no_order_matters() -> None:
    def answer(question: ChatQuestion) -> str:
        return json.dumps({"order": [number for _, number in sorted(people(question).items(), reverse=True)]})

    one = outcome(answer, KNOWN, TEXTS)
    two = outcome(answer, dict(reversed(KNOWN.items())), dict(reversed(TEXTS.items())))
    assert one.documents == two.documents[::-1]
    for name, standing in one.standings.items():
        other = two.standings[name]
        assert not isinstance(standing, str)
        assert not isinstance(other, str)
        assert standing.right.tolist() == other.right[::-1].tolist()
        assert standing.lead.tolist() == other.lead[::-1].tolist()
    assert list(one.unanswered) == list(one.standings)


def test_a_question_is_asked_once_for_all_that_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = _rerank.rerank_candidates
    monkeypatch.setattr(
        "showthrough.families.reidentification.attacks.suite.rerank_candidates",
        lambda *given: calls.append(given) or real(*given),
    )
    resources = Resources()
    resources.chat = lambda name: Model(lambda _: "")  # type: ignore[method-assign, assignment, misc]
    chosen = attacks.approaches("lexical+llm:fake, lexical+llm:fake+assignment")
    found = Suite(chosen, Background(KNOWN), resources, {}).attack(TEXTS, 5)
    assert len(calls) == 1
    assert all(values.sum() > 0 for values in found.unanswered.values())
