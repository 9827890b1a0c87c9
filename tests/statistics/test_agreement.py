"""Coefficients of agreement against worked examples of the literature and their plain definitions."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.statistics.agreement import (
    NO_PAIR,
    ONE_CATEGORY,
    Coefficient,
    Level,
    cohen,
    count_ratings,
    fleiss,
    krippendorff,
    observed_agreement,
)

Ratings = list[list[int | None]]

# Fleiss (1971), table 1: 30 patients, 6 psychiatrists each; depression, personality disorder, schizophrenia, neurosis,
# other.
PSYCHIATRISTS = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
# Ten subjects, fourteen raters, five categories: the example of textbooks and of Wikipedia's page on Fleiss' kappa.
FOURTEEN = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1], [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
# Krippendorff (2011), section C: four observers, twelve units, missing values.
FOUR: Ratings = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_cohen_1960() -> None:
    """Cohen (1960), table 1: two clinicians, 200 patients. p_o = 140 / 200 = 0.70, p_e = 0.41, κ = 0.29 / 0.59."""
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    assert cohen(table).value == pytest.approx((0.70 - 0.41) / (1 - 0.41))
    assert cohen(table).value == pytest.approx(0.492, abs=0.0005)


def test_fleiss_1971() -> None:
    """Fleiss (1971): P̄ = 0.556, P̄_e = 0.220, κ = 0.430."""
    counts = [list(map(int, row)) for row in PSYCHIATRISTS.split()]
    assert np.sum(counts, axis=0).tolist() == [26, 26, 30, 55, 43]  # his column totals, of 180
    assert observed_agreement(counts).value == pytest.approx(5 / 9)
    expected = (26**2 + 26**2 + 30**2 + 55**2 + 43**2) / 180**2
    assert fleiss(counts).value == pytest.approx((5 / 9 - expected) / (1 - expected))
    assert fleiss(counts).value == pytest.approx(0.430, abs=0.0005)


def test_fourteen_raters() -> None:
    """P̄ = 0.378, P̄_e = 0.213, κ = 0.210."""
    assert observed_agreement(FOURTEEN).value == pytest.approx(0.378, abs=0.0005)
    assert fleiss(FOURTEEN).value == pytest.approx(0.210, abs=0.0005)


def test_raters_that_vary() -> None:
    """By hand: items aa, aab, ab, b. Agreement 1, 1/3, 0 of three items; π_a = (1 + 2/3 + 1/2 + 0) / 4 = 13/24."""
    counts = [[2, 0], [2, 1], [1, 1], [0, 1]]
    agreeing, chance = (1 + 1 / 3) / 3, (13 / 24) ** 2 + (11 / 24) ** 2
    assert observed_agreement(counts).value == pytest.approx(agreeing)
    assert fleiss(counts).value == pytest.approx((agreeing - chance) / (1 - chance))


def test_krippendorff_2011_binary() -> None:
    """Section A: two observers, ten units, 0 or 1. α = 1 − (20 − 1) · 4 / (14 · 6) = 0.095."""
    ratings = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
    assert krippendorff(count_ratings(ratings)[0]).value == pytest.approx(1 - 19 * 4 / (14 * 6))
    assert krippendorff(count_ratings(ratings)[0]).value == pytest.approx(0.095, abs=0.0005)


def test_krippendorff_2011_nominal() -> None:
    """Section B: two observers, twelve units, five categories. α = 0.692."""
    ratings = ["aabbdcccedda", "babbbccceddd"]
    assert krippendorff(count_ratings(ratings)[0]).value == pytest.approx(0.692, abs=0.0005)


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_2011_missing_values(level: Level, alpha: float) -> None:
    counts, values = count_ratings(FOUR)
    assert krippendorff(counts, level=level, values=values).value == pytest.approx(alpha, abs=0.0005)


def test_a_weight_of_two_is_the_same_item_twice() -> None:
    counts, weights = np.array([[3, 0], [1, 2], [2, 1], [0, 2]]), np.array([2, 1, 3, 1])
    every = np.repeat(counts, weights, axis=0)
    for coefficient in (fleiss, krippendorff):
        assert coefficient(counts, weights).value == pytest.approx(coefficient(every).value)


def test_nothing_to_tell_from_chance() -> None:
    assert observed_agreement([[2, 0], [2, 0]]) == Coefficient(1.0)
    for found in (fleiss([[2, 0], [2, 0]]), krippendorff([[2, 0], [2, 0]]), cohen([[4, 0], [0, 0]])):
        assert found == Coefficient(None, ONE_CATEGORY)
    assert krippendorff([[2, 0], [2, 0]], level="ordinal") == Coefficient(None, ONE_CATEGORY)


@pytest.mark.parametrize("counts", [np.zeros((0, 2)), np.zeros((3, 0)), [[1, 0], [0, 1]], [[0, 0]]])
def test_nothing_rated_by_two(counts: object) -> None:
    for found in (observed_agreement(counts), fleiss(counts), krippendorff(counts), cohen(np.zeros((2, 2)))):  # type: ignore[arg-type]
        assert found == Coefficient(None, NO_PAIR)


def test_interval_ratings_need_values() -> None:
    with pytest.raises(ValueError, match="values"):
        krippendorff([[1, 1]], level="interval")


ratings = st.integers(1, 8).flatmap(
    lambda items: st.lists(
        st.lists(st.none() | st.integers(0, 3), min_size=items, max_size=items), min_size=2, max_size=5
    )
)


def plain_alpha(rated: Ratings, level: Level) -> float | None:
    """By its definition: all ordered pairs of values inside units, against all pairs of pairable values."""
    units = [[row[item] for row in rated if row[item] is not None] for item in range(len(rated[0]))]
    units = [unit for unit in units if len(unit) > 1]
    every = [value for unit in units for value in unit]

    def distance(one: int, two: int) -> float:
        if level == "nominal":
            return float(one != two)
        if level == "interval":
            return float(one - two) ** 2
        low, high = sorted((one, two))
        between = sum(every.count(value) for value in range(low, high + 1))
        return (between - (every.count(low) + every.count(high)) / 2) ** 2

    seen = sum(distance(*pair) / (len(unit) - 1) for unit in units for pair in permutations(unit, 2))
    chance = sum(distance(*pair) for pair in permutations(every, 2))
    return 1 - (len(every) - 1) * seen / chance if chance else None


@given(ratings, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_its_plain_definition(rated: Ratings, level: Level) -> None:
    counts, values = count_ratings(rated)
    found, expected = krippendorff(counts, level=level, values=values).value, plain_alpha(rated, level)
    assert (found is None) == (expected is None)
    assert found is None or found == pytest.approx(expected, abs=1e-9)


@given(ratings, st.permutations(range(4)), st.randoms())
def test_names_and_order_do_not_matter(rated: Ratings, names: list[int], random: object) -> None:
    """Other names of categories, raters and items in another order."""
    shuffled = [[None if one is None else names[one] for one in row] for row in rated]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for coefficient in (observed_agreement, fleiss, krippendorff):
        one, two = coefficient(count_ratings(rated)[0]), coefficient(count_ratings(shuffled)[0])
        assert one.reason == two.reason
        assert one.value == pytest.approx(two.value, abs=1e-9)


@given(ratings, st.data())
def test_weights_are_repeated_items(rated: Ratings, data: st.DataObject) -> None:
    counts, values = count_ratings(rated)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(counts), max_size=len(counts)))
    repeated = np.repeat(counts, weights, axis=0)
    for coefficient in (observed_agreement, fleiss, krippendorff):
        assert coefficient(counts, weights).value == pytest.approx(coefficient(repeated).value, abs=1e-9)
    for level in ("ordinal", "interval"):
        one = krippendorff(counts, weights, level, values).value
        assert one == pytest.approx(krippendorff(repeated, None, level, values).value, abs=1e-9)


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3))
def test_cohen_is_its_plain_definition(table: list[list[int]]) -> None:
    whole = sum(map(sum, table))
    rows, columns = [sum(row) for row in table], [sum(row) for row in zip(*table, strict=True)]
    found = cohen(table).value
    if not whole or sum(one * two for one, two in zip(rows, columns, strict=True)) == whole**2:
        assert found is None
    else:
        agreeing = sum(table[place][place] for place in range(3)) / whole
        chance = sum(one * two for one, two in zip(rows, columns, strict=True)) / whole**2
        assert found == pytest.approx((agreeing - chance) / (1 - chance), abs=1e-9)
