"""What the parts of metrics of author masking are called; reports know them without importing what computes them."""

from __future__ import annotations

BEFORE, LOST, TOLD, FALSE = "before", "lost", "told", "false"
OVERLAP = "overlap"
