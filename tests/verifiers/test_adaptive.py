"""Who learns from masked texts finds what others miss, and nothing where there is nothing to find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from showthrough import Corpus, Document
from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.data.documents import Authorship
from showthrough.families.authorship.problems import Problems, problems_of
from showthrough.families.authorship.verifiers._glad import Glad
from showthrough.families.authorship.verifiers.adaptive import cross_fitted
from showthrough.families.authorship.verifiers.base import Question, VerifierLearner
from showthrough.models.cache import Cache

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SHIFTED = str.maketrans(LETTERS, LETTERS[7:] + LETTERS[:7])
WORDS = ["".join(np.random.default_rng(at).choice(list(LETTERS), 2 + at % 7)) for at in range(60)]


def written(style: tuple[float, float, Floats], random: np.random.Generator) -> str:
    """200 words, with as long sentences, as many commas and the words that somebody likes."""
    length, commas, liked = style
    words = [f"{word}{',' * int(random.random() < commas)}" for word in random.choice(WORDS, 200, p=liked)]
    return " ".join(f"{word.strip(',')}." if random.random() < 1 / length else word for word in words)


def authors(count: int, seed: int, strangers: bool = False) -> Corpus:
    """A problem of each author; with strangers the text is somebody else's, whatever is said of it."""
    random = np.random.default_rng(seed)

    def style() -> tuple[float, float, Floats]:
        return random.uniform(3, 20), random.uniform(0, 0.4), random.dirichlet(np.full(len(WORDS), 0.5))

    documents = []
    for number in range(count):
        own = style()
        text = written(style() if strangers else own, random)
        documents.append(Document(f"d{number:03}", text, authorship=Authorship((written(own, random),))))
    return Corpus(documents)


def asked(corpus: Corpus, shift: bool = False, seed: int = 0) -> tuple[Problems, list[Question]]:
    problems = problems_of(corpus, 5, seed)
    texts = {one.id: one.text.translate(SHIFTED) if shift else one.text for one in corpus}
    return problems, problems.questions(texts, np.arange(len(problems.same)))


def learned(corpus: Corpus, shift: bool = False, seed: int = 0, learner: VerifierLearner | None = None) -> float:
    """How often authors are told: right ones known, others denied."""
    problems, questions = asked(corpus, shift, seed)
    answers = cross_fitted(learner or Glad(), questions, problems.same, problems.circles, seed, Cache(None))
    return float(np.mean((answers > 0.5) == problems.same))


class Memory:
    """Says yes to every text that it has ever seen."""

    name, version = "memory", 1

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def fit(self, questions: Sequence[Question], same: Bools, authors: Ints, seed: int = 0) -> Memory:
        fitted = Memory()
        fitted.seen = {text for one in questions for text in (one.text, *one.known)}
        assert same.sum() == (~same).sum()
        return fitted

    def answers(self, questions: Sequence[Question]) -> Floats:
        return np.array([float(any(text in self.seen for text in (one.text, *one.known))) for one in questions])

    def saved(self) -> Mapping[str, Floats]:
        return {}

    def loaded(self, arrays: Mapping[str, Floats], settings: Mapping[str, Any]) -> Memory:
        return self


def grouped(count: int) -> Corpus:
    return Corpus([Document(f"d{at}", f"text {at}", group=f"author {at % (count // 3)}") for at in range(count)])


def mixed() -> Corpus:
    """Problems of both kinds, of which many share a known text."""
    documents = []
    for at in range(60):
        known, same = (f"known {at % 25}", f"other {at}"), at % 3 > 0
        documents.append(Document(f"d{at}", f"text {at}", authorship=Authorship(known, same)))
    return Corpus(documents)


@pytest.mark.parametrize("corpus", [authors(40, 0), grouped(60), mixed()], ids=["problems", "groups", "both kinds"])
def test_no_text_that_was_learned_from_is_ever_asked_about(corpus: Corpus) -> None:
    problems, questions = asked(corpus)
    answers = cross_fitted(Memory(), questions, problems.same, problems.circles, 0, Cache(None))
    assert len(answers) > 0
    assert not answers.any()


def test_memory_would_be_told() -> None:
    problems, questions = asked(authors(40, 0))
    each = np.arange(len(questions)) % 20  # as if every question were a circle of its own
    assert cross_fitted(Memory(), questions, problems.same, each, 0, Cache(None)).any()


@pytest.mark.slow
def test_with_strangers_for_authors_there_is_nothing_to_learn() -> None:
    """Ten corpora of 40: one has a standard deviation of 0.08, and a leak would show in all of them."""
    found = [learned(authors(40, 100 + seed, strangers=True), seed=seed) for seed in range(10)]
    assert np.mean(found) == pytest.approx(0.5, abs=0.075)


def test_it_finds_what_a_verifier_of_originals_cannot() -> None:
    """Every letter becomes another, always the same: no n-gram is left, but sentences are as long as ever."""
    problems, questions = asked(authors(60, 5))
    trained = Glad().fit(questions, problems.same, problems.circles)
    corpus = authors(60, 0)
    problems, originals = asked(corpus)
    assert np.mean((trained.answers(originals) > 0.5) == problems.same) > 0.9
    _, shifted = asked(corpus, shift=True)
    assert not (trained.answers(shifted) > 0.5).any()  # all authors seem hidden
    assert learned(corpus, shift=True) > 0.65


def test_the_same_seed_gives_the_same_answers_and_they_are_kept(tmp_path: Any) -> None:
    problems, questions = asked(authors(24, 1))
    told = questions, problems.same, problems.circles
    answers = cross_fitted(Glad(), *told, 3, Cache(tmp_path))
    assert np.array_equal(answers, cross_fitted(Glad(), *told, 3, Cache(None)))

    class Nobody(Glad):
        def fit(self, *_: object, **__: object) -> Any:
            raise AssertionError

    assert np.array_equal(answers, cross_fitted(Nobody(), *told, 3, Cache(tmp_path)))
    with pytest.raises(AssertionError):
        cross_fitted(Nobody(), *told, 4, Cache(tmp_path))


def test_texts_of_which_nothing_is_left_are_answered() -> None:
    problems = problems_of(authors(24, 2), 5, 0)
    for text in ("", " \n", "...", "\ufeff", "a"):
        questions = problems.questions(dict.fromkeys(problems.ids, text), np.arange(len(problems.same)))
        answers = cross_fitted(Glad(), questions, problems.same, problems.circles, 0, Cache(None))
        assert ((answers >= 0) & (answers <= 1)).all()
