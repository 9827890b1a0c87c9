"""Tables made of others, a block at a time."""

from __future__ import annotations

import numpy as np

from in_blocks import Blocks
from showthrough.metrics import Rows
from showthrough.metrics.derived import aligned, join_columns

VALUES = np.arange(10.0).reshape(5, 2)


def test_tables_with_the_columns_of_all() -> None:
    one, two = Blocks(VALUES, 2, ("a", "b")), Blocks(VALUES + 100, 2, ("c", "a"))
    first, second = aligned([one, two])
    assert first.columns == second.columns == ("a", "b", "c")
    assert first.values.tolist() == [[*row, 0.0] for row in VALUES.tolist()]
    assert second.values.tolist() == [[row[1], 0.0, row[0]] for row in (VALUES + 100).tolist()]
    assert [len(block) for block in second.blocks()] == [2, 2, 1]
    assert (len(second), second.totals()["b"]) == (5, 0.0)
    assert aligned([one, one]) == [one, one]


def test_tables_side_by_side() -> None:
    both = join_columns([Blocks(VALUES, 3, ("a", "b")), Blocks(VALUES[:, :1], 3, ("a",))])
    assert both.columns == ("a", "b", "a")
    assert both.values.tolist() == np.hstack([VALUES, VALUES[:, :1]]).tolist()
    assert [block.shape for block in both.blocks()] == [(3, 3), (2, 3)]


def test_a_column_alone() -> None:
    for rows in (Rows(("a", "b"), VALUES), Blocks(VALUES, 2, ("a", "b"))):
        first, second = map(rows.column, ("a", "b"))
        assert (first.tolist(), second.tolist()) == (VALUES[:, 0].tolist(), VALUES[:, 1].tolist())
