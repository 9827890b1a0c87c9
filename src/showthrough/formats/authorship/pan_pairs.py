"""PAN's pairs of texts, 2020 to 2023: JSON Lines with two texts each; a second file says whether one author wrote both.

The first text is what is known of the author, the second the document. Pairs are decoded when they are asked for, so
there may be any number of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import msgspec

from showthrough.core.errors import InputError, Problem, at_document, join_names
from showthrough.data.documents import Authorship, Corpus, Document, LazyDocuments, window
from showthrough.formats.authorship.pan_folders import check_all_judged, too_short
from showthrough.formats.authorship.verifier_answers import read_truth
from showthrough.formats.base import ASKED, Files, Fit, Format, Input, unwritable
from showthrough.formats.objects import Entry, Objects
from showthrough.formats.texts import is_hidden
from showthrough.storage.compression import ENDINGS
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import ENOUGH, exists, fail, stem

_PAIRS, _TRUTH = "pairs", "truth"
_ENDING = ".jsonl"
_ENDINGS = (_ENDING, *(f"{_ENDING}{packed}" for packed in ENDINGS))


class _Pair(msgspec.Struct):
    aside: ClassVar = ("fandoms", "discourse_types", "authors")

    id: str | int
    pair: tuple[str, str]
    same: bool | None = None  # as files have it that were joined with their truth


def _document(wire: _Pair, entry: Entry) -> Document:
    name = entry.named(wire.id)
    for index, text in enumerate(wire.pair):
        if fault := too_short(text):
            raise entry.fail(fault, f"pair[{index}]")
    known_text, text = wire.pair
    return Document(name, text, authorship=Authorship((known_text,), wire.same))


_OBJECTS = Objects(_Pair, _document)


def read(file: Input) -> Sequence[Document]:
    """The pairs of a file, or of the only one in a folder, with the truth that lies beside."""
    if file.head.folder:
        file = replace(file, head=_find_pairs_file(file.head))
    documents = _OBJECTS.read(file)
    beside = _find_truth_file(file.path)
    return documents if beside is None else _add_truth(documents, beside, file)


def _find_pairs_file(folder: Head) -> Head:
    files = [file for file in folder.files((_ENDING,)) if not is_hidden(file, folder.path) and not _is_truth(file)]
    if len(files) != 1:
        names = join_names(file.name for file in files)
        raise fail(folder.path, f"found {names}; expected one {_ENDING} of pairs, with {_TRUTH}{_ENDING} beside it")
    return Head(files[0]).closer()


def _is_truth(path: Path) -> bool:
    return stem(path) == _TRUTH or stem(path).endswith(f"-{_TRUTH}")


def _find_truth_file(path: Path) -> Path | None:
    """The file with the truth of a file of pairs."""
    name = stem(path)
    names = (f"{name}-{_TRUTH}", f"{name.removesuffix(_PAIRS)}{_TRUTH}", _TRUTH)
    paths = [path.with_name(f"{truth_name}{ending}") for truth_name in names for ending in _ENDINGS]
    return next((candidate for candidate in paths if candidate != path and exists(candidate)), None)


def _add_truth(documents: Sequence[Document], truth_path: Path, file: Input) -> Sequence[Document]:
    """The documents with what a file says of them; raises InputError where it lacks one, or they say otherwise."""
    truth = read_truth(truth_path)
    same = bytearray()
    problems: list[Problem] = []
    for document in Corpus(documents):
        stated, own = truth.get(document.id), document.authorship.same if document.authorship else None
        if stated is None:
            fault = "is a pair here, and no truth is said of it; expected a line with its id"
            problems.append(Problem(str(truth_path), at_document(document.id), fault))
        elif own not in (None, stated):
            fault = f"same is {str(own).lower()}, and {truth_path.name} says {str(stated).lower()}; expected one truth"
            problems.append(Problem(str(file.path), at_document(document.id), fault))
        same.append(bool(stated))
        if len(problems) > ENOUGH:
            break
    if problems:
        raise InputError(problems)
    if more := len(truth) - len(same):
        file.remarks.others.append(f"{truth_path.name} also says the truth of pairs that are not here ({more})")
    judged = _JudgedPairs(documents, bytes(same))
    return judged if hasattr(documents, "window") else judged[:]


@dataclass(eq=False)
class _JudgedPairs(LazyDocuments):
    """Documents of which another file says whether one author wrote them: a byte each."""

    documents: Sequence[Document]
    same: bytes

    def __len__(self) -> int:
        return len(self.documents)

    def load_range(self, start: int, stop: int) -> Iterator[Document]:
        for document, same in zip(self.documents[start:stop], self.same[start:stop], strict=True):
            known_texts = document.authorship.known if document.authorship else ()
            yield msgspec.structs.replace(document, authorship=Authorship(known_texts, bool(same)))

    def window(self, start: int, stop: int) -> _JudgedPairs:
        return _JudgedPairs(window(self.documents, range(start, stop)), self.same[start:stop])


def write(documents: Iterable[Document]) -> Files:
    """The pairs, and beside them the truth where it was said."""
    pairs: list[bytes] = []
    truth: list[bytes] = []
    for document in documents:
        question = document.authorship
        if question is None or len(question.known) != 1:
            count = f"{len(question.known)} known texts" if question else "no known text"
            raise unwritable(document, f"has {count} of an author; PAN's pairs have one each")
        pairs.append(msgspec.json.encode({"id": document.id, "pair": [question.known[0], document.text]}) + b"\n")
        if question.same is not None:
            truth.append(msgspec.json.encode({"id": document.id, "same": question.same}) + b"\n")
    check_all_judged(len(truth), len(pairs))
    return {f"{_PAIRS}{_ENDING}": b"".join(pairs)} | ({f"{_TRUTH}{_ENDING}": b"".join(truth)} if truth else {})


def _recognise(head: Head) -> Fit:
    """By the key that no other format has; of a folder, by a file with it."""
    if head.folder:
        files = [file for file in head.files((_ENDING,)) if not is_hidden(file, head.path) and not _is_truth(file)]
        return _recognise(Head(files[0]).closer()) if len(files) == 1 else Fit.NO
    return Fit.SURE if {"id", "pair"} <= head.json.keys.keys() else Fit.NO


FORMAT = Format(
    "PAN's pairs of texts by one author or two: JSON Lines, with truth.jsonl beside",
    (_ENDING,),
    _recognise,
    read,
    write=write,
    in_folders=True,
    shows=ASKED,
)
