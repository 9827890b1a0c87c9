from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.storage.columns.strings import Strings

TEXTS = st.lists(st.text(alphabet="ab\0é𝄞\ud800", max_size=4), max_size=20)


@given(TEXTS, st.data())
def test_strings_are_a_sequence_like_a_list(texts: list[str], data: st.DataObject) -> None:
    strings = Strings.of(texts)
    start, stop = (data.draw(st.integers(0, len(texts))) for _ in range(2))
    assert strings == texts
    assert list(strings) == texts
    assert strings[start:stop] == texts[start:stop]
    assert strings.part(start, stop) == texts[start:stop]
    assert Strings.concatenate([strings.part(0, start), strings.part(start, len(texts))]) == strings
    assert Strings.of([*texts, "x"]) != strings


@given(TEXTS)
def test_they_are_sorted_as_python_sorts(texts: list[str]) -> None:
    strings = Strings.of(texts)
    order = strings.order()
    assert [texts[number] for number in order.tolist()] == sorted(texts)
    assert strings.taken(order) == sorted(texts)
    assert set(strings.twice()) == {one for one in texts if texts.count(one) > 1}


def test_long_ones_are_sorted_too() -> None:
    texts = ["b" * 300, "a", "b" * 299]
    assert Strings.of(texts).order().tolist() == [1, 2, 0]


def test_there_is_nothing_past_the_end() -> None:
    strings = Strings.of(["a"])
    assert strings[-1] == "a"
    with pytest.raises(IndexError):
        strings[1]
    assert Strings.of([]).order().dtype == np.int64
