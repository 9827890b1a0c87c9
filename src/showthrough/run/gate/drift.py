"""Whether the releases of a month differ from those of the month before: what detectors find, what masks say, lengths.

Released texts with their days are enough. So it is for people who release every day, and mark nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from showthrough.core.arrays import Bools, Floats
from showthrough.core.errors import InputError, PlanError, Problem, at_document, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.models.detectors import DEFAULT, DetectorEntry, parse_detector
from showthrough.models.detectors.base import is_placeholder
from showthrough.models.detectors.scanning import scan
from showthrough.run.gate.checks import AnonymizationChecks, Check, DriftCheck, Enough, GateOutcome
from showthrough.run.records import Input
from showthrough.statistics.drift import LOOKS, WINDOWS, DayTotals, Drift, Rate, find_drift

REFERENCE = 30  # days before the first that is watched
LEAST = 10  # days with documents that a reference must have
_TYPES = 6  # that are watched each by itself, of finds and of masks; the others together
_OTHERS = "others"
_DAY = len("2026-11-18")
_MASK = re.compile(r"[\[<{]+[A-Z][A-Z_ -]*(?:[_ -]?\d+)?[\]>}]+|\*{3,}|[A-Z]{2,}(?:_[A-Z]+)*(?:_\d+)?")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Watch:
    """The days that are watched, and those that they are held against: the position of each document's day."""

    reference: Sequence[date]
    watched: Sequence[date]
    days: Sequence[date | None]  # of each document; none: before all of them

    @classmethod
    def of(cls, corpus: Corpus, field: str, since: str = "") -> Watch:
        """From a field of documents. Without a first day that is watched, the first of the last release's month."""
        days = _days_of(corpus, field)
        last = max(days)
        first = _parse_day(since) if since else last.replace(day=1)
        if first is None:
            raise PlanError(f"found {quote_value(since)}; expected a day, as 2026-11-18", "--since")
        if not 0 <= (last - first).days < LOOKS:
            expected = f"expected a day at most {LOOKS - 1} days before the last release, {last}"
            raise PlanError(f"found {first}; {expected}", "--since")
        begin = first - timedelta(REFERENCE)
        dates = [day if day >= begin else None for day in days]
        distinct = sorted({day for day in dates if day is not None})
        return cls([day for day in distinct if day < first], [day for day in distinct if day >= first], dates)


def _parse_day(value: str) -> date | None:
    """The day of a date or a time."""
    try:
        return date.fromisoformat(value[:_DAY])
    except ValueError:
        return None


def _days_of(corpus: Corpus, field: str) -> list[date]:
    """The day of every document. Raises InputError with all that have none."""
    days, problems = [], []
    for document in corpus:
        values = document.field_values(field)
        if len(values) != 1 or (day := _parse_day(values[0])) is None:
            surface = quote_value(values[0]) if len(values) == 1 else f"{len(values)} values"
            message = f"found {surface} as {shorten(field)}; expected a day, as 2026-11-18"
            problems.append(Problem(corpus.source, at_document(document.id), message))
        else:
            days.append(day)
    if problems or not days:
        raise InputError(problems or [Problem(corpus.source, "", "holds no document; expected releases of some weeks")])
    return days


def check_drift(corpus: Corpus, field: str, since: str = "", detector: str = DEFAULT) -> GateOutcome:
    """Holds the releases of a month against those of the 30 days before it. Raises InputError."""
    watch = Watch.of(corpus, field, since)
    first, found = watch.watched[0], len(watch.reference)
    asked = f"at least {LEAST} days with releases in the {REFERENCE} days before {first}"
    checks: list[Check] = [Enough(asked, found >= LEAST, f"{found} days", found, LEAST)]
    if found >= LEAST:
        rates, totals = _count(corpus, watch, parse_detector(detector))
        drift = find_drift(totals, found, rates)
        checks += [_check(rate, drift, number, watch) for number, rate in enumerate(rates)]
    source = Input(corpus.name, corpus.digest, len(corpus), corpus.source).without_path
    looks = f"{len(watch.watched)} look{'' if len(watch.watched) == 1 else 's'}"
    notes = [
        f"{looks} since {first}, against the {REFERENCE} days before: at most 5 % of quiet months raise an alarm",
        "that no drift is shown does not show that nothing changed: few documents hide much",
    ]
    sample = f"{sum(day is not None for day in watch.days):,} documents"
    return GateOutcome(source, sample, False, [AnonymizationChecks(corpus.name, checks, [])], notes=notes)


def _count(corpus: Corpus, watch: Watch, detector: DetectorEntry) -> tuple[tuple[Rate, ...], DayTotals]:
    """What is counted in each document, and its sums by day."""
    dated = [(document, day) for document, day in zip(corpus, watch.days, strict=True) if day is not None]
    every = [*watch.reference, *watch.watched]
    position = {day: number for number, day in enumerate(every)}
    days = np.array([position[day] for _, day in dated])
    finds: list[Counter[str]] = [Counter() for _ in dated]
    for sighting in scan(
        {str(number): document.text for number, (document, _) in enumerate(dated)}, [detector]
    ).sightings:
        finds[int(sighting.document)][sighting.entity_type] += 1
    masks = [Counter(_masks_in(document.text)) for document, _ in dated]
    words = np.array([len(_WORD.findall(document.text)) for document, _ in dated], dtype=np.float64)
    columns: list[tuple[Rate, Floats, Floats]] = [
        (Rate("finds per 1,000 words", both_ways=False), _sizes(finds), words / 1_000),
        (Rate("masks per 1,000 words"), _sizes(masks), words / 1_000),
        (Rate("words per document", counts=False), words, np.ones(len(dated))),
    ]
    before = days < len(watch.reference)
    for noun, counters in (("finds", finds), ("masks", masks)):
        for kind, counts in _by_type(counters, before).items():
            columns.append((Rate(f"share of {kind} among {noun}"), counts, _sizes(counters)))
    rates = [rate for rate, _, _ in columns]
    rates[0] = Rate(rates[0].name, both_ways=False, weight=len(rates) - 1)  # half of the error: it is what leaks
    counted = np.stack([values for _, values, _ in columns], axis=-1)
    by = np.stack([values for _, _, values in columns], axis=-1)

    def sums(values: Floats) -> Floats:
        result = np.zeros((len(every), *values.shape[1:]))
        np.add.at(result, days, values)
        return result

    documents = sums(np.ones(len(dated)))
    products = counted**2, counted * by, by**2
    return tuple(rates), DayTotals(documents, sums(counted), sums(by), *map(sums, products))


def _masks_in(text: str) -> Iterable[str]:
    """The labels that an anonymizer wrote, without brackets and numbers: `[NAME_2]` is NAME, `***` is itself.

    >>> [*_masks_in("Mr [NAME_2] of CITY met <PERSON> and *****, IBM, [sic].")]
    ['NAME', 'CITY', 'PERSON', '***']
    """
    for match in _MASK.findall(text):
        bare = match.strip("[]<>{}() ")
        if bare != match or is_placeholder(match):
            yield re.sub(r"[ _-]?\d+\Z", "", bare) if bare[:1].isalpha() else bare[:3]


def _sizes(counters: Sequence[Counter[str]]) -> Floats:
    return np.array([counter.total() for counter in counters], dtype=np.float64)


def _by_type(counters: Sequence[Counter[str]], before: Bools) -> dict[str, Floats]:
    """Counts of the types that are frequent in the reference, and of all others together; one type has no share."""
    every: Counter[str] = Counter()
    for number in np.flatnonzero(before).tolist():
        every.update(counters[number])
    frequent = sorted(every, key=lambda kind: (-every[kind], kind))[:_TYPES]
    counts = {kind: np.array([float(counter[kind]) for counter in counters]) for kind in frequent}
    rest = _sizes(counters) - sum(counts.values(), np.zeros(len(counters)))
    return {**counts, _OTHERS: rest} if len(frequent) > 1 or rest.any() else {}


def _check(rate: Rate, drift: Drift, number: int, watch: Watch) -> DriftCheck:
    """What all looks say of one rate: the first alarm, or that there is none."""
    alarms = drift.alarms[..., number]
    looks = np.flatnonzero(alarms.any(axis=-1))
    look = int(looks[0]) if len(looks) else len(alarms) - 1
    window = int(np.flatnonzero(alarms[look])[0]) if len(looks) else len(WINDOWS) - 1
    day, days = watch.watched[look], min(WINDOWS[window], look + 1)
    value, earlier = (_number(x) for x in (drift.rates[look, window, number], drift.reference[number]))
    if not len(looks):
        sentence = "no drift is shown"
    else:
        which = f"on {day}" if days == 1 else f"in {days} days up to {day}"
        sentence = f"{'rose' if alarms[look, window] > 0 else 'fell'} {which}: hardly chance"
    return DriftCheck(
        f"no drift: {rate.name}",
        not len(looks),
        sentence,
        rate.name,
        value,
        earlier,
        str(day) if len(looks) else "",
        days,
    )


def _number(value: float) -> float | None:
    """A rate, where there is anything to count it by."""
    return float(value) if np.isfinite(value) else None
