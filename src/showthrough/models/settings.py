"""How models are run: where, how precisely, and whether their answers are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from showthrough.engines.base import Watch as Watch

Device = Annotated[
    str,
    Meta(
        title="auto|cpu|cuda|cuda:1|mps",
        description="Where models run; auto takes the fastest there is.",
        pattern=r"\A(auto|cpu|cuda|mps)(:[0-9]+)?\Z",
        extra={"expected": "auto, cpu, cuda, cuda:<number> or mps"},
    ),
]


def share_of(watch: Watch | None, task: str, done: int, size: int, total: int) -> Callable[[float], None]:
    """What is told the share that is done of `size` texts, after `done` others; the watch hears of all."""

    def tell(share: float) -> None:
        if watch:
            watch(task, done + int(share * size), total)

    return tell


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """The device and the number format that models run in, and whether answers are stored between runs.

    Only `dtype` changes a number (in one of its first digits), so only it belongs to a score's signature.
    """

    heading: ClassVar[str] = "How"  # in help

    device: Device = "auto"
    dtype: Annotated[
        Literal["fp32", "fp16", "bf16"],
        Meta(description="Precision of models: fp16 and bf16 are faster on a GPU, and bf16 is coarser."),
    ] = "fp32"
    cache: Annotated[bool, Meta(description="Use and keep what models answer; see showthrough cache.")] = True
