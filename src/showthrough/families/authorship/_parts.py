"""The names of the parts of author masking metrics, for reports that do not import the metrics."""

from __future__ import annotations

BEFORE, LOST, TOLD, FALSE = "before", "lost", "told", "false"
OVERLAP = "overlap"
