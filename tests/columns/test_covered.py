"""Ranges that come in any order: what is there, and what is left."""

from __future__ import annotations

from hypothesis import given, strategies as st

from showthrough.storage.columns.ranges import RangeSet

RANGES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6)), max_size=12)


@given(RANGES, st.integers(0, 45), st.integers(0, 8))
def test_it_is_a_set_of_numbers(pairs: list[tuple[int, int]], start: int, size: int) -> None:
    covered, there = RangeSet(), set[int]()
    for low, length in pairs:
        numbers = range(low, low + length)
        if not there & {*numbers}:
            covered = covered.with_more(numbers)
            there |= {*numbers}
    asked = range(start, start + size)
    assert covered.count == len(there)
    assert covered.meets(asked) == bool(there & {*asked})
    assert covered.holds(asked) == (there >= {*asked})
    assert [number for part in covered.gaps(50) for number in part] == sorted({*range(50)} - there)
    assert [number for part in covered.ranges for number in part] == sorted(there)
    parts = list(covered.parts(asked))
    assert [number for part in parts for number in part] == [*asked]
    assert all(len({number in there for number in part}) == 1 for part in parts)
