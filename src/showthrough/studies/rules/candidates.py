"""Which rules are tried: nothing but what would hide something that leaks, and where each of them masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from showthrough.core.errors import PlanError, join_names, shorten
from showthrough.data.layout.spans import Ints
from showthrough.studies.rules.ground import MaskState, RuleCorpus, RuleLocations, RuleMatches
from showthrough.studies.rules.patterns import LEARNED, LIBRARY, learned_places, learned_rules, library_places
from showthrough.studies.rules.strings import leaking_strings, string_places
from showthrough.studies.rules.worth import Rule

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
