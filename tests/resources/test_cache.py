"""What models answered is found again by the content of the question, and by nothing else."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.models.cache import Arrays, Cache, default_folder, question


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "here")


def path_of(cache: Cache, name: str) -> Path:
    return next(Path(entry.path) for entry in cache.entries() if entry.name == name)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_put_is_got(cache: Cache) -> None:
    entry = {"ic": np.array([1.5, -2.0]), "spans": np.arange(6, dtype=np.int32).reshape(3, 2), "none": np.zeros((0, 2))}
    assert cache.get(question("a")) is None
    cache.put(question("a"), entry)
    found = cache.get(question("a"))
    assert found is not None
    assert list(found) == list(entry)
    for name, array in entry.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert np.array_equal(found[name], array)
    assert cache.get(question("b")) is None


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_another_question_has_another_name(one: list[str], two: list[str]) -> None:
    assert (question(*one) == question(*two)) == (one == two)


def test_arrays_are_told_apart_by_type_shape_and_content() -> None:
    ones = np.ones(4, dtype=np.int64)
    names = {question(ones), question(ones.reshape(2, 2)), question(ones.astype(np.float64)), question(ones * 2)}
    assert len(names) == 4
    assert question(ones) == question(np.ones(4, dtype=np.int64))


def test_only_what_is_missing_is_asked(cache: Cache) -> None:
    asked: list[list[int]] = []

    def answer(places: list[int]) -> Iterator[Arrays]:
        asked.append(places)
        for place in places:
            yield {"x": np.array(place)}

    names = [question(n) for n in range(4)]
    assert [int(entry["x"]) for entry in cache.through(names[:2], answer)] == [0, 1]
    assert [int(entry["x"]) for entry in cache.through([names[2], names[0], names[3]], answer)] == [0, 0, 2]
    assert asked == [[0, 1], [0, 2]]
    cache.through(names, answer)
    assert len(asked) == 2


def test_an_answer_in_the_place_of_another(cache: Cache, caplog: pytest.LogCaptureFixture) -> None:
    """Sound by itself, and still not the answer to this question."""
    for number in range(2):
        cache.put(question(number), {"x": np.array(number)})
    one, two = (path_of(cache, question(number)) for number in range(2))
    two.write_bytes(one.read_bytes())
    assert cache.get(question(1)) is None
    assert "damaged" in caplog.text
    cache.put(question(1), {"x": np.array(1)})
    found = cache.get(question(1))
    assert found is not None
    assert found["x"] == 1


def test_an_entry_of_an_earlier_version_is_not_there(cache: Cache, caplog: pytest.LogCaptureFixture) -> None:
    cache.put(question("a"), {"x": np.zeros(1)})
    path = path_of(cache, question("a"))
    path.write_bytes(path.read_bytes().replace(b"cache 2", b"cache 1"))
    assert cache.get(question("a")) is None
    assert not caplog.text


def test_no_folder_keeps_nothing() -> None:
    cache = Cache(None)
    cache.put(question("a"), {"x": np.zeros(1)})
    assert cache.get(question("a")) is None
    assert (cache.size(), cache.clear(), list(cache.entries())) == (0, 0, [])


# --- who may look -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_the_owner_alone_may_look(tmp_path: Path) -> None:
    home = tmp_path / "shared"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    cache = Cache(home)
    cache.put(question("a"), {"x": np.zeros(1)})
    assert cache.folder is not None
    path = path_of(cache, question("a"))
    assert [mode(cache.folder), mode(path.parent), mode(path)] == [0o700, 0o700, 0o600]
    assert mode(home) == 0o755  # a folder that was named is not ours to close
    cache.folder.chmod(0o755)
    cache.put(question("b"), {"x": np.zeros(1)})
    assert mode(cache.folder) == 0o700


def test_no_text_is_kept(cache: Cache) -> None:
    cache.put(question("ic", "model", "Mr Doe of Oslo"), {"ic": np.ones(3)})
    for path in (cache.folder or Path()).rglob("*"):
        assert b"Oslo" not in path.name.encode() + (path.read_bytes() if path.is_file() else b"")


def test_who_asks_the_same_asks_once(cache: Cache) -> None:
    asked: list[list[int]] = []

    def answer(places: list[int]) -> Iterator[Arrays]:
        asked.append(places)
        return ({"x": np.array([place])} for place in places)

    names = [question(text) for text in ("a", "b", "a", "c", "b", "a")]
    found = [int(entry["x"][0]) for entry in cache.through(names, answer)]
    assert (asked, found) == ([[0, 1, 3]], [0, 1, 0, 3, 1, 0])
    assert [int(entry["x"][0]) for entry in Cache(None).through(names, answer)] == found
    assert asked[1:] == [[0, 1, 3]]


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(tmp_path / "named"))
    assert default_folder() == tmp_path / "named"
    monkeypatch.setenv("SHOWTHROUGH_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_folder() == tmp_path / "xdg" / "showthrough"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "showthrough"


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["empty", "short", "bit", "other", "text"])
def test_a_damaged_entry_is_computed_again_and_told_once(
    damage: str, cache: Cache, caplog: pytest.LogCaptureFixture
) -> None:
    names = [question(n) for n in range(2)]

    def answer(places: list[int]) -> Iterator[Arrays]:
        return ({"x": np.array([place, 7])} for place in places)

    cache.through(names, answer)
    for name in names:
        path = path_of(cache, name)
        content = path.read_bytes()
        path.write_bytes(
            {
                "empty": b"",
                "short": content[:-1],
                "bit": content[:-1] + bytes([content[-1] ^ 1]),
                "other": b"showthrough cache 0\n" + content[20:],
                "text": b"\x80\x04some pickle or other",
            }[damage]
        )
    with caplog.at_level(logging.WARNING):
        found = cache.through(names, answer)
    assert [entry["x"].tolist() for entry in found] == [[0, 7], [1, 7]]
    (record,) = caplog.records
    assert record.getMessage().endswith("this entry of the cache is damaged; computing it again")
    caplog.clear()
    assert all(entry is not None for entry in map(cache.get, names))  # what was computed is kept again
    assert not caplog.records


def test_a_folder_that_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file")
    with caplog.at_level(logging.WARNING):
        cache.put(question("a"), {"x": np.zeros(1)})
        cache.put(question("b"), {"x": np.zeros(1)})
    assert [record.getMessage().rpartition("; ")[2] for record in caplog.records] == ["going on without"]
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_write_that_fails_leaves_nothing(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put(question("first"), {"x": np.zeros(1)})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    folder = cache.folder
    cache.put(question("second"), {"x": np.zeros(1)})
    assert folder is not None
    assert [path.name for path in folder.rglob("*") if path.is_file()] == [question("first")]


def test_a_subfolder_that_may_not_be_read(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not ours, so it is not counted, and nothing stops for it."""
    cache.put(question("a"), {"x": np.zeros(3)})
    closed = (cache.folder or Path()) / "zz"
    closed.mkdir()
    scandir = os.scandir

    def refusing(folder: Any) -> Any:
        if Path(folder) == closed:
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refusing)
    fresh = Cache((cache.folder or Path()).parent)
    fresh.put(question("b"), {"x": np.zeros(3)})
    assert {entry.name for entry in fresh.entries()} == {question("a"), question("b")}
    assert fresh.clear() == 2


# --- room -------------------------------------------------------------------------------------------------------------


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    entry = {"x": np.zeros(1000, dtype=np.uint8)}
    sample = Cache(tmp_path / "sample")
    sample.put(question(0), entry)
    size = sample.size()
    cache = Cache(tmp_path / "here", limit=10 * size)
    for number in range(10):
        cache.put(question(number), entry)
        os.utime(path_of(cache, question(number)), (number, number))
    cache.get(question(0))  # used just now
    cache.put(question(10), entry)
    kept = {entry.name for entry in cache.entries()}
    assert cache.size() <= 8 * size
    assert kept == {question(number) for number in (0, 4, 5, 6, 7, 8, 9, 10)}


def test_small_entries_count_as_what_they_take_on_disk(cache: Cache) -> None:
    for number in range(3):
        cache.put(question(number), {"x": np.zeros(1)})
    assert cache.size() == 3 * 4096


def test_clearing(cache: Cache) -> None:
    for number in range(5):
        cache.put(question(number), {"x": np.zeros(3)})
    outside = (cache.folder or Path()).parent / "mine.txt"
    outside.write_text("not an entry")
    place = next((cache.folder or Path()).glob("??"))
    left, written = place / ".left-by-a-run-that-was-killed", place / ".being-written"
    for path in (left, written):
        path.write_bytes(b"")
    os.utime(left, (0, 0))
    assert cache.clear() == 5
    assert (left.exists(), written.exists()) == (False, True)
    assert (cache.size(), cache.get(question(0))) == (0, None)
    assert outside.exists()
    cache.put(question(0), {"x": np.zeros(3)})
    assert cache.size() > 0


def test_many_at_once(tmp_path: Path) -> None:
    """Eight writers of the same entries, with hardly any room: whoever reads gets a whole entry or none."""
    wrong: list[object] = []

    def work(seed: int) -> None:
        cache = Cache(tmp_path / "here", limit=20_000)
        for number in np.random.default_rng(seed).integers(0, 30, size=150).tolist():
            cache.put(question(number), {"x": np.full(200, number)})
            found = cache.get(question(number))
            if found is not None and not (found["x"] == number).all():
                wrong.append(found)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert not wrong
    assert list((tmp_path / "here").rglob(".*")) == []


def test_those_who_write_at_the_same_time_keep_to_one_limit(tmp_path: Path) -> None:
    """Each counts what the others wrote, and not the limit once for each of them."""
    limit, entry = 400_000, np.zeros(500)  # 4,000 bytes, which take two blocks
    caches = [Cache(tmp_path, limit) for _ in range(8)]
    largest = 0
    for number in range(60):
        for place, cache in enumerate(caches):
            cache.put(question(number, place), {"x": entry})
        largest = max(largest, caches[0].size())
    assert largest < 1.5 * limit
