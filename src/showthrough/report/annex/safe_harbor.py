"""HIPAA's eighteen identifiers in the annex."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.analysis.risk.values import Hidden, SafeHarbor, SafeHarborIdentifier
from showthrough.errors import shown, some
from showthrough.report.annex.cells import NOT_MEASURED, Lines, entry_of, left_open
from showthrough.report.sheets import Entry, Grid, Row, count, missing, share, words


def safe_harbor_grid(found: SafeHarbor, lines: Lines) -> Grid:
    caption = "Safe Harbor: the eighteen identifiers of 45 CFR 164.514(b)(2)(i)"
    if found.reason:
        return left_open(caption, found.reason, found.command, "safe-harbor")
    heads = ("anonymization", "recall", "missed at most", "documents", "types marked")
    rows = tuple(row for one in found.identifiers for row in _identifier_rows(one, lines))
    return Grid(caption, heads, rows, "identifier", tuple(_safe_harbor_notes(found)), "safe-harbor")


def _identifier_rows(one: SafeHarborIdentifier, lines: Lines) -> Iterator[Row]:
    name = f"({one.letter}) {one.name}"
    if one.reason:
        none = missing(one.reason)
        yield Row(name, (words(NOT_MEASURED), none, none, none, words("")))
        return
    for hidden in one.hidden:
        whose = words(lines.named(hidden.anonymization, hidden.signature))
        numbers = (entry_of(hidden.recall), _at_most(hidden), count(one.documents))
        yield Row(name, (whose, *numbers, words(some(one.types))))


def _at_most(hidden: Hidden) -> Entry:
    """The upper end of the interval of what is missed: nothing was seen to leak, and so much may."""
    return share(hidden.missed.high, reason=hidden.missed.note or hidden.missed.reason)


def _safe_harbor_notes(found: SafeHarbor) -> Iterator[str]:
    yield (
        f"recall by {shown(found.metric)}: of what is marked of a kind, the share that is hidden; types are placed as "
        "showthrough labels says"
    )
    yield "missed at most: the upper end of the interval of 1 − recall; what was not seen to leak may still"
    yield (
        "what types do not tell: whether a date is more than a year or an age above 89 (C), whether a place is smaller "
        "than a state or which digits of a ZIP code are left (B), whose a name or number is: all that is marked counts"
    )
    yield "Safe Harbor also asks that nobody knows that what is left could identify somebody (164.514(b)(2)(ii))"
    if found.unlisted:
        yield f"types that no paragraph names, which may still identify people: {some(found.unlisted, 300)}"
    if found.unknown:
        yield f"types that nobody knows, in none of the rows: {some(found.unknown, 300)}"
