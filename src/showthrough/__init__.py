"""How much still shows through in anonymized text, how much use is left, and which anonymizer is better."""

from showthrough.errors import InputError, Interrupted, OutputError, PlanError, Problem, ResourceError, ShowthroughError
from showthrough.evaluate import Plan, evaluate, evaluate_plan
from showthrough.formats import read_anonymization, read_corpus
from showthrough.masks import Anonymization, Mask, apply_masks
from showthrough.metrics import (
    METRICS,
    EntityRecall,
    FScore,
    Metric,
    Precision,
    Recall,
    RecallPerType,
    Rows,
    parse_metric,
)
from showthrough.run import Comparison, Run, Score
from showthrough.text import Annotation, Corpus, Document, Mention
from showthrough.version import __version__

__all__ = [
    "METRICS", "Annotation", "Anonymization", "Comparison", "Corpus", "Document", "EntityRecall", "FScore",
    "InputError", "Interrupted", "Mask", "Mention", "Metric", "OutputError", "Plan", "PlanError", "Precision",
    "Problem", "Recall", "RecallPerType", "ResourceError", "Rows", "Run", "Score", "ShowthroughError",
    "__version__", "apply_masks", "evaluate", "evaluate_plan", "parse_metric", "read_anonymization", "read_corpus",
]  # fmt: skip
