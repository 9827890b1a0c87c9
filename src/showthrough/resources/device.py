"""Where models run: the processor or accelerator that is asked for, all of its cores, and batches that fit in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from showthrough.errors import ResourceError

Result = TypeVar("Result")

_PIECES = {"cuda": 65_536, "mps": 16_384, "cpu": 3_072}  # word pieces in a batch; a CPU gains nothing from more
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
    if kind == "cpu":
        _use_all_cores(torch)
    return torch.device(asked)


def _use_all_cores(torch: Any) -> None:
    # PyTorch may take only half of them. Whoever set a number (joblib does, in its workers) knows why.
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def torch_dtype(name: str) -> Any:
    import torch

    return {"fp32": torch.float32, "bf16": torch.bfloat16}[name]


def pieces_at_once(device: Any) -> int:
    """How many word pieces a batch may hold, padding counted."""
    return _PIECES.get(device.type, _PIECES["cpu"])


def in_batches(
    lengths: Sequence[int], budget: int, run: Callable[[list[int]], Result], what: str
) -> Iterator[tuple[list[int], Result]]:
    """Runs items in batches of about `budget` pieces, longest first; a batch that does not fit in memory is halved.

    Items of like length stand together, so that little of a batch is padding. Yields the items of a batch and what
    `run` made of them.
    """
    order = sorted(range(len(lengths)), key=lambda item: -lengths[item])
    position = 0
    while position < len(order):
        longest = max(1, lengths[order[position]])
        batch = order[position : position + max(1, budget // longest)]
        try:
            result = run(batch)
        except (RuntimeError, MemoryError) as error:
            if not _out_of_memory(error):
                raise
            if len(batch) == 1:
                raise ResourceError(
                    f"{what}: not even one text at a time fits in memory; "
                    "choose another --device, --dtype bf16 or shorter segments"
                ) from error
            _empty()
            budget = longest * (len(batch) // 2)
            continue
        position += len(batch)
        yield batch, result


def _out_of_memory(error: Exception) -> bool:
    import torch

    return isinstance(error, MemoryError | torch.OutOfMemoryError) or _NO_MEMORY in str(error)


def _empty() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
