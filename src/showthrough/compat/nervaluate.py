"""nervaluate's evaluator: a script that was written for nervaluate runs with another import line.

Calls, results and numbers are those of nervaluate 1.2.1, computed by arrays over all documents at once. It has the
classes of results and `Evaluator`, without `summary_report_indices`. `Evaluator.beside` gives our own counts where
nervaluate's are in doubt; `REASONS` says why.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np

from showthrough.compat._pairs import Columns, Numbers, Pairs, Spans

__all__ = ["REASONS", "Entity", "EvaluationIndices", "EvaluationResult", "Evaluator"]

REASONS = (
    "Ends are inclusive in nervaluate. With half-open offsets, neighbours that only touch overlap there.",
    "nervaluate pairs each prediction in turn with the first free entity that overlaps it. "
    "An entity that is already taken cannot be matched exactly by a later prediction.",
    "Precision, recall and F1 of nothing are 0 in nervaluate. Here they are None.",
)

Outcome = Literal["correct", "incorrect", "partial", "missed", "spurious"]

_SCENARIOS = ("strict", "partial", "ent_type", "exact")
_HALF = ("partial", "ent_type")  # here a partial match is worth a half
_COUNTS: tuple[Outcome, ...] = ("correct", "incorrect", "partial", "missed", "spurious")


@dataclass(slots=True, unsafe_hash=True)
class Entity:
    """A named entity: its label, and its first and last place."""

    label: str
    start: int
    end: int


@dataclass
class EvaluationResult:
    """The counts of one scenario. In `evaluate` a measure of nothing is 0, in `beside` it is `None`."""

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0
    precision: float | None = 0.0
    recall: float | None = 0.0
    f1: float | None = 0.0
    actual: int = 0
    possible: int = 0

    def compute_metrics(self, partial_or_type: bool = False, undefined: float | None = 0) -> None:
        """Sets precision, recall and F1 from the counts."""
        self.actual = self.correct + self.incorrect + self.partial + self.spurious
        self.possible = self.correct + self.incorrect + self.partial + self.missed
        right = self.correct + 0.5 * self.partial if partial_or_type else self.correct
        self.precision = right / self.actual if self.actual else undefined
        self.recall = right / self.possible if self.possible else undefined
        if self.precision is None or self.recall is None:
            self.f1 = None
        elif self.precision + self.recall > 0:
            self.f1 = 2 * (self.precision * self.recall) / (self.precision + self.recall)
        else:
            self.f1 = 0


Places = list[tuple[int, int]]


class EvaluationIndices:
    """Document and place in it of each prediction, or, where an entity was missed, of the entity.

    Places count only spans with one of the tags, and in results by tag only those of the tag. Lists are made when they
    are read.
    """

    def __init__(self, places: Mapping[Outcome, Callable[[], Places]]) -> None:
        self._places = places

    def _of(self, outcome: Outcome) -> Places:
        return self._places[outcome]() if outcome in self._places else []

    @cached_property
    def correct_indices(self) -> Places:
        return self._of("correct")

    @cached_property
    def incorrect_indices(self) -> Places:
        return self._of("incorrect")

    @cached_property
    def partial_indices(self) -> Places:
        return self._of("partial")

    @cached_property
    def missed_indices(self) -> Places:
        return self._of("missed")

    @cached_property
    def spurious_indices(self) -> Places:
        return self._of("spurious")


class Evaluator:
    """Compares predicted entities with true ones, as the Evaluator of nervaluate 1.2.1 does.

    `loader` is `dict` (lists of `label`, `start`, `end`), `list` (lists of tags), `conll` (a text of tokens and tags
    with tabs between), or `default`, which goes by the first document that is not empty.

    >>> true = [[{"label": "NAME", "start": 0, "end": 4}, {"label": "NAME", "start": 5, "end": 9}]]
    >>> pred = [[{"label": "NAME", "start": 3, "end": 5}, {"label": "NAME", "start": 0, "end": 4}]]
    >>> evaluator = Evaluator(true, pred, tags=["NAME"], loader="dict")
    >>> evaluator.evaluate()["overall"]["strict"].correct
    0
    >>> evaluator.beside(ends="inclusive")["overall"]["strict"].correct
    1
    """

    def __init__(
        self,
        true: Any,
        pred: Any,
        tags: Sequence[str],
        loader: str = "default",
        min_overlap_percentage: float = 1.0,
    ) -> None:
        if not 1.0 <= min_overlap_percentage <= 100.0:
            raise ValueError("min_overlap_percentage must be between 1.0 and 100.0")
        if loader == "default":
            loader = _loader_of(true)
        if loader not in _LOADERS:
            raise ValueError(f"Unknown loader: {loader}")
        if loader == "list":
            _check_lengths(true, pred)
        self.tags, self.min_overlap_percentage = tags, min_overlap_percentage
        self._true, self._pred = _LOADERS[loader](true), _LOADERS[loader](pred)
        if len(self._true.counts) != len(self._pred.counts):
            raise ValueError("Number of predicted documents does not equal true")

    @cached_property
    def true(self) -> list[list[Entity]]:
        """The true entities of each document."""
        return _entities(self._true)

    @cached_property
    def pred(self) -> list[list[Entity]]:
        """The predicted entities of each document."""
        return _entities(self._pred)

    def evaluate(self) -> dict[str, Any]:
        """nervaluate's results: `overall` by scenario, `entities` by tag and scenario, and the places of each."""
        return self._results(False, 0, 0)

    def beside(self, ends: Literal["inclusive", "exclusive"]) -> dict[str, Any]:
        """Our own results, in the same form.

        Right pairs come first, then those that share most, whatever the order of the lists. `ends="exclusive"` takes
        the ends as half-open offsets, so that neighbours do not overlap. A measure of nothing is `None`.
        """
        if ends not in ("inclusive", "exclusive"):
            raise ValueError(f"found {ends!r}; expected 'inclusive' or 'exclusive'")
        return self._results(True, int(ends == "exclusive"), None)

    def _results(self, best: bool, beyond: int, undefined: float | None) -> dict[str, Any]:
        used = sorted({*self._true.labels, *self._pred.labels} & set(self.tags))
        number = {tag: index for index, tag in enumerate(used)}
        true, pred = (Spans.of(columns, number, beyond) for columns in (self._true, self._pred))
        pairs = Pairs.of(true, pred, self.min_overlap_percentage)
        overall: dict[str, EvaluationResult] = {}
        entities: dict[str, dict[str, EvaluationResult]] = {tag: {} for tag in used}
        overall_indices: dict[str, EvaluationIndices] = {}
        entity_indices: dict[str, dict[str, EvaluationIndices]] = {tag: {} for tag in used}
        if len(self._true.counts):
            whole, single = _Count(true, pred, False, undefined), _Count(true, pred, True, undefined)
            of_one_tag = pairs.of_one_tag()
            for scenario in _SCENARIOS:
                ((overall[scenario], overall_indices[scenario]),) = whole.of(pairs, scenario, best, 1)
                for tag, group in zip(used, single.of(of_one_tag, scenario, best, len(used)), strict=True):
                    entities[tag][scenario], entity_indices[tag][scenario] = group
        return {
            "overall": overall,
            "entities": entities,
            "overall_indices": overall_indices,
            "entity_indices": entity_indices,
        }

    def _rows(self, mode: str, scenario: str) -> dict[str, EvaluationResult]:
        if mode not in ("overall", "entities"):
            raise ValueError("Invalid mode: must be one of 'overall', 'entities'")
        if mode == "entities" and scenario not in _SCENARIOS:
            raise ValueError(f"Invalid scenario: must be one of {_SCENARIOS}")
        results = self.evaluate()
        if mode == "overall":
            return dict(results["overall"])
        return {tag: by_scenario[scenario] for tag, by_scenario in results["entities"].items()}

    def results_to_csv(
        self, mode: str = "overall", scenario: str = "strict", file_path: str | None = None
    ) -> str | None:
        """The counts and measures as CSV: the text, or `None` if it went to a file. Tags are sorted."""
        rows = self._rows(mode, scenario)
        output = io.StringIO()
        writer = csv.writer(output)
        heads = (*(name.capitalize() for name in _COUNTS), "Precision", "Recall", "F1-Score")
        writer.writerow(("Strategy" if mode == "overall" else "Entity", *heads))
        writer.writerows((name, *_values(result)) for name, result in rows.items())
        if not file_path:
            return output.getvalue()
        Path(file_path).write_text(output.getvalue(), encoding="utf-8", newline="")
        return None

    def summary_report(self, mode: str = "overall", scenario: str = "strict", digits: int = 2) -> str:
        """The counts and measures as a table."""
        rows = sorted(self._rows(mode, scenario).items())
        heads = (*_COUNTS, "precision", "recall", "f1-score")
        width = max(len("correct"), digits, *(len(name) for name, _ in rows))  # nervaluate reckons with a head too
        lines = [f"Scenario: {scenario if mode == 'entities' else 'all'}", ""]
        lines += [f"{'':>{width}} " + "".join(f" {head:>11}" for head in heads), ""]
        for name, result in rows:
            *counts, precision, recall, f1 = _values(result)
            cells = [f"{count:>11}" for count in counts]
            cells += [f"{value:>11.{digits}f}" for value in (precision, recall, f1)]
            lines.append(f"{name:>{width}}  " + " ".join(cells))
        return "\n".join(lines) + "\n"


def _entities(columns: Columns) -> list[list[Entity]]:
    every = list(map(Entity, columns.labels, columns.start.tolist(), columns.end.tolist()))
    ends = np.cumsum(columns.counts).tolist()
    return [every[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _values(result: EvaluationResult) -> tuple[Any, ...]:
    return (*(getattr(result, name) for name in _COUNTS), result.precision, result.recall, result.f1)


class _Count:
    """Counts matches and remaining spans, over all or by tag."""

    def __init__(self, true: Spans, pred: Spans, by_tag: bool, undefined: float | None) -> None:
        self._true, self._pred, self._by_tag, self._undefined = true, pred, by_tag, undefined

    def of(
        self, pairs: Pairs, scenario: str, best: bool, groups: int
    ) -> list[tuple[EvaluationResult, EvaluationIndices]]:
        true, pred, right = pairs.matched(scenario, best)
        free_true, free_pred = np.ones(len(self._true), dtype=bool), np.ones(len(self._pred), dtype=bool)
        free_true[true] = free_pred[pred] = False
        wrong: Outcome = "partial" if scenario == "partial" else "incorrect"
        parts: dict[Outcome, tuple[Spans, Numbers]] = {
            "correct": (self._pred, pred[right]),
            wrong: (self._pred, pred[~right]),
            "missed": (self._true, np.flatnonzero(free_true)),
            "spurious": (self._pred, np.flatnonzero(free_pred)),
        }
        results = [EvaluationResult() for _ in range(groups)]
        for outcome, (spans, places) in parts.items():
            counts = np.bincount(spans.label[places], minlength=groups) if self._by_tag else [len(places)]
            for result, count in zip(results, counts, strict=True):
                setattr(result, outcome, int(count))
        for result in results:
            result.compute_metrics(scenario in _HALF, self._undefined)
        return [
            (result, EvaluationIndices({name: partial(self._places, *part, group) for name, part in parts.items()}))
            for group, result in enumerate(results)
        ]

    def _places(self, spans: Spans, places: Numbers, group: int) -> Places:
        """Document and rank of the spans, or of those of a tag."""
        places = np.sort(places[spans.label[places] == group] if self._by_tag else places)
        return list(
            zip(spans.document[places].tolist(), self._ranks[spans is self._pred][places].tolist(), strict=True)
        )

    @cached_property
    def _ranks(self) -> tuple[Numbers, Numbers]:
        return self._true.ranks(self._by_tag), self._pred.ranks(self._by_tag)


def _loader_of(true: Any) -> str:
    if isinstance(true, str):
        return "conll"
    if isinstance(true, list) and true and all(isinstance(document, list) for document in true):
        first = next((document[0] for document in true if document), None)
        if first is not None:
            return "dict" if isinstance(first, dict) else "list"
    raise ValueError("Could not infer loader from input type")


def _check_lengths(true: Any, pred: Any) -> None:
    if len(true) != len(pred):
        raise ValueError("Number of predicted documents does not equal true")
    for index, (left, right) in enumerate(zip(true, pred, strict=True)):
        if len(left) != len(right):
            raise ValueError(f"Document {index} has different lengths: true={len(left)}, pred={len(right)}")


def _columns_of(documents: Sequence[Sequence[tuple[str, int, int]]]) -> Columns:
    spans = list(chain.from_iterable(documents))
    return Columns.of(
        list(map(len, documents)),
        [label for label, _, _ in spans],
        [start for _, start, _ in spans],
        [end for _, _, end in spans],
    )


def _of_tags(tags: Iterable[tuple[int, str]], length: int) -> list[tuple[str, int, int]]:
    """The spans of tags at places; an entity ends before `O`, another type or a `B`."""
    entities: list[tuple[str, int, int]] = []
    kind, start = None, 0
    for index, tag in tags:
        if kind is not None and (tag == "O" or kind != tag[2:] or tag[:1] == "B"):
            entities.append((kind, start, index - 1))
            kind = None
        if kind is None and tag != "O":
            if not tag.startswith(("B-", "I-")):
                raise ValueError(f"Invalid tag format: {tag}")
            kind, start = tag[2:], index
    if kind is not None:
        entities.append((kind, start, length - 1))
    return entities


def _of_conll(data: Any) -> Columns:
    if not isinstance(data, str):
        raise ValueError("ConllLoader expects string input")
    documents = []
    for text in data.rstrip().split("\n\n") if data else ():
        lines = [(index, line) for index, line in enumerate(text.split("\n")) if line.strip()]
        for _, line in lines:
            if "\t" not in line:
                raise ValueError(f"Invalid CoNLL format: line {line!r} does not contain a tab separator")
        tags = ((index, line.split("\t")[1]) for index, line in lines)
        documents.append(_of_tags(tags, text.count("\n") + 1))
    return _columns_of(documents)


def _of_lists(data: Any) -> Columns:
    if not isinstance(data, list):
        raise ValueError("ListLoader expects list input")
    for document in data:
        if not isinstance(document, list):
            raise ValueError("Each document must be a list of tags")
        for tag in document:
            if not isinstance(tag, str):
                raise ValueError(f"Invalid tag type: {type(tag)}")
    return _columns_of([_of_tags(enumerate(document), len(document)) for document in data])


def _of_dicts(data: Any) -> Columns:
    if not isinstance(data, list):
        raise ValueError("DictLoader expects list input")
    if not all(isinstance(document, list) for document in data):
        raise ValueError("Each document must be a list of entity dictionaries")
    spans = list(chain.from_iterable(data))
    if not set(map(type, spans)) <= {dict}:
        _check_spans(spans)
    try:
        columns = [list(map(itemgetter(key), spans)) for key in ("label", "start", "end")]
    except KeyError:
        raise ValueError("Entity missing required keys: 'label', 'start', 'end'") from None
    if [set(map(type, column)) for column in columns] != [{str}, {int}, {int}]:
        _check_spans(spans)
    return Columns.of(list(map(len, data)), *columns)


def _check_spans(spans: Sequence[Any]) -> None:
    for span in spans:
        if not isinstance(span, dict):
            raise ValueError(f"Invalid entity type: {type(span)}")
        if not isinstance(span.get("label", ""), str):
            raise ValueError("Entity label must be a string")
        if not (isinstance(span.get("start", 0), int) and isinstance(span.get("end", 0), int)):
            raise ValueError("Entity start and end must be integers")


_LOADERS = {"conll": _of_conll, "list": _of_lists, "dict": _of_dicts}
