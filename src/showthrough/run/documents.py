"""The documents that a run keeps for its readers: what stood there, what was marked in it, and what was masked.

All of a corpus are kept up to a limit; of a larger one those in which most can still be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from showthrough.core.arrays import AnyArray, Bools, Floats, Ints
from showthrough.core.errors import join_names, shorten
from showthrough.data.documents import Corpus, Document, chunk_ranges, documents_at, span_fault
from showthrough.data.layout.coverage import Replacements
from showthrough.data.layout.span_index import SpanIndex
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import paint
from showthrough.data.masks import Anonymization, Mask, TypedMask
from showthrough.metrics.chunk import Chunk, FunctionWordMentions, HidingRule
from showthrough.models import Resources
from showthrough.models.lexicon import is_punctuation

MOST_DOCUMENTS = 1_000
MOST_CHARACTERS = 10_000_000

Spans = list[tuple[int, int]]


class RunTexts(msgspec.Struct, frozen=True):
    """Documents with their annotations, and what each anonymization masks in them.

    `free` are the function words inside mentions, which may stay readable. With them, and with what the metrics asked
    of mentions that have no other words and whether they read replacements, a reader can tell what leaks exactly as
    the metrics did, without the source of function words.
    """

    documents: list[Document]
    masks: dict[str, list[list[TypedMask]]]  # by anonymization, in the order of the documents
    free: list[Spans]  # in the order of the documents
    function_words: str
    chosen: Literal["all", "riskiest", "first"]
    function_word_mentions: FunctionWordMentions = "asked"
    replacements: Replacements = "read"

    def corpus(self, name: str = "corpus") -> Corpus:
        return Corpus(self.documents, name)

    def anonymization(self, name: str) -> Anonymization:
        ids = [document.id for document in self.documents]
        return Anonymization(dict(zip(ids, self.masks[name], strict=True)), name)

    def faults(self, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """What does not fit together, as place and message."""
        count = len(self.documents)
        if set(self.masks) != set(names):
            yield "texts.masks", f"found {join_names(self.masks)}; expected {join_names(names)}"
        if len(self.free) != count or any(len(masks) != count for masks in self.masks.values()):
            yield "texts", f"expected masks and free words for each of the {count} documents"
            return
        for number, document in enumerate(self.documents):
            for problem in document.problems():
                yield f"texts: {problem.place}", problem.message
            masks = [mask for by_document in self.masks.values() for mask in by_document[number]]
            for start, end in (*self.free[number], *((mask.start, mask.end) for mask in masks)):
                if not 0 <= start < end <= len(document.text):
                    yield f"texts: document {shorten(document.id)}", span_fault(start, end, len(document.text))


def too_many(corpus: Corpus) -> bool:
    """Whether a run cannot keep them all."""
    return len(corpus) > MOST_DOCUMENTS or int(corpus.survey.lengths.sum()) > MOST_CHARACTERS


class Ranking:
    """Document numbers, those at most risk first, as many as are ever kept.

    By the most that any anonymization leaks, then as they stand in the corpus. Documents come some at a time: their
    numbers, and their leaks for each kind of leak and each anonymization; the first kind weighs most.

    >>> ranking, direct, quasi = Ranking(), np.array([0, 1, 0]), np.array([4, 0, 1])
    >>> ranking.add(np.arange(3), [[direct], [quasi]])
    >>> ranking.numbers.tolist()
    [1, 0, 2]
    """

    def __init__(self) -> None:
        self.numbers: Ints = np.zeros(0, dtype=np.int64)
        self._most = np.zeros((0, 0))

    def add(self, numbers: Ints, leaks: Sequence[Sequence[Floats]]) -> None:
        worst = np.array([np.max(leak, 0) for leak in leaks], dtype=np.float64)
        numbers = np.concatenate((self.numbers, numbers))
        most = np.hstack((self._most, worst)) if self._most.size else worst
        order = np.lexsort([numbers, *(-kind for kind in reversed(most))])[:MOST_DOCUMENTS]  # the last key first
        self.numbers, self._most = numbers[order], most[:, order]


def select_fitting(order: Ints, lengths: Ints) -> list[int]:
    """The first of them, as many as fit; at least one."""
    total = np.cumsum(lengths[order[:MOST_DOCUMENTS]])
    fitting = max(1, int(np.searchsorted(total, MOST_CHARACTERS, side="right")))
    return list(map(int, order[:fitting]))


class KeptDocument(NamedTuple):
    """A document with what a run keeps beside it."""

    document: Document
    masks: dict[str, list[TypedMask]]  # by anonymization
    free: Spans


class DocumentKeeper:
    """Keeps, while chunks go by, the documents at most risk so far: the run need not read them again."""

    def __init__(self, hiding: HidingRule, lengths: AnyArray) -> None:
        self.hiding = hiding
        self.documents: dict[int, KeptDocument] = {}
        self._lengths = lengths  # of all documents of the corpus
        self._ranking = Ranking()

    def take(
        self,
        numbers: range,
        leaks: Sequence[Sequence[Floats]],
        chunk: Chunk,
        anonymizations: Sequence[Anonymization],
    ) -> None:
        """Looks at the documents of a chunk, by their numbers in the corpus and their leaks."""
        self._ranking.add(np.arange(numbers.start, numbers.stop), leaks)
        chosen = select_fitting(self._ranking.numbers, self._lengths)
        if not (new := sorted(number for number in chosen if number in numbers)):
            return
        for number in self.documents.keys() - {*chosen}:
            del self.documents[number]
        free = list(free_words(chunk, self.hiding))
        for number in new:
            document = chunk.axis.documents[number - numbers.start]
            masks = {each.name: list(map(_as_typed, each.of(document.id))) for each in anonymizations}
            self.documents[number] = KeptDocument(document, masks, free[number - numbers.start])


def texts_of(
    corpus: Corpus,
    anonymizations: Sequence[Anonymization],
    order: Ints | None,
    hiding: HidingRule,
    resources: Resources,
    free: list[Spans] | None = None,
    keeper: DocumentKeeper | None = None,
) -> RunTexts:
    """What a run keeps. `order` ranks the documents where there are too many; `None` takes the first.

    `free` are the words of all documents that may stay readable, where somebody found them already. A `keeper` may
    have what is asked for.
    """
    chosen: Literal["all", "riskiest", "first"] = "all"
    if too_many(corpus):
        chosen = "first" if order is None else "riskiest"
        first = np.arange(min(len(corpus), MOST_DOCUMENTS)) if order is None else order
        # Ascending: of documents that are packed together those of one pack follow each other.
        numbers = np.sort(select_fitting(first, corpus.survey.lengths))
        if keeper and keeper.hiding == hiding and keeper.documents.keys() >= {*numbers.tolist()}:
            kept = [keeper.documents[number] for number in numbers.tolist()]
            by_name = {each.name: [entry.masks[each.name] for entry in kept] for each in anonymizations}
            words = [entry.free for entry in kept]
            return RunTexts(
                [entry.document for entry in kept], by_name, words, hiding.function_words, chosen, *hiding[1:]
            )
        documents = documents_at(corpus.documents, numbers)
    else:
        documents = list(corpus)
    ids = [document.id for document in documents]
    parts = [anonymization.part(ids) for anonymization in anonymizations]
    masks = {part.name: [list(map(_as_typed, part.of(document_id))) for document_id in ids] for part in parts}
    if free is None or chosen != "all":
        lengths = np.array([len(document.text) for document in documents], dtype=np.int64)
        ranges = chunk_ranges(lengths)
        chunks = (Chunk(Corpus(documents[some.start : some.stop], corpus.name), resources) for some in ranges)
        free = [spans for chunk in chunks for spans in free_words(chunk, hiding)]
    return RunTexts(documents, masks, free, hiding.function_words, chosen, *hiding[1:])


def _as_typed(mask: Mask) -> TypedMask:
    return TypedMask(mask.start, mask.end, mask.replacement, mask.entity_type)


def free_words(chunk: Chunk, hiding: HidingRule) -> Iterator[Spans]:
    """Of each document, the spans inside mentions that are ignorable and more than punctuation."""
    axis = chunk.axis
    marked = np.zeros(len(axis) + 1, dtype=bool)
    paint(marked, axis.gold.start, axis.gold.end)
    solid = np.diff(chunk.span_index(hiding).before) > 0
    marked[:-1] &= ~solid & ~axis.table(is_punctuation).view(np.bool_)
    edges = np.flatnonzero(np.diff(marked, prepend=False))
    start, end = edges[::2], edges[1::2]
    bounds = np.searchsorted(start, axis.bounds)
    for number, base in enumerate(axis.bounds[:-1].tolist()):
        window = slice(bounds[number], bounds[number + 1])
        yield list(zip((start[window] - base).tolist(), (end[window] - base).tolist(), strict=True))


def span_index_of(axis: SpanLayout, texts: RunTexts) -> SpanIndex:
    """The span index that the metrics measured with, in a span layout of these texts."""

    def ignorable(axis: SpanLayout) -> Bools:
        canvas: Bools = axis.table(is_punctuation).view(np.bool_)
        pairs = zip(axis.bounds.tolist(), texts.free, strict=False)
        spans = [(base + low, base + high) for base, free in pairs for low, high in free]
        paint(canvas, *np.array(spans, dtype=np.int64).reshape(-1, 2).T)
        return canvas

    hiding = HidingRule(texts.function_words, texts.function_word_mentions, texts.replacements)
    return axis.span_index(texts.function_words, ignorable, hiding.word_demand)
