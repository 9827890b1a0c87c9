"""The chronology of a record: no order and no distance of two events changes, whatever part of a date is marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Annotation, Corpus, Document, Mention
from showthrough.systems.surrogates.dates import find_dates
from showthrough.systems.surrogates.replacement import Surrogates, surrogates

# One event a line, and the parts of its date that are marked in brackets.
WITH_YEAR = ["[%m/%d/%Y]", "[%Y-%m-%d]", "[%B %d, %Y]", "[%d %B %Y]", "[%d-%b-%Y]", "[%m/%d/%y]"]
YEAR_UNMARKED = ["[%m/%d]/%Y", "[%m/%d]/%y", "%Y-[%m-%d]", "[%B %d], %Y", "[%d %b] %Y", "[%d.%m].%Y", "[%m]/[%d]/%Y"]
IN_PIECES = ["[%m/%d]/[%Y]", "[%B] [%d], [%Y]", "[%B] [%d], %Y", "%B [%d], %Y"]
UNMARKED = ["%m/%d/%Y", "%B %d, %Y"]
NO_YEAR = ["[%m/%d]", "[%B %d]", "[%d %b]"]
MONTHS = ["[%B %Y]", "[%m/%Y]"]
YEARS = ["[%Y]"]
KNOWN_DAYS = [*WITH_YEAR, *YEAR_UNMARKED, *IN_PIECES, *UNMARKED]

Event = tuple[date, str]


def written(events: Sequence[Event], heading: str = "") -> Document:
    """A record with a line for each event."""
    pieces: list[str] = [f"{heading}\n"]
    mentions: list[Mention] = []
    length = len(pieces[0])
    for day, form in events:
        for piece in re.split(r"(\[[^\]]*\])", f"Seen {form} again.\n"):
            text = day.strftime(piece.strip("[]") if piece.startswith("[") else piece)
            if piece.startswith("["):
                mentions.append(Mention(length, length + len(text), "DATE"))
            pieces.append(text)
            length += len(text)
    return Document("r", "".join(pieces), (Annotation("gold", tuple(mentions)),))


def read(document: Document, events: Sequence[Event], year: int = 2000) -> list[date]:
    """The days of a record; one without a year in the year given."""
    lines = document.text.splitlines()[1:]
    found = []
    for line, event in zip(lines, events, strict=True):
        form = event[1]
        plain = f"Seen {re.sub(r'[][]', '', form)} again."
        if form in NO_YEAR:
            plain, line = f"{plain} %Y", f"{line} {year}"
        if "May" in written([event]).text:  # nothing may tell whether that is short
            name = re.search(r"[A-Z][a-z]+", line[4:])
            plain = re.sub("%[bB]", "%B" if name and len(name[0]) > 3 else "%b", plain)
        found.append(datetime.strptime(line, plain).date())
    return found


def made(document: Document, seed: int = 0) -> tuple[Document, Surrogates]:
    result = surrogates(Corpus([document]), seed=seed)
    (found,) = result.corpus
    return found, result


def distances(days: Sequence[date]) -> list[int]:
    return [(two - one).days for one, two in combinations(days, 2)]


def texts(document: Document) -> list[str]:
    return [document.text[one.start : one.end] for one in document.annotations[0].mentions]


ADMISSION = [(date(2004, 10, 29), "[%m/%d]/%Y"), (date(2004, 11, 3), "[%m/%d]/%Y"), (date(2005, 1, 20), "[%m/%d]/%Y")]


def test_four_hundred_records_with_unmarked_years() -> None:
    """Days and months are marked, as i2b2 2006 asks; before, 333 of these changed a distance and 5 the order."""
    before = read(written(ADMISSION), ADMISSION)
    assert distances(before) == [5, 83, 78]  # 29 October to 3 November; 2 + 30 + 31 + 20 days to 20 January
    for seed in range(400):
        found, _ = made(written(ADMISSION), seed)
        assert distances(read(found, ADMISSION)) == [5, 83, 78], seed
        assert not set(texts(found)) & {"10/29", "11/03", "01/20"}


@pytest.mark.parametrize("kinds", [WITH_YEAR, YEAR_UNMARKED, IN_PIECES, KNOWN_DAYS, [*YEAR_UNMARKED, *WITH_YEAR]])
def test_four_hundred_mixed_records(kinds: list[str]) -> None:
    """Any days of three years, the first or the last of a year among them, in any forms."""
    random = Random(15)
    for seed in range(400 // 5):
        events = [
            (date(2003, 1, 1) + timedelta(random.randrange(3 * 365 + 1)), random.choice(kinds))
            for _ in range(random.randint(2, 6))
        ]
        check_days(events, seed)


@pytest.mark.slow
def test_four_hundred_records_with_years_marked_unmarked_and_missing() -> None:
    """Days without a year are read in every year that the record names, and all distances are the same in each."""
    random = Random(8)
    for seed in range(400):
        events = [
            (date(2002, 1, 1) + timedelta(random.randrange(4 * 365)), random.choice([*KNOWN_DAYS, *NO_YEAR, *NO_YEAR]))
            for _ in range(random.randint(2, 6))
        ]
        document = written(events, random.choice(["", "In 2003."]))
        found, result = made(document, seed)
        assert not result.unmoved
        before, after = read(document, events, 2004), read(found, events, 2004)
        known = [place for place, (_, form) in enumerate(events) if form not in NO_YEAR]
        years = {before[place].year for place in known} | {int(year) for year in re.findall(r"In (\d+)", document.text)}
        on = {after[place].year - before[place].year for place in known} or {0}
        leap = any((day.month, day.day) == (2, 29) for day in (*before, *after))
        for year in [2004] if leap else years or {2001, 2002, 2003, 2004}:
            for change in on:
                moved = read(found, events, year + change)
                assert distances(read(document, events, year)) == distances(moved), seed


def check_days(events: list[Event], seed: int) -> None:
    document = written(events)
    found, result = made(document, seed)
    before, after = read(document, events), read(found, events)
    assert distances(before) == distances(after)
    moved = (after[0] - before[0]).days
    assert moved or result.unmoved or not texts(document)
    if moved:
        assert not result.unmoved
    if result.along == sum(form in UNMARKED for _, form in events):
        for one, (day, form) in zip(after, events, strict=True):
            assert form not in YEAR_UNMARKED or one.year == day.year


days = st.dates(date(1990, 1, 1), date(2012, 12, 31))


@settings(max_examples=150)
@given(st.lists(st.tuples(days, st.sampled_from(KNOWN_DAYS)), min_size=1, max_size=7), st.integers(0, 99))
def test_any_days_stay_as_far_apart(events: list[Event], seed: int) -> None:
    check_days(events, seed)


def strict_shifts(events: Sequence[Event], readings: Sequence[int]) -> bool:
    """Whether days without a year can move at all and be right in every reading, tried one by one."""
    plain = [(day.month, day.day) for day, _ in events]
    for shift in range(-366, 367):
        moved = [
            {date(year, *one) + timedelta(shift) for year in readings if one != (2, 29) or year % 4 == 0}
            for one in plain
        ]
        inside = all({day.year for day in found} <= set(readings) for found in moved)
        years = all(
            {(date(year, *one) + timedelta(shift)).year - year for year in readings if one != (2, 29) or year % 4 == 0}
            == {0}
            for one in plain
        )
        if shift and inside and years and all(len({(day.month, day.day) for day in found}) == 1 for found in moved):
            return True
    return False


# Days of 2004, for its 29 February; the year is not written.
@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(st.dates(date(2004, 1, 1), date(2004, 12, 31)), st.sampled_from(NO_YEAR)), min_size=1, max_size=5
    ),
    st.sampled_from(["", "Report of 2003", "Report of 2004", "2003 to 2004"]),
    st.integers(0, 99),
)
def test_days_without_a_year_stay_as_far_apart_in_every_year(events: list[Event], heading: str, seed: int) -> None:
    document = written(events, heading)
    found, result = made(document, seed)
    readings = [int(year) for year in re.findall(r"\d{4}", heading)] or [2001, 2002, 2003, 2004]
    leap = any((day.month, day.day) == (2, 29) for day, _ in events)
    if leap and 2004 not in readings:
        readings.append(2004)
    after = read(found, events, 2004)  # none is the 29 February of a year that has none
    assert len({(day.month, day.day) for day in after}) == len({(day.month, day.day) for day, _ in events})
    if strict_shifts(events, readings):
        assert not result.unmoved
        assert result.leaks == () or len(events) > 1
        for year in [2004] if leap else readings:
            assert distances(read(document, events, year)) == distances(read(found, events, year))
    elif heading:
        assert distances(read(document, events, 2004)) == distances(read(found, events, 2004)) or not leap


def test_a_stay_over_new_year_without_years_is_moved_as_one() -> None:
    """From 31 December to 1 January no day is free to move within its year; the next year then goes without saying."""
    events = [(date(2004, 12, 31), "[%m/%d]"), (date(2004, 1, 1), "[%m/%d]")]
    for seed in range(40):
        found, result = made(written(events), seed)
        assert not result.unmoved
        one, two = read(found, events, 2001)
        assert (two - one).days in (1, -364)


def test_a_stay_over_the_end_of_february_without_years() -> None:
    """28 February to 1 March is one day or two; nothing else is both, so the year is taken for one without a 29th."""
    events = [(date(2003, 2, 28), "[%m/%d]"), (date(2003, 3, 1), "[%m/%d]")]
    for seed in range(40):
        found, result = made(written(events), seed)
        assert not result.unmoved
        assert distances(read(found, events, 2001)) == [1]
    # Where the record names its year, it is known.
    for year, apart in ((2003, 1), (2004, 2)):
        found, _ = made(written(events, f"In {year}"), 3)
        assert distances(read(found, events, year)) == [apart]


def test_february_29_stays_another_day_than_february_28() -> None:
    events = [(date(2004, 2, 28), "[%B %d]"), (date(2004, 2, 29), "[%B %d]"), (date(2004, 3, 1), "[%B %d]")]
    for seed in range(100):
        found, _ = made(written(events), seed)
        assert len(set(texts(found))) == 3
        assert distances(read(found, events, 2004)) == [1, 2, 1]
    for heading, year in (("2004", 2004), ("2003", 2003)):
        pair = events[:2] if year == 2004 else events[:1]
        assert len(set(texts(made(written(pair, heading))[0]))) == len(pair)


@pytest.mark.parametrize("kind", [MONTHS, YEARS])
def test_months_and_years_alone_stay_as_far_apart(kind: list[str]) -> None:
    random = Random(3)
    for seed in range(100):
        events = [(date(random.randint(1990, 2010), random.randint(1, 12), 1), random.choice(kind)) for _ in range(5)]
        days = [(day.replace(day=random.randint(1, 28)), random.choice(WITH_YEAR)) for day, _ in events[:2]]
        document = written([*events, *days])
        found, result = made(document, seed)
        assert not result.unmoved
        assert not result.same_years
        before, after = read(document, [*events, *days]), read(found, [*events, *days])
        assert distances(before[5:]) == distances(after[5:])
        months = [[day.year * 12 + day.month for day in found] for found in (before, after)]
        if kind is MONTHS:
            assert len({two - one for one, two in zip(months[0][:5], months[1][:5], strict=True)}) == 1
        else:  # and from the years of the days, too, unless these leave no room
            assert len({two.year - one.year for one, two in zip(before[:5], after[:5], strict=True)}) == 1


def test_months_without_a_year_stay_in_order() -> None:
    names = [date(2000, month, 1).strftime("%B") for month in range(1, 13)]
    events = [(date(2000, month, 1), "in [%B]") for month in (4, 6, 7)]
    for seed in range(40):
        first, second, third = (names.index(one) for one in texts(made(written(events), seed)[0]))
        assert (second - first, third - second) == (2, 1)
        assert first != 3


def test_unmarked_years_alone_stay_as_many_years_away() -> None:
    events = [(date(2004, 5, 12), "[%m/%d/%Y]"), (date(2004, 8, 3), "[%B %d, %Y]")]
    for seed in range(60):
        found, _ = made(written(events, "Operated in 1998."), seed)
        after = read(found, events)
        assert found.text.startswith("Operated in 1998.")
        assert [day.year for day in after] == [2004, 2004]
        assert distances(after) == [83]  # 19 + 30 + 31 + 3


def test_where_no_day_can_stay_in_its_year_the_years_beside_move_along() -> None:
    events = [(date(2004, 1, 1), "[%m/%d]/%Y"), (date(2004, 12, 31), "[%m/%d]/%Y")]
    for seed in range(40):
        found, result = made(written(events), seed)
        assert distances(read(found, events)) == [365]
        assert not set(texts(found)) & {"01/01", "12/31"}
        assert result.along == 2
        assert result.unmoved == result.near == ()
    # A year that stands elsewhere is not far from them, even so.
    for seed in range(40):
        assert {day.year for day in read(made(written(events, "In 2004:"), seed)[0], events)} <= {2003, 2004, 2005}


def test_where_no_day_can_move_it_is_said() -> None:
    """Within 2004 no other days are as far apart as its first and its last, and no year stands beside them to move."""
    events = [(date(2004, 1, 1), "[%m/%d]"), (date(2004, 12, 31), "[%m/%d]")]
    found, result = made(written(events, "All in 2004."))
    assert texts(found) == ["01/01", "12/31"]
    assert [leak.text for leak in result.unmoved] == ["01/01", "12/31"]
    assert [found.text[leak.start : leak.end] for leak in result.unmoved] == ["01/01", "12/31"]


def test_where_days_move_little_it_is_said() -> None:
    events = [(date(2004, 1, 4), "[%m/%d]/%Y"), (date(2004, 12, 30), "[%m/%d]/%Y")]
    for seed in range(20):
        found, result = made(written(events), seed)
        shift = (read(found, events)[0] - date(2004, 1, 4)).days
        assert shift in (-3, -2, -1, 1)  # to 1 January at most, and to 31 December
        assert result.near == ("r",)
    assert made(written(ADMISSION))[1].near == ()  # from 3 November there are 58 days to go


def test_a_marked_year_stays_where_others_are_not_marked() -> None:
    events = [(date(2004, 5, 12), "[%m/%d]/%Y"), (date(1998, 1, 1), "[%Y]")]
    found, result = made(written(events))
    assert texts(found)[1] == "1998"
    assert [leak.text for leak in result.same_years] == ["1998"]
    assert result.unmoved == result.leaks == ()


def test_dates_that_nobody_marked_move_along() -> None:
    events = [(date(2004, 5, 12), "[%m/%d/%Y]"), (date(2004, 5, 20), "%m/%d/%Y"), (date(2004, 6, 1), "%d-%b-%y")]
    document = written(events, "Pain 2/6, BP 120/80.")
    found, result = made(document)
    assert result.along == 2
    assert distances(read(found, events)) == [8, 20, 12]
    assert found.text.startswith("Pain 2/6, BP 120/80.")
    assert "05/20/2004" not in found.text
    # None is marked: none moves.
    assert made(written([(date(2004, 5, 20), "%m/%d/%Y")]))[0].text.endswith("Seen 05/20/2004 again.\n")


def test_a_day_that_is_marked_once_moves_wherever_it_stands() -> None:
    found, result = made(written([(date(2004, 10, 29), "[%m/%d]")], "On 10/29 pain was 3/4."))
    assert result.along == 1
    assert f"On {texts(found)[0]} pain was 3/4." in found.text


def test_days_of_one_month_stay_in_one_month() -> None:
    """The 25 of `25 to 29 October 2004` has its month from what follows."""
    document = Document("r", "25 to 29 October 2004", (Annotation("gold", (Mention(0, 21, "DATE"),)),))
    for seed in range(60):
        first, second = re.match(r"(\d+) to (\d+) [A-Z]", made(document, seed)[0].text).groups()  # type: ignore[union-attr]
        assert int(second) - int(first) == 4


def test_years_of_two_digits_stay_in_their_century() -> None:
    """31 is 1931, so a birth in that year does not move back into 1930, which would be read as 2030."""
    document = written([(date(2004, 5, 12), "[%m/%d/%y]")], "Born on 1/20/31.")
    born = document.text.index("1/20/31")
    document = Document(
        "r", document.text, (Annotation("gold", (Mention(born, born + 7, "DATE"), *document.annotations[0].mentions)),)
    )
    for seed in range(60):
        year = int(re.search(r"Born on \d+/\d+/(\d\d)", made(document, seed)[0].text)[1])  # type: ignore[index]
        assert 31 <= year <= 36


def test_a_day_of_the_week_that_nobody_marked_stays_right() -> None:
    events = [(date(2004, 5, 12), "Wednesday, [%m/%d/%Y]"), (date(2004, 5, 20), "[%m/%d/%Y]")]
    for seed in range(30):
        assert read(made(written(events), seed)[0], events)[0].weekday() == 2


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("the [%d]th", r"the (1st|2nd|3rd|[4-9]th|1\dth|2[0-8](?:st|nd|rd|th))"),
        ("in [%B]", r"in [A-Z][a-z]+"),
        ("[%y]", r"\d\d"),
        ("[%m]/%Y", r"(0[1-9]|1[0-2])/2004"),
        ("[%B] %Y", r"[A-Z][a-z]+ 2004"),
        ("[%d de mayo] de %Y", r"\d\d? de [a-z]+ de 2004"),
    ],
)
def test_pieces_stay_what_they_are(form: str, expected: str) -> None:
    for seed in range(20):
        document = written([(date(2004, 5, 12), form)])
        found, _ = made(document, seed)
        assert re.fullmatch(rf"\nSeen {expected} again\.\n", found.text)
        assert texts(found) != texts(document)


@pytest.mark.slow
def test_records_of_meddocan_with_the_years_out_of_the_marks(records: Corpus) -> None:
    """What i2b2 2006 would have marked: 10/29 of 10/29/2004."""
    form = re.compile(r"(\d+/\d+)/\d{4}|(\d+ de [a-z]+) de \d{4}")
    stripped = []
    for document in records.documents[:150]:
        mentions = []
        for one in document.annotations[0].mentions:
            found = form.fullmatch(document.text[one.start : one.end])
            end = one.start + len(found[1] or found[2]) if found else one.end
            mentions.append(Mention(one.start, end, one.entity_type))
        stripped.append(Document(document.id, document.text, (Annotation("gold", tuple(mentions)),)))
    result = surrogates(Corpus(stripped), seed=7)
    assert result.unmoved == ()
    for old, new in zip(stripped, result.corpus, strict=True):
        days = [
            [
                one.on(0)
                for found in re.finditer(r"\b\d+/\d+/\d{4}\b|\b\d+ de [a-z]+ de \d{4}\b", document.text)
                for one in find_dates(found[0], day_first=True)
            ]
            for document in (old, new)
        ]
        assert len(days[0]) == len(days[1])
        moved = {(two - one).days for one, two in zip(*days, strict=True) if one and two}
        assert len(moved) <= 1, (old.id, moved)
