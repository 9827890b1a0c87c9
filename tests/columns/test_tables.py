"""Tables in files: what was written comes back, in whatever order it came, and nothing else is believed."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.core.errors import InputError
from showthrough.storage.columns import tables
from showthrough.storage.columns.file_slice import FileSlice
from showthrough.storage.columns.stored_strings import parts_of, write_strings
from showthrough.storage.columns.strings import Strings
from showthrough.storage.columns.tables import ColumnTable, TableWriter, narrowest, wide_enough
from showthrough.storage.writing import ScratchFolder

WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), max_size=20)


@given(st.lists(st.one_of(st.integers(-(2**33), 2**33), st.floats(-1e15, 1e15)), max_size=8))
def test_the_narrowest_kind_tells_exactly(numbers: list[float]) -> None:
    values = np.array(numbers, dtype=np.float64)
    kind = narrowest(values)
    assert np.array_equal(values.astype(kind).astype(np.float64), values)
    assert (
        kind.kind != "f" or not values.size or not (values == values.astype("i8")).all() or abs(values).max() >= 2**31
    )
    wide = wide_enough(kind, np.dtype("<i4"))
    assert np.array_equal(values.astype(wide).astype(np.float64), values)


@pytest.mark.parametrize("buffered", [1, 4, 1000])
def test_chunks_in_any_order(buffered: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_BUFFERED", buffered)
    lot = np.random.default_rng(0)
    values = lot.integers(0, 300, size=(11, 3)).astype(np.float64)
    values[4:7, 2] = 0  # a column that this chunk does not have
    writer = TableWriter(tmp_path / "t", ("a", "b", "c"), 11, np.dtype("<u2"))
    for start, stop, columns in ((7, 11, ("c", "a", "b")), (0, 4, ("a", "b", "c")), (4, 7, ("b", "a"))):
        writer.put(start, columns, values[start:stop][:, ["abc".index(column) for column in columns]])
    order = lot.permutation(11).astype(np.uint32)
    table = writer.finish(order)
    assert np.array_equal(np.concatenate(list(table.blocks(4))), values[order])
    assert np.array_equal(table["b"], values[order, 1])
    assert all(block.flags.c_contiguous for block in table.blocks(4))  # as in memory: sums hang on that
    assert np.array_equal(np.load(tmp_path / "t"), values[order].T)  # it is a file that NumPy reads
    assert stat.S_IMODE((tmp_path / "t").stat().st_mode) == 0o600


def test_what_is_not_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "t.npy"
    TableWriter(path, ("a",), 3, np.dtype("<f8")).finish()
    sound = FileSlice.from_file(path)
    again = ColumnTable(("a",), FileSlice(path, sound.size, sound.digest))
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    with pytest.raises(InputError, match=r"t\.npy: is not as it was written with its run"):
        again["a"]
    with pytest.raises(InputError, match=r"t\.npy: is no table of its run"):
        ColumnTable(("a", "b"), FileSlice.from_file(path))
    values = np.frombuffer(path.read_bytes()[-24:], dtype="<f8").copy()
    values[1] = np.nan
    path.write_bytes(path.read_bytes()[:-24] + values.tobytes())
    with pytest.raises(InputError, match=r"t\.npy: is no table of its run"):
        ColumnTable(("a",), FileSlice.from_file(path))["a"]
    path.unlink()
    with pytest.raises(InputError, match=r"t\.npy: cannot be read"):
        again["a"]


@given(WORDS)
def test_strings_in_files(words: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        order = np.array(sorted(range(len(words)), key=words.__getitem__), dtype=np.uint32)
        given_as = Strings.of(words)
        stored = write_strings(parts_of(given_as, order), home / "content", home / "ends")
        assert stored == sorted(words)
        assert list(stored) == sorted(words)
        assert stored[1:5] == sorted(words)[1:5]
        for word in {*words, "none"}:
            place = stored.number_of(word)
            assert (place is None) == (word not in words)
            assert place is None or stored[place] == word
        other = write_strings(parts_of(words, order), home / "2", home / "3")
        assert stored == other


def test_a_bench_is_gone_with_the_last_of_its_files(tmp_path: Path) -> None:
    bench = ScratchFolder(tmp_path)
    table = TableWriter(bench.new(), ("a",), 2, np.dtype("u1")).finish(None, bench)
    folder = bench.path
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    other = ScratchFolder(tmp_path)  # which removes what killed programs left, and nothing of a living one
    del bench
    assert table["a"].tolist() == [0, 0]
    copy = table.file_slice.copy_to(tmp_path / "kept")
    del table
    assert not folder.exists()
    assert copy.read() == (tmp_path / "kept").read_bytes()
    left = tmp_path / ".showthrough-1-00000000"
    left.mkdir()
    if os.name == "posix":
        ScratchFolder(tmp_path)
        assert not left.exists()
    assert other.path.exists()
