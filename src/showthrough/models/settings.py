"""How models are run: where, how precisely, and whether their answers are kept."""

from __future__ import annotations

from collections.abc import Callable, Collection
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


NOWHERE = (
    "its answers cost and are kept beside the run: name it with -o, or a file with --recordings"
    " (in Python, recordings=…)"
)


@dataclass(frozen=True, kw_only=True)
class AskingSettings:
    """How language models are asked. No number depends on it."""

    heading: ClassVar[str] = "Language models"  # in help

    send_text_to: Annotated[
        str | Collection[str],
        Meta(title="HOST", description="Text may be sent to this host, for llm:…; loopback always may; repeatable."),
    ] = ()
    recordings: Annotated[
        str | None,
        Meta(
            title="FILE", description="Where answers of language models are kept; usually RUN.answers beside the run."
        ),
    ] = None
    concurrency: Annotated[int, Meta(description="Questions to a language model that are under way at once.", ge=1)] = 8
    rate: Annotated[
        float, Meta(title="N", description="Questions a minute to a language model, at most; 0: no limit.", ge=0)
    ] = 0.0
    price: Annotated[
        str | None,
        Meta(title="IN,OUT", description="What a million tokens cost that are sent and answered, for --estimate."),
    ] = None
