"""Part of a file that is read a few bytes at a time, after a digest has shown that it is undamaged."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from showthrough.core.errors import InputError, Problem

_BLOCK = 1 << 20


def digest_of(blocks: Iterable[bytes]) -> str:
    total = hashlib.blake2b(digest_size=16)
    for block in blocks:
        total.update(block)
    return total.hexdigest()


class FileSlice:
    """A file, or so many bytes of one from `start` on, with the digest of what was written there."""

    def __init__(
        self, path: Path, size: int, digest: str, start: int = 0, name: str = "", keeper: object = None
    ) -> None:
        self.path, self.size, self.digest, self.start = path, size, digest, start
        self.name = name or str(path)  # for messages
        self._keeper = keeper  # as long as that is there, so is the file
        self._sound = False

    @classmethod
    def from_file(cls, path: Path, keeper: object = None) -> FileSlice:
        """A file that was just written: its digest is made now, and believed."""
        file_slice = cls(path, path.stat().st_size, "", keeper=keeper)
        with file_slice._open() as file:
            file_slice.digest = digest_of(_blocks(file, file_slice.size))
        file_slice._sound = True
        return file_slice

    @contextmanager
    def open(self, *, check: bool = True) -> Iterator[BinaryIO]:
        """The file, open at its first byte of these; raises InputError where it is not what was written."""
        with self._open() as file:
            if check and not self._sound:
                if digest_of(_blocks(file, self.size)) != self.digest:
                    raise InputError(Problem(self.name, "", "is not as it was written with its run; evaluate again"))
                self._sound = True
                file.seek(self.start)
            yield file

    def read(self, start: int = 0, size: int | None = None) -> bytes:
        with self.open() as file:
            file.seek(self.start + start)
            return file.read(self.size - start if size is None else size)

    def copy_to(self, path: Path) -> FileSlice:
        """The same in a new file: of a program's own file another name where the system has that, else a copy."""
        self.read(0, 0)
        if self._keeper is not None:
            try:
                os.link(self.path, path)
                with path.open("rb") as file:
                    os.fsync(file.fileno())
                return self._with_path(path)
            except OSError:  # another disk, or a file system without links
                pass
        with self.open() as file, path.open("xb") as copy:
            path.chmod(0o600)
            for block in _blocks(file, self.size):
                copy.write(block)
            copy.flush()
            os.fsync(copy.fileno())
        return self._with_path(path)

    def _with_path(self, path: Path) -> FileSlice:
        file_slice = FileSlice(path, self.size, self.digest)
        file_slice._sound = True
        return file_slice

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise InputError(Problem(self.name, "", f"cannot be read: {error.strerror}")) from error
        with file:
            file.seek(self.start)
            yield file


def _blocks(file: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0 and (block := file.read(min(size, _BLOCK))):
        size -= len(block)
        yield block
