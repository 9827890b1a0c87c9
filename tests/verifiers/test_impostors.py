"""General impostors: who they are, and what a trial counts."""

from __future__ import annotations

import numpy as np
import pytest

from showthrough.families.authorship.verifiers import _impostors as impostors
from showthrough.families.authorship.verifiers._impostors import Impostors
from showthrough.families.authorship.verifiers.base import Question

from .conftest import questions_of, truth_of

THREE = [
    Question(("a a b b",), "a b c d"),  # by one author
    Question(("c c c d",), "x y x y"),  # by two
    Question(("c c c d", "u v u v"), "w w w w"),  # by two; the first known text is the one of before
]
SAME = np.array([True, False, False])


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words alone, all of them in every trial, two trials."""
    monkeypatch.setattr(impostors, "SPACES", (100,))
    monkeypatch.setattr(impostors, "SHARE", 1.0)
    monkeypatch.setattr(impostors, "TRIALS", 2)


@pytest.mark.usefixtures("plain")
def test_authors_are_those_whom_somebody_told_apart() -> None:
    pool = impostors._collect(THREE, SAME, 0)
    by_text = dict(zip(["known", "text", "c", "x", "u", "w"], pool.authors.tolist(), strict=True))
    assert by_text["known"] == by_text["text"]
    assert by_text["c"] == by_text["u"]  # both known of the third question
    assert len(set(by_text.values())) == 4  # of 6 texts: two pairs, and two alone


@pytest.mark.usefixtures("plain")
def test_what_a_trial_counts_by_hand() -> None:
    """Shares of a, b, c, d in units of their spread over the six texts, and Σ min / Σ max of them."""
    pool = impostors._collect(THREE, SAME, 0)
    texts = ["a a b b", "a b c d", "c c c d", "x y x y", "u v u v", "w w w w"]
    shares = np.array([[text.split().count(word) / 4 for word in "abcduvwxy"] for text in texts])
    scaled = shares / shares.std(axis=0)
    near = np.array(
        [[np.minimum(one, other).sum() / np.maximum(one, other).sum() for other in scaled] for one in scaled]
    )
    question = THREE[0]
    won, pair, first, second, own = pool.columns(question)
    others = [2, 3, 4, 5]  # all but the two by its author
    # a and b of both are 1/2 and 1/4: the pair shares half of the first's. Only "c c c d" is like the text at all, and
    # nothing is like the known one, so the pair wins against all: its square is more than any product, which are 0.
    assert won == 1.0
    assert pair == pytest.approx(np.log(near[0, 1]))
    tiny = np.log(impostors._TINY)
    assert first == pytest.approx(np.mean([np.log(near[1, 2]), tiny, tiny, tiny]))
    assert second == own == pytest.approx(np.mean([np.log(max(near[0, at], impostors._TINY)) for at in others]))


@pytest.mark.usefixtures("plain")
def test_nobody_is_an_impostor_of_themselves() -> None:
    """Not by a copy with other quotation marks either, and not where all texts are theirs."""
    pool = impostors._collect(THREE, SAME, 0)
    alone = impostors._collect(THREE[:1], SAME[:1], 0)
    assert alone.columns(THREE[0]).tolist() == [0.0] * 5
    copied = Question(("A a, b b!",), "a b c d")
    assert pool.columns(copied)[1] > np.log(0.05)
    assert np.isfinite(pool.columns(copied)).all()
    assert pool.columns(copied)[0] == 1.0  # its own texts would not be beaten


@pytest.mark.usefixtures("plain")
def test_an_impostor_that_is_nearer_is_not_beaten() -> None:
    """The text is the impostor's, word for word but one, and the known text has only that one of its words."""
    pool = impostors._collect(THREE, SAME, 0)
    won, pair, first, *_ = pool.columns(Question(("c d u w",), "x y x b"))
    assert won < 1.0
    assert pair < first


def test_a_trial_counts_some_features_and_some_impostors(corpus: object) -> None:
    from showthrough import Corpus

    assert isinstance(corpus, Corpus)
    questions, same = questions_of(corpus), truth_of(corpus)
    words, pairs = impostors._collect(questions, same, 3).spaces
    for space in (words, pairs):
        assert (space.trials.sum(axis=0) == round(len(space.features) / 2)).all()
    assert not np.array_equal(words.trials[:, 0], words.trials[:, 1])
    other = impostors._collect(questions, same, 4).spaces[0]
    assert not np.array_equal(words.trials, other.trials)  # the seed chooses


def test_another_seed_is_another_verifier(corpus: object) -> None:
    from showthrough import Corpus

    assert isinstance(corpus, Corpus)
    questions, same = questions_of(corpus), truth_of(corpus)
    one, other = (
        Impostors().fit(questions, same, np.arange(len(questions)), seed).answers(questions[:4]) for seed in (0, 1)
    )
    assert one.tolist() != other.tolist()
