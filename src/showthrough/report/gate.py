"""What came of a gate: on the terminal, and as JSON, JUnit XML and Markdown. Ids and numbers, no word of a document."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal
from xml.etree import ElementTree  # writes only; what is read is read by files.safe_xml

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from showthrough.core.errors import printable, shorten
from showthrough.report.escaping import in_markdown, markdown_code
from showthrough.report.wording import legend, shortened
from showthrough.run.gate.checks import (
    AnonymizationChecks,
    BaselineCheck,
    Check,
    DriftCheck,
    Enough,
    EvidenceCheck,
    GateOutcome,
    Look,
    ReadableCheck,
    RuleCheck,
    ThresholdCheck,
    format_value,
)
from showthrough.run.gate.grading import FAILED, PASSED, UNSURE, Grade
from showthrough.run.gate.reasons import ReleaseState
from showthrough.run.gate.sample_size import Need

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
MADE_BY = "showthrough check"
FORMAT = 1  # of the JSON; rises when an old reader could misread it
# How each file begins, so that the next gate knows what it may replace: others name the command too.
BEGINNINGS = (f'{{\n "made_by": "{MADE_BY}"', f'{_XML}<testsuites name="{MADE_BY}"', f"<!-- {MADE_BY} -->")
_GRADES: dict[Grade, str] = {"met": "ok", "unsure": "not sure", "missed": "missed", "unknown": "unknown"}
_WIDTH = 100
_SHOWN = 5  # documents that the terminal names
_VERDICTS = {
    PASSED: ("passes", "bold green"),
    FAILED: ("does not pass", "bold red"),
    UNSURE: ("is not sure to pass", "bold yellow"),
}

_STATES: dict[str, str] = {
    ReleaseState.NO_OBJECTION.value: "green",
    ReleaseState.NOT_ENOUGH_EVIDENCE.value: "yellow",
    ReleaseState.DO_NOT_RELEASE.value: "red",
}


def show_outcome(outcome: GateOutcome, console: Console, names: Mapping[str, str] = MappingProxyType({})) -> None:
    """Every anonymization with its verdict and what it rests on, then the verdict of the whole.

    `names` are what metrics are called in short, by their text forms; files have these.
    """
    width = min(console.width, _WIDTH)
    for checked in outcome.anonymizations:
        console.print()
        verdict, style = _VERDICTS[checked.status]
        console.print(Text(f"{shorten(checked.name)} {verdict}{_how_many(checked)}", style=style), width=width)
        console.print(_table(checked, width, names), width=width)
        if checked.state:
            state = f"{_titled(checked.state)}. {checked.sentence}"
            console.print(Text(printable(state), style=_STATES.get(checked.state, "bold")), width=width)
        if checked.documents:
            console.print(Text(_look_first(checked.documents[:_SHOWN])), width=width)
    console.print()
    for note in outcome.notes:
        console.print(Text(printable(f"note: {shortened(note, names)}"), style="dim"), width=width)
    for line in legend(names):
        console.print(Text(printable(line), style="dim"), width=width)
    ending = f"{shorten(outcome.corpus.name)}, {outcome.sample}: the gate {_passes(outcome)}"
    console.print(Text(ending, style="bold"), width=width)


def _titled(state: str) -> str:
    return f"{state[0].upper()}{state[1:]}"


def _passes(outcome: GateOutcome) -> str:
    """What is not sure says so at once, and what would help: who reads one line must not take it for sure."""
    if outcome.status == FAILED:
        return "is not passed"
    if outcome.status == UNSURE:
        would = "" if outcome.more is None else f"{Need(outcome.more, outcome.unit)}; "
        return f"is not sure to be passed: {would}--allow-unsure passes it"
    left = outcome.readable
    doubts = [f"{left:,} direct identifier{'' if left == 1 else 's'} can be read (--only leaves that out)"] * bool(left)
    if unsure := outcome.unsure:
        doubts.append(f"{unsure} check{' does' if unsure == 1 else 's do'} not hold for sure")
    return f"is passed, though {' and '.join(doubts)}" if doubts else "is passed"


def _how_many(checked: AnonymizationChecks) -> str:
    return "" if checked.passed else f" ({len(checked.failed)} of {len(checked.checks)} checks not met)"


def _table(checked: AnonymizationChecks, width: int, names: Mapping[str, str]) -> RichTable:
    rich = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, width=width)
    for head, options in {
        "": {"width": 8},
        "check": {"overflow": "fold", "max_width": 34},
        "number": {"justify": "right", "no_wrap": True},
        "interval": {"justify": "right", "no_wrap": True},
        "result": {"overflow": "fold", "ratio": 1},
    }.items():
        rich.add_column(head, **options)  # type: ignore[arg-type]
    for check in checked.checks:
        style = {"ok": "", "FAIL": "red"}.get(_result(check), "yellow")
        cells = _result(check), shortened(check.asked, names), *_numbers(check), shortened(check.said, names)
        rich.add_row(*(Text(printable(cell), style=style) for cell in cells))
    return rich


def _result(check: Check) -> str:
    """In a word. What does not keep the gate from being passed is called by its grade, or open."""
    if isinstance(check, ThresholdCheck) and not check.sure and (check.passed or check.grade == "unsure"):
        return _GRADES[check.grade]
    if isinstance(check, EvidenceCheck) and not check.grave:
        return "open" if check.passed else "not sure"
    return "FAIL" if not check.passed else "ok" if check.sure else "open"


def _numbers(check: Check) -> tuple[str, str]:
    """The number of a check, and its interval or what it was."""
    if isinstance(check, Enough):
        return f"{check.found:,}", ""
    if isinstance(check, ReadableCheck):
        return f"{check.readable:,}", ""
    if isinstance(check, RuleCheck):
        return f"{check.broken:,}", ""
    if isinstance(check, EvidenceCheck):
        return "–", ""
    if check.value is None:
        return "–", ""
    if isinstance(check, BaselineCheck | DriftCheck):
        return format_value(check.value), "" if check.earlier is None else f"was {format_value(check.earlier)}"
    interval = "" if check.low is None or check.high is None else f"{check.low:.3f}–{check.high:.3f}"
    return format_value(check.value, check.limit), interval


def _look_first(documents: list[Look]) -> str:
    return f"look at first: {', '.join(f'{shorten(look.document)} ({_counts(look)})' for look in documents)}"


def _counts(look: Look) -> str:
    """What can be read in a document, as far as there is any."""
    counts = {"direct": look.direct, "quasi": look.quasi}
    words = [f"{count} {level}" for level, count in counts.items() if count]
    return ", ".join([*words, *([f"{look.more} more than before"] if look.more else [])])


def file_type() -> type[msgspec.Struct]:
    """What `outcome_json` writes, as a type: of its JSON Schema, and to read such a file with."""
    form: dict[str, Any] = {"frozen": True, "kw_only": True}
    checked = msgspec.defstruct("CheckedAnonymization", [("passed", bool)], bases=(AnonymizationChecks,), **form)
    fields: list[Any] = [
        ("made_by", Literal[MADE_BY]),
        ("passed", bool),
        ("status", Literal[PASSED, FAILED, UNSURE]),
        ("more", int | None),
        ("anonymizations", list[checked]),  # type: ignore[valid-type]
        ("format", Literal[FORMAT], FORMAT),  # files of before it was written are of the first
    ]
    return msgspec.defstruct("GateFile", fields, bases=(GateOutcome,), **form)


def outcome_json(outcome: GateOutcome) -> str:
    """All of it, with full precision."""
    content: dict[str, Any] = msgspec.to_builtins(outcome)
    for entry, checked in zip(content["anonymizations"], outcome.anonymizations, strict=True):
        entry["passed"] = checked.passed
    own = {"passed": outcome.passed, "status": outcome.status, "more": outcome.more}
    record = {"made_by": MADE_BY, "format": FORMAT, **own, **content}
    return msgspec.json.format(msgspec.json.encode(record), indent=1).decode() + "\n"


def junit_xml(outcome: GateOutcome) -> str:
    """A test suite for each anonymization and a test case for each check, as CI servers read them."""
    suites = ElementTree.Element("testsuites", {"name": MADE_BY, **_tally(outcome.anonymizations)})
    for checked in outcome.anonymizations:
        suite = ElementTree.SubElement(suites, "testsuite", {"name": printable(checked.name), **_tally([checked])})
        for check in checked.checks:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=printable(f"{outcome.corpus.name}.{checked.name}"),
                name=printable(check.asked),
            )
            if not check.passed:
                number = " ".join(filter(None, _numbers(check)))
                failure = ElementTree.SubElement(
                    case, "failure", type=_kind(check), message=printable(f"{check.asked}: {check.said}")
                )
                failure.text = printable(f"found {number}; {check.said}")
        if checked.documents:
            ElementTree.SubElement(suite, "system-out").text = printable(_look_first(checked.documents))
    ElementTree.indent(suites)
    return _XML + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _tally(systems: list[AnonymizationChecks]) -> dict[str, str]:
    counts = {
        "tests": sum(len(checked.checks) for checked in systems),
        "failures": sum(len(checked.failed) for checked in systems),
    }
    return {name: str(count) for name, count in {**counts, "errors": 0, "skipped": 0}.items()}


def _kind(check: Check) -> str:
    return {
        ThresholdCheck: "threshold",
        BaselineCheck: "baseline",
        Enough: "sample",
        ReadableCheck: "readable",
        EvidenceCheck: "evidence",
        RuleCheck: "rule",
        DriftCheck: "drift",
    }[type(check)]


def outcome_markdown(outcome: GateOutcome) -> str:
    """For a pull request: the verdict, a table, where to look first."""
    against = f"; held against {markdown_code(outcome.baseline)}" if outcome.baseline else ""
    of = f"{markdown_code(outcome.corpus.name)}, {outcome.sample}{against}"
    parts = [BEGINNINGS[-1], f"**Showthrough: the gate {_passes(outcome)}** ({of})"]
    for checked in outcome.anonymizations:
        head = f"{markdown_code(checked.name)} **{_VERDICTS[checked.status][0]}**{_how_many(checked)}"
        lines = ["| | check | number | interval | result |", "|---|---|---:|---:|---|"]
        for check in checked.checks:
            cells = map(_cell, (check.asked, *_numbers(check), check.said))
            lines.append(f"| {_result(check).replace('FAIL', '**FAIL**')} | {' | '.join(cells)} |")
        parts += [head, "\n".join(lines)]
        if checked.state:
            parts.append(f"**{_titled(checked.state)}.** {_cell(checked.sentence)}")
        if checked.documents:
            named = ", ".join(f"{markdown_code(look.document)} ({_counts(look)})" for look in checked.documents)
            parts.append(f"Look at first: {named}")
    notes = [*outcome.notes, *outcome.of_run]
    parts += ["\n".join(f"- note: {_cell(note)}" for note in notes)] if notes else []
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    """Text in a comment on a pull request: an at sign from a file calls nobody."""
    return in_markdown(text).replace("@", "@\u200b")
