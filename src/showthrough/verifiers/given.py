"""A verifier that nobody has here, but whose answers are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from showthrough.data.documents import digest_of

ORIGINAL = "original"  # under which the answers on the originals are given
ANSWERS = "answers"  # the name of a verifier whose name nobody said


@dataclass(frozen=True)
class GivenAnswers:
    """Probabilities by document id: of the originals, and of each anonymization by its name."""

    by: Mapping[str, Mapping[str, float]]
    name: str = ANSWERS
    sources: Mapping[str, str] = field(default_factory=dict)  # the file of each
    version: int = 1

    @property
    def source(self) -> str:
        return ", ".join(self.sources.values())

    @cached_property
    def digest(self) -> str:
        """Changes whenever an answer changes."""
        each = {name: digest_of(answers, self.source, "document") for name, answers in self.by.items()}
        return digest_of(each, self.source, "answers")
