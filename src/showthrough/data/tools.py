"""What spaCy and Presidio give in a program, as corpora and anonymizations. Neither is imported: their objects tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from showthrough.data.documents import Corpus, Document
from showthrough.data.given import checked, fault, layer_of, masks_of, paired, pairs_of, text_of, whole
from showthrough.data.masks import Anonymization, TypedMask
from showthrough.errors import at_document, quoted
from showthrough.files.reading import gathered

_SHOWN = 20  # characters of a text that a message shows


def corpus_of_docs(docs: Any, annotator: str, name: str) -> Corpus:
    def document(pair: tuple[str, Any]) -> Document:
        key, doc = pair
        return Document(key, _text(doc, at_document(key)), layer_of(key, doc.ents, annotator))

    return checked(gathered(pairs_of(docs, "docs"), document), name)


def anonymization_of_docs(docs: Any, corpus: Corpus, name: str) -> Anonymization:
    """By id, or each with the document of the same text; of equal ones in their order."""
    pairs = pairs_of(docs, "docs")
    if not isinstance(docs, Mapping):
        waiting: dict[str, list[str]] = defaultdict(list)
        for document in reversed(list(corpus)):
            waiting[document.text].append(document.id)

        def owned(pair: tuple[str, Any]) -> tuple[str, Any]:
            place = f"doc number {pair[0]}"
            ids = waiting.get(_text(pair[1], place))
            if not ids:
                raise fault(place, f"its text is that of no document of the corpus {corpus.name} that is still open")
            return ids.pop(), pair[1]

        pairs = gathered(pairs, owned)
    _check_texts([(key, _text(doc, at_document(key))) for key, doc in pairs], corpus)
    return masks_of([(key, doc.ents) for key, doc in pairs], name, corpus)


def _text(doc: Any, place: str) -> str:
    if not hasattr(doc, "text") or not hasattr(doc, "ents"):
        raise fault(place, f"found a value of type {type(doc).__name__}; expected a spaCy Doc, with text and ents")
    return text_of(doc.text, place)


def _check_texts(texts: Iterable[tuple[str, str]], corpus: Corpus) -> None:
    """Raises InputError where a text is not the corpus's: offsets into another mean nothing."""
    originals = {document.id: document.text for document in corpus}

    def check(pair: tuple[str, str]) -> None:
        expected = originals.get(pair[0])
        if expected is not None and pair[1] != expected:
            raise fault(at_document(pair[0]), f"its text {_difference(pair[1], expected)}")

    gathered(texts, check)


def _difference(found: str, expected: str, start: int = 0) -> str:
    """Where a text is no longer the original; `start` is where both begin in it."""
    pairs = enumerate(zip(found, expected, strict=False))
    at = next((number for number, (one, other) in pairs if one != other), min(len(found), len(expected)))
    here, there = (quoted(text[at : at + _SHOWN] or "the end") for text in (found, expected))
    return f"differs from the corpus's at character {start + at}: found {here}; expected {there}"


def anonymization_of_results(results: Any, corpus: Corpus, name: str) -> Anonymization:
    """Of Presidio: what its analyzer found, or what its anonymizer made, for each document."""
    originals = {document.id: document.text for document in corpus}

    def spans(pair: tuple[str, Any]) -> tuple[str, Any]:
        key, result = pair
        text, items = (_part(result, part) for part in ("text", "items"))
        if text is None or items is None:
            return key, result
        if key not in originals:
            raise fault(at_document(key), f"is not in the corpus {corpus.source or corpus.name}")
        return key, _original_spans(items, text_of(text, at_document(key)), originals[key], at_document(key))

    return masks_of(gathered(paired(results, corpus, "results"), spans), name, corpus)


def _part(result: Any, name: str) -> Any:
    """Of an EngineResult, or of what its JSON says; a mapping's own `items` is no part of a result."""
    if isinstance(result, Mapping):
        return result.get(name)
    return getattr(result, name, None)


def _original_spans(items: Any, released: str, original: str, place: str) -> list[TypedMask]:
    """What an anonymizer's items stand for. Their offsets count the released text, and the length of what was there
    is not said: what lies between them is looked for in the original, each piece at its first place after the last.

    >>> items = [{"start": 0, "end": 3, "entity_type": "PER"}, {"start": 7, "end": 10, "entity_type": "LOC"}]
    >>> found = _original_spans(items, "<P> in <L>", "Ann Lee in Oslo", "")
    >>> [(mask.start, mask.end, mask.replacement) for mask in found]
    [(0, 7, '<P>'), (11, 15, '<L>')]
    """
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise fault(place, f"found items of type {type(items).__name__}; expected a list")
    spans = []
    for index, item in enumerate(items):
        where = f"{place}: items[{index}]"
        start, end = (whole(_part(item, part), f"{where}: {part}") for part in ("start", "end"))
        if not 0 <= start <= end <= len(released):
            raise fault(where, f"{start}–{end} is not in the released text ({len(released)} characters)")
        spans.append((start, end, str(_part(item, "entity_type") or "")))
    spans.sort()
    if any(one[1] > other[0] for one, other in pairwise(spans)):
        raise fault(place, "its items overlap; expected separate ones, as the anonymizer makes them")
    edges = [0, *(end for _, end, _ in spans)]
    stops = [*(start for start, _, _ in spans), len(released)]
    gaps = [released[start:stop] for start, stop in zip(edges, stops, strict=True)]
    if not original.startswith(gaps[0]) or (len(gaps) == 1 and gaps[0] != original):
        raise fault(place, f"what is released {_difference(gaps[0], original)}")
    masks = []
    position = len(gaps[0])
    for number, (start, end, kind) in enumerate(spans, 1):
        last = number == len(spans)
        at = len(original) - len(gaps[number]) if last else original.find(gaps[number], position + 1)
        if at <= position or not original.startswith(gaps[number], at):
            gap = quoted(gaps[number][:_SHOWN])
            raise fault(place, f"{gap}, which stands after items[{number - 1}], is not found in the original after it")
        masks.append(TypedMask(position, at, released[start:end], kind))
        position = at + len(gaps[number])
    return masks
