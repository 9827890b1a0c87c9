"""Intervals and tests from rows alone; nothing here knows a metric by name."""

from showthrough.statistics.comparison import PairTest, judged, pair_tests
from showthrough.statistics.forms import forms, influences, same
from showthrough.statistics.intervals import Spread, number_interval, resampled_totals, share_interval
from showthrough.statistics.randomization import holm, plain_p, studentized_p

__all__ = [
    "PairTest", "Spread", "forms", "holm", "influences", "judged", "number_interval", "pair_tests", "plain_p",
    "resampled_totals", "same", "share_interval", "studentized_p",
]  # fmt: skip
