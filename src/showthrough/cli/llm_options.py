"""Where the answers of language models are kept, and what they would cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from showthrough.cli.consoles import console
from showthrough.cli.outputs import Results
from showthrough.cli.progress import show_activity
from showthrough.evaluation.requests import EvaluationRequest
from showthrough.metrics import Metric
from showthrough.models.chat.base import MODEL
from showthrough.models.chat.recordings import answers_path, read_recordings
from showthrough.models.settings import AskingSettings
from showthrough.run.run import Run

Kept = TypeVar("Kept", bound=AskingSettings)

ESTIMATE = "Show what language models would be asked and the cost; send and write nothing."


def answers_beside(settings: AskingSettings, output: Path | None, metrics: Iterable[Metric]) -> Path | None:
    """Where answers are kept if metrics ask for any and nobody named a place: beside the run, where that is a file."""
    asking = any(name.startswith(MODEL) for metric in metrics for name in metric.asks)
    if settings.recordings is not None or output is None or not asking or "\0" in str(output):
        return None
    if output.exists() and not output.is_file():  # it takes what comes, and nothing can stand beside it
        return None
    return answers_path(output)


def with_recordings(settings: Kept, path: Path | None) -> Kept:
    return settings if path is None else replace(settings, recordings=str(path))


def recordings_of(settings: AskingSettings) -> Path | None:
    """The file of answers that is read and grows, where there is one."""
    return None if settings.recordings is None else Path(settings.recordings)


def tell_estimate(request: EvaluationRequest) -> None:
    from showthrough.evaluation.estimate import estimate_plan  # here: few ask for it
    from showthrough.report.estimate import show_estimate

    with show_activity("estimating"):
        estimate = estimate_plan(request.plan())
    show_estimate(estimate, console())


def remove_answers(path: Path | None, run: Run, results: Results) -> None:
    """What is said of people goes with the words of the documents; not while a metric that failed may still need it."""
    if path is None or not path.is_file():
        return
    if run.failures and read_recordings(path):
        why = "a metric failed, and with --force nothing in it is asked again"
        results.lines.append(f"{path} is about people, and is still there: {why}")
    else:
        with results.record_line(f"{path} removed, since it is about people (--recordings FILE would keep it)"):
            path.unlink()
