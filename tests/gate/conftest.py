"""Runs small enough to be worked by hand: 40 documents with a name and a place each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.run.run import Run

NAME, PLACE = Mask(0, 3), Mask(9, 13)
MARKS = (Mention(0, 3, "PERSON", "DIRECT", "e"), Mention(9, 13, "LOC", "QUASI", "f"))


def corpus(documents: int = 40, text: str = "Doe left Oslo") -> Corpus:
    """No two texts are equal: copies would be one unit."""
    marked = (Annotation("a", MARKS),)
    return Corpus([Document(f"d{number:02}", f"{text} {number}", marked) for number in range(documents)])


def leaving(*numbers: int, documents: int = 40) -> Anonymization:
    """All names and places masked, but for the names of some documents."""
    every = range(documents)
    return Anonymization({f"d{one:02}": [*([] if one in numbers else [NAME]), PLACE] for one in every})


@pytest.fixture(scope="session")
def run_of() -> Callable[..., Run]:
    def made(systems: Mapping[str, Collection[int]], documents: int = 40, **settings: Any) -> Run:
        """A run of systems that leave the names of these documents readable."""
        masks = {name: leaving(*numbers, documents=documents) for name, numbers in systems.items()}
        settings = {"metrics": ["er_di", "er_qi", "recall_per_type", "inconsistent"], "references": False, **settings}
        return evaluate(settings.pop("corpus", corpus(documents)), masks, **settings)

    return made
