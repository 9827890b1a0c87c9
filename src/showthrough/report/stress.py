"""What systems lose on perturbed corpora, as a sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from showthrough.core.errors import shorten
from showthrough.report.sheets.document import (
    Block,
    Grid,
    GridEntry,
    GridRow,
    ReportDocument,
    count,
    missing,
    number,
    share,
    words,
)
from showthrough.run.gate.grading import FAILED, PASSED
from showthrough.studies.stress.values import (
    BY_TYPE,
    CONTROL,
    METRICS,
    StressDifference,
    StressStudy,
)

_UNCHANGED = "the perturbation changes nothing in this corpus"
_UNDEFINED = "there is nothing to count, before or after"
_SCOPES = {"text": "all text", "marks": "what is marked", "names": "marked names of persons"}
_WORDS = {"loss": "falls", "gain": "rises", "unsure": "unsure"}
_NOTHING = "no loss shown"
_MOVED = 0.0005  # of the control, from which on a table shows it
_NOTES = (
    "perturbed minus original, with the interval of the difference over independent documents",
    "falls, rises: the interval leaves out 0 and Holm's correction for all systems and perturbations keeps p at 0.05 "
    "or less; unsure: the interval alone",
    "no loss shown does not mean that nothing is lost: the interval shows how much cannot be excluded",
)


def stress_sheet(study: StressStudy, *, whole: bool = True) -> ReportDocument:
    """Every system's losses by perturbation, and the documents that broke worst.

    The whole sheet also has the losses by entity type, and what the perturbations did.
    """
    blocks: list[Block] = [_losses(study, system) for system in study.systems]
    if whole:
        blocks += [grid for system in study.systems for grid in _types(study, system)]
    blocks += _control(study)
    if study.broken:
        blocks += [_broken(study), *_strings(study)]
    if whole:
        blocks.append(_perturbations(study))
    return ReportDocument("Stress test", tuple(_lead(study)), tuple(blocks), tuple(study.notes))


def _lead(study: StressStudy) -> Iterator[str]:
    if (gate := study.gate) is not None:
        verdict = {PASSED: "is passed", FAILED: "is not passed"}.get(gate.status, "is not sure to be passed")
        yield f"The gate {verdict}: at most {gate.limit:g} may be lost, and {gate.said}."
    yield (
        f"{shorten(study.corpus)}, {study.sample}: the same documents as they are and perturbed (seed {study.seed}), "
        f"with intervals of confidence {study.confidence:g}."
    )
    for system in study.systems:
        judged = [row for row in _headlines(study, system) if row.difference is not None]
        worst = min(judged, key=lambda row: row.difference or 0.0, default=None)
        if worst is None or worst.difference is None or worst.difference >= 0:
            yield f"{shorten(system)}: no number is lower than on the original."
            continue
        shown = {"loss": "", "not shown": f"; {_NOTHING}"}.get(worst.state, f"; {worst.state}")
        largest = number(worst.difference, worst.low, worst.high)
        ends = f" ({largest.interval})" if largest.interval else ""
        change = f"{worst.metric} changes by {largest.text}{ends}{shown}"
        yield f"{shorten(system)} loses most after {worst.perturbation}: {change}."


def _headlines(study: StressStudy, system: str) -> list[StressDifference]:
    return [row for row in study.differences if row.system == system and not row.part and row.metric in METRICS]


def _losses(study: StressStudy, system: str) -> Grid:
    """A row for each perturbation, the largest loss first."""
    by_key = {(loss.perturbation, loss.metric): loss for loss in _headlines(study, system)}
    first = {metric: next((loss for loss in study.of(system, metric)), None) for metric in METRICS}
    originals = tuple(share(loss.original if loss else None, reason=_UNDEFINED) for loss in first.values())
    rows: list[tuple[float, GridRow]] = []
    for perturbed in study.perturbations:
        ones = [by_key.get((perturbed.name, metric)) for metric in METRICS]
        losses = [loss for loss in ones if loss is not None]
        entries = tuple(missing(_UNCHANGED) if loss is None else _entry(loss) for loss in ones)
        shown = words(_shown(losses)) if losses else missing(_UNCHANGED)
        least = min((loss.difference for loss in losses if loss.difference is not None), default=1.0)
        rows.append((least if losses else 2.0, GridRow(perturbed.name, (*entries, shown))))
    ordered = [row for _, row in sorted(rows, key=lambda pair: pair[0])]
    head = GridRow("(original)", (*originals, words("")))
    return Grid(
        f"{system}: what each perturbation changes", (*METRICS, "shown"), (head, *ordered), "perturbation", _NOTES
    )


def _entry(row: StressDifference) -> GridEntry:
    return number(row.difference, row.low, row.high, reason=row.note or _UNDEFINED)


def _shown(ones: Sequence[StressDifference]) -> str:
    """`falls: removed_di, precision; unsure: removed_qi`, or that no loss is shown."""
    by_state = {state: [row.metric for row in ones if row.state == state] for state in _WORDS}
    unknown = [row.metric for row in ones if row.state == "unknown" and row.original is not None]
    parts = [f"{_WORDS[state]}: {', '.join(metrics)}" for state, metrics in by_state.items() if metrics]
    parts += [f"unknown: {', '.join(unknown)}"] if unknown else []
    nothing_lost = not by_state["loss"] and not by_state["unsure"] and not unknown
    return "; ".join([*([_NOTHING] if nothing_lost else []), *parts])


def _types(study: StressStudy, system: str) -> Iterator[Grid]:
    """Differences of identifiers removed, by entity type."""
    types = sorted(
        {row.part for row in study.differences if row.system == system and row.metric == BY_TYPE and row.part}
    )
    by_key = {
        (row.perturbation, row.part): row for row in study.differences if row.system == system and row.metric == BY_TYPE
    }
    if not types:
        return
    rows = [
        GridRow(
            perturbed.name,
            tuple(
                _entry(row) if (row := by_key.get((perturbed.name, part))) else missing(_UNDEFINED) for part in types
            ),
        )
        for perturbed in study.perturbations
        if perturbed.documents
    ]
    originals = tuple(
        share(next((row.original for key, row in by_key.items() if key[1] == part), None), reason=_UNDEFINED)
        for part in types
    )
    yield Grid(
        f"{system}: identifiers removed, by entity type",
        tuple(types),
        (GridRow("(original)", originals), *rows),
        "perturbation",
        (_NOTES[0],),
    )


def _control(study: StressStudy) -> Iterator[Grid]:
    """How far the numbers move by themselves, where they do."""
    moved = [row for row in study.perturbations if any(abs(value or 0) >= _MOVED for value in row.control.values())]
    if not moved:
        return
    rows = tuple(
        GridRow(row.name, tuple(number(row.control.get(metric), reason=_UNDEFINED) for metric in METRICS))
        for row in moved
    )
    note = "where exactly the marks are masked, only the search of the release can change: so much may be due to it"
    yield Grid(f"Control: {CONTROL}", METRICS, rows, "perturbation", (note,))


def _broken(study: StressStudy) -> Grid:
    rows = tuple(
        GridRow(case.document, (words(case.system), words(case.perturbation), count(case.direct), count(case.quasi)))
        for case in study.broken
    )
    note = "identifiers that can be read after the perturbation, more than in the release of the original"
    heads = ("system", "perturbation", "direct", "quasi")
    return Grid("Documents that broke worst", heads, rows, "document", (note,))


def _strings(study: StressStudy) -> Iterator[Grid]:
    """Words of documents, for their owner alone."""
    rows = tuple(
        GridRow(case.document, (words(" | ".join(map(repr, case.strings))),)) for case in study.broken if case.strings
    )
    if rows:
        note = "marks that masks covered in the original, and no longer cover after the perturbation; the first few"
        yield Grid("What is exposed in them", ("marks",), rows, "document", (note,), private=True)


def _perturbations(study: StressStudy) -> Grid:
    rows = tuple(
        GridRow(
            row.name,
            (words(row.summary), words(_SCOPES[row.scope]), number(row.rate), count(row.documents), count(row.marks)),
        )
        for row in study.perturbations
    )
    heads = ("what", "where", "rate", "documents", "marks")
    return Grid("What the perturbations did", heads, rows, "perturbation", ("documents and marks that changed",))
