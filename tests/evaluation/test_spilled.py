"""Columns that leave memory come back to the last digit."""

from __future__ import annotations

import os
from contextlib import closing
from tempfile import SpooledTemporaryFile

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough import OutputError
from showthrough.evaluation import spilled as module
from showthrough.evaluation.spilled import Spilled, SpilledRows, narrowed

numbers = st.one_of(st.integers(0, 2**33).map(float), st.floats(allow_nan=False, allow_infinity=False))


@given(st.lists(st.lists(numbers, max_size=5), min_size=1, max_size=4))
def test_what_is_put_is_got(columns: list[list[float]]) -> None:
    with closing(Spilled()) as spilled:
        kept = [spilled.put(np.array(column, dtype=np.float64)) for column in columns]
        assert [spilled.get(one).tolist() for one in kept] == columns
        assert [spilled.get(one, 1, 3).tolist() for one in kept] == [column[1:3] for column in columns]


@pytest.mark.parametrize(
    ("values", "kept"),
    [([], "uint8"), ([0, 255], "uint8"), ([256], "uint16"), ([65_536], "uint32"), ([2**32], "float64"),
     ([-1], "float64"), ([0.5], "float64")],
)  # fmt: skip
def test_in_as_few_bytes_as_keep_every_digit(values: list[float], kept: str) -> None:
    assert narrowed(np.array(values, dtype=np.float64)).dtype.name == kept


def test_rows_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 2)
    with closing(Spilled()) as spilled:
        kept = [spilled.put(np.arange(7.0)), spilled.put(np.arange(7) / 2)]
        rows = SpilledRows(("a", "b"), spilled, kept, range(1, 6))
        assert [block.tolist() for block in rows.blocks()] == [[[1, 0.5], [2, 1]], [[3, 1.5], [4, 2]], [[5, 2.5]]]
        assert (len(rows), rows.values.tolist()) == (5, np.vstack(list(rows.blocks())).tolist())
        assert rows.totals() == {"a": 15, "b": 7.5}


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a file has its name until it is closed")
def test_a_file_is_nobody_elses_and_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_HELD", 10)
    with closing(Spilled()) as spilled:
        column = spilled.put(np.arange(100) / 3)
        state = os.fstat(spilled._file.fileno())
        assert (state.st_mode & 0o777, state.st_nlink) == (0o600, 0)
        assert spilled.get(column).tolist() == (np.arange(100) / 3).tolist()


def test_a_full_disk_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SpooledTemporaryFile, "write", full)
    with closing(Spilled()) as spilled, pytest.raises(OutputError, match="cannot be written: No space left on device"):
        spilled.put(np.zeros(3))
