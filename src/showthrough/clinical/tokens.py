"""Tokens of sheets, each with one category of PHI or none.

A token is a run of word characters, cut where a gold instance starts or ends inside it: the cuts are gold's alone, so
that every system is asked about the same tokens. Most of a text is touched by nobody, so only what gold or a system
touches is ever looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from showthrough.axis import Axis, Bools, Ints
from showthrough.clinical.instances import NONE, Instances, Laid, Sheets, overlapping, spread
from showthrough.text import Corpus, Document


@dataclass(frozen=True)
class Tokens:
    """Tokens on sheets, by start, and the kind of each."""

    start: Ints
    end: Ints
    sheet: Ints
    kind: Ints

    def __len__(self) -> int:
        return len(self.start)

    def where(self, which: Bools) -> Tokens:
        return Tokens(self.start[which], self.end[which], self.sheet[which], self.kind[which])

    def then(self, others: Tokens) -> Tokens:
        """These and then the others, no longer by start."""
        return Tokens(
            np.concatenate([self.start, others.start]),
            np.concatenate([self.end, others.end]),
            np.concatenate([self.sheet, others.sheet]),
            np.concatenate([self.kind, others.kind]),
        )


def all_tokens(axis: Axis, sheets: Sheets, gold: Instances) -> Tokens:
    """Every token of every sheet."""
    edges = np.searchsorted(axis.tokens.start, axis.bounds)
    sheet, token = spread(edges[sheets.document], edges[sheets.document + 1])
    shift = sheets.shift[sheet]
    return cut(axis.tokens.start[token] + shift, axis.tokens.end[token] + shift, sheet, gold)


def gold_tokens(axis: Axis, sheets: Sheets, gold: Instances) -> Tokens:
    """The tokens of gold instances."""
    whole = gold.joined
    start, end, origin = _runs(axis, sheets, whole, whole.start, whole.end)
    if len(whole) == len(gold):  # nothing overlaps
        return Tokens(start, end, whole.sheet[origin], whole.kind[origin])
    return cut(start, end, whole.sheet[origin], gold)


def other_tokens(axis: Axis, sheets: Sheets, gold: Instances, system: Instances) -> Tokens:
    """The tokens outside gold that a system masks wholly."""
    masked = _not_within(system.blocks, gold.joined)
    # With a character more on either side, a token that goes on beyond its mask can be told.
    start, end, origin = _runs(axis, sheets, masked, masked.start - 1, masked.end + 1)
    low, high = np.maximum(start, masked.start[origin]), np.minimum(end, masked.end[origin])
    some = high > low
    start, end, low, high, sheet = start[some], end[some], low[some], high[some], masked.sheet[origin[some]]
    # Gold may cut them; then the pieces outside gold count that do not go on beyond the mask.
    pieces = cut(low, high, sheet, gold)
    torn = np.concatenate([low[low > start], high[high < end]])
    torn = np.sort(torn[~_among(torn, gold.edges)])
    return pieces.where((pieces.kind == NONE) & ~_among(pieces.start, torn) & ~_among(pieces.end, torn))


def _not_within(spans: Instances, marked: Instances) -> Instances:
    """Those that do not lie in gold altogether; most do, and then hold no token outside it."""
    span, _, shared = overlapping(spans, marked)
    rest = np.bincount(span, shared, minlength=len(spans)) < spans.size
    return Instances(spans.start[rest], spans.end[rest], spans.sheet[rest], spans.kind[rest])


def _among(numbers: Ints, ascending: Ints) -> Bools:
    if not len(ascending):
        return np.zeros(len(numbers), dtype=bool)
    place = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[place] == numbers)


def _runs(axis: Axis, sheets: Sheets, spans: Instances, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Start and end of every token in stretches of text, and the number of its stretch."""
    base = sheets.base[spans.sheet]
    document = sheets.document[spans.sheet]
    low, high = np.maximum(start - base, 0), end - base
    texts = [one.text for one in axis.documents]
    places = zip(document.tolist(), low.tolist(), high.tolist(), strict=True)
    pieces = [texts[number][begin:stop] for number, begin, stop in places]
    tokens = Axis(Corpus([Document("", "\n".join(pieces))])).tokens
    size = np.fromiter(map(len, pieces), np.int64, len(pieces)) + 1
    opens = np.cumsum(size) - size
    origin = np.searchsorted(opens, tokens.start, side="right") - 1
    back = (low + base - opens)[origin]
    return tokens.start + back, tokens.end + back, origin


def cut(start: Ints, end: Ints, sheet: Ints, gold: Instances) -> Tokens:
    """Tokens cut where a gold instance starts or ends inside one, with their gold kinds."""
    edges = gold.edges
    first, last = np.searchsorted(edges, start, side="right"), np.searchsorted(edges, end, side="left")
    if (last > first).any():
        cuts = np.unique(edges[spread(first, last)[1]])
        pieces = np.insert(start, np.searchsorted(start, cuts), cuts)
        whole = np.searchsorted(start, pieces, side="right") - 1
        ends = np.minimum(end[whole], np.append(pieces[1:], np.iinfo(np.int64).max))
        start, end, sheet = pieces, ends, sheet[whole]
    tokens = Tokens(start, end, sheet, np.full(len(start), NONE))
    return Tokens(start, end, sheet, kinds_of(tokens, gold))


def kinds_of(tokens: Laid, instances: Instances) -> Ints:
    """The kind of every token: that of the instance that shares most with it, then of the longest, then of the first.

    A token that instances cover only in part has no kind: what is left of it can still be read.
    """
    count = len(tokens.start)
    kind = np.full(count, NONE, dtype=np.int64)
    token, instance, shared = overlapping(tokens, instances)
    kind[token] = instances.kind[instance]
    rival = np.bincount(token, minlength=count)[token] > 1
    covered = np.bincount(token, shared, minlength=count)
    if rival.any():
        token, instance, shared = token[rival], instance[rival], shared[rival]
        order = np.lexsort((instance, -instances.size[instance], -shared, token))
        which, best = np.unique(token[order], return_index=True)
        kind[which] = instances.kind[instance[order][best]]
        whole, _, shared = overlapping(tokens, instances.joined)  # a character covered twice is covered once
        covered = np.bincount(whole, shared, minlength=count)
    kind[covered < tokens.end - tokens.start] = NONE
    return kind
