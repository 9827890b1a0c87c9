"""What every way to learn must do, and each on its own."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough import Corpus
from showthrough.families.authorship.verifiers._compression import cross_entropies
from showthrough.families.authorship.verifiers._glad import Glad
from showthrough.families.authorship.verifiers._ngrams import FittedNgrams, Ngrams
from showthrough.families.authorship.verifiers.base import UNANSWERED, Question, VerifierLearner
from showthrough.families.authorship.verifiers.table import LEARNERS

from .conftest import problems, questions_of, truth_of, written

EVERY = pytest.mark.parametrize("learner", LEARNERS.values(), ids=list(LEARNERS))
ODD = [Question((), ""), Question(("",), "x"), Question(("one",), "one"), Question(("é😀",), "\ud800"),
       Question(("a\n" * 500, ""), "b" * 5000)]  # fmt: skip


def fitted(learner: VerifierLearner, corpus: Corpus, seed: int = 0) -> Any:
    return learner.fit(questions_of(corpus), truth_of(corpus), np.arange(len(corpus)), seed)


@EVERY
def test_tells_authors_whom_it_has_not_met(learner: VerifierLearner, corpus: Corpus) -> None:
    others = problems(40, apart=200)
    answers, same = fitted(learner, corpus).answers(questions_of(others)), truth_of(others)
    assert ((answers > UNANSWERED) == same)[answers != UNANSWERED].mean() > 0.75
    assert (answers != UNANSWERED).mean() > 0.5
    assert answers[same].mean() > answers[~same].mean() + 0.1


@EVERY
def test_an_answer_depends_on_its_question_alone(learner: VerifierLearner, corpus: Corpus) -> None:
    """To the last bit, in whatever company it is asked."""
    made, questions = fitted(learner, corpus), questions_of(problems(12, apart=300))
    together = made.answers(questions)
    assert together.tolist() == [made.answers([one]).item() for one in questions]
    assert made.answers(questions[::-1]).tolist() == together[::-1].tolist()
    assert made.answers([]).shape == (0,)


@EVERY
def test_equal_problems_give_equal_verifiers(learner: VerifierLearner, corpus: Corpus) -> None:
    first, second = (fitted(learner, corpus, seed=5).saved() for _ in range(2))
    assert first.keys() == second.keys()
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)


@EVERY
def test_saved_and_loaded_it_is_the_same(learner: VerifierLearner, corpus: Corpus) -> None:
    made, questions = fitted(learner, corpus), [*questions_of(problems(8, apart=300)), *ODD]
    again = learner.loaded(made.saved())
    assert again.answers(questions).tobytes() == made.answers(questions).tobytes()
    assert all(array.dtype == np.float64 for array in made.saved().values())


@EVERY
def test_odd_questions_have_answers(learner: VerifierLearner, corpus: Corpus) -> None:
    answers = fitted(learner, corpus).answers(ODD)
    assert np.isfinite(answers).all()
    assert ((answers >= 0) & (answers <= 1)).all()


@EVERY
@pytest.mark.parametrize("kind", [True, False])
def test_one_kind_alone(learner: VerifierLearner, corpus: Corpus, kind: bool) -> None:
    """As a fold may have it."""
    made = learner.fit(questions_of(corpus)[:6], np.full(6, kind), np.arange(6), 0)
    assert np.isfinite(made.answers(questions_of(corpus))).all()


@EVERY
def test_odd_problems_can_be_learned_from(learner: VerifierLearner) -> None:
    made = learner.fit(ODD, np.array([True, False, True, False, True]), np.arange(5), 0)
    assert np.isfinite(made.answers(ODD)).all()


@EVERY
def test_a_text_in_one_line_is_by_the_same_author(learner: VerifierLearner, corpus: Corpus) -> None:
    """A program that loses line feeds hides nobody: hardly any answer changes sides."""
    made, questions = fitted(learner, corpus), questions_of(problems(40, apart=200))
    flat = [Question(one.known, " ".join(one.text.split())) for one in questions]
    before, after = made.answers(questions), made.answers(flat)
    assert ((before > UNANSWERED) != (after > UNANSWERED)).mean() <= 0.1


def cost_by_loops(read: str, told: str, order: int = 4) -> float:
    """Prediction by partial matching with escapes by method C, character by character."""
    seen: dict[str, Counter[str]] = {}
    for length in range(order + 1):
        for at in range(length, len(read)):
            seen.setdefault(read[at - length : at], Counter())[read[at]] += 1
    bits = 0.0
    for at, character in enumerate(told):
        for length in range(min(order, at), -1, -1):
            after = seen.get(told[at - length : at])
            if after is None:
                continue
            whole = after.total() + len(after)
            if after[character]:
                bits -= np.log2(after[character] / whole)
                break
            bits -= np.log2(len(after) / whole)
        else:
            bits += 16
    return bits / max(len(told), 1)


@given(st.text("ab c", max_size=30), st.text("abx ", max_size=30))
def test_cross_entropies_are_those_of_the_definition(known: str, text: str) -> None:
    one, other = (" ".join(each.split()) for each in (known, text))
    costs = cost_by_loops(one, other), cost_by_loops(other, one)
    found = cross_entropies(Question((known,), text))
    assert found == pytest.approx([sum(costs) / 2, abs(costs[0] - costs[1])])


def test_a_text_is_cheap_after_itself() -> None:
    same, other = (cross_entropies(Question((written(1, 1),), text))[0] for text in (written(1, 1), written(2, 1)))
    assert same < other / 2


def test_cosines_are_scikit_learns(corpus: Corpus) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    questions = questions_of(corpus)
    sides = [" ".join(text.split()) for one in questions for text in ("\n".join(one.known), one.text)]
    weights = TfidfVectorizer(analyzer="char", ngram_range=(4, 4), lowercase=False, sublinear_tf=True).fit_transform(
        sides
    )
    made = fitted(Ngrams(), corpus)
    assert made.cosines(questions) == pytest.approx(
        np.asarray(weights[::2].multiply(weights[1::2]).sum(axis=1)).ravel()
    )


def test_between_the_thresholds_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    made = FittedNgrams(np.zeros(1, np.uint64), np.ones(1), 0.2, 0.6)
    monkeypatch.setattr(FittedNgrams, "cosines", lambda *_: np.array([0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0]))
    assert made.answers([]).tolist() == pytest.approx([0.0, 0.25, 0.5, 0.5, 0.5, 0.75, 1.0])
    assert made.answers([])[2:5].tolist() == [0.5] * 3


def test_without_the_library_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, corpus: Corpus) -> None:
    import sys

    from showthrough import ResourceError

    saved = fitted(LEARNERS["glad"], corpus)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    for asked in (lambda: fitted(LEARNERS["glad"], corpus), lambda: LEARNERS["glad"].prepare([])):
        with pytest.raises(ResourceError, match=r"needs scikit-learn.*showthrough\[authors\]"):
            asked()
    assert len(LEARNERS["glad"].loaded(saved.saved()).answers(ODD)) == len(ODD)  # answering does not need it


def test_what_is_far_from_all_training_counts_as_its_border(corpus: Corpus) -> None:
    """A sentence of a thousand words is as unusual as three deviations are, and no more."""
    made = fitted(Glad(), corpus)
    machine = made.machine
    for deviations, counted in ((2.0, 2.0), (3.0, 3.0), (1000.0, 3.0), (-1000.0, -3.0)):
        row = np.append(machine.mean + deviations * machine.scale, 1.0)[None]
        expected = counted * machine.weight.sum() + machine.shift
        assert machine.margins(row)[0] == pytest.approx(expected)


def test_what_is_unlike_training_is_told_by_feature(corpus: Corpus) -> None:
    made = fitted(Glad(), corpus)
    questions = questions_of(corpus)
    assert made.outside(questions).shape == (len(corpus), len(made.features))
    assert made.outside(questions).any(axis=1).mean() < 0.5
    long = [Question(one.known, re.sub(r"\W+", " ", one.text)) for one in questions]
    found = dict(zip(made.features, made.outside(long).T, strict=True))
    assert found["sentence length unknown"].all()
    assert not found["entropy known"].any()  # the known texts are as they were
