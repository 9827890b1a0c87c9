from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from msgspec import structs

from showthrough.cli import shared
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.retyping import Retyping
from showthrough.errors import InputError, PlanError, printable, shown, some
from showthrough.evaluation.notices import notices
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.requests import Request, Source, is_request, read_request
from showthrough.metrics import METRICS, metrics_of, preset
from showthrough.metrics.clinical.base import ClinicalMetric, unknown_types


def command(
    corpus: Annotated[Path, typer.Argument(help="The corpus; or a plan (.toml) or a TAE configuration (.json).")],
    anonymizations: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=]FILE", help="Anonymizations to check against it.")
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(metavar="error|unmasked", help="What a document means that an anonymization lacks."),
    ] = None,
    format_name: shared.Format = None,
    maps: shared.Maps = None,
    direct: shared.Direct = None,
    quasi: shared.Quasi = None,
    ignore: shared.Ignore = None,
    group_by: shared.GroupBy = None,
    id_column: shared.IdColumn = "doc_id",
    text_column: shared.TextColumn = "text",
) -> None:
    """Check files without scoring: every problem with its place.

    What it accepts, evaluate scores; of a corpus without annotations it says which metrics can.
    """
    planned = is_request(corpus)
    if planned:
        if anonymizations:
            raise PlanError("a plan names anonymizations itself; expected no others beside it", str(corpus))
        request = read_request(corpus)
    else:
        named = list(map(shared.named, anonymizations or ()))
        if twice := sorted({name for name, _ in named if [one for one, _ in named].count(name) > 1}):
            raise PlanError("this name is used twice; expected unique names", f"anonymization {shown(twice[0])}")
        sources = {name: Source(path, id_column, text_column) for name, path in named}
        request = Request(
            corpus, sources, tuple(metrics_of(preset("default"))), id_column=id_column, text_column=text_column
        )
    request = replace(
        request,
        settings=structs.replace(request.settings, missing=missing or request.settings.missing),
        format=format_name or request.format,
        types=shared.types_said(maps, direct, quasi, ignore, request.types),
        group_by=request.group_by if group_by is None else group_by,
    )
    plan = _checked(request, planned)
    shared.note_unmasked(plan.anonymizations)
    shared.show_notes([*notices(plan.corpus, plan.anonymizations, plan.metrics), *_strange_types(plan, request.types)])
    typer.echo(printable(_summary(plan.corpus)))
    for one in plan.anonymizations:
        typer.echo(printable(_masks(one)))
    typer.echo(_verdict(plan.corpus))


def _checked(request: Request, planned: bool) -> Plan:
    """What is to be evaluated; raises InputError with all that is wrong with all files."""
    plan, problems = request.read()
    if not (planned or plan.corpus.survey.annotated):
        plan = replace(plan, metrics=tuple(metric for metric in METRICS.sound().values() if not metric.needs))
    try:
        if not problems:
            plan = plan.retyped(request.types)
        if plan.anonymizations or planned:
            plan.check()
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return plan


def _summary(corpus: Corpus) -> str:
    survey = corpus.survey
    groups = f"{len(set(survey.groups) - {''}) + survey.groups.count('')} groups, " if survey.groups else ""
    return (
        f"{corpus.source}: {shared.documents(len(corpus))}, {groups}{int(survey.lengths.sum())} characters, "
        f"{survey.annotated} annotated, {survey.annotators} annotation layers, "
        f"{survey.mentions} mentions, digest {survey.digest[:8]}"
    )


def _masks(one: Anonymization) -> str:
    masks = sum(len(one.masks[key]) for key in one.masks)
    types = f", {len(one.types)} types" if one.types else ""
    return f"{one.source}: {shared.documents(len(one))}, {masks} masks{types}, digest {one.digest[:8]}"


def _strange_types(plan: Plan, types: Retyping) -> Iterator[str]:
    """Of each anonymization the types that only clinical metrics mind; where a plan asks for those, it was refused."""
    if not plan.corpus.survey.types or any(isinstance(metric, ClinicalMetric) for metric in plan.metrics):
        return
    for one in plan.anonymizations:
        kinds = {kind for kind in one.types if not types.left_out(kind)}
        strange = [kind for kind in sorted(kinds) if unknown_types(plan.corpus, one, {kind}, {})]
        if strange:
            names = some(strange)
            yield (
                f"{shown(one.name)}: no mention of the corpus has the types {names}, so clinical metrics (phi_…) "
                f"refuse it; --map {shown(strange[0])}=… says what it is"
            )


def _verdict(corpus: Corpus) -> str:
    """That all is well; or what cannot be scored since no annotation was read."""
    if corpus.survey.mentions:
        return "all is well"
    free = [name for name, metric in METRICS.sound().items() if "gold" not in metric.needs]
    found = "no mentions: annotators marked nothing" if corpus.survey.annotated else "no annotations were read"
    return f"{found}, so only metrics that need none can be scored: {', '.join(free)}"
