"""Success against a control: anonymeter's estimates, and whose texts stand in."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.statistics.numerics.control import above, pick_partners, rate

# anonymeter 1.1.0: residual_success(success_rate(n, s, level), success_rate(n_c, c, level)).to_risk()
ANONYMETER = [
    ((100, 30, 100, 10, 0.95), 0.21757877823964158, (0.10463496526435635, 0.33052259121492683)),
    ((50, 50, 50, 0, 0.95), 0.9630065017930143, (0.925987699089575, 1.0)),
    ((127, 12, 127, 13, 0.95), 0.0, (0.0, 0.07536109839351957)),
    ((20, 5, 200, 40, 0.9), 0.09520817347489197, (0.0, 0.293808555891748)),
]


@pytest.mark.parametrize(("asked", "value", "ends"), ANONYMETER)
def test_it_is_anonymeters(asked: tuple[int, int, int, int, float], value: float, ends: tuple[float, float]) -> None:
    tries, successes, control_tries, control, confidence = asked
    risk = above(rate(successes, tries, confidence), rate(control, control_tries, confidence))
    assert np.clip(risk.value, 0, 1) == pytest.approx(value, abs=1e-9)
    assert risk.ends == pytest.approx(ends, abs=1e-9)


def test_without_tries_nothing_is_known() -> None:
    assert np.isnan(rate(0, 0).value)
    assert rate([1.0, 2.5], [2.0, 4.0]).value.shape == (2,)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30), st.integers(0, 5))
def test_others_are_of_other_groups(groups: list[str], seed: int) -> None:
    keys = [f"d{number:02}" for number in range(len(groups))]
    found = pick_partners(keys, groups, seed)
    if len({*groups}) == 1:
        assert found.tolist() == [-1] * len(groups)
        return
    assert all(groups[other] != own for other, own in zip(found.tolist(), groups, strict=True))
    turned = pick_partners(keys[::-1], groups[::-1], seed)  # the order in which they come does not matter
    assert [keys[other] for other in found.tolist()] == [keys[::-1][other] for other in turned.tolist()][::-1]


def test_each_is_taken_once_where_no_group_is_large() -> None:
    found = pick_partners(list("abcdefgh"), list("aabbccdd"), 3)
    assert sorted(found.tolist()) == list(range(8))
