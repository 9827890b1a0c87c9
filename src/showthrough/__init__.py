"""How much still shows through in anonymized text, how much use is left, and which anonymizer is better.

Names are imported from their packages when they are first asked for, so that `import showthrough` costs next to
nothing and a command waits only for what it uses.
"""

from importlib import import_module

from showthrough._former import register
from showthrough.version import __version__

_PACKAGES = {
    "studies.agreement": ("Agreement", "agreement"),
    "studies.description": ("describe",),
    "studies.review.adjudication": ("Adjudicated", "adjudicate"),
    "studies.review.application": ("Reviewed", "reviewed"),
    "studies.review.folder": ("ReviewCopies", "review_copies"),
    "studies.errors": ("error_cases",),
    "studies.risk": ("RiskAnnex", "risk_annex"),
    "studies.rules": ("rules_worth", "with_rules"),
    "studies.splits": ("CorpusSplit", "split_corpus"),
    "studies.stress.comparison": ("stress",),
    "studies.stress.values": ("StressStudy",),
    "studies.verification": ("VerifierScores", "verifier_scores"),
    "systems": ("ANONYMIZERS", "Anonymizer", "anonymize", "anonymizer"),
    "systems.encoders.api": ("train_transformer",),
    "systems.silver": ("annotate",),
    "systems.taggers.tagger": ("Tagger",),
    "systems.taggers.training": ("train_tagger",),
    "families.reidentification.attacks": ("ATTACKS", "Attack"),
    "data.authorship": ("Rating", "Ratings"),
    "data.statements": ("Statement", "Statements"),
    "data.background": ("Background",),
    "data.population": ("Population",),
    "models.detectors": ("DETECTORS", "Detector", "Find"),
    "models.detectors.scanning": ("Sighting", "leaks"),
    "core.errors": (
        "InputError",
        "Interrupted",
        "OutputError",
        "PlanError",
        "Problem",
        "ResourceError",
        "ShowthroughError",
    ),
    "evaluation.api": ("evaluate",),
    "evaluation.ceiling": ("ceiling",),
    "evaluation.engine": ("evaluate_plan",),
    "formats": ("FORMATS", "Format", "read_anonymization", "read_corpus"),
    "formats.people.background": ("read_background",),
    "formats.people.population": ("read_population",),
    "formats.authorship.ratings": ("read_ratings",),
    "formats.people.statements": ("read_statements",),
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
    "families.reidentification.api": ("reidentify",),
    "studies.rating.sampling": ("RatingSample", "rating_sample"),
    "formats.datasets.fetching": ("fetch",),
    "run.records": ("Ceiling", "Comparison", "Human", "Score", "Sweep"),
    "run.run": ("Run",),
    "data.documents": ("Annotation", "Authorship", "Corpus", "Document", "Mention"),
    "data.subjects": ("Attribute", "Subject"),
    "core.call_syntax": ("parameter",),
    "families.authorship.verifiers.base": ("Question", "Verifier"),
    "families.authorship.verifiers.table": ("VERIFIERS",),
    "families.authorship.verifiers.trained": ("TrainedVerifier", "load_verifier"),
    "families.authorship.verifiers.training": ("train_verifier",),
    "systems.workbench.api": ("bench",),
}
_HOMES = {name: package for package, names in _PACKAGES.items() for name in names}

register()
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
