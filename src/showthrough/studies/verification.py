"""Author verifiers side by side: how good their answers are, and whether one is better than another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec
import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.errors import InputError, Problem, at_document
from showthrough.families.authorship.verifiers.measures import AUC, MEASURES, OVERALL, compute_measures, statistics_of
from showthrough.run.records import Comparison
from showthrough.statistics import (
    PairTest,
    Spread,
    forms,
    holm,
    influences,
    judge_difference,
    pair_tests,
    resampled_totals,
    share_interval,
)
from showthrough.statistics.forms import Form
from showthrough.statistics.intervals import Ends
from showthrough.studies.agreement.values import Estimate

UNDEFINED = {
    AUC: "it needs problems by one author and by two",
    OVERALL: "one of the five is undefined",
}
_NOTHING_SAID = "no problem is by one author, and no answer says so"
_PARTS = (*MEASURES, OVERALL)
_UNIT = "problem"
_SHUFFLES, _FEWER, _MANY = 9_999, 999, 10_000  # of how many problems on fewer must do


class VerifierScore(msgspec.Struct, frozen=True):
    """What one verifier's answers are worth."""

    name: str
    source: str
    missing: int  # problems that it says nothing of
    unanswered: int  # these, and those that it answered with exactly 0.5
    measures: dict[str, Estimate]


class VerifierScores(msgspec.Struct, frozen=True):
    """What several are worth on the same problems, and how they differ; a comparison's metric is the measure."""

    truth: str
    problems: int
    same: int  # of them by one author
    verifiers: tuple[VerifierScore, ...]
    compared: tuple[Comparison, ...]
    confidence: float
    resamples: int
    shuffles: int
    seed: int


def verifier_scores(
    truth: Mapping[str, bool],
    answers: Mapping[str, Mapping[str, float]],
    *,
    sources: Mapping[str, str] | None = None,
    source: str = "",
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> VerifierScores:
    """PAN 2020–2023's measures of verifiers: whether problems are by one author, and by name what each answered.

    Raises InputError for answers to problems that the truth does not know.
    """
    files = sources or {}
    check_problem_ids(truth, answers, files, source)
    same = np.array(list(truth.values()), dtype=bool)
    answer_arrays = {
        name: np.array([by_problem.get(key, np.nan) for key in truth]) for name, by_problem in answers.items()
    }
    tables = {name: statistics_of(same, values) for name, values in answer_arrays.items()}
    columns = tuple(next(iter(tables.values())))
    rows = [np.column_stack(list(table.values())) for table in tables.values()]
    estimates = list(_estimates(columns, rows, confidence, resamples, seed))
    shuffles = _SHUFFLES if len(truth) <= _MANY else _FEWER
    return VerifierScores(
        source,
        len(truth),
        int(same.sum()),
        tuple(
            VerifierScore(
                name,
                files.get(name, ""),
                int(np.isnan(answer_arrays[name]).sum()),
                int(table["unanswered"].sum()),
                measures,
            )
            for (name, table), measures in zip(tables.items(), estimates, strict=True)
        ),
        tuple(_compare(columns, rows, list(tables), estimates, shuffles, seed, confidence)),
        confidence,
        resamples,
        shuffles,
        seed,
    )


def check_problem_ids(
    truth: Mapping[str, bool], answers: Mapping[str, Mapping[str, float]], files: Mapping[str, str], source: str
) -> None:
    """Raises InputError with every answer that is to no problem of the truth."""
    expected = f"is no problem of {source or 'the truth'}; expected answers to its problems alone"
    strangers = [(name, key) for name, by_problem in answers.items() for key in by_problem if key not in truth]
    if strangers:
        raise InputError(Problem(files.get(name, name), at_document(key), expected) for name, key in strangers)


def _estimates(
    columns: Sequence[str], rows: Sequence[Floats], confidence: float, resamples: int, seed: int
) -> Iterator[dict[str, Estimate]]:
    """Each one's measures; the same draws of problems serve all."""
    every = forms(compute_measures, columns, _PARTS)
    again = np.split(resampled_totals(np.hstack(rows), resamples, seed), len(rows), axis=1) if resamples else rows
    for table, drawn in zip(rows, again, strict=True):
        values = compute_measures(dict(zip(columns, table.sum(axis=0), strict=True)))
        ends = (
            _intervals(every, table, compute_measures(dict(zip(columns, drawn.T, strict=True))), confidence)
            if resamples
            else {}
        )
        yield {part: _estimate(part, float(values[part]), ends.get(part)) for part in _PARTS}


def _intervals(
    every: Sequence[Form], rows: Floats, again: Mapping[str, Floats], confidence: float
) -> dict[str, tuple[float, float]]:
    """The interval of each measure; all of them lie between 0 and 1."""
    intervals: dict[str, tuple[float, float]] = {}
    for form in every:
        influence = influences(form, form.sums(rows))
        spread = Spread.of(np.column_stack([again[part] for part in form.parts]), influence)
        low, high = share_interval(np.clip(influence.values, 0, 1), spread, confidence)
        intervals |= dict(zip(form.parts, zip(low.tolist(), high.tolist(), strict=True), strict=True))
    return intervals


def _estimate(part: str, value: float, ends: tuple[float, float] | None) -> Estimate:
    if np.isnan(value):
        return Estimate(None, reason=UNDEFINED.get(part, _NOTHING_SAID))
    return Estimate(value, *ends) if ends else Estimate(value, note="no resamples were asked for")


def _compare(
    columns: Sequence[str],
    rows: Sequence[Floats],
    names: Sequence[str],
    estimates: Sequence[Mapping[str, Estimate]],
    shuffles: int,
    seed: int,
    confidence: float,
) -> Iterator[Comparison]:
    """All pairs on each measure, with Holm's correction within it."""
    tests = {
        (test.part, test.first, test.second): test
        for test in pair_tests(compute_measures, columns, rows, _PARTS, shuffles, seed, _UNIT)
    }
    for part in _PARTS:
        sides = [estimate[part] for estimate in estimates]
        pairs = list(combinations(range(len(rows)), 2))
        judgements = [
            _judge(sides[first], sides[two], tests.get((part, first, two)), confidence) for first, two in pairs
        ]
        corrected = iter(holm([p for _, (_, _, p, _) in judgements if p is not None]))
        for (first, two), (difference, (low, high, p, note)) in zip(pairs, judgements, strict=True):
            by_holm = None if p is None else next(corrected)
            yield Comparison(part, "", names[first], names[two], difference, low, high, p, by_holm, note)


def _judge(
    first: Estimate, second: Estimate, test: PairTest | None, confidence: float
) -> tuple[float | None, tuple[float | None, float | None, float | None, str]]:
    """The difference, its interval and its p value; nothing where one of the two is undefined."""
    if first.value is None or second.value is None or test is None:
        return None, (None, None, None, "")
    difference = first.value - second.value
    return difference, judge_difference(test, difference, _with_ends(first), _with_ends(second), confidence, unit=_UNIT)


def _with_ends(estimate: Estimate) -> Ends | None:
    return (
        None
        if estimate.value is None or estimate.low is None or estimate.high is None
        else (estimate.value, estimate.low, estimate.high)
    )
