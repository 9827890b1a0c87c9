"""The release summary as one page of A4 or Letter, to be printed, signed and filed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from showthrough.core.errors import shorten
from showthrough.report.html.sources import join_sources, policy, template
from showthrough.report.release.printing import print_page
from showthrough.report.release.summary import EvidenceLine, Number, ReleaseSummary, SetBy
from showthrough.report.sheets.page import legible
from showthrough.report.table import DASH, format_score
from showthrough.report.wording import counted_words, join_names
from showthrough.run.gate.checks import format_value
from showthrough.run.gate.grading import Grade
from showthrough.run.gate.reasons import ReleaseState
from showthrough.run.thresholds import SIGNS

Paper = Literal["A4", "Letter"]
STYLES = ("page", "tables", "print", "release")  # later ones go over earlier ones
_SCRIPTS = "page", "print"
_START = (
    "startTheme();\nstartPrinting();\ndocument.documentElement.dataset.ready = String(Math.round(performance.now()));\n"
)
# What one sheet has room for; the JSON has everything.
_REASONS, _NUMBERS, _NOT_TESTED, _NOTES, _PACKAGES = 5, 12, 8, 4, 12
_LONG, _SHORT = 260, 60  # characters of a sentence, and of a name
_GRADES: Mapping[Grade, str] = {"met": "✓ met", "unsure": "? not sure", "missed": "✗ missed", "unknown": "– not known"}
_SET_BY: Mapping[SetBy, str] = {"usual": "usual", "user": "user", "run": "evaluation"}
_COLOURS: Mapping[ReleaseState, str] = {
    ReleaseState.DO_NOT_RELEASE: "missed",
    ReleaseState.NOT_ENOUGH_EVIDENCE: "unsure",
    ReleaseState.NO_OBJECTION: "met",
}


class NumberRow(NamedTuple):
    """A line of the table of numbers."""

    title: str
    code: str
    value: str
    interval: str
    idle: str
    earlier: str
    limit: str
    set_by: str
    reached: str
    grade: str


def summary_html(summary: ReleaseSummary, paper: Paper | None = None) -> str:
    """The page. Without a paper it takes that of the printer."""
    size = f"@page {{ size: {paper}; }}\n" if paper else ""
    style, theme = join_sources(STYLES, "css") + size, join_sources(["theme"], "js")
    script = f"{join_sources(_SCRIPTS, 'js')}\n{_START}"
    rows = list(map(_row, summary.numbers[:_NUMBERS]))
    reasons = [reason for reason in summary.reasons if reason.rstrip(".").lower() not in summary.sentence.lower()]
    notes, missing = summary.page_notes, _not_tested(summary)
    page = template("release.html").render(
        title=legible(f"Release summary: {summary.released.name}"),
        summary=summary,
        colour=_COLOURS[summary.state],
        reasons=_clip(reasons[:_REASONS]),
        more_reasons=max(0, len(reasons) - _REASONS),
        numbers=rows,
        number_notes=_number_notes(summary),
        annotations=_annotations(summary),
        attackers=shorten("; ".join(_attackers(summary)), _LONG),
        reviewers=shorten(join_names(summary.accepted.by), _LONG) if summary.accepted else "",
        tested=[line.title for line in summary.evidence if line.state == "tested"],
        not_tested=missing[:_NOT_TESTED],
        more_not_tested=max(0, len(missing) - _NOT_TESTED),
        notes=_clip(notes[:_NOTES]),
        more_notes=max(0, len(summary.notes) - min(len(notes), _NOTES)),
        pinned=_listed,
        listed=_listed,
        short=lambda text: shorten(text, _SHORT),
        legible=lambda text: legible(shorten(text, _LONG)),
        policy=policy(style, theme, script),
        style=style,
        theme=theme,
        script=script,
    )
    return str(page)


def summary_pdf(summary: ReleaseSummary, paper: Paper = "A4") -> bytes:
    """The page as PDF, by a browser that is installed; raises OutputError where there is none."""
    return print_page(summary_html(summary, paper))


def _not_tested(summary: ReleaseSummary) -> list[EvidenceLine]:
    """What was not tested, then what was tested too little, then what failed."""
    absent, weak = ([line for line in summary.evidence if line.state == state] for state in ("absent", "weak"))
    failed = [
        EvidenceLine(title=failure.metric, state="absent", note=f"could not be computed: {failure.reason}", command="")
        for failure in summary.failures
    ]
    return [*absent, *weak, *failed]


def _clip(lines: Iterable[str]) -> list[str]:
    return [shorten(line, _LONG) for line in lines]


def _row(number: Number) -> NumberRow:
    limit, value, interval = number.limit, DASH, DASH
    if number.value is not None:
        value = format_value(number.value, limit.limit if limit else None)
        if number.right is not None and number.counted is not None:
            value = f"{value} ({number.right:,} of {number.counted:,})"
    if number.low is not None and number.high is not None:
        interval = f"{format_score(number.low)}–{format_score(number.high)}"
    code = f"{number.metric}[{number.part}]" if number.part else number.metric
    return NumberRow(
        number.title,
        shorten(code, _SHORT),
        value,
        interval,
        DASH if number.nothing_masked is None else format_score(number.nothing_masked),
        DASH if number.earlier is None else format_value(number.earlier),
        f"{SIGNS[limit.end]} {limit.limit:g}" if limit else DASH,
        _SET_BY[limit.set_by] if limit else "",
        _GRADES[limit.grade] if limit else "",
        limit.grade if limit else "",
    )


def _number_notes(summary: ReleaseSummary) -> list[str]:
    """Why there are dashes, what the words mean, and what was left out."""
    lines = []
    reasons: dict[str, list[str]] = {}
    for number in summary.numbers[:_NUMBERS]:
        if number.reason and (number.value is None or number.low is None):
            reasons.setdefault(number.reason, []).append(number.metric)
    lines += [f"{DASH} {join_names(names)}: {reason}." for reason, names in list(reasons.items())[:2]]
    if any(number.limit and number.limit.set_by == "usual" for number in summary.numbers):
        lines.append("Usual: nobody set this limit, so Showthrough took its own.")
    if (more := len(summary.numbers) - _NUMBERS) > 0:
        lines.append(f"{more:,} more numbers are in the JSON.")
    return _clip(lines)


def _annotations(summary: ReleaseSummary) -> str:
    corpus = summary.corpus
    who = f"by programs ({corpus.programs})" if corpus.programs else ""
    if corpus.annotators is None:
        return who or "the run does not say by how many"
    if not corpus.annotators:
        return "none: nobody marked what identifies people"
    many = counted_words(corpus.annotators, "annotator")
    where = f"{many}, {corpus.annotated:,} documents" if corpus.annotated is not None else many
    return f"{where}, {who}" if who else where


def _attackers(summary: ReleaseSummary) -> Sequence[str]:
    return [
        f"{attack.attackers} ({attack.metric})" if attack.attackers else f"{attack.title} ({attack.metric})"
        for attack in summary.attacks
    ]


def _listed(versions: Mapping[str, str]) -> str:
    pairs = [f"{name} {version}".strip() for name, version in list(versions.items())[:_PACKAGES]]
    more = len(versions) - len(pairs)
    return ", ".join([*pairs, *([f"{more} more"] if more > 0 else [])])
