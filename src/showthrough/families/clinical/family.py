"""Clinical: health information counted as the i2b2 and MEDDOCAN challenges count it."""

from __future__ import annotations

from showthrough.core.families import Family

FAMILY = Family(
    "clinical",
    metrics={
        "phi_token": ("by_token:PhiToken", {}),
        "phi_instance": ("by_instance:PhiInstance", {}),
        "phi_strict": ("by_span:PhiSpan", {}),
        "phi_span": ("by_span:PhiSpan", {"types": False}),
        "phi_merged": ("by_span:PhiSpan", {"types": False, "merged": True}),
        "phi_leak": ("by_span:PhiLeak", {}),
        "phi_oov": ("by_hard_token:PhiHardToken", {"hard": "oov"}),
        "phi_ambiguous": ("by_hard_token:PhiHardToken", {"hard": "ambiguous", "dictionary": ""}),
        "phi_ambiguous_non_phi": ("by_hard_token:PhiHardToken", {"hard": "ambiguous_non_phi", "dictionary": ""}),
    },
)
