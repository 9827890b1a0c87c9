"""What a reader must hear first: who hides almost nothing, and which attack is too weak to say anything."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from showthrough.core.errors import shorten
from showthrough.report.section import sections
from showthrough.report.wording import counted_words, markers, percent
from showthrough.run.run import Run
from showthrough.run.weak_systems import HiddenShare, almost_nothing

_ROUTINE = (
    "pairs of masks overlap",
    "pair of masks overlaps",
    "these count as types of the corpus",
    "another document's release by chance",
    " depends on the number of groups: ",
)
_ASIDE = ", without what need not be masked"


def cautions(run: Run) -> list[str]:
    """One sentence each, of all that was measured; of a run that was interrupted nothing."""
    if not run.complete:
        return []
    scant = [(name, hiding) for name in run.names if (hiding := almost_nothing(run, name))]
    lines = [f"{name} {scant_words(run, hiding)}: it keeps text without protecting anybody." for name, hiding in scant]
    lines += [line for section in sections() for line in section.cautions(run)]
    return list(dict.fromkeys(lines))


def notes_on(run: Run, names: Collection[str]) -> list[str]:
    """The notes of a run without those on other anonymizations than these."""
    others = [name for name in map(shorten, run.names) if name not in map(shorten, names)]
    return [note for note in run.notes if not any(_is_on(note, name) for name in others)]


def notes_of(notes: Iterable[str], name: str) -> list[str]:
    """Those on one anonymization: cautions and notes that begin with its name."""
    shown = shorten(name)
    return [note for note in notes if _is_on(note, shown) or note.startswith(f"{name} ")]


def _is_on(note: str, name: str) -> bool:
    """Whether a note is on one anonymization: it begins with its name, or with a metric and its name."""
    return re.match(rf"(?:\w+, )?{re.escape(name)}(?:, \w+)?(?::| was trained )", note) is not None


def routine_notes(notes: Iterable[str]) -> list[str]:
    """Those that say how something was counted, and warn of nothing. What is not known here is no routine."""
    return [note for note in notes if any(words in note for words in _ROUTINE)]


def scant_words(run: Run, hiding: HiddenShare) -> str:
    """`hides almost nothing of what annotators marked (0.1 %, what need not be masked aside)`."""
    hidden, whole = round(hiding.hidden), counted_words(hiding.whole, "place")
    if hiding.by == "words":
        return f"hides almost nothing of what {markers(run)} marked ({percent(hiding.share)}{_ASIDE})"
    if hiding.by == "identifiers":
        return f"hides almost no identifier where {markers(run)} marked it ({hidden:,} of {hiding.whole:,.0f})"
    if hiding.by == "finds":
        return f"hides almost nothing that looks like an identifier to {hiding.detector} ({hidden:,} of {whole})"
    return f"masks almost nothing ({percent(hiding.share)} of the text)"
