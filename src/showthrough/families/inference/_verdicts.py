"""What counts of a guess where rules, a judge and recorded verdicts may say something, and how far they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats
from showthrough.families.inference.base import GuessPair, Judge
from showthrough.statistics.numerics.chance import correct_for_chance, expected_of_draws

JUDGE = "judge"
AGREEMENT, KAPPA = f"{JUDGE}:agreement", f"{JUDGE}:kappa"
PARTS = (AGREEMENT, KAPPA)  # of a metric, both neutral
_CATEGORIES = 3  # no, less precise, yes
_MET = {(row, column): f"verdict_{row}_{column}" for row in range(_CATEGORIES) for column in range(_CATEGORIES)}


class Judgements(NamedTuple):
    """Of each pair: what counts, and what was recorded beside it; NaN where there is nothing.

    A score is NaN where a judge was asked and gave no answer. It is missing and never a no: what has no better pair
    leaves the denominators (`best`).
    """

    scores: Floats
    recorded: Floats


def judge_pairs(
    pairs: Sequence[GuessPair], rules: ArrayLike, judge: Judge | None, human: Judge | None = None
) -> Judgements:
    """The scores that count. `rules` has those of the rules; `human` is who else judged the same pairs.

    A judge that overrules counts wherever it says something, and the rules elsewhere. Any other is asked where rules
    give less than 1, and counts if it gives more.
    """
    by_rules = np.array(rules, dtype=np.float64)
    recorded = _ask_verdicts(human, pairs) if human is not None else np.full(len(pairs), np.nan)
    if judge is None:
        return Judgements(by_rules, recorded)
    if judge.overrules:
        verdicts = _ask_verdicts(judge, pairs)
        return Judgements(np.where(np.isnan(verdicts), by_rules, verdicts), recorded)
    open_ones = np.flatnonzero(by_rules < 1)
    verdicts = _ask_verdicts(judge, [pairs[index] for index in open_ones.tolist()])
    by_rules[open_ones] = np.maximum(by_rules[open_ones], verdicts)  # NaN stays NaN
    return Judgements(by_rules, recorded)


def meetings(judgements: Judgements, document_indices: ArrayLike, documents: int) -> dict[str, Floats]:
    """Columns of rows: how often what counts and what was recorded met, by document.

    `document_indices` are those of the pairs. Controls are no pairs of these: nobody recorded a verdict on them.
    """
    both = ~(np.isnan(judgements.scores) | np.isnan(judgements.recorded))
    ours, theirs = (np.rint(2 * scores[both]).astype(np.int64) for scores in (judgements.scores, judgements.recorded))
    cells = (np.asarray(document_indices, dtype=np.int64)[both] * _CATEGORIES + ours) * _CATEGORIES + theirs
    table = np.bincount(cells, minlength=documents * _CATEGORIES**2).reshape(documents, -1)
    return {column: table[:, index].astype(np.float64) for index, column in enumerate(_MET.values())}


def agreement_parts(totals: Mapping[str, Floats]) -> dict[str, Floats]:
    """Observed agreement and Cohen's κ of three categories, where anything was recorded at all."""
    if not any(column in totals for column in _MET.values()):
        return {}
    met = _table(totals)
    whole = met.sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        agreeing = np.where(whole > 0, np.trace(met, axis1=-2, axis2=-1) / whole, np.nan)
    return {AGREEMENT: agreeing, KAPPA: correct_for_chance(1 - agreeing, _expected(met))}


def limits_of(part: str) -> tuple[float, float]:
    """Between which values one of `PARTS` lies."""
    return (-1.0, 1.0) if part == KAPPA else (0.0, 1.0)


def pair_unit_change(part: str, totals: Mapping[str, Floats]) -> float:
    """By how much one of `PARTS` would be away from its end if one pair of every document differed."""
    return float(1 / _expected(_table(totals))) if part == KAPPA else 1.0


def _ask_verdicts(judge: Judge, pairs: Sequence[GuessPair]) -> Floats:
    return np.array([np.nan if verdict is None else verdict for verdict in judge.verdicts(pairs)], dtype=np.float64)


def _table(totals: Mapping[str, Floats]) -> Floats:
    """Stacks of three by three: what counted by what was recorded."""
    met = [[totals[_MET[row, column]] for column in range(_CATEGORIES)] for row in range(_CATEGORIES)]
    return np.moveaxis(np.asarray(met, dtype=np.float64), (0, 1), (-2, -1))


def _expected(met: Floats) -> Floats:
    products = (met.sum(axis=-2) * met.sum(axis=-1)).sum(axis=-1)
    return expected_of_draws(met.sum(axis=(-2, -1)), products, returned=True)
