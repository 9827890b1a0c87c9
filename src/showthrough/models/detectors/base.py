"""What a detector is: texts in, typed spans out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple


class Find(NamedTuple):
    """A span of a text that looks like an identifier. Offsets are code points.

    `core` is what identifies in it, where that is not all of it: of a titled name the name, of a code behind a cue the
    code. Where the core is gone, nothing was found.
    """

    start: int
    end: int
    entity_type: str
    score: float = 1.0
    core: tuple[int, int] | None = None

    @property
    def telling(self) -> tuple[int, int]:
        return self.core or (self.start, self.end)


@dataclass(frozen=True)
class Detector(ABC):
    """Finds what looks like an identifier. A subclass is a frozen dataclass whose fields are what can be set."""

    version: ClassVar[int] = 1  # rises when the same text could give other finds

    @abstractmethod
    def find(self, texts: Sequence[str]) -> list[list[Find]]:
        """What it finds in each text. No find may depend on the other texts."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types that it may find, if it knows them: one that is not found counts 0."""
        return ()

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """What a score's signature says of it beside name, version and parameters."""
        return ()
