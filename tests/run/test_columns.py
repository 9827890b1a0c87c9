"""Rows as a run file keeps them."""

from __future__ import annotations

from hypothesis import given, strategies as st

from showthrough.metrics import Rows
from showthrough.run.records import columns_of

NUMBERS = st.one_of(st.integers(-5, 5).map(float), st.floats(), st.sampled_from([2.0**53, 2.0**60, 1e300, -0.0]))


@given(st.lists(NUMBERS, min_size=1))
def test_whole_numbers_stay_whole(values: list[float]) -> None:
    kept = columns_of(Rows.of(a=values, b=[1.0] * len(values)))
    assert kept["b"] == [1] * len(values)
    assert list(map(repr, kept["a"])) == [repr(int(one) if one.is_integer() else one) for one in values]
    assert all(type(one) is int for one in kept["b"])
