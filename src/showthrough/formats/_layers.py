"""Objects that are layers: each is what one annotator marked in a text, and all that share an id are one document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import at_document
from showthrough.data.documents import Annotation, Document, LazyDocuments, Mention
from showthrough.data.originals import text_digest
from showthrough.formats.lines import LineDocuments
from showthrough.formats.remarks import Remarks
from showthrough.storage.compression import compression_of
from showthrough.storage.reading import collect_results, fail


@dataclass
class LayerGroups:
    """Which objects of a file are of one document: those with one id; without ids, those with one text."""

    path: Path
    documents: dict[bytes, int] = field(default_factory=dict)  # by id or text, their numbers
    numbers: list[int] = field(default_factory=list)  # of the document of each object

    def add(self, layer: Document) -> None:
        key = text_digest(layer.id) if layer.id else b"text" + text_digest(layer.text)
        self.numbers.append(self.documents.setdefault(key, len(self.documents)))

    def join(self, layers: Sequence[Document], remarks: Remarks) -> Sequence[Document]:
        """The documents, in the order in which they begin; lines stay to be decoded."""
        numbers = np.array(self.numbers, dtype=np.int64)
        order = np.argsort(numbers, kind="stable")
        bounds = np.searchsorted(numbers[order], np.arange(len(self.documents) + 1))
        several = np.flatnonzero(np.diff(bounds) > 1).tolist()
        # A packed file cannot be read here and there: what is not in its order is read as a whole.
        apart = isinstance(layers, LineDocuments) and (not several or not compression_of(self.path))
        if apart and isinstance(layers, LineDocuments):
            rows: Sequence[Document] = layers.taken(order)
        else:
            whole = list(layers)
            rows = [whole[number] for number in order.tolist()]

        def look_at(number: int) -> None:
            low, high = int(bounds[number]), int(bounds[number + 1])
            if self._check_layers(rows[low:high]):
                remarks.taken["texts that one annotator answered several times: the marks are taken together"] += 1

        collect_results(several, look_at)
        documents = LayeredDocuments(rows, bounds)
        remarks.numbered += sum(not self._has_id(key) for key in self.documents)
        return documents if apart else list(documents)

    @staticmethod
    def _has_id(key: bytes) -> bool:
        return len(key) == len(text_digest(""))

    def _check_layers(self, layers: Sequence[Document]) -> bool:
        """Raises InputError where the texts differ; whether an annotator occurs twice."""
        if any(layer.text != layers[0].text for layer in layers):
            fault = "occurs with different texts; expected one text, marked by several annotators"
            raise fail(self.path, fault, at_document(layers[0].id))
        names = [annotation.annotator for layer in layers for annotation in layer.annotations]
        return len(set(names)) < len(names)


class LayeredDocuments(LazyDocuments):
    """Documents of one or several layers each, joined when they are asked for; it travels to other processes."""

    def __init__(self, layers: Sequence[Document], bounds: Ints, before: int = 0) -> None:
        self._layers = layers
        self._bounds = bounds
        self._before = before

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def load_range(self, start: int, stop: int) -> Iterator[Document]:
        bounds = self._bounds[start : stop + 1].tolist()
        layers = self._layers[bounds[0] : bounds[-1]]
        for number, low in enumerate(bounds[:-1]):
            yield _document(layers[low - bounds[0] : bounds[number + 1] - bounds[0]], self._before + start + number + 1)

    def window(self, start: int, stop: int) -> LayeredDocuments:
        low, high = int(self._bounds[start]), int(self._bounds[stop])
        cut = getattr(self._layers, "window", None)
        layers = cut(low, high) if cut else self._layers[low:high]
        return LayeredDocuments(layers, self._bounds[start : stop + 1] - low, self._before + start)


def _document(layers: Sequence[Document], number: int) -> Document:
    first = layers[0]
    if len(layers) == 1 and first.id:
        return first
    mentions: dict[str, dict[Mention, None]] = {}
    for annotation in (annotation for layer in layers for annotation in layer.annotations):
        mentions.setdefault(annotation.annotator, {}).update(dict.fromkeys(annotation.mentions))
    annotations = tuple(Annotation(name, tuple(marks)) for name, marks in mentions.items())
    return msgspec.structs.replace(first, id=first.id or str(number), annotations=annotations)
