"""One self-contained page: what was measured is written into it, and a script makes it move.

Document text is data, never markup. The template escapes everything, the data blocks are base 64, the script only
ever sets text, and the page's own policy lets nothing run or load but what is in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

from msgspec.structs import replace

from showthrough.core.families import input_types
from showthrough.metrics import READS_RELEASE
from showthrough.report.cautions import notes_of, routine_notes
from showthrough.report.charts.theme import SHAPES
from showthrough.report.evidence import evidence
from showthrough.report.html import _methods, _payload
from showthrough.report.html.sources import join_sources, policy, section_template, template
from showthrough.report.rules import worth_blocks, worth_sentences
from showthrough.report.section import GuardedSection, Section, sections
from showthrough.report.sheets import Grid
from showthrough.report.significance import ALPHA, MOST, shuffles
from showthrough.report.slices import slice_figures
from showthrough.report.sweeps import TOO_GOOD, sweep_grids
from showthrough.report.systems import grids
from showthrough.report.table import HEADLINES, signatures, tables
from showthrough.report.tiles import Tile, tiles
from showthrough.report.types_met import type_warnings, types_heat
from showthrough.report.verdict import WORDS, SystemVerdict, Verdict, judge, value_words, verdict
from showthrough.report.wording import join_names, percent, percent_end
from showthrough.report.worst import Example, describe_absence, worst_example
from showthrough.run.gate.checking import Gate
from showthrough.run.gate.reasons import ReleaseState
from showthrough.run.gate.state import Decision
from showthrough.run.run import Run
from showthrough.studies.failures import FailureAnalysis, Inspection
from showthrough.studies.rules.greedy import RuleBook

SCRIPTS = (  # in the order in which they run
    "page", "tips", "names", "charts", "labels", "plane", "sweeps", "matrices",
    "first", "scores", "failures", "marking", "inferred", "left", "viewer", "passages", "print", "start",
)  # fmt: skip
STYLES = (
    "page",
    "tables",
    "summary",
    "first",
    "figures",
    "viewer",
    "people",
    "passages",
    "print",
)  # later ones go over earlier ones
_GLYPHS = dict(zip(SHAPES, "●■▲◆✚▼▶", strict=True))
_COLOURS = 8  # that a theme has for anonymizations


class Sign(NamedTuple):
    """How an anonymization is told apart everywhere on the page: by shape and colour."""

    name: str
    glyph: str
    colour: int


def html_text(run: Run, *, without_text: bool = False, gate: Gate | None = None) -> str:
    """The page. With `without_text`, or of a run that holds none, no word of any document is in it.

    A gate names the candidate, what was accepted and what the release is held against; raises PlanError for one that
    the run does not have.
    """
    gate = gate or Gate()
    ranked = judge(run, gate, without_text=without_text)
    run = _for_others(run) if without_text else run
    inspection = None if run.texts is None else Inspection(run.texts)
    findings = {} if inspection is None else {name: inspection.of(name) for name in run.names}
    packets = [] if inspection is None or without_text else list(_payload.documents(run, inspection, findings))
    signs = [Sign(name, _GLYPHS[SHAPES[at % len(SHAPES)]], at % _COLOURS) for at, name in enumerate(run.names)]
    charts = _payload.charts(run)
    if len(run.names) == 1:
        charts.pop("plane", None)  # one point is no picture
    outcome = verdict(run.without_text() if without_text else run, ranked)
    first = _first_looks(run, ranked, outcome, signs, findings, gate, without_text=without_text)
    failures = _payload.failures(run, findings, with_text=not without_text)
    drawn = [(section, section.page_data(run, without_text=without_text)) for section in sections()]
    start = {
        "names": run.names,
        "signs": [[sign.glyph, sign.colour] for sign in signs],
        "shapes": SHAPES,
        "ranked": [[row.sign.name, row.decision.state.sign, run.names.index(row.sign.name)] for row in first],
        "charts": charts,
        "failures": failures,
        **{key: value for _, data in drawn for key, value in data.items()},
        "index": {} if without_text else _payload.index(run, findings, packets),
    }
    style, theme, script = join_sources(STYLES, "css"), join_sources(["theme"], "js"), join_sources(SCRIPTS, "js")
    page = template("page.html").render(
        title=f"{run.corpus.name}: what shows through",
        run=run,
        signs=signs,
        verdict=outcome,
        first=first,
        chosen=bool(gate.names),
        earlier=gate.baseline.beside.label if gate.baseline else "",
        reviewers=join_names(list(gate.accepted.reviewers)) if gate.accepted else "",
        checklist=evidence(run, ranked[0]),
        percents=percent,
        percent_ends=percent_end,
        general=[line for line in outcome.cautions if not any(line in row.notes for row in first)],
        notes=[note for note in run.notes if not any(note in row.notes for row in first)],
        grade_words=WORDS,
        example_metric=READS_RELEASE,
        grade_value=value_words,
        **_tables(run),
        sections=[_drawn(run, section, data, signs) for section, data in drawn if section.title],
        references=[reference.name for reference in run.references],
        inputs=[
            (kind.name, record) for kind in input_types() if kind.listed for record in run.inputs.get(kind.name, [])
        ],
        charts=charts,
        systems=grids(run),
        slices=slice_figures(run.without_text() if without_text else run),
        thresholds=sweep_grids(run),
        too_good=TOO_GOOD,
        judged=bool(failures.get("types")),
        types_met=_types_met(run, inspection) if inspection and failures.get("types") else [],
        rules=rule_sections(run, without_text=without_text) if failures.get("types") else [],
        signatures=signatures(run),
        paragraph=_methods.paragraph(run),
        provenance=_methods.provenance(run),
        alpha=ALPHA,
        shuffles=shuffles(run),
        most_tested=MOST,
        policy=policy(style, theme, script),
        style=style,
        theme=theme,
        script=script,
        start=_payload.pack(start),
        packets=[_payload.pack(packet) for packet in packets],
    )
    return str(page)


class FirstLook(NamedTuple):
    """One anonymization on the first screen and in the list below it."""

    decision: Decision
    kind: str  # what style sheets call its state
    sign: Sign
    verdict: SystemVerdict
    tiles: list[Tile]
    example: Example | None
    lacking: tuple[str, str] | None  # why there is no example: a heading and a sentence
    link: str  # to the example
    notes: list[str]  # what warns of it
    folded: bool  # whether direct identifiers can be read, and it is not the one that the page is about


_KINDS = {
    ReleaseState.DO_NOT_RELEASE: "do-not",
    ReleaseState.NOT_ENOUGH_EVIDENCE: "not-enough",
    ReleaseState.NO_OBJECTION: "no-objection",
}


def _first_looks(
    run: Run,
    ranked: Sequence[Decision],
    outcome: Verdict,
    signs: Sequence[Sign],
    findings: Mapping[str, FailureAnalysis],
    gate: Gate,
    *,
    without_text: bool,
) -> list[FirstLook]:
    earlier = gate.baseline.beside if gate.baseline else None
    earlier_name = gate.baseline.name if gate.baseline else ""
    warnings = [*outcome.cautions, *(note for note in run.notes if note not in routine_notes(run.notes))]
    looks: list[FirstLook] = []
    for decision in ranked:
        name = decision.candidate
        numbers = tiles(run, decision, earlier, earlier_name)
        attacked = any(reason.kind == "people" for reason in decision.reasons)
        example = None if without_text else worst_example(run, name, findings.get(name), attacked=attacked)
        people = numbers[1].figure if numbers[1].share else ""
        lacking = None if example else describe_absence(run, decision, findings.get(name), people)
        where = {"doc": example.document, "anonymization": name, "at": example.at} if example else {}
        others = {note for other in run.names if other != name for note in notes_of(warnings, other)}
        looks.append(
            FirstLook(
                decision,
                _KINDS[decision.state],
                next(sign for sign in signs if sign.name == name),
                next(system for system in outcome.systems if system.name == name),
                numbers,
                example,
                lacking,
                f"#{urlencode(where)}",
                [note for note in notes_of(warnings, name) if note not in others],
                bool(looks) and any(reason.kind == "readable" for reason in decision.reasons),
            )
        )
    return looks


class Drawn(NamedTuple):
    """The part of the page that a family draws; empty where it has nothing to tell of the run."""

    anchor: str
    label: str
    html: str  # in which the template has escaped all that it was given


def _drawn(run: Run, section: Section, data: Mapping[str, Any], signs: Sequence[Sign]) -> Drawn:
    anchor = section.anchor or re.sub(r"\W+", "-", section.title.lower())
    tables, parts = list(section.tables(run)), list(section.part_tables(run))
    try:
        content: str = section_template(section.template).render(
            anchor=anchor,
            title=section.title,
            lead=section.lead,
            tables=tables,
            parts=parts,
            data=data,
            called=_called(run),
            signs=signs,
            references=[record.name for record in run.references],
        )
    except Exception as error:
        if not isinstance(section, GuardedSection):
            raise
        heading, why = escape(section.title), escape(section.undrawn(error))
        content = f'<section id="{escape(anchor)}"><h2>{heading}</h2><p class="lead">{why}</p></section>'
    return Drawn(anchor, section.label or section.title, content)


def _called(run: Run) -> dict[str, str]:
    """Short names of metrics, of those that share theirs with no other."""
    named = Counter(record.name for record in run.metrics)
    return {record.text: record.name for record in run.metrics if named[record.name] == 1}


class TypesMet(NamedTuple):
    """The annotators' types by the types of masks, for one anonymization."""

    name: str
    warnings: list[str]
    grid: Grid


def _types_met(run: Run, inspection: Inspection) -> list[TypesMet]:
    every = ((name, inspection.types_met(name)) for name in run.names)
    return [
        TypesMet(name, type_warnings(name, pairs), heat.grid()) for name, pairs in every for heat in types_heat(pairs)
    ]


def _tables(run: Run) -> dict[str, Any]:
    """Headlines by group, all other tables, what is told below headlines."""
    every = tables(run)
    main = [table for table in every if table.title == HEADLINES]
    untitled = [section for section in sections() if not section.title]
    return {
        "groups": [
            (group, [(column, run.record(column.head)) for column in columns])
            for table in main
            for group, columns in table.groups()
        ],
        "others": [
            *(table for section in untitled for table in section.tables(run)),
            *(table for table in every if table not in main),
            *(table for section in untitled for table in section.part_tables(run)),
        ],
        "remarks": [line for table in main for line in table.remarks()],
    }


def _for_others(run: Run) -> Run:
    """Called by no folder and no annotator. The texts stay for what is counted in them, and never reach the page."""
    ceiling = None if run.ceiling is None else run.ceiling.unnamed
    return replace(run.without_folders(), ceiling=ceiling)


# What one more rule would win, on the page: a few rules for each anonymization, where there is time to look.

_RULES = 5  # of each list
_CHARACTERS = 3_000_000  # that are looked at, once for each anonymization: some two seconds


class RuleSection(NamedTuple):
    """What rules would win for one anonymization: a sentence, and the tables."""

    name: str
    sentence: str
    grids: tuple[Grid, ...]


def rule_sections(run: Run, *, without_text: bool) -> list[RuleSection]:
    """Of the first anonymizations, as many as a page can wait for; of many documents, none."""
    size = sum(len(document.text) for document in run.texts.documents) if run.texts else 0
    names = run.names[: _CHARACTERS // size] if size else []
    if not names:
        return []
    book, sections = RuleBook(run), []
    for name in names:
        worth = book.worth(name, _RULES, alone=False)
        worth = worth.without_text() if without_text else worth
        sections.append(RuleSection(name, worth_sentences(worth)[0], worth_blocks(worth)))
    return sections
