"""Intervals and tests from rows alone; nothing here knows a metric by name."""

from showthrough.statistics.bootstrap import resampled_totals
from showthrough.statistics.comparison import PairTest, judged, pair_tests
from showthrough.statistics.forms import forms, influences, same
from showthrough.statistics.intervals import (
    Spread,
    difference_interval,
    number_interval,
    share_interval,
    sure_difference_interval,
)
from showthrough.statistics.randomization import holm, plain_p, studentized_p

__all__ = [
    "PairTest", "Spread", "difference_interval", "forms", "holm", "influences", "judged", "number_interval",
    "pair_tests", "plain_p", "resampled_totals", "same", "share_interval", "studentized_p", "sure_difference_interval",
]  # fmt: skip
