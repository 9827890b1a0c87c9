from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.arguments import build_request
from showthrough.cli.consoles import documents, note_unmasked, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.core.errors import InputError, join_names, printable, shorten
from showthrough.core.families import families, input_types
from showthrough.data.documents import Corpus
from showthrough.data.labels import TypeResolver
from showthrough.data.masks import Anonymization
from showthrough.evaluation.notices import notices
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.plan_files import is_request
from showthrough.evaluation.release_checks import release_notices
from showthrough.evaluation.requests import EvaluationRequest
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.metrics import METRICS
from showthrough.report.cautions import routine_notes
from showthrough.storage.file_heads import Head

_READING = ("format", "group_by", "id_column", "text_column", "offsets", "released")
_SETTINGS = ("missing", "extra", "pairing", "language", *_READING, "map", "direct", "quasi", "ignore")


@with_options(settings=options_of(FileSettings, *_SETTINGS))
def command(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="The corpus; or a plan (.toml) or a TAE configuration (.json).")
    ],
    anonymizations: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=FILE", help="Anonymizations to check against it.")
    ] = None,
    *,
    settings: CliOptions,
) -> None:
    """What this command accepts, evaluate scores. If a corpus has no annotations, it lists the metrics that work."""
    head = Head.of(corpus)
    plan = _read_plan(build_request(head, anonymizations, (), settings), is_request(head))
    note_unmasked(plan.anonymizations)
    remarks = release_notices(plan.corpus, plan.releases, plan.settings.pairing)
    remarks += notices(plan.corpus, plan.anonymizations, plan.metrics)
    remarks += [line for family in families() for line in family.notices(plan)]
    remarks += _strange_types(plan)
    show_notes(remarks)
    typer.echo(printable(_summary(plan.corpus)))
    for anonymization in plan.anonymizations:
        typer.echo(printable(_masks(anonymization, plan.corpus)))
    typer.echo(_verdict(plan, _to_look_at(plan, remarks)))


def _read_plan(request: EvaluationRequest, planned: bool) -> Plan:
    """What is to be evaluated; raises InputError with all that is wrong with all files."""
    plan, problems = request.read()
    try:
        if not problems:
            plan = plan.retype()
        if plan.anonymizations or planned:
            plan.check()
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return plan


def _summary(corpus: Corpus) -> str:
    survey = corpus.survey
    people = f", {survey.subjects} subjects" if survey.subjects else ""
    groups = f"{len(set(survey.groups) - {''}) + survey.groups.count('')} groups, " if survey.groups else ""
    return (
        f"{corpus.source}: {documents(len(corpus))}, {groups}{int(survey.lengths.sum())} characters, "
        f"{survey.annotated} annotated, {survey.annotators} annotation layers, "
        f"{survey.mentions} mentions{people}, digest {survey.digest[:8]}; "
        f"{corpus.units.count:,} independent {'unit' if corpus.units.count == 1 else 'units'}"
    )


def _masks(anonymization: Anonymization, corpus: Corpus) -> str:
    masks = sum(len(anonymization.masks[key]) for key in anonymization.masks)
    types = f", {len(anonymization.types)} types" if anonymization.types else ""
    column = f"column {shorten(anonymization.name)}: " if anonymization.source == corpus.source else ""
    counts = f"{documents(len(anonymization))}, {masks} masks{types}"
    return f"{anonymization.source}: {column}{counts}, digest {anonymization.digest[:8]}"


def _strange_types(plan: Plan) -> Iterator[str]:
    """Of each anonymization the types that only clinical metrics mind; where a plan asks for those, it was refused."""
    if not plan.corpus.survey.types or any(metric.spans_and_types for metric in plan.metrics):
        return
    meaning = TypeResolver({}, plan.corpus.survey.types)
    for anonymization in plan.anonymizations:
        kinds = {kind for kind in anonymization.types if not plan.settings.retyping.left_out(kind)}
        if strange := [kind for kind in sorted(kinds) if kind and not meaning.knows(kind)]:
            yield (
                f"{shorten(anonymization.name)}: no mention of the corpus has the types {join_names(strange)}, so "
                f"clinical metrics (phi_…) refuse it; --map {shorten(strange[0])}=… says what it is"
            )


def _to_look_at(plan: Plan, remarks: Sequence[str]) -> int:
    """How many notes warn of something, what hides nothing included."""
    unmasked = sum(not any(anonymization.masks.values()) for anonymization in plan.anonymizations)
    return unmasked + len(remarks) - len(routine_notes(remarks))


def _verdict(plan: Plan, to_look_at: int) -> str:
    """That all is well, where nothing is to be looked at; or what cannot be scored and why."""
    corpus = plan.corpus
    if corpus.survey.mentions:
        things = f"{to_look_at} thing{'' if to_look_at == 1 else 's'} to look at"
        return f"all can be scored; {things}: read the notes above first" if to_look_at else "all is well"
    missing_inputs = {"gold", *(kind.name for kind in input_types() if not kind.applies(corpus))}
    missing_inputs |= set() if corpus.survey.subjects else {"subjects"}
    free = [name for name, metric in METRICS.sound().items() if not missing_inputs & metric.needs]
    lack = "no mentions: annotators marked nothing" if corpus.survey.annotated else "no annotations were read"
    most = "most of them" if corpus.survey.subjects else "they"  # those about people do
    limit = f"{most} do not show whether an identifier was missed"
    scored = f"only metrics that need none can be scored: {', '.join(free)}"
    return f"{lack}, so {scored}. Some of them need a model or more files, and {limit}"
