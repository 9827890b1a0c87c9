"""A group against the rest: worked by hand, on both sides of a unit, and what is too small to say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from showthrough.core.arrays import Floats
from showthrough.statistics import GroupSums, Ratios, group_tests, holm, side_by_side

SHARE = Ratios(("",), np.zeros((2, 1, 0)))


def table(hidden: Floats, total: Floats, inside: Floats) -> GroupSums:
    rows = np.stack([hidden, total])[:, :, None].astype(float)
    return GroupSums(SHARE, rows * inside[None, :, None], rows * ~inside[None, :, None])


def of_shares(hidden: list[float], total: list[float], group: list[int], shuffles: int = 999):
    inside = np.array(group, dtype=bool)
    sums = table(np.array(hidden, dtype=float), np.array(total, dtype=float), inside)
    return group_tests([sums], inside, ~inside, shuffles, 0)[0]


def test_the_error_of_a_difference_by_hand() -> None:
    # Group: 2/2, 1/2, 2/2, 1/2, 2/2, so 8/10. Rest: 1/2, 0/2, 1/2, 1/2, 0/2, 1/2, so 4/12.
    result = of_shares([2, 1, 2, 1, 2, 1, 0, 1, 1, 0, 1], [2] * 11, [1] * 5 + [0] * 6)
    # Moves of the group: (h - 0.8 · 2) / 10: three of 0.04 and two of -0.06, squares 0.012, times 5/4.
    # Of the rest: (h - 2/3) / 12: four of 1/36 and two of -1/18, squares 12/1296, times 6/5.
    error = math.sqrt(0.012 * 5 / 4 + 12 / 1296 * 6 / 5)
    (test,) = result.tests
    assert test.error == pytest.approx(error)
    assert (result.inside.values[0], result.outside.values[0]) == pytest.approx((0.8, 1 / 3))
    assert test.p is not None
    assert 0.001 < test.p < 0.05


def test_every_exchange_that_there_is_gives_the_exact_p() -> None:
    # One of 10 choose 5 = 252 ways to draw a group is the best, and its mirror image is as far: 2 in 252.
    hidden = [1.0, 0.9, 0.8, 0.95, 0.85, 0.1, 0.2, 0.15, 0.05, 0.3]
    (test,) = of_shares(hidden, [1] * 10, [1] * 5 + [0] * 5, shuffles=20_000).tests
    assert test.p == pytest.approx(2 / 252, abs=0.004)


@pytest.mark.parametrize(("inside", "says"), [(4, "4 documents in the group"), (1, "1 document in the group")])
def test_fewer_than_five_are_not_tested(inside: int, says: str) -> None:
    (test,) = of_shares([1] * inside + [0] * 20, [1] * (inside + 20), [1] * inside + [0] * 20).tests
    assert test.p is None
    assert test.fault.startswith(f"too few to say: {says}")


def test_a_rest_of_fewer_than_five_is_not_tested_either() -> None:
    (test,) = of_shares([1] * 20 + [0] * 3, [1] * 23, [1] * 20 + [0] * 3).tests
    assert test.p is None
    assert "3 documents outside the group" in test.fault


def test_only_units_that_count_are_counted() -> None:
    # Ten documents in the group, and six of them have nothing to count.
    (test,) = of_shares([1] * 4 + [0] * 6 + [0] * 20, [1] * 4 + [0] * 6 + [1] * 20, [1] * 10 + [0] * 20).tests
    assert test.p is None
    assert "4 documents in the group" in test.fault


def test_equal_groups_do_not_differ() -> None:
    (test,) = of_shares([1, 0] * 10, [1] * 20, [1] * 10 + [0] * 10).tests
    assert test.p == 1.0


def test_units_on_both_sides_exchange_their_sides() -> None:
    """Twelve people with a document in each group: what they have in common is no difference."""
    random = np.random.default_rng(3)
    person = random.uniform(0, 8, 12).round()
    inside, outside = person + 1, person  # of ten each: always 0.1 more
    sums = GroupSums(
        SHARE,
        np.stack([inside, np.full(12, 10.0)])[:, :, None],
        np.stack([outside, np.full(12, 10.0)])[:, :, None],
    )
    everyone = np.ones(12, dtype=bool)
    (paired,) = group_tests([sums], everyone, everyone, 1999, 0)[0].tests
    assert paired.error == pytest.approx(0.0, abs=1e-12)  # each differs by the same
    # Two of 2 ** 12 ways are as far; their error is none, and so is that of every unit that stays.
    assert paired.p is not None
    assert paired.p <= 0.01
    apart = of_shares([*inside, *outside], [10] * 24, [1] * 12 + [0] * 12).tests[0]
    assert apart.p is not None
    assert apart.p > 0.05


def test_of_very_many_units_the_larger_side_is_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is that of all units; only shuffles leave some out, and none where both sides are large."""
    random = np.random.default_rng(2)
    inside = np.arange(300) < 20
    hidden = random.binomial(2, np.where(inside, 0.4, 0.9)).astype(float)
    arguments = [table(hidden, np.full(300, 2.0), inside)], inside, ~inside, 999, 0
    (every,) = group_tests(*arguments)[0].tests
    monkeypatch.setattr("showthrough.statistics._groups._MANY", 100)
    (some,) = group_tests(*arguments)[0].tests
    assert (some.error, some.freedom) == (every.error, every.freedom)
    assert some.p is not None
    assert some.p <= 0.01
    monkeypatch.setattr("showthrough.statistics._groups._MANY", 30)
    (by_t,) = group_tests(*arguments)[0].tests
    assert by_t.p == pytest.approx(group_tests(*arguments[:3], 0, 0)[0].tests[0].p)


def test_parts_side_by_side_have_the_tests_of_each() -> None:
    random = np.random.default_rng(1)
    inside = np.arange(30) < 12
    tables = [table(random.binomial(4, share, 30).astype(float), np.full(30, 4.0), inside) for share in (0.3, 0.8)]
    (together,) = group_tests([side_by_side(tables)], inside, ~inside, 199, 5)
    alone = [group_tests([each], inside, ~inside, 199, 5)[0].tests[0] for each in tables]
    assert [test.p for test in together.tests] == [test.p for test in alone]
    assert [test.error for test in together.tests] == pytest.approx([test.error for test in alone])


@pytest.mark.slow
@pytest.mark.parametrize(("share", "gap", "least", "most"), [(0.95, 0.0, 0.0, 0.05), (0.95, 0.15, 0.8, 1.0)])
def test_equal_groups_rarely_differ_and_a_gap_is_seen(share: float, gap: float, least: float, most: float) -> None:
    """Four groups of 60 documents with two identifiers each, over all groups together."""
    random, differs = np.random.default_rng(8), 0
    group = np.repeat(np.arange(4), 60)
    for _ in range(100):
        hidden = random.binomial(2, np.where(group == 0, share - gap, share)).astype(float)
        values = []
        for number in range(4):
            inside = group == number
            (test,) = group_tests([table(hidden, np.full(240, 2.0), inside)], inside, ~inside, 999, 1)[0].tests
            values.append(1.0 if test.p is None else test.p)
        corrected = holm(values)
        differs += min(corrected) <= 0.05 if not gap else corrected[0] <= 0.05
    assert least <= differs / 100 <= most
