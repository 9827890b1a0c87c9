"""How far a command is: bars on a terminal, and a line every half minute where there is none, as in a log."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from rich.console import Console

from showthrough.cli.consoles import notes, print_plain
from showthrough.core.errors import LINE, shorten
from showthrough.engines.base import describe_seconds
from showthrough.evaluation.runner import Progress
from showthrough.models.settings import Watch

if TYPE_CHECKING:
    from rich import progress

_EVERY = 30.0  # seconds between two lines
_TICK = 1.0  # seconds between two looks at the clock


class Heartbeat:
    """What it knows of the work, in a line when half a minute has passed since the last one."""

    def __init__(
        self, activity: str, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic, who: str = ""
    ) -> None:
        self._what, self._say, self._clock = activity, say, clock
        self._who = f"{who}: " if who else ""
        self._started = self._last = clock()
        self._first: tuple[int, float] | None = None  # documents that were done at the beginning, and when that was
        self._documents = 0, 0
        self._model = "", 0, 0

    def advance(self, done: int, total: int) -> None:
        self._first = self._first or (done, self._clock())
        self._documents = done, total

    def watch(self, activity: str, done: int, total: int) -> None:
        self._model = activity, done, total

    def tick(self) -> None:
        """A look at the clock."""
        if self._clock() - self._last >= _EVERY:
            self._last = self._clock()
            self._say(self.line())

    def line(self) -> str:
        activity, done, total = self._model
        model = f"; {activity}: {done:,} of {total:,}" if done < total else ""
        return f"{self._work()}{model}"

    def _work(self) -> str:
        so_far = f"{describe_seconds(self._clock() - self._started)} so far"
        if self._first is None:
            return f"{self._what}, {so_far}"
        (done, total), (before, since) = self._documents, self._first
        count = f"{self._who}{done:,} of {total:,} documents"
        if before < done < total:
            rate = (done - before) / max(self._clock() - since, 1e-9)
            return f"{count}, {rate:,.1f}/s, about {describe_seconds((total - done) / rate)} left"
        return f"{count}, {so_far}"


@contextmanager
def heartbeat(what: str, who: str = "") -> Iterator[Heartbeat]:
    """A heartbeat that says its lines on standard error, unless that is a terminal, where bars are."""
    screen = notes()

    def say(line: str) -> None:
        with suppress(OSError, ValueError):  # nobody reads them any more: no reason to stop
            print_plain([shorten(line, LINE)], screen)

    heart, over = Heartbeat(what, say, who=who), threading.Event()

    def beat() -> None:
        while not over.wait(_TICK):
            heart.tick()

    thread = threading.Thread(target=beat, daemon=True)  # also where the work says nothing for long
    if not screen.is_terminal:
        thread.start()
    try:
        yield heart
    finally:
        over.set()


@contextmanager
def show_activity(what: str) -> Iterator[Watch]:
    """Work of unknown length: what it is, and what a model is doing."""
    screen = notes()
    with heartbeat(what) as heart:
        if not screen.is_terminal:
            yield heart.watch
            return
        from rich.markup import escape  # here: nothing moves where there is no terminal

        status = screen.status(what)

        def watch(step: str, done: int, total: int) -> None:
            heart.watch(step, done, total)
            status.update(escape(f"{what}; {step}: {done:,} of {total:,}" if done < total else what))

        with status:
            yield watch


def _speed_column() -> progress.ProgressColumn:
    """How many a second."""
    from rich import progress
    from rich.text import Text

    class SpeedColumn(progress.ProgressColumn):
        def render(self, task: progress.Task) -> Text:
            return Text(f"{task.speed:.1f}/s" if task.speed else "", style="dim")

    return SpeedColumn()


@contextmanager
def scoring(who: str = "") -> Iterator[tuple[Progress, Watch]]:
    """A bar for the evaluation, or for the documents that a system is done with, and one for what a model is doing."""
    screen = notes()
    if not screen.is_terminal:
        with heartbeat(who or "scoring", who) as heart:
            yield heart.advance, heart.watch
        return
    from rich import progress  # here: nobody sees bars where there is no terminal

    columns = (
        progress.TextColumn("{task.description}", markup=False), progress.BarColumn(), progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[unit]}"), _speed_column(), progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )  # fmt: skip
    bars = progress.Progress(*columns, console=screen, transient=True)
    with heartbeat(who or "scoring", who) as heart, bars:
        documents = bars.add_task(who or "scoring", total=None, unit="documents")
        model = bars.add_task("", total=None, visible=False, unit="texts")  # documents, sentences or replacements

        def advance(done: int, total: int) -> None:
            heart.advance(done, total)
            bars.update(documents, completed=done, total=total)

        def watch(step: str, done: int, total: int) -> None:
            heart.watch(step, done, total)
            task = next(task for task in bars.tasks if task.id == model)
            if task.description != step or done < task.completed:
                bars.reset(model, total=total)
            bars.update(model, description=step, completed=done, total=total, visible=done < total)

        yield advance, watch


@contextmanager
def show_download() -> Iterator[Watch]:
    """A bar for the file that is coming, in bytes."""
    from rich import progress

    columns = progress.DownloadColumn(), progress.TransferSpeedColumn(), progress.TimeRemainingColumn()
    with _single_bar("downloading", "bytes of ", *columns) as (watch, _):
        yield watch


@contextmanager
def training() -> Iterator[tuple[Watch, Callable[[str], None]]]:
    """A bar for the windows that are learned from, and what prints a line beside it."""
    from rich import progress

    with _single_bar("training", "", progress.MofNCompleteColumn(), progress.TextColumn("windows")) as (watch, screen):
        yield watch, lambda line: print_plain([shorten(line, LINE)], screen)


@contextmanager
def _single_bar(what: str, unit: str, *columns: progress.ProgressColumn) -> Iterator[tuple[Watch, Console]]:
    """A bar for one thing at a time, and where it is shown."""
    from rich import progress

    screen = notes()
    named = progress.TextColumn("{task.description}", markup=False), progress.BarColumn()
    bars = progress.Progress(*named, *columns, console=screen, transient=True, disable=not screen.is_terminal)
    with heartbeat(what) as heart, bars:
        task = bars.add_task("", total=None, visible=False)

        def watch(step: str, done: int, total: int) -> None:
            heart.watch(f"{unit}{step}", done, total)
            if done < bars.tasks[0].completed:
                bars.reset(task, start=True)
            bars.update(task, description=step, completed=done, total=total or None, visible=True)

        yield watch, screen
