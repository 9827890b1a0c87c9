"""Losses at the limits of what is allowed, without a run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from showthrough import PlanError
from showthrough.run.gate.baseline import Baseline
from showthrough.run.pairing import RunPair
from showthrough.statistics import Loss


def against(*names: str, margin: float = 0.0, name: str = "") -> Baseline:
    beside = SimpleNamespace(other=SimpleNamespace(names=list(names)), label="last")
    return Baseline(cast("RunPair", beside), margin, name)


def test_a_loss_is_told_on_its_side_of_the_margin() -> None:
    """0.1004 is more than 0.1, which three digits would not tell."""
    told = against(margin=0.1)._judge(0.1004, NO_TEST, None, bound=False)[1]
    assert told.startswith("worse by 0.1004: no test can show")


NO_TEST = Loss(None, None, "too few")


@pytest.mark.parametrize(
    ("lost", "margin", "bound", "passed"),
    [
        (0.005, 0.0, False, False),  # however small, where nothing tells whether it is chance
        (0.015, 0.01, False, False),
        (1e-13, 0.0, False, True),  # nothing but rounding
        (0.01, 0.01, False, True),
        (0.01, 0.01, True, False),  # not shown to be kept
    ],
)
def test_where_no_test_can_tell(lost: float, margin: float, bound: bool, passed: bool) -> None:
    found, said = against(margin=margin)._judge(lost, NO_TEST, None, bound)
    assert found == passed
    beyond = " by more than 0.01" if margin else ""
    why = "no test can show whether that is chance (too few)"
    worse = f"worse by {lost:.3f}: {why}; --margin allows it"
    assert said == (worse if lost > margin + 1e-12 else f"its value is not worse{beyond}, but {why}")
    assert "is chance (nothing varies)" in against(margin=margin)._judge(lost, Loss(None, None), None, bound)[1]


def test_a_margin_is_told_as_short_as_it_is() -> None:
    """1 and not 1.0, on either side of it."""
    kept = against(margin=1.0)._judge(0.5, Loss(0.5, 0.7), 0.5, bound=True)
    assert kept == (True, "shown not to be worse by more than 1: a loss of more than 0.700 is excluded")
    lost = against(margin=1.0)._judge(2.5, Loss(0.01, 3.0), 0.01, bound=True)
    assert lost == (False, "worse by 2.500, shown to be more than 1 (p = 0.0100)")


@pytest.mark.parametrize("margin", [-0.01, float("inf"), float("nan")])
def test_a_margin_is_no_less_than_nothing(margin: float) -> None:
    with pytest.raises(PlanError, match="expected 0 or more"):
        against("a", margin=margin)


def test_a_test_can_say_one_in_ten_thousand() -> None:
    """The smallest p is 1 / (shuffles + 1), which is 0.0001."""
    assert 1 / (against("a").shuffles + 1) == 0.0001
