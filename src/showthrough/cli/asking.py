"""Where the answers of language models are kept, and what they would cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from showthrough.cli.consoles import console
from showthrough.cli.outputs import Results
from showthrough.cli.progress import working
from showthrough.evaluation.estimating import estimate_plan
from showthrough.evaluation.requests import Request
from showthrough.inference.asking import MODEL
from showthrough.report.estimate import show_estimate
from showthrough.resources.chat.recordings import beside

ESTIMATE = "Say what language models would be asked and what that costs; send and write nothing."


def keeping_answers(request: Request) -> tuple[Request, Path | None]:
    """The same with a place for answers, and that place where nobody named it: beside the run, where that is a file."""
    named, output = request.settings.recordings, request.output
    asking = any(name.startswith(MODEL) for metric in request.chosen for name in metric.asks)
    if named is not None or output is None or not asking or "\0" in str(output):
        return request, None
    if output.exists() and not output.is_file():  # it takes what comes, and nothing can stand beside it
        return request, None
    place = beside(output)
    return replace(request, settings=replace(request.settings, recordings=str(place))), place


def recordings_of(request: Request) -> Path | None:
    """The file of answers that is read and grows, where there is one."""
    place = request.settings.recordings
    return None if place is None else Path(place)


def tell_estimate(request: Request) -> None:
    with working("estimating"):
        found = estimate_plan(request.plan())
    show_estimate(found, console())


def remove_answers(place: Path | None, results: Results) -> None:
    """What is said of people goes with the words of the documents."""
    if place is not None and place.is_file():
        with results.noted(f"{place} removed, since it tells of people (--recordings FILE would keep it)"):
            place.unlink()
