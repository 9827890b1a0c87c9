from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli import shared
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.pairing import pair
from showthrough.errors import InputError, PlanError, Problem
from showthrough.evaluation.engine import evaluate
from showthrough.files.writing import write_file
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.choice import shared_format
from showthrough.metrics import PhiHardToken, PhiToken, with_parameters
from showthrough.metrics.clinical.vocabulary import analyse
from showthrough.metrics.language import ENGLISH, unlike_its_language
from showthrough.report.vocabulary import json_of, show_analysis, show_hard
from showthrough.resources.dictionary import dictionary_from, pinned


def command(
    corpus: Annotated[Path, typer.Argument(help="The corpus, with its PHI marked.")],
    anonymizations: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=FILE", help="Systems to score on hard tokens alone."),
    ] = None,
    dictionary: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A word list, one word a line; or wordfreq:LANGUAGE, as by default."),
    ] = None,
    language: shared.Language = None,
    medical: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Medical terms, one word a line: how much is ambiguous with them."),
    ] = None,
    tokens: Annotated[
        str, typer.Option(metavar="NAME", help="What a token is: challenge (10/29 is one), or words (it is two).")
    ] = "challenge",
    json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all counts as JSON.")] = None,
    seed: shared.Seed = 0,
    format_name: shared.Format = None,
    maps: shared.Maps = None,
    id_column: shared.IdColumn = "doc_id",
    text_column: shared.TextColumn = "text",
    force: shared.Force = False,
) -> None:
    """Tell how much PHI is out of vocabulary or ambiguous, and how systems fare on it."""
    named = [shared.named(argument) for argument in anonymizations or ()]
    shared.apart((json,), shared.read_here([corpus, *(path for _, path in named)], [dictionary, medical]))
    shared.free(json, force)
    mapping = ",".join(maps or ())
    known = pinned(dictionary or f"wordfreq:{language or ENGLISH}")
    metrics = [
        with_parameters(metric, map=mapping, tokens=tokens)
        for metric in (
            PhiToken(),
            PhiHardToken(hard="oov", dictionary=known),
            PhiHardToken(hard="ambiguous", dictionary=""),
            PhiHardToken(hard="ambiguous_non_phi", dictionary=""),
        )
    ]
    columns = {"id_column": id_column, "text_column": text_column}
    found = read_corpus(corpus, format=format_name, **columns)
    if not found.survey.annotated:
        raise PlanError("has no annotations, and vocabulary looks at what is marked", str(corpus))
    shared.show_notes(unlike_its_language(found, [], [PhiHardToken(dictionary=known)]))
    terms = pinned(medical) if medical else ""
    systems = _systems(found, anonymizations or (), format_name, columns)
    analysis = analyse(
        found,
        dictionary_from(known),
        known,
        mapping,
        medical=dictionary_from(terms) if terms else None,
        medical_name=terms,
        tokens=tokens,
    )
    run = evaluate(found, systems, metrics, seed=seed, references=False) if systems else None
    unwritten = shared.Unwritten()
    if json:
        with unwritten.noted():
            write_file(json, json_of(analysis, run), force=force, private=False)
    console = shared.console()
    show_analysis(analysis, found, console)
    if run is not None:
        show_hard(run, console)
    unwritten.tell()
    if json:
        console.print(f"written to {json}", markup=False, soft_wrap=True)


def _systems(
    corpus: Corpus, given: Iterable[str], format_name: str | None, columns: Mapping[str, str]
) -> dict[str, Anonymization]:
    """The systems by name, checked against the corpus: what is wrong is told before anything is shown."""
    found: dict[str, Anonymization] = {}
    problems: list[Problem] = []
    for name, path in map(shared.named, given):
        if name in found:
            raise PlanError("this name is used twice; expected unique names", f"anonymization {name}")
        try:
            format = shared_format(format_name, path)
            found[name] = read_anonymization(path, corpus, name=name, format=format, **columns)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    pair(corpus, list(found.values()))
    return found
