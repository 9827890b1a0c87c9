"""Sheets that nobody made an analysis for: one with everything, and one whose every name is an attempt at markup."""

from __future__ import annotations

import pytest

from showthrough.report.sheets import (
    Bars,
    Case,
    Cases,
    Grid,
    GridRow,
    Heat,
    ReportDocument,
    count,
    missing,
    number,
    share,
    words,
)

TYPES = ("CODE", "DATETIME", "DEM", "LOC", "MISC", "ORG", "PERSON", "QUANTITY")
HOSTILE = (
    "<script>window.caught = 1</script>", "</script><img src=x onerror='window.caught = 1'>", "a|b", "a_b*c*",
    "R&D 100 %", "\\textbf{x}$^~#", "two\nlines", "\u202eesrever", "\x1b[31mred\x00", "", " ", "W" * 200, "[x]",
    "*", "`code`", "山田太郎の病院", "שלום", "\ud800", "{{ 7 * 7 }}",
)  # fmt: skip


@pytest.fixture(scope="session")
def sheet() -> ReportDocument:
    """One of every block, with intervals, dashes, totals, words, and text of documents."""
    rows = tuple(
        GridRow(
            name, (count(100 * place + 7), share(0.1 * place, 0.05 * place, 0.12 * place), number(0.31, -0.02, 0.55))
        )
        for place, name in enumerate(TYPES)
    )
    none = missing("no document says in which split it is")
    by_type = Grid(
        "Mentions by type",
        ("mentions", "share masked", "κ of annotators"),
        (*rows, GridRow("all", (count(123_456), share(0.5), none), total=True)),
        corner="type",
        notes=("a mention that two annotators marked counts twice",),
    )
    strings = Grid(
        "Where reviewers looked", ("found", "remark"), (GridRow("first half", (count(3), words("years are left"))),)
    )
    heat = Heat(
        "Entity types that annotators confuse",
        TYPES,
        TYPES,
        tuple(tuple(1_834 if row == column else row * column for column in range(8)) for row in range(8)),
    )
    bars = Bars(
        "Missed by type",
        ("direct", "quasi"),
        tuple((name, (2.0 * place, 45.0 - 5 * place)) for place, name in enumerate(TYPES)),
    )
    cases = tuple(
        Case(
            f"001-{number}",
            1_200 + number,
            "The applicant,\nMr ",
            f"Smith {number}",
            ", was born in 19",
            "missed whole",
        )
        for number in range(14)
    )
    return ReportDocument(
        "What the corpus holds",
        ("100 documents of which 21 have several annotators.", "6,886 mentions of 3,211 entities."),
        (by_type, strings, heat, bars, Cases("Names that can be read", cases, notes=("86 more are in the JSON",))),
        ("intervals at 95 %, over documents",),
    )


@pytest.fixture(scope="session")
def hostile() -> ReportDocument:
    """Every name, word and id is an attempt."""
    grid = Grid(
        HOSTILE[0],
        HOSTILE,
        tuple(
            GridRow(name, tuple(words(one) if place % 3 else missing(one) for place, one in enumerate(HOSTILE)))
            for name in HOSTILE
        ),
        corner=HOSTILE[1],
        notes=HOSTILE,
    )
    numbers = tuple(tuple(float(row * column) for column in range(len(HOSTILE))) for row in range(len(HOSTILE)))
    return ReportDocument(
        HOSTILE[0],
        HOSTILE,
        (
            grid,
            Heat(HOSTILE[1], HOSTILE, HOSTILE, numbers, notes=HOSTILE),
            Bars(HOSTILE[2], HOSTILE, tuple(zip(HOSTILE, numbers, strict=True)), notes=HOSTILE),
            Cases(HOSTILE[3], tuple(Case(one, 3, one, one, one, one) for one in HOSTILE), notes=HOSTILE),
        ),
        HOSTILE,
    )
