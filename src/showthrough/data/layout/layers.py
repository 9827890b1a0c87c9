"""Layers: one annotator's work on one document, each a stretch of a line of their own.

A thing of a document can be copied onto every layer of it. So several annotators need no loop, and where there is one,
a layer is a document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from showthrough.data.documents import Document, Mention
from showthrough.data.layout.spans import Ints, expand_ranges


@dataclass(frozen=True)
class AnnotationLayers:
    """All layers of some documents, in the order of these."""

    mentions: Sequence[Sequence[Mention]]  # of a layer
    document: Ints  # of a layer
    base: Ints  # where a layer starts on the line
    shift: Ints  # from the axis to a layer
    count: Ints  # layers of a document: an annotator who marked nothing counts too

    @classmethod
    def of(cls, documents: Sequence[Document], bounds: Ints) -> AnnotationLayers:
        mentions = [annotation.mentions for document in documents for annotation in document.annotations]
        count = np.array([len(document.annotations) for document in documents], dtype=np.int64)
        document = np.repeat(np.arange(len(count)), count)
        size = np.diff(bounds)[document]
        base = np.cumsum(size) - size
        return cls(mentions, document, base, base - bounds[document], count)

    @cached_property
    def of_mentions(self) -> Ints:
        """The layer of each mention, layer after layer."""
        return np.repeat(np.arange(len(self.mentions)), np.array(list(map(len, self.mentions)), dtype=np.int64))

    def copies(self, document: Ints) -> tuple[Ints, Ints]:
        """For things of documents: the number of the thing and the layer, of every copy."""
        first = (np.cumsum(self.count) - self.count)[document]
        return expand_ranges(first, first + self.count[document])
