"""Text in cells of tables that spreadsheet programs open."""

from __future__ import annotations

_FORMULA = (*"=+-@\t\r\n", *"＝＋－＠")


def guarded(text: str) -> str:
    """With an apostrophe before what a spreadsheet would take for a formula.

    >>> guarded("=1+1"), guarded("AGE"), guarded("'=1")
    ("'=1+1", 'AGE', "''=1")
    """
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) else text


def unguarded(cell: str) -> str:
    """What was guarded, as it was before.

    >>> unguarded("'=1+1"), unguarded("'s-Gravenhage"), unguarded("''=1")
    ('=1+1', "'s-Gravenhage", "'=1")
    """
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell
