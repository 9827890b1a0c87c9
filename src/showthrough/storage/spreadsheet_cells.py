"""Text in cells of tables that spreadsheet programs open."""

from __future__ import annotations

_FORMULA = (*"=+-@\t\r\n", *"＝＋－＠")


def guard_cell(text: str) -> str:
    """With an apostrophe before what a spreadsheet would take for a formula.

    >>> guard_cell("=1+1"), guard_cell("AGE"), guard_cell("'=1")
    ("'=1+1", 'AGE', "''=1")
    """
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) else text


def unguard_cell(cell: str) -> str:
    """What was guarded, as it was before.

    >>> unguard_cell("'=1+1"), unguard_cell("'s-Gravenhage"), unguard_cell("''=1")
    ('=1+1', "'s-Gravenhage", "'=1")
    """
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell
