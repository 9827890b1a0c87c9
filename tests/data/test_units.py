"""Offsets in other units, against what Python itself makes of the encoded text."""

from __future__ import annotations

from typing import get_args

import pytest
import regex
from hypothesis import given, strategies as st

from showthrough import InputError
from showthrough.data.units import Unit, counts_alike, from_code_points, to_code_points

UNITS: tuple[Unit, ...] = get_args(Unit)
TEXTS = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from("a\r\n😀é山\u0301\u200d🇳🇴🏽👩각ᄀ")), max_size=30
)
FAMILY = "👨‍👩‍👧"


@given(TEXTS)
def test_utf16_and_bytes_are_lengths_of_what_is_encoded(text: str) -> None:
    places = list(range(len(text) + 1))
    utf16 = [len(text[:place].encode("utf-16-le")) // 2 for place in places]
    utf8 = [len(text[:place].encode()) for place in places]
    assert to_code_points(text, utf16, "utf-16") == places
    assert to_code_points(text, utf8, "bytes") == places
    assert from_code_points(text, places, "utf-16") == utf16
    assert from_code_points(text, places, "bytes") == utf8


@given(TEXTS)
def test_graphemes_are_the_clusters(text: str) -> None:
    clusters = regex.findall(r"\X", text)
    ends = [len("".join(clusters[:number])) for number in range(len(clusters) + 1)]
    assert to_code_points(text, range(len(clusters) + 1), "graphemes") == ends
    assert from_code_points(text, ends, "graphemes") == list(range(len(ends)))


@given(TEXTS, st.sampled_from(UNITS))
def test_every_place_comes_back_or_is_refused(text: str, unit: Unit) -> None:
    for place in range(len(text) + 1):
        try:
            there = from_code_points(text, [place], unit)
        except InputError:
            assert unit in ("graphemes", "text elements")
            continue
        assert to_code_points(text, there, unit) == [place]


@given(TEXTS, st.sampled_from(UNITS))
def test_texts_that_count_alike(text: str, unit: Unit) -> None:
    try:
        same = from_code_points(text, range(len(text) + 1), unit) == list(range(len(text) + 1))
    except InputError:
        same = False
    assert counts_alike(text, unit) is same


@pytest.mark.parametrize(
    ("text", "today", "version_8"),
    [
        ("e\u0301a", [0, 2, 3], [0, 2, 3]),
        ("a\r\nb", [0, 1, 3, 4], [0, 1, 3, 4]),
        ("각ᄀ\u1161\u11a8", [0, 1, 4], [0, 1, 4]),
        (FAMILY, [0, 5], [0, 2, 4, 5]),  # version 8 does not look past what joins
        ("👍🏽", [0, 2], [0, 1, 2]),  # nor did it know of skin tones
        ("🇳🇴🇸🇪", [0, 2, 4], [0, 4]),  # and a row of flags was one
    ],
)
def test_clusters_of_two_versions(text: str, today: list[int], version_8: list[int]) -> None:
    assert to_code_points(text, range(len(today)), "graphemes") == today
    assert to_code_points(text, range(len(version_8)), "text elements") == version_8


@pytest.mark.parametrize(
    ("text", "offset", "unit", "line"),
    [
        ("😀 Ann", 1, "utf-16", "offset 1 is inside a character: offsets in UTF-16 units count its parts"),
        ("é", 1, "bytes", "offset 1 is inside a character: offsets in bytes of UTF-8 count its parts"),
        ("😀 Ann", 7, "utf-16", "offset 7 is past the end of the text (6 UTF-16 units)"),
        ("Ann", 4, "bytes", "offset 4 is past the end of the text (3 bytes of UTF-8)"),
        ("e\u0301", 2, "graphemes", "offset 2 is past the end of the text (1 graphemes)"),
        ("é", -1, "bytes", "offset -1 is negative; expected 0 or more"),
    ],
)
def test_what_is_refused(text: str, offset: int, unit: Unit, line: str) -> None:
    with pytest.raises(InputError) as caught:
        to_code_points(text, [0, offset], unit)
    assert str(caught.value) == line


def test_a_place_inside_a_cluster_cannot_be_said() -> None:
    with pytest.raises(InputError, match="offset 1 is inside what graphemes count as one"):
        from_code_points("e\u0301", [1], "graphemes")
