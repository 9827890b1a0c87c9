"""Writes files and folders completely or not at all; a killed run leaves nothing behind."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path

from showthrough.core.errors import OutputError
from showthrough.core.patterns import lazy_pattern
from showthrough.storage.paths import Remote, as_path

if sys.platform != "win32":
    import fcntl

_PRIVATE, _PUBLIC = 0o600, 0o644
_UNFINISHED = lazy_pattern(r"\.showthrough-\d+-[0-9a-f]{8}")
_FORMULA = (*"=+-@\t\r\n", *"＝＋－＠")


class ProtectedFiles:
    """What a program reads and therefore must not replace, by whatever links it is reached.

    A new file in one of the `folders` whose ending is among `endings` would be read the next time, and so would one
    that goes with one of the `patterns`.
    """

    def __init__(
        self,
        paths: Iterable[Path] = (),
        folders: Iterable[Path] = (),
        endings: Collection[str] = (),
        patterns: Iterable[str] = (),
    ) -> None:
        self._identities = {identity for path in paths for identity in _identities(path)}
        self._folders = [os.path.realpath(folder) for folder in folders]
        self._endings = endings
        self._patterns = [os.path.realpath(pattern) for pattern in patterns]

    def __contains__(self, path: Path) -> bool:
        if not self._identities.isdisjoint(_identities(path)):
            return True
        if any(fnmatch(os.path.realpath(path), pattern) for pattern in self._patterns):
            return True
        listed = path.suffix.lower() in self._endings
        return listed and any(Path(os.path.realpath(path)).is_relative_to(folder) for folder in self._folders)


def _identities(path: Path) -> Iterator[str | tuple[int, int]]:
    """Where the links of a path lead, and what the system knows the file by, whichever of its names this is."""
    with suppress(OSError, ValueError):  # a zero byte, a link to itself
        yield os.path.realpath(path)
    with suppress(OSError, ValueError):
        status = path.stat()
        yield status.st_dev, status.st_ino


def write_file(path: Path, content: bytes, *, force: bool = False, private: bool = True) -> None:
    """Writes a file as a whole: a reader sees the old one or the new one, never half of it."""
    with report_os_errors(path):
        check_new(path, force=force)
        if path.exists() and not path.is_file():
            path.write_bytes(content)  # a pipe or a device takes it, and must not be replaced by a file
            return
        target = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
        remove_unfinished(target.parent)
        write_atomically(target, content, private=private)


def check_new(path: Path, *, force: bool) -> None:
    """Raises OutputError for a file that is there already and must not be replaced."""
    if path.is_file() and not force:
        raise OutputError(
            f"{path}: exists already; choose another name, or replace it with --force (in Python, force=True)"
        )


def write_folder(
    folder: Path, files: Mapping[str, bytes], *, private: bool = True, read: ProtectedFiles | None = None
) -> list[Path]:
    """Writes files into a folder, all of them or none; the folder is made where it is missing.

    Files of these names that are there already are replaced, but none that the program reads.
    """
    with report_os_errors(folder):
        target = Path(os.path.realpath(folder))
        for name in files:
            _check_inside(folder, target, name)
            if (target / name).is_dir():
                raise OutputError(f"{folder / name}: is a folder; expected a file name")
            if read is not None and target / name in read:
                why = "is read by this command, or would be the next time"
                raise OutputError(f"{folder / name}: {why}; choose another folder")
        first = _first_missing(target)
        remove_unfinished(target if first is None else first.parent)
        with workshop(target if first is None else first.parent) as bench:
            source = bench / "made" if first is None else bench / first.name / target.relative_to(first)
            source.mkdir(parents=True)
            for name, content in files.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                write_atomically(source / name, content, private=private)
            if first is None:
                _move_in(source, target, bench / "before", list(files))
            else:
                (bench / first.name).rename(first)
    return [folder / name for name in files]


def refuse_elsewhere(path: Path) -> None:
    """Raises OutputError for a URL: what is read may be elsewhere, what is written may hold text and stays here."""
    if isinstance(location := as_path(path), Remote):
        raise OutputError(f"{location}: results are written on this machine alone; expected a file name")


def check_writable(path: Path) -> None:
    """Raises OutputError when nothing could be written there; better now than after the work."""
    refuse_elsewhere(path)
    with report_os_errors(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            if not os.access(path, os.W_OK):
                raise OutputError(f"{path}: cannot be written: Permission denied")
            return
        target = Path(os.path.realpath(path))
        folder = target if target.is_dir() else (_first_missing(target) or target).parent
        if (handle := _nameless(folder)) is not None:
            os.close(handle)
            return
        trial = new_name(folder)
        try:
            os.close(os.open(trial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE))
        finally:
            trial.unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Removes what killed runs left half written, which may hold text. What a living one writes is locked."""
    if sys.platform == "win32":  # no such locks: what lives cannot be told from what was left
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in [entry for entry in entries if _UNFINISHED.fullmatch(entry.name)]:
            with suppress(OSError):  # a living run's, or somebody else's
                _remove_unlocked(Path(entry.path))


@contextmanager
def workshop(folder: Path) -> Iterator[Path]:
    """A private folder inside another, to make things in that then are moved into place; it is gone afterwards."""
    while True:
        bench = new_name(folder)
        bench.mkdir(mode=0o700)
        with hold_lock(bench) as ours:
            if not ours:
                continue
            try:
                yield bench
            finally:
                shutil.rmtree(bench, ignore_errors=True)
            return


class ScratchFolder:
    """A folder in another, there as long as this is. Who is killed leaves it, and the next that has one removes it."""

    def __init__(self, folder: Path) -> None:
        remove_unfinished(folder)
        self.path = new_name(folder)
        self.path.mkdir(mode=0o700)
        handle = None
        if sys.platform != "win32":
            handle = os.open(self.path, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
        weakref.finalize(self, _remove_scratch, self.path, handle)
        self._count = 0

    def new(self) -> Path:
        """The name of a new file in it."""
        self._count += 1
        return self.path / f"{self._count:06}"


def _remove_scratch(path: Path, handle: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if handle is not None:
        os.close(handle)


def write_atomically(target: Path, content: bytes, *, private: bool = True, durable: bool = True) -> None:
    """Puts a file in its place, or leaves everything as it was; also what it writes meanwhile is gone then.

    `durable` waits until it is on disk. Raises OSError.
    """
    mode = _PRIVATE if private else _PUBLIC & ~_umask()
    if not _put_nameless(target, content, mode, durable):
        _put_named(target, content, mode, durable)


def _put_nameless(target: Path, content: bytes, mode: int, durable: bool) -> bool:
    """Writes a file that has no name until it is whole, so that even a kill leaves nothing; False where none can be."""
    handle = _nameless(target.parent)
    if handle is None or sys.platform == "win32":
        return False
    with os.fdopen(handle, "wb") as file:
        _fill(handle, content, mode, durable)
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        name = new_name(target.parent)
        try:
            # With a folder given, Python asks the system to follow the link to the file; without one it does not.
            os.link(f"/proc/self/fd/{file.fileno()}", name, src_dir_fd=handle, follow_symlinks=True)
        except OSError:
            return False
        try:
            name.replace(target)
        except BaseException:
            name.unlink(missing_ok=True)
            raise
    return True


def _nameless(folder: Path) -> int | None:
    """A new file without a name, open; `None` where the system has none, or the folder cannot be written."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY, _PRIVATE)
    except OSError:
        return None


def _put_named(target: Path, content: bytes, mode: int, durable: bool) -> None:
    while True:
        name = new_name(target.parent)
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _PRIVATE)
        try:
            with os.fdopen(handle, "wb"), hold_lock(name) as ours:
                if not ours:
                    continue
                _fill(handle, content, mode, durable)
                if sys.platform != "win32":
                    name.replace(target)  # while it is locked: then nobody takes it for a killed run's
                    return
            name.replace(target)  # an open file cannot be renamed there
            return
        except BaseException:
            name.unlink(missing_ok=True)
            raise


def _fill(handle: int, content: bytes, mode: int, durable: bool) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode)
    if durable:
        os.fsync(handle)


@contextmanager
def hold_lock(path: Path) -> Iterator[bool]:
    """Locks what is being made against removal; False when somebody has removed it just before."""
    if sys.platform == "win32":
        yield True
        return
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield False
        return
    try:
        with suppress(OSError):  # a file system without locks: then nobody can lock it to remove it either
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield os.path.lexists(path)
    finally:
        os.close(handle)


def _remove_unlocked(path: Path) -> None:
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(handle)


def _move_in(source: Path, target: Path, before: Path, names: list[str]) -> None:
    """Moves files into a folder; when one cannot be, those that were moved make room for what was there."""
    before.mkdir()
    done: list[str] = []
    new: list[Path] = []  # folders in it, each after the one that it is in
    try:
        for name in names:
            done.append(name)
            (before / name).parent.mkdir(parents=True, exist_ok=True)
            new += _make_folders((target / name).parent)
            with suppress(FileNotFoundError):
                _copy_link(target / name, before / name)
            (source / name).replace(target / name)
    except BaseException:
        for name in done:
            if os.path.lexists(before / name):
                (before / name).replace(target / name)
            elif not os.path.lexists(source / name):
                (target / name).unlink(missing_ok=True)
        for inner in reversed(new):
            with suppress(OSError):  # somebody put something there meanwhile
                inner.rmdir()
        raise


def _make_folders(folder: Path) -> list[Path]:
    """Makes a folder and those above it that are not there yet; gives those, the topmost first."""
    missing = [path for path in (*reversed(folder.parents), folder) if not os.path.lexists(path)]
    for path in missing:
        path.mkdir()
    return missing


def _check_inside(folder: Path, target: Path, name: str) -> None:
    """Raises OutputError for a name that leads out of the folder, by itself or by a link in it."""
    home = (target / name).parent
    if ".." in Path(name).parts or not Path(os.path.realpath(home)).is_relative_to(target):
        raise OutputError(f"{folder / name}: is not in {folder}; expected a name inside")


def _copy_link(path: Path, copy: Path) -> None:
    try:
        os.link(path, copy, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except (OSError, NotImplementedError):  # a file system without links
        shutil.copy2(path, copy, follow_symlinks=False)


def _first_missing(path: Path) -> Path | None:
    """The topmost of a path and the folders above it that is not there yet."""
    return next((candidate for candidate in [*reversed(path.parents), path] if not os.path.lexists(candidate)), None)


def new_name(folder: Path) -> Path:
    """A name for what is being made, under which it is removed when whoever makes it is killed."""
    return folder / f".showthrough-{os.getpid()}-{secrets.token_hex(4)}"


@contextmanager
def report_os_errors(path: Path) -> Iterator[None]:
    """What the system refuses, in a line that names the file."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
