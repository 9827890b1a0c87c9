"""Linkability, inference and authorship in the annex: figures of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from showthrough.metrics import HEADLINE
from showthrough.report.annex.cells import Lines, entry_of, left_open
from showthrough.report.sheets import Entry, Grid, Row, missing
from showthrough.studies.risk.sections import (
    BEFORE,
    C_AT_1,
    CEILING,
    CHANCE,
    CONTROL,
    CONTROLS,
    LOST,
    RISK,
    RISKS,
    SUCCESS,
    TOP_3,
)
from showthrough.studies.risk.values import Figure, Section

Cells = Callable[[Mapping[str, Figure]], Iterable[tuple[str, Sequence[Entry]]]]


def _of_section(section: Section, grid: Grid, cells: Cells, lines: Lines) -> Grid:
    """A row for each anonymization and metric, or several, with the number of their signature."""
    if section.reason:
        return left_open(grid.caption, section.reason, grid.label, section.command, grid.notes)
    by: dict[tuple[str, str], dict[str, Figure]] = {}
    for figure in section.figures:
        by.setdefault((figure.anonymization, figure.metric), {})[figure.part] = figure
    rows = []
    for (name, metric), parts in by.items():
        line = next(iter(parts.values())).signature
        rows += [Row(lines.named(f"{name} · {what or metric}", line), tuple(entries)) for what, entries in cells(parts)]
    without = {figure.estimate.note: None for figure in section.figures if figure.estimate.note}
    notes = (*grid.notes, *(f"some have no interval: {note}" for note in without))
    return replace(grid, rows=tuple(rows), notes=notes)


def _at(parts: Mapping[str, Figure], part: str, reason: str = "the run does not have it") -> Entry:
    return entry_of(parts[part].estimate) if part in parts else missing(reason)


def linkability_grid(section: Section, lines: Lines) -> Grid:
    heads = ("people found", "control: another's text", "risk above control", "chance", "ceiling")
    notes = (
        "people found: the share of documents whose individual the attack names, among those whom the attacker knows",
        "risk above control: (found − control) / (1 − control)",
    )
    grid = Grid("Linkability: documents linked to people", heads, (), "anonymization · attack", notes, "linkability")

    def cells(parts: Mapping[str, Figure]) -> Iterator[tuple[str, list[Entry]]]:
        aside = {HEADLINE, CHANCE, CEILING}
        attacks = [part for part in parts if part not in aside and not part.endswith((CONTROL, RISK))]
        ends = [_at(parts, CHANCE), _at(parts, CEILING)]
        none = missing("it is told attack by attack")
        yield "the worst attack", [_at(parts, HEADLINE), none, none, *ends]
        for attack in attacks:
            told = [_at(parts, f"{attack}{what}") for what in ("", CONTROL, RISK)]
            yield attack, [*told, *ends]

    return _of_section(section, grid, cells, lines)


def inference_grid(section: Section, lines: Lines) -> Grid:
    heads = (
        "score", "inferred", "among three guesses", "control: no text", "control: another's text",
        "risk above no text", "risk above another's",
    )  # fmt: skip
    notes = (
        "score: what the metric is known by (cpr, ipr: the share that is protected; attributes: the share that is "
        "guessed rightly at once)",
        "inferred: the share of attributes that the attacker infers; controls: where nothing of them can be known",
    )
    grid = Grid("Inference: what can be said of people", heads, (), "anonymization · metric", notes, "inference")

    def cells(parts: Mapping[str, Figure]) -> Iterator[tuple[str, list[Entry]]]:
        inferred = SUCCESS if SUCCESS in parts else HEADLINE  # of attributes, that is what the metric is known by
        yield "", [_at(parts, part) for part in (HEADLINE, inferred, TOP_3, *CONTROLS, *RISKS)]

    return _of_section(section, grid, cells, lines)


def authorship_grid(section: Section, lines: Lines) -> Grid:
    heads = ("c@1", "c@1 before", "authors lost")
    notes = (
        "c@1 before: of the originals; authors lost: of those that it found before, the share that it no longer finds",
    )
    grid = Grid("Authorship: texts told by their style", heads, (), "anonymization · verifier", notes, "authorship")

    def cells(parts: Mapping[str, Figure]) -> Iterator[tuple[str, list[Entry]]]:
        none = missing("it is told verifier by verifier")
        yield "the best verifier", [_at(parts, HEADLINE), none, none]
        for name in (part.removeprefix(f"{C_AT_1}:") for part in parts if part.startswith(f"{C_AT_1}:")):
            yield name, [_at(parts, f"{what}:{name}") for what in (C_AT_1, BEFORE, LOST)]

    return _of_section(section, grid, cells, lines)
