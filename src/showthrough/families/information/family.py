"""Information: what is left to use of a text."""

from __future__ import annotations

from showthrough.core.families import Family

FAMILY = Family(
    "information",
    metrics={
        "wp": ("preserved:WeightedPrecision", {}),
        "tpi": ("preserved:TextPreservedInformation", {}),
        "tps": ("preserved:TextPreservedSimilarity", {}),
        "nmi": ("clustering:ClusteringAgreement", {}),
        "task": ("tasks:Task", {}),
        "fidelity": ("fidelity:Fidelity", {}),
        "bleu": ("overlap:Bleu", {}),
        "rouge": ("overlap:Rouge", {}),
    },
)
