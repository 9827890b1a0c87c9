"""Privacy against attacks: can somebody who knows the individuals tell whom the documents are about?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from showthrough.attacks import DEFAULT, Part, approaches
from showthrough.axis.spans import Ints
from showthrough.errors import PlanError, quoted
from showthrough.metrics.base import HEADLINE, Array, Metric, Rows, Totals, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.tables.calls import parameter

if TYPE_CHECKING:  # attacks are imported when they are made
    from showthrough.attacks.suite import Outcome


_MOST = 1_000_000_000  # of the first so many: more than there are people to find


@dataclass(frozen=True)
class ReIdentification(Metric):
    """Share of documents whose individual an attacker finds (text re-identification risk); the worst attack counts.

    Manzanares-Salor, Sánchez and Lison 2024: the attacker has texts about individuals (the background) and links each
    anonymized document to one of them. TRIR = correct links / documents. Here several attacks are made and the
    headline is the largest risk found; the parts are each attack's accuracy, accuracy@k and mean reciprocal rank,
    the chance level (1 / individuals) and the ceiling (documents whose individual is in the background at all).
    Whoever is tied shares; documents without a word stay in the denominator.

    R = max over attacks of |{d : the attack links d to its individual}| / |{d}|

    >>> from showthrough import Anonymization, Background, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("ann", "Ann cut him open"), Document("bob", "Bob sold bread")])
    >>> background = Background({"ann": "Ann is a surgeon: she cut and sewed", "bob": "Bob, baker of bread"})
    >>> masks = Anonymization({"ann": [Mask(0, 3)], "bob": [Mask(0, 14)]})
    >>> run = evaluate(corpus, {"names": masks}, metrics=["trir"], background=background)
    >>> run["names", "trir", "lexical"].value  # "cut" gives ann away; nothing is left of bob: 1 and 1/2 of 2
    0.75
    """

    group = "privacy"
    needs = frozenset({"background"})
    scope = "corpus"
    title = "People an attack finds"
    better = "lower"
    neutral = ("chance", "ceiling")  # these follow from the files alone
    tells = "whom these attacks find"
    roles = ("attack",)
    undefined = (
        "the attack was not run: one-to-one assignment takes at most 5,000 documents and 5,000 individuals, "
        "fusing attacks takes at most 5,000 individuals"
    )

    attacks: str = parameter(DEFAULT, "the attacks, with commas between: a+b fuses, +assignment matches one to one")
    k: int = parameter(5, "also count who is among the first so many")
    background: str = parameter("", "of several, the name of the one that the attacker has")

    def __post_init__(self) -> None:
        object.__setattr__(self, "attacks", ", ".join(map(str, approaches(self.attacks))))
        if not 1 <= self.k <= _MOST:
            raise PlanError(f"k={quoted(self.k)} is out of range; expected 1 to {_MOST}", type(self).__name__)

    @property
    def models(self) -> dict[str, str]:
        """Of several attacks that ask by the same parameter, `embedding 2` is the second's."""
        models: dict[str, str] = {}
        for part in dict.fromkeys(self._parts):
            for asking, name in part.attack.models.items():
                count = sum(key.partition(" ")[0] == asking for key in models)
                if name not in models.values():
                    models[f"{asking} {count + 1}" if count else asking] = name
        return models

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        return tuple(pair for part in dict.fromkeys(self._parts) for pair in part.pinned)

    @property
    def _parts(self) -> list[Part]:
        return [part for approach in approaches(self.attacks) for part in approach.parts]

    def interval_fault(self, part: str) -> str:
        return self.test_fault(part)

    def test_fault(self, part: str) -> str:
        if part in self.neutral:
            return "it describes these documents and this background, and is no estimate"
        coupled = [str(one) for one in approaches(self.attacks) if one.assignment]
        if (part == HEADLINE and coupled) or any(part in (one, f"{one} @{self.k}", f"{one} mrr") for one in coupled):
            return "one-to-one assignment couples the documents: one that is taken for another changes both"
        return ""

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        resources = chunk.resources
        background = resources.background(self.background)
        from showthrough.attacks.suite import Suite

        watching = any(part.attack.watches for part in self._parts)
        watched = {one.name: one.texts(chunk.corpus) for one in resources.anonymizations} if watching else {}
        suite = Suite(approaches(self.attacks), background, resources, watched)
        resources.seconds["learning"] = suite.fit_seconds

        def rows(anonymized: Anonymized) -> Rows:
            outcome = suite.attack(anonymized.texts, self.k)
            resources.seconds.setdefault("attacking", {})[anonymized.name] = outcome.seconds
            return self.rows(chunk.corpus.ids, outcome)

        return rows

    def rows(self, documents: Sequence[str], outcome: Outcome) -> Rows:
        """One row a document; a document that was not attacked counts nowhere."""
        place = {key: number for number, key in enumerate(outcome.documents)}
        at = np.array([place.get(key, -1) for key in documents], dtype=np.int64)
        there = at >= 0

        def column(values: Array | Ints) -> Array:
            placed = np.zeros(len(documents))
            placed[there] = values[at[there]]
            return placed

        columns: dict[str, ArrayLike] = {"documents": there, "in_background": column(outcome.known)}
        columns["individuals"] = there * outcome.individuals
        for name, standing in outcome.standings.items():
            ran = not isinstance(standing, str)
            for statistic in ("right", "right_at_k", "reciprocal", "margin"):
                values = column(getattr(standing, statistic)) if ran else np.zeros(len(documents))
                columns[f"{statistic}:{name}"] = values
            columns[f"ran:{name}"] = there & ran
        return replace(Rows.named(columns), evidence=outcome.evidence)

    def combine(self, totals: Totals) -> dict[str, Array]:
        parts: dict[str, Array] = {}
        names = list(map(str, approaches(self.attacks)))
        for name in names:
            ran = totals[f"ran:{name}"]
            parts[name] = ratio(totals[f"right:{name}"], ran)
            parts[f"{name} @{self.k}"] = ratio(totals[f"right_at_k:{name}"], ran)
            parts[f"{name} mrr"] = ratio(totals[f"reciprocal:{name}"], ran)
        worst = reduce(np.fmax, [parts[name] for name in names])
        documents = totals["documents"]
        chance, ceiling = ratio(documents, totals["individuals"]), ratio(totals["in_background"], documents)
        return {HEADLINE: worst, **parts, "chance": chance, "ceiling": ceiling}
