"""The span index: a line of only those characters that have to be masked, shorter than the span layout."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Ints, Ints8, Ints32
from showthrough.data.layout.characters import is_space
from showthrough.data.layout.spans import count_before, list_positions, merge_spans, paint, set_within

if TYPE_CHECKING:
    from showthrough.data.layout.span_layout import SpanLayout

Asking = Literal["mention", "entity", "never"]  # for which mentions made of function words
_PLAIN, _WORDS, _SIGNS = range(3)  # what is asked for of a mention: what is not ignorable, its words, its signs


class IndexRanges(msgspec.Struct, frozen=True):
    """Spans as they lie in a span index: from where to where. One of no length has nothing that must be masked."""

    opens: Ints32
    closes: Ints32

    def __getitem__(self, chosen: Bools | Ints) -> IndexRanges:
        return IndexRanges(self.opens[chosen], self.closes[chosen])

    @property
    def solid(self) -> Bools:
        """Which have anything that has to be masked."""
        return np.asarray(self.closes > self.opens)


class Runs(msgspec.Struct, frozen=True):
    """Things in a span index, and runs of them, from `first` to before `last`: what a mention has of them.

    A thing may be in many runs. So they are counted by what comes before either end, and never listed.
    """

    place: IndexRanges
    first: Ints
    last: Ints
    mention: Ints  # of a run

    @classmethod
    def alone(cls, ranges: IndexRanges) -> Runs:
        """Every mention as one thing."""
        number = np.arange(len(ranges.opens))
        return cls(ranges, number, number + 1, number)

    def __getitem__(self, chosen: Bools) -> Runs:
        """Some of the runs."""
        return Runs(self.place, self.first[chosen], self.last[chosen], self.mention[chosen])

    def counts(self, which: Bools) -> Ints:
        """How many of the things of each run are among some."""
        before = count_before(which)
        return np.asarray(before[self.last] - before[self.first], dtype=np.int64)


class SpanIndex:
    """Counts only the characters that have to be masked: those of mentions that are not ignorable.

    `before[x]` is how many of them lie before position x. Most of a text is no mention, so marking masks in this
    short index instead of in the whole layout makes a further anonymization cheap.

    A mention without any such character, such as a person called "Per", has to be masked with all its word characters
    (without those, all but space). They follow at the end of the index, at the places `whole` of the layout: first the
    word characters of such mentions, then the signs of those without a word. So where the same word stands in a longer
    mention it stays ignorable. `asking` says of which mentions: of each, of those whose whole entity has nothing else,
    or never, as in TAB's script.
    """

    def __init__(self, axis: SpanLayout, ignorable: Bools, asking: Asking = "mention") -> None:
        # Not the layout itself, which keeps its indexes: held in a circle, both would wait for the collector.
        gold = self._gold = axis.gold
        self._axis_tokens, self._contents = axis.tokens, axis.gold_contents
        required = np.zeros(len(axis), dtype=bool)
        paint(required, gold.start, gold.end)
        required &= ~ignorable
        self.before: Ints32 = count_before(required)
        bare: Bools = self.before[gold.start] == self.before[gold.end]  # nothing in the index so far
        if asking == "entity":
            bare &= (np.bincount(gold.entity, ~bare) == 0)[gold.entity]
        elif asking == "never":
            bare[:] = False
        self._section: Ints8 = bare.astype(np.int8)  # of a mention
        self._words = self._signs = np.zeros(0, dtype=np.int64)
        if bare.any():
            self._add_bare_mentions(axis, np.flatnonzero(bare))
        self.whole: Ints = np.concatenate([self._words, self._signs])

    def _add_bare_mentions(self, axis: SpanLayout, mentions: Ints) -> None:
        """Lays what is asked for of mentions that have nothing else: words, or signs where there are none."""
        start, end = self._gold.start[mentions], self._gold.end[mentions]
        word = axis.kinds > 0
        first, last = axis.find_tokens(start, end)
        worded = last > first
        self._section[mentions[~worded]] = _SIGNS
        self._words = set_within(word, start[worded], end[worded])
        if not worded.all():
            self._signs = set_within(axis.table(is_space) == 0, start[~worded], end[~worded])

    def _locate(self, start: Ints, end: Ints, section: Ints8) -> IndexRanges:
        """Where spans lie, each of which is asked about on some section."""
        opens, closes = self.before[start], self.before[end]
        if len(self.whole):
            base = int(self.before[-1])
            for number, positions in ((_WORDS, self._words), (_SIGNS, self._signs)):
                indices = np.flatnonzero(section == number)
                for on_ruler, edge in ((opens, start), (closes, end)):
                    on_ruler[indices] = base + np.searchsorted(positions, edge[indices])
                base += len(positions)
        return IndexRanges(opens, closes)

    def locate(self, start: Ints, end: Ints) -> list[IndexRanges]:
        """Where any spans lie: what is not ignorable of them, then words and signs that are asked for whole."""
        sections = (_PLAIN, _WORDS, _SIGNS) if len(self.whole) else (_PLAIN,)
        return [self._locate(start, end, np.full(len(start), section, dtype=np.int8)) for section in sections]

    @cached_property
    def mentions(self) -> IndexRanges:
        """Where all mentions lie."""
        return self._locate(self._gold.start, self._gold.end, self._section)

    @cached_property
    def tokens(self) -> Runs:
        """Where the tokens of all mentions lie: each once, however many mentions it is in, and those cut off apart."""
        tokens, contents = self._axis_tokens, self._contents
        cut = contents.cut
        parts, first, last = [], np.zeros_like(contents.first), np.zeros_like(contents.last)
        count = 0
        for section in (_PLAIN, _WORDS):  # the same word may be ignorable on one of them; there are no words in signs
            mentions = np.flatnonzero(self._section == section)
            low, high = contents.first[mentions], contents.last[mentions]
            number = list_positions(*merge_spans(low, high))
            sections = np.full(len(number), section, dtype=np.int8)
            parts.append(self._locate(tokens.start[number], tokens.end[number], sections))
            first[mentions] = count + np.searchsorted(number, low)
            last[mentions] = count + np.searchsorted(number, high)
            count += len(number)
        parts.append(self._locate(cut.start, cut.end, self._section[cut.origin]))
        alone = count + np.arange(len(cut))
        return Runs(
            IndexRanges(
                np.concatenate([part.opens for part in parts]), np.concatenate([part.closes for part in parts])
            ),
            np.concatenate([first, alone]),
            np.concatenate([last, alone + 1]),
            np.concatenate([np.arange(len(first)), cut.origin]),
        )
