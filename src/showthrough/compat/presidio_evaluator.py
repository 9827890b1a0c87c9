"""presidio-evaluator's scores: a script that was written for it runs with another import line.

Calls, results and numbers are those of presidio-evaluator 0.3.2: its two evaluators, their results and the lists of
errors. Predictions come as its data frame or as any mapping with the same columns. Its mapper of entities and its
plotter are not here. `SpanEvaluator.beside` gives our own counts where its own are in doubt; `REASONS` says why.
"""

from __future__ import annotations

import string
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, NoReturn

import numpy as np

from showthrough.compat._presidio_results import (
    OUTSIDE,
    PII,
    ErrorType,
    EvaluationResult,
    InputSample,
    ModelError,
    PIIEvaluationMetrics,
)
from showthrough.compat._tagged import SpanComparison, Tokens, error_of, one_to_one
from showthrough.core.errors import UnavailableError

__all__ = [
    "REASONS", "BaseEvaluator", "DeprecationError", "ErrorType", "EvaluationResult", "Evaluator", "InputSample",
    "ModelError", "PIIEvaluationMetrics", "SpanEvaluator", "TokenEvaluator", "get_skip_words",
]  # fmt: skip

REASONS = (
    "Tags without B and I cannot part two neighbours of one type. Words to skip between neighbours join them, too: "
    "'Ann and Bo' is one person in presidio-evaluator. With B and I, each tag is a type of its own there. "
    "Here B starts a span.",
    "A prediction over several true spans counts once for each there, and several predictions over one true span count "
    "as one. Here each span counts once.",
    "Several predictions of a type over one true span are compared with inclusive ends there, and all but the first "
    "one character early.",
    "SpanEvaluator accepts entities_to_keep there and does not use it.",
    "A measure of nothing is NaN there, and so is F where nothing is right. Here it is None, and such an F is 0.",
    "A spurious prediction is listed twice in model_errors there: as its type and as PII.",
    "TokenEvaluator counts words to skip where both sides agree, and leaves them out where they differ.",
)

Level = Literal["entity", "pii", "both"]
_GENERIC = ("PII", "ID", "PHI", "ID_NUM", "NUMBER", "NUM", "GENERIC_PII")
_SKIPPED = (
    ">> >>> >>>> >>>>> >>>>>> 's street st. st de rue via and a the or do as of day address country state city zip po "
    "apt unit corner p.o. box suite mr. mrs. miss year years y/o month months old morning noon afternoon night evening "
    "this first last week weeks weekend days age ago inc inc. ltd"
)


class DeprecationError(RuntimeError):
    """A call that presidio-evaluator 0.3 has no longer."""


def get_skip_words() -> list[str]:
    """Signs, white space, words of addresses and titles, and spaCy's English function words."""
    try:
        from spacy.lang.en.stop_words import STOP_WORDS
    except ImportError as error:
        raise UnavailableError("the default skip words are spaCy's: install it, or say skip_words=[…]") from error
    blank = ["", *(sign * times for sign in "\n\t" for times in range(1, 5))]
    return sorted({*string.punctuation, *string.whitespace, *blank, *_SKIPPED.split(), *STOP_WORDS})


class BaseEvaluator:
    """What both evaluators have. Without `skip_words` they are those of `get_skip_words`."""

    def __init__(
        self,
        model: None = None,
        verbose: bool = False,
        entities_to_keep: list[str] | None = None,
        generic_entities: Sequence[str] | None = None,
        skip_words: Sequence[str] | None = None,
    ) -> None:
        if model is not None:
            self._gone()
        self.model, self.verbose, self.entities_to_keep = model, verbose, entities_to_keep
        self.generic_entities = generic_entities or _GENERIC
        self.skip_words = get_skip_words() if skip_words is None else skip_words

    def _gone(self, *_: Any, **__: Any) -> NoReturn:
        """What presidio-evaluator 0.3 has no longer."""
        fault = "presidio-evaluator 0.3 takes no model and has calculate_score_on_df(results_df) alone"
        raise DeprecationError(fault)

    evaluate_all = calculate_score = get_results_dataframe = _gone

    def calculate_score_on_df(self, results_df: Any, beta: float = 2.0, level: Level = "both") -> EvaluationResult:
        raise NotImplementedError

    def calculate_hierarchical_scores(self, results: Any, beta: float = 2.0) -> dict[str, EvaluationResult]:
        """Scores of the three data frames that the mapper of presidio-evaluator makes."""
        levels = ("binary", "branch", "detailed")
        return {level: self.calculate_score_on_df(getattr(results, level), beta=beta) for level in levels}

    @staticmethod
    def precision(tp: int, fp: int | None = None, num_predicted: int | None = None) -> float:
        """Right ones by all predicted, NaN of none."""
        return _share(tp, _whole(tp, fp, num_predicted))

    @staticmethod
    def recall(tp: int, fn: int | None = None, num_annotated: int | None = None) -> float:
        """Right ones by all annotated, NaN of none."""
        return _share(tp, _whole(tp, fn, num_annotated))

    @staticmethod
    def f_beta(precision: float, recall: float, beta: float) -> float:
        """The weighted harmonic mean, NaN where there is none."""
        if np.isnan(precision) or np.isnan(recall) or precision == recall == 0:
            return np.nan
        return ((1 + beta**2) * precision * recall) / (beta**2 * precision + recall)

    def _measure(self, result: EvaluationResult, beta: float, level: Level, undefined: float | None = np.nan) -> None:
        """Sets the measures from the counts."""
        tallies = [*result.per_type.values()] * (level != "pii") + [result.pii] * (level != "entity")
        for tally in tallies:
            precision = _share(tally.true_positives, tally.num_predicted)
            recall = _share(tally.true_positives, tally.num_annotated)
            f = 0.0 if undefined is None and precision == recall == 0 else self.f_beta(precision, recall, beta)
            values = precision, recall, f
            tally.precision, tally.recall, tally.f_beta = (undefined if np.isnan(value) else value for value in values)
        if level != "pii":
            result.n = sum(tally.num_annotated for tally in result.per_type.values())


def _tally(metrics: PIIEvaluationMetrics, annotated: int, predicted: int, right: int) -> None:
    """Sets the counts where what is not right is wrong."""
    metrics.num_annotated, metrics.num_predicted, metrics.true_positives = annotated, predicted, right
    metrics.false_positives, metrics.false_negatives = predicted - right, annotated - right


def _whole(right: int, wrong: int | None, whole: int | None) -> int:
    if (wrong and whole) or (wrong is None and whole is None):
        raise ValueError("expected the number of all, or that of wrong ones, and not both")
    return right + (wrong or 0) if whole is None else whole


def _share(part: int, whole: int) -> float:
    return part / whole if whole > 0 else np.nan


class SpanEvaluator(BaseEvaluator):
    """Compares spans by their intersection divided by their union, as SpanEvaluator of presidio-evaluator 0.3.2 does.

    >>> rows = [("Ann", "PER", "PER"), ("and", "O", "O"), ("Bo", "PER", "PER"), ("left", "O", "PER")]
    >>> words, true, pred = zip(*rows)
    >>> frame = {"token": words, "annotation": true, "prediction": pred, "start_indices": [0, 4, 8, 11]}
    >>> evaluator = SpanEvaluator(skip_words=["and"])
    >>> result = evaluator.calculate_score_on_df({**frame, "sentence_id": [0] * 4})
    >>> result.per_type["PER"].num_annotated, result.pii_recall  # Ann and Bo are one, which is too long
    (1, 0.0)
    >>> result = evaluator.beside({**frame, "sentence_id": [0] * 4})
    >>> result.per_type["PER"].num_annotated, result.pii_recall  # Ann, but not Bo left
    (2, 0.5)
    """

    def __init__(
        self,
        verbose: bool = False,
        model: None = None,
        entities_to_keep: list[str] | None = None,
        generic_entities: Sequence[str] | None = None,
        skip_words: Sequence[str] | None = None,
        iou_threshold: float = 0.9,
        char_based: bool = True,
    ) -> None:
        super().__init__(model, verbose, entities_to_keep, generic_entities, skip_words)
        self.iou_threshold, self.char_based = iou_threshold, char_based

    def calculate_score_on_df(
        self,
        results_df: Any,
        beta: float = 2.0,
        level: Level = "both",
        evaluation_result: EvaluationResult | None = None,
        **_: Any,
    ) -> EvaluationResult:
        """presidio-evaluator's scores of a data frame that its models make."""
        tokens = Tokens.of(results_df, self.skip_words)
        result = evaluation_result or EvaluationResult()
        for typed in (True,) * (level != "pii") + (False,) * (level != "entity"):
            sides = ([tag if typed or tag == OUTSIDE else PII for tag in side] for side in tokens.tags)
            true, pred = (tokens.spans(side, merged=True) for side in sides)
            SpanComparison(true, pred, result, typed, self.iou_threshold, self.char_based).count()
        self._measure(result, beta, level)
        return result

    def beside(self, results_df: Any, beta: float = 2.0) -> EvaluationResult:
        """Our own results, in the same form.

        B, U and S start a span if all tags have prefixes, and no neighbours are merged. Each true span has one
        prediction at most, pairs of one type first, then those that share most. `entities_to_keep` is used.
        """
        tokens = Tokens.of(results_df, self.skip_words)
        true, pred = (tokens.spans(side, merged=False) for side in tokens.tags)
        if self.entities_to_keep:
            true, pred = (side.only(self.entities_to_keep) for side in (true, pred))
        result = EvaluationResult()
        pairs = one_to_one(true, pred, self.iou_threshold, self.char_based, typed=True)
        free = set(range(len(true))), set(range(len(pred)))
        for row, column in pairs:
            result.results[true.kind[row], pred.kind[column]] += 1
            free[0].remove(row)
            free[1].remove(column)
            if true.kind[row] != pred.kind[column]:
                result.model_errors.append(error_of(ErrorType.WrongEntity, (true, row), (pred, column)))
        for row in sorted(free[0]):
            result.results[true.kind[row], OUTSIDE] += 1
            result.model_errors.append(error_of(ErrorType.FN, (true, row), None))
        for column in sorted(free[1]):
            result.results[OUTSIDE, pred.kind[column]] += 1
            result.model_errors.append(error_of(ErrorType.FP, None, (pred, column)))
        annotated, predicted = Counter(true.kind), Counter(pred.kind)
        for name in sorted(annotated | predicted):
            _tally(result.per_type[name], annotated[name], predicted[name], result.results[name, name])
        right = one_to_one(true, pred, self.iou_threshold, self.char_based, typed=False)
        _tally(result.pii, len(true), len(pred), len(right))
        self._measure(result, beta, "both", undefined=None)
        return result

    @staticmethod
    def create_global_entities_df(results_df: Any) -> Any:
        """The same data frame with every type as PII."""
        sides = ("annotation", "prediction")
        tags = {side: [tag if tag == OUTSIDE else PII for tag in results_df[side]] for side in sides}
        return {**results_df, **tags} if isinstance(results_df, Mapping) else results_df.assign(**tags)


class TokenEvaluator(BaseEvaluator):
    """Compares tags token by token, as TokenEvaluator of presidio-evaluator 0.3.2 does."""

    def compare(
        self, input_sample: InputSample, prediction: list[str]
    ) -> tuple[Counter[tuple[str, str]], list[ModelError]]:
        """Counts of pairs of tags, and the errors.

        A difference at a word to skip does not count. A general type, such as PII, counts as any other.
        """
        annotation = list(input_sample.tags)
        if len(annotation) != len(prediction):
            warnings.warn(
                f"{len(annotation)} tags and {len(prediction)} predictions; the sample is left out", stacklevel=2
            )
            return Counter(), []
        if self.entities_to_keep:
            keep = set(self.entities_to_keep)
            annotation, prediction = (
                [tag if tag in keep else OUTSIDE for tag in side] for side in (annotation, prediction)
            )
        to_skip = frozenset(self.skip_words)
        results, errors = Counter(zip(annotation, prediction, strict=True)), []
        differing = [index for index, true in enumerate(annotation) if true != prediction[index]]
        for index in differing:
            true, pred = annotation[index], prediction[index]
            token, skipped = input_sample.tokens[index], False
            if str(token).lower().strip() in to_skip:
                results[true, pred] -= 1
                skipped = True
            general = [tag for tag in (pred, true) if tag in self.generic_entities]
            if general and OUTSIDE not in (true, pred):
                special = true if general[0] == pred else pred
                results[true, pred] -= 1
                results[special, special] += 1
            elif not skipped:
                kind = ErrorType.FN if pred == OUTSIDE else ErrorType.FP if true == OUTSIDE else ErrorType.WrongEntity
                start = input_sample.start_indices[index] if input_sample.start_indices else None
                end = None if start is None else start + len(str(token))
                text, metadata = input_sample.full_text, input_sample.metadata
                errors.append(ModelError(kind, true, pred, token, text, metadata=metadata, start=start, end=end))
        return Counter({pair: count for pair, count in results.items() if count}), errors

    def evaluate_sample(self, sample: InputSample, prediction: list[str]) -> EvaluationResult:
        """The counts of one sample, without measures."""
        results, errors = self.compare(sample, prediction)
        return EvaluationResult(
            results, errors, sample.full_text, tokens=list(map(str, sample.tokens)), actual_tags=sample.tags,
            predicted_tags=prediction, start_indices=sample.start_indices,
        )  # fmt: skip

    def calculate_score_on_df(
        self, results_df: Any, beta: float = 2.0, level: Level = "both", **_: Any
    ) -> EvaluationResult:
        """presidio-evaluator's scores of a data frame that its models make."""
        tokens = Tokens.of(results_df, (), in_order=False)
        result, edge = EvaluationResult(), 0
        for _, group in groupby(tokens.sentence.tolist()):
            first, edge = edge, edge + len(list(group))
            words, tags = tokens.words[first:edge], tokens.annotation[first:edge]
            starts = tokens.start[first:edge].tolist()
            sample = InputSample(" ".join(words), tokens=words, tags=tags, start_indices=starts)
            results, errors = self.compare(sample, tokens.prediction[first:edge])
            result.results = result.results + results  # drops what is not above 0, as there
            result.model_errors += errors
        counts = result.results
        names = self.entities_to_keep or sorted({name for pair in counts for name in pair} - {OUTSIDE})
        for name in names if level != "pii" else ():
            true, pred = (sum(count for pair, count in counts.items() if pair[side] == name) for side in (0, 1))
            _tally(result.per_type[name], true, pred, counts[name, name])
        if level != "entity":
            true, pred = (sum(count for pair, count in counts.items() if pair[side] != OUTSIDE) for side in (0, 1))
            _tally(result.pii, true, pred, sum(count for pair, count in counts.items() if OUTSIDE not in pair))
        self._measure(result, beta, level)
        if not result.per_type:
            result.n = None
        return result


class Evaluator(TokenEvaluator):
    """Raises an error, as in presidio-evaluator 0.3."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise DeprecationWarning("use SpanEvaluator or TokenEvaluator")
