"""Where models run: the processor or accelerator that is asked for, all of its cores, and batches that fit in it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np

from showthrough.core.errors import ResourceError, ShowthroughError
from showthrough.engines.base import cores

Item = TypeVar("Item")
Result = TypeVar("Result")

_PIECES = {"cuda": 65_536, "mps": 16_384, "cpu": 1_024}  # word pieces in a batch; a CPU gains nothing from more
_TABLE = {"cuda": 16_384, "mps": 4_096, "cpu": 512}  # the same where tables have fixed shapes and may stay half empty
_PACK = 32_768  # the same where texts stand end to end
_WIDTHS = (8, 16, 32, 64, 128, 256)
_LEAST = 4  # a batch is made smaller near the end, but not below so many parts of a full one
_ABREAST = {"cuda": 2, "mps": 1, "cpu": 8}  # batches at the same time, at most
_PACKS_ABREAST = {"cuda": 4}  # the same of packs, which take one after the other's place: a GPU should have the next
_LONGEST = 200  # characters of what a library says that are passed on
_NO_MEMORY = "allocate memory"  # of PyTorch's plain RuntimeError where a CPU has none left


def reason_of(error: BaseException) -> str:
    """What an error of a library says, in one line that is not too long.

    >>> reason_of(ValueError("Validation error for 'layers':\\n  expected int, got str.")), reason_of(KeyError())
    ("Validation error for 'layers': expected int, got str", 'KeyError')
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    reason = " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
    return (reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…").rstrip(".")


def torch_device(name: str) -> Any:
    """The device of a name; `auto` takes the fastest there is."""
    import torch

    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if name == "auto":
        name = "cuda" if cuda else "mps" if mps else "cpu"
    kind, _, number = name.partition(":")
    if (kind == "cuda" and (not cuda or int(number or 0) >= torch.cuda.device_count())) or (kind == "mps" and not mps):
        raise ResourceError(f"the device {name!r} is not there, or this PyTorch cannot use it; choose auto or cpu")
    return torch.device(name)


def torch_dtype(name: str) -> Any:
    import torch

    return {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}[name]


def refuse_nan(answers: Any, task: str, dtype: Any) -> None:
    """Raises ResourceError where a model's answers are no numbers: they would look like texts without a value."""
    import torch

    short = dtype == torch.float16  # which ends at 65,504
    if not np.isfinite(answers).all():
        why = "what it calculates may be too large for fp16: choose --dtype bf16 or fp32"
        raise ResourceError(f"{task}: the model answers with NaN; {why if short else 'its weights may be damaged'}")
    if short and answers.ndim == 2 and not answers.any(axis=1).all():  # divided by a length beyond that
        raise ResourceError(f"{task}: a vector of the model is too long for fp16: choose --dtype bf16 or fp32")


class Batch(NamedTuple):
    """Items that go through a model together, in a table of `rows` rows that weigh so many word pieces each."""

    items: list[Any]
    rows: int
    weight: int

    @property
    def room(self) -> int:
        return self.rows * self.weight


def _in_tables(items: list[Any], rows: int, weight: int) -> list[Batch]:
    return [Batch(items[first : first + rows], rows, weight) for first in range(0, len(items), rows)]


def _halve(batch: Batch) -> list[Batch]:
    return _in_tables(batch.items, batch.rows // 2, batch.weight)


def in_batches(
    lengths: Sequence[int], device: Any, run: Callable[[list[int]], Result], task: str
) -> Iterator[tuple[list[int], Result]]:
    """Runs items in batches of like length, several at a time, longest first; yields each batch with its result.

    Items of like length stand together, so that little of a batch is padding. A batch that does not fit in memory is
    cut in half, and so is every later one of its size.
    """
    budget = _PIECES.get(device.type, _PIECES["cpu"])
    batches = [
        Batch(indices, len(indices), lengths[indices[0]]) for indices in _batches(lengths, budget, _workers(device))
    ]
    return _carried_out(batches, device, lambda batch: run(batch.items), task)


def in_shapes(
    shapes: Sequence[TableShape], device: Any, run: Callable[[list[int], int, TableShape], Result], task: str
) -> Iterator[tuple[list[int], Result]]:
    """Runs items in batches that look alike for all items of a shape, however many of them there are.

    What a model answers to one text depends, in its last digits, on how many rows and columns the table has that the
    text stands in, and on nothing else in it. Here both follow from the text's own shape: `run` is told how many rows
    to fill up to. So an answer does not depend on what is asked beside it, nor on what the cache already has. Only
    where a table does not fit in memory, and is cut in half, the last digits may differ.
    """
    budget = _TABLE.get(device.type, _TABLE["cpu"])
    alike: dict[TableShape, list[int]] = {}
    for item, shape in enumerate(shapes):
        alike.setdefault(shape, []).append(item)
    batches = []
    for shape, items in sorted(alike.items(), reverse=True):
        batches += _in_tables(items, max(1, budget // shape.weight), shape.weight)
    return _carried_out(batches, device, lambda batch: run(batch.items, batch.rows, shapes[batch.items[0]]), task)


def in_packs(
    items: Iterable[Item],
    shape: Callable[[Item], TableShape],
    longest: int,
    device: Any,
    run: Callable[[list[Item], int], Result],
    task: str,
) -> Iterator[tuple[list[Item], Result]]:
    """Runs items that stand end to end in packs of equal size, one after the other as they come.

    Those of one width share packs, up to two rows of that width for each that would fill one; an item takes up its
    weight, which is at most `longest`. `run` is told how many word pieces a pack has. While packs run, the next items
    are made. A pack that does not fit in memory is cut in half, and so is every later one.
    """
    room = max(1, _PACK // longest) * longest

    def packs(batch_items: Iterable[Item], room: int) -> Iterator[Batch]:
        filling: dict[int, list[Item]] = {}
        filled: dict[int, int] = {}
        for item in batch_items:
            width, weight = shape(item)
            if filled.get(width, 0) + weight > room or len(filling.get(width, ())) >= rows_of(room, width):
                yield Batch(filling.pop(width), room // longest, longest)
                filled[width] = 0
            filling.setdefault(width, []).append(item)
            filled[width] = filled.get(width, 0) + weight
        for leftover in filling.values():
            yield Batch(leftover, room // longest, longest)

    def halved(batch: Batch) -> list[Batch]:
        return list(packs(batch.items, batch.rows // 2 * longest))

    workers = _PACKS_ABREAST.get(device.type, 1)
    return _carried_out(packs(items, room), device, lambda batch: run(batch.items, batch.room), task, halved, workers)


def rows_of(room: int, width: int) -> int:
    """How many items of a width a pack has at most."""
    return max(1, 2 * room // width)


class TableShape(NamedTuple):
    """How wide the table is that a text stands in, and how many word pieces a row of it counts for."""

    width: int
    weight: int


def width_of(length: int, usual: int) -> int:
    """How wide the table is for a text of so many pieces: one of a few widths, or the usual one if that is less.

    >>> [width_of(length, 100) for length in (1, 8, 9, 60, 66, 100)]
    [8, 8, 16, 64, 100, 100]
    """
    width = next((width for width in _WIDTHS if width >= length), -(-length // _WIDTHS[-1]) * _WIDTHS[-1])
    return usual if length <= usual < width else width


def _carried_out(
    batches: Iterable[Batch],
    device: Any,
    run: Callable[[Batch], Result],
    task: str,
    halved: Callable[[Batch], list[Batch]] = _halve,
    workers: int = 0,
) -> Iterator[tuple[list[Any], Result]]:
    """Runs batches side by side, in their order; what does not fit in memory in halves.

    Where the number of workers is said, twice as many batches are made ahead.
    """
    most = 2 * workers or _workers(device)
    coming = iter(batches)
    waiting: deque[Batch] = deque()
    running: dict[Future[Result], Batch] = {}
    budget = math.inf
    with _abreast(device, workers) as pool:
        while True:
            while len(running) < most:
                batch = waiting.popleft() if waiting else next(coming, None)
                if batch is None:
                    break
                if batch.rows > 1 and batch.room > budget:
                    waiting.extendleft(reversed(halved(batch)))
                else:
                    running[pool.submit(run, batch)] = batch
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                batch = running.pop(future)
                try:
                    yield batch.items, future.result()
                except ShowthroughError:
                    raise
                except Exception as error:
                    if not _out_of_memory(error):  # whatever a model stumbles over, other metrics go on
                        raise ResourceError(f"{task}: the model failed: {reason_of(error)}") from error
                    if batch.rows == 1:
                        raise ResourceError(
                            f"{task}: not even one text at a time fits in memory; "
                            "choose another --device, --dtype bf16 or shorter segments"
                        ) from error
                    budget = min(budget, batch.rows // 2 * batch.weight)
                    waiting.appendleft(batch)


def _batches(lengths: Sequence[int], budget: int, workers: int) -> Iterator[list[int]]:
    """Items of like length together, longest first, smaller batches towards the end: nobody waits long for the last.

    >>> [len(batch) for batch in _batches([100] * 52, 1000, 2)]
    [10, 10, 8, 6, 4, 3, 2, 2, 2, 2, 2, 1]
    """
    order = sorted(range(len(lengths)), key=lambda item: -lengths[item])
    remaining = sum(lengths)
    position = 0
    while position < len(order):
        room = min(budget, max(budget // _LEAST, remaining // (2 * workers)))
        longest = lengths[order[position]]
        batch = order[position : position + max(1, room // max(1, longest))]
        remaining -= sum(lengths[item] for item in batch)
        position += len(batch)
        yield batch


@contextmanager
def _abreast(device: Any, workers: int = 0) -> Iterator[ThreadPoolExecutor]:
    """Threads for batches side by side, which share the cores.

    One batch a core keeps all cores at work: threads that calculate one batch together wait for each other at every
    step, and for a long time where something else is running too. On a GPU one batch is prepared while another runs.
    """
    import torch

    threads = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(max(1, cores() // _workers(device)))
    pool = ThreadPoolExecutor(workers or _workers(device))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        torch.set_num_threads(threads)


def _workers(device: Any) -> int:
    most = _ABREAST.get(device.type, 1)
    return min(most, cores()) if device.type == "cpu" else most


def _out_of_memory(error: Exception) -> bool:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or _NO_MEMORY in str(error)
