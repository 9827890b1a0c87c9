from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough import demo
from showthrough.cli import shared
from showthrough.cli.views import Views, view_option
from showthrough.evaluation.engine import evaluate
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.background import read_background
from showthrough.report import reading
from showthrough.report.terminal import show_run

METRICS = ("preset:light", "recall_per_type", "trir")  # all four questions, without a model


def command(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the run, for report and compare.")
    ] = None,
    html: Annotated[Path | None, view_option("html")] = None,
    force: shared.Force = False,
) -> None:
    """Score the five anonymizations of the fictional corpus that ships."""
    shared.apart((output, html), shared.read_here(_paths()))
    for path in (output, html):
        shared.free(path, force)
    corpus = read_corpus(demo.corpus_path(), name="demo")
    found = {name: read_anonymization(path, corpus, name=name) for name, path in demo.anonymization_paths().items()}
    background = read_background(demo.background_path())
    run = evaluate(corpus, found, metrics=METRICS, background=background)
    said = []
    unwritten = shared.Unwritten()
    if output:
        with unwritten.noted():
            shared.save(run, output, force)
            said.append(f"run written to {output}")
    for path in Views({"html": html} if html else {}).write(run, force, unwritten):
        said.append(f"\nThe documents and what shows through in them: open {path.resolve().as_uri()}")
    shared.show_notes(run.notes)
    console = shared.console()
    show_run(run, console)
    console.print()
    for line in [*reading(run), *said]:
        console.print(line, markup=False)
    unwritten.tell()


def _paths() -> list[Path]:
    return [demo.corpus_path(), demo.background_path(), *demo.anonymization_paths().values()]
