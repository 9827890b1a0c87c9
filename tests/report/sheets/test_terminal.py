"""Sheets on a terminal: within its width, whatever there is."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

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
    words,
)
from showthrough.report.sheets.document import Block
from showthrough.report.sheets.terminal import show_sheet


def printed(sheet: ReportDocument, width: int = 200, *, terminal: bool = False, no_color: bool = False) -> str:
    out = io.StringIO()
    show_sheet(sheet, Console(file=out, width=width, force_terminal=terminal, no_color=no_color, highlight=False))
    return out.getvalue()


def of(*blocks: Block) -> ReportDocument:
    return ReportDocument("title", ("One sentence.",), blocks)


def test_a_page_is_100_columns_where_there_is_no_terminal(sheet: ReportDocument, hostile: ReportDocument) -> None:
    for one in (sheet, hostile):
        assert max(map(cell_len, printed(one).splitlines())) <= 100


@pytest.mark.parametrize("width", [60, 80, 160])
def test_a_terminal_is_as_wide_as_it_is(hostile: ReportDocument, width: int) -> None:
    out = re.sub(r"\x1b\[[\d;]*m", "", printed(hostile, width, terminal=True))
    assert max(map(cell_len, out.splitlines())) <= width


def test_no_character_of_a_file_is_a_command(hostile: ReportDocument) -> None:
    out = printed(hostile)
    assert all(line.isprintable() for line in out.split("\n"))
    assert "\\x1b[31mred\\x00" in out
    assert "\\u202eesrever" in out


def test_sixty_columns_are_several_tables_and_no_number_is_cut_off() -> None:
    heads = tuple(f"head{place:02}" for place in range(60))
    rows = (
        GridRow("first", tuple(number(1_000_000.0 + place) for place in range(60))),
        GridRow("second", (count(7),) * 60),
    )
    out = printed(of(Grid("many", heads, rows)))
    assert all(head in out for head in heads)
    assert all(f"1,000,0{place:02}.0" in out for place in range(60))
    assert out.count("first") == out.count("second") > 5


def test_three_hundred_rows_and_one() -> None:
    many = printed(of(Grid("many", ("n",), tuple(GridRow(f"row {place}", (count(place),)) for place in range(300)))))
    assert all(re.search(rf"(?m)^row {place} +{place}$", many) for place in range(300))
    assert re.search(r"(?m)^alone +1$", printed(of(Grid("one", ("n",), (GridRow("alone", (count(1),)),)))))


def test_long_heads_are_broken_between_words() -> None:
    out = printed(of(Grid("t", ("share of mentions that are masked",), (GridRow("a", (count(1),)),))))
    assert max(map(cell_len, out.splitlines())) < 30
    assert "mentions" in out


def test_dashes_have_their_reason_below() -> None:
    out = printed(of(Grid("t", ("n", "κ"), (GridRow("a", (count(1), missing("nobody shares a document"))),))))
    assert "– κ: nobody shares a document" in out


def test_totals_stand_apart() -> None:
    rows = (GridRow("a", (count(1),)), GridRow("b", (count(2),)), GridRow("all", (count(3),), total=True))
    assert [line.split() for line in printed(of(Grid("t", ("n",), rows))).splitlines()[-4:]] == [
        ["a", "1"], ["b", "2"], [], ["all", "3"],
    ]  # fmt: skip


def test_a_matrix_is_read_without_colours() -> None:
    out = printed(of(Heat("t", ("A", "B"), ("A", "B"), ((100, 0), (3, 60)))))
    assert re.search(r"A +█ 100 +0\n", out)
    assert re.search(r"B +░ 3 +█ 60\n", out)
    assert "░ up to 6   ▒ up to 25   ▓ up to 56   █ up to 100" in out


@pytest.mark.parametrize("size", [1, 30])
def test_matrices_of_any_size(size: int) -> None:
    names = tuple(f"TYPE{place:02}" for place in range(size))
    values = tuple(tuple(float(1_000 + size * row + column) for column in range(size)) for row in range(size))
    out = printed(of(Heat("t", names, names, values)))
    assert all(f" {value:,.0f}" in out for row in values for value in row)
    assert max(map(cell_len, out.splitlines())) <= 100


def test_bars_have_lengths_like_their_numbers() -> None:
    out = printed(
        of(Bars("t", ("direct", "quasi"), (("A", (20, 40)), ("B", (0, 30)), ("C", (0.0, 0.0)), ("D", (0.1, 0.0)))))
    )
    bars = {line[:1]: line.count("█") * "█" + line.count("▓") * "▓" for line in out.splitlines()[4:]}
    assert (bars["A"], bars["B"], bars["C"]) == ("█" * 10 + "▓" * 20, "▓" * 15, "")
    assert bars["D"] == "█"  # little is not nothing
    assert "█ direct" in out
    assert "▓ quasi" in out


def test_a_case_is_one_line_with_its_word_whole() -> None:
    before, after = "long before it " * 20, " long after it" * 20
    out = printed(of(Cases("t", (Case("d1", 1_234, before, "Ann\nLee", after, "missed"),))))
    (line,) = (line for line in out.splitlines() if "Ann" in line)
    assert line.startswith("d1, 1234: …")
    assert "it «Ann Lee» long" in line
    assert line.endswith("…  missed")
    assert 80 <= cell_len(line) <= 100
    assert "before" in line
    assert "after" in line


def test_a_long_remark_goes_below() -> None:
    out = printed(of(Cases("t", (Case("d1", 5, "before ", "Ann", " after", "a long remark " * 3),))))
    assert "d1, 5: …before «Ann» after…\n    a long remark" in out


def test_words_of_a_terminal_are_marked_by_its_colours_alone() -> None:
    out = printed(of(Cases("t", (Case("d1", 5, "before ", "Ann", " after"),))), 80, terminal=True)
    assert "«" not in out
    assert re.search(r"\x1b\[1;31mAnn\x1b", out)


def test_words_are_marked_by_signs_where_there_are_no_colours() -> None:
    out = printed(of(Cases("t", (Case("d1", 5, "before ", "Ann", " after"),))), 80, terminal=True, no_color=True)
    assert "before" in out
    assert re.search("«Ann»", out)


def test_bars_take_the_room_that_is_left() -> None:
    bars = of(Bars("t", ("missed", "partly masked"), (("A" * 20, (20, 40)), ("B", (0, 30)))))
    wide, narrow = printed(bars), printed(bars, 64)
    assert "█" * 10 + "▒" * 20 in wide.replace("▓", "▒")
    (row,) = (line for line in narrow.splitlines() if line.startswith("A"))  # and not one for each half of a table
    assert 40 < cell_len(row.rstrip()) <= 64
    assert row.rstrip().endswith("▓")


def test_japanese_takes_two_columns_a_letter() -> None:
    case = Case("文書", 5, "患者の" * 40, "山田太郎", "は東京の" * 40)
    rows = (GridRow("病院の名前" * 10, (words("記録" * 60), count(1))),)
    out = printed(of(Cases("t", (case,)), Grid("表", ("注", "数"), rows)))
    assert max(map(cell_len, out.splitlines())) <= 100
    assert "患者の«山田太郎»は東京" in out


def test_nothing_is_told_as_nothing() -> None:
    blocks = (Grid("g", ("n",), ()), Heat("h", (), (), ()), Bars("b", (), ()), Cases("c", ()))
    assert printed(of(*blocks)).count("(none)") == 4
    assert printed(ReportDocument("", (), ())) == ""
    assert "a" in printed(of(Grid("no heads", (), (GridRow("a", ()),))))
