from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from in_blocks import Blocks
from showthrough.evaluation._scoring import uncertain
from showthrough.metrics import EntityRecall, Rows
from showthrough.statistics import Ratios, Spread, as_many_alike, influences, resampled_totals, share_interval
from showthrough.statistics._influence import InfluenceSums
from showthrough.statistics.forms import Influences
from showthrough.statistics.intervals import (
    difference_interval,
    fewer,
    freedom,
    number_interval,
    sure_difference_interval,
)
from showthrough.statistics.numerics.distributions import binomial_ends

Counts = list[tuple[int, int]]


def interval(
    hidden: np.ndarray, total: np.ndarray, confidence: float = 0.95, seed: int = 0, block: int = 0
) -> tuple[float, float]:
    """The interval of an entity recall over documents with so many entities, so many of them hidden."""
    rows = Rows.of(hidden=hidden, total=total)
    rows = Blocks(rows.values, block, rows.columns) if block else rows
    sums = resampled_totals(rows, 400, seed)
    ((_, numbers),) = uncertain(EntityRecall(), rows, dict(zip(rows.columns, sums.T, strict=True)))  # it has one part
    (ends,) = numbers.ends(confidence)
    assert ends is not None
    return ends


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


@pytest.mark.slow
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


def spread_of(variance: float, documents: float, weight: float, speaking: float) -> Spread:
    return Spread(*np.array([[variance], [documents], [weight], [speaking]]))


@pytest.mark.parametrize(
    ("value", "spread", "trials"),
    [
        # 0.25 over its variance are 20 trials, and t of 4 degrees (2.776445) makes them 20 (1.959964 / 2.776445)².
        (0.5, spread_of(0.25 / 20, 5, 5, 5), 9.966652),
        (0.5, spread_of(0.25 / 20, 5, 4, 5), 4 + 5.966652 * 4 / 5),  # beyond 4 of 5 it counts by how even they are
        # One that speaks leaves 2 degrees (t is 4.302653): 20 are 4.150048, but no fewer than the 5 that weigh alike;
        (0.5, spread_of(0.25 / 20, 50, 5, 1), 5),
        # of 20 that weigh alike t of 19 degrees (2.093024) leaves 17.537930;
        (0.5, spread_of(0.25 / 20, 20, 20, 1), 17.537930),
        # and of 3, which are fewer than that, the rest counts by 3 / 50: 3 + 1.150048 · 0.06.
        (0.5, spread_of(0.25 / 20, 50, 3, 1), 3.069003),
        (0.5, spread_of(0.25 / 1000, 5, 5, 1.5), 7.5),  # few that deviate are few trials
        (0.5, spread_of(0.25 / 1000, 5, 5, 0.5), 5),  # though no fewer than documents
        (0.5, spread_of(0.0, 7, 5, 0), 7),  # where nothing varies, and
        (1.0, spread_of(0.01, 7, 5, 2), 7),  # at the ends, a document is a trial
        (0.0, spread_of(0.01, 7, 5, 2), 7),
    ],
)
def test_intervals_of_shares_worked_by_hand(value: float, spread: Spread, trials: float) -> None:
    found = [end.item() for end in share_interval(np.array([value]), spread, 0.95)]
    assert found == pytest.approx([end.item() for end in binomial_ends(value * trials, trials, 0.95)], abs=1e-5)


def test_intervals_of_numbers_worked_by_hand() -> None:
    """A standard error of 2 with t of 4 degrees, 2.776445, reaches 5.552890; with t of 2, 4.302653, 8.605306."""
    for value, spread, ends in [
        (10.0, spread_of(4.0, 5, 5, 5), (4.447110, 15.552890)),
        (10.0, spread_of(4.0, 5, 5, 1), (1.394694, 18.605306)),
        (10.0, spread_of(0.04, 5, 5, 5), (9.444711, 10.555289)),  # a tenth of the first
        (1.0, spread_of(4.0, 5, 5, 5), (0.0, 6.552890)),  # what cannot be below 0 is not
        (0.0, spread_of(4.0, 5, 5, 5), (0.0, 5.552890)),
        (-1.0, spread_of(4.0, 5, 5, 5), (-6.552890, 4.552890)),
    ]:
        found = [end.item() for end in number_interval(np.array([value]), spread, 0.95)]
        assert found == pytest.approx(ends, abs=1e-5)
    assert np.isnan(number_interval(np.array([1.0]), spread_of(0.0, 5, 5, 5), 0.95)).all()


def test_degrees_of_freedom() -> None:
    for documents, speaking, degrees in [(5, 5, 4), (5, 1.5, 3), (5, 0.2, 1), (1, 1, 1), (2, 2, 1), (3, 2, 2)]:
        assert freedom(spread_of(1.0, documents, documents, speaking)).item() == degrees
    assert fewer(np.array([0, 1, 16_384, 32_768])).tolist() == [1, 1, 1, 0.5]


def test_what_a_spread_is_made_of() -> None:
    """Moves of 0.3, −0.1 and −0.2: squares of 0.09 + 0.01 + 0.04 = 0.14, and 3/2 of that; 0.14² / 0.0098 = 2 speak.

    Weights of 1, 2 and 3 are as 6² / 14 equal ones. Resamples that vary more count instead, those that are defined.
    """
    moves, weights = np.array([[0.3], [-0.1], [-0.2]]), np.array([[1.0], [2.0], [3.0]])
    each = Influences(moves, weights, np.ones((3, 1)), np.array([0.5]))
    for resampled, variance in [([0.4, 0.6], 0.14), ([0.0, 1.0], 0.25), ([0.0, 1.0, np.nan], 0.25), ([np.nan], 0.14)]:
        found = Spread.of(np.array(resampled)[:, None], each)
        assert found.variance.item() == pytest.approx(variance * 3 / 2)
        assert (found.documents.item(), found.weight.item()) == (3, pytest.approx(36 / 14))
        assert found.speaking.item() == pytest.approx(2)


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
    moved = InfluenceSums(value, np.array([1e7]), move**2, move**4, weights, weights**2 / documents, move)
    spread = Spread.of(value[None], moved)
    assert spread.variance == pytest.approx(1e-12)
    alike = Spread(np.zeros(1), spread.documents, spread.weight, np.zeros(1))
    (low, _), (ten, _) = (share_interval(value, one, 0.95) for one in (spread, alike))
    assert 1 - low[0] > 2 * (1 - ten[0])


def spreads_of(hidden: np.ndarray, total: np.ndarray) -> tuple[np.ndarray, Spread]:
    """The shares of many corpora, which are columns of documents, and how uncertain each is; without resamples."""
    corpora = hidden.shape[1]
    moved = InfluenceSums.of(influences(Ratios(("",) * corpora, np.zeros((2, corpora, 1))), np.stack([hidden, total])))
    return moved.values, Spread.of(moved.values[None], moved)


def test_heavier_documents_may_lie_further_out() -> None:
    """Two documents of two entities, both hidden, and one of four, two of them hidden: 6 of 8, and 1 falls to ½.

    Sizes are ¼, ¼ and ½. Over these the line falls by ½ / ¼ = 2. What documents move, 1/16, 1/16 and −1/8, makes of
    that a noise of 6/16384 over (1/32)² = 3/8, so that 5/8 of it is left: −1.25. Squares of sizes add up to 3/8, of
    even ones to 1/3: sizes are uneven by (3/8 − 1/3)² / (3/8) = 1/216, and documents may be 1 + 600/216 times
    as heavy as ½.
    """
    value, spread = spreads_of(np.array([[2.0], [2.0], [2.0]]), np.array([[2.0], [2.0], [4.0]]))
    assert (value, spread.heaviest) == (0.75, 0.5)
    assert spread.lean == pytest.approx(-1.25 * (0.5 * (1 + 600 / 216) - 0.375))
    (low, high), (usual, same) = (
        share_interval(value, one, 0.95) for one in (spread, replace(spread, heaviest=np.zeros(1)))
    )
    # ln 20 documents of ½ beside the 1 that is there, of which nothing is hidden; nothing above.
    assert (low, high) == (pytest.approx(usual / (1 + 0.5 * np.log(20))), same)


def test_documents_of_one_size_have_the_usual_interval() -> None:
    hidden = np.random.default_rng(0).binomial(7, 0.9, (40, 20)).astype(float)
    _, spread = spreads_of(hidden, np.full((40, 20), 7.0))
    assert (spread.lean == 0).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("documents", "rate"), [(50, 0.01), (50, 0.002), (150, 0.01), (150, 0.002), (500, 0.01), (500, 0.002)]
)
@pytest.mark.parametrize("turned", [False, True])
def test_long_documents_that_leak_more_are_covered(documents: int, rate: float, turned: bool) -> None:
    """Of t entities each leaks with 1 − e^(−rate · t), t being log-normal; intervals as of alike documents: 0.79."""
    random, corpora = np.random.default_rng(1), 1000
    total = np.ceil(random.lognormal(1.5, 1.5, (documents, corpora)))
    hidden = random.binomial(total.astype(int), np.exp(-rate * total)).astype(float)
    sizes = np.ceil(np.random.default_rng(2).lognormal(1.5, 1.5, 4_000_000))
    truth = float((sizes * np.exp(-rate * sizes)).sum() / sizes.sum())
    value, spread = spreads_of(total - hidden if turned else hidden, total)
    low, high = share_interval(value, spread, 0.95)
    truth = 1 - truth if turned else truth
    assert ((low <= truth) & (truth <= high)).mean() >= 0.93


def test_as_many_as_weigh_alike() -> None:
    """39 of one and one of 100: 139² / (39 + 100²) = 1.925."""
    form = Ratios(("",), np.eye(2)[:, None])
    rows = np.array([[0.0, 1.0]] * 39 + [[0.0, 100.0]])
    assert as_many_alike(form, Blocks(rows, 7)) == pytest.approx(139**2 / 10039)
    assert as_many_alike(form, rows * 0) is None
    assert as_many_alike(None, rows) is None
