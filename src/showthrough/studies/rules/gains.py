"""What every candidate would hide if it were masked next, for all of them at once.

Characters that can be read are counted on the ruler, and each candidate has a line of its own: how much of a mention
it masks takes two look-ups. Pairs of candidates and mentions that meet are found once; what is left to hide changes
from step to step. One thing is not seen here: a mask that joins another whose replacement says a word of it leaves that
word readable. So these gains are what a candidate is tried for, and the metrics say what it wins.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from showthrough.data.layout.gold import DIRECT
from showthrough.data.layout.spans import Bools, Counts, Ints, expand_ranges, find_touching
from showthrough.metrics.base import ratio
from showthrough.studies.rules.ground import MaskState, RuleCorpus, RuleLocations
from showthrough.studies.rules.worth import Weights

_PAIRS = 4_000_000  # that are made at once


class Gains(NamedTuple):
    """Of each candidate: entities and mentions that it hides, masks that it adds, and what that is worth."""

    direct: Ints
    quasi: Ints
    mentions: Ints
    masks: Ints
    value: Counts


class Prospects:
    """Candidates against what leaks."""

    def __init__(self, ground: RuleCorpus, locations: RuleLocations, leaking: Ints, count: int) -> None:
        self._ground, self._places, self._count = ground, locations, count
        self._first, self._last = find_touching(ground.axis.tokens, locations.start, locations.end)
        self._lay(locations)
        self._pair(leaking)

    def _lay(self, locations: RuleLocations) -> None:
        """Candidates on the ruler, one line after the other."""
        parts = self._ground.ruler.locate(locations.start, locations.end)
        rule = np.concatenate([locations.rule] * len(parts))
        opens = np.concatenate([part.opens for part in parts]).astype(np.int64)
        closes = np.concatenate([part.closes for part in parts]).astype(np.int64)
        solid = np.flatnonzero(closes > opens)
        solid = solid[np.lexsort((opens[solid], rule[solid]))]
        self._rule, self._opens, self._closes = rule[solid], opens[solid], closes[solid]

    def _pair(self, leaking: Ints) -> None:
        """Which candidate masks something of which mention, and from which to which of its stretches."""
        gold, on_ruler = self._ground.gold, self._ground.ruler.mentions
        leaking = leaking[np.argsort(on_ruler.opens[leaking], kind="stable")]
        opens, closes = on_ruler.opens[leaking].astype(np.int64), on_ruler.closes[leaking].astype(np.int64)
        reach = np.maximum.accumulate(closes) if len(closes) else closes
        low = np.searchsorted(reach, self._opens, side="right")
        high = np.maximum(np.searchsorted(opens, self._closes, side="left"), low)
        part = np.cumsum(high - low) // _PAIRS
        codes = [np.zeros(0, dtype=np.int64)]
        for number in np.unique(part).tolist():
            chunk = np.flatnonzero(part == number)
            segment, mention = expand_ranges(low[chunk], high[chunk])
            meets = closes[mention] > self._opens[chunk[segment]]
            codes.append(np.unique(self._rule[chunk[segment[meets]]] * len(leaking) + mention[meets]))
        code = np.unique(np.concatenate(codes))
        rule, mention = np.divmod(code, max(len(leaking), 1))
        entity = gold.entity[leaking[mention]]
        order = np.lexsort((entity, rule))
        rule, mention, entity = rule[order], mention[order], entity[order]
        line = int(self._ground.ruler.before[-1]) + len(self._ground.ruler.whole) + 1
        start, end = rule * line + opens[mention], rule * line + closes[mention]
        self._from = np.searchsorted(self._rule * line + self._closes, start, side="right")
        self._to = np.searchsorted(self._rule * line + self._opens, end, side="left")
        self._pair_rule, self._mention, self._entity = rule, leaking[mention], entity
        self._pair_opens, self._pair_closes = opens[mention], closes[mention]
        self._groups = np.flatnonzero(np.diff(rule, prepend=-1) | np.diff(entity, prepend=-1))

    def _masked(self, standing: MaskState) -> Ints:
        """How many readable characters of its mention each pair's candidate would hide."""
        can = standing.fixable.astype(np.int64)
        before = np.concatenate([[0], np.cumsum(can[self._closes] - can[self._opens])])
        masked = before[self._to] - before[self._from]
        touching = self._to > self._from
        first, last = self._from[touching], self._to[touching] - 1
        over = np.maximum(can[self._pair_opens[touching]] - can[self._opens[first]], 0)
        under = np.maximum(can[self._closes[last]] - can[self._pair_closes[touching]], 0)
        masked[touching] -= over + under
        return np.asarray(masked)

    def gains(self, standing: MaskState, weights: Weights) -> Gains:
        """What each candidate would win and cost, given what is masked now."""
        gold, ground = self._ground.gold, self._ground
        left = standing.readable_counts
        required = ground.asked
        slips = np.bincount(gold.entity[required], left[required] > 0, minlength=len(gold.entity_level)).astype(
            np.int64
        )
        hides: Bools = (left[self._mention] > 0) & (self._masked(standing) == left[self._mention])
        together = np.add.reduceat(hides, self._groups, dtype=np.int64) if len(self._groups) else self._groups
        entity, rule = self._entity[self._groups], self._pair_rule[self._groups]
        whole = (together > 0) & (together == slips[entity])
        level = gold.entity_level[entity]
        direct, quasi = (self._by_rule(rule[whole & (level == step)]) for step in (DIRECT, 1))
        mentions = self._by_rule(self._pair_rule[hides])
        masks = self._by_rule(self._places.rule[standing.find_unmasked(self._places)])
        now, then = self._precision(standing)
        lost = np.maximum(now - then, 0)
        totals = [max(int((gold.entity_level == step).sum()), 1) for step in (DIRECT, 1)]
        value = weights.direct * direct / totals[0] + weights.quasi * quasi / totals[1]
        value += weights.mention * mentions / max(int(required.sum()), 1) - weights.precision * lost
        return Gains(direct, quasi, mentions, masks, np.where(mentions > 0, value, -np.inf))

    def _by_rule(self, rule: Ints) -> Ints:
        return np.bincount(rule, minlength=self._count).astype(np.int64)

    @cached_property
    def _agreement(self) -> tuple[Ints, Ints]:
        """Of each token, how many annotators want it masked, and how many there are."""
        axis, tokens = self._ground.axis, self._ground.axis.tokens
        document = axis.document_at(tokens.start)
        agreed = self._ground.gold.agreement(tokens.start, tokens.end, document)
        return agreed, self._ground.gold.annotators[document]

    def _precision(self, standing: MaskState) -> tuple[float, Counts]:
        """The share of masked words that annotators wanted masked: now, and with each candidate.

        Where nothing is masked, nothing is masked in vain.
        """
        masked = standing.masked(self._ground.axis.tokens)
        sums = []
        for counts in self._agreement:
            before = np.concatenate([[0], np.cumsum(np.where(masked, 0, counts))])
            added = np.bincount(self._places.rule, before[self._last] - before[self._first], minlength=self._count)
            sums.append((float(counts[masked].sum()), added))
        (agreed, more_agreed), (required, more_asked) = sums
        then = ratio(agreed + more_agreed, required + more_asked)
        return (agreed / required if required else 1.0), np.where(np.isnan(then), 1.0, then)
