"""What a format is: one value that says how files of it are recognised, read and written.

Formats of anonymizations share the checks of what was read, which stand here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import msgspec

from showthrough.core.errors import QUOTED, InputError, OutputError, at_document, join_names, quote_value, shorten
from showthrough.data.construction import aligned
from showthrough.data.documents import Annotation, Authorship, Corpus, Document, Mention
from showthrough.data.masks import Anonymization, Mask
from showthrough.data.offsets import to_characters, unit_of
from showthrough.data.originals import Originals, text_digest as text_digest
from showthrough.data.pairing import Extra
from showthrough.data.subjects import Attribute, Subject
from showthrough.engines.base import Engine, Watch
from showthrough.formats.annotation_tools.groups import FIELD
from showthrough.formats.remarks import Remarks, like_spans
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, fail

if TYPE_CHECKING:
    from showthrough.formats.tables.rows import TableRows

Value = TypeVar("Value")
Task = Literal["read", "read_anonymization", "write"]
Files = dict[str, bytes]  # by name; a format that is one file has one without a name
Masks = Mapping[str, Sequence[Mask]]  # by document id


class Texts(dict[str, str]):
    """Anonymized texts by document id, without offsets: they are aligned to the originals."""


class Passages(dict[str, Sequence[Mask]]):
    """Passages that were written anew, as masks by document id, and the whole texts as they were handed in."""

    def __init__(self, masks: Mapping[str, Sequence[Mask]], written: Mapping[str, str]) -> None:
        super().__init__(masks)
        self.written = written


class Fit(IntEnum):
    """Whether a file is of a format."""

    NO = 0
    LIKELY = 1  # its ending allows it, and nothing speaks against it
    SURE = 2  # what it begins with says so
    CERTAIN = 3  # and not only by an id and a text, which other formats have too


class ColumnNames(NamedTuple):
    """The columns of a table, or the keys of objects, that a user named; where none is named, a format has its own."""

    id: str | None = None
    text: str | None = None
    group: str = FIELD  # names a document's group
    offsets: str = ""  # what a user said that offsets count
    fields: tuple[str, ...] = ()  # further columns or keys that a document keeps
    extra: Extra = "error"  # what a user said of documents that the corpus does not have

    @property
    def overrides(self) -> dict[str, str]:
        """Those that are not the usual ones."""
        names = {"id": self.id, "text": self.text, "group": self.group}
        return {field: name for field, name in names.items() if name not in (None, FIELD)}


@dataclass(frozen=True)
class Input:
    """A file or folder to read, and what the caller said of it."""

    head: Head
    columns: ColumnNames = field(default_factory=ColumnNames)
    corpus: Corpus | None = None  # that an anonymization belongs to, where it is known
    remarks: Remarks = field(default_factory=Remarks, compare=False)  # what there is to say of it, once it was read
    engine: Engine | None = field(default=None, compare=False)  # whose workers read it; None: this process
    watch: Watch | None = field(default=None, compare=False)  # who is told how far it is read

    @property
    def path(self) -> Path:
        return self.head.path

    def keys(self, **usual: str) -> ColumnNames:
        """The keys of its JSON objects that hold ids and texts: those that were named, where the first object has them.

        Files beside one another may have other keys: where it has the usual one instead, that is told, and taken.
        """
        first, columns = self.head.first, self.columns
        if not isinstance(first, dict) or not self.head.json.whole:
            return columns
        for column, own in usual.items():
            name = columns.overrides.get(column)
            if name is not None and name not in first and own in first:
                self.remarks.others.append(f"has no key {shorten(name)}; what {shorten(own)} holds was taken for it")
                columns = columns._replace(**{column: ColumnNames._field_defaults[column]})
        return columns

    @cached_property
    def originals(self) -> Mapping[str, str]:
        """The texts of the corpus by id: a system's output may leave them out."""
        return {} if self.corpus is None else Originals(self.corpus)

    @cached_property
    def is_corpus_file(self) -> bool:
        """Whether it is the very file that the corpus was read from."""
        source = self.corpus.source if self.corpus is not None else ""
        with suppress(OSError, ValueError):  # a corpus that came from no file
            return bool(source) and self.path.samefile(source)
        return False

    @property
    def released(self) -> bool:
        """Whether it is that, and the column was named that holds released texts beside the originals."""
        return self.columns.text is not None and self.is_corpus_file


# What a format's example shows; of one whose documents ask who wrote them, and of one that says who is in them.
SAMPLE = Document(
    "case-1",
    "Mr John Doe of Oslo left.",
    (Annotation("annotator1", (Mention(3, 11, "PERSON", "DIRECT", "e1"), Mention(15, 19, "LOC", "QUASI", "e2"))),),
)
ASKED = Document(SAMPLE.id, SAMPLE.text, authorship=Authorship(("Ms Ann Lee of Rome stayed.",), True))
DOE = Subject("0", (Attribute("NAME", "John Doe", 5, 1), Attribute("LOCATION", "Oslo / Norway", 4, 2)), "who left")
PEOPLE = Document(SAMPLE.id, SAMPLE.text, subjects=(DOE,))


@dataclass(frozen=True)
class Format:
    """A format of corpora, of anonymizations, or of both. What it cannot do is `None`.

    Readers raise InputError with all that is wrong. An anonymization is masks by document id, `Passages` or `Texts`.
    Writers give the content of files by their names; a format that is one file gives one without a name.
    """

    description: str  # one line
    endings: tuple[str, ...]  # of its files, such as `.json`
    recognise: Callable[[Head], Fit]
    read: Callable[[Input], Sequence[Document]] | None = None  # a corpus
    read_anonymization: Callable[[Input], Masks | Texts] | None = None
    write: Callable[[Iterable[Document]], Files] | None = None  # a corpus
    write_masks: Callable[[Anonymization], Files] | None = None
    in_folders: bool = False  # whether a folder of such files can be read as well
    binary: bool = False  # whether it is nothing to look at, so that there is no sample
    aside: tuple[str, ...] = ()  # endings of files in such a folder that are no documents
    nested: bool = False  # whether a / in an id is a folder in that folder
    rows: Callable[[Input], TableRows] | None = None  # of a table, whose rows may be objects of another format
    sample: Mapping[str, str] = field(default_factory=dict)  # by file name; none: what its writer makes of a document
    shows: Document = SAMPLE  # that document


def can(chosen: Format, task: Task) -> bool:
    return getattr(chosen, task) is not None or (task == "write" and chosen.write_masks is not None)


def by_keys(head: Head, needed: set[str], optional: set[str]) -> Fit:
    """How well the keys of the first object of a JSON file go with those of a format.

    Sure where all that are needed are there, and no marks under a key that it does not know; likely where one is, or
    where no key can be seen, so that the reader says what is wrong.
    """
    keys = head.json.keys.keys()
    if needed <= keys:
        first = head.first if isinstance(head.first, dict) else {}
        unknown_marks = any(like_spans(value) for key, value in first.items() if key not in needed | optional)
        return Fit.LIKELY if unknown_marks else Fit.SURE
    return Fit.LIKELY if not keys or keys & (needed | optional) or not head.json.whole else Fit.NO


def unlike(where: str, covered: str, claim: str, expected: str | None) -> str:
    """That a text has something else in a place than a mark says; of each, half of what a message may show."""
    return f"the text {where} is {quote_value(covered, QUOTED // 2)} but {claim} {quote_value(expected, QUOTED // 2)}"


class SeveralAnnotatorsError(OutputError):
    """A format holds the marks of one annotator, and a document has those of several; `found` says which."""

    def __init__(self, fault: str, advice: str = "choose one with convert --annotator") -> None:
        super().__init__(f"{fault}; {advice}")
        self.found = fault


def unwritable(document: Document, why: str) -> OutputError:
    return OutputError(f"{at_document(document.id)}: {why}")


# These functions make masks of what was read of an anonymization, and check it against the corpus.


def known_documents(content: Mapping[str, Value], file: Input) -> dict[str, Value]:
    """What an anonymization has of documents of the corpus; how many others it has is noted."""
    ids = frozenset(content if file.corpus is None else file.corpus.ids)
    documents = {key: value for key, value in content.items() if key in ids}
    if left := len(content) - len(documents):
        file.remarks.taken["documents that are not in the corpus are left out, so no number is about them"] += left
        if file.remarks.provenance is not None:  # the digest is of all texts
            file.remarks.provenance = msgspec.structs.replace(file.remarks.provenance, texts="")
    return documents


def without_strangers(content: Masks | Texts, file: Input) -> Masks | Texts:
    """The same, without documents that the corpus does not have where a user said so."""
    if file.columns.extra == "error":
        return content
    if isinstance(content, Texts):
        return Texts(known_documents(content, file))
    documents = known_documents(content, file)
    if isinstance(content, Passages):
        return Passages(documents, {key: text for key, text in content.written.items() if key in documents})
    return content if len(documents) == len(content) else documents


def aligned_texts(texts: Texts, file: Input) -> Masks:
    """The masks of released texts, as the originals of the corpus tell them."""
    if file.corpus is None:
        raise no_corpus(file)
    check_rows(texts, file)
    tell_empty(file, empty_in(texts))
    return aligned(texts, file.corpus, str(file.path))


def no_corpus(file: Input) -> InputError:
    fault = "holds anonymized texts without offsets; reading it needs the corpus with the originals"
    return fail(file.path, fault)


def check_rows(texts: Texts, file: Input) -> None:
    """Raises InputError where released texts stand beside originals, and their ids are not the same."""
    if file.released and file.corpus is not None and list(texts) != list(file.corpus.ids):
        fault = "its rows have other ids here than the corpus has; expected the same column of ids for both"
        raise fail(file.path, f"{fault} (choose with --id-column)")


def empty_in(texts: Texts) -> list[str]:
    """The documents of which nothing is left."""
    return [key for key, text in texts.items() if not text.strip()]


def tell_empty(file: Input, empty: Sequence[str]) -> None:
    if empty:
        column = f"column {shorten(file.columns.text or '')}: " if file.released else ""
        count = "an empty text counts" if len(empty) == 1 else f"{len(empty)} empty texts count"
        file.remarks.others.append(f"{column}nothing is left of {join_names(empty)}: {count} as all suppressed")


def check_spans(file: Input, marks: Callable[[], int]) -> None:
    """Raises InputError where no mark was read, and a key that the format does not know holds what looks like some."""
    if (keys := sorted(file.remarks.spans)) and not marks():
        fault = "looks like marks, which this format has elsewhere, and no others were found"
        raise fail(file.path, f"{fault}; {file.remarks.hint()}", f"key {shorten(keys[0])}")


def needs_texts(file: Input) -> InputError:
    """That nobody can count anything but characters without a text."""
    return fail(file.path, f"counting offsets in {file.columns.offsets} needs the corpus with the originals")


def in_characters(masks: Masks, file: Input) -> Masks:
    """The same masks by characters of the originals; raises InputError with all that are none of their texts."""
    if unit_of(file.columns.offsets) is None:
        return masks
    if file.corpus is None:
        raise needs_texts(file)
    originals = file.originals

    def placed(document_id: str) -> tuple[str, Sequence[Mask]]:
        text = originals.get(document_id)
        return document_id, masks[document_id] if text is None else _placed(text, document_id)

    def _placed(text: str, document_id: str) -> Sequence[Mask]:
        new_masks = []
        for number, mask in enumerate(masks[document_id]):
            try:
                start, end = to_characters(text, mask.start, mask.end, file.columns.offsets)
            except InputError as error:
                location = f"{at_document(document_id)}: masks[{number}]"
                raise fail(file.path, error.problems[0].message, location) from None
            new_masks.append(msgspec.structs.replace(mask, start=start, end=end))
        return new_masks

    return dict(collect_results(masks, placed))
