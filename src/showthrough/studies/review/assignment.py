"""What is to be reviewed: whose annotations, of which documents, and what these are called in the folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from showthrough.core.errors import PlanError, join_names, quote_value, suggest_name
from showthrough.data.documents import Corpus
from showthrough.studies.review.copies import build_masks, layer_of
from showthrough.studies.review.names import document_name, file_names, tells

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


def assign_documents(
    corpus: Corpus, annotator: str | None = None, sample: int | None = None, seed: int = 0
) -> Assignment:
    """The documents of an annotator, the only one where none is named; with `sample`, so many of them by chance."""
    if sample is not None and sample < 1:
        raise PlanError(f"found {sample}; expected 1 or more", "sample")
    chosen = _choose_annotator(corpus, annotator)
    names: list[str] = []
    layered: list[int] = []
    telling = set()
    ids = frozenset(corpus.ids)
    for number, document in enumerate(corpus):
        name = document.id
        if (layer := layer_of(document, chosen)) is not None:
            layered.append(number)
            if tells(name, (document.text[mask.start : mask.end] for mask in build_masks(document.text, layer))):
                name = document_name(number, ids)
                telling.add(number)
        names.append(name)
    return Assignment(chosen, names, layered, _draw_sample(layered, sample, seed), frozenset(telling))


def _draw_sample(numbers: Sequence[int], sample: int | None, seed: int) -> Sequence[int]:
    if sample is None or sample >= len(numbers):
        return numbers
    drawn = np.random.default_rng(seed).choice(len(numbers), sample, replace=False)
    return [numbers[index] for index in np.sort(drawn).tolist()]


def _choose_annotator(corpus: Corpus, annotator: str | None) -> str:
    layers = Counter(annotation.annotator for document in corpus for annotation in document.annotations)
    if not layers:
        fault = f"nobody has marked anything in {join_names([corpus.name])}; expected annotations to look through"
        raise PlanError(fault, "annotator")
    annotators = [name for name, _ in layers.most_common()]
    if annotator is None and len(annotators) > 1:
        raise PlanError(f"found {len(annotators)} annotators; choose one of {join_names(annotators)}", "annotator")
    if annotator is not None and annotator not in layers:
        hint = suggest_name(annotator, annotators)
        raise PlanError(f"found {quote_value(annotator)}; {hint}expected one of {join_names(annotators)}", "annotator")
    return annotators[0] if annotator is None else annotator
