"""What is to be reviewed: whose annotations, of which documents, and what these are called in the folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from showthrough.core.errors import PlanError, meant, quoted, some
from showthrough.data.documents import Corpus
from showthrough.studies.review.copies import hidden, layer_of
from showthrough.studies.review.names import file_names, numbered, tells

COPIES, MARKED = "copies", "marked"  # folders


@dataclass(frozen=True)
class Assignment:
    """One annotator's documents. What is kept of each is its name: texts are read when they are needed."""

    annotator: str
    names: Sequence[str]  # of all documents of the corpus
    layered: Sequence[int]  # documents that the annotator looked at, by number
    numbers: Sequence[int]  # those of them to be reviewed
    telling: frozenset[int]  # those of all whose id would tell something, and that have a number for a name

    @cached_property
    def files(self) -> Sequence[str]:
        """The copies of all documents of the corpus: the same names whichever are to be reviewed."""
        return [f"{COPIES}/{name}.txt" for name in file_names(self.names)]

    @property
    def without(self) -> int:
        """Documents that the annotator did not look at."""
        return len(self.names) - len(self.layered)


def assigned(corpus: Corpus, annotator: str | None = None, sample: int | None = None, seed: int = 0) -> Assignment:
    """The documents of an annotator, the only one where none is named; with `sample`, so many of them by chance."""
    if sample is not None and sample < 1:
        raise PlanError(f"found {sample}; expected 1 or more", "sample")
    chosen = _chosen(corpus, annotator)
    names: list[str] = []
    layered: list[int] = []
    telling = set()
    ids = frozenset(corpus.ids)
    for number, document in enumerate(corpus):
        name = document.id
        if (layer := layer_of(document, chosen)) is not None:
            layered.append(number)
            if tells(name, (document.text[mask.start : mask.end] for mask in hidden(document.text, layer))):
                name = numbered(number, ids)
                telling.add(number)
        names.append(name)
    return Assignment(chosen, names, layered, _drawn(layered, sample, seed), frozenset(telling))


def _drawn(numbers: Sequence[int], sample: int | None, seed: int) -> Sequence[int]:
    if sample is None or sample >= len(numbers):
        return numbers
    drawn = np.random.default_rng(seed).choice(len(numbers), sample, replace=False)
    return [numbers[index] for index in np.sort(drawn).tolist()]


def _chosen(corpus: Corpus, annotator: str | None) -> str:
    layers = Counter(annotation.annotator for document in corpus for annotation in document.annotations)
    if not layers:
        fault = f"nobody has marked anything in {some([corpus.name])}; expected annotations to look through"
        raise PlanError(fault, "annotator")
    annotators = [name for name, _ in layers.most_common()]
    if annotator is None and len(annotators) > 1:
        raise PlanError(f"found {len(annotators)} annotators; choose one of {some(annotators)}", "annotator")
    if annotator is not None and annotator not in layers:
        hint = meant(annotator, annotators)
        raise PlanError(f"found {quoted(annotator)}; {hint}expected one of {some(annotators)}", "annotator")
    return annotators[0] if annotator is None else annotator
