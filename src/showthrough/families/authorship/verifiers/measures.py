"""How good answers about authors are: PAN 2020–2023's five measures and their mean, from sums over problems.

An answer above 0.5 says that it is one author, one below that it is not. Exactly 0.5, or NaN where there is no answer
at all, is left open: c@1, F0.5u and F1 count it as such, AUC and Brier take it as 0.5.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Bools, Floats
from showthrough.families.authorship.verifiers.base import UNANSWERED

AUC, C_AT_1, F_HALF_U, F1, BRIER, OVERALL = "auc", "c@1", "f0.5u", "f1", "brier", "overall"
MEASURES = (AUC, C_AT_1, F_HALF_U, F1, BRIER)  # in PAN's order; `overall` is their mean


def statistics_of(same: ArrayLike, answers: ArrayLike) -> dict[str, Floats]:
    """One entry a problem of all that the measures are summed from.

    >>> counts = statistics_of([True, True, False], [0.9, 0.5, 0.2])
    >>> counts["right"].tolist(), counts["unanswered"].tolist()
    ([1.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    """
    truth = np.asarray(same, dtype=bool)
    probabilities = np.asarray(answers, dtype=np.float64)
    values = np.where(np.isnan(probabilities), UNANSWERED, probabilities)
    positive, negative = values > UNANSWERED, values < UNANSWERED
    columns = {
        "problems": np.ones(len(truth)),
        "right": np.where(truth, positive, negative),
        "unanswered": values == UNANSWERED,
        "tp": truth & positive,
        "fp": ~truth & positive,
        "fn": truth & negative,
        "squared": (values - truth) ** 2,
        **_parts_of_auc(truth, values),
    }
    return {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}


def compute_measures(sums: Mapping[str, Floats]) -> dict[str, Floats]:
    """The measures of sums, or of stacks of them; NaN where one is undefined, as AUC is with one kind of problem.

    >>> {name: round(float(value), 4) for name, value in compute_measures(
    ...     {name: column.sum() for name, column in statistics_of([True, True, False], [0.9, 0.5, 0.2]).items()}
    ... ).items()}
    {'auc': 1.0, 'c@1': 0.8889, 'f0.5u': 0.8333, 'f1': 1.0, 'brier': 0.9, 'overall': 0.9244}
    """
    problems, right, tp = sums["problems"], sums["right"], sums["tp"]
    rarer = sums["rarer"]
    with np.errstate(divide="ignore", invalid="ignore"):
        measures = {
            AUC: np.where(rarer > 0, sums["ranked"] / rarer, np.nan),
            C_AT_1: right * (1 + sums["unanswered"] / problems) / problems,
            F_HALF_U: 1.25 * tp / (1.25 * tp + 0.25 * (sums["fn"] + sums["unanswered"]) + sums["fp"]),
            F1: 2 * tp / (2 * tp + sums["fp"] + sums["fn"]),
            BRIER: 1 - sums["squared"] / problems,
        }
    return {**measures, OVERALL: np.mean([measures[name] for name in MEASURES], axis=0)}


def _parts_of_auc(same: Bools, values: Floats) -> dict[str, Floats]:
    """Two columns, of which AUC is the ratio of the sums.

    AUC is no sum: it compares all problems of one author with all of two. A problem's place is the share of the other
    kind that it is on the right side of, and AUC the mean place of either kind. So the rarer kind has its places, and
    the other one by how much each of its own is better than their mean, which adds up to nothing. What a problem moves
    is then what it moves in DeLong, DeLong and Clarke-Pearson (1988). And where all are on the right side, there are as
    many trials as problems of the rarer kind: a few are soon in order, however many others there are.
    """
    positives, negatives = np.sort(values[same]), np.sort(values[~same])
    if not len(positives) or not len(negatives):
        return {"ranked": np.zeros(len(values)), "rarer": np.zeros(len(values))}
    ranks = np.empty(len(values))
    ranks[same] = _below(values[same], negatives)
    ranks[~same] = 1 - _below(values[~same], positives)
    rarer = same if len(positives) <= len(negatives) else ~same
    few = np.count_nonzero(rarer)
    excess = (ranks - ranks[rarer].mean()) * few / (len(values) - few)
    return {"ranked": np.where(rarer, ranks, excess), "rarer": rarer}


def _below(values: Floats, reference: Floats) -> Floats:
    """The share of some sorted others that are lower than each value; equal ones count half."""
    lower, lower_or_equal = np.searchsorted(reference, values, "left"), np.searchsorted(reference, values, "right")
    return np.asarray((lower + lower_or_equal) / (2 * len(reference)))
