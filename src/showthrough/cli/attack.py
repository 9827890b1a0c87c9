from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from showthrough.attacks import DEFAULT
from showthrough.cli import shared
from showthrough.data.background import Background
from showthrough.data.documents import Corpus
from showthrough.errors import InputError, PlanError, Problem, shown
from showthrough.evaluation.reidentification import reidentify
from showthrough.files.writing import write_file
from showthrough.formats import read_anonymized, read_corpus
from showthrough.formats.background import read_background, read_recorded
from showthrough.formats.choice import shared_format
from showthrough.report.attacks import attacks_json_text, show_attacks, show_risks
from showthrough.resources.settings import ModelSettings


def command(
    background: Annotated[
        Path,
        typer.Option("--background", metavar="FILE", help="What the attacker knows; TRI's records bring documents."),
    ],
    anonymizations: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=FILE", help="Anonymized texts, or masks (then with --corpus).")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option("--corpus", metavar="FILE", help="The originals that masks belong to.")
    ] = None,
    attacks: Annotated[
        str,
        typer.Option(metavar="LIST", help="Attacks (showthrough attacks lists them); a+b fuses, +assignment matches."),
    ] = DEFAULT,
    k: Annotated[int, typer.Option("-k", help="Also count who is among the first so many.")] = 5,
    explain: Annotated[
        int, typer.Option(metavar="N", help="List the N documents at highest risk, and the words that gave them away.")
    ] = 0,
    references: Annotated[
        bool,
        typer.Option("--references/--no-references", help="Attack nothing masked and everything masked as well."),
    ] = True,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the run, for report and compare.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write what the table shows as JSON.")
    ] = None,
    seed: shared.Seed = 0,
    resamples: shared.Resamples = 1000,
    confidence: shared.Confidence = 0.95,
    device: shared.Device = "auto",
    dtype: shared.Dtype = "fp32",
    no_cache: shared.NoCache = False,
    format_name: shared.Format = None,
    id_column: shared.IdColumn = "doc_id",
    text_column: shared.TextColumn = "text",
    without_text: shared.WithoutText = False,
    force: shared.Force = False,
) -> None:
    """Try to find the people in anonymized texts, and say which words gave them away."""
    if explain < 0:
        raise PlanError(f"found {explain}; expected 0 or more", "explain")
    named = [shared.named(argument) for argument in anonymizations or ()]
    shared.apart((output, json), shared.read_here([background, corpus, *(path for _, path in named)], [attacks]))
    for path in (output, json):
        shared.free(path, force)
    columns = {"id_column": id_column, "text_column": text_column}
    originals = read_corpus(corpus, format=format_name, **columns) if corpus else None
    known, texts = _read(background, named, originals, format_name, columns)
    with shared.notes().status("attacking") as status:
        run = reidentify(
            *(known, texts, attacks),
            k=k,
            seed=seed,
            resamples=resamples,
            confidence=confidence,
            models=ModelSettings(device, dtype, not no_cache),
            watch=lambda what, done, total: status.update(escape(f"{what}: {done} of {total}")),
            corpus=originals,
            references=references,
        )
    said = []
    unwritten = shared.Unwritten()
    kept = run.without_text() if without_text else run
    if output:
        with unwritten.noted():
            shared.save(kept, output, force)
            said.append(f"run written to {output}")
    if json:
        with unwritten.noted():
            write_file(json, attacks_json_text(kept).encode(), force=force, private=False)
            said.append(f"written to {json}")
    console = shared.console()
    show_attacks(run, console)
    if explain:
        show_risks(run, explain, console)
    for line in said:
        console.print(line, markup=False, soft_wrap=True)
    unwritten.tell()


def _read(
    background: Path,
    named: list[tuple[str, Path]],
    corpus: Corpus | None,
    format_name: str | None,
    columns: dict[str, str],
) -> tuple[Background, dict[str, dict[str, str]]]:
    if not named:
        recorded = read_recorded(background)
        return recorded.background, recorded.documents
    problems: list[Problem] = []
    texts: dict[str, dict[str, str]] = {}
    for name, path in named:
        if name in texts:
            raise PlanError("this name is used twice; expected unique names", f"anonymization {shown(name)}")
        texts[name] = {}
        try:
            texts[name] = read_anonymized(path, corpus, format=shared_format(format_name, path), **columns)
        except InputError as error:
            problems += error.problems
    try:
        known = read_background(background, **columns)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return known, texts
