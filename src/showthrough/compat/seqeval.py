"""seqeval's scores: a script that was written for seqeval runs with another import line.

Calls, results and numbers are those of seqeval 1.2.2. Scores without a scheme come from arrays over all tags at once.
`beside` gives the same counts with `None` where seqeval's 0 is the measure of nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BILOU", "IOB1", "IOB2", "IOBES", "IOE1", "IOE2", "Scheme", "UndefinedMetricWarning", "accuracy_score", "beside",
    "classification_report", "f1_score", "get_entities", "performance_measure", "precision_recall_fscore_support",
    "precision_score", "recall_score",
]  # fmt: skip

Tags = Sequence[list[str]]
Spans = set[tuple[str, int, int]]
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]

_AVERAGES = ("micro", "macro", "weighted")


class UndefinedMetricWarning(UserWarning):
    """A measure of nothing was set to 0."""


@dataclass(frozen=True)
class Scheme:
    """How prefixes mark entities.

    A rule is the prefix before, the prefix here, and `=` for the same type, `!` for another one or `*` for any; `.`
    stands for any prefix.
    """

    name: str
    prefixes: str
    starts: str
    inside: str
    ends: str

    def _allows(self, rules: str, before: tuple[str, str], here: tuple[str, str]) -> bool:
        condition = "=" if before[1] == here[1] else "!"
        return any(
            rule[0] in (".", before[0]) and rule[1] in (".", here[0]) and rule[2] in ("*", condition)
            for rule in rules.split()
        )

    def spans(self, document: Sequence[str], suffix: bool) -> list[tuple[str, int, int]]:
        """Type, start and half-open end of the entities that are well formed."""
        tags = [*(self._tag(tag, suffix) for tag in document), ("O", "_")]
        spans, index = [], 0
        before = tags[-1]
        while index < len(tags):
            end = index + 1
            if self._allows(self.starts, before, tags[index]):
                while end < len(tags) and self._allows(self.inside, tags[end - 1], tags[end]):
                    end += 1
                if self._allows(self.ends, tags[end - 1], tags[end]):
                    spans.append((tags[index][1], index, end))
            before, index = tags[end - 1], end
        return spans

    def _tag(self, tag: str, suffix: bool) -> tuple[str, str]:
        prefix, rest = (tag[-1:], tag[:-1]) if suffix else (tag[:1], tag[1:])
        if not prefix or prefix not in self.prefixes:
            raise ValueError(f"Invalid token is found: {tag}. Allowed prefixes are: {'|'.join(self.prefixes)}.")
        return prefix, rest.strip("-") or "_"


IOB1 = Scheme("IOB1", "IOB", "OI* II! BI* IB= BB=", "BI= II=", "II! IO* IB* BO* BI! BB=")
IOE1 = Scheme("IOE1", "IOE", "OI* II! EI* EE=", "II= IE=", "II! IO* IE! EI= EE=")
IOB2 = Scheme("IOB2", "IOB", ".B*", "BI= II=", "IO* II! IB* BO* BI! BB*")
IOE2 = Scheme("IOE2", "IOE", "OI* OE* EI* EE* II! IE!", "IE= II=", "E.*")
IOBES = Scheme("IOBES", "IOBES", ".B* .S*", "BI= BE= II= IE=", "S.* E.*")
BILOU = Scheme("BILOU", "BILOU", ".B* .U*", "BI= BL= II= IL=", "U.* L.*")

# The sets of prefixes by which seqeval tells the scheme where none is named.
_DETECTED = (
    (IOB2, "IOB IB BO B"),
    (IOE2, "IOE IE EO E"),
    (IOBES, "IOBES IBES IOBE OBES IBE BES OBE BE S"),
    (BILOU, "IOBLU IBLU IOBL OBLU IBL BLU OBL BL U"),
)


def _detect(documents: Iterable[Iterable[str]], suffix: bool) -> Scheme:
    prefixes = {tag[-1:] if suffix else tag[:1] for document in documents for tag in document}
    for scheme, sets in _DETECTED:
        if prefixes in map(set, sets.split()):
            return scheme
    raise ValueError(f"This scheme is not supported: {sorted(prefixes)}")


def get_entities(seq: Sequence[Any], suffix: bool = False) -> list[tuple[str, int, int]]:
    """Type, first and last place of each entity, as conlleval.pl finds them; of many documents, one after another.

    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    if any(isinstance(document, list) for document in seq):
        seq = list(chain.from_iterable((*document, "O") for document in seq))
    seq = [*seq, "O"]
    number = {name: rank for rank, name in enumerate(dict.fromkeys(seq))}
    for name in number:
        if name not in ("O", "B", "I", "E", "S") and (
            name[-2:] not in ("-B", "-I", "-E", "-S") if suffix else name[:2] not in ("B-", "I-", "E-", "S-")
        ):
            warnings.warn(f"{name} seems not to be NE tag.", stacklevel=2)
    if suffix:
        prefixes = [name[-1] for name in number]
        kinds = [name[:-1].rsplit("-", maxsplit=1)[0] or "_" for name in number]
    else:
        prefixes = [name[0] for name in number]
        kinds = [name[1:].split("-", maxsplit=1)[-1] or "_" for name in number]
    codes = np.array(list(map(number.__getitem__, seq)), dtype=np.int64)
    before = np.concatenate(([number["O"]], codes[:-1]))
    kind = np.array(list(map(kinds.index, kinds)), dtype=np.int64)
    other = kind[codes] != kind[before]

    def among(letters: str) -> NDArray[np.bool_]:
        return np.array([prefix in letters for prefix in prefixes])

    ends = among("ES")[before] | (among("BI")[before] & among("BSO")[codes]) | (other & ~among("O.")[before])
    starts = among("BS")[codes] | (among("ESO")[before] & among("EI")[codes]) | (other & ~among("O.")[codes])
    starts[0] |= not among("O.")[codes[0]]
    first = np.maximum.accumulate(np.where(starts, np.arange(len(codes)), 0))
    last = np.flatnonzero(ends) - 1
    names = [kinds[code] for code in codes[last].tolist()]
    return list(zip(names, first[last].tolist(), last.tolist(), strict=True))


def _check(y_true: Tags, y_pred: Tags) -> None:
    if {type(document) for document in chain(y_true, y_pred)} != {list}:
        raise TypeError("Found input variables without list of list.")
    lengths = [list(map(len, side)) for side in (y_true, y_pred)]
    if lengths[0] != lengths[1]:
        raise ValueError(f"Found input variables with inconsistent numbers of samples:\n{lengths[0]}\n{lengths[1]}")


@dataclass(frozen=True)
class _Counts:
    """Of each type: entities that are right, that were predicted, and that are true."""

    names: list[str]
    right: Numbers
    pred: Numbers
    true: Numbers

    @staticmethod
    def of(y_true: Tags, y_pred: Tags, suffix: bool, scheme: Scheme | None) -> _Counts:
        _check(y_true, y_pred)
        true, pred = (_spans(side, suffix, scheme) for side in (y_true, y_pred))
        names = sorted({name for name, *_ in chain(true, pred)})
        numbers = {name: number for number, name in enumerate(names)}
        columns = [[numbers[name] for name, *_ in spans] for spans in (true & pred, pred, true)]
        counts = (np.bincount(np.array(column, dtype=np.int64), minlength=len(names)) for column in columns)
        return _Counts(names, *counts)

    def scores(self, average: str | None, beta: float, undefined: float) -> tuple[Any, Any, Any, Any]:
        right, pred, true = self.right, self.pred, self.true
        if average == "micro":
            right, pred, true = (counts.sum(keepdims=True) for counts in (right, pred, true))
        precision, recall = _shares(right, pred, undefined), _shares(right, true, undefined)
        if np.isposinf(beta):
            f_score = recall
        else:
            below = beta**2 * precision + recall
            f_score = (1 + beta**2) * precision * recall / np.where(below == 0, 1, below)
        if average is None:
            return precision, recall, f_score, true
        if average == "weighted" and not true.sum():
            without = undefined if not pred.sum() else 0.0
            return without, undefined, without, 0
        weights = true if average == "weighted" else None
        means = (np.average(values, weights=weights) for values in (precision, recall, f_score))
        return (*means, true.sum())


def _spans(documents: Tags, suffix: bool, scheme: Scheme | None) -> Spans | set[tuple[Any, ...]]:
    if scheme is None:
        return set(get_entities(documents, suffix))
    return {
        (name, number, start, end)
        for number, document in enumerate(documents)
        for name, start, end in scheme.spans(document, suffix)
    }


def _shares(part: Numbers, whole: Numbers, undefined: float) -> Floats:
    return np.where(whole == 0, undefined, part / np.where(whole == 0, 1, whole))


def _undefined(zero_division: str | float, counts: _Counts) -> float:
    if zero_division == "warn" and not (counts.pred.all() and counts.true.all()):
        warnings.warn("a measure of nothing is set to 0", UndefinedMetricWarning, stacklevel=3)
    return 0.0 if zero_division in ("warn", 0) else 1.0


def precision_recall_fscore_support(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = None,
    beta: float = 1.0,
    sample_weight: object = None,
    zero_division: str | float = "warn",
    suffix: bool = False,
    mode: str | None = None,
    scheme: Scheme | None = None,
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F and the number of true entities, by type or as an average.

    `mode="strict"` with a `scheme` counts only well-formed entities. `sample_weight` has no effect, as in seqeval.
    """
    if beta < 0:
        raise ValueError("beta should be >=0 in the F-beta score")
    if average not in (None, *_AVERAGES):
        raise ValueError(f"average has to be one of {(None, *_AVERAGES)}")
    counts = _Counts.of(y_true, y_pred, suffix, scheme if mode == "strict" else None)
    return counts.scores(average, beta, _undefined(zero_division, counts))


def precision_score(y_true: Tags, y_pred: Tags, *, average: str | None = "micro", **options: Any) -> Any:
    """The share of predicted entities that are right. Options: those of `precision_recall_fscore_support`."""
    return precision_recall_fscore_support(y_true, y_pred, average=average, **options)[0]


def recall_score(y_true: Tags, y_pred: Tags, *, average: str | None = "micro", **options: Any) -> Any:
    """The share of true entities that were predicted."""
    return precision_recall_fscore_support(y_true, y_pred, average=average, **options)[1]


def f1_score(y_true: Tags, y_pred: Tags, *, average: str | None = "micro", **options: Any) -> Any:
    """The harmonic mean of precision and recall.

    >>> f1_score([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]])
    np.float64(0.5)
    """
    return precision_recall_fscore_support(y_true, y_pred, average=average, **options)[2]


def _flat(y_true: Sequence[Any], y_pred: Sequence[Any]) -> list[tuple[str, str]]:
    if any(isinstance(document, list) for document in y_true):
        y_true, y_pred = (list(chain.from_iterable(side)) for side in (y_true, y_pred))
    return list(zip(y_true, y_pred, strict=False))


def accuracy_score(y_true: Sequence[Any], y_pred: Sequence[Any]) -> float:
    """The share of equal tags."""
    pairs = _flat(y_true, y_pred)
    return sum(true == pred for true, pred in pairs) / len(pairs)


def performance_measure(y_true: Sequence[Any], y_pred: Sequence[Any]) -> dict[str, int]:
    """Counts of tags. As in seqeval, a tag of another type is a false positive, but not a false negative."""
    pairs = _flat(y_true, y_pred)
    return {
        "TP": sum(true == pred != "O" for true, pred in pairs),
        "FP": sum(true != pred != "O" for true, pred in pairs),
        "FN": sum(true != pred == "O" for true, pred in pairs),
        "TN": sum(true == pred == "O" for true, pred in pairs),
    }


def classification_report(
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: object = None,
    zero_division: str | float = "warn",
    scheme: Scheme | None = None,
) -> str | dict[str, Any]:
    """Precision, recall, F1 and support by type and on average: a table, or a dictionary with `output_dict`.

    `mode="strict"` without a `scheme` goes by the prefixes of the true tags.
    """
    if mode == "strict" and scheme is None:
        scheme = _detect(y_true, suffix)
    counts = _Counts.of(y_true, y_pred, suffix, scheme if mode == "strict" else None)
    undefined = _undefined(zero_division, counts)
    rows = {
        name: tuple(column[index] for column in counts.scores(None, 1.0, undefined))
        for index, name in enumerate(counts.names)
    }
    averages = {f"{average} avg": counts.scores(average, 1.0, undefined) for average in _AVERAGES}
    heads = ("precision", "recall", "f1-score", "support")
    if output_dict:
        return {name: dict(zip(heads, row, strict=True)) for name, row in {**rows, **averages}.items()}
    if not rows:
        raise ValueError("there are no entities; expected one at least")
    width = max(len("weighted avg"), digits, *map(len, rows))
    lines = [f"{'':>{width}} " + "".join(f" {head:>9}" for head in heads), ""]
    for group in (rows, averages):
        for name, (*values, support) in group.items():
            lines.append(f"{name:>{width}} " + "".join(f" {value:>9.{digits}f}" for value in values) + f" {support:>9}")
        lines.append("")
    return "\n".join(lines)


def beside(
    y_true: Tags, y_pred: Tags, *, suffix: bool = False, mode: str | None = None, scheme: Scheme | None = None
) -> dict[str, dict[str, float | int | None]]:
    """Our own measures by type, and of all as `micro avg`: where there is nothing to measure, `None`, and no 0.

    >>> beside([["B-PER"]], [["O"]])["PER"]["precision"] is None
    True
    """
    counts = _Counts.of(y_true, y_pred, suffix, scheme if mode == "strict" else None)
    rows = dict(zip(counts.names, zip(counts.right, counts.pred, counts.true, strict=True), strict=True))
    rows["micro avg"] = (counts.right.sum(), counts.pred.sum(), counts.true.sum())
    return {
        name: {
            "precision": float(right / pred) if pred else None,
            "recall": float(right / true) if true else None,
            "f1-score": float(2 * right / (pred + true)) if pred and true else None,
            "support": int(true),
        }
        for name, (right, pred, true) in rows.items()
    }
