from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer
from msgspec import Meta

from showthrough.cli.completion import metrics_of_run, systems_of_run
from showthrough.cli.consoles import console, show_notes
from showthrough.cli.options import CliOptions, MaxThresholds, MinThresholds, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.core.errors import InputError, PlanError
from showthrough.evaluation.settings import options_of, settings_problems
from showthrough.report.cautions import notes_on
from showthrough.report.gate import BEGINNINGS, junit_xml, outcome_json, outcome_markdown, show_outcome
from showthrough.report.wording import short_names
from showthrough.run.gate.accepted import read_accepted
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.checking import DOCUMENTS, IDENTIFIERS, Gate, check_run
from showthrough.run.gate.checks import GateOutcome
from showthrough.run.gate.parsing import parse_options, resolve_thresholds
from showthrough.run.pairing import RunPair, complete
from showthrough.run.run import Run
from showthrough.storage.reading import stem
from showthrough.storage.writing import ProtectedFiles

_BEGINNING = max(map(len, BEGINNINGS))


@dataclass(frozen=True, kw_only=True)
class Demands:
    """What is asked beside thresholds."""

    only: Annotated[bool, Meta(description="Check only thresholds that were set, not the usual ones.")] = False
    allow_unsure: Annotated[
        bool, Meta(description="Pass a check if its number holds, even if its interval does not.")
    ] = False
    baseline: Annotated[
        Path | None,
        Meta(title="FILE", description="An earlier run of the same corpus: its numbers must not get worse."),
    ] = None
    baseline_name: Annotated[
        str, Meta(title="NAME", description="Which anonymization of the baseline; usually the same name.")
    ] = ""
    accepted: Annotated[
        Path | None,
        Meta(title="FILE", description="Readable identifiers that were reviewed and accepted, as JSON or CSV."),
    ] = None
    policy: Annotated[
        str,
        Meta(title="NAME|FILE", description="The policy that the run must have been judged by (evaluate --policy)."),
    ] = ""
    bound: Annotated[
        bool, Meta(description="With --baseline: pass only what a test shows to be no worse than --margin allows.")
    ] = False
    margin: Annotated[float, Meta(title="M", description="How much may be lost against the baseline.")] = 0.0
    min_documents: Annotated[int, Meta(title="N", description="With fewer documents nothing passes.", ge=0)] = DOCUMENTS
    min_identifiers: Annotated[int, Meta(title="N", description="With fewer counted things nothing passes.", ge=0)] = (
        IDENTIFIERS
    )

    drift: Annotated[
        bool, Meta(description="Hold released texts of this month against those of the month before; no run.")
    ] = False
    date_field: Annotated[
        str, Meta(title="FIELD", description="With --drift: the field or column with the day of each release.")
    ] = ""
    since: Annotated[
        str, Meta(title="DAY", description="With --drift: the first day that is watched; usually of the month.")
    ] = ""

    def __post_init__(self) -> None:
        """Raises InputError for numbers that cannot be."""
        if problems := settings_problems(self):
            raise InputError(problems)
        if self.drift != bool(self.date_field) or (self.since and not self.drift):
            raise PlanError("--drift and --date-field FIELD go together, and --since goes with them")


@dataclass(frozen=True, kw_only=True)
class Files:
    """Where the outcome goes."""

    json: Annotated[Path | None, Meta(title="FILE", description="Write the outcome as JSON.")] = None
    junit: Annotated[Path | None, Meta(title="FILE", description="Write it as JUnit XML, for CI servers.")] = None
    markdown: Annotated[Path | None, Meta(title="FILE", description="Write it as Markdown, for a pull request.")] = None
    force: Annotated[
        bool, Meta(description="Replace files that exist; files of an earlier check are always replaced.")
    ] = False

    def check(self, read: ProtectedFiles) -> None:
        """Raises OutputError for what could not be written at the end."""
        paths = self.json, self.junit, self.markdown
        check_distinct(paths, read)
        for path in paths:
            check_file(path, self.force or _ours(path))

    def write(self, outcome: GateOutcome) -> Results:
        results = Results(force=True)  # what may not be replaced was told before
        makers = (self.json, outcome_json), (self.junit, junit_xml), (self.markdown, outcome_markdown)
        for path, text in makers:
            if path is not None:
                results.write(path, text(outcome))
        return results


Candidates = Annotated[
    list[str] | None,
    typer.Option(
        "--anonymization",
        "--candidate",
        metavar="NAME",
        help="Only this one; may be repeated.",
        autocompletion=systems_of_run,
    ),
]


@with_options(demands=options_of(Demands), files=options_of(Files))
def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file; with --drift, released texts.")],
    least: MinThresholds = None,
    most: MaxThresholds = None,
    anonymization: Candidates = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--metric", metavar="METRIC", help="Also compare this metric with the baseline; may be repeated.",
            autocompletion=metrics_of_run,
        ),
    ] = None,
    *,
    demands: CliOptions,
    files: CliOptions,
) -> None:  # fmt: skip
    """Exit status: 0 all is met; 1 something is missed or cannot be known; 2 bad request; 3 nothing is missed, but
    something is not sure. Files are written in all cases but 2.
    """
    requirements, where = Demands(**demands), Files(**files)
    if requirements.drift:
        if least or most or anonymization or metric or demands.keys() - {"drift", "date_field", "since"}:
            raise PlanError("--drift reads released texts and no run; expected no other option than --since and files")
        where.check(inputs([run_file]))
        from showthrough.formats import read_corpus  # here: a gate over a run needs neither
        from showthrough.run.gate.drift import check_drift

        corpus = read_corpus(run_file, fields=[requirements.date_field])
        _finish(check_drift(corpus, requirements.date_field, requirements.since), where)
        return
    if requirements.baseline is None and (requirements.baseline_name or requirements.margin or metric):
        raise PlanError("--baseline-name, --margin and --metric need a baseline; expected --baseline FILE")
    where.check(inputs([run_file, requirements.baseline, requirements.accepted]))
    accepted = None if requirements.accepted is None else read_accepted(requirements.accepted)
    run = complete(Run.load(run_file), str(run_file))
    if requirements.policy:
        _check_policy(run, requirements.policy)
    thresholds = resolve_thresholds(parse_options(least, most), run.metrics, slices=list(run.slices))
    baseline = (
        None if requirements.baseline is None else _baseline(run, requirements, requirements.baseline, metric or [])
    )
    sizes = requirements.min_documents, requirements.min_identifiers
    lenient = requirements.only, requirements.allow_unsure
    outcome = check_run(
        run, Gate(thresholds, anonymization or (), requirements.bound, *sizes, baseline, *lenient, accepted)
    )
    show_notes(notes_on(run, [checked.name for checked in outcome.anonymizations]))
    show_notes(line for checked in outcome.anonymizations for line in checked.unused)
    if requirements.bound and baseline is None:
        show_notes(["--bound is no longer needed: thresholds always use the cautious ends of intervals"])
    metrics_checked = {check.metric for checked in outcome.anonymizations for check in checked.checks}
    _finish(outcome, where, {full: short for full, short in short_names(run).items() if full in metrics_checked})


def _finish(outcome: GateOutcome, where: Files, names: Mapping[str, str] = MappingProxyType({})) -> None:
    """Writes and shows what came of it, and leaves with its exit status."""
    results = where.write(outcome)
    screen = console()
    show_outcome(outcome, screen, names)
    results.tell(screen)
    if outcome.status:
        raise typer.Exit(outcome.status)


def _baseline(run: Run, requirements: Demands, file: Path, metrics: Sequence[str]) -> Baseline:
    earlier = complete(Run.load(file), str(file))
    return Baseline(RunPair(run, earlier, stem(file)), requirements.margin, requirements.baseline_name, metrics)


def _check_policy(run: Run, name: str) -> None:
    """Raises PlanError where a run was judged by no policy, or by another. Its rules are checked in any case."""
    from showthrough.families.policies.policy import read_policy  # here: few gates ask for one

    policy, judged = read_policy(name), run.inputs.get("policy", [])
    if policy.digest not in [record.digest for record in judged]:
        by = f"the run was judged by {judged[0].name}, whose rules differ" if judged else "the run was judged by none"
        raise PlanError(f"{by}; expected a run of showthrough evaluate --policy {name}", f"policy {policy.name}")


def _ours(path: Path | None) -> bool:
    """Whether a file is what an earlier check wrote: gates run again and again, and no old verdict must stay."""
    if path is None:
        return False
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(_BEGINNING).startswith(tuple(beginning.encode() for beginning in BEGINNINGS))
    except OSError:
        return False  # which writing will tell
