"""Makes documents and masks of ids, texts and spans in memory, with the same checks as for files.

Whatever has a start and an end is a span: a tuple, a mapping, or a tool's own object. Offsets are code points of the
original text, as everywhere.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, get_args

import msgspec

from showthrough.core.errors import InputError, PlanError, Problem, at_document, quote_value
from showthrough.data.documents import Annotation, Corpus, Document, Identifier, Mention
from showthrough.data.levels import by_type
from showthrough.data.masks import Anonymization, Mask, score_fault, typed_mask
from showthrough.data.offsets import check_offsets, parse_offsets, to_characters, unit_of
from showthrough.data.originals import Originals
from showthrough.data.pairing import check_pair, stranger_fault
from showthrough.storage.reading import collect_results

# A spaCy span counts tokens in `start`, characters in `start_char`, and numbers its label in `label`.
STARTS, ENDS = ("start_char", "start_offset", "start"), ("end_char", "end_offset", "end")
TYPES = ("entity_type", "label_", "label", "type")
SCORES = ("score", "confidence", "probability")
_SPAN = "(start, end), (start, end, type), or something with start, end and entity_type"
_IDENTIFIERS = get_args(Identifier)
S = TypeVar("S", Mention, Mask)


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: `None`, NaN, or what frames have for it."""
    class_name = type(value).__name__  # pandas' own cannot even be compared
    return value is None or class_name in ("NAType", "NaTType") or (isinstance(value, float) and value != value)


def fault(location: str, message: str) -> InputError:
    return InputError(Problem("", location, message))


def id_of(value: Any, location: str) -> str:
    """An id; a number is one too."""
    if isinstance(value, str):
        return value  # an empty one is told with the document
    try:
        return str(whole(value, location))
    except InputError:
        raise fault(location, f"found the id {quote_value(value)}; expected text or a whole number") from None


def whole(value: Any, location: str) -> int:
    """A whole number, of whatever library."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise fault(location, f"found {quote_value(value)}; expected a whole number")


def text_of(value: Any, location: str) -> str:
    if isinstance(value, str):
        return value
    raise fault(location, f"found a value of type {type(value).__name__}; expected text")


def _has_ids(values: Any) -> bool:
    """Whether values come with their ids: in a mapping, or in a column of pandas whose index is no row number."""
    if isinstance(values, Mapping):
        return True
    return type(values).__name__ == "Series" and type(getattr(values, "index", 0)).__name__ not in ("int", "RangeIndex")


def pairs_of(values: Any, name: str) -> list[tuple[str, Any]]:
    """Values with their ids: those of a mapping, or numbers from 1 on. Raises InputError for what is neither."""
    if _has_ids(values):
        return collect_results(values.items(), lambda pair: (id_of(pair[0], name), pair[1]))
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        problem = f"found a value of type {type(values).__name__}"
        raise PlanError(f"{problem}; expected a mapping by document id, or a list", name)
    return [(str(number), value) for number, value in enumerate(values, 1)]


def pair_with_ids(values: Any, corpus: Corpus, name: str) -> list[tuple[str, Any]]:
    """Values with the ids of documents: their own, or in the order of the corpus, and then as many as it has."""
    pairs = pairs_of(values, name)
    if _has_ids(values):
        return pairs
    if len(pairs) != len(corpus):
        expected = f"{len(corpus)}, one for each document in its order, or a mapping by document id"
        raise PlanError(f"found {len(pairs)}; expected {expected}", name)
    return list(zip(corpus.ids, (value for _, value in pairs), strict=True))


def by_id(pairs: Iterable[tuple[str, Any]], noun: str) -> dict[str, Any]:
    """Values by id; raises InputError for ids that occur twice."""
    values: dict[str, Any] = {}
    problems = []
    for key, value in pairs:
        if key in values:
            problems.append(Problem("", at_document(key), f"occurs twice among the {noun}; expected unique ids"))
        values[key] = value
    if problems:
        raise InputError(problems)
    return values


def build_corpus(documents: Sequence[Document], name: str, offsets: str = "") -> Corpus:
    """A corpus of these; raises InputError with all that is wrong with them."""
    corpus = Corpus(documents, name, offsets=offsets)
    _ = corpus.survey
    check_offsets(corpus)
    return corpus


def corpus_of_texts(texts: Any, name: str) -> Corpus:
    def document(pair: tuple[str, Any]) -> Document:
        return Document(pair[0], text_of(pair[1], at_document(pair[0])))

    return build_corpus(collect_results(pairs_of(texts, "texts"), document), name)


def mention_of(span: Any, location: str) -> Mention:
    """A span as somebody marked it; how it identifies, where that is said, else as its type tells."""
    if isinstance(span, Mention):
        return span
    start, end, entity_type = _parse_span(span, location)
    entity = _first_field(span, ("entity_id",))
    identifier = _first_field(span, ("identifier_type", "identifier"))
    entity = "" if is_missing(entity) else id_of(entity, f"{location}: entity_id")
    if is_missing(identifier):
        return by_type(start, end, entity_type, entity)
    if identifier not in _IDENTIFIERS:
        raise fault(location, f"found the identifier {quote_value(identifier)}; expected {', '.join(_IDENTIFIERS)}")
    return Mention(start, end, entity_type, identifier, entity)


def mask_of(span: Any, location: str) -> Mask:
    """A span as a system masked it."""
    if isinstance(span, Mask):
        return span
    start, end, entity_type = _parse_span(span, location)
    replacement = _first_field(span, ("replacement",))
    replacement = None if is_missing(replacement) else text_of(replacement, f"{location}: replacement")
    return typed_mask(start, end, replacement, entity_type, score_of(span, location))


def score_of(span: Any, location: str) -> float | None:
    """How sure a system is of a span, in numbers of whatever library; `None` where it does not say."""
    score = _first_field(span, SCORES)
    if is_missing(score):
        return None
    if not isinstance(score, str | bool) and hasattr(score, "__float__"):
        score = float(score)
    if problem := score_fault(score):
        raise fault(f"{location}: score", problem)
    return score  # type: ignore[no-any-return]


def _parse_span(span: Any, location: str) -> tuple[int, int, str]:
    if isinstance(span, tuple | list):
        if not 2 <= len(span) <= 3:
            raise fault(location, f"found {quote_value(span)}; expected {_SPAN}")
        start, end, entity_type = (*span, None)[:3]
    else:
        start, end, entity_type = (_first_field(span, names) for names in (STARTS, ENDS, TYPES))
        if start is None or end is None:
            raise fault(location, f"found a value of type {type(span).__name__}; expected {_SPAN}")
    entity_type = "" if is_missing(entity_type) else text_of(entity_type, f"{location}: entity_type")
    return whole(start, f"{location}: start"), whole(end, f"{location}: end"), entity_type


def _first_field(source: Any, names: Sequence[str]) -> Any:
    """The first of some fields that a mapping or an object has."""
    if isinstance(source, Mapping):
        return next((source[name] for name in names if name in source), None)
    return next((getattr(source, name) for name in names if hasattr(source, name)), None)


def spans_of(document_id: str, spans: Any) -> list[tuple[str, Any]]:
    """The spans of one document, each with its place."""
    if isinstance(spans, str | bytes | Mapping) or not isinstance(spans, Iterable):
        problem = f"found a value of type {type(spans).__name__}"
        raise fault(at_document(document_id), f"{problem}; expected a list of spans, empty where nothing is masked")
    return [(f"{at_document(document_id)}: spans[{index}]", span) for index, span in enumerate(spans)]


def layer_of(document_id: str, spans: Any, annotator: str, text: str = "", offsets: str = "") -> tuple[Annotation, ...]:
    """What somebody marked in a document; a missing value says that nobody has read it."""
    if not isinstance(spans, Iterable) and is_missing(spans):
        return ()
    marks = collect_results(
        spans_of(document_id, spans), lambda placed: in_text(mention_of(placed[1], placed[0]), text, placed[0], offsets)
    )
    return (Annotation(annotator, tuple(marks)),)


def in_text(mark: S, text: str, location: str, offsets: str) -> S:
    """A mark by characters of its text; raises InputError where it is none of it, as it counts."""
    if unit_of(offsets) is None:
        return mark
    try:
        start, end = to_characters(text, mark.start, mark.end, offsets)
    except InputError as error:
        raise fault(location, error.problems[0].message) from None
    return msgspec.structs.replace(mark, start=start, end=end)


def masks_of(
    pairs: Iterable[tuple[str, Any]], name: str, corpus: Corpus | None, offsets: str | None = None
) -> Anonymization:
    unit = parse_offsets(offsets)
    if unit_of(unit) and corpus is None:
        raise PlanError(
            f"found {quote_value(offsets)} and no corpus; expected one: its texts show what is counted", "offsets"
        )
    texts: Mapping[str, str] = {} if corpus is None or not unit_of(unit) else Originals(corpus)

    def masks(pair: tuple[str, Any]) -> tuple[str, list[Mask]]:
        text = texts.get(pair[0])  # of a document that is not there pairing tells
        counts = "" if text is None else unit
        marks = collect_results(
            spans_of(*pair), lambda placed: in_text(mask_of(placed[1], placed[0]), text or "", placed[0], counts)
        )
        return pair[0], marks

    anonymization = Anonymization(by_id(collect_results(pairs, masks), "spans"), name, offsets=unit)
    if corpus is not None and (problems := check_pair(corpus, anonymization, "unmasked")):
        raise InputError(problems)
    check_offsets(corpus, anonymization)
    return anonymization


def masks_of_texts(pairs: Iterable[tuple[str, Any]], corpus: Corpus, name: str) -> Anonymization:
    """Anonymized texts, aligned to the originals."""

    def text(pair: tuple[str, Any]) -> tuple[str, str]:
        return pair[0], text_of(pair[1], at_document(pair[0]))

    return Anonymization(
        aligned(by_id(collect_results(pairs, text), "texts"), corpus, name), name, offsets="characters"
    )


def aligned(texts: Mapping[str, str], corpus: Corpus, file: str) -> dict[str, Sequence[Mask]]:
    """The masks of anonymized texts; raises InputError for documents that the corpus does not have."""
    ids = set(corpus.ids)
    if strangers := [key for key in texts if key not in ids]:
        foreign = stranger_fault(corpus)
        raise InputError(Problem(file, at_document(key), foreign) for key in strangers)
    from showthrough.data.alignment import align  # asked for only where offsets are missing

    return {document.id: align(document.text, texts[document.id]) for document in corpus if document.id in texts}
