"""Whose file it is, of those that INCEpTION exports: a document's own, or an annotator's in the document's folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from showthrough.core.errors import InputError, Problem, at_document
from showthrough.data.documents import Document
from showthrough.formats.base import Input
from showthrough.formats.clinical.phi import ANNOTATOR
from showthrough.storage.reading import stem

_UNTOUCHED = "INITIAL_CAS"  # a document as it was before anybody annotated it


def identify_file(file: Path, top: Path) -> tuple[str, str]:
    """The id of the document and the name of the annotator, of a file that was given or is in the folder that was.

    INCEpTION's folders are called as the documents are, ending included, and have a file for each annotator.

    >>> identify_file(Path("all/letter.txt/ann.tsv"), Path("all")), identify_file(Path("all/letter.tsv"), Path("all"))
    (('letter', 'ann'), ('letter', 'gold'))
    """
    home = file.parent
    inside = home != top and home.is_relative_to(top)
    return (stem(home), stem(file)) if inside and home.suffix else (stem(file), ANNOTATOR)


def select_annotated(files: Sequence[Path], file: Input) -> list[Path]:
    """The files that an annotator worked on; says how many others there are."""
    annotated_files = [path for path in files if not (file.head.folder and stem(path) == _UNTOUCHED)]
    if len(annotated_files) < len(files):
        file.remarks.others.append(
            f"left aside, since nobody annotated them ({_UNTOUCHED}): {len(files) - len(annotated_files)}"
        )
    return annotated_files


def merge_documents(documents: Sequence[Document], file: Input) -> list[Document]:
    """Documents of one id as one document with the layers of all; raises InputError where their texts differ."""
    whole: dict[str, Document] = {}
    problems = []
    for document in documents:
        first = whole.setdefault(document.id, document)
        if first is document:
            continue
        annotators = {annotation.annotator for annotation in first.annotations}
        if first.text != document.text:
            problems.append(Problem(str(file.path), at_document(document.id), "annotators have different texts of it"))
        elif annotators & {annotation.annotator for annotation in document.annotations} or not document.annotations:
            problems.append(Problem(str(file.path), at_document(document.id), "occurs twice; expected it once"))
        layers = first.annotations + document.annotations
        whole[document.id] = msgspec.structs.replace(first, annotations=layers)
    if problems:
        raise InputError(problems)
    return list(whole.values())
