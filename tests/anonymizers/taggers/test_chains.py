"""Best paths, probabilities of states, states of phrases, and trees, against what can be counted out."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough.systems.taggers.learners._columns import FeatureColumns
from showthrough.systems.taggers.learners._label_sequences import best_path, may_begin, may_follow, state_probabilities
from showthrough.systems.taggers.learners.boosted import Boosting
from showthrough.systems.taggers.learners.hmm import may_join, states_of

GROUP = np.array([0, 1, 1])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("grouped", [False, True])
def test_the_best_path_and_all_probabilities_are_those_of_all_paths_counted_out(seed: int, grouped: bool) -> None:
    chance = np.random.default_rng(seed)
    length, count = 5, 3
    moves, begins = chance.normal(size=(count, count)), chance.normal(size=count)
    moves[1, 2] = -1e9  # what may not be
    emitted = chance.normal(size=(length, 2, count) if grouped else (length, count)) * 3
    group = GROUP if grouped else None

    def worth(path: tuple[int, ...]) -> float:
        first = emitted[0, 0] if grouped else emitted[0]
        total = begins[path[0]] + first[path[0]]
        for at, (one, other) in enumerate(pairwise(path), 1):
            held = emitted[at, GROUP[one]] if grouped else emitted[at]
            total += moves[one, other] + held[other]
        return float(total)

    paths = list(product(range(count), repeat=length))
    worths = np.array([worth(path) for path in paths])
    weight = np.exp(worths - worths.max())
    expected = np.zeros((length, count))
    for path, each in zip(paths, weight / weight.sum(), strict=True):
        expected[np.arange(length), path] += each
    assert tuple(best_path(emitted, moves, begins, group)) == paths[int(worths.argmax())]
    np.testing.assert_allclose(state_probabilities(emitted, moves, begins, group), expected, atol=1e-12)


def test_what_goes_on_must_have_begun() -> None:
    names = ["O", "B-A", "I-A", "B-C", "I-C"]
    follow = may_follow(names)
    allowed = {(one, other) for at, one in enumerate(names) for to, other in enumerate(names) if follow[at, to]}
    assert ("B-A", "I-A") in allowed
    assert ("I-A", "I-A") in allowed
    assert not allowed & {("O", "I-A"), ("B-A", "I-C"), ("I-C", "I-A")}
    assert may_begin(names).tolist() == [True, True, False, True, False]


@given(pieces=st.lists(st.tuples(st.sampled_from(["", "A", "C"]), st.integers(1, 3)), max_size=8))
@settings(max_examples=80, deadline=None)
def test_states_say_the_labels_they_were_made_of_and_may_follow_each_other(pieces: list[tuple[str, int]]) -> None:
    labels = ["O" if not kind else f"{'I' if at else 'B'}-{kind}" for kind, length in pieces for at in range(length)]
    path = states_of(labels)
    assert [one.label for one in path] == labels
    states = list(dict.fromkeys(path))
    fits = may_join(states) if states else np.zeros((0, 0), bool)
    assert all(fits[states.index(one), states.index(other)] for one, other in pairwise(path))


def test_trees_tell_what_no_feature_tells_alone() -> None:
    chance = np.random.default_rng(0)
    holds = chance.random((400, 6)) < 0.5
    true = holds[:, 0] ^ (holds[:, 1] & holds[:, 2])
    names = [[str(at) for at in np.flatnonzero(each)] for each in holds]
    columns = FeatureColumns([str(at) for at in range(6)])
    trees = Boosting(10, 3, 0.5).grow(columns.of(names), true)
    fresh = chance.random((200, 6)) < 0.5
    assert ((trees.sums(fresh) > 0) == (fresh[:, 0] ^ (fresh[:, 1] & fresh[:, 2]))).all()


def test_trees_leave_the_noise_of_a_few_rows_alone() -> None:
    true = np.zeros(100, dtype=bool)
    true[:2] = True
    trees = Boosting(3, 2, 0.5).grow(FeatureColumns(["a"]).of([["a"]] * 100), true)
    assert (trees.feature == -1).all()
    assert (trees.sums(np.ones((1, 1), dtype=bool)) < 0).all()
