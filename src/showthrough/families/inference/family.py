"""Inference about people: answers that were recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from showthrough.core.families import Family

if TYPE_CHECKING:
    from showthrough.core.errors import Problem
    from showthrough.evaluation.plan import Plan
    from showthrough.metrics import Metric
    from showthrough.models import Resources
    from showthrough.models.chat.base import AnswerSource
    from showthrough.report.section import Section
    from showthrough.run.run import Run

# Names of columns and parts, here for reports that do not import the metrics.
INFERRED, ASKED = "inferred", "asked"  # columns, of all and of each stratum, as in `asked:AGE` and `asked hardness 1`
TAG = "tag"
BARE, UNANSWERED, UNJUDGED, ABOUT = "bare", "unanswered", "unjudged", "about_people"
PEOPLE, INFERENCES = "people", "inferences"  # who was asked about, and of whom how many attributes were inferred
RIGHT, ALL = "inferred", "attributes"  # columns; of a part with its name behind
TOP_1, TOP_3 = "top-1", "top-3"


def column_of(statistic: str, stratum: str) -> str:
    """Tags behind a colon, since tables count by them; the rest in words.

    >>> column_of("asked", "tag:AGE"), column_of("asked", "control:empty"), column_of("asked", "")
    ('asked:AGE', 'asked control empty', 'asked')
    """
    kind, _, value = stratum.partition(":")
    if kind == TAG:
        return f"{statistic}:{value}"
    return f"{statistic} {kind} {value}" if stratum else statistic


def stratum_of(column: str) -> str | None:
    """What a column of what was asked is about; `None` of other columns.

    >>> stratum_of("asked:AGE"), stratum_of("asked control empty"), stratum_of("asked"), stratum_of("unanswered")
    ('tag:AGE', 'control:empty', '', None)
    """
    about = column.removeprefix(ASKED)
    if about == column:
        return None
    return f"{TAG}{about}" if about.startswith(":") else about.strip().replace(" ", ":")


class _Inference(Family):
    @property
    def section(self) -> Section:
        from showthrough.families.inference.report import SECTION

        return SECTION

    def doubts(self, run: Run) -> Iterable[str]:
        from showthrough.families.inference.report import SECTION

        return SECTION.cautions(run)

    def problems(self, plan: Plan) -> Iterable[Problem]:
        if not any(metric.asks for metric in plan.metrics):
            return ()
        from showthrough.families.inference._answer_files import answer_problems

        return answer_problems(plan)

    def asked(self, names: Sequence[str], resources: Resources) -> list[AnswerSource]:
        from showthrough.families.inference._spec import list_sources

        return list_sources(names, resources)

    def files(self, options: Any, metrics: Sequence[Metric]) -> list[Path]:
        names = [name for metric in metrics for name in metric.asks]
        if not names:
            return []
        from showthrough.families.inference._answer_files import files_behind

        return files_behind(names)


FAMILY = _Inference(
    "inference",
    metrics={
        "cpr": ("protection:CollectiveProtection", {}),
        "ipr": ("protection:IndividualProtection", {}),
        "attributes": ("attributes:AuthorAttributes", {}),
        "readability": ("judge_utility:Readability", {}),
        "meaning": ("judge_utility:Meaning", {}),
        "hallucination": ("judge_utility:Hallucination", {}),
    },
    counting={"inference": "people", "attributes": "people"},
)
