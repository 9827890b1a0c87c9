"""Files that commands write: faults are found before the work, and files are written whole."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import typer
from rich.console import Console

from showthrough.cli.consoles import notes, print_plain
from showthrough.cli.signals import BAD_INPUT, unbroken
from showthrough.core.errors import OutputError
from showthrough.formats import FORMATS
from showthrough.run.run import Run
from showthrough.storage.paths import Remote, as_path, is_pattern
from showthrough.storage.reading import is_folder, suffix
from showthrough.storage.writing import ProtectedFiles, check_writable, refuse_elsewhere, write_file

# What is said of a run file with texts.
HOLDS = " (holds the documents' text, for its owner alone; --without-text leaves it out)"


class Results:
    """What a command writes. If one file cannot be written, the others still are, and an error follows at the end."""

    def __init__(self, force: bool) -> None:
        self._force = force
        self.lines: list[str] = []  # what was written
        self._faults: list[str] = []

    @contextmanager
    def record_line(self, line: str) -> Iterator[None]:
        try:
            yield
            self.lines.append(line)
        except OutputError as error:
            self._faults.append(str(error))

    def write(self, path: Path, text: str | bytes, *, private: bool = False, line: str = "") -> None:
        content = text.encode() if isinstance(text, str) else text
        with self.record_line(line or f"written to {path}"):
            write_file(path, content, force=self._force, private=private)

    def save(self, run: Run, path: Path, remark: str = "") -> None:
        """Writes a run, whatever signal comes meanwhile: it is all that hours of work gave."""
        with unbroken(), self.record_line(f"run written to {path}{remark}"):
            run.save(path, force=self._force)

    def tell(self, console: Console) -> None:
        """Says what was written; ends the command where something was not."""
        print_plain(self.lines, console)
        print_plain(self._faults, notes())
        if self._faults:
            raise typer.Exit(BAD_INPUT)


def inputs(paths: Iterable[Path | None], names: Iterable[object] = ()) -> ProtectedFiles:
    """What a command reads: files, those that patterns mean, the documents in folders, and what the names of models and
    word lists lead to. What is read elsewhere nobody writes.
    """
    named = [path for path in filter(None, paths) if not isinstance(as_path(path), Remote)]
    patterns = [path for path in named if is_pattern(path)]
    files = [path for path in named if path not in patterns]
    files += [Path(match) for pattern in patterns for match in glob.glob(str(pattern), recursive=True)]  # noqa: PTH207
    inside = [file for path in files for file in _files_in(path)]
    endings = _document_endings(set(map(suffix, inside))) if inside else set()
    read = [*files, *(file for file in inside if suffix(file) in endings)]
    for name in filter(None, names):
        for path in _on_disk(str(name)):
            read += [path, *_files_in(path)]
    return ProtectedFiles(read, filter(is_folder, files), endings, map(str, patterns))


def _document_endings(present: set[str]) -> set[str]:
    """Endings of files that are read as documents of a folder with files of these endings.

    A run.json beside texts becomes no document; among answers in .json it would.
    """
    formats = [file_format for file_format in FORMATS.sound().values() if file_format.in_folders]
    return {ending for candidate in formats if present & set(candidate.endings) for ending in candidate.endings}


def _files_in(path: Path) -> list[Path]:
    """Those in a folder and in the folders in it. Faults of files that may not be looked at show when they are read."""
    return [Path(home) / name for home, _, files in os.walk(path) for name in files] if is_folder(path) else []


def _on_disk(name: str) -> Iterator[Path]:
    """Files and folders that a parameter may mean: `words.txt@1a2b3c4d`, `spacy:./en`, `dense(embedding="./m")`."""
    texts = name, name.partition(":")[2], name.rpartition("@")[0], *re.findall(r'"([^"]*)"', name)
    for text in dict.fromkeys(texts):
        with suppress(OSError, ValueError):  # no path at all
            path = Path(text)
            if path.is_file() or (path.is_dir() and len(path.parts) > 1):  # a lone word means a folder by chance
                yield path


def check_file(path: Path | None, force: bool, *, makes_folder: bool = False) -> None:
    """Raises OutputError when a file could not be written at the end; better now than after the work."""
    if path is None:
        return
    refuse_elsewhere(path)
    try:
        if path.is_dir():
            raise OutputError(f"{path}: is a folder; expected a file name")
        if path.is_file() and not force:
            raise OutputError(f"{path}: exists already; choose another name, or replace it with --force")
        home = Path(os.path.realpath(path)).parent  # of what a link points to
        folder = next(parent for parent in path.parents if parent.exists()) if makes_folder else home
        if not folder.is_dir():
            shown = folder if makes_folder or path.is_symlink() else path.parent
            raise OutputError(f"{path}: the folder {shown} {'is a file' if makes_folder else 'does not exist'}")
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error
    check_writable(path)


def check_folder(path: Path | None) -> None:
    """Raises OutputError when a folder could not be made or written into at the end."""
    if path is None:
        return
    if path.is_dir():
        check_writable(path)
        return
    if path.exists():
        raise OutputError(f"{path}: is a file; expected the name of a folder")
    check_file(path, False, makes_folder=True)


def check_distinct(outputs: Iterable[Path | None], read: ProtectedFiles) -> None:
    """Raises OutputError when two results would go into one file, or a result over what it is made from."""
    used: set[str] = set()
    for path in filter(None, outputs):
        if path in read:
            raise OutputError(f"{path}: is read by this command, or would be the next time; choose another name")
        real = str(path) if "\0" in str(path) else os.path.realpath(path)
        if real in used:
            raise OutputError(f"{path}: is named for two results; choose another name")
        used.add(real)
