"""PAN's folders: one a problem, which is named after it, wherever below the given one they lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from showthrough.core.errors import OutputError, Problem, at_document, shorten
from showthrough.formats.base import Input
from showthrough.formats.texts import is_hidden
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import fail, files_in, read_bytes, stem, suffix, text_of

UNKNOWN, KNOWN = "unknown.txt", "known"
MARK = "\ufeff"  # a byte-order mark, which PAN's texts begin with, and obfuscated ones have anywhere
_LEAST = 2  # words of a text, below which nothing tells who wrote it

Homes = Mapping[Path, Mapping[str, Path]]  # folders, and the files in each by name, packed or not


def is_known_text(name: str) -> bool:
    return name.startswith(KNOWN) and name.endswith(".txt")


def homes_in(file: Input, telling: Callable[[str], bool]) -> Homes:
    """The folders with a file that tells a problem, in the order of their names; what is hidden is left aside."""
    path = file.path
    if not file.head.folder:
        raise fail(path, "is no folder; expected one with a folder for each problem")
    files_by_folder: dict[Path, dict[str, Path]] = {}
    for file_path in files_in(path):
        if is_hidden(file_path, path) or file_path.is_dir():
            continue
        name = f"{stem(file_path)}{suffix(file_path)}"
        folder_files = files_by_folder.setdefault(file_path.parent, {})
        if name in folder_files:
            raise fail(file_path, f"is there twice, as {shorten(folder_files[name].name)} too; expected one of them")
        folder_files[name] = file_path
    homes = {home: files for home, files in files_by_folder.items() if any(map(telling, files))}
    return dict(sorted(homes.items(), key=lambda item: (problem_of(item[0]), item[0])))


def problem_of(home: Path) -> str:
    """The id of the problem that a folder holds."""
    return home.name or home.resolve().name


def twice(homes: Homes, path: Path) -> list[Problem]:
    """What is wrong with folders of one name: nobody could tell them apart."""
    seen: set[str] = set()
    problems = []
    for name in map(problem_of, homes):
        if name in seen:
            problems.append(Problem(str(path), at_document(name), "two folders have this name; expected unique ids"))
        seen.add(name)
    return problems


def text_in(path: Path) -> str:
    """A text as it stands in a file, its line ends too, without the mark that it may begin with."""
    return text_of(path, read_bytes(path, RECORD))


def too_short(text: str) -> str:
    """What is wrong with a text in which nothing can tell who wrote it; empty where nothing is."""
    words = text.split(maxsplit=_LEAST)
    if len(words) >= _LEAST:
        return ""
    return f"is {'one word' if words else 'empty'}; expected at least {_LEAST} words"


def check_all_judged(judged: int, problems: int) -> None:
    """Raises OutputError where the truth of some problems is known alone: nobody could tell a gap from a loss."""
    if 0 < judged < problems:
        raise OutputError(f"{judged} of {problems} problems have a truth; PAN's files say it of all, or of none")
