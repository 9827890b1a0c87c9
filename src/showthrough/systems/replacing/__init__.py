"""What is written in place of what is masked: a table of ways, each a function of a document and its masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from msgspec import structs

from showthrough.core.errors import InputError
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask
from showthrough.data.pairing import Missing, check_pair
from showthrough.systems.replacing.generalized import generalized
from showthrough.systems.replacing.invented import invented
from showthrough.systems.replacing.masked import Masked, masked
from showthrough.systems.replacing.numbered import numbered

Way = Literal["label", "suppress", "number", "surrogate", "generalize"]
WAYS: tuple[Way, ...] = get_args(Way)
Replace = Callable[[Document, Sequence[Mask]], list[Mask]]


def replacing(way: Way) -> Replace:
    """The function that writes replacements in this way; spans, types, scores and the order of masks stay.

    >>> one = Document("a", "Dr Ona Rask saw her on 5 May 2019.")
    >>> from showthrough.data.masks import TypedMask
    >>> masks = [TypedMask(0, 11, None, "PERSON"), TypedMask(23, 33, None, "DATE")]
    >>> [mask.replacement for mask in replacing("generalize")(one, masks)]
    ['PERSON', '2019']
    """
    written = _WAYS[way]

    def replace(document: Document, masks: Sequence[Mask]) -> list[Mask]:
        texts = written(document, masked(document, masks))
        return [structs.replace(mask, replacement=text) for mask, text in zip(masks, texts, strict=True)]

    return replace


def rewritten(corpus: Corpus, anonymization: Anonymization, way: Way, missing: Missing = "error") -> Anonymization:
    """The masks of an anonymization with other replacements. Raises InputError where it does not fit the corpus."""
    if problems := check_pair(corpus, anonymization, missing):
        raise InputError(problems)
    replace = replacing(way)
    masks = {
        document.id: replace(document, anonymization.of(document.id))
        for document in corpus
        if document.id in anonymization.masks
    }
    return Anonymization(masks, anonymization.name, anonymization.source, anonymization.notes)


def suppressed(document: Document, spans: Sequence[Masked]) -> list[str | None]:
    """Nothing stands there any more."""
    return [None] * len(spans)


def labels(document: Document, spans: Sequence[Masked]) -> list[str | None]:
    """The types in capitals."""
    return [span.label for span in spans]


_WAYS: dict[Way, Callable[[Document, Sequence[Masked]], list[str | None]]] = {
    "label": labels,
    "suppress": suppressed,
    "number": numbered,
    "surrogate": invented,
    "generalize": generalized,
}
