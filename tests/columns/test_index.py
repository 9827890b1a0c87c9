"""Where strings stand: as a dictionary tells it, also where hashes are the same by chance."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.storage.columns import index
from showthrough.storage.columns.index import Finder, StringIndex, find_repeats, hashes
from showthrough.storage.columns.strings import Strings

TEXTS = st.lists(st.text(alphabet="ab\0é𝄞\ud800", max_size=20) | st.sampled_from(["x" * 255, "x" * 256, "x" * 999]))


@given(TEXTS, TEXTS)
def test_they_are_found_as_a_dictionary_finds_them(texts: list[str], others: list[str]) -> None:
    known = list(dict.fromkeys(texts))
    asked = [*others, *reversed(known)]
    expected = [{one: at for at, one in enumerate(known)}.get(one, -1) for one in asked]
    assert StringIndex(Strings.of(known)).find(Strings.of(asked)).tolist() == expected
    finder = Finder(Strings.of(known))
    assert finder.numbers(asked).tolist() == expected
    assert [finder.number(one) for one in asked] == expected
    assert [finder.holds(one) for one in asked] == [number >= 0 for number in expected]


@given(TEXTS)
def test_strings_that_were_there_before(texts: list[str]) -> None:
    first = {one: texts.index(one) for one in texts}
    expected = [(number, first[one]) for number, one in enumerate(texts) if first[one] != number]
    assert find_repeats(Strings.of(texts)) == expected


def test_hashes_that_are_the_same_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_hashes", lambda strings: np.array([len(one) for one in strings], dtype=np.uint64))
    strings = Strings.of(["aa", "ab", "b", "ba", "c"])
    assert StringIndex(strings).find(Strings.of(["ba", "ab", "bb", "c", "d", "ccc", ""])).tolist() == [
        3,
        1,
        -1,
        4,
        -1,
        -1,
        -1,
    ]
    assert find_repeats(strings) == []
    assert find_repeats(Strings.of(["aa", "ab", "aa"])) == [(2, 0)]


def test_a_hash_hangs_on_the_string_alone() -> None:
    """Not on those beside it, however long they are."""
    texts = ["a", "b" * 17, "c" * 300, "", "a\0"]
    together = hashes(Strings.of(texts)).tolist()
    assert [hashes(Strings.of([one]))[0] for one in texts] == together
    assert len(set(together)) == len(texts)


def test_very_many_need_no_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_FEW", 10)
    ids = [f"d{number}" for number in range(2000)]
    finder = Finder(Strings.of(ids))
    assert finder.numbers(ids[100:200]).tolist() == finder.numbers(Strings.of(ids[100:200])).tolist()
    assert finder._known.__class__ is StringIndex  # it began in the middle
    assert [finder.number(one) for one in ("d1999", "d0", "d1", "x")] == [1999, 0, 1, -1]
    copy: Finder = pickle.loads(pickle.dumps(finder))  # noqa: S301 (our own bytes)
    assert copy._known is None
    assert copy.number("d7") == 7


def test_who_asks_in_their_order_needs_nothing() -> None:
    ids = [f"d{number}" for number in range(100)]
    finder = Finder(Strings.of(ids))
    assert [finder.numbers(ids[low : low + 30]).tolist()[0] for low in (0, 30, 60, 90, 0)] == [0, 30, 60, 90, 0]
    assert [finder.number(one) for one in ids[30:]] == list(range(30, 100))
    assert finder._known is None


def test_nothing_is_found_among_nothing() -> None:
    assert StringIndex(Strings.of([])).find(Strings.of(["a"])).tolist() == [-1]
