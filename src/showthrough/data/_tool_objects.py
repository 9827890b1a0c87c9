"""Makes corpora and anonymizations of objects of spaCy and Presidio, without importing either."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from showthrough.core.errors import InputError, at_document
from showthrough.data.construction import (
    build_corpus,
    fault,
    layer_of,
    masks_of,
    pair_with_ids,
    pairs_of,
    score_of,
    text_of,
    whole,
)
from showthrough.data.documents import Corpus, Document
from showthrough.data.engine_results import EngineResults
from showthrough.data.masks import Anonymization
from showthrough.data.originals import IdsByText, Originals, difference
from showthrough.storage.reading import collect_results


def corpus_of_docs(docs: Any, annotator: str, name: str) -> Corpus:
    def document(pair: tuple[str, Any]) -> Document:
        key, doc = pair
        return Document(key, _text(doc, at_document(key)), layer_of(key, doc.ents, annotator))

    return build_corpus(collect_results(pairs_of(docs, "docs"), document), name)


def anonymization_of_docs(docs: Any, corpus: Corpus, name: str) -> Anonymization:
    """By id, or each with the document of the same text; of equal ones in their order."""
    pairs = pairs_of(docs, "docs")
    if isinstance(docs, Mapping):
        _check_texts(pairs, corpus)
    else:
        by_text = IdsByText(corpus)

        def owned(pair: tuple[str, Any]) -> tuple[str, Any]:
            location = f"doc number {pair[0]}"
            try:
                return by_text.take(_text(pair[1], location)), pair[1]
            except KeyError as error:
                raise fault(location, error.args[0]) from None

        pairs = collect_results(pairs, owned)
    return masks_of([(key, doc.ents) for key, doc in pairs], name, corpus)


def _check_texts(docs: Iterable[tuple[str, Any]], corpus: Corpus) -> None:
    """Raises InputError where a text is not the corpus's: offsets into another mean nothing."""
    originals = Originals(corpus)

    def check(pair: tuple[str, Any]) -> None:
        location = at_document(pair[0])
        text, expected = _text(pair[1], location), originals.get(pair[0])
        if expected is not None and text != expected:
            raise fault(location, difference(text, expected))

    collect_results(docs, check)


def _text(doc: Any, location: str) -> str:
    if not hasattr(doc, "text") or not hasattr(doc, "ents"):
        raise fault(location, f"found a value of type {type(doc).__name__}; expected a spaCy Doc, with text and ents")
    return text_of(doc.text, location)


def anonymization_of_results(results: Any, corpus: Corpus, name: str) -> Anonymization:
    """Of Presidio: what its analyzer found, or what its anonymizer made, for each document."""
    originals = Originals(corpus)
    converter = EngineResults()

    def spans(pair: tuple[str, Any]) -> tuple[str, Any]:
        key, result = pair
        text, items = (_part(result, part) for part in ("text", "items"))
        if text is None or items is None:
            return key, result
        location = at_document(key)
        if key not in originals:
            raise fault(location, f"is not in the corpus {corpus.source or corpus.name}")
        fail = partial(_fault_in, location)
        return key, converter.masks(originals[key], text_of(text, location), _items(items, location), fail)

    masks = masks_of(collect_results(pair_with_ids(results, corpus, "results"), spans), name, corpus)
    return Anonymization(masks.masks, name, notes=converter.notes)


def _part(result: Any, name: str) -> Any:
    """Of an EngineResult, or of what its JSON says; a mapping's own `items` is no part of a result."""
    if isinstance(result, Mapping):
        return result.get(name)
    return getattr(result, name, None)


def _fault_in(location: str, message: str, field: str) -> InputError:
    return fault(f"{location}: {field}", message)


class _Item(NamedTuple):
    start: int
    end: int
    entity_type: str
    text: str | None
    operator: str | None
    score: float | None


def _items(items: Any, location: str) -> list[_Item]:
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise fault(location, f"found items of type {type(items).__name__}; expected a list")
    return collect_results(enumerate(items), lambda pair: _item(pair[1], f"{location}: items[{pair[0]}]"))


def _item(item: Any, location: str) -> _Item:
    start, end = (whole(_part(item, part), f"{location}: {part}") for part in ("start", "end"))
    fields = (_part(item, part) for part in ("entity_type", "text", "operator"))
    entity_type, text, operator = (None if value is None else text_of(value, location) for value in fields)
    return _Item(start, end, entity_type or "", text, operator, score_of(item, location))
