"""How much of a file is read: a packed file of a few megabytes may unpack to more than any memory holds.

Only files are read: a pipe or a device has no end that could be known beforehand. What is read as a whole, and what a
.gz or .zst file unpacks to, may have a gigabyte; one record, a line of JSON Lines or a document, 64 megabytes. JSON
Lines that is not packed is read line by line and may be of any size; Parquet is read in groups of rows, and may have
more where its file is not too small for that. Who has more says so in the environment.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import msgspec

from showthrough.core.errors import InputError, Problem, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.storage.compression import DENSEST, compression_of, open_unpacked

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = lazy_pattern(r"(\d{1,12}) ?([kmgt]?)b?", re.IGNORECASE)
_BLOCK = 1 << 20


class Limit(msgspec.Struct, frozen=True):
    """A size that the environment may set, and what it is the size of."""

    variable: str
    usual: int

    @property
    def bytes(self) -> int:
        setting = os.environ.get(self.variable, "").strip()
        if not setting:
            return self.usual
        size = _SIZE.fullmatch(setting)
        if size is None or not int(size[1]):
            raise InputError(
                Problem(self.variable, "", f"found {shorten(setting)}; expected a size such as 4G or 500M")
            )
        return int(size[1]) * _UNITS[size[2].lower()]

    def exceeded_error(self, path: Path | str, subject: str, location: str = "") -> InputError:
        """The error of one that is larger."""
        most = self.bytes
        twice = in_words(2 * most).replace(" ", "").removesuffix("B")
        fault = f"{subject} more than {in_words(most)}; raise the limit if that is right: {self.variable}={twice}"
        return InputError(Problem(str(path), location, fault))


FILE = Limit("SHOWTHROUGH_LIMIT", 10**9)
RECORD = Limit("SHOWTHROUGH_RECORD_LIMIT", 64 * 10**6)


def in_words(size: int) -> str:
    """
    >>> in_words(64_000_000), in_words(1_500), in_words(12)
    ('64 MB', '1500 B', '12 B')
    """
    unit = next(unit for unit in ("t", "g", "m", "k", "") if size % _UNITS[unit] == 0 and size >= _UNITS[unit])
    return f"{size // _UNITS[unit]} {unit.upper()}B"


def check_regular(path: Path) -> None:
    """Raises InputError for what is there and is no file: opening a pipe that nobody writes into would never end."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return  # opening it will tell
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(Problem(str(path), "", "is a pipe or a device; expected a file"))


def check_size(path: Path, limit: Limit) -> None:
    """Raises InputError for a file that has more than may be read of it, before anything of it is kept.

    How much a packed file has is known only when it is unpacked; what it says of itself may be wrong. One so small that
    it cannot have too much is not looked at.
    """
    size, most = path.stat().st_size, limit.bytes
    packed = compression_of(path)
    if not packed:
        if size > most:
            raise limit.exceeded_error(path, "has")
        return
    if size * DENSEST[packed] <= most:
        return
    with open_unpacked(path, lambda: path.open("rb")) as file:
        passed = 0
        while block := file.read(_BLOCK):
            passed += len(block)
            if passed > most:
                raise limit.exceeded_error(path, "unpacks to")
