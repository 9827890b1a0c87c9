"""Soundness of author masking: does the text still say what it said?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import Problem, ResourceError
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES
from showthrough.families.authorship.family import OVERLAP
from showthrough.families.authorship.passages import PassagePair, passages
from showthrough.metrics.base import HEADLINE, Metric, Role, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import STS_MODEL, VECTORS, WORDNET, Resources
from showthrough.models.names import STS
from showthrough.models.word_vectors import no_vectors
from showthrough.models.wordnet import WordNet
from showthrough.statistics.rows import Rows, Totals

UNCHANGED = "unchanged"
MOST = 5.0
MOST_PASSAGES = 20  # of a document that are kept for a reader
_ENGLISH = "en"
_MOVED = 0.17  # what other vectors, or none, made of the mean of PAN's submission B, which rewrites much


@dataclass(frozen=True)
class Soundness(Metric):
    """How similar the words of each passage are to the original's, from 0 (unlike) to 5 (the same).

    Potthast, Hagen and Stein 2016 (PAN, author masking). Passages are those of a submission. For any other
    anonymization they are the sentences of the original, untouched ones too. `overlap` matches every content word with
    the most similar one of the other text: 1 for a common lemma or most common synset, 0.5 for a common synset, else
    the cosine of their vectors where both have one, else 0.15. `nli:` asks a model whether each passage follows
    from the other.

    STS(p) = 5 · (mean best match of words before + mean best match of words after) / 2; soundness is its mean over
    passages

    The part `unchanged` is the share of passages that stayed the same, apart from white space.

    >>> sums = {"sts": np.array(10.0 + 3.75), "passages": np.array(3.0), "unchanged": np.array(2.0)}
    >>> Soundness().combine(sums)[HEADLINE].round(3).item()  # two as they were, one that says three quarters
    4.583
    """

    group = "utility"
    title = "Soundness"
    roles: ClassVar[tuple[Role, ...]] = ("meaning",)
    neutral: ClassVar[tuple[str, ...]] = (UNCHANGED,)
    unbounded: ClassVar[tuple[str, ...]] = (HEADLINE,)
    slow = True
    tells = "how much of what sentences say is left"
    undefined = "no document has a passage with any text"

    vectors: str = parameter("", "word vectors of overlap: spacy:PIPELINE, or a GloVe or word2vec text file")
    similarity: str = parameter(OVERLAP, "what compares passages: overlap, st:MODEL, tokens:MODEL, nli:MODEL, a folder")

    def __post_init__(self) -> None:
        super().__post_init__()
        STS.parse(self.similarity)

    @property
    def models(self) -> dict[str, str]:
        if self.similarity != OVERLAP:
            return {STS_MODEL: self.similarity}
        return {WORDNET: WORDNET, **({VECTORS: self.vectors} if self.vectors else {})}

    @property
    def missing_resource(self) -> str:
        try:
            if self.similarity == OVERLAP:
                WordNet()
        except ResourceError as error:
            return f"{error}; other metrics do without it"
        return ""

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        uses_vectors = self.vectors and self.similarity == OVERLAP
        return (*self.fixed, *(() if uses_vectors else ((VECTORS, "none"),)))

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        if not self.vectors or self.similarity != OVERLAP or not no_vectors(self.vectors):
            return []
        expected = "expected spacy:PIPELINE, or a text file of word vectors"
        return [Problem(self.vectors, "", f"no such file of word vectors; {expected}")]

    @property
    def only_language(self) -> str:
        return _ENGLISH if self.similarity == OVERLAP else ""

    def limits(self, part: str) -> tuple[float, float]:
        return 0.0, 1.0 if part == UNCHANGED else MOST

    def unit_change(self, part: str, totals: Totals) -> float:
        """All passages of a document at the other end."""
        return self.limits(part)[1]

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        documents = chunk.corpus.documents
        sts = chunk.resources.sts(self.similarity, self.vectors)

        def rows(anonymized: Anonymized) -> Rows:
            every = [passages(document, anonymized.anonymization) for document in documents]
            changed = [[passage for passage in group if not passage.unchanged] for group in every]
            similarities = sts.similarities(
                [[(passage.original, passage.written) for passage in group] for group in changed]
            )
            values = [_zero_blanks(group, scores) for group, scores in zip(changed, similarities, strict=True)]
            counts = np.array([len(group) for group in every], dtype=np.float64)
            same = counts - [len(group) for group in changed]
            totals = MOST * same + [float(group.sum()) for group in values]
            triples = zip(documents, changed, values, strict=True)
            evidence = {
                document.id: _worst_passages(group, value) for document, group, value in triples if (value < MOST).any()
            }
            return replace(Rows.of(sts=totals, passages=counts, unchanged=same), evidence=evidence)

        return rows

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        """How much depends on vectors; PAN did not name its own."""
        sums = [rows.totals() for name, rows in tables.items() if name not in REFERENCES]
        if self.similarity != OVERLAP or all(totals["passages"] == totals[UNCHANGED] for totals in sums):
            return []
        without = "" if self.vectors else "has no word vectors here, and "
        return [
            f"soundness {without}depends on its word vectors: other vectors changed it by up to {_MOVED} on a PAN "
            f"submission that rewrites much. A smaller difference from numbers with other vectors, such as PAN's "
            f"own, shows nothing"
        ]

    def combine(self, totals: Totals) -> dict[str, Floats]:
        counted = totals["passages"]
        return {HEADLINE: ratio(totals["sts"], counted), UNCHANGED: ratio(totals[UNCHANGED], counted)}


def _zero_blanks(changed: Sequence[PassagePair], values: Floats) -> Floats:
    """Where nothing stands any more nothing is said, whatever compares."""
    is_present = np.array(
        [bool(passage.original.strip() and passage.written.strip()) for passage in changed], dtype=bool
    )
    return np.where(is_present, np.clip(values, 0.0, MOST), 0.0)


def _worst_passages(changed: Sequence[PassagePair], values: Floats) -> dict[str, Any]:
    order = np.argsort(values, kind="stable")[:MOST_PASSAGES].tolist()
    return {
        "passages": [
            {"start": changed[index].start, "end": changed[index].end, "value": float(values[index])}
            for index in order
            if values[index] < MOST
        ]
    }
