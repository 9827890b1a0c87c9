"""Utility by a judge who sees the original and the released text: readability, meaning, whether anything was invented.

As Staab et al. (2025) ask for them. An answer that cannot be read is missing: its document counts nowhere, and a note
says how many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, Problem, shorten
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import EVERYTHING, ORIGINALS, REFERENCES
from showthrough.families.inference.asking import ANSWERS
from showthrough.families.inference.utility import (
    EXPECTED,
    SCALES,
    Quality,
    RecordedOpinions,
    ReleasePair,
    utility_fault,
    utility_judge_of,
)
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.statistics.rows import Array, Rows, Totals

_POINTS, _JUDGED = "points", "judged"


@dataclass(frozen=True)
class _JudgedMetric(Metric):
    """The mean of what a judge says of one quality, over the documents of which it says something."""

    group = "utility"
    scope = "corpus"
    undefined = "no document of it was judged"
    quality: ClassVar[Quality]

    judge: str = parameter("", "who judges: llm:MODEL[@URL], or answers:FILE with what was said")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.judge and (fault := utility_fault(self.judge)):
            raise PlanError(fault, "judge")

    @property
    def asks(self) -> tuple[str, ...]:
        return (self.judge,) if self.judge else ()

    def shows(self, name: str) -> tuple[str, ...]:
        return (ORIGINALS,)

    def is_bounded(self, part: str) -> bool:
        return self.limits(part) == (0.0, 1.0)

    def limits(self, part: str) -> tuple[float, float]:
        return SCALES[self.quality]

    def unit_change(self, part: str, totals: Totals) -> float:
        """A document at the other end."""
        low, high = SCALES[self.quality]
        return high - low

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        if not self.judge:
            return [Problem("", f"metric {type(self).__name__.lower()}", f"names no judge; {EXPECTED}")]
        if not self.judge.startswith(ANSWERS):
            nothing_left = anonymization.name == EVERYTHING  # and nothing to pay for
            return [Problem("", anonymization.name, "leaves no text to judge; expected some")] * nothing_left
        recorded = RecordedOpinions(self.judge)
        if any(self.quality in recorded.opinion(anonymization.name, key) for key in corpus.ids):
            return []
        expected = f"expected {self.quality} of its documents"
        return [Problem(recorded.source, f"anonymization {shorten(anonymization.name)}", f"is not judged; {expected}")]

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        judge = utility_judge_of(self.judge, chunk.resources)

        def rows(anonymized: Anonymized) -> Rows:
            name, texts = anonymized.name, anonymized.texts
            releases = [ReleasePair(name, document.id, document.text, texts[document.id]) for document in chunk.corpus]
            scores = [opinion.get(self.quality) for opinion in judge.opinions(releases)]
            judged = np.array([score is not None for score in scores], dtype=np.float64)
            return Rows.named({_POINTS: [score or 0.0 for score in scores], _JUDGED: judged})

        return rows

    def combine(self, totals: Totals) -> dict[str, Array]:
        return {HEADLINE: ratio(totals[_POINTS], totals[_JUDGED])}

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        sizes = {name: (int(rows.totals()[_JUDGED]), len(rows)) for name, rows in tables.items()}
        return [
            f"{documents - judged} of {documents} documents of {shorten(name)} count nowhere in "
            f"{type(self).__name__.lower()}: there is no answer about them that can be read"
            for name, (judged, documents) in sizes.items()
            if judged < documents and name not in REFERENCES
        ]


@dataclass(frozen=True)
class Readability(_JudgedMetric):
    """How readable a judge finds the released text, from 1 (it cannot be read) to 10 (as readable as the original).

    The mean over documents. (Staab et al. 2025)

    readability = Σ scores / |documents that were judged|

    >>> Readability("answers:said.jsonl").combine({"points": np.array(15.0), "judged": np.array(2.0)})[HEADLINE].item()
    7.5
    """

    title = "Readability, judged 1 to 10"
    tells = "whether a judge finds the text readable"
    quality = "readability"


@dataclass(frozen=True)
class Meaning(_JudgedMetric):
    """How much of what the original says is still said, in the opinion of a judge: from 1 (nothing) to 10 (all).

    The mean over documents. (Staab et al. 2025)

    meaning = Σ scores / |documents that were judged|

    >>> Meaning("answers:said.jsonl").combine({"points": np.array(13.0), "judged": np.array(2.0)})[HEADLINE].item()
    6.5
    """

    title = "Meaning kept, judged 1 to 10"
    tells = "whether a judge finds that the text says the same"
    quality = "meaning"


@dataclass(frozen=True)
class Hallucination(_JudgedMetric):
    """Share of documents in which a judge finds nothing invented: 1 is none at all, 0 is something in each.

    Staab et al. (2025) score it that way round, so that higher is better.

    hallucination = |documents with nothing invented| / |documents that were judged|

    >>> Hallucination("answers:said.jsonl").combine({"points": np.array(3.0), "judged": np.array(4.0)})[HEADLINE].item()
    0.75
    """

    title = "Nothing invented, by a judge"
    tells = "whether a judge finds that nothing was invented"
    quality = "hallucinations"
