"""By how much the dates of a record move, so that its chronology stays: no order, no distance of two events changes.

Dates that are marked with their years may move by any number of days. Others set bounds. A year that nobody marked
stays in the text, so the date beside it has to stay in that year. A date without a year may be of any year that the
record names, leap years among them, and its distances have to be right in each. A year alone has to stay as many years
away from every date. All this holds where every date changes its year by the same number, and every day without a year
becomes the same day in all years that it may be of. Where no distance does all that, dates without a year are read in
one year alone, or the unmarked years beside the dates move along. Where that does not help, the dates stay as they are,
and it is said.
"""

from __future__ import annotations

from calendar import isleap, monthrange
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import islice
from random import Random

from showthrough.systems.surrogates._timeline import Timeline
from showthrough.systems.surrogates.dates import DAYS_OF_YEAR, PLAIN_YEAR, SAFE_DAYS, Shift, WrittenDate, leap_year_near
from showthrough.systems.surrogates.invention import Edit

NEAREST = 30  # days that dates move, at least, where there is room
_FARTHEST = 1460
_TRIES, _PATIENCE = 400, 50
_MOST_YEARS = 4
_WITHIN_A_YEAR = 180  # so that a year alone, which stays, may still be the year of what was in it
_LATER = 3  # kinds of faults that are worse than those which are quickly told
_ENOUGH = 40  # moves that are weighed against each other before the best is taken
_PLAIN_YEARS = range(PLAIN_YEAR, PLAIN_YEAR + 4)  # where nothing tells the year: any, before, in and after a leap year

Faults = tuple[int, ...]
Blemishes = Callable[[Iterable[list[Edit]]], int]  # of the edits of all dates


@dataclass(frozen=True)
class Move:
    """A shift, the year that dates without one are read in, and whether unmarked years beside dates go along."""

    shift: Shift
    year: int
    frees: bool = False
    _texts: dict[Hashable, list[str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def edits(self, written_date: WrittenDate) -> list[Edit]:
        written_date = written_date.free_year() if self.frees else written_date
        return [
            (part.start, part.end, new) for part, new in zip(written_date.fields, self._says(written_date), strict=True)
        ]

    def leaves(self, written_date: WrittenDate) -> bool:
        """Whether a date is the same afterwards."""
        return all(part.text == new for part, new in written_date.shift_fields(self.shift, self.year))

    def _says(self, written_date: WrittenDate) -> list[str]:
        """What the parts of a date say afterwards; worked out once for all that are written alike."""
        if written_date.writing not in self._texts:
            self._texts[written_date.writing] = [new for _, new in written_date.shift_fields(self.shift, self.year)]
        return self._texts[written_date.writing]


STAY = Move(Shift(0, 0, 0), PLAIN_YEAR)


class Chronology:
    """The dates of a record, and the moves that leave their order and distances as they are."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._days, self._months, self._years, self._bare = (
            [written_date for written_date in timeline.all if written_date.unit == unit]
            for unit in ("day", "month", "year", "bare day")
        )
        self._yearless = [written_date for written_date in (*self._days, *self._months) if written_date.year is None]
        self._lone_months = [month for month in self._months if month.year is None]
        self._distinct = {day.meaning: day for day in reversed(self._days)}  # of days that say the same one is asked
        self._times = Counter(day.meaning for day in self._days)
        self._writings = {
            written_date.writing: written_date for written_date in timeline.marked
        }  # and of those that are written alike
        self._written = Counter(written_date.writing for written_date in timeline.marked)
        self._pinned = any("year" in written_date.fixed for written_date in timeline.all)
        named = Counter(
            [*(written_date.year for written_date in timeline.all if written_date.year is not None), *timeline.years]
        )
        self._nameless = not named
        self._common = max(named, key=lambda year: (named[year], year)) if named else PLAIN_YEAR
        self._readings = _kinds_of_years(named or _PLAIN_YEARS)
        if any(written_date.leap_day() for written_date in self._yearless):
            leap = [year for year in named or _PLAIN_YEARS if isleap(year)]
            self._common = max(leap, key=lambda year: (named[year], year)) if leap else leap_year_near(self._common)
            self._readings |= {self._common}

    def move(self, random: Random, blemishes: Blemishes) -> Move:
        """The best move. `blemishes` counts what its edits do that they had better not."""
        best, fewest = STAY, tuple(self._faults(STAY, blemishes))
        for moves, strictness in self._ways(random):
            for move in islice(moves, _ENOUGH):
                faults = self._fewer(move, blemishes, fewest)
                if faults is None:
                    continue
                best, fewest = move, faults
                if not any(faults):
                    break
            if not any(fewest[:strictness]):
                break
        return best

    def _ways(self, random: Random) -> Iterator[tuple[Iterator[Move], int]]:
        """Moves, the strictest first, each with the number of kinds of faults that it must be free of to be taken.

        Where years are not marked or missing, to be right matters more than to move far.
        """
        strict = bool(self._pinned or self._yearless or self._bare)
        years_move = not self._pinned and any(written_date.year is not None for written_date in self._timeline.all)
        if self._pinned or self._nameless or self._timeline.years:
            yield from self._in_readings(random, 0, 3 if years_move else 1 if self._yearless else 2)
        if years_move and (strict or self._years):
            yield from self._in_readings(random, _MOST_YEARS, 1 if strict else 5)
        if years_move or self._nameless:
            yield self._freely(random), 0
        if self._pinned:
            freed = Chronology(self._timeline.free_years())
            yield (replace(move, frees=True) for move in freed._freely(random)), 0

    def _in_readings(self, random: Random, reach: int, strictness: int) -> Iterator[tuple[Iterator[Move], int]]:
        yield self._in_step(random, self._readings, reach), strictness
        if self._yearless:
            yield self._in_step(random, frozenset({self._common}), reach), strictness

    def _fewer(self, move: Move, blemishes: Blemishes, fewest: Faults) -> Faults | None:
        """What speaks against a move, if that is less than so much; asked no further than needed to tell."""
        if not any(fewest[:_LATER]) and self._later_faults(move) >= fewest[_LATER:]:
            return None  # at best as many: whatever it does to single dates need not be asked
        faults: Faults = ()
        for fault in self._faults(move, blemishes):
            faults = (*faults, fault)
            if faults > fewest[: len(faults)]:
                return None
        return faults if faults < fewest else None

    def _faults(self, move: Move, blemishes: Blemishes) -> Iterator[int]:
        """What speaks against a move, the worst first."""
        same = [written_date for written_date in self._writings.values() if move.leaves(written_date)]
        years = sum(self._written[written_date.writing] for written_date in same if written_date.unit == "year")
        yield sum(self._written[written_date.writing] for written_date in same) - years
        yield blemishes(move.edits(written_date) for written_date in self._timeline.all)
        yield years
        yield from self._later_faults(move)

    def _later_faults(self, move: Move) -> Faults:
        left = sum(
            month.move(move.shift, move.year).year - move.year != move.shift.years for month in self._lone_months
        )
        return left, int(self.near(move)), self._discords(move)

    def near(self, move: Move) -> bool:
        """Whether days have moved so little that they can be guessed."""
        marked = [day for day in self._timeline.marked if day.unit == "day"]
        days = move.shift.days
        if any(day.year is None or ("year" in day.fixed and not move.frees) for day in marked):
            days -= round(move.shift.years * DAYS_OF_YEAR)
        return bool(marked) and abs(days) < NEAREST

    def _discords(self, move: Move) -> int:
        """Days that do not go along with months, years and days of the week that stand alone."""
        shift = move.shift
        discords = int(self._timeline.weekday and shift.days % 7 != 0)
        for meaning, day in self._distinct.items() if self._months or self._years or self._timeline.years else ():
            before, after = day.on(move.year), day.move(shift, move.year)
            years, times = after.year - before.year, self._times[meaning]
            discords += times * (bool(self._months) and years * 12 + after.month - before.month != shift.months)
            discords += times * (bool(self._years) and years != shift.years)
            discords += times * (bool(self._timeline.years) and years != 0)
        return discords

    def _in_step(self, random: Random, readings: frozenset[int], reach: int) -> Iterator[Move]:
        """Moves that change the year of every date by the same number, in every reading.

        Beside dates that just have to stay in their years, others need not do so.
        """
        together = bool(self._yearless or self._years or self._timeline.years)
        in_step = [day for day in self._days if together or "year" in day.fixed]
        starts = {day.on(year) for day in in_step for year in self._read_in(day, readings)}
        reach = reach if together else 0
        shifts = [(days, years) for years in range(-reach, reach + 1) for days in self._bounds(starts, years) if days]
        random.shuffle(shifts)
        shifts.sort(key=lambda shift: abs(shift[0] - round(shift[1] * DAYS_OF_YEAR)) < NEAREST)
        for days, years in shifts:
            if self._days_fit(days, readings) and self._years_fit(years):
                months = self._fitting_months(days, readings, years)
                if months is not None:
                    yield Move(Shift(days, months, years), self._common)

    def _bounds(self, starts: set[date], years: int) -> range:
        """By how many days all can move to be so many years on; a day of no month has to stay one of any month."""
        middle = round(years * DAYS_OF_YEAR)
        low = [(date(day.year + years, 1, 1) - day).days for day in starts]
        high = [(date(day.year + years, 12, 31) - day).days for day in starts]
        for bare_day in self._bare:
            low.append(1 - (bare_day.day or 0))
            high.append(max(SAFE_DAYS, bare_day.day or 0) - (bare_day.day or 0))
        half = round(DAYS_OF_YEAR / 2)
        return range(max(low, default=middle - half), min(high, default=middle + half) + 1)

    def _read_in(self, written_date: WrittenDate, readings: frozenset[int]) -> list[int]:
        if written_date.year is not None:
            return [written_date.year]
        return sorted(year for year in readings if isleap(year)) if written_date.leap_day() else sorted(readings)

    def _days_fit(self, days: int, readings: frozenset[int]) -> bool:
        """Whether every day stays what is not marked of it, and becomes one day in all years that it may be of."""
        shift = Shift.nearest(days)
        for day in self._distinct.values():
            moved = [(day.on(year), day.move(shift, year)) for year in self._read_in(day, readings)]
            if day.year is None and len({after[1:] for _, after in moved}) > 1:
                return False
            for before, after in moved:
                changed = any(getattr(before, part) != getattr(after, part) for part in day.fixed)
                if changed or not day.can_say(after.year):
                    return False
                if day.lender is not None and day.lender.move(shift, before.year)[:2] != after[:2]:
                    return False
        return True

    def _years_fit(self, years: int) -> bool:
        return all(written_date.can_say((written_date.year or 0) + years) for written_date in self._years)

    def _fitting_months(self, days: int, readings: frozenset[int], years: int | None) -> int | None:
        """By how many whole months a month without a day moves: some day of it has to move there; `None`: by none."""
        if not self._months:
            return Shift.nearest(days).months
        exact = days * 12 / DAYS_OF_YEAR
        options = {round(exact), int(exact), int(exact) + (1 if days > 0 else -1)}
        nearest = sorted(options, key=lambda months: abs(months - exact))
        changing = [months for months in nearest if (months % 12 if self._lone_months else months)]
        # That every month changes its year as the days do is good, that it changes at all is better.
        for leaving in ("none", "marked", "yearless"):
            for months in changing:
                if self._months_fit(days, months, readings, years, leaving):
                    return months
        return next((months for months in nearest if self._months_fit(days, months, readings, years, "none")), None)

    def _months_fit(self, days: int, months: int, readings: frozenset[int], years: int | None, leaving: str) -> bool:
        for month in self._months:
            may_leave = years is None or leaving == "yearless" or (leaving == "marked" and month.year is not None)
            may_leave &= "year" not in month.fixed
            for year in self._read_in(month, readings):
                before, after = month.on(year), month.move(Shift(days, months, 0), year)
                first, last = before + timedelta(days), _last_of(before) + timedelta(days)
                target = date(after.year, after.month, 1)
                if last < target or _last_of(target) < first or not month.can_say(after.year):
                    return False
                if not may_leave and after.year - before.year != years:
                    return False
        return True

    def _freely(self, random: Random) -> Iterator[Move]:
        """Moves for which dates without a year are read in one year and may leave it."""
        readings = frozenset({self._common})
        for attempt in range(_TRIES):
            # A record with many dates has some pair of them at nearly every distance: then they move farther.
            farthest = _FARTHEST * (1 + attempt // _PATIENCE)
            if self._timeline.years or (self._nameless and self._yearless):
                farthest = _WITHIN_A_YEAR
            days = random.choice((-1, 1)) * random.randint(NEAREST, farthest)
            shift = Shift.nearest(days)
            if not self._days_fit(days, readings) or not self._stay_distinct(shift) or not self._years_fit(shift.years):
                continue
            months = self._fitting_months(days, readings, None)
            if months is not None:
                yield Move(Shift(days, months, shift.years), self._common)

    def _stay_distinct(self, shift: Shift) -> bool:
        """Whether days without a year stay two where they were two, and exist in any year."""
        yearless = [day for day in (*self._days, *self._bare) if day.year is None]
        before = {(day.unit, day.month, day.day) for day in yearless}
        after = {(day.unit, *day.move(shift, self._common)[1:]) for day in yearless}
        return len(before) == len(after) and ("day", 2, 29) not in after


def _kinds_of_years(years: Iterable[int]) -> frozenset[int]:
    """One year for all that have the same leap years around them."""
    kinds = {tuple(map(isleap, range(year - _MOST_YEARS, year + _MOST_YEARS + 1))): year for year in years}
    return frozenset(kinds.values())


def _last_of(day: date) -> date:
    """The last day of a month."""
    return day.replace(day=monthrange(day.year, day.month)[1])
