"""What annotators said of the same things, as arrays: of every item, which mention of which layer holds there.

An item is a part of the text between borders of mentions, which weighs as much as it has characters; a span that
somebody marked; or a place where somebody's mention starts. So nothing here grows with the characters of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.data.documents import Document
from showthrough.data.layout.gold import AnnotationLayers
from showthrough.data.layout.spans import count_before, expand_ranges, highest
from showthrough.studies.agreement._shared_documents import status_of
from showthrough.studies.agreement.values import Attribute, Unit

UNMARKED: Final = 0  # the first category of every attribute
# What need not be masked is as unmarked; what may be masked need not be.
_MASKING: dict[str | None, int] = {"NO_MASK": UNMARKED, "MAY_MASK": UNMARKED, "QUASI": 1, "DIRECT": 2}


class Categories:
    """Categories of each attribute by number, more of them as they are met; the first is a mark that is not there."""

    def __init__(self) -> None:
        self.names: dict[Attribute, dict[str | None, int]] = {
            "type": {},
            "identifier": {level: number + 1 for level, number in _MASKING.items()},
            "confidential": {},
            "masking": {},
        }

    def number(self, attribute: Attribute, name: str | None) -> int:
        numbers = self.names[attribute]
        return numbers.setdefault(name, len(numbers) + 1)

    @property
    def types(self) -> list[str]:
        """In the order of their numbers."""
        return [name or "" for name in self.names["type"]]


@dataclass(frozen=True)
class SharedMentions:
    """All mentions of some shared documents, the stronger ones later: where two overlap, the later one holds.

    Stronger is direct over quasi over no mask; of these the longer, then the one that starts first, then the first.
    """

    documents: Sequence[Document]
    layers: AnnotationLayers
    bounds: Ints
    start: Ints  # in the span layout
    end: Ints
    layer: Ints
    of: dict[Attribute, Ints]  # the category of each mention

    @classmethod
    def from_documents(cls, documents: Sequence[Document], categories: Categories) -> SharedMentions:
        bounds = np.cumsum([0, *(len(document.text) + 1 for document in documents)], dtype=np.int64)
        layers = AnnotationLayers.of(documents, bounds)
        marks = [mark for mentions in layers.mentions for mark in mentions]
        layer = layers.of_mentions
        shift = bounds[layers.document[layer]]
        start = np.array([mark.start for mark in marks], dtype=np.int64) + shift
        end = np.array([mark.end for mark in marks], dtype=np.int64) + shift
        number = categories.number
        of: dict[Attribute, Ints] = {
            "type": np.array([number("type", mark.entity_type) for mark in marks], dtype=np.int64),
            "identifier": np.array([number("identifier", mark.identifier) for mark in marks], dtype=np.int64),
            "confidential": np.array([number("confidential", status_of(mark)) for mark in marks], dtype=np.int64),
            "masking": np.array([_MASKING[mark.identifier] for mark in marks], dtype=np.int64),
        }
        order = np.lexsort((-np.arange(len(marks)), -start, end - start, of["identifier"]))
        codes = {attribute: code[order] for attribute, code in of.items()}
        return cls(documents, layers, bounds, start[order], end[order], layer[order], codes)

    @cached_property
    def spans(self) -> Items:
        """Spans with both their ends."""
        length = self.end - self.start
        key = self.start * (length.max(initial=0) + 1) + length
        _, first, item = np.unique(key, return_index=True, return_inverse=True)
        return self._items(self.document[first], np.ones(len(first)), item, self.start[first], self.end[first])

    @cached_property
    def starts(self) -> Items:
        """Places where mentions start; the end is that of the first mention that starts there."""
        distinct, first, item = np.unique(self.start, return_index=True, return_inverse=True)
        return self._items(self.document[first], np.ones(len(distinct)), item, distinct, self.end[first])

    @cached_property
    def characters(self) -> Items:
        """Spans between borders: whoever marked one of its characters marked all."""
        ends = self.bounds[1:] - 1
        borders = np.unique(np.concatenate([self.bounds[:-1], ends, self.start, self.end]))
        inside = np.isin(borders, ends, invert=True)  # what follows the end of a text is the line feed
        low, high = borders[:-1][inside[:-1]], borders[1:][inside[:-1]]
        document = np.searchsorted(self.bounds, low, side="right") - 1
        blank = self._items(document, (high - low).astype(np.float64), np.zeros(0, dtype=np.int64), low, high)
        first, last = np.searchsorted(low, self.start), np.searchsorted(low, self.end)
        base = blank.base[self.layer] - blank.first[self.document]
        position, top = highest(base + first, base + last, np.arange(len(first)))
        blank.mark[position] = top
        return blank

    @property
    def document(self) -> Ints:
        """The document of each mention."""
        return self.layers.document[self.layer]

    def unit(self, unit: Unit) -> Items:
        return {"characters": self.characters, "spans": self.spans, "starts": self.starts}[unit]

    def find_touched(self, items: Items) -> Ints:
        """For each place on the line of some items, whether the layer marked any character of the item."""
        segments = self.characters
        covered = count_before(segments.mark >= 0)
        item, layer = items.cells
        base = segments.base[layer] - segments.first[items.document[item]]
        first = np.searchsorted(segments.start, items.start[item])
        last = np.searchsorted(segments.start, items.end[item])
        return np.asarray(covered[base + last] > covered[base + first], dtype=np.int64)

    def _items(self, document: Ints, weight: Floats, item: Ints, start: Ints, end: Ints) -> Items:
        """Items of documents in order; `item` is that of each mention, of which the strongest holds."""
        number = np.bincount(document, minlength=len(self.documents))
        size = number[self.layers.document]
        base, first = np.cumsum(size) - size, np.cumsum(number) - number
        mark = np.full(int(size.sum()), -1, dtype=np.int64)
        if len(item):
            # Of several written to one place the last stays.
            mark[base[self.layer] - first[self.document] + item] = np.arange(len(item))
        return Items(self, document, weight, start, end, base, first, mark)


@dataclass(frozen=True)
class Items:
    """Things that all annotators of a document said something of; each layer has its own part of the line."""

    marks: SharedMentions
    document: Ints  # of an item
    weight: Floats
    start: Ints  # in the span layout
    end: Ints
    base: Ints  # where a layer's part starts on the line
    first: Ints  # the first item of a document
    mark: Ints  # for each place on the line: the mention that holds there, or -1

    def __len__(self) -> int:
        return len(self.document)

    @cached_property
    def cells(self) -> tuple[Ints, Ints]:
        """For each place on the line: the item and the layer."""
        document = self.marks.layers.document
        size = np.bincount(self.document, minlength=len(self.marks.documents))
        layer, item = expand_ranges(self.first[document], self.first[document] + size[document])
        return item, layer

    def categories(self, attribute: Attribute) -> Ints:
        """For each place on the line: the category."""
        codes = np.append(self.marks.of[attribute], UNMARKED)
        return np.asarray(codes[self.mark])

    @property
    def raters(self) -> Ints:
        """How many annotators each item has."""
        return self.marks.layers.count[self.document]
