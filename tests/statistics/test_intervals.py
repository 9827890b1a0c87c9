from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from in_blocks import Blocks
from showthrough.evaluation.scoring import intervals_of
from showthrough.metrics import EntityRecall, Rows
from showthrough.statistics import Spread, resampled_totals, share_interval
from showthrough.statistics.intervals import difference_interval, sure_difference_interval
from showthrough.statistics.moves import Moved

Counts = list[tuple[int, int]]


def interval(
    hidden: np.ndarray, total: np.ndarray, confidence: float = 0.95, seed: int = 0, block: int = 0
) -> tuple[float, float]:
    """The interval of an entity recall over documents with so many entities, so many of them hidden."""
    rows = Rows.of(hidden=hidden, total=total)
    rows = Blocks(rows.values, block, rows.columns) if block else rows
    sums = resampled_totals(rows, 400, seed)
    return intervals_of(EntityRecall(), rows, dict(zip(rows.columns, sums.T, strict=True)), confidence)[""]


def test_a_perfect_score_is_not_sure() -> None:
    low, high = interval(np.full(42, 3), np.full(42, 3))
    assert (low, high) == (pytest.approx(0.05 ** (1 / 42)), 1.0)  # nothing leaked in 42: at most 6.9 % leak
    assert 1 - low == pytest.approx(3 / 42, abs=0.003)  # the rule of three
    assert interval(np.zeros(42), np.full(42, 3)) == (0.0, pytest.approx(1 - 0.05 ** (1 / 42)))


def test_documents_without_an_entity_do_not_count() -> None:
    total = np.array([2.0] * 10 + [0.0] * 90)
    assert interval(total, total)[0] == pytest.approx(0.05 ** (1 / 10))


def test_documents_that_are_all_alike_are_not_sure_either() -> None:
    low, high = interval(np.ones(2), np.full(2, 2))  # 1 of 2 twice: as 1 of 2 trials
    assert low == pytest.approx(1 - 0.975**0.5)  # P(X ≥ 1) = 1 − (1 − p)² = 0.025
    assert high == pytest.approx(0.975**0.5)  # P(X ≤ 1) = 1 − p² = 0.025


def test_many_documents_give_the_usual_interval() -> None:
    """400 documents with one entity each, half of them hidden: 0.5 ± 1.96 · √(0.25 / 400) = 0.5 ± 0.049."""
    low, high = interval(np.arange(400) % 2, np.ones(400))
    assert (low, high) == (pytest.approx(0.451, abs=0.008), pytest.approx(0.549, abs=0.008))


def test_a_single_leaking_document_says_little() -> None:
    """One leak among 336 entities: as 1 trial of 336 the low end would be 0.984; documents may leak as a whole."""
    hidden, total = np.full(42, 8.0), np.full(42, 8.0)
    hidden[0] = 7
    assert interval(hidden, total)[0] < 0.95


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30))
def test_an_interval_contains_its_value(counts: Counts) -> None:
    hidden, total = np.array([min(one, two) for one, two in counts]), np.array([two for _, two in counts])
    if total.sum():
        low, high = interval(hidden, total)
        assert 0 <= low <= hidden.sum() / total.sum() <= high <= 1
        assert high - low > 0


@pytest.mark.parametrize(("share", "block"), [(0.5, 0), (0.97, 0), (0.97, 16)])
def test_coverage(share: float, block: int) -> None:
    """A small version of benchmarks/calibration.py: 42 documents, identifiers that leak together."""
    random = np.random.default_rng(7)
    covered = 0
    for seed in range(200):
        total = 1 + random.poisson(5, 42)
        chance = random.beta(share * 2, (1 - share) * 2, 42)  # an intra-document correlation of 1/3
        low, high = interval(random.binomial(total, chance), total, seed=seed, block=block)
        covered += low <= share <= high
    assert covered / 200 >= 0.93


def test_shares_that_vary_less_have_narrower_intervals() -> None:
    spreads = [Spread(*np.array([[variance], [42.0], [42.0], [20.0]])) for variance in (0.0001, 0.001, 0.01)]
    widths = [np.subtract(*share_interval(np.array([0.8]), one, 0.95)[::-1]).item() for one in spreads]
    assert widths == sorted(widths)


def test_the_interval_of_a_difference() -> None:
    # Student's t with 4 degrees of freedom at 0.975 is 2.776: 0.3 ± 2.776 · 0.1
    assert difference_interval(0.3, 0.1, 4, 0.95) == pytest.approx((0.0224, 0.5776), abs=1e-4)
    # Two errors of 0.1 each that know nothing of each other: 0.3 ± √(0.1² + 0.1²)
    one, two = (0.8, 0.7, 0.9), (0.5, 0.4, 0.6)
    assert sure_difference_interval(one, two) == pytest.approx((0.3 - 0.02**0.5, 0.3 + 0.02**0.5))
    perfect = (1.0, 0.93, 1.0)
    low, high = sure_difference_interval(perfect, perfect)
    assert low < 0 < high  # two perfect scores on few documents are not known to be equal


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30))
def test_a_small_share_is_as_uncertain_as_what_it_leaves(counts: Counts) -> None:
    hidden, more = np.array(counts, dtype=np.float64).T
    total = hidden + more
    if hidden.sum() != more.sum():
        low, high = interval(hidden, total)
        assert interval(more, total) == (pytest.approx(1 - high, abs=1e-9), pytest.approx(1 - low, abs=1e-9))


def test_few_of_many_are_few() -> None:
    """5 of 1,000: Clopper and Pearson's interval is 0.0016 to 0.0116."""
    assert interval(np.arange(1000) < 5, np.ones(1000)) == pytest.approx((0.0016, 0.0116), abs=0.0004)


def test_one_document_that_leaks_is_one_of_ten_million_too() -> None:
    """It is ten times as long as the others, of 50 words, and leaks all of its words: not ten documents, but one."""
    documents, move = 10_000_000, np.array([500 / 500_000_000])
    value, weights = 1 - move, np.array([2.0])
    moved = Moved(value, np.array([1e7]), move**2, move**4, weights, weights**2 / documents, move)
    spread = Spread.of(value[None], moved)
    assert spread.variance == pytest.approx(1e-12)
    alike = Spread(np.zeros(1), spread.documents, spread.weight, np.zeros(1))
    (low, _), (ten, _) = (share_interval(value, one, 0.95) for one in (spread, alike))
    assert 1 - low[0] > 2 * (1 - ten[0])
