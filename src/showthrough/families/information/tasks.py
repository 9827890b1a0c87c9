"""What is left to use: whether a classifier of documents still works on what was released."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from showthrough.core.arrays import Bools, Floats
from showthrough.core.call_syntax import call_text, parameter
from showthrough.core.errors import InputError, PlanError, Problem, quote_value
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES
from showthrough.data.slicing import ENTITY_FIELDS, MISSING, parse_slices, slicings_of
from showthrough.families.information._learners import WORDS, check_learner, is_fine_tuned, learner_of, models_of
from showthrough.families.information._linear import count_units, deal_folds, held_out
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.statistics.intervals import difference_interval
from showthrough.statistics.rows import Rows, Totals
from showthrough.storage.columns.strings import digest_of_bytes

ORIGINAL, LOSS, CHANCE, F1 = "original", "loss", "chance", "f1"  # parts; the first and the third are columns too
_RIGHT, _COUNTED, _RARE, _UNLABELLED, _LEARNED = "right", "counted", "rare", "unlabelled", "learned"  # columns
_TRUE, _ANSWERED, _HIT = "true@", "answered@", "hit@"  # columns by the number of a label
_BOTH = " + "
_ERRORS = 2  # standard errors of a share, within which it shows nothing above chance
_EPOCHS = 5
_COUNTS = {"epochs": (1, 100), "folds": (2, 100), "most": (10, 20_000), "seed": (0, 2**63 - 1)}


@dataclass(frozen=True)
class Task(Metric):
    """Share of documents that a classifier labels right, after it has learned from released texts.

    The labels are a field of the documents, such as a journal or a diagnosis. A linear classifier on TF-IDF of words
    learns them by cross-validation: documents that belong together are in one fold, and each label is spread over the
    folds. By default it learns from released texts and labels original ones. `learner` names another classifier: a
    linear one on embeddings, or an encoder that is fine-tuned in each fold.

    The part `loss` is the accuracy of learning from and labelling originals (`original`) minus this accuracy. `f1` is
    the mean F1 of the labels. `chance` is the share of the most frequent label. Labels with fewer independent documents
    than folds do not count.

    It is about this task and this classifier alone: another task may lose more or less.

    >>> from showthrough import Anonymization, Corpus, Document, evaluate
    >>> words = {"x": "the cat sat", "y": "a dog ran"}
    >>> corpus = Corpus([Document(f"{kind}{n}", f"{words[kind]} {n}") for kind in words for n in "12345"])
    >>> nothing = Anonymization({name: [] for name in corpus.ids})
    >>> evaluate(corpus, {"a": nothing}, ['task(label="id:^.", folds=2)'])["a", 'task(label="id:^.", folds=2)'].value
    1.0
    """

    group = "utility"
    scope = "corpus"
    title = "Documents labelled right"
    tells = "whether a classifier of documents still works"
    neutral = (ORIGINAL, LOSS, CHANCE)
    unbounded = (LOSS,)
    undefined = "fewer than two labels have enough documents"

    label: str = parameter("", "the field with the labels, such as journal, meta.year or id:REGEX")
    train: Literal["released", "original"] = parameter("released", "the texts that the classifier learns from")
    test: Literal["original", "released"] = parameter("original", "the texts that it labels")
    folds: int = parameter(5, "parts of the cross-validation; each label needs as many independent documents")
    most: int = parameter(4_000, "documents to learn from in each fold; of more, so many are drawn")
    seed: int = parameter(0, "seed for dealing documents to folds, and for fine-tuning")
    learner: str = parameter(WORDS, "who learns: words, embedding:MODEL (or embedding:lsa), or encoder:MODEL")
    epochs: int = parameter(_EPOCHS, "how often an encoder reads what it learns from")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.label:
            parse_slices(self.label, "label")
        if self.label in ENTITY_FIELDS:
            raise PlanError(f"label={quote_value(self.label)} is a field of entities; expected one of documents")
        for name, (least, most) in _COUNTS.items():
            if not least <= getattr(self, name) <= most:
                raise PlanError(f"{name}={getattr(self, name)} is out of range; expected {least} to {most:,}")
        check_learner(self.learner)
        if self.epochs != _EPOCHS and not is_fine_tuned(self.learner):
            raise PlanError(f'epochs={self.epochs} is for learner="encoder:MODEL"; {self.learner} has none')
        if self.train == self.test == ORIGINAL:
            raise PlanError(
                'train="original" and test="original" use no release; expected one of them to be "released"'
            )

    @property
    def models(self) -> dict[str, str]:
        return models_of(self.learner)

    @property
    def fields(self) -> tuple[str, ...]:
        return (self.label,) if self.label else ()

    @property
    def missing_resource(self) -> str:
        return "" if self.label else 'it needs labels; expected task(label="FIELD") or task(label="id:REGEX")'

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        try:
            slicings_of(corpus, self.fields, option="label")
        except InputError as error:
            return list(error.problems)
        return []

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        corpus = chunk.corpus
        texts = [text for batch in chunk.batches() for text in batch.texts()]
        digests = [digest_of_bytes(text.encode("utf-8", "surrogatepass")).hex() for text in texts]
        names = corpus.units.labels
        units = [str(names[index]) if names and names[index] else f" {index}" for index in range(len(texts))]
        # Neither the order nor the ids of documents may change who is dealt where.
        order = sorted(range(len(texts)), key=lambda index: (digests[index], corpus.ids[index]))
        index = np.argsort(np.array(order, dtype=np.int64))
        texts, units = ([values[at] for at in order] for values in (texts, units))
        every = labels_of(corpus, self.label)
        labelled = [every[at] for at in order]
        count = count_units(units, labelled)
        classes = sorted(label for label in count if count[label] >= self.folds)
        numbers = {label: number for number, label in enumerate(classes)}
        labels = np.array([numbers.get(label, -1) for label in labelled], dtype=np.int64)
        enough = len(classes) > 1
        unlabelled = np.array([not label for label in labelled])
        shared: dict[str, Bools] = {
            _LEARNED: np.full(len(labels), enough),
            _COUNTED: (labels >= 0) & enough,
            _RARE: (labels < 0) & ~unlabelled,
            _UNLABELLED: unlabelled,
        }
        if not enough:
            return lambda anonymized: Rows.named({name: values[index] for name, values in shared.items()})
        fold = deal_folds(units, [label if label in numbers else "" for label in labelled], self.folds, self.seed)
        frequent = int(np.bincount(labels[labels >= 0]).argmax())
        learn = learner_of(self.learner, chunk.resources, self.epochs, self.seed)
        (baseline,) = held_out(texts, [texts], labels, fold, self.most, self.seed, learn)
        shared |= {ORIGINAL: (labels >= 0) & (baseline == labels), CHANCE: labels == frequent}
        shared |= {f"{_TRUE}{number}": labels == number for number in range(len(classes))}

        def rows(anonymized: Anonymized) -> Rows:
            unordered = [text for batch in chunk.batches(anonymized.anonymization) for text in batch.texts()]
            sides = {ORIGINAL: texts, "released": [unordered[at] for at in order]}
            (answers,) = held_out(sides[self.train], [sides[self.test]], labels, fold, self.most, self.seed, learn)
            right = (labels >= 0) & (answers == labels)
            columns = shared | {_RIGHT: right}
            for number in range(len(classes)):
                columns[f"{_ANSWERED}{number}"] = answers == number
                columns[f"{_HIT}{number}"] = right & (labels == number)
            return Rows.named({name: values[index] for name, values in columns.items()})

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        documents = totals[_COUNTED]
        if _RIGHT not in totals:
            return {HEADLINE: ratio(0.0, documents)}
        accuracy, original = (ratio(totals[name], documents) for name in (_RIGHT, ORIGINAL))
        numbers = [name.removeprefix(_TRUE) for name in totals if name.startswith(_TRUE)]
        # A resample may be without a label: its F1 is then undefined, and the mean is of the others.
        scores = [
            ratio(2 * totals[f"{_HIT}{number}"], totals[f"{_TRUE}{number}"] + totals[f"{_ANSWERED}{number}"])
            for number in numbers
        ]
        seen = [np.isfinite(score) for score in scores]
        f1 = ratio(sum(np.nan_to_num(score) for score in scores), sum(flags.astype(float) for flags in seen))
        return {
            HEADLINE: accuracy,
            F1: f1,
            ORIGINAL: original,
            LOSS: original - accuracy,
            CHANCE: ratio(totals[CHANCE], documents),
        }

    def limits(self, part: str) -> tuple[float, float]:
        return (-1.0 if part == LOSS else 0.0), 1.0

    def own_interval(self, part: str, units: Rows, confidence: float) -> tuple[float, float] | None:
        """Of the loss, from what each unit's right answers before and after differ: by Student's t.

        Where no unit differs, so many might as could be missed in all of them (Clopper and Pearson 1934).
        """
        if part != LOSS or not len(units) or _RIGHT not in units.columns:
            return None
        count = units.column(_COUNTED)
        documents, moved = count.sum(), units.column(ORIGINAL) - units.column(_RIGHT)
        drawn = int((count > 0).sum())
        if drawn < 2:
            return None
        loss = float(moved.sum() / documents)
        squares = (moved - loss * count) ** 2
        if not moved.any():
            reach = 1 - (1 - confidence) ** (1 / drawn)
            return -reach, reach
        error = math.sqrt(squares.sum() * drawn / (drawn - 1)) / float(documents)
        freedom = np.clip(2 * squares.sum() ** 2 / (squares**2).sum(), 1, drawn - 1) if error else 1.0
        low, high = difference_interval(loss, error, float(freedom), confidence)
        return max(low, -1.0), min(high, 1.0)

    def why_undefined(self, part: str, totals: Totals) -> str:
        if totals.get(_LEARNED, 0) > 0:
            return "no document has a label that counts"
        return (
            f"fewer than two labels have {self.folds} independent documents each, which folds={self.folds} needs; "
            "take fewer folds or more documents"
        )

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        """What the number is about, which documents do not count, and where there is nothing to lose."""
        rows = next((table for name, table in tables.items() if name not in REFERENCES and len(table)), None)
        if rows is None:
            return []
        own, totals = call_text("task", self, Task()), {name: float(sum_) for name, sum_ in rows.totals().items()}
        sentences = [f"{own} is a loss on this task with this classifier; it says nothing of other tasks"]
        left = [
            f"{totals[column]:,.0f} {why}"
            for column, why in (
                (_RARE, f"with a label of fewer than {self.folds} independent documents"),
                (_UNLABELLED, "without a label"),
            )
            if totals[column]
        ]
        if left:
            sentences.append(f"{own} leaves documents out: {', '.join(left)}")
        if totals[_COUNTED]:
            original, chance = (totals[name] / totals[_COUNTED] for name in (ORIGINAL, CHANCE))
            error = math.sqrt(chance * (1 - chance) / totals[_COUNTED])
            if original <= chance + _ERRORS * error:
                sentences.append(
                    f"{own} has hardly a loss to show: on originals the classifier labels {original:.3f} right, "
                    f"and the most frequent label is {chance:.3f}"
                )
        return sentences


def labels_of(corpus: Corpus, field: str) -> list[str]:
    """The label of each document, empty where it has none; several values are one label together."""
    (slicing,) = slicings_of(corpus, [field], option="label")
    values: list[list[str]] = [[] for _ in range(len(corpus))]
    for document, member in zip(slicing.documents.tolist(), slicing.members.tolist(), strict=True):
        values[document].append(slicing.groups[member])
    return [_BOTH.join(sorted(group for group in groups if group != MISSING)) for groups in values]
