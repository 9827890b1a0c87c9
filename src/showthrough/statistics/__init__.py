"""Intervals and tests from rows alone; nothing here knows a metric by name."""

from showthrough.statistics.blocks import blocks
from showthrough.statistics.comparison import PairTest, judge_difference, pair_tests
from showthrough.statistics.forms import Ratios, forms, influences, same
from showthrough.statistics.influence import FEW, as_many_alike, sum_influences
from showthrough.statistics.intervals import ALIKE, Spread, number_interval, share_interval
from showthrough.statistics.losses import LEVEL, SHOWN, Loss, loss_of
from showthrough.statistics.randomization import holm, plain_p, studentized_p
from showthrough.statistics.resampling import resampled_totals

__all__ = [
    "ALIKE",
    "FEW",
    "LEVEL",
    "SHOWN",
    "Loss",
    "PairTest",
    "Ratios",
    "Spread",
    "as_many_alike",
    "blocks",
    "forms",
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
    "studentized_p",
    "sum_influences",
]  # fmt: skip
