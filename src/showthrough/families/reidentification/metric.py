"""Privacy against attacks: can somebody who knows the individuals tell whom the documents are about?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, quote_value
from showthrough.data.references import REFERENCES
from showthrough.families.inference.controls import as_trials, risk, risk_interval
from showthrough.families.reidentification.attacks import DEFAULT, Approach, AttackPart, approaches
from showthrough.families.reidentification.attacks.base import PRECISIONS, select_named
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.statistics.numerics.distributions import binomial_ends
from showthrough.statistics.rows import Rows, Totals

if TYPE_CHECKING:  # attacks are imported when they are made
    from showthrough.data.background import Background
    from showthrough.families.reidentification.attacks.ranks import RankResult
    from showthrough.families.reidentification.attacks.suite import AttackOutcome
    from showthrough.models import Resources


CONTROL, RISK = "control", "risk"  # what an attack finds by somebody else's text, and how far it is above that
_GIVEN = ("chance", "ceiling")  # these follow from the files alone
RECALLS = tuple(f"recall@{precision:g}" for precision in PRECISIONS)
_MOST = 1_000_000_000  # of the first so many: more than there are people to find


@dataclass(frozen=True)
class ReIdentification(Metric):
    """Share of documents whose individual an attacker with background texts finds; the strongest attack counts.

    Manzanares-Salor, Sánchez and Lison 2024: the attacker has texts about individuals (the background) and links each
    anonymized document to one of them. TRIR = correct links / documents. Here several attacks run, and the headline is
    the largest risk found. Parts are each attack's accuracy, accuracy@k and mean reciprocal rank. `control` is what it
    finds with somebody else's text, and `risk` the risk above that. `chance` is 1 / individuals, and `ceiling` the
    share of documents whose individual is in the background at all. Ties share. Documents without a word
    stay in the denominator. With `abstain` there is also the largest share of documents that an attacker names rightly
    who is right in 90 % or 99 % of the named.

    R = max over attacks of |{d : the attack links d to its individual}| / |{d}|; risk = (R − control) / (1 − control)

    >>> from showthrough import Anonymization, Background, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("ann", "Ann cut him open"), Document("bob", "Bob sold bread")])
    >>> background = Background({"ann": "Ann is a surgeon: she cut and sewed", "bob": "Bob, baker of bread"})
    >>> masks = Anonymization({"ann": [Mask(0, 3)], "bob": [Mask(0, 14)]})
    >>> run = evaluate(corpus, {"names": masks}, metrics=["trir"], background=background)
    >>> run["names", "trir", "lexical"].value  # "cut" gives ann away; nothing is left of bob: 1 and 1/2 of 2
    0.75
    """

    version = 2
    group = "privacy"
    needs = frozenset({"background"})
    scope = "corpus"
    title = "People an attack finds"
    better = "lower"
    tells = "whom these attacks find"
    roles = ("attack",)
    undefined = (
        "the attack was not run: one-to-one assignment takes at most 5,000 documents and 5,000 individuals, "
        "fusing attacks takes at most 5,000 individuals, the prior needs scores for all, "
        "recorded answers speak of releases alone"
    )

    attacks: str = parameter(
        DEFAULT, "the attacks, with commas between: a+b fuses; then +prior, +llm:MODEL, +assignment; or answers:FILE"
    )
    k: int = parameter(5, "also count how often the right person is among the first k guesses")
    background: str = parameter("", "name of the background that the attacker has, where there are several")
    abstain: bool = parameter(False, "also count what an attacker finds who names people only when sure")

    def __post_init__(self) -> None:
        object.__setattr__(self, "attacks", ", ".join(map(str, approaches(self.attacks))))
        if not 1 <= self.k <= _MOST:
            raise PlanError(f"k={quote_value(self.k)} is out of range; expected 1 to {_MOST}", type(self).__name__)

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
    def asks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(approach.model for approach in self._approaches if approach.model))

    @property
    def attackers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(part.name for part in self._parts), *self.asks]))

    def shows(self, name: str) -> tuple[str, ...]:
        return ("what the background says of people",)

    @property
    def asks_late(self) -> bool:
        before = [part.attack for approach in self._approaches if approach.model for part in approach.parts]
        return any(attack.models or attack.watches for attack in before)

    @property
    def recorded(self) -> list[AttackPart]:
        """Those of its attacks whose answers come from files."""
        return [part for part in self._parts if part.recorded]

    @property
    def neutral(self) -> tuple[str, ...]:
        return (*_GIVEN, *(f"{name} control" for name in map(str, self._approaches)))

    @property
    def _approaches(self) -> tuple[Approach, ...]:
        return approaches(self.attacks)

    @property
    def _parts(self) -> list[AttackPart]:
        return [part for approach in self._approaches for part in approach.parts]

    def interval_fault(self, part: str) -> str:
        if part in _GIVEN:
            return "it describes these documents and this background, and is no estimate"
        coupled = [str(approach) for approach in self._approaches if approach.assignment]
        if (part == HEADLINE and coupled) or part.removesuffix(f" {self._statistic(part)}") in coupled:
            return "one-to-one assignment couples the documents: if one is taken for another, both change"
        if self._statistic(part) in RECALLS:
            return "the threshold was chosen with knowledge of who is right, which no attacker has"
        return ""

    def test_fault(self, part: str) -> str:
        if self._statistic(part) in (CONTROL, RISK):
            return "a control uses another document's text, so no document can be exchanged alone"
        return self.interval_fault(part)

    def _statistic(self, part: str) -> str:
        """What a part tells of its attack; empty for the accuracy."""
        statistics = (f"@{self.k}", "mrr", CONTROL, RISK, *RECALLS)
        return next((statistic for statistic in statistics if part.endswith(f" {statistic}")), "")

    def own_interval(self, part: str, units: Rows, confidence: float) -> tuple[float, float] | None:
        every = {str(approach): approach for approach in self._approaches}
        if part in every or part == HEADLINE:
            return self._coupled_interval(units, confidence, [every[part]] if part else list(every.values()))
        name = part.removesuffix(f" {RISK}")
        if name == part or self.interval_fault(part):
            return None
        names = (f"{column}:{name}" for column in ("right", "ran", "control", "controlled"))
        right, ran, by_others, controlled = map(units.column, names)
        return risk_interval((right, ran), (by_others, controlled), confidence)

    def _coupled_interval(
        self, units: Rows, confidence: float, chosen: Sequence[Approach]
    ) -> tuple[float, float] | None:
        """The interval of the largest share that these attacks find, where one of them assigns one to one.

        Whoever is taken for another takes that one's place, so that two go wrong together, and chains of them where
        nearly all are found. Simulated, the variance is up to 1 + 2 R times that of R with every document apart, and
        twice where people look alike in pairs: so many documents are one trial (benchmarks/gate.py).
        """
        if not any(approach.assignment for approach in chosen):
            return None  # documents can be drawn one by one
        ends = []
        for approach in chosen:
            right_of_unit, ran = units.column(f"right:{approach}"), units.column(f"ran:{approach}")
            right, trials = as_trials(right_of_unit, ran, confidence)
            if trials:
                together = max(2.0, 1 + 2 * right / trials) if approach.assignment else 1.0
                ends.append([end.item() for end in binomial_ends(right / together, trials / together, confidence)])
        return (max(low for low, _ in ends), max(high for _, high in ends)) if ends else None

    def why_undefined(self, part: str, totals: Totals) -> str:
        name = part.removesuffix(f" {self._statistic(part)}")
        if self._statistic(part) not in (CONTROL, RISK) or not totals[f"ran:{name}"]:
            return self.undefined
        if not totals[f"controlled:{name}"]:
            return "no document is about somebody else, so there is no text for a control"
        return "the control finds everybody, and leaves nothing to find"

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        totals = {name: rows.totals() for name, rows in tables.items() if name not in REFERENCES}
        return [line for name, sums in totals.items() for line in self._remarks(name, sums)]

    def _remarks(self, anonymization: str, totals: Totals) -> Iterator[str]:
        """Which attacks do as well with somebody else's document, and where a language model did not answer."""
        parts = self.combine(totals)
        names = list(map(str, self._approaches))
        if as_good := [name for name in names if parts[name] <= parts[f"{name} {CONTROL}"]]:
            listed = ", ".join(
                f"{name} ({100 * parts[name]:.1f} %; control {100 * parts[f'{name} {CONTROL}']:.1f} %)"
                for name in as_good
            )
            yield (
                f"trir, {anonymization}: {listed} {'finds' if len(as_good) == 1 else 'find'} no more people than with "
                f"somebody else's document, the control. Another attack may find more"
            )
        for name in names:
            if missing := totals.get(f"unanswered:{name}"):
                share = f"{missing:.0f} of {totals[f'ran:{name}']:.0f} documents"
                recorded = any(str(part) == name for part in self.recorded)
                effect = "for whom nobody counts as named" if recorded else "which keep the order they had"
                yield f"trir, {anonymization}: {name} has no valid answer for {share}, {effect}"

    def _select_background(self, resources: Resources) -> Background:
        """What the attacker knows: the background that there is, or of several the one that is named."""
        backgrounds: Mapping[str, Background] = resources.inputs.get("background", {})
        if self.background not in backgrounds:
            wanted_name = f"of the name {quote_value(self.background)} " if self.background else ""
            raise PlanError(f"none {wanted_name}was given, which trir needs", "background")
        return backgrounds[self.background]

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        resources = chunk.resources
        background = self._select_background(resources)
        from showthrough.families.reidentification.attacks.suite import Suite

        chosen = self._approaches
        if resources.tally is not None:  # nobody else asks anything, and all that is learned here is for nothing
            chosen = tuple(approach for approach in chosen if approach.model)
        watching = any(part.attack.watches for approach in chosen for part in approach.parts)
        watched = (
            {anonymization.name: anonymization.texts(chunk.corpus) for anonymization in resources.anonymizations}
            if watching
            else {}
        )
        suite = Suite(chosen, background, resources, watched)
        resources.seconds["learning"] = suite.fit_seconds
        pairs = zip(chunk.corpus.ids, chunk.corpus.survey.groups, strict=False)
        groups = {key: group or f"?{key}" for key, group in pairs}

        def rows(anonymized: Anonymized) -> Rows:
            outcome = suite.attack(anonymized.texts, self.k, anonymized.name, groups)
            resources.seconds.setdefault("attacking", {})[anonymized.name] = outcome.seconds
            return self.rows(chunk.corpus.ids, outcome)

        return rows

    def rows(self, documents: Sequence[str], outcome: AttackOutcome) -> Rows:
        """One row a document; a document that was not attacked counts nowhere."""
        index = {key: number for number, key in enumerate(outcome.documents)}
        at = np.array([index.get(key, -1) for key in documents], dtype=np.int64)
        is_attacked = at >= 0

        def column(values: Floats | Ints) -> Floats:
            placed = np.zeros(len(documents))
            placed[is_attacked] = values[at[is_attacked]]
            return placed

        columns: dict[str, ArrayLike] = {"documents": is_attacked, "in_background": column(outcome.in_background)}
        columns["individuals"] = is_attacked * outcome.individuals
        for name, standing in outcome.standings.items():
            ran = is_attacked & (not isinstance(standing, str))
            columns[f"ran:{name}"] = ran
            columns[f"controlled:{name}"] = ran * column(outcome.controlled)
            for statistic, values in self._statistics(standing):
                columns[f"{statistic}:{name}"] = column(values) if len(values) else np.zeros(len(documents))
        columns |= {f"unanswered:{name}": column(values) for name, values in outcome.unanswered.items()}
        return replace(Rows.named(columns), evidence=outcome.evidence)

    def _statistics(self, standing: RankResult | str) -> Iterator[tuple[str, Floats]]:
        """What is counted of one attack, by document; nothing where it was not run."""
        ran = None if isinstance(standing, str) else standing
        for statistic in ("right", "right_at_k", "reciprocal", "margin", CONTROL):
            yield statistic, np.zeros(0) if ran is None else getattr(ran, statistic)
        for part, precision in zip(RECALLS, PRECISIONS, strict=True) if self.abstain else ():
            yield part, np.zeros(0) if ran is None else ran.right * select_named(ran.lead, ran.right, precision)

    def combine(self, totals: Totals) -> dict[str, Floats]:
        parts: dict[str, Floats] = {}
        names = list(map(str, self._approaches))
        for name in names:
            ran = totals[f"ran:{name}"]
            parts[name] = ratio(totals[f"right:{name}"], ran)
            parts[f"{name} @{self.k}"] = ratio(totals[f"right_at_k:{name}"], ran)
            parts[f"{name} mrr"] = ratio(totals[f"reciprocal:{name}"], ran)
            control = ratio(totals[f"control:{name}"], totals[f"controlled:{name}"])
            parts |= {f"{name} {CONTROL}": control, f"{name} {RISK}": risk(parts[name], control)}
            for part in RECALLS if self.abstain else ():
                parts[f"{name} {part}"] = ratio(totals[f"{part}:{name}"], ran)
        worst = reduce(np.fmax, [parts[name] for name in names])
        documents = totals["documents"]
        chance, ceiling = ratio(documents, totals["individuals"]), ratio(totals["in_background"], documents)
        return {HEADLINE: worst, **parts, "chance": chance, "ceiling": ceiling}
