"""How much still shows through in anonymized text, how much use is left, and which anonymizer is better."""

from showthrough.background import Background
from showthrough.errors import InputError, Interrupted, OutputError, PlanError, Problem, ResourceError, ShowthroughError
from showthrough.evaluate import evaluate, evaluate_plan
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.background import read_background
from showthrough.formats.writing import write_corpus
from showthrough.masks import Anonymization, Mask, TypedMask, apply_masks
from showthrough.metrics import (
    METRICS,
    ClusteringAgreement,
    EntityRecall,
    FScore,
    Metric,
    PhiHardToken,
    PhiInstance,
    PhiLeak,
    PhiSpan,
    PhiToken,
    Precision,
    Recall,
    RecallPerType,
    ReIdentification,
    Rows,
    TextPreservedInformation,
    TextPreservedSimilarity,
    WeightedPrecision,
    parse_metric,
)
from showthrough.plan import Plan
from showthrough.reidentify import reidentify
from showthrough.run import Comparison, Run, Score
from showthrough.text import Annotation, Corpus, Document, Mention
from showthrough.version import __version__

__all__ = [
    "METRICS",
    "Annotation",
    "Anonymization",
    "Background",
    "ClusteringAgreement",
    "Comparison",
    "Corpus",
    "Document",
    "EntityRecall",
    "FScore",
    "InputError",
    "Interrupted",
    "Mask",
    "Mention",
    "Metric",
    "OutputError",
    "PhiHardToken",
    "PhiInstance",
    "PhiLeak",
    "PhiSpan",
    "PhiToken",
    "Plan",
    "PlanError",
    "Precision",
    "Problem",
    "ReIdentification",
    "Recall",
    "RecallPerType",
    "ResourceError",
    "Rows",
    "Run",
    "Score",
    "ShowthroughError",
    "TextPreservedInformation",
    "TextPreservedSimilarity",
    "TypedMask",
    "WeightedPrecision",
    "__version__",
    "apply_masks",
    "evaluate",
    "evaluate_plan",
    "parse_metric",
    "read_anonymization",
    "read_background",
    "read_corpus",
    "reidentify",
    "write_corpus",
]
