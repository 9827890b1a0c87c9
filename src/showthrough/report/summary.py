"""The verdict on the terminal: what to read first, and for most readers all that there is to read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from showthrough.core.errors import printable
from showthrough.report.findings import Finding
from showthrough.report.verdict import WORDS, SystemVerdict, Verdict, format_grading, value_words
from showthrough.report.wording import shortened
from showthrough.run.gate.grading import Grade, Grading

MOST = 6  # findings that a screen has room for
_TOGETHER = "\u00a0"  # between a number and its sign, which no line parts
_STYLES: dict[Grade, str] = {"met": "bold green", "unsure": "bold yellow", "missed": "bold red", "unknown": "bold"}
_NO_WORDS = "has no number that a sentence could describe; see the table"
_ORDER: tuple[Grade, ...] = ("missed", "unknown", "unsure", "met")


def show_verdict(verdict: Verdict, console: Console) -> None:
    """The state of the release, cautions, a sentence and grades for each anonymization, and the gravest findings.

    Escapes are made before lines are broken: they are longer, and what is beyond the width is cut off.
    """
    _show_conclusion(verdict, console)
    console.print(Text(" ".join(filter(None, [verdict.usual, *verdict.caveats])), style="dim"))
    console.print()
    for judged in verdict.systems if _is_judged(verdict) else ():
        console.print(_heading(judged, verdict.names))
        _print(f"{'; '.join(map(str, judged.sentence)) or _NO_WORDS}.", "    ", "    ", console)
    if verdict.findings:
        console.print()
        console.print(Text("What stands out", style="bold"))
        for number, finding in enumerate(verdict.findings[:MOST], 1):
            _print(in_words(finding), f"  {number}. ", "     ", console)
        if len(verdict.findings) > MOST:
            console.print(Text(f"  and {len(verdict.findings) - MOST} more; --html shows all", style="dim"))


def show_short_verdict(verdict: Verdict, console: Console) -> None:
    """The state of the release, cautions, and for each anonymization its grades and what can be read."""
    _show_conclusion(verdict, console)
    if verdict.thresholds:
        limits = shortened(", ".join(dict.fromkeys(map(str, verdict.thresholds))), verdict.names)
        usual = "" if verdict.has_thresholds else "usual; "
        _print(f"Thresholds ({usual}--min and --max set others): {limits}.", "", "    ", console, "dim")
    console.print()
    for judged in verdict.systems if _is_judged(verdict) else ():
        grades = [f"{WORDS[grade]} {', '.join(_briefly(judged.grades, grade))}" for grade in _grades_of(judged)]
        alone = len(verdict.systems) == 1  # then there is room for all
        clauses = judged.sentence if alone else [clause for clause in judged.first if not clause.detail]
        line = f"{judged.name} {'; '.join([*grades, *map(str, clauses)]) or _NO_WORDS}."
        _print(line, "", "    ", console, lead=(judged.name, _STYLES[judged.grade]))


def _briefly(grades: Sequence[Grading], grade: Grade) -> list[str]:
    """The metrics of such thresholds; how far off they are is in the table, unless it is not sure or not known."""
    names = [
        _without_parameters(each.threshold.metric) + each.threshold.what.removeprefix(each.threshold.metric)
        for each in grades
    ]
    return [
        f"{name} ({value_words(each).partition(', but ')[2] or value_words(each)})"
        if grade in ("unsure", "unknown")
        else name
        for name, each in zip(names, grades, strict=True)
        if each.grade == grade
    ]


def _without_parameters(metric: str) -> str:
    """
    >>> _without_parameters('tps(ic="none")'), _without_parameters("recall_per_type[CODE]")
    ('tps', 'recall_per_type[CODE]')
    """
    return re.sub(r"\(.*\)", "", metric)


def _is_judged(verdict: Verdict) -> bool:
    """Whether there is something to say of any anonymization."""
    return any(system.sentence or system.grades for system in verdict.systems)


def _show_conclusion(verdict: Verdict, console: Console) -> None:
    """The state of the release first, as the page and the gate say it."""
    _print(verdict.state, "", "", console, "bold")
    for caution in verdict.cautions:
        _print(caution, "", "    ", console)
    if verdict.recommendation:
        _print(verdict.recommendation, "", "", console)


def _print(
    words: str, first: str, then: str, console: Console, style: str = "", lead: tuple[str, str] = ("", "")
) -> None:
    """Words in lines of the console's width, each a little in; `lead` is how the first line begins, and its style."""
    text = printable(words).replace(" %", f"{_TOGETHER}%")
    beginning, lead_style = printable(lead[0]), lead[1]
    for line in wrap(text, console.width, initial_indent=first, subsequent_indent=then, break_on_hyphens=False):
        shown = Text(line.replace(_TOGETHER, " "), style=style)
        if beginning and line.startswith(beginning):
            shown.stylize(lead_style, 0, len(beginning))
            beginning = ""
        console.print(shown, soft_wrap=True)


def _heading(system: SystemVerdict, names: Mapping[str, str]) -> Text:
    """`rules misses er_di ≥ 0.95 (0.808); meets trir ≤ 0.09 (0.010)`."""
    line = Text(printable(system.name), style="bold")
    for index, grade in enumerate(_grades_of(system)):
        line.append("; " if index else " ", style="not bold")
        line.append(WORDS[grade], style=_STYLES[grade])
        gradings = ", ".join(map(format_grading, _with_grade(system.grades, grade)))
        line.append(f" {shortened(gradings, names)}", style="not bold")
    return line


def _grades_of(system: SystemVerdict) -> list[Grade]:
    return [grade for grade in _ORDER if _with_grade(system.grades, grade)]


def _with_grade(grades: Sequence[Grading], grade: Grade) -> list[Grading]:
    return [graded for graded in grades if graded.grade == grade]


def in_words(finding: Finding) -> str:
    """A finding in one sentence, without a word of any document."""
    where = f" ({finding.where})" if finding.where else ""
    fix = f"; {finding.fix}" if finding.fix else ""
    return f"{finding.name} {finding.what}{where}{fix}."
