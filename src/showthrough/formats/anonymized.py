"""Anonymized texts by document id, whatever a file holds: the texts themselves, or masks and the originals."""

from __future__ import annotations

import os

from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization, apply_masks
from showthrough.data.pairing import check_pair
from showthrough.errors import InputError, Problem, at_document
from showthrough.files.heads import Head
from showthrough.files.reading import fail, stem
from showthrough.formats import read_given
from showthrough.formats.base import Input, Texts


def read_anonymized(
    path: str | os.PathLike[str],
    corpus: Corpus | None = None,
    *,
    format: str | None = None,
    id_column: str = "doc_id",
    text_column: str = "text",
) -> dict[str, str]:
    """Reads anonymized texts as they are; masks with offsets are applied to the corpus's originals.

    With a corpus, every document of it has to be there.
    """
    file = Input(Head.of(path), id_column, text_column, corpus=corpus)
    given = read_given(file, format)
    if isinstance(given, Texts):
        if corpus is not None and (lacking := [key for key in corpus.ids if key not in given]):
            fault = f"is in the corpus {corpus.source or corpus.name} but not here"
            raise InputError(Problem(str(file.path), at_document(key), fault) for key in lacking)
        return given
    if corpus is None:
        raise fail(file.path, "holds masks with offsets; expected --corpus with the originals that they belong to")
    anonymization = Anonymization(given, stem(file.path), str(file.path))
    if problems := check_pair(corpus, anonymization):
        raise InputError(problems)
    return {document.id: apply_masks(document.text, anonymization.of(document.id)) for document in corpus}
