"""Which rules are tried: nothing but what would hide something that leaks, and where each of them masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from showthrough.core.errors import PlanError, shown, some
from showthrough.data.layout.spans import Ints
from showthrough.studies.rules.ground import Found, Ground, Places, Standing
from showthrough.studies.rules.patterns import LEARNED, LIBRARY, learned_places, learned_rules, library_places
from showthrough.studies.rules.strings import leaking_strings, string_places
from showthrough.studies.rules.worth import Rule

Finder = Callable[[Ground, Sequence[Rule]], Found]


class Candidates(NamedTuple):
    """Rules, and where each of them masks, by its number."""

    rules: Sequence[Rule]
    places: Places


def written_rules(ground: Ground, standing: Standing, leaking: Ints) -> Candidates:
    """Strings and patterns, which anybody could write down."""
    library = [Rule("pattern", name) for name in LIBRARY]
    rules = [*library, *learned_rules(ground, leaking), *leaking_strings(ground, standing, leaking)]
    return placed(ground, rules)


def type_rules(ground: Ground) -> Candidates:
    """All that was marked, by type."""
    return placed(ground, [Rule("type", name) for name in ground.types[0]])


def placed(ground: Ground, rules: Sequence[Rule]) -> Candidates:
    """Where rules mask; raises PlanError for one that says nothing here."""
    by_finder: dict[Finder, list[int]] = {}
    for number, rule in enumerate(rules):
        by_finder.setdefault(_finder(ground, rule), []).append(number)
    nothing = np.zeros(0, dtype=np.int64)
    batches = [Found(nothing, nothing, nothing)]
    for finder, numbers in by_finder.items():
        matches = finder(ground, [rules[number] for number in numbers])
        batches.append(Found(np.array(numbers, dtype=np.int64)[matches.rule], matches.start, matches.end))
    columns = (np.concatenate(column) for column in zip(*batches, strict=True))
    return Candidates(rules, Places.of(Found(*columns), len(ground.axis)))


def _finder(ground: Ground, rule: Rule) -> Finder:
    if rule.kind == "type":
        if rule.name not in ground.types[0]:
            raise PlanError(f"no mention has it; there are {some(ground.types[0])}", f"type {shown(rule.name)}")
        return _type_places
    if rule.kind == "pattern" and rule.name in LIBRARY:
        return library_places
    if not rule.text:
        raise PlanError("found no text, as in rules that were written without; expected what to mask", "rule")
    if rule.kind == "pattern" and rule.name not in LEARNED:
        raise PlanError(f"not known; there are {', '.join((*LIBRARY, *LEARNED))}", f"pattern {shown(rule.name)}")
    return learned_places if rule.kind == "pattern" else string_places


def _type_places(ground: Ground, rules: Sequence[Rule]) -> Found:
    """All that was marked with types, by whomever."""
    titles, number = ground.types
    indexes = {rule.name: index for index, rule in enumerate(rules)}
    rule = np.array([indexes.get(title, -1) for title in titles], dtype=np.int64)[number]
    matched = rule >= 0
    return Found(rule[matched], ground.gold.start[matched], ground.gold.end[matched])
