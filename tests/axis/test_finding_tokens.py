"""Tokens that spans touch, by position, and words by their first eight letters."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as some

from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import eight_letters, find_touching


def test_tokens_of_spans_by_hand() -> None:
    axis = SpanLayout.of_texts(["Mr Doe", "of Oslo"])  # Mr 0–2, Doe 3–6, of 7–9, Oslo 10–14
    start, end = np.array([0, 1, 2, 3, 4, 9, 14]), np.array([6, 2, 3, 3, 8, 10, 15])
    first, last = axis.find_tokens(start, end)
    # Mr and Doe; the end of Mr; the blank; nothing, before Doe; from inside Doe into of; the blank; the line feed
    assert list(zip(first.tolist(), last.tolist(), strict=True)) == [
        (0, 2), (0, 1), (1, 1), (1, 1), (1, 3), (3, 3), (4, 4),
    ]  # fmt: skip


@given(some.lists(some.text("ab 東.é1", min_size=1, max_size=12), min_size=1, max_size=3), some.data())
def test_tokens_are_those_that_a_search_finds(texts: list[str], data: some.DataObject) -> None:
    axis = SpanLayout.of_texts(texts)
    edges = data.draw(some.lists(some.tuples(*[some.integers(0, len(axis))] * 2), min_size=1))
    start, end = np.sort(np.array(edges), axis=1).T
    for ours, theirs in zip(axis.find_tokens(start, end), find_touching(axis.tokens, start, end), strict=True):
        assert ours.tolist() == theirs.tolist()


def test_eight_letters_are_one_number() -> None:
    letters = np.arange(1, 11, dtype=np.uint8)
    keys = eight_letters(letters, np.array([0, 0, 8, 9, 10]), np.array([10, 2, 10, 10, 10]))
    # 1 to 8 of ten; 1 and 2; 9 and 10 at the end; 10 alone; nothing
    assert keys.tolist() == [0x0102030405060708, 0x0102 << 48, 0x090A << 48, 0x0A << 56, 0]
