"""Intervals and tests from rows alone; nothing here knows a metric by name."""

from showthrough.statistics._comparison import PairTest, judge_difference, pair_tests
from showthrough.statistics._groups import (
    LEAST_UNITS,
    GroupSums,
    GroupTests,
    even_units,
    group_tests,
    side_by_side,
)
from showthrough.statistics._influence import FEW, InfluenceSums, as_many_alike, sum_influences
from showthrough.statistics._losses import LEVEL, SHOWN, Loss, loss_of
from showthrough.statistics._randomization import holm, plain_p, studentized_p
from showthrough.statistics._resampling import resampled_totals
from showthrough.statistics.forms import Ratios, forms, influences, same
from showthrough.statistics.intervals import ALIKE, Spread, number_interval, share_interval
from showthrough.statistics.rows import blocks

__all__ = [
    "ALIKE",
    "FEW",
    "LEAST_UNITS",
    "LEVEL",
    "SHOWN",
    "GroupSums",
    "GroupTests",
    "InfluenceSums",
    "Loss",
    "PairTest",
    "Ratios",
    "Spread",
    "as_many_alike",
    "blocks",
    "even_units",
    "forms",
    "group_tests",
    "holm",
    "influences",
    "judge_difference",
    "loss_of",
    "number_interval",
    "pair_tests",
    "plain_p",
    "resampled_totals",
    "same",
    "share_interval",
    "side_by_side",
    "studentized_p",
    "sum_influences",
]  # fmt: skip
