"""Unannotated: what can be said of a release where nobody marked anything."""

from __future__ import annotations

from showthrough.core.families import Family

FAMILY = Family(
    "unannotated",
    metrics={
        "residual": ("residual:Residual", {}),
        "inconsistent": ("inconsistent:Inconsistency", {}),
        "disagreement": ("disagreement:Disagreement", {}),
    },
)
