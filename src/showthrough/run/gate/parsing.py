"""What numbers are asked to reach, as users write it: `er_di=0.95`, `recall_per_type[CODE]=0.9`."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from showthrough.core.errors import InputError, PlanError, Problem, ResourceError, join_names, quote_value, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.metrics import Metric, metric_text, parse_metric
from showthrough.run.records import MetricRecord, find_metric_text
from showthrough.run.thresholds import End, Threshold

_ENDS: tuple[End, ...] = ("min", "max")
_OF = {"min": "higher", "max": "lower"}  # what must be better, for such an end to be asked for
_SHOWN = 80  # characters of a metric that a message shows
_WORST = "@worst("
_GROUP = lazy_pattern(r"([a-z_][a-z_0-9]*(?:\(.*\))?)@([^@=]+)=(.+)")


class ThresholdRequest(msgspec.Struct, frozen=True):
    """A threshold as it was written, before it is known which metrics there are; `file` and `place` say where."""

    end: End
    what: str
    limit: float
    location: str
    file: str = ""

    def problem(self, message: str) -> Problem:
        return Problem(self.file, self.location, message)


def parse_options(least: Iterable[str] | None, most: Iterable[str] | None) -> tuple[ThresholdRequest, ...]:
    """What options say. Text forms have an equals sign inside, so the last one counts.

    >>> [check.what for check in parse_options(['recall(unit="mention")=0.9'], None)]
    ['recall(unit="mention")']
    """
    options: tuple[tuple[End, Iterable[str] | None], ...] = (("min", least), ("max", most))
    return tuple(_option(end, text) for end, texts in options for text in texts or ())


def _option(end: End, text: str) -> ThresholdRequest:
    target, _, limit = text.rpartition("=")
    try:
        number = float(limit)
    except ValueError:
        number = math.nan
    if not target.strip() or not math.isfinite(number):
        expected = f"METRIC=LIMIT, such as --{end} er_di=0.95"
        raise PlanError(f"found {quote_value(text, _SHOWN)}; expected {expected}", f"--{end}")
    return ThresholdRequest(end, target.strip(), number, f"--{end} {shorten(text, _SHOWN)}")


def parse_thresholds(thresholds: Mapping[str, Mapping[str, float]], file: str = "") -> tuple[ThresholdRequest, ...]:
    """What a plan or a program says: `{"min": {"er_di": 0.95}, "max": {"trir": 0.09}}`."""
    requests = []
    for end, limits in _mapping(thresholds, "thresholds", file).items():
        if end not in _ENDS:
            fault = f"found {quote_value(end)}; expected min or max, and in it a limit for each metric"
            raise InputError(Problem(file, "thresholds", fault))
        for target, limit in _mapping(limits, f"thresholds.{end}", file).items():
            location = f"thresholds.{end}.{shorten(str(target), _SHOWN)}"
            number = isinstance(limit, int | float) and not isinstance(limit, bool) and math.isfinite(limit)
            if not number or not isinstance(target, str):
                raise InputError(Problem(file, location, f"found {quote_value(limit)}; expected a number"))
            requests.append(ThresholdRequest(end, target, float(limit), location, file))
    return tuple(requests)


def _mapping(value: object, location: str, file: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        fault = f"found {quote_value(value)}; expected numbers by metric, such as min = {{er_di = 0.95}}"
        raise InputError(Problem(file, location, fault))
    return value


def resolve_thresholds(
    requests: Sequence[ThresholdRequest],
    records: Iterable[MetricRecord],
    applied: Callable[[Metric], Metric] | None = None,
    slices: Collection[str] = (),
) -> tuple[Threshold, ...]:
    """What is asked of the metrics that there are, each once; raises InputError with all that cannot be asked.

    `applied` makes of a metric that is named the one that is scored: the word lists of another language, say. `slices`
    are the fields whose groups are scored.
    """
    records = list(records) if requests else []
    thresholds: dict[tuple[str, End], Threshold] = {}
    problems = []
    for request in requests:
        try:
            number, field, group = split_slice(request.what, slices)
            metric, part = _split_target(number, records, applied or (lambda metric: metric))
        except (InputError, ResourceError) as error:
            problems += [request.problem(str(error))]
            continue
        threshold = Threshold(metric, request.end, request.limit, part, field, group)
        if fault := fault_of(threshold, records):
            problems.append(request.problem(fault))
        elif thresholds.setdefault((threshold.what, request.end), threshold).limit != request.limit:
            problems.append(request.problem("is asked for with two limits; expected one"))
    if problems:
        raise InputError(problems)
    return tuple(thresholds.values())


def split_slice(target: str, slices: Collection[str]) -> tuple[str, str, str]:
    """The number that is asked for, the field whose groups it is asked of, and the group; the worst where it is empty.

    >>> split_slice("er_di@worst(year)", ["year"]), split_slice("er_di@year=2008", ["year"]), split_slice("er_di", [])
    (('er_di', 'year', ''), ('er_di', 'year', '2008'), ('er_di', '', ''))
    """
    number, field, group = target, "", ""
    if target.endswith(")") and _WORST in target:
        number, _, field = target[:-1].rpartition(_WORST)
    else:
        by_length = sorted(slices, key=len, reverse=True)
        named = next((name for name in by_length if f"@{name}=" in target), "")
        match = _GROUP.fullmatch(target)
        if named:
            number, _, group = target.partition(f"@{named}=")
            field = named
        elif match:
            number, field, group = match.groups()
    if field and field not in slices:
        there = f"there are {join_names(slices)}; " if slices else ""
        raise PlanError(
            f"no groups by {shorten(field)} are scored; {there}add --slice {shorten(field)} when evaluating"
        )
    return number, field, group


def fault_of(threshold: Threshold, records: Sequence[MetricRecord]) -> str:
    """Why a threshold cannot be asked of these metrics: on none of them, on the wrong end, or beyond one."""
    record = next((candidate for candidate in records if candidate.text == threshold.metric), None)
    if record is None:
        name = shorten(threshold.metric, _SHOWN)
        return (
            f"metric {name} is not among the metrics; there are {join_names(candidate.text for candidate in records)}"
        )
    if threshold.slice and threshold.part:
        return "groups have the main number of a metric alone; expected no part in square brackets"
    if record.describes(threshold.part) or record.better == _OF[threshold.end]:
        return _beyond(threshold)
    other = next(end for end in _ENDS if end != threshold.end)
    return f"{shorten(record.text, _SHOWN)} is better if {record.better}; expected --{other} (in a plan, {other})"


def _beyond(threshold: Threshold) -> str:
    """Why a limit can decide nothing: who means 5 % and writes 5 would let everything pass."""
    try:
        limits = parse_metric(threshold.metric).limits(threshold.part)
    except (PlanError, ResourceError):
        return ""  # what is not installed here may count anything
    if limits is None or limits[0] <= threshold.limit <= limits[1]:
        return ""
    share = ": a share, where 0.05 is 5 %" if limits == (0.0, 1.0) else ""
    return f"found the limit {threshold.limit:g}; expected one from {limits[0]:g} to {limits[1]:g}{share}"


def _split_target(target: str, records: Sequence[MetricRecord], applied: Callable[[Metric], Metric]) -> tuple[str, str]:
    """The text form of a metric, and the part that stands behind it in square brackets."""
    texts = {record.text for record in records}
    splits = [(target, "")]
    if target.endswith("]"):  # a part may have brackets of its own: the first one that leaves a metric before it
        splits += [(target[:index], target[index + 1 : -1]) for index, letter in enumerate(target) if letter == "["]
    for text, part in splits:
        if text in texts:
            return text, part
    for text, part in splits:
        try:
            metric = parse_metric(text)
        except (PlanError, ResourceError):
            if full_text := find_metric_text(text, records):  # not installed here
                return full_text, part
            continue
        forms = [metric_text(metric), metric_text(applied(metric))]
        return next((form for form in forms if form in texts), "") or find_metric_text(text, records) or forms[0], part
    return metric_text(parse_metric(splits[-1][0])), ""  # which tells what is wrong with it
