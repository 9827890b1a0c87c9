"""Measures of verifiers: worked by hand, beside plain loops and scikit-learn, and how AUC comes apart into sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from numpy.typing import NDArray

from showthrough.families.authorship.verifiers.measures import (
    AUC,
    BRIER,
    C_AT_1,
    F1,
    F_HALF_U,
    MEASURES,
    OVERALL,
    compute_measures,
    statistics_of,
)
from showthrough.statistics import Ratios, forms, influences

Problems = list[tuple[bool, float]]
# Few values, so that there are ties, and answers of exactly 0.5 and none at all.
VALUES = st.sampled_from([0.0, 0.1, 0.25, 0.4, 0.5, 0.5, 0.6, 0.9, 1.0, math.nan])
PROBLEMS = st.lists(st.tuples(st.booleans(), VALUES), min_size=1, max_size=40)


def of(problems: Problems) -> dict[str, float]:
    same, answers = zip(*problems, strict=True)
    sums = {name: column.sum() for name, column in statistics_of(same, answers).items()}
    return {name: float(value) for name, value in compute_measures(sums).items()}


def test_by_hand() -> None:
    """Five problems: three by one author answered 0.9, 0.3 and not at all, two by two authors answered 0.6 and 0.2.

    Right are 0.9 and 0.2, open is one of five: c@1 = (2 + 2 · 1/5) / 5 = 0.48. TP 1, FN 1, FP 1, U 1:
    F0.5u = 1.25 / (1.25 + 0.25 · (1 + 1) + 1) = 1.25 / 2.75; F1 = 2 / (2 + 1 + 1) = 0.5.
    Brier: 1 − (0.1² + 0.7² + 0.5² + 0.6² + 0.2²) / 5 = 1 − 1.15 / 5 = 0.77.
    Pairs that are in order, of six: 0.9 before both, 0.3 before 0.2, 0.5 before 0.2: 4 / 6.
    """
    found = of([(True, 0.9), (True, 0.3), (True, math.nan), (False, 0.6), (False, 0.2)])
    assert found[C_AT_1] == pytest.approx(0.48)
    assert found[F_HALF_U] == pytest.approx(1.25 / 2.75)
    assert found[F1] == pytest.approx(0.5)
    assert found[BRIER] == pytest.approx(0.77)
    assert found[AUC] == pytest.approx(4 / 6)
    assert found[OVERALL] == pytest.approx((0.48 + 1.25 / 2.75 + 0.5 + 0.77 + 4 / 6) / 5)


def test_an_answer_of_one_half_is_none() -> None:
    problems: Problems = [(True, 0.9), (True, 0.3), (False, 0.6), (False, 0.2)]
    assert of([*problems, (True, 0.5)]) == of([*problems, (True, math.nan)])
    # All open: nothing is right, and AUC is that of ties.
    found = of([(True, 0.5), (False, math.nan)])
    assert (found[C_AT_1], found[F_HALF_U], found[AUC], found[BRIER]) == (0.0, 0.0, 0.5, 0.75)
    assert math.isnan(found[F1])  # of no answered problem


def test_what_is_undefined() -> None:
    one_kind = of([(True, 0.9), (True, 0.2)])
    assert math.isnan(one_kind[AUC])
    assert math.isnan(one_kind[OVERALL])
    assert one_kind[C_AT_1] == 0.5
    denied = of([(False, 0.1), (False, 0.2)])
    assert math.isnan(denied[F1])
    assert math.isnan(denied[F_HALF_U])
    assert denied[C_AT_1] == 1.0


@given(PROBLEMS)
def test_as_plain_loops(problems: Problems) -> None:
    found = of(problems)
    answered = [(same, value) for same, value in problems if not math.isnan(value) and value != 0.5]
    open_ = len(problems) - len(answered)
    right = sum(same == (value > 0.5) for same, value in answered)
    assert found[C_AT_1] == pytest.approx((right + open_ * right / len(problems)) / len(problems))
    tp, fp = (
        sum(same and value > 0.5 for same, value in answered),
        sum(not same and value > 0.5 for same, value in answered),
    )
    fn = sum(same and value < 0.5 for same, value in answered)
    below = 1.25 * tp + 0.25 * (fn + open_) + fp
    assert found[F_HALF_U] == pytest.approx(1.25 * tp / below if below else math.nan, nan_ok=True)
    pairs = [
        1.0 if one > two else 0.5 if one == two else 0.0
        for same, one in _filled(problems)
        for other, two in _filled(problems)
        if same and not other
    ]
    assert found[AUC] == pytest.approx(np.mean(pairs) if pairs else math.nan, nan_ok=True)
    assert found[OVERALL] == pytest.approx(np.mean([found[name] for name in MEASURES]), nan_ok=True)
    assert all(math.isnan(value) or -1e-12 <= value <= 1 + 1e-12 for value in found.values())


@given(PROBLEMS)
def test_as_scikit_learn(problems: Problems) -> None:
    from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score

    same, answers = map(np.array, zip(*_filled(problems), strict=True))
    assume(same.any() and not same.all() and (answers != 0.5).any())
    found, said = of(problems), answers != 0.5
    assert found[AUC] == pytest.approx(roc_auc_score(same, answers))
    assert found[BRIER] == pytest.approx(1 - brier_score_loss(same, answers))
    if (same[said] | (answers[said] > 0.5)).any():
        assert found[F1] == pytest.approx(f1_score(same[said], answers[said] > 0.5))


def _filled(problems: Problems) -> Problems:
    return [(same, 0.5 if math.isnan(value) else value) for same, value in problems]


def test_stacks_of_sums() -> None:
    """Two samples at once give what each gives alone."""
    tables = [statistics_of([True, False, True], answers) for answers in ([0.9, 0.1, 0.5], [0.2, 0.7, 0.8])]
    stacks = {name: np.array([[table[name].sum()] for table in tables]) for name in tables[0]}
    together = compute_measures(stacks)
    for place, table in enumerate(tables):
        alone = compute_measures({name: column.sum() for name, column in table.items()})
        assert {name: float(value[place, 0]) for name, value in together.items()} == alone


@given(st.lists(st.tuples(st.booleans(), VALUES), min_size=4, max_size=40))
def test_what_a_problem_moves_is_delongs(problems: Problems) -> None:
    """The sum of squares of what problems move is DeLong's variance with n in place of n − 1 below the line."""
    same, answers = map(np.array, zip(*_filled(problems), strict=True))
    assume(same.any() and not same.all())
    rows = statistics_of(same, answers)
    columns = list(rows)
    (form,) = forms(compute_measures, columns, [AUC])
    assert isinstance(form, Ratios)
    moves = influences(form, form.sums(np.column_stack(list(rows.values())))).moves
    assert moves.sum() == pytest.approx(0, abs=1e-9)
    assert (moves**2).sum() == pytest.approx(_delong(answers[same], answers[~same]))


def _delong(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    order = (one[:, None] > two) + 0.5 * (one[:, None] == two)
    return float(order.mean(axis=1).var() / len(one) + order.mean(axis=0).var() / len(two))


def test_few_of_a_kind_are_few_trials() -> None:
    """Two problems by one author before 198 by two: in order by luck more easily than 100 before 100."""
    from showthrough.studies.verification import verifier_scores

    def low(ours: int, theirs: int) -> float:
        truth = {str(number): number < ours for number in range(ours + theirs)}
        answers = {key: 0.9 if same else 0.1 for key, same in truth.items()}
        (found,) = verifier_scores(truth, {"one": answers}, resamples=50).verifiers
        assert found.measures[AUC].value == found.measures[AUC].high == 1.0
        return found.measures[AUC].low or 0.0

    assert low(2, 198) == low(198, 2) == pytest.approx(0.05 ** (1 / 2))
    assert low(100, 100) == pytest.approx(0.05 ** (1 / 100))
