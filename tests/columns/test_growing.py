"""Columns that grow, and digests of many documents."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given, strategies as st

from showthrough.storage.columns.growing_columns import GrowingNumbers, GrowingStrings, ReusedStrings
from showthrough.storage.columns.strings import Strings, digest_of_all, digest_of_bytes, sorted_digests

WHOLE = st.lists(st.integers(-(2**33), 2**33) | st.integers(-9, 9))
TEXTS = st.lists(st.text(alphabet="ab\0é\ud800", max_size=3), max_size=8)


@given(WHOLE, WHOLE, st.booleans())
def test_numbers_take_as_many_bytes_as_they_need(first: list[int], second: list[int], wide: bool) -> None:
    numbers = GrowingNumbers()
    for one in first:
        numbers.append(one)
    narrow = max(map(abs, second), default=0) < 2**31
    numbers.extend(np.array(second, dtype=np.int32 if narrow and not wide else np.int64))
    made = numbers.finish()
    assert made.tolist() == first + second
    assert made.itemsize == (4 if all(-(2**31) <= one < 2**31 for one in first + second) else 8)


@given(TEXTS, TEXTS, TEXTS)
def test_strings_grow(one: list[str], two: list[str], expected: list[str]) -> None:
    growing = GrowingStrings()
    for text in one:
        growing.append(text)
    growing.extend(Strings.of(two))
    assert growing.finish() == one + two
    for known in (expected, one + two, [*one, *two, "more"]):
        following = ReusedStrings(Strings.of(known))
        for part in (one, two):
            following.extend(Strings.of(part))
        assert following.finish() == one + two


def test_a_part_of_strings_travels_without_the_others() -> None:
    strings = Strings.of(["a" * 10_000, "b", "c"])
    content = pickle.dumps(strings.part(1, 3))
    assert pickle.loads(content) == ["b", "c"]  # noqa: S301 (our own bytes)
    assert len(content) < 1000


@given(st.lists(st.binary(min_size=16, max_size=16) | st.sampled_from([b"\0" * 16, b"\xff" * 16, b"a" + b"\0" * 15])))
def test_digests_are_sorted_as_bytes_are(digests: list[bytes]) -> None:
    whole = sorted_digests(bytearray(b"".join(digests)))
    assert whole.tobytes() == b"".join(sorted(digests))
    assert digest_of_all(whole) == digest_of_bytes(b"".join(sorted(digests))).hex()
