"""A file that grows by whole pieces, whatever happens to whoever writes it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from showthrough.core.errors import OutputError
from showthrough.storage.append_log import DamagedError, GrowingFile, is_written, pieces

TITLE = b"title"


@pytest.fixture
def file(tmp_path: Path) -> GrowingFile:
    growing = GrowingFile(tmp_path / "run.part", TITLE)
    growing.begin(b"one", b"two")
    return growing


def held(file: GrowingFile) -> list[bytes]:
    return list(pieces(file.path.read_bytes(), TITLE))


def test_pieces_come_back(file: GrowingFile) -> None:
    file.add(b"three")
    assert held(file) == [b"one", b"two", b"three"]
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    file.begin(b"afresh")
    assert held(file) == [b"afresh"]
    file.remove()
    assert not file.path.exists()
    assert not file.is_intact


def test_wherever_it_is_cut_off_whole_pieces_are_left(file: GrowingFile) -> None:
    file.add(b"three")
    content = file.path.read_bytes()
    found = [tuple(pieces(content[:length], TITLE)) for length in range(len(TITLE) + 1, len(content) + 1)]
    assert set(found) == {(), (b"one",), (b"one", b"two"), (b"one", b"two", b"three")}
    assert [len(one) for one in found] == sorted(len(one) for one in found)


def test_damage_before_the_end_is_told(file: GrowingFile) -> None:
    content = file.path.read_bytes()
    with pytest.raises(DamagedError):
        list(pieces(content.replace(b"one", b"0ne"), TITLE))
    assert list(pieces(content.replace(b"two", b"tw0"), TITLE)) == [b"one"]


def test_a_full_disk_leaves_it_as_it_was(file: GrowingFile, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def half(handle: int, content: bytes) -> int:
        if len(content) < 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, content[: len(content) // 2])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(OutputError, match=r"run\.part: cannot be written: No space left on device"):
            file.add(b"three" * 10)
    assert held(file) == [b"one", b"two"]
    file.add(b"three")
    assert held(file) == [b"one", b"two", b"three"]


def test_one_that_was_removed_or_replaced_is_not_there(file: GrowingFile, tmp_path: Path) -> None:
    assert file.is_intact
    other = tmp_path / "other"
    other.write_bytes(b"")
    other.replace(file.path)
    assert not file.is_intact
    file.begin(b"one")
    assert file.is_intact
    file.path.unlink()
    assert not file.is_intact


@pytest.mark.skipif(os.name != "posix", reason="locks")
def test_it_is_locked_while_it_is_written(file: GrowingFile) -> None:
    assert is_written(file.path)
    file.close()
    assert not is_written(file.path)
    assert not is_written(file.path.with_name("none"))
