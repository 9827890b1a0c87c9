"""The folder that a second reader is given: copies, sheets, and a record by which they are known again."""

from __future__ import annotations

import hashlib
import os
from collections import ChainMap
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from showthrough.core.errors import OutputError, PlanError, join_names, quote_value
from showthrough.core.expected import expects
from showthrough.data.documents import Corpus
from showthrough.storage.reading import files_in
from showthrough.storage.writing import ProtectedFiles, write_folder
from showthrough.studies.review._columns import FINDINGS, SHEET, questions, table
from showthrough.studies.review.assignment import COPIES, MARKED, Assignment, assign_documents
from showthrough.studies.review.copies import REPLACES, Replace, Style, layer_of, marked_copy, review_copy

SHEET_FILE, FINDINGS_FILE, QUESTIONS_FILE, RECORD_FILE = "sheet.csv", "findings.csv", "questions.md", "review.json"
_CONSONANTS = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")


class ReviewRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was handed out. Nothing in it is made of what is hidden: of a digest of it, a name could be guessed."""

    annotator: str
    replace: Replace
    copies: dict[str, str]  # digests by file


def copy_digest(content: bytes) -> str:
    """Changes whenever a copy does; in consonants, which by no chance spell a year or a name."""
    return hashlib.blake2b(content, digest_size=16).hexdigest().translate(_CONSONANTS)


class ReviewCopies(Mapping[str, bytes]):
    """All files of the folder by name, made when they are asked for: copies of any number of documents fit."""

    def __init__(self, corpus: Corpus, assignment: Assignment, replace: Replace, opened: bool) -> None:
        self.assignment = assignment
        self.replace = replace
        self._corpus = corpus
        self._opened = opened
        self._numbers = {assignment.files[number]: number for number in assignment.numbers}
        self._digests: dict[str, str] = {}

    def __iter__(self) -> Iterator[str]:
        yield from self._numbers
        if self._opened:
            yield from (f"{MARKED}{name.removeprefix(COPIES)}" for name in self._numbers)
        yield from (SHEET_FILE, FINDINGS_FILE, QUESTIONS_FILE, RECORD_FILE)

    def __len__(self) -> int:
        return len(self._numbers) * (1 + self._opened) + 4

    def __getitem__(self, name: str) -> bytes:
        if name in self._numbers:
            content = copy_of(self._corpus, self._numbers[name], self.assignment.annotator, self.replace)
            self._digests[name] = copy_digest(content)
            return content
        if self._opened and name.startswith(f"{MARKED}/"):
            document = self._corpus.documents[self._numbers[f"{COPIES}{name.removeprefix(MARKED)}"]]
            return marked_copy(document.text, layer_of(document, self.assignment.annotator) or ()).encode()
        if name == SHEET_FILE:
            return table(SHEET, self._rows())
        if name == FINDINGS_FILE:
            return table(FINDINGS)
        if name == QUESTIONS_FILE:
            return questions(self.replace, self._opened).encode()
        if name == RECORD_FILE:
            return self._record()
        raise KeyError(name)

    def _rows(self) -> Iterator[tuple[str, ...]]:
        left = ("",) * (len(SHEET) - 3)
        for file, number in self._numbers.items():
            yield self.assignment.names[number], file, self.assignment.annotator, *left

    def _record(self) -> bytes:
        for name in self._numbers.keys() - self._digests.keys():
            _ = self[name]
        copies = {name: self._digests[name] for name in self._numbers}
        return msgspec.json.format(msgspec.json.encode(ReviewRecord(self.assignment.annotator, self.replace, copies)))

    def pieces(self, style: Style) -> Iterator[tuple[str, str]]:
        """The copies by document, written in another style."""
        for number in self._numbers.values():
            document = self._corpus.documents[number]
            marks = layer_of(document, self.assignment.annotator) or ()
            yield self.assignment.names[number], review_copy(document.text, marks, self.replace, style)

    def write(
        self,
        folder: str | os.PathLike[str],
        beside: Mapping[str, bytes] | None = None,
        *,
        force: bool = False,
        read: ProtectedFiles | None = None,
    ) -> list[Path]:
        """Writes them, and what is to be `beside` them, all or none, for their owner alone.

        A folder with other files in it is refused also with `force`: one of them might tell what is hidden.
        """
        folder, files = Path(folder), ChainMap(dict(beside or {}), self)  # type: ignore[arg-type]
        check_new(folder, force)
        if folder.is_dir() and (foreign := sorted(_list_files(folder) - set(files))):
            raise OutputError(f"{folder}: has other files in it ({join_names(foreign)}); choose another folder")
        return write_folder(folder, files, read=read)


def check_new(folder: Path, force: bool) -> None:
    """Raises OutputError for a folder with something in it, unless that may be replaced."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; expected the name of a folder")
    if folder.is_dir() and not force and _list_files(folder):
        raise OutputError(f"{folder}: is not empty; choose another folder, or replace what is in it with --force")


def _list_files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in files_in(folder) if not path.is_dir()}


def copy_of(corpus: Corpus, number: int, annotator: str, replace: Replace) -> bytes:
    """The copy of a document."""
    document = corpus.documents[number]
    return review_copy(document.text, layer_of(document, annotator) or (), replace).encode()


@expects(corpus=Corpus)
def review_copies(
    corpus: Corpus,
    annotator: str | None = None,
    *,
    replace: Replace = "stars",
    opened: bool = False,
    sample: int | None = None,
    seed: int = 0,
) -> ReviewCopies:
    """Copies for a second reader with what an annotator marked hidden, and sheets to fill in: `.write("review")`.

    `replace` says what replaces hidden words: `stars` (`*****`), `label` (`[PERSON]`) or `number` (`[PERSON_1]`, by
    entity). `opened` adds copies with the marks shown. `sample` takes so many documents by chance.

    >>> from showthrough.data.documents import Annotation, Document, Mention
    >>> doe = Annotation("ann", (Mention(3, 6, "PERSON", "DIRECT"),))
    >>> review_copies(Corpus([Document("a", "Mr Doe left.", (doe,))]))["copies/a.txt"].decode()
    'Mr ***** left.'
    """
    if replace not in REPLACES:
        raise PlanError(f"found {quote_value(replace)}; expected {', '.join(REPLACES)}", "replace")
    return ReviewCopies(corpus, assign_documents(corpus, annotator, sample, seed), replace, opened)
