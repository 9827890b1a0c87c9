"""How a tagger is made: its learner, its features and its passes. Presets are recipes by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from showthrough.systems.taggers.features.settings import USUAL, Features

Unit = Literal["record", "sentence"]


@dataclass(frozen=True)
class Recipe:
    """All that is chosen before training."""

    learner: str = "crf"
    features: Features = USUAL
    unit: Unit = "record"  # what is one sequence to the learner
    second_pass: bool = False  # trained again with the first pass's majority label of the word in the record
    propagate: bool = False  # the longest phrases that were found label their other occurrences
    settings: dict[str, Any] = field(default_factory=dict)  # of the learner
