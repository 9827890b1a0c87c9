"""Reads a long file of lines in parallel: workers check parts of it, and the results are joined in the file's order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Generic, NamedTuple, Self, TypeVar

from showthrough.core.errors import InputError, Problem, shorten
from showthrough.engines.base import Engine, InProcess, Watch
from showthrough.formats.annotation_tools.line_index import ConsecutiveLines, GrowingLines
from showthrough.storage.compression import compression_of
from showthrough.storage.limits import RECORD
from showthrough.storage.paths import Remote
from showthrough.storage.reading import BOM, ENOUGH, WHOLE, file_state, lines_of, open_file, reading

STRETCH = 1 << 25  # bytes that are looked at as one task
_LEAST = 1 << 20
_SKIPPED = 1 << 16


class LineCollector(ABC):
    """What is found in lines, one after the other; it travels back from a worker."""

    numbered = False  # whether anything in it depends on the number of a document in its file

    @abstractmethod
    def add(self, location: str, number: int, line: bytes) -> None:
        """Looks at a line, the document of this number, from 1 on; raises InputError with what is wrong with it."""

    @abstractmethod
    def extend(self, later: Self) -> None:
        """Adds what was found in the lines after these."""


F = TypeVar("F", bound=LineCollector)
Bounds = tuple[int, int | None]


class LineCounts(NamedTuple):
    """Lines of a file, and those of them that are not blank."""

    lines: int = 0
    documents: int = 0

    def plus(self, later: LineCounts) -> LineCounts:
        return LineCounts(self.lines + later.lines, self.documents + later.documents)


@dataclass
class _SliceResult(Generic[F]):
    """What came of a slice."""

    content: F
    counts: LineCounts = field(default_factory=LineCounts)
    places: ConsecutiveLines = field(default_factory=lambda: GrowingLines().finish())
    problems: list[Problem] = field(default_factory=list)
    broken: InputError | None = None  # that its lines could not be gone through


def read_through(
    path: Path, begin: Callable[[], F], collector: F, engine: Engine | None = None, watch: Watch | None = None
) -> ConsecutiveLines:
    """Has each line of a file looked at once, and finds where it is; raises InputError with all that is wrong.

    What is found in slices, each of which starts with nothing (`begin`), is added to the collector; `watch` is told
    how far it is.
    """
    engine = engine or InProcess()
    bounds = _bounds(path, engine.workers)
    if len(bounds) > 1:
        next(lines_of(path), None)  # which refuses other encodings, and a list
    before, counts_before = LineCounts(), _count_before(path, begin, bounds, engine)
    was_counted: list[bool] = []  # of the slices that are looked at, whether it was known what is before them
    positions, problems = GrowingLines(), list[Problem]()

    def tasks() -> Iterator[tuple[Path, Callable[[], F], Bounds, LineCounts | None]]:
        for number, slice_bounds in enumerate(bounds):
            counts = counts_before[number] if counts_before else before if number == following else None
            was_counted.append(counts is not None)
            yield path, begin, slice_bounds, counts

    following = 0  # the number of the slice up to which all is counted
    for done, slice_result in enumerate(engine.in_order(_read_slice, tasks())):
        result: _SliceResult[F] = slice_result
        if not was_counted[done] and (result.problems or result.broken or result.content.numbered):
            result = _read_slice(path, begin, bounds[done], before)
        if result.broken is not None:
            raise result.broken
        problems += result.problems
        positions.extend(result.places)
        collector.extend(result.content)
        if len(problems) > ENOUGH:
            break
        before, following = before.plus(result.counts), done + 1
        if watch is not None and len(bounds) > 1:
            watch(f"parts of {shorten(path.name)}", following, len(bounds))
    if problems:
        raise InputError(problems[: ENOUGH + 1])
    return positions.finish()


def _bounds(path: Path, workers: int) -> list[Bounds]:
    """Where slices begin and end; the last one ends where the file does."""
    size = file_state(path)[0]
    step = STRETCH if workers == 1 else max(_LEAST, min(STRETCH, size // (4 * workers)))
    forward = bool(compression_of(path)) or (isinstance(path, Remote) and path.web)
    starts = [0] if forward else list(range(0, max(size, 1), step))
    return list(zip(starts, [*starts[1:], None], strict=True))


def _count_before(path: Path, begin: Callable[[], F], bounds: list[Bounds], engine: Engine) -> list[LineCounts] | None:
    """What is before each slice, where several are looked at together and documents are told by their numbers."""
    if engine.workers == 1 or len(bounds) == 1:
        return None
    first = begin()
    with suppress(InputError):  # which whoever looks at the whole file will tell
        for number, _, line in lines_of(path):
            first.add(f"line {number}", 1, line)
            break
    if not first.numbered:
        return None
    before = [LineCounts()]
    for counts in engine.in_order(_count, ((path, slice_bounds) for slice_bounds in bounds[:-1])):
        before.append(before[-1].plus(counts))
    return before


def _count(path: Path, bounds: Bounds) -> LineCounts:
    lines = documents = 0
    for number, _, line in _lines(path, bounds):
        lines, documents = number, documents + bool(line)
    return LineCounts(lines, documents)


def _read_slice(path: Path, begin: Callable[[], F], bounds: Bounds, before: LineCounts | None) -> _SliceResult[F]:
    """Looks at the lines of a slice; where nobody knows what is before it, they are counted from its start."""
    first, documents = before or LineCounts()
    result, positions, last = _SliceResult(begin()), GrowingLines(), first
    try:
        for last, offset, line in _lines(path, bounds, first):
            if not line:
                continue
            positions.append(offset, len(line))
            try:
                result.content.add(f"line {last}", documents + len(positions), line)
            except InputError as error:
                result.problems += error.problems
                if len(result.problems) > ENOUGH:
                    break
    except InputError as error:
        result.broken = error
    result.counts = LineCounts(last - first, len(positions))
    result.places = positions.finish()
    return result


def _lines(path: Path, bounds: Bounds, before: int = 0) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and content of the lines that begin in a slice; a blank one has no content."""
    start, stop = bounds
    if (start, stop) == (0, None):
        yield from lines_of(path)
        return
    number, longest = before, RECORD.bytes
    with reading(path), open_file(path, WHOLE) as file:
        offset = _next_line(file, start)
        while (stop is None or offset < stop) and (line := file.readline(longest + 1)):
            number += 1
            if len(line) > longest:
                raise RECORD.exceeded_error(path, "has", f"line {number}")
            content = line if offset else line.removeprefix(BOM)
            yield number, offset + len(line) - len(content), b"" if content.isspace() else content
            offset += len(line)


def _next_line(file: IO[bytes], start: int) -> int:
    """Where the first line begins that does not begin before a place; the file stands there then."""
    if not start:
        return 0
    file.seek(start - 1)
    while (piece := file.readline(_SKIPPED)) and not piece.endswith(b"\n"):
        pass
    return file.tell()
