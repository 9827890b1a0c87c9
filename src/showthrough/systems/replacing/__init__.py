"""What is written in place of what is masked: a table of ways, each a function of a document and its masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args
from warnings import warn

from msgspec import structs

from showthrough.core.errors import InputError
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask
from showthrough.data.pairing import Missing, check_pair
from showthrough.systems.replacing._context import MaskedSpan, masked
from showthrough.systems.replacing._generalized import generalize
from showthrough.systems.replacing._invented import invent_surrogates
from showthrough.systems.replacing._numbered import number_labels

Way = Literal["label", "suppress", "number", "surrogate", "generalize"]
WAYS: tuple[Way, ...] = get_args(Way)
Replace = Callable[[Document, Sequence[Mask]], list[Mask]]


def make_replacer(way: Way) -> Replace:
    """The function that writes replacements in this way; spans, types, scores and the order of masks stay.

    >>> document = Document("a", "Dr Ona Rask saw her on 5 May 2019.")
    >>> from showthrough.data.masks import TypedMask
    >>> masks = [TypedMask(0, 11, None, "PERSON"), TypedMask(23, 33, None, "DATE")]
    >>> [mask.replacement for mask in make_replacer("generalize")(document, masks)]
    ['PERSON', '2019']
    """
    written = _WAYS[way]

    def replace(document: Document, masks: Sequence[Mask]) -> list[Mask]:
        texts = written(document, masked(document, masks))
        return [structs.replace(mask, replacement=text) for mask, text in zip(masks, texts, strict=True)]

    return replace


def replacing(way: Way) -> Replace:
    """`make_replacer` by its name of 0.1."""
    warn("replacing is now make_replacer; the former name goes with the next release", DeprecationWarning, 2)
    return make_replacer(way)


def rewritten(corpus: Corpus, anonymization: Anonymization, way: Way, missing: Missing = "error") -> Anonymization:
    """The masks of an anonymization with other replacements. Raises InputError where it does not fit the corpus."""
    if problems := check_pair(corpus, anonymization, missing):
        raise InputError(problems)
    replace = make_replacer(way)
    masks = {
        document.id: replace(document, anonymization.of(document.id))
        for document in corpus
        if document.id in anonymization.masks
    }
    return Anonymization(masks, anonymization.name, anonymization.source, anonymization.notes)


def suppress(document: Document, spans: Sequence[MaskedSpan]) -> list[str | None]:
    """Nothing stands there any more."""
    return [None] * len(spans)


def labels(document: Document, spans: Sequence[MaskedSpan]) -> list[str | None]:
    """The types in capitals."""
    return [span.label for span in spans]


_WAYS: dict[Way, Callable[[Document, Sequence[MaskedSpan]], list[str | None]]] = {
    "label": labels,
    "suppress": suppress,
    "number": number_labels,
    "surrogate": invent_surrogates,
    "generalize": generalize,
}
