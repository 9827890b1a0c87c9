"""Inference about people: answers that were recorded, and statements that must be gone or kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from showthrough.core.errors import PlanError, Problem
from showthrough.core.families import Family, InputType

if TYPE_CHECKING:
    from showthrough.data.documents import Corpus
    from showthrough.data.statements import Statements
    from showthrough.evaluation.plan import Plan
    from showthrough.families._arguments import StatementArguments
    from showthrough.metrics import Metric
    from showthrough.models import Resources
    from showthrough.models.chat.base import AnswerSource
    from showthrough.report.section import Section
    from showthrough.run.records import Input
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


STATEMENTS = "statements"
_JUDGED = "propositions"


@dataclass(frozen=True, kw_only=True)
class StatementOptions:
    """Statements about documents, in a file."""

    statements: Annotated[
        str | None,
        Meta(title="FILE", description="What must be gone from documents and what must stay true, for propositions."),
    ] = None


class StatementsInput(InputType):
    """What must be gone from documents, and what must stay true."""

    name = STATEMENTS
    named = False

    def read(self, options: StatementOptions, anonymizations: Sequence[str]) -> Statements | None:
        if options.statements is None:
            return None
        from showthrough.formats.people.statements import read_statements
        from showthrough.storage.paths import as_path

        return read_statements(as_path(options.statements))

    def accept(self, arguments: StatementArguments) -> Statements | None:
        from showthrough.data.statements import Statements

        statements = arguments.statements
        if statements is not None and not isinstance(statements, Statements):
            expected = "expected Statements: read_statements reads them"
            raise PlanError(f"found a value of type {type(statements).__name__}; {expected}", STATEMENTS)
        return statements

    def keys(self, options: StatementOptions) -> tuple[str, ...]:
        return () if options.statements is None else ("",)

    def metrics(self, keys: Sequence[str], chosen: Sequence[Metric], *, by_default: bool) -> tuple[Metric, ...]:
        from showthrough.metrics import METRICS

        return (METRICS[_JUDGED],) if keys and not any(STATEMENTS in metric.needs for metric in chosen) else ()

    def record(self, value: Statements, corpus: Corpus) -> list[Input]:
        from showthrough.run.records import Input

        return [Input(value.name, value.digest, len(value), value.source)]


class _Inference(Family):
    @property
    def arguments(self) -> type[StatementArguments]:
        from showthrough.families._arguments import StatementArguments

        return StatementArguments

    @property
    def section(self) -> Section:
        from showthrough.families.inference.report import SECTION

        return SECTION

    def doubts(self, run: Run) -> Iterable[str]:
        from showthrough.families.inference.report import SECTION

        return SECTION.cautions(run)

    def problems(self, plan: Plan) -> Iterable[Problem]:
        needed = any(STATEMENTS in metric.needs for metric in plan.metrics)
        problems = []
        if needed and plan.inputs.get(STATEMENTS) is None:
            expected = "expected --statements FILE (in Python, statements=…)"
            problems.append(Problem("", f"metric {_JUDGED}", f"needs statements about the documents; {expected}"))
        if any(metric.asks for metric in plan.metrics):
            from showthrough.families.inference._answer_files import answer_problems

            problems += answer_problems(plan)
        return problems

    def content_problems(self, plan: Plan) -> Iterable[Problem]:
        statements: Statements | None = plan.inputs.get(STATEMENTS)
        return () if statements is None else statements.problems(plan.corpus)

    def relocate(self, options: StatementOptions, plan: Path) -> dict[str, Any]:
        from showthrough.evaluation.requests import seen_from

        file = options.statements
        return {} if file is None else {STATEMENTS: seen_from(plan, file, STATEMENTS)}

    def asked(self, names: Sequence[str], resources: Resources) -> list[AnswerSource]:
        from showthrough.families.inference._spec import list_sources

        return list_sources(names, resources)

    def files(self, options: Any, metrics: Sequence[Metric]) -> list[Path]:
        own = [] if options.statements is None else [Path(options.statements)]
        names = [name for metric in metrics for name in metric.asks]
        if not names:
            return own
        from showthrough.families.inference._answer_files import files_behind

        return [*own, *files_behind(names)]


FAMILY = _Inference(
    "inference",
    inputs=(StatementsInput(),),
    options=StatementOptions,
    metrics={
        "cpr": ("protection:CollectiveProtection", {}),
        "ipr": ("protection:IndividualProtection", {}),
        "attributes": ("attributes:AuthorAttributes", {}),
        "readability": ("judge_utility:Readability", {}),
        "meaning": ("judge_utility:Meaning", {}),
        "hallucination": ("judge_utility:Hallucination", {}),
        "propositions": ("propositions:Propositions", {}),
    },
    counting={"inference": "people", "attributes": "people"},
)
