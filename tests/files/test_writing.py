"""Files and folders as a whole or not at all, and nothing left behind."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from showthrough import OutputError
from showthrough.storage import writing as files
from showthrough.storage.writing import (
    ProtectedFiles,
    check_writable,
    remove_unfinished,
    workshop,
    write_atomically,
    write_file,
    write_folder,
)

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, locks and signals")
NOBODY = ".showthrough-1-0123abcd"  # a name as a run gives it to what it has not finished


def full(*arguments: object) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture(params=["nameless", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to write: with a name from the start where the system has no nameless files."""
    if request.param == "named":
        monkeypatch.setattr(files, "_put_nameless", lambda *arguments: False)


@pytest.mark.usefixtures("way")
def test_a_file_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    write_file(path, b"old")
    write_file(path, b"new", force=True)
    assert path.read_bytes() == b"new"
    with monkeypatch.context() as patch:
        patch.setattr(files, "_fill", full)
        with pytest.raises(OutputError, match=r"run.json: cannot be written: No space left on device"):
            write_file(path, b"newer", force=True)
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


WRITING = """
import os, sys, time
from pathlib import Path
from showthrough.storage import writing as files

def slow(*arguments, **options):
    print("writing", flush=True)
    time.sleep(300)

if sys.argv[2] == "named":
    files._put_nameless = lambda *arguments: False
if sys.argv[2] == "folder":
    files.write_atomically = slow
    files.write_folder(Path(sys.argv[1]) / "folder", {"a": b"x"})
files._fill = slow
files.write_file(Path(sys.argv[1]) / "run.json", b"x")
"""


@POSIX
@pytest.mark.parametrize(("kind", "left"), [("nameless", 0), ("named", 1), ("folder", 1)])
def test_what_a_killed_run_left_is_removed_and_what_a_living_one_writes_is_not(
    kind: str, left: int, tmp_path: Path
) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITING, tmp_path, kind], stdout=subprocess.PIPE)
    try:
        assert process.stdout
        assert process.stdout.readline() == b"writing\n"
        if kind == "nameless" and list(tmp_path.iterdir()):
            pytest.skip("this file system has no nameless files")
        assert len(list(tmp_path.iterdir())) == left
        write_file(tmp_path / "other.json", b"x")
        assert len(list(tmp_path.iterdir())) == left + 1
    finally:
        process.kill()
        process.communicate()
    assert len(list(tmp_path.iterdir())) == left + 1
    write_file(tmp_path / "other.json", b"x", force=True)
    assert list(tmp_path.iterdir()) == [tmp_path / "other.json"]


@POSIX
def test_only_what_the_program_made_is_removed(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "text").write_text("x")
    for name in (".showthrough", ".showthrough-settings", ".showthrough-1-0123abcd.bak", "showthrough-1-0123abcd"):
        (tmp_path / name).write_text("x")
    (tmp_path / NOBODY).symlink_to(mine)
    (tmp_path / ".showthrough-2-0123abcd").mkdir()
    os.mkfifo(tmp_path / ".showthrough-3-0123abcd")
    remove_unfinished(tmp_path)
    assert (mine / "text").read_text() == "x"
    assert not (tmp_path / ".showthrough-2-0123abcd").exists()
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        ".showthrough", ".showthrough-1-0123abcd.bak", ".showthrough-settings", "showthrough-1-0123abcd",
    ]  # fmt: skip


def test_a_folder_is_made_with_all_its_files_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a/b"
    count = iter(range(9))

    def second_fails(path: Path, content: bytes, **options: bool) -> None:
        if next(count) == 1:
            full()
        write_atomically(path, content, **options)

    with monkeypatch.context() as patch:
        patch.setattr(files, "write_atomically", second_fails)
        with pytest.raises(OutputError, match=r"a/b: cannot be written: No space left"):
            write_folder(target, {"1.txt": b"one", "2.txt": b"two"})
    assert list(tmp_path.iterdir()) == []
    assert write_folder(target, {"1.txt": b"one", "2.txt": b"two"}) == [target / "1.txt", target / "2.txt"]
    assert {path.name: path.read_bytes() for path in target.iterdir()} == {"1.txt": b"one", "2.txt": b"two"}
    assert (target / "1.txt").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_is_there_gets_all_files_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("1.txt", "mine"):
        (tmp_path / name).write_bytes(b"old")
    made = {"1.txt": b"new", "2.txt": b"new", "3.txt": b"new"}
    replace = Path.replace

    def third_fails(self: Path, target: Path) -> Path:
        if self.name == "3.txt" and self.parent.name == "made":
            full()
        return replace(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", third_fails)
        with pytest.raises(OutputError, match="No space left"):
            write_folder(tmp_path, made)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"1.txt": b"old", "mine": b"old"}
    write_folder(tmp_path, made)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {**made, "mine": b"old"}


@POSIX
def test_what_is_read_is_not_replaced_by_any_name(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.json"
    corpus.write_text("x")
    (tmp_path / "link").symlink_to(corpus)
    os.link(corpus, tmp_path / "hard")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/back").symlink_to("..")
    read = ProtectedFiles([corpus])
    for path in ("corpus.json", "link", "hard", "folder/../corpus.json", "folder/back/corpus.json"):
        assert tmp_path / path in read
    assert tmp_path / "other" not in read
    with pytest.raises(OutputError, match="hard: is read by this command"):
        write_folder(tmp_path, {"new": b"", "hard": b""}, read=read)
    assert not (tmp_path / "new").exists()


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    check_writable(tmp_path / "run.json")
    check_writable(tmp_path / "made/later/run.json")
    check_writable(tmp_path)
    assert list(tmp_path.iterdir()) == []
    if sys.platform == "linux":
        with pytest.raises(OutputError, match=r"/proc/run.json: cannot be written: "):
            check_writable(Path("/proc/run.json"))


@POSIX
def test_a_workshop_is_private_and_gone(tmp_path: Path) -> None:
    def stopped() -> None:
        with workshop(tmp_path) as bench:
            assert bench.stat().st_mode & 0o777 == 0o700
            (bench / "text").write_text("x")
            remove_unfinished(tmp_path)
            assert (bench / "text").exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert list(tmp_path.iterdir()) == []


@POSIX
def test_a_device_takes_what_it_can(tmp_path: Path) -> None:
    write_file(Path("/dev/null"), b"x")
    if Path("/dev/full").exists():
        with pytest.raises(OutputError, match="/dev/full: cannot be written: No space left"):
            write_file(Path("/dev/full"), b"x")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, b"x")
    time.sleep(0.01)
    assert os.read(reader, 9) == b"x"
    os.close(reader)


def test_a_name_with_a_zero_byte_is_told(tmp_path: Path) -> None:
    assert tmp_path / "a\0b" not in ProtectedFiles([tmp_path / "a\0b"])
    for write in (check_writable, lambda path: write_file(path, b""), lambda path: write_folder(path, {"a": b""})):
        with pytest.raises(OutputError, match="cannot be written: "):
            write(tmp_path / "a\0b")
