"""Several files that are one corpus or one anonymization, named by a pattern or a list."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from showthrough.core.errors import InputError, Problem, join_names
from showthrough.core.patterns import lazy_pattern
from showthrough.storage.paths import Remote, as_path, expand_pattern, is_pattern
from showthrough.storage.reading import fail, is_folder, reading, stem, suffix

_STARS = lazy_pattern(r"\[[^]]*\]|[*?]+")
_DIGITS = lazy_pattern(r"\d+")
_BETWEEN = "-_. "  # what stands between a name and a number


class Shards(os.PathLike[str]):
    """The files, in the order of their names or as they were listed, and what all of them are called together."""

    def __init__(self, paths: Iterable[Path], pattern: Path) -> None:
        self.paths = tuple(paths)
        self.pattern = pattern
        if twice := sorted({str(path) for path in self.paths if self.paths.count(path) > 1}):
            raise InputError(Problem(str(pattern), "", f"{join_names(twice)} is named twice; expected each file once"))

    @classmethod
    def from_paths(cls, paths: Iterable[str | os.PathLike[str]]) -> Shards:
        """Files by name, each of which may be a pattern itself."""
        files: list[Path] = []
        for path in paths:
            shards = shards_of(path)
            files += [as_path(path)] if shards is None else shards.paths
        if not files:
            raise InputError(Problem("", "", "found an empty list; expected files"))
        return cls(files, _common_pattern(files))

    def __fspath__(self) -> str:
        return str(self.pattern)

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def name(self) -> str:
        return name_of(self.pattern)


def name_of(path: Path) -> str:
    """What a file is called without its endings, or what several are: a pattern without its stars, or its folder.

    >>> [name_of(Path(path)) for path in ("notes/a.jsonl", "notes/corpus-*.jsonl.zst", "notes/*.parquet")]
    ['a', 'corpus', 'notes']
    """
    if not _STARS.search(path.name):
        return stem(path)
    named = (_STARS.sub("", part).strip(_BETWEEN) for part in (stem(path), *path.parts[-2:-1]))
    return next(filter(None, named), "corpus")


def shards_of(path: str | os.PathLike[str]) -> Shards | None:
    """The files that a pattern goes with; `None` for the name of one file or folder."""
    if isinstance(path, Shards):
        return path
    location = as_path(path)
    with reading(location):
        if not is_pattern(location):
            return None
    return Shards(_all_files(expand_pattern(location)), location)


def _all_files(paths: list[Path]) -> list[Path]:
    if folders := [path for path in paths if not isinstance(path, Remote) and is_folder(path)]:
        raise fail(folders[0], "is a folder; expected a file for each part")
    return paths


def _common_pattern(paths: list[Path]) -> Path:
    """A pattern that several names go with: what they begin and end with, and a star between.

    >>> _common_pattern([Path("c/part-01.json"), Path("c/part-02.json")]).as_posix()
    'c/part-*.json'
    """
    if len(paths) == 1:
        return paths[0]
    names = [str(path) for path in paths]
    start = os.path.commonprefix(names)  # noqa: RUF071 (of any texts)
    rest = [name[len(start) :] for name in names]
    end = os.path.commonprefix([name[::-1] for name in rest])[::-1]  # noqa: RUF071
    return as_path(f"{start.rstrip('0123456789')}*{end.lstrip('0123456789')}")


def numbered_alike(first: Path, other: Path) -> bool:
    """Whether two names of files differ in digits alone, as parts of one corpus do.

    >>> numbered_alike(Path("c/part-01.json"), Path("c/part-12.json")), numbered_alike(Path("c.json"), Path("d.json"))
    (True, False)
    """
    bare = [_DIGITS.sub("0", str(path)) for path in (first, other)]
    return first != other and bare[0] == bare[1] and suffix(first) == suffix(other)
