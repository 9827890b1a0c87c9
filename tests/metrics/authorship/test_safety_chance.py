"""How sure safety is: intervals that contain what is so, and tests that find no difference where there is none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from showthrough.core.arrays import Floats
from showthrough.evaluation._scoring import drawn_again, uncertain
from showthrough.families.authorship.problems import Problems
from showthrough.families.authorship.safety import counted_by
from showthrough.metrics import HEADLINE, Rows, Safety
from showthrough.run.settings import RecordedSettings
from showthrough.statistics import pair_tests

COUNT, OPEN, FOUND, RIGHT, LOST = 60, 0.1, 0.65, 0.6, 0.3
METRIC = Safety()


def problems() -> Problems:
    ids, each, none = [f"d{at}" for at in range(COUNT)], np.arange(COUNT), np.zeros(COUNT, dtype=bool)
    return Problems(ids, each, [("known",)] * COUNT, ~none, ~none, each, COUNT, none, none, has_questions=True)


def said(random: np.random.Generator, hard: Floats) -> Floats:
    """Answers, of which some are left open; what is hard for one verifier is mostly hard for the other too."""
    own = np.where(random.random(COUNT) < 0.6, hard, random.random(COUNT))
    return np.where(random.random(COUNT) < OPEN, 0.5, np.where(own < RIGHT, 0.9, 0.1))


def tables(seed: int, systems: int) -> Iterator[Rows]:
    """Two equally good verifiers, and one whose answers masking turns; on equally good systems."""
    random = np.random.default_rng(seed)
    hard = random.random(COUNT)
    before = np.where(random.random(COUNT) < FOUND, 0.9, 0.1)
    for _ in range(systems):
        turned = np.where(random.random(COUNT) < LOST, 1 - before, before)
        answers = {"one": said(random, hard), "two": said(random, hard), "turned": turned}
        columns = {
            f"{statistic}:{name}": column
            for name, after in answers.items()
            for statistic, column in counted_by(problems(), before, after).items()
        }
        yield Rows.named(columns)


@pytest.mark.slow
def test_intervals_contain_what_is_so() -> None:
    """Of 80 corpora, 95 % are more than 69 nearly always."""
    true = {"c@1:one": (1 - OPEN) * RIGHT * (1 + OPEN), "lost:turned": LOST}
    true[HEADLINE] = true["c@1:one"]  # the largest of two that are alike, beside one that is worse
    inside = dict.fromkeys(true, 0)
    for seed in range(80):
        (rows,) = tables(seed, 1)
        (again,) = drawn_again([rows], RecordedSettings(resamples=100))
        for parts, numbers in uncertain(METRIC, rows, again, only=true):
            for part, ends in zip(parts, numbers.ends(0.95), strict=True):
                assert ends is not None
                inside[part] += ends[0] <= true[part] <= ends[1]
    assert all(count > 69 for count in inside.values()), inside


@pytest.mark.slow
@pytest.mark.parametrize("part", [HEADLINE, "c@1:one", "lost:turned"])
def test_equally_good_maskers_seldom_differ(part: str) -> None:
    """Of 60 pairs, 5 % are at most 7 nearly always."""
    found = 0
    for seed in range(60):
        one, two = tables(1000 + seed, 2)
        (test,) = pair_tests(METRIC.combine, one.columns, [one.values, two.values], [part], 99, seed)
        found += test.p is not None and test.p <= 0.05
    assert found <= 7
