"""A grid of trainings, windows × weights, as Table 9 of TAB has it: each in a folder of its own, each resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated

import msgspec
from msgspec import Meta

from showthrough.core.errors import OutputError, PlanError, quote_value
from showthrough.data.documents import Corpus
from showthrough.models.checkpoints import find_differences
from showthrough.models.model_folders import CARD, read_card
from showthrough.models.settings import Watch
from showthrough.systems.encoders.learning import TrainingEpoch
from showthrough.systems.encoders.training import TrainingOutcome, TrainingRequest, load_with_head, train_to_folder

Begun = Callable[[TrainingRequest], None]


@dataclass(frozen=True, kw_only=True)
class SweepGrid:
    """What a sweep goes through: TAB's windows and weights, or others."""

    windows: Annotated[
        str, Meta(title="LIST", description="Of a sweep: lengths of windows.", extra={"flags": ("--sweep-windows",)})
    ] = "32,512,4096"
    weights: Annotated[
        str, Meta(title="LIST", description="Of a sweep: mask weights.", extra={"flags": ("--sweep-weights",)})
    ] = "1,5,10"

    @property
    def cells(self) -> list[tuple[int, float]]:
        """All of them, windows first."""
        windows = [int(number) for number in _numbers("sweep-windows", self.windows)]
        return list(product(windows, _numbers("sweep-weights", self.weights)))


def _numbers(option: str, text: str) -> list[float]:
    """Different numbers with commas between them. Raises PlanError."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) <= 0 or len(set(numbers)) < len(numbers):
        raise PlanError(f"found {quote_value(text)}; expected different numbers above 0, such as 1,5,10", option)
    if option == "sweep-windows" and any(number != int(number) for number in numbers):
        raise PlanError(f"found {quote_value(text)}; expected whole numbers of tokens", option)
    return numbers


class SweepResult(msgspec.Struct, frozen=True):
    """What the trainings of a grid gave."""

    outcomes: list[TrainingOutcome]


def sweep(
    request: TrainingRequest,
    grid: SweepGrid,
    watch: Watch | None = None,
    begun: Begun = lambda cell: None,
    tell: Callable[[TrainingEpoch], None] = lambda epoch: None,
) -> SweepResult:
    """Trains every cell that is not there yet. `begun` hears of each that is.

    Nothing is trained before all windows are known to fit into the model.
    """
    if request.dev is None:
        raise PlanError("a sweep compares trainings by their scores; expected documents to score them on", "dev")
    return _train_cells(list(_requests(request, grid)), watch, begun, tell)


def train_parts(
    request: TrainingRequest,
    parts: Sequence[Corpus],
    watch: Watch | None = None,
    begun: Begun = lambda cell: None,
    tell: Callable[[TrainingEpoch], None] = lambda epoch: None,
) -> SweepResult:
    """Trains on each part of a corpus that is not trained on yet, for a learning curve: a folder for each."""
    if request.dev is None:
        raise PlanError("a curve compares trainings by their scores; expected documents to score them on", "dev")
    cells = [replace(request, corpus=part, folder=request.folder / f"documents-{len(part)}") for part in parts]
    return _train_cells(cells, watch, begun, tell)


def _train_cells(
    cells: Sequence[TrainingRequest], watch: Watch | None, begun: Begun, tell: Callable[[TrainingEpoch], None]
) -> SweepResult:
    done = [_read_finished(cell) for cell in cells]
    for cell, outcome in zip(cells, done, strict=True):
        if outcome is None:
            cell.check()
    if None in done:
        encoder = load_with_head(cells[0])
        for cell in cells:
            encoder.window(cell.settings.window)
        del encoder
    outcomes = []
    for cell, outcome in zip(cells, done, strict=True):
        if outcome is None:
            begun(cell)
        outcomes.append(outcome or train_to_folder(cell, watch, tell))
    return SweepResult(outcomes)


def _requests(request: TrainingRequest, grid: SweepGrid) -> Iterator[TrainingRequest]:
    for window, weight in grid.cells:
        settings = replace(request.settings, window=window, mask_weight=weight)
        yield replace(request, folder=request.folder / f"window-{window}-weight-{weight:g}", settings=settings)


def _read_finished(cell: TrainingRequest) -> TrainingOutcome | None:
    """What an earlier sweep gave of the same documents and settings, where it is to be resumed."""
    if not cell.resume or not (cell.folder / CARD).is_file():
        return None
    figures = read_card(cell.folder).figures
    if other := find_differences(figures.get("origin", {}), cell.origin):
        fault = f"holds a model that was made from something else ({', '.join(other)})"
        raise OutputError(f"{cell.folder}: {fault}; choose another name, or replace it with --force")
    return msgspec.convert(figures, TrainingOutcome)
