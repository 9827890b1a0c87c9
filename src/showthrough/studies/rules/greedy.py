"""Rule after rule, each the best found given those before it, with the numbers that evaluating again would give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from showthrough.data.layout.spans import Ints
from showthrough.data.masks import Anonymization
from showthrough.run.run import Run
from showthrough.studies.kept import name_in, require_texts
from showthrough.studies.rules.candidates import RuleCandidates, locate_rules, propose_rules, type_rules
from showthrough.studies.rules.gains import Prospects
from showthrough.studies.rules.ground import MaskState, RuleCorpus, RuleLocations
from showthrough.studies.rules.worth import Rule, Step, SystemScores, Weights, Worth

MOST = 10  # rules of a list
_TRIED = 12  # candidates that are tried in a step, where none is worth what it seemed
_DIGITS = 12  # of what a candidate is worth: what differs behind them is rounding
WEIGHTS = Weights()


def rules_worth(run: Run, name: str, *, most: int = MOST, weights: Weights = WEIGHTS) -> Worth:
    """What one more rule would win for an anonymization of a run that holds texts: at most so many, one by one."""
    return RuleBook(run).worth(name, most, weights)


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
