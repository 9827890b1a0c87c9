"""Spans of tagged tokens, and which of them share characters or tokens: by presidio-evaluator's rules, and by our own.

All sentences are one list of tokens. A Python loop sees only spans.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from showthrough.compat._pairs import Flags, Numbers, Spans, first_free, neighbours
from showthrough.compat._presidio_results import OUTSIDE, ErrorType, EvaluationResult, ModelError, PIIEvaluationMetrics

_PREFIXES = ("B-", "I-", "L-", "U-", "E-", "S-")
_COLUMNS = ("sentence_id", "token", "annotation", "prediction", "start_indices")


@dataclass(frozen=True)
class Tokens:
    """The tokens of all sentences, sentence by sentence."""

    sentence: Numbers
    start: Numbers
    words: list[str]
    annotation: list[str]
    prediction: list[str]
    skipped: frozenset[str]

    @staticmethod
    def of(results_df: Any, skipped: Sequence[str], in_order: bool = True) -> Tokens:
        """A data frame, or any mapping with its columns: sentences in the order of their ids, or as they come."""
        ids, words, annotation, prediction, start = (_column(results_df, name) for name in _COLUMNS)
        if len({len(ids), len(words), len(annotation), len(prediction), len(start)}) > 1:
            raise ValueError("columns have different lengths")
        _check(("token", "annotation", "prediction"), (words, annotation, prediction), str, "a text")
        _check(("start_indices",), (start,), int, "a whole number")
        if any(name is None or name != name for name in ids):
            raise ValueError("column sentence_id: found a row without an id; expected one in each row")
        distinct = list(dict.fromkeys(ids))
        if in_order and len(set(map(type, distinct))) == 1:  # else as they come, as in pandas
            distinct.sort()
        number = {name: index for index, name in enumerate(distinct)}
        sentence = np.array([number[name] for name in ids], dtype=np.int64)
        starts = np.array(start, dtype=np.int64)
        if (np.diff(sentence) < 0).any():
            order = np.argsort(sentence, kind="stable")
            words, annotation, prediction = (
                [column[row] for row in order] for column in (words, annotation, prediction)
            )
            sentence, starts = sentence[order], starts[order]
        return Tokens(sentence, starts, words, annotation, prediction, frozenset(skipped))

    @property
    def tags(self) -> tuple[list[str], list[str]]:
        """True and predicted ones."""
        return self.annotation, self.prediction

    @cached_property
    def lowered(self) -> list[str]:
        return [word.lower() for word in self.words]

    @cached_property
    def counted(self) -> Flags:
        """Which tokens are no words to skip."""
        return np.array([word not in self.skipped for word in self.lowered], dtype=bool)

    @cached_property
    def _parting(self) -> Numbers:
        """How many tokens before each place keep neighbours apart; white space around a word to skip plays no part."""
        parting = [word.strip() not in self.skipped for word in self.lowered]
        return np.concatenate(([0], np.cumsum(parting, dtype=np.int64)))

    @cached_property
    def _bounds(self) -> tuple[Numbers, Numbers]:
        """Where tokens without words to skip start and end; the others are out of the way."""
        ends = self.start + np.array([len(word) for word in self.lowered], dtype=np.int64)
        far = np.iinfo(np.int64).max
        return np.where(self.counted, self.start, far), np.where(self.counted, ends, -far)

    @cached_property
    def _prefixed(self) -> bool:
        """Whether every tag has a prefix, and some say where an entity begins."""
        prefixes = {tag[:2] for tag in {*self.annotation, *self.prediction} - {OUTSIDE}}
        return prefixes <= set(_PREFIXES) and bool(prefixes & {"B-", "U-", "S-"})

    def spans(self, tags: list[str], merged: bool) -> TaggedSpans:
        """Runs of one tag, or, if tags have prefixes, the spans that these mark.

        With `merged`, every tag is a type, as in presidio-evaluator, and neighbours of one type are one span if only
        words to skip stand between.
        """
        prefixed = self._prefixed and not merged
        parsed = {tag: (tag[2:], tag[:1]) if prefixed and tag != OUTSIDE else (tag, "") for tag in set(tags)}
        types = sorted({kind for kind, _ in parsed.values()} - {OUTSIDE})
        number = {kind: index for index, kind in enumerate([OUTSIDE, *types], -1)}
        codes = np.array([number[parsed[tag][0]] for tag in tags], dtype=np.int64)
        first = np.array([parsed[tag][1] in ("B", "U", "S") for tag in tags], dtype=bool)
        last = np.array([parsed[tag][1] in ("L", "U", "E", "S") for tag in tags], dtype=bool)
        edge = (np.diff(codes) != 0) | (np.diff(self.sentence) != 0) | first[1:] | last[:-1]
        opens = np.flatnonzero(np.concatenate((np.ones(min(1, len(codes)), dtype=bool), edge)))
        closes = np.append(opens[1:], len(codes))
        words_before = np.concatenate(([0], np.cumsum(self.counted)))
        chosen = (codes[opens] >= 0) & (words_before[closes] > words_before[opens])
        opens, closes = opens[chosen], closes[chosen]
        order = np.lexsort((np.arange(len(opens)), self.start[opens], self.sentence[opens]))
        opens, closes = opens[order], closes[order]
        groups = np.ones(len(opens), dtype=bool)
        if merged:
            between = self._parting[opens[1:]] - self._parting[closes[:-1]]
            apart = (between > 0) | (np.diff(codes[opens]) != 0) | (np.diff(self.sentence[opens]) != 0)
            groups[1:] = apart
        return TaggedSpans(self, types, codes[opens], opens, closes, np.flatnonzero(groups))

    def extent(self, opens: Numbers, closes: Numbers) -> tuple[Numbers, Numbers]:
        """Where runs of tokens start and end without the words to skip."""
        edges = np.column_stack((opens, closes)).ravel()
        low, high = (np.append(bounds, 0) for bounds in self._bounds)
        return np.minimum.reduceat(low, edges)[::2], np.maximum.reduceat(high, edges)[::2]


@dataclass(frozen=True)
class TaggedSpans:
    """Runs of tokens of one type, and at which of them each span begins."""

    tokens: Tokens
    types: list[str]
    _codes: Numbers
    _opens: Numbers
    _closes: Numbers
    _groups: Numbers

    def __len__(self) -> int:
        return len(self._groups)

    def only(self, types: Sequence[str]) -> TaggedSpans:
        """Those of some types; not for merged ones."""
        chosen = np.array([kind in types for kind in self.kind], dtype=bool)
        runs = self._codes[chosen], self._opens[chosen], self._closes[chosen]
        return TaggedSpans(self.tokens, self.types, *runs, np.arange(chosen.sum()))

    @cached_property
    def kind(self) -> list[str]:
        return [self.types[code] for code in self._codes[self._groups].tolist()]

    @cached_property
    def sentence(self) -> Numbers:
        return self.tokens.sentence[self._opens[self._groups]]

    @cached_property
    def bounds(self) -> tuple[list[int], list[int]]:
        """First character of the first token, and end of the last, words to skip included."""
        final = self._closes[np.append(self._groups[1:], len(self._opens)) - 1] - 1 if len(self) else self._groups
        lengths = [len(self.tokens.words[token]) for token in final.tolist()]
        ends = self.tokens.start[final] + np.array(lengths, dtype=np.int64)
        return self.tokens.start[self._opens[self._groups]].tolist(), ends.tolist()

    @cached_property
    def extent(self) -> tuple[Numbers, Numbers]:
        """Where each starts and ends without the words to skip at its edges."""
        if not len(self):
            return self._groups, self._groups
        low, high = self.tokens.extent(self._opens, self._closes)
        return np.minimum.reduceat(low, self._groups), np.maximum.reduceat(high, self._groups)

    def runs(self, number: int) -> list[range]:
        """The tokens of a span, run by run."""
        last = self._groups[number + 1] if number + 1 < len(self) else len(self._opens)
        places = slice(self._groups[number], last)
        return list(map(range, self._opens[places].tolist(), self._closes[places].tolist()))

    @cached_property
    def keys(self) -> list[frozenset[tuple[int, int, str]]]:
        """Sentence, place and word of the tokens of each span that are no words to skip."""
        tokens = self.tokens
        every = list(zip(tokens.sentence.tolist(), tokens.start.tolist(), tokens.lowered, strict=True))
        is_word = tokens.counted.tolist()
        return [
            frozenset(every[position] for run in self.runs(number) for position in run if is_word[position])
            for number in range(len(self))
        ]

    def texts(self, number: int) -> tuple[str, str]:
        """The words of a span, and those that are no words to skip, in small letters."""
        tokens = self.tokens
        places = [position for run in self.runs(number) for position in run]
        words = " ".join(tokens.lowered[position] for position in places if tokens.counted[position])
        return " ".join(tokens.words[position] for position in places), words


def overlaps(true: TaggedSpans, pred: TaggedSpans, by_character: bool) -> dict[int, list[tuple[int, float]]]:
    """For each true span the predicted ones that share something with it, in their order, and the share (IoU)."""
    pairs: dict[int, list[tuple[int, float]]] = defaultdict(list)
    if not by_character:
        holders: dict[tuple[int, int, str], list[int]] = defaultdict(list)
        for number, keys in enumerate(pred.keys):
            for key in keys:
                holders[key].append(number)
        for row, keys in enumerate(true.keys):
            for column in sorted({number for key in keys for number in holders.get(key, ())}):
                pairs[row].append((column, len(keys & pred.keys[column]) / len(keys | pred.keys[column])))
        return pairs
    rows, columns, shares = _shares(true, pred)
    order = np.lexsort((columns, rows))
    for row, column, share in zip(rows[order].tolist(), columns[order].tolist(), shares[order].tolist(), strict=True):
        pairs[row].append((column, share))
    return pairs


def _shares(true: TaggedSpans, pred: TaggedSpans) -> tuple[Numbers, Numbers, Any]:
    """All pairs that share characters, and the intersection of each divided by its union."""
    sides = [Spans(side.sentence, side.sentence, side.extent[0], side.extent[1] - 1) for side in (true, pred)]
    rows, columns = neighbours(*sides)
    chosen = ((true, rows), (pred, columns))
    starts, ends = ([side.extent[edge][places] for side, places in chosen] for edge in (0, 1))
    shared = np.minimum(*ends) - np.maximum(*starts)
    touching = shared > 0
    union = (np.maximum(*ends) - np.minimum(*starts))[touching]
    return rows[touching], columns[touching], shared[touching] / union


def combined(true: TaggedSpans, row: int, pred: TaggedSpans, columns: Sequence[int], by_character: bool) -> float:
    """presidio-evaluator's IoU of a span and several others together.

    Its ends are inclusive here, and all others but the first begin and end one character early.
    """
    if not by_character:
        keys = frozenset().union(*(pred.keys[column] for column in columns))
        return len(true.keys[row] & keys) / len(true.keys[row] | keys)
    low, high = true.extent
    ours = set(range(int(low[row]), int(high[row]) + 1))
    low, high = pred.extent
    theirs: set[int] = set()
    for number, column in enumerate(columns):
        early = int(number > 0)
        theirs.update(range(int(low[column]) - early, int(high[column]) + 1 - early))
    return len(ours & theirs) / len(ours | theirs)


def one_to_one(
    true: TaggedSpans, pred: TaggedSpans, least: float, by_character: bool, typed: bool
) -> list[tuple[int, int]]:
    """Pairs with a share of at least so much, each span in one: with `typed` those of one type first, then the best."""
    pairs = [
        (typed and true.kind[row] != pred.kind[column], -share, row, column)
        for row, others in overlaps(true, pred, by_character).items()
        for column, share in others
        if share >= least
    ]
    pairs.sort()
    rows, columns = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (2, 3))
    return [pairs[number][2:] for number in first_free(rows, columns)]


Place = tuple[TaggedSpans, int]


def error_of(kind: ErrorType, true: Place | None, pred: Place | None, share: float | None = None) -> ModelError:
    at = pred if kind is ErrorType.FP else true
    if at is None:
        raise ValueError(f"{kind.value} without the span that it is about")
    spans, number = at
    full_text, token = spans.texts(number)
    start, end = (bounds[number] for bounds in spans.bounds)
    annotation = OUTSIDE if kind is ErrorType.FP or true is None else true[0].kind[true[1]]
    prediction = OUTSIDE if kind is ErrorType.FN or pred is None else pred[0].kind[pred[1]]
    why = "no overlap" if share is None else f"IoU {share:.2f}"
    return ModelError(kind, annotation, prediction, token, full_text, explanation=why, start=start, end=end)


@dataclass
class SpanComparison:
    """presidio-evaluator's comparison, of types or of all types as one."""

    true: TaggedSpans
    pred: TaggedSpans
    result: EvaluationResult
    typed: bool
    least: float
    by_character: bool

    def count(self) -> None:
        pairs = overlaps(self.true, self.pred, self.by_character)
        of_sentence: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, spans in enumerate((self.true, self.pred)):
            for number, sentence in enumerate(spans.sentence.tolist()):
                of_sentence[sentence][side].append(number)
        for _, (rows, columns) in sorted(of_sentence.items()):
            met: set[tuple[str, int, int]] = set()
            for row in rows:
                others = pairs.get(row, [])
                met.update(self._key(column) for column, _ in others)
                self._judge(row, others)
            for column in columns:
                if self._key(column) not in met:
                    self._wrong(self.pred.kind[column])
                    self.result.results[OUTSIDE, self.pred.kind[column]] += 1
                    self.result.model_errors.append(error_of(ErrorType.FP, None, (self.pred, column)))

    def _tally(self, kind: str) -> PIIEvaluationMetrics:
        return self.result.per_type[kind] if self.typed else self.result.pii

    def _key(self, column: int) -> tuple[str, int, int]:
        starts, ends = self.pred.bounds
        return self.pred.kind[column], starts[column], ends[column]

    def _judge(self, row: int, others: list[tuple[int, float]]) -> None:
        kind = self.true.kind[row]
        tally = self._tally(kind)
        tally.num_annotated += 1
        if not others:
            tally.false_negatives += 1
            self._pair(kind, OUTSIDE)
            self._note([ErrorType.FN], row, None, None)
        by_kind: dict[str, list[int]] = defaultdict(list)
        for column, _ in others:
            by_kind[self.pred.kind[column]].append(column)
        counted = False
        for predicted, columns in by_kind.items():
            share = others[0][1]
            if len(others) > 1:
                share = combined(self.true, row, self.pred, columns, self.by_character)
            enough, same = share >= self.least, predicted == kind
            if enough and same:
                tally.true_positives += 1
                tally.num_predicted += 1
                self._pair(kind, kind)
                counted = True
                continue
            errors = [ErrorType.FN] * (not counted) + [ErrorType.FP]
            if enough:
                errors.insert(0 if len(others) == 1 else len(errors) - 1, ErrorType.WrongEntity)
                self._pair(kind, predicted)
            elif not (counted and same):
                self._pair(kind, OUTSIDE)
            if not enough:
                self._pair(OUTSIDE, predicted)
            tally.false_negatives += not counted
            self._wrong(predicted)
            self._note(errors, row, columns[0], share)
            counted = True

    def _pair(self, true: str, predicted: str) -> None:
        if self.typed:
            self.result.results[true, predicted] += 1

    def _wrong(self, kind: str) -> None:
        self._tally(kind).false_positives += 1
        self._tally(kind).num_predicted += 1

    def _note(self, kinds: list[ErrorType], row: int, column: int | None, share: float | None) -> None:
        if self.typed:
            pred = None if column is None else (self.pred, column)
            self.result.model_errors += [error_of(kind, (self.true, row), pred, share) for kind in kinds]


def _check(names: Sequence[str], columns: Sequence[list[Any]], kind: type, expected: str) -> None:
    """Every value is of the kind, and no tag is empty."""
    for name, column in zip(names, columns, strict=True):
        barred = "" if name != "token" else None
        if barred in column or not all(issubclass(found_type, kind) for found_type in set(map(type, column))):
            row = next(
                row for row, found_type in enumerate(column) if found_type == barred or not isinstance(found_type, kind)
            )
            raise ValueError(f"row {row}, column {name}: found {column[row]!r}; expected {expected}")


def _column(frame: Any, name: str) -> list[Any]:
    try:
        column = frame[name]
    except KeyError:
        raise ValueError(f"there is no column {name}; expected {', '.join(_COLUMNS)}") from None
    return list(column.tolist() if hasattr(column, "tolist") else column)
