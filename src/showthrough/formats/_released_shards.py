"""Released texts that lie in other files than their originals: kept until all are read, then aligned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from showthrough.core.errors import HALF_CHARACTER, InputError, Problem, at_document
from showthrough.data.documents import Corpus
from showthrough.data.pairing import stranger_fault
from showthrough.data.sharded import Joining, encode_masks
from showthrough.engines.base import Engine
from showthrough.formats.base import Input, Masks
from showthrough.storage.columns.index import Finder
from showthrough.storage.columns.spill import ByteStore
from showthrough.storage.columns.strings import Strings
from showthrough.storage.reading import ENOUGH, fail


class ReleasedShards:
    """Texts of one file after the other, on their way to masks."""

    def __init__(self, small: int) -> None:
        self._ids: list[Strings] = []
        self._texts = ByteStore(small)

    def add(self, ids: Strings, texts: Iterable[bytes]) -> None:
        self._ids.append(ids)
        self._texts.extend(texts)

    def join(self, masks: Joining, corpus: Corpus, engine: Engine, file: Input) -> None:
        """Aligns all of them, in the order of the corpus; raises InputError for documents that it does not have."""
        if not self._ids:
            return
        index = Finder(Strings.concatenate(self._ids))
        self._check_ids(index, corpus, file)
        for ids, pieces in engine.in_order(_aligned_chunk, self._tasks(index, corpus, file.path)):
            masks.add(Strings.of(ids), pieces)

    def _check_ids(self, index: Finder, corpus: Corpus, file: Input) -> None:
        in_corpus = np.zeros(len(index.strings), dtype=bool)
        for numbers in corpus.chunks():
            positions = index.numbers(corpus.ids[numbers.start : numbers.stop])
            in_corpus[positions[positions >= 0]] = True
        if not in_corpus.all():
            foreign = stranger_fault(corpus)
            strangers = (index.strings[number] for number in np.flatnonzero(~in_corpus)[: ENOUGH + 1].tolist())
            raise InputError(Problem(str(file.path), at_document(key), foreign) for key in strangers)

    def _tasks(self, index: Finder, corpus: Corpus, path: Path) -> Iterator[tuple[Corpus, dict[str, bytes], Path]]:
        for numbers in corpus.chunks():
            ids = corpus.ids[numbers.start : numbers.stop]
            positions = index.numbers(ids)
            present = np.flatnonzero(positions >= 0).tolist()
            if present:
                texts = self._texts.taken(positions[present])
                yield (
                    corpus.part(numbers, lazy=True),
                    dict(zip((ids[number] for number in present), texts, strict=True)),
                    path,
                )


def _aligned_chunk(part: Corpus, released: dict[str, bytes], path: Path) -> tuple[list[str], list[bytes]]:
    from showthrough.data.alignment import align  # here: it is for texts that lie in other files

    masks = {
        document.id: align(document.text, released[document.id].decode("utf-8", "surrogatepass"))
        for document in part
        if document.id in released
    }
    return list(masks), encoded_masks(masks, path)


def encoded_masks(masks: Masks, path: Path) -> list[bytes]:
    """Masks document by document; raises InputError where one writes half a character."""
    contents = []
    for key, document_masks in masks.items():
        try:
            contents.append(encode_masks(document_masks))
        except UnicodeEncodeError:
            raise fail(path, HALF_CHARACTER, at_document(key)) from None
    return contents
