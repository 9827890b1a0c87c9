"""Who read what: the documents that two or more people read, and which people share them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import join_names
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.silver import is_silver

_SEVERAL = 2


def people(document: Document) -> tuple[Annotation, ...]:
    """What people marked in a document, one annotation for each of them: a name that occurs twice is one person."""
    layers: dict[str, Annotation] = {}
    for annotation in document.annotations:
        if not is_silver(annotation.annotator):
            earlier = layers.get(annotation.annotator)
            layers[annotation.annotator] = (
                Annotation(annotation.annotator, earlier.mentions + annotation.mentions) if earlier else annotation
            )
    return tuple(layers.values())


def shared_documents(corpus: Corpus) -> Iterator[Document]:
    """Those of a corpus that two or more people read, with what people marked alone."""
    for document in corpus:
        layers = people(document)
        if len(layers) >= _SEVERAL:
            yield Document(document.id, document.text, layers, document.group)


def status_of(mention: Mention) -> str | None:
    """What a mention says of being confidential; white space says nothing."""
    status = mention.confidential
    return None if status is None or not status.strip() else status


def drawn_together(corpus: Corpus) -> Ints:
    """Of each shared document the number of what is drawn with it: its unit, or itself.

    They are numbered by their names, so that the same documents in another order have the same intervals.
    """
    survey, groups = corpus.survey, corpus.units.labels
    keys = [(groups[index], "") if groups and groups[index] else ("", survey.ids[index]) for index in survey.shared]
    number = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([number[key] for key in keys], dtype=np.int64)


@dataclass(frozen=True)
class ReaderCounts:
    """What one look at all documents tells of who read them."""

    documents: int
    shared: int
    annotators: dict[str, int]  # people, and how many documents each read
    pairs: dict[tuple[str, str], int]  # and how many each two of them share
    programs: tuple[str, ...]
    mentions: int  # by people, in shared documents
    stated: bool  # whether somebody said of a shared mention how it identifies
    confidential: bool  # or whether it is confidential

    @classmethod
    def of(cls, corpus: Corpus) -> ReaderCounts:
        read: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        programs: set[str] = set()
        mentions = shared = 0
        stated = confidential = False
        for document in corpus:
            layers = people(document)
            read.update(annotation.annotator for annotation in layers)
            programs.update(
                annotation.annotator for annotation in document.annotations if is_silver(annotation.annotator)
            )
            if len(layers) < _SEVERAL:
                continue
            shared += 1
            pairs.update(combinations(sorted(annotation.annotator for annotation in layers), 2))
            for layer in layers:
                mentions += len(layer.mentions)
                stated = stated or any(mention.stated for mention in layer.mentions)
                confidential = confidential or any(map(status_of, layer.mentions))
        return cls(
            len(corpus), shared, dict(sorted(read.items())), dict(pairs), tuple(sorted(programs)),
            mentions, stated, confidential,
        )  # fmt: skip

    @property
    def readers(self) -> int:
        """People who share a document with somebody."""
        return len({name for pair in self.pairs for name in pair})

    @property
    def reason(self) -> str:
        """Why there is no agreement to speak of, in a sentence; empty where there is."""
        if self.shared:
            return ""
        if not self.annotators:
            if self.programs:
                return (
                    f"all annotations are by programs ({join_names(self.programs)}): there are no people who "
                    f"could agree"
                )
            return "no document has annotations: there is nobody to agree"
        if len(self.annotators) == 1:
            return f"one annotator marked this corpus ({join_names(self.annotators)}): there is nobody to agree with"
        return (
            f"the corpus has {len(self.annotators)} annotators, but no document was read by two of them: so their "
            f"agreement cannot be measured"
        )
