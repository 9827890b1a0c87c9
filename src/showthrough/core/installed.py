"""What is installed beside this package, by the folders that packages have for it.

`importlib.metadata` knows the same. But importing it takes some milliseconds, it reads the files of all packages for
each question, and it parses a whole description for a version that is in the name of a folder.
"""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path

from showthrough.core.patterns import lazy_pattern

_ENDINGS = (".dist-info", ".egg-info")
_SIGNS = lazy_pattern(r"[-_.]+")
_VERSION = lazy_pattern(r"[^-]+-([^-]+)\.dist-info", re.IGNORECASE)


Stamps = tuple[tuple[str, int], ...]


def version_of(package: str) -> str | None:
    """The version of a package; `None` where it is not installed."""
    folders = _list_folders(_stamp_path())
    if folders is not None:
        if (folder := folders.get(_plain(package))) is None:
            return None
        if named := _VERSION.fullmatch(folder.name):
            return named[1]
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def is_any_declared(prefix: str) -> bool:
    """Whether some package may declare entry points in a group that begins so; True where folders do not tell."""
    declarations = _read_declarations(_stamp_path())
    return declarations is None or any(f"[{prefix}".encode() in declared for declared in declarations)


def _stamp_path() -> Stamps:
    """The folders in which packages are looked for, and when each was last changed."""
    stamps = []
    for path in dict.fromkeys(sys.path):
        try:
            stamps.append((path, Path(path).stat().st_mtime_ns))
        except OSError:
            continue  # nothing is there
    return tuple(stamps)


@lru_cache(maxsize=1)
def _list_folders(stamps: Stamps) -> dict[str, Path] | None:
    """By a package's name its folder, the first on the path as for imports; `None` where packages may be elsewhere."""
    folders: dict[str, Path] = {}
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    if finders != [PathFinder] or any(path.lower().endswith(".egg") for path, _ in stamps):
        return None
    for path, _ in stamps:
        try:
            with os.scandir(path or ".") as entries:
                names = sorted(entry.name for entry in entries if entry.name.lower().endswith(_ENDINGS))
        except NotADirectoryError:  # an archive
            return None
        except OSError:
            continue
        for name in names:
            folders.setdefault(_plain(name.rpartition(".")[0].partition("-")[0]), Path(path, name))
    return folders


@lru_cache(maxsize=1)
def _read_declarations(stamps: Stamps) -> list[bytes] | None:
    """What packages say of their entry points, as it is there."""
    folders = _list_folders(stamps)
    if folders is None:
        return None
    declared = []
    for folder in folders.values():
        try:
            declared.append((folder / "entry_points.txt").read_bytes())
        except OSError:
            continue
    return declared


def _plain(name: str) -> str:
    """A package's name as names are compared."""
    return _SIGNS.sub("_", name).lower()
