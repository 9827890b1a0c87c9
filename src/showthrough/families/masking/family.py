"""Masking: what annotators marked, and what is hidden or still readable of it (Pilán et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from showthrough.core.families import Family

if TYPE_CHECKING:
    from showthrough.metrics import Metric


class _Masking(Family):
    def ranking(self, function_words: str, metrics: Sequence[Metric]) -> tuple[Metric, ...]:
        from showthrough.families.masking.removed import risks

        return risks(function_words, metrics)


FAMILY = _Masking(
    "masking",
    metrics={
        "removed_di": ("removed:Removed", {"identifier": "direct"}),
        "removed_qi": ("removed:Removed", {"identifier": "quasi"}),
        "removed": ("removed:Removed", {}),
        "clean": ("removed:Clean", {}),
        "er_di": ("recall:EntityRecall", {"identifier": "direct"}),
        "er_qi": ("recall:EntityRecall", {"identifier": "quasi"}),
        "er": ("recall:EntityRecall", {}),
        "recall": ("recall:Recall", {}),
        "recall_per_type": ("recall:RecallPerType", {}),
        "precision": ("precision:Precision", {}),
        "f1": ("recall:FScore", {"beta": 1.0}),
        "f2": ("recall:FScore", {"beta": 2.0}),
    },
    ceiling=("er_di", "er_qi", "recall", "precision", "f1"),
)
