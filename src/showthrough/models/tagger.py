"""Function words from the part-of-speech tags of a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from showthrough.data.layout.axis import SpanLayout
from showthrough.data.layout.spans import Bools
from showthrough.models.cache import Arrays, Cache, question
from showthrough.models.lexicon import ALWAYS, is_punctuation
from showthrough.models.pipeline import NO_TAGS, Pipeline
from showthrough.models.settings import Watch

FREE_TAGS = frozenset({"ADP", "PART", "CCONJ", "DET"})
VERSION = 2  # of the answers


class SpacyTagger(Pipeline):
    """A spaCy pipeline, by package name or folder. Its tags are those that the whole pipeline gives.

    The words that TAB's script takes beside the tags ("Mr", "no") are English, and so free in English alone.
    """

    def __init__(self, name: str, cache: Cache | None = None, watch: Watch | None = None) -> None:
        super().__init__(name, 'a word list, function_words="lexicon-en.1"', exclude=(), watch=watch)
        self.cache = cache or Cache(None)

    def ignorable(self, axis: SpanLayout) -> Bools:
        texts = [document.text for document in axis.documents]
        names = [question("function words", VERSION, self.revision, text) for text in texts]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            needed = self.until_last(NO_TAGS)
            for tagged in self.read([texts[index] for index in indices], needed, "function words"):
                always = ALWAYS if tagged.lang_ == "en" else frozenset()
                spans = [
                    (token.idx, token.idx + len(token))
                    for token in tagged
                    if token.pos_ in FREE_TAGS or token.lower_ in always
                ]
                yield {"spans": np.array(spans, dtype=np.int32).reshape(-1, 2)}

        ignorable = axis.table(is_punctuation).view(np.bool_)
        entries = self.cache.through(names, answer)
        for base, entry in zip(axis.bounds.tolist(), entries, strict=False):
            for start, end in entry["spans"].tolist():
                ignorable[base + start : base + end] = True
        return ignorable
