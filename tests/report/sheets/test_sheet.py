"""What a sheet is made of, before any view."""

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

WHY = "no review is recorded"


def test_a_reason_names_the_rows_that_are_dashes_from_end_to_end() -> None:
    rows = (
        GridRow("documents", (count(3),)),
        GridRow("reviewed", (missing(WHY),)),
        GridRow("checked", (missing(WHY),)),
    )
    assert Grid("", ("all",), rows).dashes() == [f"– reviewed, checked: {WHY}"]


def test_a_reason_names_the_columns_that_are_dashes_from_end_to_end() -> None:
    rows = tuple(GridRow(name, (count(3), missing(WHY), missing(WHY))) for name in "ab")
    assert Grid("", ("n", "κ", "α"), rows).dashes() == [f"– κ, α: {WHY}"]


def test_a_reason_names_the_fewer_where_neither_is() -> None:
    """One row of four has two dashes: it is told, and not both columns."""
    one = GridRow("a", (count(1), missing(WHY), missing(WHY), count(2)))
    rows = (one, *(GridRow(name, (count(1),) * 4) for name in "bcd"))
    assert Grid("", ("n", "κ", "α", "m"), rows).dashes() == [f"– a: {WHY}"]


def test_a_reason_about_everything_is_short() -> None:
    heads = tuple(f"column {place}" for place in range(60))
    (line,) = Grid("", heads, (GridRow("a", (missing(WHY),) * 60), GridRow("b", (count(1),) * 60))).dashes()
    assert line == f"– a: {WHY}"
    (line,) = Grid("", heads, tuple(GridRow(str(place), (missing(WHY),) * 60) for place in range(80))).dashes()
    assert "and 54 more" in line


def test_shades_rise_with_counts_and_nothing_has_none() -> None:
    """Of 400: up to 25, 100, 225, 400."""
    heat = Heat("", ("a",), ("x",) * 6, ((0, 1, 25, 26, 226, 400),))
    assert [heat.shade(value) for value in heat.values[0]] == [0, 1, 1, 2, 4, 4]
    assert heat.ends() == ["25", "100", "225", "400"]


def test_shades_of_shares_are_parts_of_all_and_not_of_the_largest() -> None:
    """A largest share of 2 % must not look like all."""
    heat = Heat("", ("a",), ("x",) * 3, ((0.0, 0.02, 0.26),), kind="share")
    assert [heat.shade(value) for value in heat.values[0]] == [0, 1, 2]


@pytest.mark.parametrize("values", [((),), ((0.0,),), ()])
def test_a_matrix_of_nothing_has_no_shade(values: tuple[tuple[float, ...], ...]) -> None:
    heat = Heat("", ("a",) * len(values), ("x",) * len(values and values[0]), values)
    assert (heat.most, heat.shade(0)) == (0, 0)


def test_columns_of_words_are_told_from_numbers_with_gaps() -> None:
    rows = (GridRow("a", (words("left"), count(1), words(""))), GridRow("total", (words(""), words(""), missing(""))))
    grid = Grid("", ("w", "n", "none"), rows)
    assert [grid.in_words(place) for place in range(3)] == [True, False, False]


def test_without_text_nothing_that_quotes_is_left() -> None:
    quoting = (
        Cases("places", (Case("d", 1, "before ", "SECRET", " after"),)),
        Grid("strings", ("n",), (GridRow("SECRET", (count(1),)),), private=True),
        Bars("words", ("n",), (("SECRET", (1.0,)),), private=True),
    )
    plain = Grid("types", ("n",), (GridRow("PERSON", (share(0.5),)),))
    sheet = ReportDocument("t", (), (plain, *quoting))
    assert sheet.private
    bare = sheet.without_text()
    assert not bare.private
    assert bare.blocks == (plain,)
    assert bare.notes == ("left out, since they quote documents: places, strings, words",)
    assert bare.without_text() is bare


def test_numbers_have_as_many_digits_as_tell_something() -> None:
    values = [0.0004, 0.9997, -0.25, 53.38, 130.333, 1418.65]
    assert [number(value).text for value in values] == ["0.0004", "0.9997", "-0.250", "53.38", "130.33", "1,418.7"]
    assert number(0.1, -0.0001, 0.2).interval == "0.000 to 0.200"
