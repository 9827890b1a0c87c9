"""What presidio-evaluator's evaluators return: counts and measures, and lists of errors."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

OUTSIDE, PII = "O", "PII"


@dataclass
class InputSample:
    """A text with its tokens and their true tags."""

    full_text: str
    tokens: Sequence[Any] = ()
    tags: list[str] = field(default_factory=list)
    metadata: dict[str, Any] | None = None
    sample_id: Any = None
    start_indices: list[int] = field(default_factory=list)


class ErrorType(Enum):
    """A false positive has no annotation, a false negative no prediction, and a wrong entity has both."""

    FP = "FP"
    FN = "FN"
    WrongEntity = "WrongEntity"


@dataclass
class ModelError:
    """An error and its place. `explanation` has words of our own."""

    error_type: ErrorType
    annotation: str
    prediction: str
    token: Any = None
    full_text: str | None = None
    sample_id: Any = None
    metadata: dict[str, Any] | None = None
    explanation: str | None = None
    start: int | None = None
    end: int | None = None

    @staticmethod
    def get_false_positives(errors: list[ModelError], entity: Any = None) -> list[ModelError]:
        """Predictions of nothing, and wrong ones. As there, the `entity` PERSON_ID also takes errors of type PERSON."""
        return _errors(errors, ErrorType.FP, "prediction", entity) + ModelError.get_wrong_entities(errors, None, entity)

    @staticmethod
    def get_false_negatives(errors: list[ModelError], entity: Any = None) -> list[ModelError]:
        """What was missed, and what got a wrong type."""
        return _errors(errors, ErrorType.FN, "annotation", entity) + ModelError.get_wrong_entities(errors, entity)

    @staticmethod
    def get_wrong_entities(
        errors: list[ModelError], annotated_entity: Any = None, predicted_entity: Any = None
    ) -> list[ModelError]:
        """Predictions of another type than the annotation's."""
        if annotated_entity or not predicted_entity:
            return _errors(errors, ErrorType.WrongEntity, "annotation", annotated_entity)
        return _errors(errors, ErrorType.WrongEntity, "prediction", predicted_entity)

    @staticmethod
    def most_common_fp_tokens(errors: list[ModelError], n: int = 10, entity: Any = None) -> list[tuple[Any, int]]:
        """The tokens most often predicted by mistake; they are printed, too."""
        return _most_common(ModelError.get_false_positives(errors, entity), n, "false positive")

    @staticmethod
    def most_common_fn_tokens(errors: list[ModelError], n: int = 10, entity: Any = None) -> list[tuple[Any, int]]:
        """The tokens most often missed; they are printed, too."""
        return _most_common(ModelError.get_false_negatives(errors, entity), n, "false negative")

    @staticmethod
    def get_errors_df(errors: list[ModelError], error_type: ErrorType, entity: Any = None, verbose: bool = True) -> Any:
        """A pandas data frame of the errors of a type, or None. Wrong types are in it twice, as there."""
        wrong = ModelError.get_wrong_entities(errors, None, entity), ModelError.get_wrong_entities(errors, entity)
        if error_type is ErrorType.WrongEntity:
            chosen = [*wrong[0], *wrong[1]]
        elif error_type is ErrorType.FN:
            chosen = ModelError.get_false_negatives(errors, entity) + wrong[1]
        else:
            chosen = ModelError.get_false_positives(errors, entity) + wrong[0]
        if not chosen:
            if verbose:
                print(f"No errors of type {error_type} and entity {entity} were found")
            return None
        import pandas as pd

        rows = [vars(error) for error in chosen]
        metadata = pd.DataFrame([row["metadata"] for row in rows])
        return pd.concat([pd.DataFrame.from_records(rows).drop(columns="metadata"), metadata], axis=1)

    @staticmethod
    def get_fps_dataframe(errors: list[ModelError], entity: Any = None, verbose: bool = True) -> Any:
        return ModelError.get_errors_df(errors, ErrorType.FP, entity, verbose)

    @staticmethod
    def get_fns_dataframe(errors: list[ModelError], entity: Any = None, verbose: bool = True) -> Any:
        return ModelError.get_errors_df(errors, ErrorType.FN, entity, verbose)

    @staticmethod
    def get_wrong_entity_dataframe(errors: list[ModelError], entity: Any = None, verbose: bool = True) -> Any:
        return ModelError.get_errors_df(errors, ErrorType.WrongEntity, entity, verbose)


def _errors(errors: list[ModelError], kind: ErrorType, side: str, entity: Any) -> list[ModelError]:
    return [error for error in errors if error.error_type == kind and (not entity or getattr(error, side) in entity)]


def _most_common(errors: list[ModelError], most: int, kind: str) -> list[tuple[Any, int]]:
    counts = Counter(error.token for error in errors).most_common(most)
    print(f"Most common {kind} tokens:", *(f"{times} × {token}" for token, times in counts), sep="\n")
    return counts


@dataclass
class PIIEvaluationMetrics:
    """The counts and measures of one type. In `beside` a measure of nothing is `None`."""

    precision: float | None = 0.0
    recall: float | None = 0.0
    f_beta: float | None = 0.0
    num_predicted: int = 0
    num_annotated: int = 0
    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0


def _of_pii(name: str) -> Any:
    return property(lambda result: getattr(result.pii, name))


@dataclass
class EvaluationResult:
    """Counts of pairs of types, errors, and measures by type and of all types as one, `pii`."""

    results: Counter[tuple[str, str]] = field(default_factory=Counter)
    model_errors: list[ModelError] = field(default_factory=list)
    text: str | None = None
    n: int | None = None
    per_type: dict[str, PIIEvaluationMetrics] = field(default_factory=lambda: defaultdict(PIIEvaluationMetrics))
    pii: PIIEvaluationMetrics = field(default_factory=lambda: PIIEvaluationMetrics(None, None, None))
    tokens: list[str] | None = None
    actual_tags: list[str] | None = None
    predicted_tags: list[str] | None = None
    start_indices: list[int] = field(default_factory=list)

    pii_precision = _of_pii("precision")
    pii_recall = _of_pii("recall")
    pii_f = _of_pii("f_beta")
    pii_predicted = _of_pii("num_predicted")
    pii_annotated = _of_pii("num_annotated")
    pii_true_positives = _of_pii("true_positives")
    pii_false_positives = _of_pii("false_positives")
    pii_false_negatives = _of_pii("false_negatives")

    @property
    def entity_precision_dict(self) -> dict[str, float | None]:
        return {name: counts.precision for name, counts in self.per_type.items()}

    @property
    def entity_recall_dict(self) -> dict[str, float | None]:
        return {name: counts.recall for name, counts in self.per_type.items()}

    @property
    def n_dict(self) -> dict[str, int]:
        return {name: counts.num_annotated for name, counts in self.per_type.items()}

    def __str__(self) -> str:
        if not self.per_type:
            return json.dumps(self.results)
        rows = [(name, score.precision, score.recall, score.num_annotated) for name, score in self.per_type.items()]
        rows.append((PII, self.pii_precision, self.pii_recall, self.n or 0))
        lines = ["".join(f"{head:>20}" for head in ("Entity", "Precision", "Recall", "Number of samples"))]
        lines += [f"{name:>20}{_percent(p):>20}{_percent(r):>20}{count:>20}" for name, p, r, count in rows]
        return "\n".join([*lines, f"PII F measure: {_percent(self.pii_f)}"])

    def to_log(self) -> dict[str, Any]:
        """All measures by name."""
        log: dict[str, Any] = {name: getattr(self, name) for name in ("pii_f", "pii_recall", "pii_precision", "n")}
        log |= {f"{name}_precision": value for name, value in self.entity_precision_dict.items()}
        log |= {f"{name}_recall": value for name, value in self.entity_recall_dict.items()}
        return {**log, **(self.n_dict if self.n else {})}

    def to_confusion_matrix(self) -> tuple[list[str], list[list[int]]]:
        """The types, O last, and how often each true one (rows) was predicted as each (columns)."""
        entities = [*sorted(set(self.per_type) - {OUTSIDE}), OUTSIDE]
        return entities, [[self.results[actual, predicted] for predicted in entities] for actual in entities]

    def to_confusion_df(self) -> Any:
        """The same as a pandas data frame, with precision as the last row and recall as the last column."""
        import pandas as pd

        entities, matrix = self.to_confusion_matrix()
        precision = pd.DataFrame(self.entity_precision_dict, index=["precision"])
        frame = pd.concat([pd.DataFrame(matrix, columns=entities, index=entities), precision])
        frame["recall"] = pd.Series(self.entity_recall_dict)
        return frame


def _percent(value: float | None) -> str:
    return "None" if value is None else f"{value:.2%}"
