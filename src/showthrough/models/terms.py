"""Terms: the spans of a text that carry information one by one.

Named entities, then noun chunks that do not overlap them, then what tokens remain (Manzanares-Salor et al. 2025). Or,
without a model, the words alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import ResourceError
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.models.cache import Arrays, Cache, question
from showthrough.models.pipeline import CHUNKING, SENTENCES, TOKENS, Pipeline
from showthrough.models.settings import Watch

VERSION = 1  # of the answers


@dataclass(frozen=True)
class Terms:
    """The terms of one text in their order, and its sentences."""

    start: Ints
    end: Ints
    sentences: Ints  # sentences × (start, end); none where the source does not know any


class TermSource(Protocol):
    """Finds the terms of every document of a span layout, by positions in it, and its sentences if asked for them."""

    def terms(self, axis: SpanLayout, sentences: bool = False) -> list[Terms]: ...


class WordTerms:
    """The tokens of the span layout, one by one; of sentences it knows nothing."""

    def terms(self, axis: SpanLayout, sentences: bool = False) -> list[Terms]:
        tokens = axis.tokens
        cuts = np.searchsorted(tokens.start, axis.bounds)
        none = np.zeros((0, 2), dtype=np.int64)
        return [
            Terms(tokens.start[low:high] - base, tokens.end[low:high] - base, none)
            for low, high, base in zip(cuts[:-1], cuts[1:], axis.bounds[:-1], strict=True)
        ]


class SpacyTerms(Pipeline):
    """Terms as a spaCy pipeline sees them; with `chunks=False` its tokens alone."""

    def __init__(self, name: str, cache: Cache, watch: Watch | None = None, chunks: bool = True) -> None:
        super().__init__(name, 'chunking="none"', watch=watch)
        self.cache = cache
        self.chunks = chunks

    def terms(self, axis: SpanLayout, sentences: bool = False) -> list[Terms]:
        texts = [document.text for document in axis.documents]
        parsed = sentences or self.chunks
        names = [question("terms", VERSION, self.revision, self.chunks, parsed, text) for text in texts]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            components = CHUNKING if self.chunks else SENTENCES if sentences else TOKENS
            for read in self.read([texts[index] for index in indices], components, "terms"):
                yield {"terms": _terms(read, self.chunks, self.name), "sentences": _sentences(read)}

        entries = self.cache.through(names, answer)
        tables = ((_ints(entry["terms"]), _ints(entry["sentences"])) for entry in entries)
        return [Terms(terms[:, 0], terms[:, 1], sentences) for terms, sentences in tables]


def _terms(read: Any, chunks: bool, name: str) -> Ints:
    spans: list[tuple[int, int]] = []
    in_span = np.zeros(len(read), dtype=bool)
    if chunks:
        try:
            candidates = [*read.ents, *read.noun_chunks]
        except (NotImplementedError, ValueError) as error:  # spaCy's, for a language without rules and without a parse
            raise ResourceError(
                f'the spaCy pipeline {name!r} finds no noun chunks: choose chunking="spacy-tokens:{name}" or "none"'
            ) from error
        for chunk in candidates:
            if not in_span[chunk.start : chunk.end].any():
                in_span[chunk.start : chunk.end] = True
                spans.append((chunk.start_char, chunk.end_char))
    spans += [
        (token.idx, token.idx + len(token)) for token in read if not in_span[token.i] and not token.text.isspace()
    ]
    return _ints(sorted(spans))


def _sentences(read: Any) -> Ints:
    if not read.has_annotation("SENT_START"):
        return _ints([])
    return _ints([(sentence.start_char, sentence.end_char) for sentence in read.sents])


def _ints(pairs: Any) -> Ints:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
