"""How models are run: where, how precisely, and whether their answers are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from showthrough.errors import PlanError, quoted

Watch = Callable[[str, int, int], None]  # what a model is doing, texts done, texts in all

DTYPES = ("fp32", "bf16")


@dataclass(frozen=True)
class ModelSettings:
    """The device and the number format that models run in, and whether answers are stored between runs.

    Only `dtype` changes a number (in its third or fourth digit), so only it belongs to a score's signature.
    """

    device: str = "auto"  # auto, cpu, cuda, cuda:1, mps
    dtype: str = "fp32"
    cache: bool = True

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise PlanError(f"found {quoted(self.dtype)}; expected {' or '.join(DTYPES)}", "dtype")
        kind, _, number = self.device.partition(":")
        if kind not in ("auto", "cpu", "cuda", "mps") or (":" in self.device and not number.isdigit()):
            raise PlanError(f"found {quoted(self.device)}; expected auto, cpu, cuda, cuda:<number> or mps", "device")
