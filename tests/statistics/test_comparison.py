from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from in_blocks import Blocks
from showthrough.metrics import FScore, Precision, Recall
from showthrough.statistics import PairTest, forms, pair_tests, studentized_p
from showthrough.statistics._comparison import LEAST, judge_difference
from showthrough.statistics.intervals import Ends, difference_interval

COLUMNS = ("agreed", "asked")


def compared(one: np.ndarray, two: np.ndarray, shuffles: int = 199, seed: int = 0, block: int = 0) -> PairTest:
    systems = [Blocks(side, block) if block else side for side in (one, two)]
    (found,) = pair_tests(Precision().combine, COLUMNS, systems, [""], shuffles, seed)
    return found


def masked(random: np.random.Generator, documents: int, rate: float, precision: float = 0.7) -> np.ndarray:
    """So many masked tokens a document on average, each right with a probability."""
    asked = random.poisson(rate, documents)
    return np.column_stack([random.binomial(asked, precision), asked]).astype(np.float64)


def test_one_masked_word_says_nothing() -> None:
    """100 documents; one side masks 10 words each at precision 0.5, the other one word in all, right or wrong."""
    usual = np.tile([5.0, 10.0], (100, 1))
    for right in (0.0, 1.0):
        once = np.zeros((100, 2))
        once[0] = [right, 1.0]
        found = compared(usual, once)
        assert found.p is None
        assert found.fault == "too few to say: on one side it counts in 1 document only"


def alarms(rates: tuple[float, float], documents: int, times: int, block: int = 0) -> float:
    random = np.random.default_rng(11)
    values = [
        compared(*(masked(random, documents, rate) for rate in rates), seed=seed, block=block).p
        for seed in range(times)
    ]
    known = [p for p in values if p is not None]
    return sum(p <= 0.05 for p in known) / len(known)


@pytest.mark.slow
def test_equal_precision_is_not_found_to_differ() -> None:
    """Plain randomization finds a difference in 34 % of such cases; a small version of benchmarks/calibration.py."""
    assert alarms((30, 0.5), documents=60, times=200) <= 0.1
    assert alarms((10, 10), documents=40, times=200) <= 0.1
    assert 0.01 <= alarms((10, 10), documents=200, times=200, block=64) <= 0.1


def test_what_does_differ_is_found() -> None:
    random = np.random.default_rng(2)
    found = [compared(masked(random, 60, 8, 0.7), masked(random, 60, 8, 0.5), seed=seed).p or 0 for seed in range(40)]
    assert sum(p <= 0.05 for p in found) >= 38


@pytest.mark.parametrize(("documents", "words", "differing"), [(16_000, 1_000, 200), (40_000, 4_000, 100)])
def test_what_few_of_very_many_words_differ_in_is_found(documents: int, words: int, differing: int) -> None:
    """One word in each of some documents: ten standard errors and more, though a millionth of all words and less."""
    one = np.tile([words, words], (documents, 1)).astype(np.float64)
    one[::50, 0] -= 1
    two = one.copy()
    two[1 : 50 * differing : 50, 0] -= 1
    found = compared(one, two, shuffles=99)
    assert (found.p, found.flat, found.fault) == (0.01, False, "")
    assert found.error is not None
    assert (one - two).sum() / one[:, 1].sum() > 9 * found.error


def test_the_same_denominators_need_no_least_number() -> None:
    """What people marked is the same for both, so exchanging documents is exact however few there are."""
    total = np.array([3.0, 2.0, 4.0, 3.0, 2.0, 3.0, 4.0, 2.0])
    one, two = np.column_stack([total, total]), np.column_stack([0 * total, total])
    assert len(total) < LEAST
    found = compared(one, two, shuffles=9999)
    assert found.p == pytest.approx(2 / 2**8, abs=0.003)  # only all coins alike give such a difference


@pytest.mark.parametrize("block", [8, 3])
def test_agrees_with_exact_enumeration(block: int) -> None:
    """All 2^n exchanges, each with its own standard error, worked out one by one."""
    random = np.random.default_rng(3)
    one, two = (masked(random, 8, 4) + np.array([0, 1]) for _ in range(2))

    def size(left: np.ndarray, right: np.ndarray) -> float:
        values = [side[:, 0].sum() / side[:, 1].sum() for side in (left, right)]
        residuals = [
            (side[:, 0] - value * side[:, 1]) / side[:, 1].sum()
            for side, value in zip((left, right), values, strict=True)
        ]
        return abs(values[0] - values[1]) / np.sqrt(((residuals[0] - residuals[1]) ** 2).sum())

    real, count = size(one, two), 0
    for coins in product((False, True), repeat=8):
        flip = np.array(coins)[:, None]
        count += size(np.where(flip, two, one), np.where(flip, one, two)) >= real - 1e-9
    (form,) = forms(Precision().combine, COLUMNS, [""])
    assert studentized_p(form, [Blocks(one, block), Blocks(two, block)], 9999, 0)[0, 1][0] == pytest.approx(
        count / 2**8, abs=0.02
    )


def test_systems_that_are_equal() -> None:
    same = masked(np.random.default_rng(0), 30, 5)
    assert compared(same, same).p == 1.0


def test_forms_are_found() -> None:
    (form,) = forms(Recall().combine, ("hidden", "total"), [""])
    assert form.parts == ("",)
    assert form.sums(np.array([[3.0, 4.0]])).ravel().tolist() == [3.0, 4.0]
    (f1,) = forms(FScore().combine, ("hidden", "total", "agreed", "asked"), [""])
    totals = np.array([[3.0, 4.0, 2.0, 4.0]])
    value, slope = f1.at(f1.sums(totals))
    # R = 3/4, P = 1/2, F = 2PR / (P + R) = 0.6; ∂F/∂hidden = 2P² / (P + R)² / total = 0.32 / 4 = 0.08
    assert value.item() == pytest.approx(0.6)
    assert slope[0].item() == pytest.approx(0.08)


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_f_scores_are_tested_too(beta: float) -> None:
    random = np.random.default_rng(4)
    total = 5 + random.poisson(5, 40)
    columns = ("hidden", "total", *COLUMNS)

    def system(recall: float) -> np.ndarray:
        return np.column_stack([random.binomial(total, recall), total, masked(random, 40, 10)])

    worse, better = system(0.5), system(0.9)
    (found,) = pair_tests(FScore(beta).combine, columns, [worse, better], [""], 999, 0)
    assert found.p is not None
    assert found.p <= 0.002


PERFECT, HALF, NEAR = (1.0, 0.9, 1.0), (0.5, 0.45, 0.55), (0.95, 0.85, 0.98)
FEW = "too few to say: one of the two is the same in every document, which others need not be"
ENDS = "one of the two is the same in every document, and intervals, which would show more, were not asked for"


@pytest.mark.parametrize(
    ("flat", "difference", "ends", "bounded", "low", "high", "p", "fault"),
    [
        # An error of 0.1 with t of 4 degrees, 2.776445.
        (False, 0.3, (None, None), True, 0.022356, 0.577645, 0.01, ""),
        (False, 0.9, (None, None), True, 0.622356, 1.0, 0.01, ""),  # shares differ by no more than 1
        (False, -0.9, (None, None), True, -1.0, -0.622356, 0.01, ""),
        (False, 0.9, (None, None), False, 0.622356, 1.177645, 0.01, ""),
        (False, -0.9, (None, None), False, -1.177645, -0.622356, 0.01, ""),
        # Where a side does not vary, both intervals: 0.5 − √(0.1² + 0.05²), and 0.5 + √(0² + 0.05²).
        (True, 0.5, (PERFECT, HALF), True, 0.388197, 0.55, 0.01, ""),
        (True, 0.05, (PERFECT, NEAR), True, -0.054403, 0.15, None, FEW),  # − √(0.1² + 0.03²), + √(0² + 0.1²)
        (True, 0.0, (PERFECT, PERFECT), True, -0.1, 0.1, 0.01, ""),
        (True, 0.3, (None, HALF), True, -1.0, 1.0, None, FEW),
        (True, 0.0, (None, None), True, -1.0, 1.0, 0.01, ""),
        (True, 0.3, (PERFECT, None), False, None, None, None, ENDS),
        (True, 0.0, (None, None), False, None, None, 0.01, ""),
    ],
)
def test_what_is_said_of_a_difference(
    flat: bool,
    difference: float,
    ends: tuple[Ends | None, Ends | None],
    bounded: bool,
    low: float | None,
    high: float | None,
    p: float | None,
    fault: str,
) -> None:
    test = PairTest("", 0, 1, 0.01, 0.1, 4.0, flat)
    found = judge_difference(test, difference, *ends, 0.95, bounded)
    assert found == (low and pytest.approx(low, abs=1e-5), high and pytest.approx(high, abs=1e-5), p, fault)


def test_what_is_said_where_no_error_or_no_test_is() -> None:
    assert judge_difference(PairTest("", 0, 1, 0.01), 0.3, PERFECT, HALF, 0.95) == (None, None, 0.01, "")
    assert judge_difference(PairTest("", 0, 1, None, 0.1, 4.0, fault="x"), 0.3, PERFECT, HALF, 0.95) == (
        None,
        None,
        None,
        "x",
    )


@pytest.mark.slow
@pytest.mark.parametrize(("documents", "most"), [(50, 0.15), (150, 0.08)])
def test_long_documents_that_leak_more_in_one_system_make_no_difference(documents: int, most: float) -> None:
    """Of t entities the first leaks each with 1 − e^(−0.002 · t), the second as many by the mean: once 0.3 to 0.46."""
    random, alarms = np.random.default_rng(3), 0
    sizes = np.ceil(np.random.default_rng(2).lognormal(1.5, 1.5, 4_000_000))
    share = float((sizes * np.exp(-0.002 * sizes)).sum() / sizes.sum())
    for seed in range(200):
        total = np.ceil(random.lognormal(1.5, 1.5, documents)).astype(int)
        hidden = [random.binomial(total, np.exp(-0.002 * total)), random.binomial(total, share)]
        sides = [np.column_stack([one, total]).astype(float) for one in hidden]
        (test,) = pair_tests(Recall().combine, ["hidden", "total"], sides, [""], 99, seed)
        low, high = test.interval(float(hidden[0].sum() - hidden[1].sum()) / total.sum(), 0.95)
        alarm = test.p is not None and test.p <= 0.05
        assert not (alarm and low <= 0 <= high)  # what is found to differ has an interval without 0
        alarms += alarm
    assert alarms / 200 <= most


def test_an_interval_is_its_error_times_student_s_t() -> None:
    random = np.random.default_rng(0)
    systems = [Blocks(np.stack([random.binomial(5, 0.8, 30), np.full(30, 5.0)], axis=1), 30) for _ in range(3)]
    tests = list(pair_tests(lambda totals: {"": totals["0"] / totals["1"]}, ["0", "1"], systems, [""], 99, 0))
    assert len(tests) == 3
    for test in tests:
        assert test.error
        expected = difference_interval(0.1, test.error, test.freedom, 0.9)
        assert test.interval(0.1, 0.9) == pytest.approx(expected)
