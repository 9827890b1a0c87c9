"""Unpacks downloaded archives safely: nothing is written outside the folder, and the total size is limited."""

from __future__ import annotations

import shutil
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from showthrough.core.errors import quote_value
from showthrough.storage.limits import Limit
from showthrough.storage.reading import fail
from showthrough.storage.writing import report_os_errors

UNPACKED = Limit("SHOWTHROUGH_UNPACK_LIMIT", 20 * 10**9)
MOST_FILES = 1_000_000
_BLOCK = 1 << 20
_LINK, _KIND = 0o120000, 0o170000  # of a mode, as zip keeps it
_ENCRYPTED = 0x1


@dataclass(frozen=True)
class _Member:
    """A file in an archive."""

    name: str
    size: int  # as the archive says, which may be wrong
    opened: Callable[[], AbstractContextManager[IO[bytes]]]


def unpack(archive: Path, folder: Path, label: str) -> Path:
    """Unpacks into an empty folder; gives it, or the one folder that everything is in. Errors call the archive `label`.

    Raises InputError for an archive that is damaged, leads out of the folder, holds links or devices, or is too large.
    """
    total_size = 0
    files: set[PurePosixPath] = set()
    folders: set[PurePosixPath] = set()
    with _report_damage(label):
        for number, member in enumerate(_members(archive, label)):
            if number == MOST_FILES:
                raise fail(label, f"holds more than {MOST_FILES:,} files; nothing of it is kept")
            target = folder / _safe_path(label, member.name)
            _check_new(label, member.name, files, folders)
            total_size += member.size
            if total_size > UNPACKED.bytes:
                raise UNPACKED.exceeded_error(label, "unpacks to")
            with member.opened() as source:
                _copy(label, source, target, member.size)
    tops = list(folder.iterdir())
    if not tops:
        raise fail(label, "holds no files")
    return tops[0] if len(tops) == 1 and tops[0].is_dir() else folder


def _copy(label: str, source: IO[bytes], target: Path, size: int) -> None:
    """What is longer than the archive says is not copied: the limit was checked by what it says."""
    with report_os_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        sink = target.open("xb")
    with sink:
        remaining = size
        while block := source.read(_BLOCK):
            remaining -= len(block)
            if remaining < 0:
                break
            with report_os_errors(target):
                sink.write(block)
    if remaining:
        raise fail(label, f"cannot be unpacked: {quote_value(target.name)} is not as long as the archive says")


def _safe_path(label: str, name: str) -> PurePosixPath:
    """The path of a member. Raises InputError for one that leads elsewhere, here or on another system."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or set("\\:\0") & set(name):
        raise fail(label, f"holds {quote_value(name)}, which leads out of its folder; nothing of it is kept")
    return path


def _check_new(label: str, name: str, files: set[PurePosixPath], folders: set[PurePosixPath]) -> None:
    """Raises InputError for a name that another file has, here or where systems do not tell case or accents apart."""
    path = PurePosixPath(unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()))
    above = set(path.parents)
    if path in files or path in folders or above & files:
        raise fail(label, f"holds {quote_value(name)} twice, or a file and a folder of one name; nothing of it is kept")
    files.add(path)
    folders |= above


def _members(archive: Path, label: str) -> Iterator[_Member]:
    import zipfile  # slow to import, and needed by one command

    yield from (_zip_members if zipfile.is_zipfile(archive) else _tar_members)(archive, label)


def _zip_members(archive: Path, label: str) -> Iterator[_Member]:
    import zipfile

    with zipfile.ZipFile(archive) as packed:
        for entry in packed.infolist():
            if entry.external_attr >> 16 & _KIND == _LINK:
                raise _odd_member(label, entry.filename, "a link")
            if entry.flag_bits & _ENCRYPTED:
                raise _odd_member(label, entry.filename, "a file with a password")
            if not entry.is_dir():
                yield _Member(entry.filename, entry.file_size, lambda entry=entry: packed.open(entry))  # type: ignore[misc]


def _tar_members(archive: Path, label: str) -> Iterator[_Member]:
    import tarfile

    with tarfile.open(archive, "r:*") as packed:
        for entry in packed:
            if not (entry.isreg() or entry.isdir()):
                raise _odd_member(label, entry.name, "a link or a device")
            safe = tarfile.data_filter(entry, str(archive.parent))
            if entry.isreg() and (source := packed.extractfile(safe)) is not None:
                yield _Member(entry.name, entry.size, lambda source=source: source)  # type: ignore[misc]


def _odd_member(label: str, name: str, description: str) -> Exception:
    return fail(label, f"holds {quote_value(name)}, which is {description}; nothing of it is kept")


@contextmanager
def _report_damage(label: str) -> Iterator[None]:
    """What the readers of archives stumble over, as one line."""
    import lzma
    import tarfile
    import zipfile

    damaged = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, OSError)
    try:
        yield
    except damaged as error:
        raise fail(label, f"cannot be unpacked: {error or type(error).__name__}") from error


def replace_folder(new_folder: Path, target: Path, bench: Path) -> None:
    """Puts a folder in its place; what was there goes into the bench, which is cleared."""
    with report_os_errors(target):
        if target.exists():
            target.rename(bench / "before")
        new_folder.rename(target)
        shutil.rmtree(bench / "before", ignore_errors=True)
