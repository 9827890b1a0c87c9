"""Complete dates, in whichever way they are written, and what is none."""

from __future__ import annotations

from datetime import date

import pytest

from showthrough.data.reading_form import reading_form
from showthrough.metrics.matching._dates import MONTHS, complete_dates, dates_in, lost_its_day


def days(*texts: str) -> frozenset[date]:
    return frozenset(map(date.fromisoformat, texts))


@pytest.mark.parametrize(
    "text",
    [
        "29 October 1997",
        "29th of October, 1997",
        "the 29th day of October 1997",
        "October 29, 1997",
        "October the 29th, 1997",
        "29 Oct 97",
        "Oct. 29th 97",
        "1997 October 29",
        "1997, the 29th of October",
        "twenty-ninth of October 1997",
        "October the twenty-ninth, 1997",
        "29 October nineteen ninety-seven",
        "29 de octubre de 1997",
        "29 października 1997",
        "1997-10-29",
        "1997-10-29T08:00",
        "29.10.1997",
        "10/29/97",
        "19971029",
        "29101997",
        "1997年10月29日",
        "1997년 10월 29일",
        "seen29 October 1997",
        "29 October 1997XXX",
    ],
)
def test_the_same_day(text: str) -> None:
    assert complete_dates(f"on {text}, it was said") == days("1997-10-29")


@pytest.mark.parametrize(
    "text",
    [
        "October 1997",
        "29 October",
        "29 1997",
        "31 June 1997",
        "32 October 1997",
        "0 October 1997",
        "1997-13-29",
        "1997-10-32",
        "19971329",
        "32101997",
        "29 cats October 1997",
        "129 October 1997",
        "1997 and October 29",
        "18991029",
        "119971029",
        "10.29.19975",
        "1997年13月29日",
        "",
    ],
)
def test_no_day(text: str) -> None:
    assert complete_dates(f"on {text}, it was said") == frozenset()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("03/04/2010", days("2010-03-04", "2010-04-03")),  # nobody knows which
        ("13/04/2010", days("2010-04-13")),
        ("04/04/2010", days("2010-04-04")),
        ("1 May 30", days("2030-05-01")),  # two digits up to 30 are of this century
        ("1 May 31", days("1931-05-01")),
        ("1 May 00", days("2000-05-01")),
        ("1 May two thousand", days("2000-05-01")),
        ("1 May two thousand and five", days("2005-05-01")),
        ("1 May two thousand five", days("2005-05-01")),
        ("1 May nineteen hundred", days("1900-05-01")),
        ("1 May nineteen oh five", days("1905-05-01")),
        ("1 May nineteen hundred and five", days("1905-05-01")),
        ("1 May nineteen ten", days("1910-05-01")),
        ("1 May nineteen eleven", days("1911-05-01")),
        ("1 May nineteen nineteen", days("1919-05-01")),
        ("1 May nineteen twenty", days("1920-05-01")),
        ("1 May twenty twenty-one", days("2021-05-01")),
        ("1 May twenty ninety-nine", days("2099-05-01")),
        ("first of May 1997", days("1997-05-01")),
        ("tenth of May 1997", days("1997-05-10")),
        ("nineteenth of May 1997", days("1997-05-19")),
        ("twentieth of May 1997", days("1997-05-20")),
        ("twenty-first of May 1997", days("1997-05-21")),
        ("thirtieth of May 1997", days("1997-05-30")),
        ("thirty-first of May 1997", days("1997-05-31")),
        ("1 May 1997 and 2 June 1998", days("1997-05-01", "1998-06-02")),
        ("1 May 2 June 1997", days("1997-06-02")),
        ("1997, 1 May", days("1997-05-01")),
    ],
)
def test_which_days(text: str, found: frozenset[date]) -> None:
    assert complete_dates(text) == found


def test_twelve_months_in_every_language() -> None:
    for names in ("january december", "janner desember", "ledna prosince", "tammikuuta joulukuuta", "يناير ديسمبر"):
        first, last = names.split()
        assert (MONTHS[first], MONTHS[last]) == (1, 12)
    assert (MONTHS["sept"], MONTHS["mayis"], MONTHS["июля"]) == (9, 5, 7)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Seen on 29 October 1997 in town", "29 october 1997"),
        ("Seen on the twenty-ninth of October 1997 in town", "twenty ninth of october 1997"),
        ("Seen on October the 29th, 1997 in town", "october the 29th 1997"),
        ("Seen on 1997, the 29th October in town", "1997 the 29th october"),
        ("Seen on 1997 October 29 in town", "1997 october 29"),
        ("Seen on 1997 October twenty-ninth in town", "1997 october twenty ninth"),
        ("Seen on 1997-10-29 in town", "1997 10 29"),
        ("Seen on 29.10.97 in town", "29 10 97"),
        ("Seen on 1997年10月29日 in town", "1997年10月29日"),
        (f"Seen {'x' * 90} on 29 October 1997 in town", "29 october 1997"),
        (f"Seen {'x' * 90} on 1997, the 29th October in town", "1997 the 29th october"),
        (f"Seen {'x' * 90} on 1997 October 29 in town", "1997 october 29"),
    ],
)
def test_where_they_stand(text: str, place: str) -> None:
    form = f" {reading_form(text)} "
    found = {form[one.start : one.end] for one in dates_in(form) if one.date == date(1997, 10, 29)}
    assert found == {place}


@pytest.mark.parametrize(
    ("left", "lost"),
    [
        ("October 1997", True),
        ("10/1997", True),
        ("10.", True),
        ("1997", True),
        ("Oct", True),
        ("29 October", False),
        ("29th, 1997", False),
        ("ninth of October", False),  # of twenty-ninth
        ("spring 1998", False),
        ("November", False),
        ("19", False),
        ("", False),
    ],
)
def test_what_is_left_of_a_day(left: str, lost: bool) -> None:
    assert lost_its_day(left, days("1997-10-29")) == lost


def test_a_small_day_has_a_zero_before_it_or_none() -> None:
    day = days("1997-05-03")
    assert [lost_its_day(left, day) for left in ("03 May", "3 May", "May 1997", "05/1997")] == [
        False,
        False,
        True,
        True,
    ]
