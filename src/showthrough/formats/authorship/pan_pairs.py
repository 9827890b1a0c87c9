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

from showthrough.data.documents import Authorship, Corpus, Document, LazyDocuments, window
from showthrough.errors import InputError, Problem, at_document, some
from showthrough.files.heads import Head
from showthrough.files.packed import ENDINGS
from showthrough.files.reading import ENOUGH, exists, fail, stem
from showthrough.formats.base import ASKED, Files, Fit, Format, Input, unwritable
from showthrough.formats.folder import hidden
from showthrough.formats.objects import Entry, Objects
from showthrough.formats.pan_folders import check_all_judged, too_short
from showthrough.formats.verifier_answers import read_truth

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
    known, text = wire.pair
    return Document(name, text, authorship=Authorship((known,), wire.same))


_OBJECTS = Objects(_Pair, _document)


def read(file: Input) -> Sequence[Document]:
    """The pairs of a file, or of the only one in a folder, with the truth that lies beside."""
    if file.head.folder:
        file = replace(file, head=_inside(file.head))
    documents = _OBJECTS.read(file)
    beside = _beside(file.path)
    return documents if beside is None else _judged(documents, beside, file)


def _inside(folder: Head) -> Head:
    files = [one for one in folder.files((_ENDING,)) if not hidden(one, folder.path) and not _is_truth(one)]
    if len(files) != 1:
        found = some(one.name for one in files)
        raise fail(folder.path, f"found {found}; expected one {_ENDING} of pairs, with {_TRUTH}{_ENDING} beside it")
    return Head(files[0]).closer()


def _is_truth(path: Path) -> bool:
    return stem(path) == _TRUTH or stem(path).endswith(f"-{_TRUTH}")


def _beside(path: Path) -> Path | None:
    """The file with the truth of a file of pairs."""
    name = stem(path)
    names = (f"{name}-{_TRUTH}", f"{name.removesuffix(_PAIRS)}{_TRUTH}", _TRUTH)
    places = [path.with_name(f"{one}{ending}") for one in names for ending in _ENDINGS]
    return next((one for one in places if one != path and exists(one)), None)


def _judged(documents: Sequence[Document], beside: Path, file: Input) -> Sequence[Document]:
    """The documents with what a file says of them; raises InputError where it lacks one, or they say otherwise."""
    truth = read_truth(beside)
    same = bytearray()
    problems: list[Problem] = []
    for one in Corpus(documents):
        said, own = truth.get(one.id), one.authorship.same if one.authorship else None
        if said is None:
            fault = "is a pair here, and no truth is said of it; expected a line with its id"
            problems.append(Problem(str(beside), at_document(one.id), fault))
        elif own not in (None, said):
            fault = f"same is {str(own).lower()}, and {beside.name} says {str(said).lower()}; expected one truth"
            problems.append(Problem(str(file.path), at_document(one.id), fault))
        same.append(bool(said))
        if len(problems) > ENOUGH:
            break
    if problems:
        raise InputError(problems)
    if more := len(truth) - len(same):
        file.remarks.others.append(f"{beside.name} also says the truth of pairs that are not here ({more})")
    judged = _Judged(documents, bytes(same))
    return judged if hasattr(documents, "window") else judged[:]


@dataclass(eq=False)
class _Judged(LazyDocuments):
    """Documents of which another file says whether one author wrote them: a byte each."""

    documents: Sequence[Document]
    same: bytes

    def __len__(self) -> int:
        return len(self.documents)

    def made(self, start: int, stop: int) -> Iterator[Document]:
        for document, same in zip(self.documents[start:stop], self.same[start:stop], strict=True):
            known = document.authorship.known if document.authorship else ()
            yield msgspec.structs.replace(document, authorship=Authorship(known, bool(same)))

    def window(self, start: int, stop: int) -> _Judged:
        return _Judged(window(self.documents, range(start, stop)), self.same[start:stop])


def write(documents: Iterable[Document]) -> Files:
    """The pairs, and beside them the truth where it was said."""
    pairs: list[bytes] = []
    truth: list[bytes] = []
    for document in documents:
        asked = document.authorship
        if asked is None or len(asked.known) != 1:
            found = f"{len(asked.known)} known texts" if asked else "no known text"
            raise unwritable(document, f"has {found} of an author; PAN's pairs have one each")
        pairs.append(msgspec.json.encode({"id": document.id, "pair": [asked.known[0], document.text]}) + b"\n")
        if asked.same is not None:
            truth.append(msgspec.json.encode({"id": document.id, "same": asked.same}) + b"\n")
    check_all_judged(len(truth), len(pairs))
    return {f"{_PAIRS}{_ENDING}": b"".join(pairs)} | ({f"{_TRUTH}{_ENDING}": b"".join(truth)} if truth else {})


def _recognise(head: Head) -> Fit:
    """By the key that no other format has; of a folder, by a file with it."""
    if head.folder:
        files = [one for one in head.files((_ENDING,)) if not hidden(one, head.path) and not _is_truth(one)]
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
