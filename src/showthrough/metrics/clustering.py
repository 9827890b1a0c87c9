"""What is left to use: whether anonymized documents still fall into the same groups."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from showthrough.axis import Ints
from showthrough.errors import PlanError
from showthrough.masks import Anonymization, apply_masks
from showthrough.metrics.base import HEADLINE, Array, Metric, Rows, Totals, choose, ratio
from showthrough.metrics.kmeans import clusterings, silhouette
from showthrough.resources import Resources
from showthrough.resources.names import EMBEDDING
from showthrough.text import Corpus

MINI_LM = "st:all-MiniLM-L6-v2"
# The marks that the Text Anonymization Evaluator knows by default.
TAE_MARKS = (
    "SENSITIVE", "PERSON", "DEM", "LOC", "ORG", "DATETIME", "QUANTITY", "MISC", "NORP", "FAC", "GPE", "PRODUCT",
    "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE", "DATE", "TIME", "ORDINAL", "CARDINAL", "DATE_TIME", "NRP", "LOCATION",
    "ORGANIZATION", "***",
)  # fmt: skip
_COUNTS = ("min_k", "max_k", "k_multiplier", "n_clusterings", "n_tries")


@dataclass(frozen=True)
class ClusteringAgreement(Metric):
    """How well a clustering of the anonymized documents agrees with that of the originals.

    Pilán et al. 2024 (arXiv:2412.12928), TAE: original and anonymized texts are embedded, mask marks removed, and
    clustered by k-means++ with k = min_k, min_k · k_multiplier, … up to max_k; the k whose clusterings of the originals
    have the best mean cosine silhouette counts, and the agreement is averaged over repeated clusterings. 1: the same
    groups; 0: no relation.

    NMI = 2 · I(original; anonymized) / (H(original) + H(anonymized))

    `mask_marks` are removed as whole words, the longest first: "tae" for TAE's list, "none", or a list with commas.

    >>> from showthrough import Anonymization, Corpus, Document, evaluate
    >>> corpus = Corpus([Document(str(n), "the cat sat" if n < 3 else "a dog ran") for n in range(6)])
    >>> nothing = {"first": Anonymization({str(n): [] for n in range(6)})}
    >>> evaluate(corpus, nothing, metrics=['nmi(embedding="lsa")'])["first", 'nmi(embedding="lsa")'].value
    1.0
    """

    group = "utility"
    scope = "corpus"
    title = "Normalised mutual information of clusterings"
    undefined = "there are fewer documents than clusters"

    embedding: str = MINI_LM
    long_documents: Literal["truncate", "mean"] = "truncate"
    mask_marks: str = "tae"
    min_k: int = 2
    max_k: int = 32
    k_multiplier: int = 2
    n_clusterings: int = 5
    n_tries: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        EMBEDDING.parse(self.embedding)
        choose(self, "long_documents", ("truncate", "mean"))
        if self.embedding == "lsa" and self.long_documents != "truncate":
            raise PlanError(f"long_documents={self.long_documents!r} is for models; lsa takes a text of any length")
        for name in _COUNTS:
            least = 2 if name.endswith(("_k", "multiplier")) else 1
            if getattr(self, name) < least:
                raise PlanError(f"{name}={getattr(self, name)} is out of range; expected {least} or more")
        if self.max_k < self.min_k:
            raise PlanError(f"max_k={self.max_k} is less than min_k={self.min_k}")
        if self.seed < 0:
            raise PlanError(f"seed={self.seed} is out of range; expected 0 or more")

    @property
    def models(self) -> dict[str, str]:
        return EMBEDDING.models(self.embedding)

    def bind(self, corpus: Corpus, resources: Resources) -> Callable[[Anonymization], Rows]:
        # In the order of their names: where a clustering starts is drawn by place, and another order of the same
        # documents must not start elsewhere.
        documents = sorted(corpus, key=lambda document: document.id)
        place = {document.id: number for number, document in enumerate(documents)}
        order = [place[document.id] for document in corpus]
        marks = marks_pattern(self.mask_marks)
        texts = [_without(marks, document.text) for document in documents]
        embed = resources.embedder(self.embedding).fitted(texts, self.long_documents)
        found = self._originals(embed(texts).astype(np.float64))

        def rows(anonymization: Anonymization) -> Rows:
            if found is None:
                return Rows((), np.zeros((len(documents), 0)))
            k, originals = found
            masked = [
                _without(marks, apply_masks(document.text, anonymization.of(document.id))) for document in documents
            ]
            labels = self._clusterings(embed(masked).astype(np.float64), k)
            columns = {}
            for number, (original, anonymized) in enumerate(zip(originals, labels, strict=True)):
                columns[f"original.{number}"] = original[order]
                columns[f"anonymized.{number}"] = _renamed(anonymized, original, k)[order]
            return Rows.named(columns)

        return rows

    def _originals(self, points: Array) -> tuple[int, list[Ints]] | None:
        """The k whose clusterings of the originals are clearest, and those clusterings."""
        best: tuple[float, int, list[Ints]] | None = None
        k = self.min_k
        while k <= min(self.max_k, len(points)):
            labels = self._clusterings(points, k)
            clarity = float(np.mean([silhouette(points, each) for each in labels]))
            if best is None or clarity > best[0]:
                best = (clarity, k, labels)
            k *= self.k_multiplier
        return best[1:] if best else None

    def _clusterings(self, points: Array, k: int) -> list[Ints]:
        # The same seeds for everybody: an anonymization that changes nothing gets the very same clusters.
        return clusterings(points, k, self.n_clusterings, self.n_tries, self.seed)

    def counted(self, rows: Rows) -> Rows:
        """How many documents stand in each pair of clusters, a column each: sums of these are all that NMI needs."""
        labels = dict(zip(rows.columns, rows.values.T.astype(np.int64), strict=True))
        columns = {}
        for number in range(len(labels) // 2):
            pairs = np.stack([labels[f"original.{number}"], labels[f"anonymized.{number}"]])
            for one, two in np.unique(pairs, axis=1).T.tolist():
                columns[f"{number}.{one}.{two}"] = (pairs[0] == one) & (pairs[1] == two)
        return Rows.named(columns) if columns else Rows((), np.zeros((len(rows.values), 0)))

    def combine(self, totals: Totals) -> dict[str, Array]:
        cells = [tuple(map(int, column.split("."))) for column in totals]
        numbers = sorted({cell[0] for cell in cells})
        if not numbers:
            return {HEADLINE: np.array(np.nan)}
        values = []
        for number in numbers:
            here = [(cell[1], cell[2], totals[".".join(map(str, cell))]) for cell in cells if cell[0] == number]
            values.append(_agreement(here))
        return {HEADLINE: np.mean(values, axis=0)}


def _agreement(cells: Sequence[tuple[int, int, Array]]) -> Array:
    """NMI from the number of documents in each pair of clusters; 1 where both sides are a single cluster."""
    joint = np.array([count for _, _, count in cells], dtype=np.float64)
    joint = joint / joint.sum(axis=0)
    sides = []
    for side in (0, 1):
        names = np.array([cell[side] for cell in cells])
        sides.append(np.array([joint[names == name].sum(axis=0) for name in np.unique(names)]))
    one, two = (_entropy(share) for share in sides)
    shared = np.maximum(one + two - _entropy(joint), 0.0)
    return np.where(one + two == 0, 1.0, np.nan_to_num(ratio(2 * shared, one + two)))


def _entropy(share: Array) -> Array:
    return np.asarray(-np.sum(share * np.log(np.where(share > 0, share, 1.0)), axis=0))


def _renamed(labels: Ints, original: Ints, k: int) -> Ints:
    """The same clusters under the numbers of the original clusters that they have most in common with.

    A cluster's number means nothing, but two anonymizations can only be compared document by document if the same
    number means the same for both.
    """
    from scipy.optimize import linear_sum_assignment

    shared = np.zeros((k, k))
    np.add.at(shared, (labels, original), 1)
    _, names = linear_sum_assignment(-shared)
    return np.asarray(names[labels], dtype=np.int64)


def marks_pattern(mask_marks: str) -> re.Pattern[str] | None:
    """What is removed before embedding.

    >>> marks_pattern("DATE,DATE_TIME,***").sub("", "on DATE_TIME, DATED *** and DATE")
    'on , DATED  and '
    """
    if mask_marks == "none":
        return None
    marks = TAE_MARKS if mask_marks == "tae" else tuple(mark for mark in map(str.strip, mask_marks.split(",")) if mark)
    # A mark that ends in a letter must not be the beginning of a word; one that ends in a star may stand anywhere.
    groups = groupby(sorted(marks, key=len, reverse=True), key=lambda mark: (_edge(mark[0]), _edge(mark[-1])))
    whole = [f"{before}(?:{'|'.join(map(re.escape, alike))}){after}" for (before, after), alike in groups]
    return re.compile("|".join(whole)) if whole else None


def _edge(letter: str) -> str:
    return r"\b" if re.match(r"\w", letter) else ""


def _without(marks: re.Pattern[str] | None, text: str) -> str:
    return marks.sub("", text).strip() if marks else text
