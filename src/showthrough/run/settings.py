"""What else the numbers of a run depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

from showthrough.data.pairing import Missing
from showthrough.models.settings import ModelSettings


@dataclass(frozen=True, kw_only=True)
class RecordedSettings:
    """What of the settings the numbers depend on."""

    heading: ClassVar[str] = "How"  # in help

    seed: Annotated[int, Meta(description="Seed of the resampling.", ge=0)] = 0
    # More settle no more digits of an interval, and no longer fit into memory.
    resamples: Annotated[int, Meta(description="Bootstrap resamples for each interval.", ge=0, le=1_000_000)] = 1000
    confidence: Annotated[float, Meta(description="Confidence of the intervals.", gt=0, lt=1)] = 0.95
    missing: Annotated[
        Missing,
        Meta(description="What to do if an anonymization lacks a document.", extra={"heading": "What is scored"}),
    ] = "error"
    dtype: Annotated[str, "Precision in which models calculate."] = ModelSettings.dtype
    types: Annotated[str, "How the user chose to treat types."] = ""
