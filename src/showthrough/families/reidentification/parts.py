"""The names of parts of re-identification metrics, for reports that do not import the metrics."""

from __future__ import annotations

EPSILON = "epsilon"  # of `distinguish`
