"""Checks the documents and masks that the formats of plug-ins return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from showthrough.core.errors import InputError, at_document, quote_value
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.masks import Anonymization, Mask, ScoredMask
from showthrough.data.pairing import check_pair
from showthrough.formats.base import Input, Masks, Texts, without_strangers
from showthrough.storage.reading import collect_results, fail, type_fault


def checked_documents(result: Any, file: Input) -> Sequence[Document]:
    """Documents whose values are of the right kinds, with spans inside their texts and ids of their own."""
    documents: Sequence[Document] = result if hasattr(result, "window") else list(result)

    def look_at(numbered: tuple[int, Document]) -> None:
        number, document = numbered
        location = f"document number {number}"
        _check(document, Document, file, location)
        for annotation in document.annotations:
            _check(annotation, Annotation, file, location)
            for mention in annotation.mentions:
                _check(mention, Mention, file, location)

    collect_results(enumerate(documents, 1), look_at)
    _ = Corpus(documents, source=str(file.path)).survey  # raises with everything that is wrong
    return documents


def checked_anonymization(result: Any, file: Input) -> Masks | Texts:
    """Masks inside the texts of the corpus, where it is known; or texts."""
    if not isinstance(result, Mapping):
        raise fail(file.path, f"found {quote_value(result)}; expected masks by document id, or Texts")

    def look_at(document_id: Any) -> None:
        if not isinstance(document_id, str) or not document_id:
            raise fail(file.path, f"found the id {quote_value(document_id)}; expected text")
        value, location = result[document_id], at_document(document_id)
        if isinstance(result, Texts):
            _check(value, str, file, location)
            return
        for index, mask in enumerate(value):
            _check(mask, Mask, file, f"{location}: masks[{index}]")

    collect_results(result, look_at)
    masks = without_strangers(result, file)
    if isinstance(masks, Texts) or file.corpus is None:
        return masks
    if problems := check_pair(file.corpus, Anonymization(masks, source=str(file.path)), "unmasked"):
        raise InputError(problems)
    return masks


def _check(value: Any, cls: type, file: Input, location: str) -> None:
    """Raises InputError for a value of another kind, or with something in it that is."""
    if not isinstance(value, cls):
        raise fail(file.path, f"found {quote_value(value)}; expected a {cls.__name__}", location)
    try:
        msgspec.convert(msgspec.to_builtins(value), ScoredMask if cls is Mask else cls)
    except msgspec.ValidationError as error:
        field, fault = type_fault(error)
        raise fail(file.path, fault, f"{location}: {cls.__name__}{field}") from None
    except TypeError as error:  # of a kind that no file has
        raise fail(file.path, f"{error}; expected a {cls.__name__} of text and whole numbers", location) from None
