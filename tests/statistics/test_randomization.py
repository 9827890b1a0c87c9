from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Mapping
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from in_blocks import Blocks
from showthrough.metrics.base import ratio
from showthrough.statistics import holm, plain_p
from showthrough.statistics._randomization import coins, studentized_p
from showthrough.statistics.forms import Smooth, forms


def exact_p(first: np.ndarray, second: np.ndarray) -> float:
    """All 2^n exchanges of documents: the share whose difference of means is at least the real one."""
    real = abs((first - second).mean())
    count = 0
    for flips in product((False, True), repeat=len(first)):
        flip = np.array(flips)
        one, two = np.where(flip, second, first), np.where(flip, first, second)
        count += abs((one - two).mean()) >= real - 1e-12
    return count / 2 ** len(first)


def approximate_p(first: np.ndarray, second: np.ndarray, shuffles: int, block: int = 100) -> float:
    systems = [Blocks(side[:, None], block) for side in (first, second)]
    found = plain_p(lambda totals: {"": totals["x"]}, ["x"], systems, [""], shuffles, 0)
    p = found["", 0, 1]
    assert p is not None
    return p


def test_agrees_with_exact_enumeration() -> None:
    random = np.random.default_rng(3)
    for _ in range(5):
        first, second = random.random(8), random.random(8)
        exact = exact_p(first, second)
        assert approximate_p(first, second, 9999) == pytest.approx(exact, abs=0.02)
        assert approximate_p(first, second, 9999, block=3) == pytest.approx(exact, abs=0.02)


def test_equal_sides_give_one_and_clear_ones_the_smallest_value() -> None:
    same = np.random.default_rng(0).random(30)
    assert approximate_p(same, same, 999) == 1.0
    assert approximate_p(same + 1, same, 9999) == 1 / 10_000


def test_blocks_hold_all_shuffles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.statistics._randomization._CELLS", 30)  # three shuffles at a time
    blocks = list(coins(10, 10, 0))
    assert [len(block) for block in blocks] == [3, 3, 3, 1]
    assert len(np.unique(np.concatenate(blocks), axis=0)) > 1


def test_undefined_shuffles_never_make_a_result_surer() -> None:
    """Who has the one word that counts: exchanging either document alone leaves one side without any."""
    one, two = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [0.0, 1.0]])

    def share(totals: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {"": ratio(totals["right"], totals["all"])}

    # No exchange: 1 − 0; both: 0 − 1, as large; one of them: undefined.
    assert plain_p(share, ["right", "all"], [one, two], [""], 999, 0) == {("", 0, 1): 1.0}
    nothing = np.zeros((2, 2))
    assert plain_p(share, ["right", "all"], [one, nothing], [""], 99, 0) == {("", 0, 1): None}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_never_lowers_and_keeps_the_order(values: list[float]) -> None:
    corrected = holm(values)
    assert all(after >= before for before, after in zip(values, corrected, strict=True))
    assert all(value <= 1 for value in corrected)
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [corrected[i] for i in order] == sorted(corrected)


def test_holm_by_hand() -> None:
    # 0.005 × 4, 0.01 × 3, 0.03 × 2, 0.04 × 1, each at least the one before: 0.02, 0.03, 0.06, 0.06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def share(totals: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"": totals["hidden"] / totals["all"]}


def many_systems(count: int, documents: int) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    whole = random.integers(1, 9, documents)
    return [np.stack([random.binomial(whole, 0.8), whole], axis=1).astype(float) for _ in range(count)]


@pytest.mark.parametrize("block", [30, 13])
def test_pairs_of_many_systems_are_tested_as_each_would_be_alone(block: int) -> None:
    systems = [Blocks(one, block) for one in many_systems(4, 30)]
    found = plain_p(share, ["hidden", "all"], systems, [""], 200, 0)
    assert set(found) == {("", *pair) for pair in combinations(range(4), 2)}
    for one, two in combinations(range(4), 2):
        alone = plain_p(share, ["hidden", "all"], [systems[one], systems[two]], [""], 200, 0)
        assert found["", one, two] == alone["", 0, 1]
    assert len(set(found.values())) > 3


@pytest.mark.parametrize("block", [30, 13])
@pytest.mark.parametrize("alike", [True, False])
def test_a_share_is_tested_as_any_form_of_the_same_value_is(block: int, alike: bool) -> None:
    """Ratios have formulas of their own, whether the same counts in both systems or not."""
    random = np.random.default_rng(2)
    wholes = random.integers(1, 9, (6, 30)) if not alike else [random.integers(1, 9, 30)] * 6
    tables = [np.stack([random.binomial(whole, 0.8), whole], axis=1).astype(float) for whole in wholes]
    systems = [Blocks(one, block) for one in tables]
    any_form = Smooth("", share, ("hidden", "all"), (0, 1))
    found, expected = (
        studentized_p(form, systems, 999, 0) for form in (*forms(share, ["hidden", "all"], [""]), any_form)
    )
    for pair in combinations(range(6), 2):
        assert found[pair].tolist() == pytest.approx(expected[pair].tolist(), abs=0.0015)  # a shuffle may be a tie


@pytest.mark.parametrize("block", [30, 13])
def test_parts_are_tested_as_each_would_be_alone(block: int) -> None:
    def parts(totals: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {"hidden": totals["hidden"] / totals["all"], "seen": totals["seen"] / totals["all"]}

    columns, random = ["hidden", "all", "seen"], np.random.default_rng(1)
    systems = [
        Blocks(np.hstack([one, random.binomial(one[:, 1:].astype(int), 0.5)]), block) for one in many_systems(3, 30)
    ]
    (both,) = forms(parts, columns, ["hidden", "seen"])
    found = studentized_p(both, systems, 200, 0)
    alone = [studentized_p(*forms(parts, columns, [part]), systems, 200, 0) for part in ("hidden", "seen")]
    for pair in combinations(range(3), 2):
        assert found[pair].tolist() == [one[pair].item() for one in alone]
    assert len({p for pair in found.values() for p in pair.tolist()}) > 3


@pytest.mark.parametrize("block", [30, 13])
@pytest.mark.parametrize(("pairs", "held"), [(1, 10), (3, 1_000), (10**6, 10**9)])
def test_how_many_pairs_go_together_moves_no_p_value(
    pairs: int, held: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (form,) = forms(share, ["hidden", "all"], [""])
    systems = [Blocks(one, block) for one in many_systems(7, 30)]
    usual = studentized_p(form, systems, 500, 0)
    assert sorted(usual) == list(combinations(range(7), 2))
    monkeypatch.setattr("showthrough.statistics._randomization._PAIRS", pairs)
    monkeypatch.setattr("showthrough.statistics._randomization._HELD", held)
    found = studentized_p(form, systems, 500, 0)
    assert {pair: p.tolist() for pair, p in found.items()} == {pair: p.tolist() for pair, p in usual.items()}


def test_memory_follows_systems_and_not_their_pairs() -> None:
    # 60 systems have 1,770 pairs: a column of each for 1,000 documents alone would be 1,770 · 1,000 · 8 = 14 MB.
    (form,) = forms(share, ["hidden", "all"], [""])
    peaks = []
    for count in (15, 60):
        systems = many_systems(count, 1_000)
        gc.collect()
        tracemalloc.start()
        studentized_p(form, systems, 256, 0)
        peaks.append(tracemalloc.get_traced_memory()[1] / 1e6)
        tracemalloc.stop()
    assert peaks[1] < 14
    assert peaks[1] < 4 * peaks[0]
