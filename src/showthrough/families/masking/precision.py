"""Utility against annotations: how much of what was masked had to be (Pilán et al. 2022, section 6.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.data.layout.characters import is_space
from showthrough.data.layout.coverage import Coverage
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import expand_ranges
from showthrough.metrics.base import HEADLINE, Metric, Role, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.statistics.rows import Rows, Totals

Overlaps = Literal["joined", "each"]

# What parameters say that other metrics have too.
UNIT = "the unit that is counted"
OVERLAPS = "masks that overlap: joined into one, or each counted by itself"


@dataclass(frozen=True)
class Precision(Metric):
    """Share of the masked words that annotators marked too; with another unit, of the masks.

    Pilán et al. 2022, section 6.3, equation 4: over all masked tokens, the number of annotators who masked the token
    divided by the number of annotators of its document, pooled. A token counts for an annotator only when one of that
    annotator's to-be-masked mentions contains it whole. `unit="mention"` takes each mask as one element. What is masked
    twice counts once, or, as in TAB's script, by each mask (`overlaps="each"`). What a mask writes plays no part. Words
    that annotators let be masked or stay (`MAY_MASK`) do not count.

    P = Σ |annotators who masked t| / Σ |annotators of t's document|, over masked tokens t

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mask, Mention, evaluate
    >>> person, town = Mention(0, 8, "PERSON", "DIRECT", "e1"), Mention(12, 16, "LOC", "QUASI", "e2")
    >>> layers = (Annotation("a", (person, town)), Annotation("b", (person,)))
    >>> corpus = Corpus([Document("d", "Ole Berg of Oslo", layers)])
    >>> run = evaluate(corpus, {"all": Anonymization({"d": [Mask(0, 16)]})}, metrics=["precision"])
    >>> run["all", "precision"].value  # Ole, Berg: both annotators; of: none; Oslo: one. (2 + 2 + 0 + 1) / (4 × 2)
    0.625
    """

    group = "utility"
    needs = frozenset({"gold"})
    undefined: ClassVar[str] = "nothing was masked in an annotated document, or only what may be masked"
    fixed = (("annotators", "micro"),)
    roles: ClassVar[tuple[Role, ...]] = ("precision",)

    unit: Literal["token", "character", "mention"] = parameter("token", UNIT)
    overlaps: Overlaps = parameter("joined", OVERLAPS)

    @property
    def title(self) -> str:
        things = {"token": "Masked words", "character": "Masked characters", "mention": "Masks"}
        return f"{things[self.unit]} that were marked"

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        axis, weigh = chunk.axis, self.weigher(chunk)
        gold = axis.gold

        def rows(anonymized: Anonymized) -> Rows:
            masked = masked_elements(anonymized.coverage, self.unit, self.overlaps)
            agreed = gold.agreement(masked.start, masked.end, masked.document)
            voters = gold.voters(masked.start, masked.end, masked.document, agreed)
            if gold.has_may:  # what counts for nobody is weighed by nobody: it stays as context of the others
                counted = voters > 0
                masked = MaskedElements(*(column[counted] for column in masked))
                agreed, voters = agreed[counted], voters[counted]
            weight = weigh(masked)
            return Rows.of(
                agreed=axis.by_document(masked.document, weight * agreed),
                asked=axis.by_document(masked.document, weight * voters),
            )

        return rows

    def weigher(self, chunk: Chunk) -> Callable[[MaskedElements], Floats | Ints]:
        """Says how much each masked element counts: as often as it is masked."""
        return lambda masked: masked.times

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {HEADLINE: ratio(totals["agreed"], totals["asked"])}


class MaskedElements(NamedTuple):
    """Masked tokens, characters or masks, by start: where they are, and how often each is masked."""

    start: Ints
    end: Ints
    document: Ints
    times: Ints


def masked_elements(coverage: Coverage, unit: str, overlaps: Overlaps) -> MaskedElements:
    """Every masked token, every masked character but white space, or every mask; masks joined or each."""
    if unit == "token" and overlaps == "each":
        return _tokens_of_each(coverage.axis, *coverage.each[:2])
    start, end, document = coverage.each if overlaps == "each" else (coverage.start, coverage.end, coverage.document)
    if unit == "token":
        tokens = coverage.tokens
        start, end, document = tokens.start, tokens.end, document[tokens.origin]
    elif unit == "character":
        mask, positions = expand_ranges(start, end)
        signs = coverage.axis.table(is_space)[positions] == 0
        start, end, document = positions[signs], positions[signs] + 1, document[mask[signs]]
    return MaskedElements(start, end, document, np.ones_like(start))


def _tokens_of_each(axis: SpanLayout, start: Ints, end: Ints) -> MaskedElements:
    contents = axis.contents(start, end)
    times = contents.times(len(axis.tokens))
    whole_tokens = np.flatnonzero(times)
    low = np.concatenate([axis.tokens.start[whole_tokens], contents.cut.start])
    high = np.concatenate([axis.tokens.end[whole_tokens], contents.cut.end])
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    times = np.concatenate([times[whole_tokens], np.ones_like(contents.cut.start)])[order]
    return MaskedElements(low, high, axis.document_at(low), times)
