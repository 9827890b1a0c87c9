"""Where models run: the processor or accelerator that is asked for, all of its cores, and batches that fit in it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from showthrough.errors import ResourceError

Result = TypeVar("Result")

_PIECES = {"cuda": 65_536, "mps": 16_384, "cpu": 1_024}  # word pieces in a batch; a CPU gains nothing from more
_LEAST = 4  # a batch is made smaller near the end, but not below so many parts of a full one
_ABREAST = {"cuda": 2, "mps": 1, "cpu": 8}  # batches at the same time, at most
_NO_MEMORY = "allocate memory"  # of PyTorch's plain RuntimeError where a CPU has none left


def torch_device(asked: str) -> Any:
    """The device of a name; `auto` takes the fastest there is."""
    import torch

    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if asked == "auto":
        asked = "cuda" if cuda else "mps" if mps else "cpu"
    kind, _, number = asked.partition(":")
    if (kind == "cuda" and (not cuda or int(number or 0) >= torch.cuda.device_count())) or (kind == "mps" and not mps):
        raise ResourceError(f"the device {asked!r} is not there, or this PyTorch cannot use it; choose auto or cpu")
    return torch.device(asked)


def torch_dtype(name: str) -> Any:
    import torch

    return {"fp32": torch.float32, "bf16": torch.bfloat16}[name]


def in_batches(
    lengths: Sequence[int], device: Any, run: Callable[[list[int]], Result], what: str, *, padded: bool = True
) -> Iterator[tuple[list[int], Result]]:
    """Runs items in batches of like length, several at a time, longest first; yields each batch with its result.

    Items of like length stand together, so that little of a batch is padding, and none at all unless `padded`. A batch
    that does not fit in memory is cut in half, and so is every later one of its size.
    """
    budget = _PIECES.get(device.type, _PIECES["cpu"])
    running: dict[Future[Result], list[int]] = {}
    with _abreast(device) as (pool, workers):
        waiting = deque(_batches(lengths, budget, workers, padded))
        while waiting or running:
            while waiting and len(running) < workers:
                batch = waiting.popleft()
                if len(batch) > 1 and len(batch) * lengths[batch[0]] > budget:
                    half = len(batch) // 2
                    waiting.extendleft((batch[half:], batch[:half]))
                else:
                    running[pool.submit(run, batch)] = batch
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                batch = running.pop(future)
                try:
                    result = future.result()
                except (RuntimeError, MemoryError, IndexError, TypeError, ValueError) as error:
                    if not _out_of_memory(error):  # whatever a model stumbles over, other metrics go on
                        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
                        raise ResourceError(f"{what}: the model failed: {reason}") from error
                    if len(batch) == 1:
                        raise ResourceError(
                            f"{what}: not even one text at a time fits in memory; "
                            "choose another --device, --dtype bf16 or shorter segments"
                        ) from error
                    budget = min(budget, len(batch) // 2 * lengths[batch[0]])
                    waiting.appendleft(batch)
                    continue
                yield batch, result


def _batches(lengths: Sequence[int], budget: int, workers: int, padded: bool = True) -> Iterator[list[int]]:
    """Items of like length together, longest first, smaller batches towards the end: nobody waits long for the last.

    >>> [len(batch) for batch in _batches([100] * 52, 1000, 2)]
    [10, 10, 8, 6, 4, 3, 2, 2, 2, 2, 2, 1]
    """
    order = sorted(range(len(lengths)), key=lambda item: -lengths[item])
    left = sum(lengths)
    place = 0
    while place < len(order):
        room = min(budget, max(budget // _LEAST, left // (2 * workers)))
        longest = lengths[order[place]]
        batch = order[place : place + max(1, room // max(1, longest))]
        if not padded:
            batch = [item for item in batch if lengths[item] == longest]
        left -= sum(lengths[item] for item in batch)
        place += len(batch)
        yield batch


@contextmanager
def _abreast(device: Any) -> Iterator[tuple[ThreadPoolExecutor, int]]:
    """Threads for batches side by side, which share the cores.

    One batch a core keeps all cores at work: threads that calculate one batch together wait for each other at every
    step, and for a long time where something else is running too. On a GPU one batch is prepared while another runs.
    """
    import torch

    workers, threads = _ABREAST.get(device.type, 1), torch.get_num_threads()
    if device.type == "cpu":
        workers = min(workers, cores())
        torch.set_num_threads(max(1, cores() // workers))
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool, workers
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        torch.set_num_threads(threads)


def cores() -> int:
    """How many cores there are to use. Whoever set a number, as is done for worker processes, knows why."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdigit() and int(given):
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _out_of_memory(error: Exception) -> bool:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or _NO_MEMORY in str(error)
