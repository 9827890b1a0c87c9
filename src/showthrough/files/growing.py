"""A private file that grows piece by piece: a piece is in it as a whole or counts as not there, whatever comes between.

Every piece is a line with its checksum before it. What a kill or a full disk left half written is the end of the file,
and is told from a piece by that.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from showthrough.errors import OutputError
from showthrough.files.writing import put, remove_unfinished, told

if sys.platform != "win32":
    import fcntl

_CHECKSUM = 8  # hexadecimal digits


class DamagedError(Exception):
    """A piece that others follow is not as it was written."""


class GrowingFile:
    """The writer of such a file. It is locked as long as it is written, so that nobody else begins it anew."""

    def __init__(self, path: Path, title: bytes) -> None:
        self.path = path
        self._title = title
        self._handle: int | None = None

    @property
    def begun(self) -> bool:
        """Whether what was added is there: nobody removed the file or put another in its place."""
        if self._handle is None:
            return False
        with suppress(OSError):
            ours, there = os.fstat(self._handle), self.path.stat()
            return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)
        return False

    def begin(self, *pieces: bytes) -> None:
        """A new file in the place of the old one, with the first pieces in it."""
        with told(self.path):
            self.close()
            remove_unfinished(self.path.parent)
            put(self.path, self._title + b"\n" + b"".join(map(_line, pieces)))
            self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
            if sys.platform != "win32":
                with suppress(OSError):  # a file system without locks
                    fcntl.flock(self._handle, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def go_on(self) -> list[bytes]:
        """The pieces of the file, which is made where there is none; what a kill left at its end is gone.

        Raises DamagedError where it is no such file, or damaged: it is then as it was.
        """
        with told(self.path):
            self.close()
            binary = getattr(os, "O_BINARY", 0)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | binary, 0o600)
            try:
                _lock_alone(handle, self.path)
                with open(handle, "rb", closefd=False) as file:
                    content = file.read()
                kept = _begun(content, self._title)
                found = list(pieces(kept, self._title))
                _mend(handle, content, kept)
            except BaseException:
                os.close(handle)
                raise
            self._handle = handle
            return found

    def add(self, piece: bytes) -> None:
        """One more piece, on disk when this returns; where it cannot be written the file is as it was."""
        if self._handle is None:
            raise OutputError(f"{self.path}: cannot be written: it was not begun")
        with told(self.path):
            before = os.fstat(self._handle).st_size
            try:
                rest = memoryview(_line(piece))
                while rest:
                    rest = rest[os.write(self._handle, rest) :]
                os.fsync(self._handle)
            except BaseException:
                os.ftruncate(self._handle, before)
                raise

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def remove(self) -> None:
        self.close()
        with told(self.path):
            self.path.unlink(missing_ok=True)


def pieces(content: bytes, title: bytes) -> Iterator[bytes]:
    """The pieces of such a file. Raises DamagedError where one is damaged that others follow."""
    lines = content.removeprefix(title + b"\n").split(b"\n")
    for number, line in enumerate(lines):
        piece = line[_CHECKSUM + 1 :]
        if line[: _CHECKSUM + 1] == _checksum(piece):
            yield piece
        elif number < len(lines) - 2:  # after the last one nothing stands
            raise DamagedError


def _begun(content: bytes, title: bytes) -> bytes:
    """The file without what was left half written at its end."""
    head = title + b"\n"
    if head.startswith(content):
        return head
    if not content.startswith(head):
        raise DamagedError
    kept = head + b"".join(map(_line, pieces(content, title)))
    if not (content.startswith(kept) or kept == content + b"\n"):
        raise DamagedError
    return kept


def _mend(handle: int, content: bytes, kept: bytes) -> None:
    if kept.startswith(content):
        os.write(handle, kept[len(content) :])
    else:
        os.ftruncate(handle, len(kept))


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
