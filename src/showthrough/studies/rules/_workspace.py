"""The documents that a run keeps, laid out for rules: what leaks in them, and exact numbers for any masks.

Numbers come from the metrics themselves, bound to these documents once: there is no second way to count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Ints, Ints32
from showthrough.data.labels import Labels
from showthrough.data.layout.coverage import Coverage
from showthrough.data.layout.span_index import SpanIndex
from showthrough.data.layout.spans import SortedSpans, count_before, find_touching, merge_spans, paint
from showthrough.data.masks import Anonymization, Mask
from showthrough.families.masking.precision import Precision
from showthrough.families.masking.recall import EntityRecall, Recall
from showthrough.metrics import HEADLINE, Metric, Role, metric_text, parse_metric
from showthrough.metrics.chunk import Anonymized, Chunk, HidingRule
from showthrough.run.documents import RunTexts, span_index_of
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run
from showthrough.statistics.rows import Totals
from showthrough.studies.rules._words import WordIndex
from showthrough.studies.rules.worth import SystemScores


class KeptChunk(Chunk):
    """The documents of a run, measured with the span index that its metrics used, whatever is installed here."""

    def __init__(self, texts: RunTexts) -> None:
        super().__init__(texts.corpus())
        self.texts = texts

    def span_index(self, hiding: HidingRule) -> SpanIndex:
        return span_index_of(self.axis, self.texts)


class RuleMatches(NamedTuple):
    """Spans of the layout that some rules would mask, in whatever order, as they were found."""

    rule: Ints  # its number
    start: Ints
    end: Ints


@dataclass(frozen=True)
class RuleLocations:
    """Spans of the layout that rules would mask: by rule, then by start; of one rule none overlaps another."""

    rule: Ints
    start: Ints
    end: Ints

    @classmethod
    def of(cls, matches: RuleMatches, length: int) -> RuleLocations:
        """What was found in a span layout of some length; what overlaps is joined."""
        rule, start, end = matches
        shift = rule * (length + 1)
        order = np.argsort(start + shift, kind="stable")
        low, high = merge_spans((start + shift)[order], (end + shift)[order])
        return cls(low // (length + 1), low % (length + 1), high % (length + 1))

    def __len__(self) -> int:
        return len(self.rule)

    def __getitem__(self, chosen: Bools | slice) -> RuleLocations:
        return RuleLocations(self.rule[chosen], self.start[chosen], self.end[chosen])

    def of_rule(self, rule: int) -> RuleLocations:
        first, last = np.searchsorted(self.rule, [rule, rule + 1])
        return self[first:last]


class RuleCorpus:
    """What rules are tried on: one run's documents and the metrics that its numbers are of."""

    def __init__(self, run: Run, texts: RunTexts) -> None:
        self.texts = texts
        self.chunk = KeptChunk(texts)
        self.axis = self.chunk.axis
        self.gold = self.axis.gold
        self.span_index = span_index_of(self.axis, texts)
        hiding = HidingRule(texts.function_words, texts.function_word_mentions, texts.replacements)
        self.direct = _metric(run, "direct identifiers", EntityRecall("direct", *hiding))
        self.quasi = _metric(run, "quasi-identifiers", EntityRecall("quasi", *hiding))
        self.recall = _metric(run, "recall", Recall("token", "direct,quasi", "free", *hiding))
        self.precision = _metric(run, "precision", Precision())

    @property
    def metrics(self) -> dict[str, str]:
        """What the numbers are of, in the text form of metrics."""
        metrics = (self.direct, self.quasi, self.recall, self.precision)
        return dict(zip(("direct", "quasi", "recall", "precision"), map(metric_text, metrics), strict=True))

    @cached_property
    def asked(self) -> Bools:
        """Which mentions have to be masked."""
        return np.asarray(self.gold.level > 0)

    @cached_property
    def words(self) -> WordIndex:
        return WordIndex(self.axis)

    @cached_property
    def types(self) -> tuple[list[str], Ints]:
        """The types of mentions, all names of one kind as one, and the number of each mention's."""
        names = [mark.entity_type for mentions in self.gold.layers.mentions for mark in mentions]
        titles, number = Labels(names).number_titles(names)
        return titles, np.array(number, dtype=np.int64)

    @cached_property
    def _word_characters(self) -> Bools:
        """Which characters are of numbers and words, with one more at either end, so that each has a neighbour."""
        return np.pad(self.axis.table(_sticks).view(np.bool_), 1)

    def apart(self, start: Ints, end: Ints) -> Bools:
        """Which spans cut no number and no word in two; in scripts without capitals words are not told apart."""
        sticks = self._word_characters
        return ~(sticks[start] & sticks[start + 1]) & ~(sticks[end] & sticks[end + 1])


class MaskState:
    """An anonymization as it stands: its masks, what they cover, what it scores."""

    def __init__(self, ground: RuleCorpus, masks: Sequence[Sequence[Mask]]) -> None:
        self.ground = ground
        self.masks = masks
        ids = (document.id for document in ground.axis.documents)
        self._seen = Anonymized(ground.chunk, Anonymization(dict(zip(ids, masks, strict=True))))

    @property
    def coverage(self) -> Coverage:
        return self._seen.coverage

    @cached_property
    def readable(self) -> Ints32:
        """How many characters of the span index can be read before each of its places."""
        return self.coverage.readable(self.ground.span_index, self.ground.texts.replacements)

    @cached_property
    def readable_counts(self) -> Ints:
        """How many characters of each mention can be read."""
        return self._of_mentions(self.readable)

    @property
    def hideable(self) -> Ints:
        """How many of these a further mask could hide."""
        return self._of_mentions(self.fixable)

    def _of_mentions(self, before: Ints32) -> Ints:
        mentions = self.ground.span_index.mentions
        return (before[mentions.closes] - before[mentions.opens]).astype(np.int64)

    @cached_property
    def fixable(self) -> Ints32:
        """The same as `readable` of what a mask could hide: a word that a replacement repeats stays readable."""
        ground = self.ground
        can = np.diff(self.readable) > 0
        if ground.texts.replacements == "read" and len(self.coverage.disclosures.start):
            repeats, tokens = self.coverage.disclosures, ground.axis.tokens
            index = np.minimum(np.searchsorted(tokens.start, repeats.start), len(tokens) - 1)
            whole = (tokens.start[index] == repeats.start) & (tokens.end[index] == repeats.end)
            gone = np.zeros_like(can)
            for lain in ground.span_index.locate(repeats.start[whole], repeats.end[whole]):
                paint(gone, lain.opens.astype(np.int64), lain.closes.astype(np.int64))
            can &= ~gone
        return count_before(can)

    def masked(self, laid: SortedSpans) -> Bools:
        """Which tokens or words are masked, at least in part."""
        first, last = find_touching(laid, self.coverage.start, self.coverage.end)
        edges = np.bincount(first, minlength=len(laid.start) + 1) - np.bincount(last, minlength=len(laid.start) + 1)
        return np.asarray(np.cumsum(edges)[: len(laid.start)] > 0)

    def find_unmasked(self, locations: RuleLocations) -> Bools:
        """Which spans are not masked as a whole by one mask already: masking those again would change nothing."""
        last = np.searchsorted(self.coverage.start, locations.start, side="right") - 1
        reach = np.append(self.coverage.end, 0)[last]  # before the first mask: the 0 at the end
        return np.asarray(reach < locations.end)

    def add_masks(self, locations: RuleLocations) -> MaskState:
        """The same with some spans masked too, and nothing written for them."""
        document = self.ground.axis.document_at(locations.start)
        base = self.ground.axis.bounds[document]
        masks = list(map(list, self.masks))
        masked = np.column_stack([document, locations.start - base, locations.end - base])
        for number, start, end in masked.tolist():
            masks[number].append(Mask(start, end))
        return MaskState(self.ground, masks)

    @cached_property
    def _totals(self) -> dict[Metric, Totals]:
        ground = self.ground
        return {
            metric: metric.totals(self._seen.rows(metric))
            for metric in (ground.direct, ground.quasi, ground.recall, ground.precision)
        }

    def total(self, metric: Metric, column: str) -> float:
        return float(self._totals[metric][column])

    @cached_property
    def numbers(self) -> SystemScores:
        """What the metrics say."""
        ground = self.ground
        return SystemScores(
            direct=self._value(ground.direct),
            quasi=self._value(ground.quasi),
            recall=self._value(ground.recall),
            precision=self._value(ground.precision),
            direct_hidden=round(self.total(ground.direct, "hidden")),
            quasi_hidden=round(self.total(ground.quasi, "hidden")),
        )

    def _value(self, metric: Metric) -> float | None:
        value = float(metric.combine(self._totals[metric])[HEADLINE])
        return None if np.isnan(value) else value


def _sticks(character: str) -> int:
    return character == "_" or character.isdecimal() or character.lower() != character.upper()


def _metric(run: Run, role: Role, otherwise: Metric) -> Metric:
    """The run's own metric of a role, where its number can be made of the texts alone; else the usual one."""
    fitting = []
    for record in find_metrics(run, role):
        if run.incomparable(record.text):
            continue
        metric = parse_metric(record.text)
        if type(metric) is type(otherwise) and metric.hiding_rule == otherwise.hiding_rule:
            fitting.append(metric)
    return min(fitting, key=lambda metric: metric != otherwise, default=otherwise)
