"""A private working folder, which is removed when nobody refers to one of its files any more."""

from __future__ import annotations

import os
import shutil
import sys
import weakref
from pathlib import Path

from showthrough.storage.writing import new_name, remove_unfinished

if sys.platform != "win32":
    import fcntl


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
        weakref.finalize(self, _remove, self.path, handle)
        self._count = 0

    def new(self) -> Path:
        """The name of a new file in it."""
        self._count += 1
        return self.path / f"{self._count:06}"


def _remove(path: Path, handle: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if handle is not None:
        os.close(handle)
