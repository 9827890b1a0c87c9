"""Rule after rule, each the best found given those before it, with the numbers that evaluating again would give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.errors import PlanError, join_names, shorten
from showthrough.core.expected import expects
from showthrough.data.layout.gold import DIRECT
from showthrough.data.layout.spans import expand_ranges, find_touching
from showthrough.data.masks import Anonymization
from showthrough.metrics.base import ratio
from showthrough.run.run import Run
from showthrough.studies.cases import name_in, require_texts
from showthrough.studies.rules._strings import leaking_strings, string_places
from showthrough.studies.rules._workspace import MaskState, RuleCorpus, RuleLocations, RuleMatches
from showthrough.studies.rules.patterns import LEARNED, LIBRARY, learned_places, learned_rules, library_places
from showthrough.studies.rules.worth import Rule, Step, SystemScores, Weights, Worth

# The gain of a candidate is what it would hide if it were masked next. Gains are counted for all at once.

_PAIRS = 4_000_000  # that are made at once


class Gains(NamedTuple):
    """Of each candidate: entities and mentions that it hides, masks that it adds, and what that is worth."""

    direct: Ints
    quasi: Ints
    mentions: Ints
    masks: Ints
    value: Floats


class Prospects:
    """Candidates against what leaks."""

    def __init__(self, ground: RuleCorpus, locations: RuleLocations, leaking: Ints, count: int) -> None:
        self._ground, self._places, self._count = ground, locations, count
        self._first, self._last = find_touching(ground.axis.tokens, locations.start, locations.end)
        self._lay(locations)
        self._pair(leaking)

    def _lay(self, locations: RuleLocations) -> None:
        """Candidates on the span index, one line after the other."""
        parts = self._ground.span_index.locate(locations.start, locations.end)
        rule = np.concatenate([locations.rule] * len(parts))
        opens = np.concatenate([part.opens for part in parts]).astype(np.int64)
        closes = np.concatenate([part.closes for part in parts]).astype(np.int64)
        solid = np.flatnonzero(closes > opens)
        solid = solid[np.lexsort((opens[solid], rule[solid]))]
        self._rule, self._opens, self._closes = rule[solid], opens[solid], closes[solid]

    def _pair(self, leaking: Ints) -> None:
        """Which candidate masks something of which mention, and from which to which of its spans."""
        gold, on_index = self._ground.gold, self._ground.span_index.mentions
        leaking = leaking[np.argsort(on_index.opens[leaking], kind="stable")]
        opens, closes = on_index.opens[leaking].astype(np.int64), on_index.closes[leaking].astype(np.int64)
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
        line = int(self._ground.span_index.before[-1]) + len(self._ground.span_index.whole) + 1
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

    def _precision(self, standing: MaskState) -> tuple[float, Floats]:
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


# Only rules are tried that would hide something that leaks. A candidate knows where it masks.

Finder = Callable[[RuleCorpus, Sequence[Rule]], RuleMatches]


class RuleCandidates(NamedTuple):
    """Rules, and where each of them masks, by its number."""

    rules: Sequence[Rule]
    places: RuleLocations


def propose_rules(ground: RuleCorpus, standing: MaskState, leaking: Ints) -> RuleCandidates:
    """Strings and patterns, which anybody could write down."""
    library = [Rule("pattern", name) for name in LIBRARY]
    rules = [*library, *learned_rules(ground, leaking), *leaking_strings(ground, standing, leaking)]
    return locate_rules(ground, rules)


def type_rules(ground: RuleCorpus) -> RuleCandidates:
    """All that was marked, by type."""
    return locate_rules(ground, [Rule("type", name) for name in ground.types[0]])


def locate_rules(ground: RuleCorpus, rules: Sequence[Rule]) -> RuleCandidates:
    """Where rules mask; raises PlanError for one that says nothing here."""
    by_finder: dict[Finder, list[int]] = {}
    for number, rule in enumerate(rules):
        by_finder.setdefault(_finder(ground, rule), []).append(number)
    nothing = np.zeros(0, dtype=np.int64)
    batches = [RuleMatches(nothing, nothing, nothing)]
    for finder, numbers in by_finder.items():
        matches = finder(ground, [rules[number] for number in numbers])
        batches.append(RuleMatches(np.array(numbers, dtype=np.int64)[matches.rule], matches.start, matches.end))
    columns = (np.concatenate(column) for column in zip(*batches, strict=True))
    return RuleCandidates(rules, RuleLocations.of(RuleMatches(*columns), len(ground.axis)))


def _finder(ground: RuleCorpus, rule: Rule) -> Finder:
    if rule.kind == "type":
        if rule.name not in ground.types[0]:
            raise PlanError(f"no mention has it; there are {join_names(ground.types[0])}", f"type {shorten(rule.name)}")
        return _type_places
    if rule.kind == "pattern" and rule.name in LIBRARY:
        return library_places
    if not rule.text:
        raise PlanError("found no text, as in rules that were written without; expected what to mask", "rule")
    if rule.kind == "pattern" and rule.name not in LEARNED:
        raise PlanError(f"not known; there are {', '.join((*LIBRARY, *LEARNED))}", f"pattern {shorten(rule.name)}")
    return learned_places if rule.kind == "pattern" else string_places


def _type_places(ground: RuleCorpus, rules: Sequence[Rule]) -> RuleMatches:
    """All that was marked with types, by whomever."""
    titles, number = ground.types
    indexes = {rule.name: index for index, rule in enumerate(rules)}
    rule = np.array([indexes.get(title, -1) for title in titles], dtype=np.int64)[number]
    matched = rule >= 0
    return RuleMatches(rule[matched], ground.gold.start[matched], ground.gold.end[matched])


MOST = 10  # rules of a list
_TRIED = 12  # candidates that are tried in a step, where none is worth what it seemed
_DIGITS = 12  # of what a candidate is worth: what differs behind them is rounding
WEIGHTS = Weights()


@expects(run=Run)
def rules_worth(run: Run, name: str, *, most: int = MOST, weights: Weights = WEIGHTS) -> Worth:
    """What one more rule would win for an anonymization of a run that holds texts: at most so many, one by one."""
    return RuleBook(run).worth(name, most, weights)


@expects(run=Run)
def with_rules(run: Run, name: str, rules: Sequence[Rule]) -> Anonymization:
    """An anonymization on the documents that the run keeps, with rules added in this order: to evaluate again."""
    book = RuleBook(run)
    standing = book.initial_state(name)
    candidates = locate_rules(book.ground, rules)
    for number in range(len(rules)):
        standing = _with(standing, candidates.places, number)[0]
    ids = [document.id for document in book.ground.texts.documents]
    return Anonymization(dict(zip(ids, standing.masks, strict=True)), name)


class RuleBook:
    """The texts of a run, laid out once for all of its anonymizations."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.ground = RuleCorpus(run, require_texts(run))

    def initial_state(self, name: str) -> MaskState:
        """One of its anonymizations; raises PlanError for a name that the run does not have."""
        return MaskState(self.ground, self.ground.texts.masks[name_in(self._run, name)])

    def worth(self, name: str, most: int = MOST, weights: Weights = WEIGHTS, *, alone: bool = True) -> Worth:
        """The best rules that can be written down, and the best types, each list for itself.

        With `alone`, also what each of them would win without those before it, which takes as long again.
        """
        ground, standing = self.ground, self.initial_state(name)
        leaking = np.flatnonzero(ground.asked & (standing.readable_counts > 0))
        written = propose_rules(ground, standing, leaking)
        direct, quasi = (round(standing.total(metric, "total")) for metric in (ground.direct, ground.quasi))
        return Worth(
            anonymization=name,
            documents=len(ground.texts.documents),
            corpus=len(self._run.documents),
            metrics=ground.metrics,
            weights=weights,
            direct_total=direct,
            quasi_total=quasi,
            leaking=len(leaking),
            repeated=int((standing.readable_counts > standing.hideable)[leaking].sum()),
            before=standing.numbers,
            rules=tuple(_steps(standing, written, leaking, most, weights, alone)),
            types=tuple(_steps(standing, type_rules(ground), leaking, most, weights, alone)),
        )


def _steps(
    start: MaskState, candidates: RuleCandidates, leaking: Ints, most: int, weights: Weights, alone: bool
) -> Iterator[Step]:
    """Takes the best candidate again and again, until none wins more than it costs."""
    ground, locations = start.ground, candidates.places
    prospects = Prospects(ground, locations, leaking, len(candidates.rules))
    standing = start
    for _ in range(most):
        best = _best(prospects, standing, locations, weights)
        if best is None:
            return
        number, then, added = best
        now, after = standing.numbers, then.numbers
        yield Step(
            rule=candidates.rules[number],
            masks=len(added),
            documents=len(np.unique(ground.axis.document_at(added.start))),
            direct=after.direct_hidden - now.direct_hidden,
            quasi=after.quasi_hidden - now.quasi_hidden,
            after=after,
            alone=_with(start, locations, number)[0].numbers if alone else None,
        )
        standing = then


def _best(
    prospects: Prospects, standing: MaskState, locations: RuleLocations, weights: Weights
) -> tuple[int, MaskState, RuleLocations] | None:
    """The candidate that is worth most, with what stands then and what it adds; `None` where none is worth anything.

    The metrics have the last word. Where they give a candidate less than it seemed to be worth, the next is tried.
    """
    gains = prospects.gains(standing, weights)
    value = np.round(gains.value, _DIGITS)
    tried: dict[int, tuple[MaskState, RuleLocations]] = {}
    while len(value):
        number = int(np.lexsort((gains.masks, -value))[0])
        if not value[number] > 0:
            return None
        if number in tried:
            return number, *tried[number]
        if len(tried) == _TRIED:
            untried = np.setdiff1d(np.arange(len(value)), list(tried))
            value[untried] = -np.inf
            continue
        tried[number] = _with(standing, locations, number)
        credit = weights.mention * float(gains.mentions[number]) / max(int(standing.ground.asked.sum()), 1)
        value[number] = round(_worth(standing.numbers, tried[number][0].numbers, weights, credit), _DIGITS)
    return None


def _worth(now: SystemScores, then: SystemScores, weights: Weights, credit: float) -> float:
    """What a step is worth by the numbers of the metrics; nothing where it hides nothing."""

    def won(before: float | None, after: float | None) -> float:
        return (after or 0.0) - (before or 0.0)

    hidden = won(now.direct, then.direct), won(now.quasi, then.quasi)
    if max(*hidden, won(now.recall, then.recall)) <= 0:
        return -np.inf
    lost = max((1.0 if now.precision is None else now.precision) - (then.precision or 0.0), 0.0)
    return weights.direct * hidden[0] + weights.quasi * hidden[1] + credit - weights.precision * lost


def _with(standing: MaskState, locations: RuleLocations, number: int) -> tuple[MaskState, RuleLocations]:
    """What stands with one more rule, and what it adds."""
    own = locations.of_rule(number)
    added = own[standing.find_unmasked(own)]
    return standing.add_masks(added), added
