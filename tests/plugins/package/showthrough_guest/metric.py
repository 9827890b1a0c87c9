from dataclasses import dataclass

from showthrough import Metric, Rows, parameter
from showthrough.metrics.base import HEADLINE, ratio


@dataclass(frozen=True)
class Kept(Metric):
    """Share of characters that are not masked."""

    group = "utility"
    title = "Kept characters"
    undefined = "there is no text"

    times: int = parameter(1, "how often every character counts")

    def bind(self, chunk):
        length = [len(document.text) for document in chunk.corpus]

        def rows(anonymization):
            masked = [sum(mask.end - mask.start for mask in anonymization.of(key)) for key in chunk.corpus.ids]
            return Rows.of(masked=masked, length=length)

        return rows

    def combine(self, totals):
        return {HEADLINE: 1 - ratio(totals["masked"], totals["length"])}
