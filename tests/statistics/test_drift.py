"""Days against the month before them: what raises an alarm, and what does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from showthrough.statistics.drift import LOOKS, WINDOWS, DayTotals, Rate, _alike, find_drift

ONE = (Rate("finds", both_ways=False),)


def days_of(counted: list[list[float]], by: list[list[float]]) -> DayTotals:
    """One rate: the documents of each day."""
    one, other = ([np.array(day, dtype=float) for day in values] for values in (counted, by))
    sums = [[values.sum()] for values in one], [[values.sum()] for values in other]
    squares = (
        [[(a * b).sum()] for a, b in zip(left, right, strict=True)]
        for left, right in ((one, one), (one, other), (other, other))
    )
    return DayTotals(np.array([float(len(day)) for day in one]), *map(np.array, (*sums, *squares)))


def finds(*per_day: int, documents: int = 100) -> DayTotals:
    """Days of documents of a word each, so many of which have a find."""
    counted = [[1.0] * found + [0.0] * (documents - found) for found in per_day]
    return days_of(counted, [[1.0] * documents] * len(per_day))


def drawn(seed: int, months: int = 1, mean: float = 5.0, rates: int = 1, watched: int = LOOKS) -> DayTotals:
    """Quiet months of 30 days and those that are watched, of documents of 100 words each."""
    random = np.random.default_rng(seed)
    counted = random.poisson(mean / 100, (months, 30 + watched, 100, rates)).astype(float)
    by = np.ones_like(counted)
    products = ((counted * counted).sum(2), counted.sum(2), by.sum(2))
    return DayTotals(by[..., 0].sum(2), counted.sum(2), by.sum(2), *products)


def test_rates_of_reference_and_windows() -> None:
    """2 of 100 on each of 10 days; then 3, 4 and 5: the last day 5, and all so far 12 of 300."""
    drift = find_drift(finds(*[2] * 10, 3, 4, 5), 10, ONE)
    assert drift.reference.tolist() == [0.02]
    assert drift.rates.shape == (3, len(WINDOWS), 1)
    assert drift.rates[2, :, 0].tolist() == [0.05, 0.04, 0.04]
    assert not drift.any


def test_a_jump_is_found_on_its_day_and_a_fall_only_where_it_is_asked_for() -> None:
    reference = [9, 11, 10, 12, 8] * 6
    up, down = finds(*reference, 10, 40), finds(*reference, 10, 0, 0, 0, 0, 0, 0)
    assert np.flatnonzero(find_drift(up, 30, ONE).alarms.any(axis=(-2, -1))).tolist() == [1]
    assert not find_drift(down, 30, ONE).any
    fallen = find_drift(down, 30, (Rate("finds"),)).alarms
    assert fallen.min() == -1
    assert fallen.max() == 0


@pytest.mark.parametrize(("found", "alarm"), [(1, False), (2, False), (8, True)])
def test_rare_finds_need_more_than_one(found: int, alarm: bool) -> None:
    """None in 30 days: 8 on one day are 8 of 8 in a 31st of the days, (1/31)^8; 2 are 0.001, for one look of 93."""
    assert find_drift(finds(*[0] * 30, found), 30, ONE).any == alarm


def test_days_that_differ_anyway_raise_no_alarm_by_differing() -> None:
    """Days of 2 or 18 finds: a day of 20 is like them. Where every day has 10, it is not."""
    assert not find_drift(finds(*[2, 18] * 15, 20), 30, ONE).any
    assert find_drift(finds(*[10] * 30, 40), 30, ONE).any


def test_nothing_to_count_by_raises_none() -> None:
    """Shares among finds where nobody finds anything, and a day without documents."""
    nothing = days_of([[0.0] * 5] * 12, [[0.0] * 5] * 12)
    with np.errstate(all="raise"):
        drift = find_drift(nothing, 10, (Rate("share"),))
        assert not drift.any
        assert np.isnan(drift.reference).all()
        assert not find_drift(days_of([[1.0, 0.0]] * 11 + [[]], [[1.0, 1.0]] * 11 + [[]]), 10, ONE).any


def test_months_together_are_what_they_are_alone() -> None:
    every = drawn(1, months=3, rates=2)
    rates = (Rate("a", weight=3.0), Rate("b", counts=False))
    together = find_drift(every, 30, rates)
    for number in range(3):
        alone = find_drift(DayTotals(*(values[number] for values in vars(every).values())), 30, rates)
        assert (alone.alarms == together.alarms[number]).all()


def test_a_month_cannot_know_the_days_to_come() -> None:
    """The looks of some days are those of the same days in a longer month."""
    every = drawn(2, mean=3.0)
    first = DayTotals(*(values[:, :40] for values in vars(every).values()))
    assert (find_drift(first, 30, ONE).alarms == find_drift(every, 30, ONE).alarms[:, :10]).all()


def test_more_weight_is_more_of_the_error() -> None:
    """A limit of one rate alone is lower than beside nine others, unless it has nearly all of the error."""
    reference, alarms = [9, 11, 10, 12, 8] * 6, []
    for weight in (1.0, 1000.0):
        rates = (replace(ONE[0], weight=weight), *[Rate("other")] * 9)
        days = finds(*reference, 24)
        wide = DayTotals(days.documents, *(np.repeat(values, 10, axis=-1) for values in [*vars(days).values()][1:]))
        alarms.append(bool(find_drift(wide, 30, rates).alarms[..., 0].any()))
    assert alarms == [False, True]


def test_quiet_months_raise_few_alarms() -> None:
    """500 months: at most 5 % and two standard errors. `benchmarks/drift.py` tries many kinds of months."""
    assert find_drift(drawn(3, months=500, rates=3), 30, tuple(Rate(str(one)) for one in range(3))).any.mean() <= 0.07


def test_a_rate_that_doubles_is_found_within_a_week() -> None:
    quiet, loud = drawn(4, months=50, mean=10, watched=7), drawn(5, months=50, mean=20, watched=7)
    both = DayTotals(
        *(
            np.concatenate([a[:, :30], b[:, 30:]], axis=1)
            for a, b in zip(*(vars(x).values() for x in (quiet, loud)), strict=True)
        )
    )
    assert find_drift(both, 30, ONE).any.mean() >= 0.9


def test_days_that_are_like_the_day_before_need_more() -> None:
    """Days of 4 and of 16 finds, in turns or five of a kind: a week of 20 is a run like those before, or is not."""
    turns, runs, week = [4, 16] * 15, ([4] * 5 + [16] * 5) * 3, [20] * 7
    assert find_drift(finds(*turns, *week), 30, ONE).any
    assert not find_drift(finds(*runs, *week), 30, ONE).any


@pytest.mark.parametrize(("memory", "days", "times"), [(0.0, 7, 1.0), (0.5, 1, 1.0), (0.5, 2, 1.5), (0.5, 3, 11 / 6)])
def test_the_mean_of_days_that_are_alike_varies_more(memory: float, days: int, times: float) -> None:
    """Of two: 1 + 0.5. Of three: 1 + 2 · (2/3 · 0.5 + 1/3 · 0.25) = 11/6."""
    assert _alike(np.array(memory), np.array(days)) == pytest.approx(times)
