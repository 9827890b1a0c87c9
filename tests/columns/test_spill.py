"""What leaves memory comes back to the last digit."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough import OutputError
from showthrough.storage.columns import spill as module
from showthrough.storage.columns.spill import ByteStore, Spill, SpilledColumns

numbers = st.one_of(st.integers(-(2**33), 2**33).map(float), st.floats(allow_nan=False, allow_infinity=False))


@pytest.mark.parametrize("held", [1, 40, 10_000])
@given(st.lists(st.lists(numbers, max_size=5), min_size=1, max_size=4))
def test_what_is_put_is_got(held: int, columns: list[list[float]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_HELD", held)
        spilled = SpilledColumns()
    with closing(spilled):
        kept = [spilled.put(np.array(column, dtype=np.float64)) for column in columns]
        assert [spilled.get(one).tolist() for one in kept] == columns
        assert [spilled.get(one, 1, 3).tolist() for one in kept] == [column[1:3] for column in columns]


def test_columns_side_by_side_in_blocks() -> None:
    with closing(SpilledColumns()) as spilled:
        kept = [spilled.put(np.arange(7.0)), spilled.put(np.arange(7) / 2)]
        blocks = [block.tolist() for block in spilled.blocks(kept, range(1, 6), 2)]
        assert blocks == [[[1, 0.5], [2, 1]], [[3, 1.5], [4, 2]], [[5, 2.5]]]


def test_counts_take_few_bytes() -> None:
    with closing(SpilledColumns()) as spilled:
        widths = [spilled.put(np.array([0.0, most])).kind.itemsize for most in (255, 256, 65_536, 2**32, 0.5)]
        assert widths == [1, 2, 4, 8, 8]


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a file has its name until it is closed")
def test_a_file_is_nobody_elses_and_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with closing(Spill(10)) as spill:
        assert (spill.add(b"few"), spill._file) == (0, None)
        assert spill.add(b"and many more") == 3
        state = os.fstat(spill._file.fileno())
        assert (state.st_mode & 0o777, state.st_nlink, list(tmp_path.iterdir())) == (0o600, 0, [])
        assert (spill.read(0, 3), spill.read(7, 4)) == (b"few", b"many")


def test_pieces_are_found_by_their_numbers() -> None:
    pieces = ByteStore(small=100)
    given = [bytes([number]) * number for number in range(60)]
    pieces.extend(given)
    assert pieces._content._file is not None
    order = Random(1).sample(range(60), 60)
    assert pieces.taken(order) == [given[number] for number in order]


def test_a_full_disk_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TemporaryFile", lambda: Path("/dev/full").open("r+b", buffering=0))  # noqa: SIM115
    with closing(Spill(10)) as spill, pytest.raises(OutputError, match="No space left on device; TMPDIR names another"):
        spill.add(b"more than ten bytes")
