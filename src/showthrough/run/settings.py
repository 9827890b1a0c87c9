"""What else the numbers of a run depend on."""

from __future__ import annotations

from typing import Annotated

import msgspec


class Settings(msgspec.Struct, frozen=True):
    """What else the numbers depend on."""

    seed: Annotated[int, "of the resampling and of the shuffles"] = 0
    resamples: Annotated[int, "bootstrap resamples for each interval; 0: no intervals"] = 1000
    confidence: Annotated[float, "of the intervals"] = 0.95
    missing: Annotated[str, "what a document means that an anonymization lacks: error or unmasked"] = "error"
    dtype: Annotated[str, "in which numbers models calculate"] = "fp32"
    types: Annotated[str, "what the user said that types are to be taken for"] = ""
