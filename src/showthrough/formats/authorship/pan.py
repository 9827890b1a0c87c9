"""PAN's problems of author verification, 2011 to 2016: a folder each with `known01.txt` and on, and `unknown.txt`.

Whether one author wrote all of them is in `truth.txt` beside the folders, or in one in each; PAN 2020's JSON is read as
well. Nowhere means that nobody said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from showthrough.core.errors import InputError, Problem, at_document, join_names, shorten
from showthrough.data.documents import Authorship, Document
from showthrough.formats.authorship.pan_folders import (
    KNOWN,
    MARK,
    UNKNOWN,
    Homes,
    check_all_judged,
    homes_in,
    is_known_text,
    problem_of,
    text_in,
    too_short,
    twice,
)
from showthrough.formats.authorship.verifier_answers import OBJECTS, read_truth, truth_of
from showthrough.formats.base import ASKED, Files, Fit, Format, Input, unwritable
from showthrough.formats.texts import is_hidden
from showthrough.storage.compression import compression_of
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import fail, files_in, stem, suffix

_TRUTH = "truth"
_TRUTHS = tuple(f"{_TRUTH}{ending}" for ending in (".txt", ".jsonl", ".json"))


def _is_problem(name: str) -> bool:
    return name == UNKNOWN or is_known_text(name)


def read(file: Input) -> list[Document]:
    """All problems of a folder and of the folders in it."""
    path = file.path
    homes = homes_in(file, _is_problem)
    if not homes:
        raise fail(path, f"holds no problem; expected folders with {KNOWN}01.txt and on, and {UNKNOWN}")
    truths = _Truths(path, homes)
    problems = [*twice(homes, path), *_find_empty_folders(path, homes), *truths.problems]
    documents = []
    for home, files in homes.items():
        name = problem_of(home)
        texts = _Texts(name)
        known_texts = [texts.read(files[file_name]) for file_name in sorted(filter(is_known_text, files))]
        if not known_texts:
            texts.fault(home, f"has no known text; expected {KNOWN}01.txt and on beside {UNKNOWN}")
        if UNKNOWN not in files:
            texts.fault(home, f"{UNKNOWN} is missing; expected it beside the known texts")
        else:
            text = texts.read(files[UNKNOWN])
            documents.append(Document(name, text, authorship=Authorship(tuple(known_texts), truths.same.get(name))))
        problems += texts.problems
    if problems:
        raise InputError(problems)
    file.remarks.others += _note_other_texts(path, homes)
    return documents


class _Texts:
    """The texts of one problem, and all that is wrong with them."""

    def __init__(self, name: str) -> None:
        self.problems: list[Problem] = []
        self._place = at_document(name)

    def fault(self, path: Path, message: str) -> None:
        self.problems.append(Problem(str(path), self._place, message))

    def read(self, path: Path) -> str:
        try:
            text = text_in(path)
        except InputError as error:
            for problem in error.problems:
                self.fault(path, problem.message)
            return ""
        if fault := too_short(text):
            self.fault(path, fault)
        return text


class _Truths:
    """Which problems one author wrote, from all files that say so, and what is wrong with what they say."""

    def __init__(self, path: Path, homes: Homes) -> None:
        self.problems: list[Problem] = []
        self.same: dict[str, bool] = {}
        self._sources: dict[str, Path] = {}
        names = set(map(problem_of, homes))
        files = [item for item in files_in(path) if not is_hidden(item, path) and _names_truth(item)]
        readable = bool(files)
        for item in files:
            try:
                for name, same in self._read_truth_file(item, homes).items():
                    self._take(item, name, same, names)
            except InputError as error:  # of what it says of others nobody knows
                self.problems += error.problems
                readable = False
        if readable:
            source = files[0] if len(files) == 1 else path
            lacking = "is a problem here, and no truth is said of it; expected Y or N, as of the others"
            self.problems += [
                Problem(str(source), at_document(item), lacking) for item in sorted(names - self.same.keys())
            ]

    def _read_truth_file(self, file: Path, homes: Homes) -> dict[str, bool]:
        """What a file says, by problem; one in a problem's own folder may have the letter alone."""
        words = text_in(file).split() if file.parent in homes else []
        if len(words) != 1:
            return read_truth(file)
        name = problem_of(file.parent)
        try:
            return {name: truth_of(words[0])}
        except ValueError as error:
            raise fail(file, str(error), at_document(name)) from None

    def _take(self, file: Path, name: str, same: bool, names: set[str]) -> None:
        fault = ""
        if name not in names:
            fault = "is no problem here; expected the name of a folder with its texts"
        elif self.same.get(name, same) != same:
            fault = (
                f"found {'NY'[same]}, and {shorten(str(self._sources[name]))} says {'NY'[not same]}; expected one truth"
            )
        if fault:
            self.problems.append(Problem(str(file), at_document(name), fault))
        self.same[name], self._sources[name] = same, file


def _names_truth(path: Path) -> bool:
    name = (path.with_suffix("") if compression_of(path) else path).name
    return name in _TRUTHS and not path.is_dir()


def _find_empty_folders(path: Path, homes: Homes) -> Iterator[Problem]:
    """Folders beside problems with nothing in them: something was lost there."""
    for home_parent in sorted({home.parent for home in homes if home != path}):
        for folder in sorted(home_parent.iterdir()):
            if folder.is_dir() and not folder.name.startswith(".") and not any(folder.iterdir()):
                fault = f"is an empty folder; expected {KNOWN}01.txt and on, and {UNKNOWN}"
                yield Problem(str(folder), at_document(folder.name), fault)


def _note_other_texts(path: Path, homes: Homes) -> list[str]:
    """That there are texts which are no part of a problem, where there are."""
    used = {file for files in homes.values() for name, file in files.items() if _is_problem(name)}
    other_texts = [
        file.relative_to(path).as_posix()
        for file in files_in(path)
        if suffix(file) == ".txt" and file not in used and not _names_truth(file) and not file.is_dir()
    ]
    return [f"texts that are no part of a problem were not read: {join_names(other_texts)}"] if other_texts else []


_LINE = re.compile(r"[^/\r\n]+")


def write(documents: Iterable[Document]) -> Files:
    """The folders, and `truth.txt` with a line for each problem of which it was said."""
    files: Files = {}
    truth: list[str] = []
    count = 0
    for document in documents:
        authorship = document.authorship
        if authorship is None or not authorship.known:
            raise unwritable(document, "has no known texts of an author; PAN's problems have one at least")
        _check_name(document)
        width = max(2, len(str(len(authorship.known))))
        for number, text in enumerate(authorship.known, 1):
            files[f"{document.id}/{KNOWN}{number:0{width}}.txt"] = _encode_text(text)
        files[f"{document.id}/{UNKNOWN}"] = _encode_text(document.text)
        if authorship.same is not None:
            truth.append(f"{document.id} {'NY'[authorship.same]}\n")
        count += 1
    check_all_judged(len(truth), count)
    return files | ({f"{_TRUTH}.txt": "".join(truth).encode()} if truth else {})


def _check_name(document: Document) -> None:
    """Raises OutputError for an id that is no name of a folder, or none that a line of truth can have."""
    name = document.id
    line = name == name.strip() and _LINE.fullmatch(name) and not name.startswith(MARK)
    if not line or OBJECTS.match(name.encode()) or name in _TRUTHS:
        raise unwritable(document, "this id cannot be the name of a problem's folder")


def _encode_text(text: str) -> bytes:
    return (f"{MARK}{text}" if text.startswith(MARK) else text).encode()  # one is taken for the file's


def _recognise(head: Head) -> Fit:
    """Sure by a folder that has both kinds of texts; or one kind, and a truth above it."""
    if not head.folder:
        return Fit.NO
    files = [file for file in head.files((".txt",)) if not is_hidden(file, head.path)]
    known_folders = {file.parent for file in files if is_known_text(f"{stem(file)}.txt")}
    unknown = {file.parent for file in files if stem(file) == stem(Path(UNKNOWN))}
    judged = (known_folders or unknown) and any(stem(file) == _TRUTH for file in files)
    return Fit.SURE if known_folders & unknown or judged else Fit.NO


FORMAT = Format(
    "PAN's problems of author verification: a folder each with known*.txt and unknown.txt; truth.txt",
    (".txt",),
    _recognise,
    read,
    write=write,
    in_folders=True,
    nested=True,
    aside=(".json", ".jsonl"),  # what PAN says of its corpora, and truths
    shows=ASKED,
)
