"""How alike two passages are in what they say, from 0 (nothing) to 5 (all), as people rate it (STS)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.models._similarity import Similarity
from showthrough.models.overlap import MOST, Pair


class Sts(Protocol):
    """Gives a similarity from 0 to 5 for every pair, group by group (a group is what one document asks)."""

    def similarities(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]: ...


class Cosines:
    """Five times a cosine, or what is like one; below 0 it is 0."""

    def __init__(self, source: Similarity) -> None:
        self.source = source

    @property
    def revision(self) -> str:
        return str(getattr(self.source, "revision", ""))

    def similarities(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]:
        return [MOST * np.clip(cosines_of_group, 0.0, 1.0) for cosines_of_group in self.source.cosines(groups)]
