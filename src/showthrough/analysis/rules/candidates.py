"""Which rules are tried: nothing but what would hide something that leaks, and where each of them masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from showthrough.analysis.rules.ground import Found, Ground, Places, Standing
from showthrough.analysis.rules.patterns import LIBRARY, learned_places, learned_rules, library_places
from showthrough.analysis.rules.strings import leaking_strings, string_places
from showthrough.analysis.rules.worth import Rule
from showthrough.axis.spans import Ints
from showthrough.data.labels import Labels


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
    return placed(ground, [Rule("type", name) for name in _types(ground)[0]])


def placed(ground: Ground, rules: Sequence[Rule]) -> Candidates:
    """Where rules mask."""
    kinds = [(rule.kind, bool(rule.text)) for rule in rules]
    found = []
    for kind, finds in (
        (("string", True), lambda some: string_places(ground, [rule.text for rule in some])),
        (("pattern", False), lambda some: library_places(ground, [rule.name for rule in some])),
        (("pattern", True), lambda some: learned_places(ground, some)),
        (("type", False), lambda some: _type_places(ground, [rule.name for rule in some])),
    ):
        which = np.array([number for number, one in enumerate(kinds) if one == kind], dtype=np.int64)
        if len(which):
            here = finds([rules[number] for number in which.tolist()])
            found.append(Found(which[here.rule], here.start, here.end))
    columns = [np.concatenate(column) for column in zip(*found, strict=True)] or [np.zeros(0, dtype=np.int64)] * 3
    return Candidates(rules, Places.of(Found(*columns), len(ground.axis)))


def _types(ground: Ground) -> tuple[list[str], list[int]]:
    """The types of mentions, names of one kind once, and the number of each mention's."""
    names = [mark.entity_type for mentions in ground.gold.layers.mentions for mark in mentions]
    return Labels(names).numbered(names)


def _type_places(ground: Ground, types: Sequence[str]) -> Found:
    titles, number = _types(ground)
    rules = np.array([types.index(title) if title in types else -1 for title in titles], dtype=np.int64)
    rule = rules[np.array(number, dtype=np.int64)] if number else rules
    known = rule >= 0
    return Found(rule[known], ground.gold.start[known], ground.gold.end[known])
