"""What a format is: one value that says how files of it are recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from pathlib import Path

from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.masks import Anonymization, Mask
from showthrough.errors import QUOTED, OutputError, at_document, quoted
from showthrough.files.heads import Head
from showthrough.formats.groups import FIELD

Files = dict[str, bytes]  # by name; a format that is one file has one without a name
Masks = Mapping[str, Sequence[Mask]]  # by document id


class Texts(dict[str, str]):
    """Anonymized texts by document id, without offsets: they are aligned to the originals."""


class Fit(IntEnum):
    """Whether a file is of a format."""

    NO = 0
    LIKELY = 1  # its ending allows it, and nothing speaks against it
    SURE = 2  # what it begins with says so


@dataclass(frozen=True)
class Input:
    """A file or folder to read, and what the caller said of it."""

    head: Head
    id_column: str = "doc_id"
    text_column: str = "text"
    group: str = FIELD  # the field or column that names a document's group
    corpus: Corpus | None = None  # that an anonymization belongs to, where it is known

    @property
    def path(self) -> Path:
        return self.head.path

    @cached_property
    def originals(self) -> Mapping[str, str]:
        """The texts of the corpus by id: a system's output may leave them out."""
        return {document.id: document.text for document in self.corpus} if self.corpus is not None else {}


@dataclass(frozen=True)
class Format:
    """A format of corpora, of anonymizations, or of both. What it cannot do is `None`.

    Readers raise InputError with all that is wrong. An anonymization is masks by document id, or `Texts`. Writers give
    the content of files by their names; a format that is one file gives one without a name.
    """

    description: str  # one line
    endings: tuple[str, ...]  # of its files, such as `.json`
    recognise: Callable[[Head], Fit]
    read: Callable[[Input], Sequence[Document]] | None = None  # a corpus
    read_anonymization: Callable[[Input], Masks | Texts] | None = None
    write: Callable[[Iterable[Document]], Files] | None = None  # a corpus
    write_masks: Callable[[Anonymization], Files] | None = None
    in_folders: bool = False  # whether a folder of such files can be read as well
    sample: Mapping[str, str] = field(default_factory=dict)  # by file name; none: what its writer makes of a document


# What a format's example shows.
SAMPLE = Document(
    "case-1",
    "Mr John Doe of Oslo left.",
    (Annotation("annotator1", (Mention(3, 11, "PERSON", "DIRECT", "e1"), Mention(15, 19, "LOC", "QUASI", "e2"))),),
)


def by_keys(head: Head, needed: set[str], others: set[str]) -> Fit:
    """How well the keys of the first object of a JSON file go with those of a format.

    Sure where all that are needed are there; likely where one is, or where no key can be seen, so that the reader says
    what is wrong.
    """
    keys = head.json.keys.keys()
    if needed <= keys:
        return Fit.SURE
    return Fit.LIKELY if not keys or keys & (needed | others) or not head.json.whole else Fit.NO


def unlike(where: str, found: str, what: str, expected: str | None) -> str:
    """That a text has something else in a place than a mark says; of each, half of what a message may show."""
    return f"the text {where} is {quoted(found, QUOTED // 2)} but {what} {quoted(expected, QUOTED // 2)}"


def unwritable(document: Document, why: str) -> OutputError:
    return OutputError(f"{at_document(document.id)}: {why}")
