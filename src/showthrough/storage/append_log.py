"""A private file that grows piece by piece; a piece is in it completely or does not count.

Every piece is a line with its checksum before it. What a kill or a full disk left half written is the end of the file,
and is told from a piece by that.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from showthrough.core.errors import OutputError
from showthrough.storage.writing import new_name, remove_unfinished, report_os_errors

if sys.platform != "win32":
    import fcntl

_CHECKSUM = 8  # hexadecimal digits


class DamagedError(Exception):
    """A piece that others follow is not as it was written."""


class ByteRange(NamedTuple):
    """Where a piece stands in its file."""

    start: int
    size: int


class GrowingFile:
    """The writer of such a file. It is locked as long as it is written, so that nobody else begins it anew.

    Without a path it has no name at all: it is gone with whoever writes it.
    """

    def __init__(self, path: Path | None, title: bytes) -> None:
        self._path = path
        self._title = title
        self._handle: int | None = None
        self._draft: Path | None = None  # the name that it has until it is in its place, where it has one

    @property
    def path(self) -> Path:
        return Path(tempfile.gettempdir()) if self._path is None else self._path

    @property
    def is_intact(self) -> bool:
        """Whether what was added is there: nobody removed the file or put another in its place."""
        if self._handle is None:
            return False
        if self._path is None:
            return True
        with suppress(OSError):
            ours, current = os.fstat(self._handle), self.path.stat()
            return (ours.st_dev, ours.st_ino) == (current.st_dev, current.st_ino)
        return False

    def begin(self, *pieces: bytes) -> None:
        """A new file in the place of the old one, with the first pieces in it."""
        self.draft()
        try:
            for piece in pieces:
                self.add(piece, durable=False)
            self.settle()
        except BaseException:
            self.close()
            raise

    def draft(self) -> None:
        """A new file that has no name yet: what stands in its place stays there until it is settled."""
        with report_os_errors(self.path):
            self.close()
            folder = self.path if self._path is None else self.path.parent
            remove_unfinished(folder)
            self._handle, self._draft = _new_file(folder)
            if self._path is None and self._draft is not None:
                self._draft.unlink()
                self._draft = None
            os.write(self._handle, self._title + b"\n")

    def settle(self) -> None:
        """Puts a new file, as it is on disk now, in its place."""
        if self._handle is None or self._path is None:
            return
        with report_os_errors(self.path):
            os.fsync(self._handle)
            name = self._draft or new_name(self.path.parent)
            if self._draft is None:
                # With a folder given, Python asks the system to follow the link to the file; without one it does not.
                os.link(f"/proc/self/fd/{self._handle}", name, src_dir_fd=self._handle, follow_symlinks=True)
            if sys.platform == "win32":  # an open file cannot be renamed there
                os.close(self._handle)
                self._handle = None
            try:
                name.replace(self.path)
            except BaseException:
                name.unlink(missing_ok=True)
                raise
            if sys.platform == "win32":
                self._handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_BINARY)
            self._draft = None

    def go_on(self) -> list[bytes]:
        """The pieces of the file, which is made where there is none; what a kill left at its end is gone.

        Raises DamagedError where it is no such file, or damaged: it is then as it was.
        """
        with report_os_errors(self.path):
            self.close()
            binary = getattr(os, "O_BINARY", 0)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | binary, 0o600)
            try:
                _lock_alone(handle, self.path)
                with open(handle, "rb", closefd=False) as file:
                    content = file.read()
                sound = _sound_content(content, self._title)
                result = list(pieces(sound, self._title))
                _repair_end(handle, content, sound)
            except BaseException:
                os.close(handle)
                raise
            self._handle = handle
            return result

    def add(self, piece: bytes, *, durable: bool = True) -> ByteRange:
        """One more piece, on disk when this returns; where it cannot be written the file is as it was.

        One that is not `durable` outlives the program, and the system when it is synced.
        """
        if self._handle is None:
            raise OutputError(f"{self.path}: cannot be written: it was not begun")
        with report_os_errors(self.path):
            before = os.fstat(self._handle).st_size
            try:
                rest = memoryview(_line(piece))
                while rest:
                    rest = rest[os.write(self._handle, rest) :]
                if durable:
                    os.fsync(self._handle)
            except BaseException:
                os.ftruncate(self._handle, before)
                raise
        return ByteRange(before + _CHECKSUM + 1, len(piece))

    def sync(self) -> None:
        """All that was added is on disk when this returns."""
        if self._handle is not None:
            with report_os_errors(self.path):
                os.fsync(self._handle)

    def read(self, byte_range: ByteRange) -> bytes:
        """A piece that was added."""
        if self._handle is None:
            raise OutputError(f"{self.path}: cannot be read: it was not begun")
        with report_os_errors(self.path), open(self._handle, "rb", buffering=0, closefd=False) as file:
            file.seek(byte_range.start)
            return b"".join(iter(lambda: file.read(byte_range.start + byte_range.size - file.tell()), b""))

    def reopen(self) -> IO[bytes]:
        """The same file, to read; it is there also when this one is closed."""
        if self._handle is None:
            raise OutputError(f"{self.path}: cannot be read: it was not begun")
        return os.fdopen(os.dup(self._handle), "rb")

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        if self._draft is not None:
            self._draft.unlink(missing_ok=True)
            self._draft = None

    def remove(self) -> None:
        self.close()
        with report_os_errors(self.path):
            if self._path is not None:
                self._path.unlink(missing_ok=True)


def pieces(content: bytes, title: bytes) -> Iterator[bytes]:
    """The pieces of such a file. Raises DamagedError where one is damaged that others follow."""
    lines = content.removeprefix(title + b"\n").split(b"\n")
    for number, line in enumerate(lines):
        piece = line[_CHECKSUM + 1 :]
        if line[: _CHECKSUM + 1] == _checksum(piece):
            yield piece
        elif number < len(lines) - 2:  # after the last one nothing stands
            raise DamagedError


def pieces_in(file: IO[bytes], title: bytes) -> Iterator[tuple[ByteRange, bytes]]:
    """The same with their places, one after the other: of a file of any size none but the last is in memory."""
    file.seek(0)
    if file.readline(len(title) + 1) != title + b"\n":
        raise DamagedError
    offset, sound = len(title) + 1, True
    for line in file:
        if not sound:
            if line.endswith(b"\n"):
                raise DamagedError
            return
        piece = line[_CHECKSUM + 1 :].removesuffix(b"\n")
        sound = line[: _CHECKSUM + 1] == _checksum(piece)
        if sound:
            yield ByteRange(offset + _CHECKSUM + 1, len(piece)), piece
        offset += len(line)


def _new_file(folder: Path) -> tuple[int, Path | None]:
    """A new private file, open and locked; without a name where the system has such files."""
    if hasattr(os, "O_TMPFILE"):
        with suppress(OSError):
            handle = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_APPEND, 0o600)
            if Path(f"/proc/self/fd/{handle}").exists():
                _lock(handle)
                return handle, None
            os.close(handle)
    while True:
        name = new_name(folder)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(name, flags, 0o600)
        _lock(handle)
        if os.path.lexists(name):  # nobody took it for a killed program's before it was locked
            return handle, name
        os.close(handle)


def _lock(handle: int) -> None:
    if sys.platform != "win32":
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sound_content(content: bytes, title: bytes) -> bytes:
    """The file without what was left half written at its end."""
    head = title + b"\n"
    if head.startswith(content):
        return head
    if not content.startswith(head):
        raise DamagedError
    sound = head + b"".join(map(_line, pieces(content, title)))
    if not (content.startswith(sound) or sound == content + b"\n"):
        raise DamagedError
    return sound


def _repair_end(handle: int, content: bytes, sound: bytes) -> None:
    if sound.startswith(content):
        os.write(handle, sound[len(content) :])
    else:
        os.ftruncate(handle, len(sound))


def _lock_alone(handle: int, path: Path) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(f"{path}: another program is writing it; wait for it, or choose another name") from None
    except OSError:  # a file system without locks
        return


def is_written(path: Path) -> bool:
    """Whether a living program writes the file."""
    if sys.platform == "win32":
        return False
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def _line(piece: bytes) -> bytes:
    return _checksum(piece) + piece + b"\n"


def _checksum(piece: bytes) -> bytes:
    return f"{zlib.crc32(piece):0{_CHECKSUM}x} ".encode()
