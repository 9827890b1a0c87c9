"""The verdict on the terminal: what to read first, and for most readers all that there is to read."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from showthrough.core.errors import printable
from showthrough.report.findings import Finding
from showthrough.report.verdict import WORDS, SystemVerdict, Verdict, format_grading
from showthrough.run.gate.grading import Grade, Grading

MOST = 6  # findings that a screen has room for
_TOGETHER = "\u00a0"  # between a number and its sign, which no line parts
_STYLES: dict[Grade, str] = {"met": "bold green", "unsure": "bold yellow", "missed": "bold red", "unknown": "bold"}
_ORDER: tuple[Grade, ...] = ("missed", "unknown", "unsure", "met")


def show_verdict(verdict: Verdict, console: Console) -> None:
    """What goes before all else, a sentence and grades for each anonymization, the gravest findings, what follows.

    Escapes are made before lines are broken: they are longer, and what is beyond the width is cut off.
    """
    for caution in verdict.cautions:
        _print(caution, "", "    ", console)
    if verdict.cautions:
        console.print()
    for judged in verdict.systems if any(system.sentence or system.grades for system in verdict.systems) else ():
        console.print(_heading(judged))
        words = "; ".join(map(str, judged.sentence)) or "has no number that a sentence could tell; see the table"
        _print(f"{words}.", "    ", "    ", console)
    if verdict.findings:
        console.print()
        console.print(Text("What stands out", style="bold"))
        for number, finding in enumerate(verdict.findings[:MOST], 1):
            _print(in_words(finding), f"  {number}. ", "     ", console)
        if len(verdict.findings) > MOST:
            console.print(Text(f"  and {len(verdict.findings) - MOST} more; --html shows all", style="dim"))
    console.print()
    console.print(Text(printable(verdict.recommendation), style="bold"))
    console.print(Text(" ".join(filter(None, [verdict.usual, *verdict.caveats])), style="dim"))


def _print(words: str, first: str, then: str, console: Console) -> None:
    """Words in lines of the console's width, each a little in."""
    text = printable(words).replace(" %", f"{_TOGETHER}%")
    for line in wrap(text, console.width, initial_indent=first, subsequent_indent=then, break_on_hyphens=False):
        console.print(Text(line.replace(_TOGETHER, " ")), soft_wrap=True)


def _heading(system: SystemVerdict) -> Text:
    """`rules misses er_di ≥ 0.95 (0.808); meets trir ≤ 0.09 (0.010)`."""
    line = Text(printable(system.name), style="bold")
    for index, grade in enumerate(grade for grade in _ORDER if _with_grade(system.grades, grade)):
        line.append("; " if index else " ", style="not bold")
        line.append(WORDS[grade], style=_STYLES[grade])
        line.append(f" {', '.join(map(format_grading, _with_grade(system.grades, grade)))}", style="not bold")
    return line


def _with_grade(grades: Sequence[Grading], grade: Grade) -> list[Grading]:
    return [graded for graded in grades if graded.grade == grade]


def in_words(finding: Finding) -> str:
    """A finding in one sentence, without a word of any document."""
    where = f" ({finding.where})" if finding.where else ""
    fix = f"; {finding.fix}" if finding.fix else ""
    return f"{finding.name} {finding.what}{where}{fix}."
