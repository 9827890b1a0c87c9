"""Agreement by rules: each with its arithmetic, and what must hold for any text."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from rapidfuzz.distance import Jaro

from showthrough.families.inference.agreement import _RULES, age_of, agreement, jaro_winkler, plain

TAGS = (*_RULES, "NAME", "NATIONALITY", "OCCUPATION", "AFFILIATION", "POSITION")
CODES = ["IDENTIFICATION_NUMBER", "DRIVER_LICENSE_NUMBER", "PHONE_NUMBER", "PASSPORT_NUMBER"]
RULED = [*CODES, "AGE", "LOCATION", "SEX", "RELATIONSHIP", "EDUCATION", "EMAIL_ADDRESS"]
WORDS = ["", " ", "Oslo / Norway", "30-39", "34", "married", "Wed", "AB-12", "12", "-", "é", "e\u0301", "/", "İzmir"]


def said(tag: str, true: str, guess: str) -> float:
    assert agreement(tag, guess, true) == agreement(tag, true, guess)  # no rule knows which of two is true
    return agreement(tag, true, guess)


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("30-40", "33-43", 0),  # 7 of 10 years
        ("30-40", "32-43", 1),  # 8 of 10
        ("54-55", "54-55", 1),  # 1 of 1
        ("54-55", "55-56", 0),  # they only touch
        ("54-55", "40-60", 1),  # 1 of 1: the shorter one counts
        ("30", "35", 1),  # 5 years
        ("30", "36", 0),
        ("54-55", "55", 1),  # the ends are inside
        ("54-55", "56", 0),
        ("90–91", "90-91", 1),  # whichever dash
        ("55-54", "54-55", 1),
        ("40-40", "44", 1),  # a range of one year is a number
        ("34 years old", "aged 36", 1),
        ("in her 30s", "34", 1),
        ("lawyer", "34", 0),
        ("lawyer", "lawyer", 0),  # no age where an age is asked for agrees with nothing
        ("3 or 4", "3", 0),
    ],
)
def test_ages(one: str, two: str, expected: float) -> None:
    assert said("AGE", one, two) == expected


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("Stockholm / Sweden", "stockholm/SWEDEN", 1),
        ("Stockholm / Sweden", "Sweden", 0.5),  # the end of the longer
        ("Gangnam / Seoul / South Korea", "South Korea", 0.5),
        ("Gangnam / Seoul / South Korea", "Jongno / Seoul / South Korea", 0.5),  # 2 of 3 levels
        ("Gangnam / Seoul / South Korea", "Jongno / Busan / South Korea", 0),  # 1 of 3
        ("Oslo / Norway", "Oslo", 0),  # the general end is another: 0 of 2
        ("Oslo / Norway", "Oslo / Sweden", 0.5),  # 1 of 2
        ("Izmir / Turkey", "Izmir / Türkiye", 1),
        ("Turkeyville", "Türkiyeville", 0.5),  # not the country
        ("Norway", "Sweden", 0.5),  # SPIA's: 0 of 1 is all but one
        ("/", "Norway", 0),
        ("Oslo // Norway /", "Oslo / Norway", 1),
    ],
)
def test_places(one: str, two: str, expected: float) -> None:
    assert said("LOCATION", one, two) == expected


@pytest.mark.parametrize(
    ("tag", "one", "two", "expected"),
    [
        ("SEX", "Male", "M", 1),
        ("SEX", "man", " male", 1),
        ("SEX", "female", "male", 0),
        ("SEX", "Mala", "Male", 0),  # nearly is not the same
        ("RELATIONSHIP", "No relation", "unmarried", 1),
        ("RELATIONSHIP", "divorced", "separated", 1),
        ("RELATIONSHIP", "widow", "married", 0),
        ("EDUCATION", "College Degree", "COLLEGE DEGREE", 1),
        ("EDUCATION", "College Degree", "College-Degree", 0),
        ("EMAIL_ADDRESS", "A.B@c.org", "a.b@C.org", 1),
        ("EMAIL_ADDRESS", "a.b@c.org", "ab@c.org", 0),
        ("NAME", "Raja Arlewin", "raja arlewin", 1),
        ("NAME", "K. Lewis", "Lewis", 1),  # all 5 letters, 3 places on, which is near: (5/8 + 1 + 1) / 3 = 0.875
        ("NAME", "Mr K. Lewis", "Lewis", 0),  # 6 places on, near is 4: "s" alone, (1/11 + 1/5 + 1) / 3 = 0.43
        ("NATIONALITY", "Austria", "Australia", 1),  # 0.927: SPIA's rule does not tell them apart
        ("HOBBY", "chess", "Chess", 1),  # a tag that no rule knows is text
        ("age", "30", "34", 1),  # tags in whatever case
    ],
)
def test_closed_classes_and_texts(tag: str, one: str, two: str, expected: float) -> None:
    assert said(tag, one, two) == expected


@pytest.mark.parametrize("tag", CODES)
def test_codes_may_have_three_characters_more_before_them(tag: str) -> None:
    assert said(tag, "US-DL 74111", "usdl74111") == 1
    assert said(tag, "ID IE-ID-72495", "IE-ID-72495") == 1  # "ID" before it: 2 more
    assert said(tag, "+44 115 496", "0115 496") == 0  # neither is the end of the other
    assert said(tag, "+44115496", "115496") == 1  # 2 more
    assert said(tag, "1234567", "4567") == 1  # 3 more
    assert said(tag, "01234567", "4567") == 0  # 4 more
    assert said(tag, "123", "-") == 0  # signs alone are no code


def test_two_empty_values_agree_and_one_empty_does_not() -> None:
    for tag in (*TAGS, "HOBBY"):
        assert said(tag, "", " ") == 1
        assert said(tag, "", "34") == 0


def test_how_ages_are_written() -> None:
    assert age_of("approximately 40") == (40, 40)
    assert age_of("25 to 30 years") == (25, 30)
    assert age_of("34-year-old") == (34, 34)
    assert age_of("90s") == (90, 99)
    for other in ("", "unknown", "30 and 40", "12345", "-5", "1970s", "born 1970"):
        assert age_of(other) is None


@given(st.sampled_from([*TAGS, "HOBBY"]), st.sampled_from(WORDS) | st.text(), st.sampled_from(WORDS) | st.text())
def test_what_holds_for_any_text(tag: str, one: str, two: str) -> None:
    assert agreement(tag, one, two) in (0.0, 0.5, 1.0)
    if tag in RULED:  # Jaro's letters are taken from the left: of texts near the limit the order may tell
        said(tag, one, two)
    if tag != "AGE" or not plain(one) or age_of(plain(one)):
        assert said(tag, one, one) == 1


@given(st.text("abcé", max_size=12), st.text("abcé", max_size=12))
def test_jaro_winkler_is_rapidfuzz_s_jaro_with_the_first_letters(one: str, two: str) -> None:
    """With an odd number of characters out of place rapidfuzz rounds half of it down, as Winkler's program did."""
    prefix = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))

    def raised(jaro: float) -> float:
        return jaro + 0.1 * min(prefix, 4) * (1 - jaro)

    theirs, ours = Jaro.similarity(one, two), jaro_winkler(one, two)
    exact = ours == pytest.approx(raised(theirs), abs=1e-12)
    shared = range(1, min(len(one), len(two)) + 1)
    assert exact or any(ours == pytest.approx(raised(theirs - 0.5 / each / 3), abs=1e-12) for each in shared)


def test_jaro_winkler_by_hand() -> None:
    # m = 5 of 5 and 8, t = 0: (1 + 5/8 + 1) / 3 = 0.875, two first letters: 0.875 + 0.2 · 0.125
    assert jaro_winkler("dwayn", "dwayne t") == pytest.approx(0.875 + 0.4 * 0.125)
    # c, a, b for a, b, c: three out of place, half of that is 1.5: (1 + 1 + 4.5/6) / 3
    assert jaro_winkler("abcxyz", "bcaxyz") == pytest.approx((2 + 4.5 / 6) / 3)
    assert jaro_winkler("", "a") == jaro_winkler("a", "b") == 0
    assert jaro_winkler("", "") == 1
