"""What counts where rules, a judge and recorded verdicts say something; agreement against the other implementation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.families.inference._verdicts import (
    AGREEMENT,
    KAPPA,
    Judgements,
    agreement_parts,
    judge_pairs,
    meetings,
    pair_unit_change,
)
from showthrough.families.inference.base import GuessPair
from showthrough.statistics.agreement import cohen, observed_agreement

VERDICTS = (0.0, 0.5, 1.0)


class Says:
    """A judge who knows guesses by their letters."""

    name = "says"

    def __init__(self, said: dict[str, float], overrules: bool = False) -> None:
        self.overrules = overrules
        self.asked: list[str] = []
        self._said = said

    def verdicts(self, pairs: Sequence[GuessPair]) -> list[float | None]:
        self.asked += [pair.guess for pair in pairs]
        return [self._said.get(pair.guess) for pair in pairs]


def pairs_of(guesses: str) -> list[GuessPair]:
    return [GuessPair("AGE", "34", guess) for guess in guesses]


def test_rules_alone() -> None:
    found = judge_pairs(pairs_of("ab"), [1, 0.5], None)
    assert found.scores.tolist() == [1, 0.5]
    assert np.isnan(found.recorded).all()


def test_a_judge_is_asked_where_rules_give_less_than_1_and_counts_if_it_gives_more() -> None:
    judge = Says({"a": 0.0, "b": 1.0, "c": 0.0, "d": 0.5})
    assert judge_pairs(pairs_of("abcd"), [1, 0, 0.5, 0], judge).scores.tolist() == [1, 1, 0.5, 0.5]
    assert judge.asked == ["b", "c", "d"]


def test_a_judge_that_does_not_answer_leaves_the_score_missing_and_never_a_no() -> None:
    scores = judge_pairs(pairs_of("abc"), [1, 0.5, 0], Says({})).scores
    assert scores[0] == 1
    assert np.isnan(scores[1:]).all()


def test_recorded_verdicts_overrule_where_they_say_something() -> None:
    judge = Says({"a": 0.0, "b": 0.5}, overrules=True)
    assert judge_pairs(pairs_of("abc"), [1, 0, 0.5], judge).scores.tolist() == [0, 0.5, 0.5]
    assert judge.asked == ["a", "b", "c"]


def test_agreement_by_hand() -> None:
    """Ours 1, 0, ½, 0 and theirs 1, ½, ½, 0: 3 of 4 agree, and (1·1 + 2·1 + 1·2) of 16 by chance.

    κ = 1 − (1/4) / (11/16)
    """
    found = judge_pairs(pairs_of("abcd"), [1, 0, 0.5, 0], None, Says({"a": 1.0, "b": 0.5, "c": 0.5, "d": 0.0}))
    rows = meetings(found, [0, 0, 1, 1], 3)
    assert {column: values.tolist() for column, values in rows.items() if values.any()} == {
        "verdict_2_2": [1, 0, 0], "verdict_0_1": [1, 0, 0], "verdict_1_1": [0, 1, 0], "verdict_0_0": [0, 1, 0],
    }  # fmt: skip
    parts = agreement_parts({column: values.sum() for column, values in rows.items()})
    assert parts[AGREEMENT] == pytest.approx(3 / 4)
    assert parts[KAPPA] == pytest.approx(1 - (1 / 4) / (11 / 16))


rated = st.lists(
    st.tuples(st.sampled_from((*VERDICTS, math.nan)), st.sampled_from((*VERDICTS, math.nan)), st.integers(0, 4)),
    max_size=40,
)


@given(rated)
def test_agreement_is_that_of_the_statistics(items: list[tuple[float, float, int]]) -> None:
    ours, theirs, places = (np.array([one[place] for one in items]) for place in range(3))
    rows = meetings(Judgements(ours, theirs), places.astype(int), 5)
    parts = agreement_parts({column: np.stack([values.sum()] * 2) for column, values in rows.items()})
    table = np.zeros((3, 3))
    for one, two, _ in items:
        if not math.isnan(one + two):
            table[VERDICTS.index(one), VERDICTS.index(two)] += 1
    kappa, counts = cohen(table).value, [[(one == two) * 2, one != two, one != two] for one, two in np.ndindex(3, 3)]
    agreeing = observed_agreement(np.array(counts, dtype=float), table.ravel()).value
    for part, value in ((KAPPA, kappa), (AGREEMENT, agreeing)):
        expected = math.nan if value is None else value
        assert parts[part] == pytest.approx([expected, expected], nan_ok=True)


def test_nothing_recorded_has_no_agreement() -> None:
    assert agreement_parts({"hidden": np.array(1.0)}) == {}
    rows = meetings(judge_pairs(pairs_of("ab"), [1, 0], None), [0, 1], 2)
    assert np.isnan(agreement_parts({column: values.sum() for column, values in rows.items()})[AGREEMENT])


def test_what_one_pair_in_each_document_would_take_from_kappa() -> None:
    rows = {f"verdict_{one}_{two}": np.array(float(one == two) * 2) for one in range(3) for two in range(3)}
    assert pair_unit_change(KAPPA, rows) == pytest.approx(1 / (2 / 3))
    assert pair_unit_change(AGREEMENT, rows) == 1
