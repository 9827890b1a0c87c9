"""What is left to use: whether anonymized documents still fall into the same groups."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Literal, NamedTuple

import numpy as np

from showthrough.core.arrays import Floats, Floats32, Ints
from showthrough.core.call_syntax import call_text, parameter
from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES
from showthrough.families.information._kmeans import clusterings, silhouette
from showthrough.families.information._mutual_information import MutualInformation, agreement
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk, DocumentBatch
from showthrough.models import Resources
from showthrough.models.embedding import LSA, FittedEmbedder, gather_vectors
from showthrough.models.names import EMBEDDING
from showthrough.statistics.rows import Rows, Totals
from showthrough.storage.columns.strings import digest_of_bytes

MINI_LM = "st:all-MiniLM-L6-v2"
# The marks that the Text Anonymization Evaluator knows by default.
TAE_MARKS = (
    "SENSITIVE", "PERSON", "DEM", "LOC", "ORG", "DATETIME", "QUANTITY", "MISC", "NORP", "FAC", "GPE", "PRODUCT",
    "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE", "DATE", "TIME", "ORDINAL", "CARDINAL", "DATE_TIME", "NRP", "LOCATION",
    "ORGANIZATION", "***",
)  # fmt: skip
ORIGINAL, ANONYMIZED, SILHOUETTE, CELL = "original", "anonymized", "silhouette", "cell"  # columns
AMI, CHANCE, K, LEAD, REPEAT = "ami", "chance", "k", "lead", "repeat"  # parts
ERROR = "error"  # a column: the standard error of a k's silhouette over its clusterings
_NEAR = 0.01  # silhouettes that differ by no more choose no k, however often clustering ends in the same place
_ERRORS = 2  # standard errors of a difference that another seed makes easily
_VISIBLE = 0.005  # of an NMI: what shows in two digits
_SYSTEMS = 3  # that a note names
# The least and the most that is sensible: time grows with each of them, and more tries find nothing better.
_COUNTS = {
    "min_k": (2, 1_000), "max_k": (2, 1_000), "k_multiplier": (2, 1_000),
    "n_clusterings": (1, 100), "n_tries": (1, 1_000),
}  # fmt: skip
_TOGETHER = "clusters are made of all documents together"
_NO_INTERVAL = f"{_TOGETHER}: resampling does not change them, and documents drawn twice make them look more alike"
_NO_TEST = f"{_TOGETHER}: if documents were exchanged between two anonymizations, the clusters would change"


@dataclass(frozen=True)
class ClusteringAgreement(Metric):
    """How well the anonymized documents still fall into the same clusters as the originals.

    Pilán et al. 2024 (arXiv:2412.12928), TAE: original and anonymized texts are embedded without mask marks, and
    clustered by k-means++ with k = min_k, min_k · k_multiplier, … up to max_k. The k with the best mean cosine
    silhouette on the originals counts. The agreement is averaged over repeated clusterings.

    NMI = 2 · I(original; anonymized) / (H(original) + H(anonymized))

    1 means the same groups. Unrelated groups do not score 0, but what chance gives, which is much with few documents in
    a cluster. So there are parts beside it: `chance`, the mean NMI over all permutations of the labels; `ami`, adjusted
    mutual information, which is 1 for the same groups and 0 for chance (Vinh et al. 2010); `k`, the chosen number of
    clusters, and `lead`, by how much its silhouette is above the next best; `repeat`, the NMI of the originals' own
    clusterings with each other; and `k=2`, `k=4`, …, the NMI with each number of clusters.

    It has neither interval nor test: clusters depend on all documents together.

    `mask_marks` are removed as whole words, the longest first: "tae" for TAE's list, "none", or a list with commas.

    >>> from showthrough import Anonymization, Corpus, Document, evaluate
    >>> corpus = Corpus([Document(str(n), "the cat sat" if n < 3 else "a dog ran") for n in range(6)])
    >>> nothing = {"first": Anonymization({str(n): [] for n in range(6)})}
    >>> evaluate(corpus, nothing, metrics=['nmi(embedding="lsa")'])["first", 'nmi(embedding="lsa")'].value
    1.0
    """

    version = 4
    group = "utility"
    scope = "corpus"
    apart = False
    title = "Groups of documents kept"
    tells = "whether documents keep their groups"
    neutral = (CHANCE, K, LEAD, REPEAT)
    undefined = "there are fewer documents than clusters"

    embedding: str = parameter(MINI_LM, "embedding of the texts: st:MODEL, a folder, or lsa")
    long_documents: Literal["truncate", "mean"] = parameter(
        "truncate", "texts too long for the model: cut, or the mean of windows"
    )
    mask_marks: str = parameter("tae", "what is removed first: tae for TAE's list, none, or a list with commas")
    min_k: int = parameter(2, "the smallest number of clusters that is tried")
    max_k: int = parameter(32, "the largest number of clusters that is tried")
    k_multiplier: int = parameter(2, "the factor from one number of clusters to the next")
    n_clusterings: int = parameter(5, "how often each text is clustered")
    n_tries: int = parameter(50, "starts of each clustering; the best one counts")
    seed: int = parameter(0, "seed for the starts of the clusterings")

    def __post_init__(self) -> None:
        super().__post_init__()
        EMBEDDING.parse(self.embedding)
        if self.embedding == LSA and self.long_documents != "truncate":
            option = f"long_documents={quote_value(self.long_documents)}"
            raise PlanError(f"{option} is for models; lsa takes a text of any length")
        for name, (least, most) in _COUNTS.items():
            if not least <= getattr(self, name) <= most:
                raise PlanError(f"{name}={getattr(self, name)} is out of range; expected {least} to {most:,}")
        if self.max_k < self.min_k:
            raise PlanError(f"max_k={self.max_k} is less than min_k={self.min_k}")
        if self.seed < 0:
            raise PlanError(f"seed={self.seed} is out of range; expected 0 or more")

    @property
    def models(self) -> dict[str, str]:
        return EMBEDDING.models(self.embedding)

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        marks, resources = marks_pattern(self.mask_marks), chunk.resources
        texts: list[str] = []
        digests: list[str] = []
        for batch in chunk.batches():
            bare = [_without(marks, text) for text in batch.texts()]
            digests += [digest_of_bytes(text.encode("utf-8", "surrogatepass")).hex() for text in bare]
            texts += bare if self.embedding == LSA else []  # which learns from all of them
        learned = FittedEmbedder.of(resources, self.embedding, sorted(texts), self.long_documents)
        rank = np.unique(digests, return_inverse=True)[1].reshape(-1)

        def points(anonymization: Anonymization | None) -> tuple[Floats, Ints]:
            """All vectors in the order of the originals' digests, and where each document's is.

            Where a clustering starts is drawn by place: neither names nor the order of the documents may move it.
            Where originals are the same, what was made of them tells the order.
            """
            request, batches = (learned, self.mask_marks), chunk.batches(anonymization)
            vectors = gather_vectors(resources, learned, _embedded, request, batches, len(chunk.corpus))
            alike = np.unique(vectors, axis=0, return_inverse=True)[1].reshape(-1)
            order = np.lexsort((alike, rank))
            return np.asarray(vectors[order], dtype=np.float64), np.argsort(order)

        vectors, before = points(None)
        originals = self._originals(vectors)

        def rows(anonymized: Anonymized) -> Rows:
            if not originals:
                return Rows.named({}, len(rank))
            masked, after = points(anonymized.anonymization)
            columns = {}
            for k, original in originals.items():
                labels = zip(original.labels, self._clusterings(masked, k), strict=True)
                for number, (first, second) in enumerate(labels):
                    columns[f"{ORIGINAL}.{k}.{number}"] = first[before]
                    columns[f"{ANONYMIZED}.{k}.{number}"] = second[after]
                for name, value in original.described.items():
                    columns[f"{name}.{k}"] = np.full(len(rank), value)
            return Rows.named(columns)

        return rows

    def _originals(self, points: Floats) -> dict[int, _Originals]:
        """The originals' clusterings with each number of clusters that there are documents for."""
        originals = {}
        k = self.min_k
        while k <= min(self.max_k, len(points)):
            labels = self._clusterings(points, k)
            clear = [silhouette(points, clustering) for clustering in labels]
            described = {SILHOUETTE: float(np.mean(clear))}
            if len(labels) > 1:
                described[ERROR] = float(np.std(clear, ddof=1)) / math.sqrt(len(clear))
                nmi = [agreement(_cross_tabulate(*pair)).nmi for pair in combinations(labels, 2)]
                described[REPEAT] = float(np.mean(nmi))
            originals[k] = _Originals(labels, described)
            k *= self.k_multiplier
        return originals

    def _clusterings(self, points: Floats, k: int) -> list[Ints]:
        # The same seeds for everybody: an anonymization that changes nothing gets the very same clusters.
        return clusterings(points, k, self.n_clusterings, self.n_tries, self.seed)

    def totals(self, rows: Rows) -> Totals:
        """How many documents stand in each pair of clusters: sums of these are all that it needs."""
        sums: dict[str, Floats] = {}
        cells: dict[str, Counter[tuple[int, int]]] = {}
        for block in rows.blocks():
            columns = dict(zip(rows.columns, np.ascontiguousarray(block).T, strict=True))
            for name, values in columns.items():
                statistic, *numbers = name.split(".")
                if statistic in (SILHOUETTE, ERROR, REPEAT):
                    sums[name] = np.asarray(sums.get(name, 0.0) + values.sum())
                elif statistic == ORIGINAL and len(numbers) == 2:
                    crossed = _cross_tabulate(values, columns[f"{ANONYMIZED}.{'.'.join(numbers)}"])
                    counts = cells.setdefault(".".join(numbers), Counter())
                    counts.update({(before, after): int(count) for before, after, count in crossed})
        for key, counts in cells.items():
            for (before, after), count in sorted(counts.items()):
                sums[f"{CELL}.{key}.{before}.{after}"] = np.array(float(count))
        return sums

    def combine(self, totals: Totals) -> dict[str, Floats]:
        by_k = {k: _mean([agreement(cells) for cells in tables]) for k, tables in _tables(totals).items()}
        if not by_k:
            return {HEADLINE: np.array(np.nan)}
        # What is the same for all documents is in every row: its sum is so many times the value.
        documents = sum(count for name, count in totals.items() if name.startswith(f"{CELL}.{min(by_k)}.0."))
        clear = np.array([ratio(totals[f"{SILHOUETTE}.{k}"], documents) for k in by_k])
        best = clear.argmax(axis=0)
        nmi, ami, chance = (_pick_best(best, np.array(values)) for values in zip(*by_k.values(), strict=True))
        parts = {HEADLINE: nmi, AMI: ami, CHANCE: chance, K: np.array(list(by_k), dtype=np.float64)[best]}
        if len(by_k) > 1:
            second, first = np.sort(clear, axis=0)[-2:]
            parts[LEAD] = first - second
        if self.n_clusterings > 1:
            parts[REPEAT] = _pick_best(best, np.array([ratio(totals[f"{REPEAT}.{k}"], documents) for k in by_k]))
        return parts | {f"{K}={k}": result.nmi for k, result in by_k.items()}

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        """Where another k is about as clear as the one that was chosen, and scores would be others with it."""
        totals = {name: self.totals(rows) for name, rows in tables.items() if name not in REFERENCES and len(rows)}
        if not totals:
            return []
        name, sums = next(iter(totals.items()))  # how clear the originals' clusters are, all of them have
        described = {column: float(total) / len(tables[name]) for column, total in sums.items()}
        clear = {k: described[f"{SILHOUETTE}.{k}"] for k in _tables(sums)}
        if len(clear) < 2:
            return []
        values = {name: self.combine(row_totals) for name, row_totals in totals.items()}
        best, *rivals = sorted(clear, key=lambda k: (-clear[k], k))
        for k in rivals:
            error = math.hypot(*(described.get(f"{ERROR}.{count}", 0.0) for count in (best, k)))
            if clear[best] - clear[k] > max(_NEAR, _ERRORS * error):
                continue
            pairs = {name: (float(parts[f"{K}={best}"]), float(parts[f"{K}={k}"])) for name, parts in values.items()}
            moves = [
                f"{shorten(name)} {first:.3f} or {second:.3f}"
                for name, (first, second) in pairs.items()
                if abs(first - second) >= _VISIBLE
            ]
            if moves:
                more = f" and {len(moves) - _SYSTEMS} more" if len(moves) > _SYSTEMS else ""
                own = call_text("nmi", self, ClusteringAgreement())
                return [
                    f"{own} depends on the number of groups: {best} and {k} fit the documents about equally well "
                    f"(silhouettes {clear[best]:.4f} and {clear[k]:.4f}). With {best} or {k} groups: "
                    f"{', '.join(moves[:_SYSTEMS])}{more}"
                ]
        return []

    def interval_fault(self, part: str) -> str:
        return _NO_INTERVAL

    def test_fault(self, part: str) -> str:
        return _NO_TEST


class _Originals(NamedTuple):
    """The originals in k clusters, over and over, and what describes these clusterings whatever was masked."""

    labels: list[Ints]
    described: dict[str, float]


def _tables(totals: Totals) -> dict[int, list[list[tuple[int, int, Floats]]]]:
    """For each k in ascending order, the cells of each repeat."""
    cells: dict[tuple[int, int], list[tuple[int, int, Floats]]] = {}
    for name, count in totals.items():
        statistic, *numbers = name.split(".")
        if statistic == CELL:
            k, number, before, after = map(int, numbers)
            cells.setdefault((k, number), []).append((before, after, np.asarray(count)))
    tables: dict[int, list[list[tuple[int, int, Floats]]]] = {}
    for k, number in sorted(cells):
        tables.setdefault(k, []).append(cells[k, number])
    return tables


def _pick_best(best: Ints, values: Floats) -> Floats:
    """Of the values for each k that of the best, anywhere in the stack."""
    return np.asarray(np.take_along_axis(values, best[None], axis=0)[0])


def _cross_tabulate(labels: Floats | Ints, other_labels: Floats | Ints) -> list[tuple[int, int, Floats]]:
    """All pairs of clusters that some document stands in, and how many do."""
    pairs, counts = np.unique(np.stack([labels, other_labels]).astype(np.int64), axis=1, return_counts=True)
    return list(zip(*pairs.tolist(), counts, strict=True))


def _mean(repeats: Sequence[MutualInformation]) -> MutualInformation:
    return MutualInformation(*(np.mean(values, axis=0) for values in zip(*repeats, strict=True)))


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
    alternatives = [f"{before}(?:{'|'.join(map(re.escape, alike))}){after}" for (before, after), alike in groups]
    return re.compile("|".join(alternatives)) if alternatives else None


def _embedded(resources: Resources, request: tuple[FittedEmbedder, str], batch: DocumentBatch) -> Floats32:
    """A few documents as vectors, without mask marks."""
    learned, mask_marks = request
    marks = marks_pattern(mask_marks)
    return learned.embedded(resources, [_without(marks, text) for text in batch.texts()])


def _edge(letter: str) -> str:
    return r"\b" if re.match(r"\w", letter) else ""


def _without(marks: re.Pattern[str] | None, text: str) -> str:
    return marks.sub("", text).strip() if marks else text
