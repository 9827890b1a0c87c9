from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough import demo
from showthrough.cli import shared
from showthrough.evaluation import evaluate
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.background import read_background
from showthrough.report import reading
from showthrough.report.terminal import show_run

METRICS = ("preset:light", "recall_per_type", "trir")  # all four questions, without a model


def command(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the run, for report and compare.")
    ] = None,
    html: shared.Html = None,
    force: shared.Force = False,
) -> None:
    """Score the five anonymizations of the fictional corpus that ships."""
    shared.apart((output, html))
    for path in (output, html):
        shared.free(path, force)
    corpus = read_corpus(demo.corpus_path(), name="demo")
    found = {name: read_anonymization(path, corpus, name=name) for name, path in demo.anonymization_paths().items()}
    background = read_background(demo.background_path())
    run = evaluate(corpus, found, metrics=METRICS, background=background)
    console = shared.console()
    shared.show_notes(run.notes)
    show_run(run, console)
    console.print()
    for line in reading(run):
        console.print(line, markup=False)
    if output:
        run.save(output, force=force)
        console.print(f"run written to {output}", markup=False)
    for path in shared.write_looks(run, html, None, False, force):
        console.print(f"\nThe documents and what shows through in them: open {path.resolve().as_uri()}", markup=False)
