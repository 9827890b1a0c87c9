from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.completion import detector_names
from showthrough.cli.consoles import console, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.signals import FELL_SHORT
from showthrough.cli.view_options import Views, view_options
from showthrough.core.errors import shorten
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_released
from showthrough.models.detectors import DEFAULT, check_ready, parse_detector
from showthrough.models.detectors.scanning import scan
from showthrough.report.scan import scan_json, show_scan


@with_options(settings=options_of(FileSettings, "format", "id_column", "text_column"), views=view_options("force"))
def command(
    released: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASED",
            help="The released texts: a folder, a file of many, or one .txt; no originals are needed.",
        ),
    ],
    detector: Annotated[
        list[str] | None,
        typer.Option(
            "--detector",
            metavar="DETECTOR",
            help="A detector: patterns, presidio, spacy:PIPELINE … (showthrough list detectors); repeatable.",
            autocompletion=detector_names,
        ),
    ] = None,
    places: Annotated[int, typer.Option("--places", metavar="N", min=0, help="Also print the first N places.")] = 0,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all finds with their places as JSON.")
    ] = None,
    fail_on_finds: Annotated[
        bool, typer.Option("--fail-on-finds", help="End with exit status 1 if anything was found.")
    ] = False,
    *,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """A scan cannot know whom the texts are about: finding nothing proves nothing. Exit status: 0 the texts were
    searched; 1 memory ran out, or with --fail-on-finds something was found; 2 bad input.
    """
    force = Views.of(views).force
    detectors = list(dict.fromkeys(map(parse_detector, detector or [DEFAULT])))
    check_distinct((json,), inputs([released], map(str, detectors)))
    check_file(json, force)
    check_ready(detectors)
    texts, notes = read_released(released, **settings)
    show_notes(f"{shorten(released.name)}: {note}" for note in notes)
    findings = scan(texts, detectors)
    results = Results(force)
    if json:
        results.write(json, scan_json(findings), private=True)
    screen = console()
    show_scan(findings, places, screen)
    results.tell(screen)
    if fail_on_finds and findings.sightings:
        raise typer.Exit(FELL_SHORT)
