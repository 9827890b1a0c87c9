"""Finds out whether offsets count characters, UTF-16 units or bytes, by marks that begin or end inside words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, Protocol, TypeVar, get_args
from weakref import WeakKeyDictionary

import numpy as np

from showthrough.core.arrays import Bytes, Ints
from showthrough.core.errors import InputError, PlanError, Problem, quote_value, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Corpus, Document, documents_at
from showthrough.data.masks import Anonymization
from showthrough.data.text_anonymizations import ReleasedTexts, Rewriting
from showthrough.data.units import Unit, from_code_points, places_or_none, reach_of, to_code_points

Offsets = Literal["characters", "utf-16", "bytes"]
OFFSETS: tuple[Offsets, ...] = get_args(Offsets)

_FEWEST = 3  # marks that another unit mends: fewer may begin inside a word by chance
_INSIDE = 0.1  # of all marks: more that begin or end inside a word are too many
_SPREAD = 2048  # documents of a large corpus that are looked at, at even distances
_LARGE = 20_000  # documents from which on a corpus is large
_MAX_DOCUMENTS = 256  # documents with characters beyond ASCII, or beyond U+FFFF, whose marks are looked at
_SAMPLED = 512  # other documents whose marks are looked at, where those tell that something is wrong
# Scripts without spaces have no borders of words that a mark could miss.
_UNSPACED = lazy_pattern(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]"
)
_IN_WORDS = {"utf-16": "UTF-16 units", "bytes": "bytes of UTF-8", "characters": "characters"}


class SpanLike(Protocol):
    """Whatever has a start and an end."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


S = TypeVar("S", list[Document], Ints)
Marks = Callable[[Document], Sequence[tuple[int, int]]]
MarksOf = Callable[[Sequence[Document]], Marks]  # of some documents, which are got together


def unit_of(offsets: str | None) -> Unit | None:
    """What offsets have to be counted again for; `None` where they count characters."""
    return None if offsets in (None, "", "characters") else offsets  # type: ignore[return-value]


def to_characters(text: str, start: int, end: int, offsets: str | None) -> tuple[int, int]:
    """A span in characters; raises InputError, without a file, where it is none of the text in that unit.

    >>> to_characters("😀 Ann", 3, 6, "utf-16")
    (2, 5)
    """
    unit = unit_of(offsets)
    if unit is None or start >= end:  # of which whoever checks the span tells
        return start, end
    start, end = to_code_points(text, (start, end), unit)
    return start, end


class Doubt(NamedTuple):
    """Marks that begin or end inside words, and the unit in which most of them do not."""

    unit: Offsets
    inside: int  # marks that do, of those that the unit moves
    moved: int
    left: int  # marks that still do, or are nowhere, in the unit
    document: str  # where the first of them is
    refused: bool  # whether they are more than a tenth of all marks

    @property
    def fault(self) -> str:
        """What is wrong, and what to do."""
        count = f"{self.inside:,} of {self.moved:,} marks beyond {_BEYOND[self.unit]} begin or end inside a word"
        mended = f"{_IN_WORDS[self.unit]}, {self.left:,} do (first in document {shorten(self.document)})"
        convention = "Offsets here count characters (Unicode code points)"
        remedy = f"say --offsets {self.unit}, which holds for all files, or --offsets characters to insist"
        return (
            f"{count}. Counted in {mended}. {convention}; {remedy} (in Python, offsets={self.unit!r} where it is read)"
        )


_BEYOND = {
    "utf-16": "a character above U+FFFF",
    "bytes": "a character above U+007F",
    "characters": "one that counts more",
}


def parse_offsets(offsets: object) -> str:
    """What a caller says that offsets count; raises PlanError for what is no unit."""
    if offsets is not None and offsets not in OFFSETS:
        raise PlanError(f"found {quote_value(offsets)}; expected {', '.join(OFFSETS[:-1])} or {OFFSETS[-1]}", "offsets")
    return "" if offsets is None else str(offsets)


def corpus_doubt(corpus: Corpus) -> Doubt | None:
    """What speaks against the offsets of a corpus; nothing where somebody said that they count characters."""
    if corpus.offsets == "characters" or not corpus.survey.mentions:
        return None
    return _doubt_of(corpus, corpus, lambda documents: _mentions)


def masks_doubt(corpus: Corpus, anonymization: Anonymization) -> Doubt | None:
    """The same of the masks of an anonymization; those that were found by aligning texts have no offsets to doubt."""
    if anonymization.offsets == "characters" or isinstance(anonymization, Rewriting | ReleasedTexts):
        return None

    def marks(documents: Sequence[Document]) -> Marks:
        masks = anonymization.part([document.id for document in documents]).masks
        return lambda document: _spans(masks.get(document.id, ()))

    return _doubt_of(corpus, anonymization, marks)


# A corpus and its anonymizations are doubted when they are read, before they are scored, and for the notes: their
# documents are looked at once.
_CACHE: WeakKeyDictionary[Corpus, WeakKeyDictionary[Corpus | Anonymization, Doubt | None]] = WeakKeyDictionary()


def _doubt_of(corpus: Corpus, marked: Corpus | Anonymization, marks: MarksOf) -> Doubt | None:
    cache = _CACHE.setdefault(corpus, WeakKeyDictionary())
    if marked not in cache:
        cache[marked] = _doubt(corpus, marks, marked.offsets)
    return cache[marked]


def offset_problems(corpus: Corpus, anonymizations: Iterable[Anonymization] = ()) -> list[Problem]:
    """What is refused: the corpus, and each anonymization by itself; where both are, that they may agree in error."""
    doubts = [(corpus.source or corpus.name, corpus_doubt(corpus))]
    doubts += [
        (anonymization.source or anonymization.name, masks_doubt(corpus, anonymization))
        for anonymization in anonymizations
    ]
    return [Problem(file, "", doubt.fault) for file, doubt in doubts if doubt is not None and doubt.refused]


def check_offsets(corpus: Corpus | None, masks: Anonymization | None = None) -> None:
    """Raises InputError where the marks of a corpus, or masks of its texts, do not count characters."""
    doubt = None if corpus is None else corpus_doubt(corpus) if masks is None else masks_doubt(corpus, masks)
    if doubt is not None and doubt.refused:
        checked = corpus if masks is None else masks
        raise InputError(Problem(checked.source or checked.name, "", doubt.fault))  # type: ignore[union-attr]


def offset_notes(corpus: Corpus, anonymizations: Iterable[Anonymization]) -> list[str]:
    """What is too little to be refused, and is said."""
    doubts = [
        ("", corpus_doubt(corpus)),
        *((anonymization.name, masks_doubt(corpus, anonymization)) for anonymization in anonymizations),
    ]
    return [str(Problem("", name, doubt.fault)) for name, doubt in doubts if doubt is not None and not doubt.refused]


def _mentions(document: Document) -> Sequence[tuple[int, int]]:
    return _spans(mention for layer in document.annotations for mention in layer.mentions)


def _spans(marks: Iterable[SpanLike]) -> list[tuple[int, int]]:
    return list(dict.fromkeys((mark.start, mark.end) for mark in marks))


def _doubt(corpus: Corpus, marks: MarksOf, stated: str) -> Doubt | None:
    numbers = _sample_numbers(corpus)
    farthest = _farthest(corpus, numbers)
    beyond = np.asarray(numbers)[farthest > 0]
    above = np.asarray(numbers)[farthest > 1]
    units: dict[Offsets, Ints] = {"bytes": beyond, "utf-16": above}
    if unit := unit_of(stated):
        units = {"characters": above if unit == "utf-16" else beyond}
    results = [_in_unit(corpus, name, group, marks, stated) for name, group in units.items() if len(group)]
    best = min(
        (result for result in results if result is not None),
        key=lambda result: result[0].left - result[0].inside,
        default=None,
    )
    if best is None:
        return None
    doubt, share = best  # of the documents that could be looked at
    documents = documents_at(corpus.documents, np.asarray(numbers))
    marks_in = marks(documents)
    total = sum(len(marks_in(document)) for document in documents)
    if doubt.inside / share <= _INSIDE / 2 * total:
        return doubt
    # Marks inside words that no unit moves count too, and are not mended.
    ascii_documents = [document for document in _sample_evenly(documents, _SAMPLED) if document.text.isascii()]
    spans = [(document, marks_in(document)) for document in ascii_documents]
    split = sum(_is_inside(document.text, *span) for document, pairs in spans for span in pairs)
    plain = sum(len(marks_in(document)) for document in documents if document.text.isascii())
    inside = doubt.inside / share + split / max(1, sum(len(pairs) for _, pairs in spans)) * plain
    mended = (doubt.inside - doubt.left) / share
    enough = doubt.inside - doubt.left >= _FEWEST
    return doubt._replace(refused=enough and inside > _INSIDE * total and mended > inside / 2)


def _sample_numbers(corpus: Corpus) -> range:
    """All documents where they are in memory and not very many; else some at even distances."""
    if isinstance(corpus.documents, list | tuple) and len(corpus) <= _LARGE:
        return range(len(corpus))
    return range(0, len(corpus), max(1, -(-len(corpus) // _SPREAD)))


def _farthest(corpus: Corpus, numbers: range) -> Bytes:
    """How far the characters of some documents reach; a survey told where documents would have to be made for it."""
    if isinstance(corpus.documents, list | tuple):
        return np.array([reach_of(corpus.documents[number].text) for number in numbers], dtype=np.uint8)
    return corpus.survey.farthest[numbers.start : numbers.stop : numbers.step]


def _sample_evenly(documents: S, most: int) -> S:
    return documents[:: max(1, -(-len(documents) // most))]


def _in_unit(corpus: Corpus, name: Offsets, numbers: Ints, marks: MarksOf, stated: str) -> tuple[Doubt, float] | None:
    """How many marks are inside words as they are taken and in a unit; nothing where the unit is no better."""
    looked = documents_at(corpus.documents, _sample_evenly(numbers, _MAX_DOCUMENTS))
    marks_in = marks(looked)
    moved = inside = remaining = 0
    first = ""
    for document in looked:
        text, spans = document.text, marks_in(document)
        if stated_unit := unit_of(stated):  # those that are none of the text are told of where they are paired with it
            spans = [(start, end) for start, end in spans if 0 <= start < end <= len(text)]
        if not spans:
            continue
        flat = [offset for span in spans for offset in span]
        if stated_unit:  # as the file has them, which may have been characters all along
            other = np.array(from_code_points(text, flat, stated_unit), dtype=np.int64)
            other[other > len(text)] = -1
        else:
            other = places_or_none(text, flat, unit_of(name) or "code points")
        for (start, end), (to, until) in zip(spans, other.reshape(-1, 2).tolist(), strict=True):
            if (start, end) == (to, until):
                continue
            moved += 1
            if _is_inside(text, start, end):
                inside += 1
                first = first or document.id
            remaining += to < 0 or until < 0 or _is_inside(text, to, until)
    if inside <= _INSIDE * moved or 2 * remaining >= inside:
        return None
    return Doubt(name, inside, moved, remaining, first, False), len(looked) / len(numbers)


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether a mark begins or ends inside a word."""
    return _splits(text[max(0, start - 1) : start + 1], start) or _splits(text[end - 1 : end + 1], end)


def _splits(around: str, position: int) -> bool:
    """Whether the two characters on both sides of a place are of one word."""
    return position > 0 and len(around) == 2 and around.isalnum() and not _UNSPACED.search(around)
