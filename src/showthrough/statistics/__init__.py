"""Intervals and tests from rows alone; nothing here knows a metric by name."""

from showthrough.statistics.bootstrap import percentile_interval, resampled_totals
from showthrough.statistics.randomization import holm, p_value, shuffled_shifts

__all__ = ["holm", "p_value", "percentile_interval", "resampled_totals", "shuffled_shifts"]
