"""Windows over long texts: every token decided once, where it sees most."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.systems.encoders._examples import usual_stride, windows_of

sizes = st.integers(1, 40).flatmap(lambda room: st.tuples(st.just(room), st.integers(1, room)))


@given(length=st.integers(0, 300), size=sizes)
def test_every_token_is_decided_once(length: int, size: tuple[int, int]) -> None:
    windows = windows_of(length, *size)
    decided = [np.arange(first, last) for first, last in zip(windows.first, windows.last, strict=True)]
    assert np.concatenate([np.arange(0), *decided]).tolist() == list(range(length))
    assert len(windows) == len(windows.end) == len(windows.first) == len(windows.last)
    assert all(len(one) for one in decided)


@given(length=st.integers(1, 300), size=sizes)
def test_windows_are_full_and_no_farther_apart_than_asked(length: int, size: tuple[int, int]) -> None:
    room, stride = size
    windows = windows_of(length, room, stride)
    assert ((windows.end - windows.begin) == min(room, length)).all()
    assert (np.diff(windows.begin) <= stride).all()
    assert windows.begin[0] == 0
    assert windows.end[-1] == length
    assert (windows.begin <= windows.first).all()
    assert (windows.last <= windows.end).all()


@given(length=st.integers(1, 120), size=sizes)
def test_a_token_is_decided_where_it_sees_most_on_its_poorer_side(length: int, size: tuple[int, int]) -> None:
    """What a text's own border cuts off is no loss."""
    windows = windows_of(length, *size)

    def seen(token: int, window: int) -> float:
        begin, end = windows.begin[window], windows.end[window]
        return min(token - begin if begin else np.inf, end - 1 - token if end < length else np.inf)

    for token in range(length):
        able = [n for n in range(len(windows)) if windows.begin[n] <= token < windows.end[n]]
        owner = next(n for n in range(len(windows)) if windows.first[n] <= token < windows.last[n])
        assert seen(token, owner) == max(seen(token, n) for n in able)


def test_by_hand() -> None:
    """Of 10 tokens in windows of 6, 3 apart: 0–5, 3–8, 4–9; the middles are 4.5 and 6.5."""
    windows = windows_of(10, 6, 3)
    assert windows.begin.tolist() == [0, 3, 4]
    assert windows.first.tolist() == [0, 5, 7]
    assert windows.last.tolist() == [5, 7, 10]


@pytest.mark.parametrize(("room", "stride"), [(4, 5), (4, 0), (0, 0)])
def test_tokens_between_windows_are_refused(room: int, stride: int) -> None:
    with pytest.raises(ValueError, match="in no window"):
        windows_of(10, room, stride)


@given(st.integers(1, 10_000))
def test_the_usual_stride_leaves_an_overlap(room: int) -> None:
    assert 1 <= usual_stride(room) <= room
    assert room < 2 or usual_stride(room) < room
