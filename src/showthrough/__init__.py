"""How much still shows through in anonymized text, how much use is left, and which anonymizer is better.

Names are fetched from their rooms when they are first asked for, so that `import showthrough` costs next to nothing and
a command waits only for what it uses.
"""

from importlib import import_module

from showthrough.version import __version__

_ROOMS = {
    "analysis.agreement": ("Agreement", "agreement"),
    "analysis.description": ("describe",),
    "analysis.review.applying": ("Reviewed", "reviewed"),
    "analysis.review.folder": ("ReviewCopies", "review_copies"),
    "analysis.errors": ("error_cases",),
    "analysis.risk": ("RiskAnnex", "risk_annex"),
    "analysis.rules": ("rules_worth", "with_rules"),
    "analysis.verification": ("VerifierScores", "verifier_scores"),
    "anonymizers": ("ANONYMIZERS", "Anonymizer", "anonymize", "anonymizer"),
    "anonymizers.encoders.calls": ("train_transformer",),
    "anonymizers.silver": ("annotate",),
    "anonymizers.taggers.tagger": ("Tagger",),
    "anonymizers.taggers.training": ("train_tagger",),
    "attacks": ("ATTACKS", "Attack"),
    "data.authorship": ("Rating", "Ratings"),
    "data.background": ("Background",),
    "data.population": ("Population",),
    "detectors": ("DETECTORS", "Detector", "Find"),
    "errors": ("InputError", "Interrupted", "OutputError", "PlanError", "Problem", "ResourceError", "ShowthroughError"),
    "evaluation.calls": ("evaluate",),
    "evaluation.ceiling": ("ceiling",),
    "evaluation.engine": ("evaluate_plan",),
    "formats": ("FORMATS", "Format", "read_anonymization", "read_corpus"),
    "formats.background": ("read_background",),
    "formats.population": ("read_population",),
    "formats.ratings": ("read_ratings",),
    "formats.writing": ("write_corpus",),
    "data.release": ("release", "replaced"),
    "data.masks": ("Anonymization", "Mask", "TypedMask", "apply_masks"),
    "metrics": (
        "METRICS",
        "ClusteringAgreement",
        "EntityRecall",
        "FScore",
        "Metric",
        "PhiHardToken",
        "PhiInstance",
        "PhiLeak",
        "PhiSpan",
        "PhiToken",
        "Precision",
        "Recall",
        "RecallPerType",
        "ReIdentification",
        "Residual",
        "Rows",
        "Safety",
        "Sensibleness",
        "Soundness",
        "TextPreservedInformation",
        "TextPreservedSimilarity",
        "WeightedPrecision",
        "parse_metric",
    ),
    "evaluation.plan": ("Plan",),
    "evaluation.reidentification": ("reidentify",),
    "rating.sampling": ("RatingSample", "rating_sample"),
    "registry.fetching": ("fetch",),
    "run.records": ("Ceiling", "Comparison", "Human", "Score", "Sweep"),
    "run.run": ("Run",),
    "data.documents": ("Annotation", "Authorship", "Corpus", "Document", "Mention"),
    "data.subjects": ("Attribute", "Subject"),
    "tables.calls": ("parameter",),
    "verifiers.base": ("Question", "Verifier"),
    "verifiers.table": ("VERIFIERS",),
    "verifiers.trained": ("TrainedVerifier", "load_verifier"),
    "verifiers.training": ("train_verifier",),
    "workbench.calls": ("bench",),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
