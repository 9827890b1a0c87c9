"""Dates in all their written forms, and the same dates some days later."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings, strategies as st

from showthrough.systems.surrogates.dates import MONTHS, WEEKDAYS, Shift, day_comes_first, find_dates


def moved(text: str, days: int, day_first: bool = False, year: int = 1997) -> str:
    for one in reversed(find_dates(text, day_first)):
        for field, new in sorted(one.shift_fields(Shift.nearest(days), year), key=lambda entry: -entry[0].start):
            text = text[: field.start] + new + text[field.end :]
    return text


# 29 October 1997 and ten days is 8 November 1997.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10/29", "11/08"),
        ("10/29/1997", "11/08/1997"),
        ("10/29/97", "11/08/97"),
        ("10-29-1997", "11-08-1997"),
        ("1997-10-29", "1997-11-08"),
        ("19971029", "19971108"),
        ("29.10.1997", "08.11.1997"),  # with full stops the day comes first
        ("Oct 29", "Nov 8"),
        ("Oct. 29, 1997", "Nov. 8, 1997"),
        ("OCT 29", "NOV 8"),
        ("October 29th, 1997", "November 8th, 1997"),
        ("29 October 1997", "8 November 1997"),
        ("29-Oct-97", "8-Nov-97"),
        ("29th of October", "8th of November"),
        ("29 de octubre de 1997", "8 de noviembre de 1997"),
        ("29 DE OCTUBRE DEL 1997", "8 DE NOVIEMBRE DEL 1997"),
        ("Wednesday, October 29", "Saturday, November 8"),  # ten days are one week and three days
        ("miércoles 29 de octubre", "sábado 8 de noviembre"),
        ("3/4/97", "3/14/97"),
        ("10/25 - 10/29", "11/04 - 11/08"),
        ("25 to 29 October", "4 to 8 November"),
        ("25-29 Oct 1997", "4-8 Nov 1997"),
        ("del 25 al 29 de octubre de 1997", "del 4 al 8 de noviembre de 1997"),
        ("October 29 - November 2, 1997", "November 8 - November 12, 1997"),
        ("Oct 25, 1997 and Oct 29, 1997", "Nov 4, 1997 and Nov 8, 1997"),
    ],
)
def test_ten_days_later(text: str, expected: str) -> None:
    assert moved(text, 10) == expected


@pytest.mark.parametrize(
    ("text", "days", "expected"),
    [
        ("12/31/1999", 1, "01/01/2000"),
        ("2/28/2000", 1, "2/29/2000"),
        ("2/28/1999", 1, "3/01/1999"),
        ("February 29", 365, "February 28"),  # it is written, so there was one; a year on there is none
        ("10/1997", 90, "01/1998"),  # from the middle of the month: 15 October and 90 days is 13 January
        ("octubre de 1997", 90, "enero de 1998"),
        ("enero-98", 60, "marzo-98"),
        ("Sept '97", 31, "Oct '97"),
        ("3/97", 31, "4/97"),
        ("1997", 365, "1998"),
        ("1997-1998", 365, "1998-1999"),
        ("May", 31, "June"),
        ("01/01/00", -1, "12/31/99"),
    ],
)
def test_what_is_left_open_stays_open(text: str, days: int, expected: str) -> None:
    assert moved(text, days) == expected


@pytest.mark.parametrize(
    "text",
    ["31/02/1997", "99/99/9999", "no date", "12:30", "4711", "0/0", "0/5/1997", "1997-00-01", "ſep 3", "frİ"],
)
def test_what_is_no_date_is_left_alone(text: str) -> None:
    assert moved(text, 10) == text


def test_which_number_is_the_day() -> None:
    assert day_comes_first(["29/10/1997", "03/04/1997"]) is True
    assert day_comes_first(["10/29/1997"]) is False
    assert day_comes_first(["03/04/1997", "nothing"]) is None
    assert moved("03/04/1997", 30, day_first=True) == "03/05/1997"
    assert moved("03/04/1997", 30, day_first=False) == "04/03/1997"
    assert moved("29/10/1997", 10, day_first=False) == "08/11/1997"  # it can only be read in one way


FORMS = ["%m/%d/%Y", "%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y", "%b %d %Y"]


@given(st.dates(date(1900, 1, 1), date(2080, 12, 31)), st.integers(-9000, 9000), st.sampled_from(FORMS))
def test_a_moved_date_is_the_date_so_many_days_later(day: date, days: int, form: str) -> None:
    text = day.strftime(form)
    (found,) = find_dates(text, day_first=False)
    assert found.on(0) == day
    (later,) = find_dates(moved(text, days), day_first=False)
    assert later.on(0) == day + timedelta(days=days)


_PIECES = sorted({name for table in (MONTHS, WEEKDAYS) for names in table for name in names})


@settings(max_examples=400)
@given(
    st.lists(
        st.sampled_from([*_PIECES, *"0123456789/-., '", "29", "31", "1999", " de ", " to ", "th", "º", "ſ", "İ", "٣"])
    ),
    st.booleans(),
    st.integers(-5000, 5000),
)
def test_whatever_is_read_as_a_date_can_be_moved(pieces: list[str], day_first: bool, days: int) -> None:
    text = "".join(pieces)
    end = 0
    for one in find_dates(text, day_first):
        for field, _ in one.shift_fields(Shift.nearest(days), 2001):
            assert text[field.start : field.end] == field.text
            assert field.start >= end
            end = field.end


@pytest.mark.parametrize("table", [MONTHS, WEEKDAYS])
def test_names_are_complete(table: tuple[tuple[str, ...], ...]) -> None:
    for names in table:
        assert len(set(names)) == len(names) == (12 if table is MONTHS else 7)
