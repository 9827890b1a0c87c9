"""The dates of one record in their places: what of each is marked, and what stands beside the marks.

Annotators may mark a whole date, or its day and month and not its year (i2b2 2006 asks for that), or one part at a
time. What a date says is read from all of it; what may be replaced is what is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from showthrough.systems.surrogates import dates
from showthrough.systems.surrogates.dates import DateField, Span, WrittenDate, cover, fields_of, find_dates, span_of

_BARE = re.compile(r"\W*(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th|º)?\W*", re.IGNORECASE)
_DOTTED = re.compile(r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.?")
_WINDOW = 24  # characters beside a piece of a date, in which the rest of it may stand
_YEAR_BEFORE = re.compile(r"(?<!\d)(?P<year>(?:1[89]|2[01])\d{2})[-/.]$")
_LONG_AFTER = re.compile(r"(?i)(?:\s?[-/.]\s?|\s*,\s*|\s+(?:de|del|of)\s+|\s+)(?P<year>(?:1[89]|2[01])\d{2})(?!\d)")
_SHORT_AFTER = re.compile(r"(?:(?P<sign>[-/.])|,?\s*['’])(?P<year>\d{2})(?!\d|\s?[-/.]\s?\d)")
# No year is part of a larger number, nor followed by what is counted.
_YEAR_ALONE = re.compile(
    r"(?<![\w/.,:+$€£-])(?P<year>(?:19|20)\d{2})"
    r"(?![\w/%]|[-.,:]\w|\s*(?:%|[mkcdµμ]?[glL]\b|m[lgm]\b|cc|kcal|cal|calor|units?\b|u\b|ui\b|iu\b|hrs?\b|hours?|h\b))"
)
_WEEKDAY = re.compile(rf"\b(?:{'|'.join(chain(*dates.WEEKDAYS[:2]))})\b", re.IGNORECASE)
_SPANISH = re.compile(r"\b(?:de|el|la|los|que|con|una?|se)\b", re.IGNORECASE)
_ENGLISH = re.compile(r"\b(?:of|the|and|with|was|is|for|an?)\b", re.IGNORECASE)
_ORDINAL = re.compile(r"(?P<ordinal>st|nd|rd|th)\b", re.IGNORECASE)
_COUNTED = re.compile(r"\s*-?\s*(?:hour|hr|day|week|month|year|min|hora|día|dia|semana|mes|año)", re.IGNORECASE)


@dataclass(frozen=True)
class Timeline:
    """All that tells when something was: dates with the places of their parts in the record's text."""

    marked: tuple[WrittenDate, ...] = ()  # a part of each is marked, at least
    unmarked: tuple[WrittenDate, ...] = ()  # nobody marked them, and they can be nothing but dates
    years: frozenset[int] = frozenset()  # nobody marked them, and they stand alone
    weekday: bool = False  # nobody marked a day of the week that stands there

    @property
    def all(self) -> tuple[WrittenDate, ...]:
        return (*self.marked, *self.unmarked)

    def free_years(self) -> Timeline:
        """The same with the years beside marked dates to be replaced as well."""
        return replace(self, marked=tuple(written_date.free_year() for written_date in self.marked))


def timeline(
    text: str, marks: Sequence[Span], repeats: Iterable[Span], exclusions: Iterable[Span], day_first: bool
) -> Timeline:
    """Reads the dates of a record.

    `marks` are what is marked as a date, `repeats` where the same stands without a mark, `exclusions` what is not
    to be looked at. A repeat that is part of a whole date is that date.
    """
    if not marks:
        return Timeline()
    covered = cover(bytearray(len(text)), (*marks, *exclusions))
    readable = [
        written_date for written_date in find_dates(text, day_first) if 1 not in covered[slice(*span_of(written_date))]
    ]
    along = [written_date for written_date in readable if _sure(written_date, text)]
    cover(covered, map(span_of, along))
    record = _Record(
        text, _merge_spans((*marks, *(span for span in repeats if 1 not in covered[slice(*span)]))), day_first
    )
    marked = list(record.read_dates())
    if not marked:
        return Timeline()
    cover(covered, record.marks)
    writings = {text[slice(*span_of(written_date))] for written_date in marked}
    along += [
        written_date
        for written_date in readable
        if 1 not in covered[slice(*span_of(written_date))] and _is_repeat(written_date, text, writings)
    ]
    cover(covered, map(span_of, along))
    years = frozenset(
        int(match["year"])
        for match in _YEAR_ALONE.finditer(text)
        if match.start() not in record.claimed and 1 not in covered[match.start() : match.end()]
    )
    weekdays = filter(None, (_WEEKDAY.match(text, offset) for offset in dates.named_words(text)))
    weekday = any(1 not in covered[match.start() : match.end()] for match in weekdays)
    return Timeline(_with_months(marked, text), _with_months(along, text), years, weekday)


def _with_months(written: Sequence[WrittenDate], text: str) -> tuple[WrittenDate, ...]:
    """Dates with the months as others of their form have them: May is short in 3-May and beside 4 Aug, not in May 3."""
    named = [
        (_form(written_date, text), field)
        for written_date in written
        for field in written_date.fields
        if field.name == "name"
    ]
    spanish = bool(named) and len(_SPANISH.findall(text)) > len(_ENGLISH.findall(text))
    chosen: dict[int, tuple[str, ...]] = {}
    for form, field in named:
        short = "-" in form
        alike = [other.text.lower() for other_form, other in named if other_form == form]
        chosen[field.start] = max(
            (table for table in dates.MONTHS if field.text.lower() in table),
            key=lambda table: (
                sum(name in table for name in alike),
                (table in dates.SHORT_MONTHS) == short,
                (table in dates.SPANISH_MONTHS) == spanish,
            ),
        )
    return tuple(
        replace(
            written_date, names=next((chosen[field.start] for field in written_date.fields if field.name == "name"), ())
        )
        for written_date in written
    )


def _form(written_date: WrittenDate, text: str) -> str:
    """The names of its parts, and what stands between them."""
    return "".join(
        field.name + text[field.end : after.start]
        for field, after in zip(written_date.fields, (*written_date.fields[1:], written_date.fields[-1]), strict=True)
    )


def _merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Spans that overlap or touch as one, by place."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _is_repeat(written_date: WrittenDate, text: str, writings: set[str]) -> bool:
    """Whether a day is written as one that is marked elsewhere, and as no fraction is: 10/29 or 03/04, but not 3/4."""
    written = text[slice(*span_of(written_date))]
    no_fraction = re.search(r"\b(?:0\d|1[3-9]|[23]\d)\b", written)
    return (
        written_date.unit == "day"
        and written in writings
        and no_fraction is not None
        and not _goes_on(written_date, text)
    )


def _goes_on(written_date: WrittenDate, text: str) -> bool:
    """Whether it is part of a longer word or number."""
    start, end = span_of(written_date)
    return text[start - 1 : start] in ("/", ".", "-") or re.match(r"[-/.]?\w", text[end : end + 2]) is not None


def _sure(written_date: WrittenDate, text: str) -> bool:
    """Whether this is a date though nobody marked it: 10/29/1997 is, 2/6 is a murmur, 1.2.10 a version."""
    if written_date.lender is not None:
        return _sure(written_date.lender, text)
    texts = {field.name: field.text for field in written_date.fields}
    if written_date.by_name:
        dashed = "year" in texts and text[written_date.fields[-1].start - 1] in "-/'"
        return ("day" in texts and (len(texts["name"]) > 3 or dashed)) or len(texts.get("year", "")) == 4
    if (
        not {"day", "month", "year"} <= texts.keys()
        or written_date.fields[1].start == written_date.fields[0].end
        or _goes_on(written_date, text)
    ):
        return False
    return len(texts["year"]) == 4 or text[written_date.fields[0].end] == "/"


class _Record:
    """The marked dates of a record, read one after the other."""

    def __init__(self, text: str, marks: Sequence[Span], day_first: bool) -> None:
        self._text = text
        self.marks = marks
        self._day_first = day_first
        self.claimed: set[int] = set()  # where parts stand that belong to a date already
        self.inside = cover(bytearray(len(text)), marks)

    def read_dates(self) -> Iterator[WrittenDate]:
        for start, end in self.marks:
            for written_date in self._read(start, end):
                if not any(field.start in self.claimed for field in written_date.fields):
                    self.claimed.update(field.start for field in written_date.fields)
                    yield self._with_ordinal(written_date)

    def _with_ordinal(self, written_date: WrittenDate) -> WrittenDate:
        """A date with the `th` that stands after a marked 29; it is no part of the mark, and goes with the day."""
        last = written_date.fields[-1]
        after = _ORDINAL.match(self._text, last.end) if last.name == "day" else None
        return replace(written_date, fields=(*written_date.fields, *fields_of(after))) if after else written_date

    def _read(self, start: int, end: int) -> list[WrittenDate]:
        own = [written_date.at(start) for written_date in find_dates(self._text[start:end], self._day_first)]
        if not own or (len(own) == 1 and [field.name for field in own[0].fields] == ["name"]):
            pieced = self._read_piece(start, end, by_name=bool(own))
            if pieced:
                return pieced
        if not own:
            bare = _BARE.fullmatch(self._text, start, end)
            return self._alone(bare, end) if bare else self._read_dotted(start, end)
        return self._with_year_before(own, start, end) or self._with_year_after(own, end)

    def _read_piece(self, start: int, end: int, by_name: bool) -> list[WrittenDate]:
        """The dates that a piece is part of: the 29 or the October of `October 29`."""
        left = self._text.rfind(" ", 0, max(0, start - _WINDOW)) + 1
        window = self._text[left : end + _WINDOW]
        whole = (self._limit_to_marks(written_date.at(left)) for written_date in find_dates(window, self._day_first))
        own = [
            written_date for written_date in whole if any(start <= field.start < end for field in written_date.fields)
        ]
        return [
            written_date
            for written_date in own
            if not by_name or (written_date.day is not None and "day" not in written_date.fixed)
        ]

    def _limit_to_marks(self, written_date: WrittenDate) -> WrittenDate:
        """A date of which only what is marked may be replaced."""
        fields = tuple(field for field in written_date.fields if self.inside[field.start])
        left = {"month" if field.name == "name" else field.name for field in written_date.fields if field not in fields}
        lender = written_date.lender and self._limit_to_marks(written_date.lender)
        borrowed = lender.fixed - {"day"} if lender else frozenset()
        beside = tuple(field for field in written_date.fields if field.name == "year" and field not in fields)
        return replace(
            written_date, fields=fields, beside=beside, lender=lender, fixed=frozenset(left - {"ordinal"}) | borrowed
        )

    def _alone(self, bare: re.Match[str], end: int) -> list[WrittenDate]:
        """A number that is marked as a date with nothing beside it: a day, or a year of two digits."""
        number, fields = int(bare["day"]), fields_of(bare)
        if number > 31 and len(fields) == 1:
            return [WrittenDate((replace(fields[0], name="year"),), dates.read_year(bare["day"]), None, None)]
        if not 1 <= number <= 31 or _COUNTED.match(self._text, end):
            return []
        return [WrittenDate(fields, None, None, number, by_name=True)]

    def _read_dotted(self, start: int, end: int) -> list[WrittenDate]:
        """`29.10.`, which is a date where it is marked as one, and else a decimal."""
        match = _DOTTED.fullmatch(self._text, start, end)
        if match is None or not dates.is_day(None, int(match["month"]), int(match["day"])):
            return []
        return [WrittenDate(fields_of(match), None, int(match["month"]), int(match["day"]))]

    def _with_year_before(self, own: list[WrittenDate], start: int, end: int) -> list[WrittenDate]:
        """The dates of a mark that a year stands before: `2004-` and the marked `10-29`."""
        before = _YEAR_BEFORE.search(self._text, max(0, start - 6), start)
        if before is None or own[0].year is not None or own[0].fields[0].start != start:
            return []
        whole = find_dates(self._text[before.start() : end], self._day_first)
        if not whole or whole[0].year != int(before["year"]) or len(whole[0].fields) == 1:
            return []
        self.claimed.add(before.start())
        return [self._limit_to_marks(written_date.at(before.start())) for written_date in whole]

    def _with_year_after(self, own: list[WrittenDate], end: int) -> list[WrittenDate]:
        """The dates of a mark, the last of them with the year that stands after it: `10/29` is marked, `/2004` not."""
        last = own[-1]
        field = self._year_after(last, end) if last.month is not None and last.year is None else None
        year = dates.read_year(field.text) if field else None
        if field is None or not dates.is_day(year, last.month, last.day):
            return own
        if self.inside[field.start]:
            whole = replace(last, year=year, fields=(*last.fields, field))
        else:
            self.claimed.add(field.start)
            whole = replace(last, year=year, fixed=frozenset({"year"}), beside=(field,))
        return [
            *(
                replace(written_date, year=year, fixed=whole.fixed, lender=whole)
                if written_date.lender == last
                else written_date
                for written_date in own[:-1]
            ),
            whole,
        ]

    def _year_after(self, last: WrittenDate, end: int) -> DateField | None:
        if self._text[last.fields[-1].end : end].strip(" .,\t\n)"):
            return None
        match = _LONG_AFTER.match(self._text, end)
        if match is None:
            match = _SHORT_AFTER.match(self._text, end)
            mark = self._text[last.fields[0].start : end]
            if match is None or (match["sign"] and match["sign"] not in mark):
                return None
        return fields_of(match)[0]
