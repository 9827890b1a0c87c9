"""The one loop that trains, for both stages: seeded step by step, told about as it goes, resumed where it stopped.

AdamW (β 0.9 and 0.999, ε 1e-6, no weight decay), a constant learning rate and gradients clipped to length 1, as TAE
trains. The random numbers of a step follow from the seed and the step's number alone, so that a run that was stopped
and resumed gives, on a CPU, the very same model as one that was not.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from showthrough.attacks.tri.base_model import seeded
from showthrough.attacks.tri.store import Checkpoint
from showthrough.attacks.tri.windows import Windows
from showthrough.errors import ResourceError
from showthrough.resources.settings import Watch

_GLANCE = 1.0  # seconds between looks at the loss, for which an accelerator has to be waited for
_LONGEST_GRADIENT = 1.0


@dataclass(frozen=True)
class Course:
    """What a stage of training is: its name, how long, in what steps, from which seed."""

    name: str
    number: int  # tells the stages' random numbers apart
    epochs: int
    batch_size: int
    learning_rate: float
    seed: int

    def order(self, epoch: int, windows: int) -> list[list[int]]:
        """The batches of an epoch."""
        shuffled = np.random.default_rng([self.seed, self.number, epoch]).permutation(windows).tolist()
        return [shuffled[first : first + self.batch_size] for first in range(0, windows, self.batch_size)]

    def step_seed(self, epoch: int, step: int) -> int:
        state = np.random.SeedSequence([self.seed, self.number, epoch, step]).generate_state(1, np.uint64)
        return int(state[0] >> np.uint64(1))


class Learner(ABC):
    """A model that learns from numbered windows, and is told after every epoch what the loss was."""

    model: Any
    windows: Windows

    @abstractmethod
    def loss(self, batch: list[int], seed: int) -> Any: ...

    def epoch_over(self, number: int, loss: float) -> None:  # noqa: B027 (most have nothing to do then)
        pass

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Tensors and state of its own that a checkpoint should hold."""
        return {}, {}

    def remember(self, tensors: dict[str, Any], state: dict[str, Any]) -> None:  # noqa: B027 (nor anything to keep)
        """Takes them back."""


def train(
    learner: Learner, course: Course, device: Any, bf16: bool, checkpoint: Checkpoint, watch: Watch | None, every: float
) -> None:
    """Trains to the end of the course, from the checkpoint if there is one, and writes one `every` so many seconds."""
    import torch

    model = learner.model.to(device).train()
    named = dict(model.named_parameters())
    fused = device.type in ("cpu", "cuda")
    optimizer = torch.optim.AdamW(
        named.values(), lr=course.learning_rate, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0, fused=fused
    )
    total = torch.zeros((), device=device)
    epoch, step = 0, 0
    if saved := checkpoint.read():
        tensors, state = saved
        epoch, step = state["epoch"], state["step"]
        _restore(tensors, named, optimizer, total)
        learner.remember(tensors, state["learner"])
    pace = _Pace(course, len(learner.windows), epoch, step, watch)
    last_save = time.monotonic()

    def save_if_due() -> None:
        nonlocal last_save
        if checkpoint.save and time.monotonic() - last_save >= every:
            checkpoint.write(*_state(learner, named, optimizer, total, epoch, step))
            last_save = time.monotonic()

    try:
        with seeded(course.seed, device):
            while epoch < course.epochs:
                batches = course.order(epoch, len(learner.windows))
                while step < len(batches):
                    seed = course.step_seed(epoch, step)
                    torch.manual_seed(seed)
                    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=bf16):
                        loss = learner.loss(batches[step], seed)
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(named.values(), _LONGEST_GRADIENT)
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=True)
                    total += loss.detach()
                    step += 1
                    pace.tell(epoch, step, total)
                    if step < len(batches):
                        save_if_due()
                learner.epoch_over(epoch + 1, float(total) / len(batches))
                model.train()
                total.zero_()
                epoch, step = epoch + 1, 0
                save_if_due()
    except torch.OutOfMemoryError as error:
        message = f"{course.name}: a step of {course.batch_size} windows does not fit in memory"
        remedy = "choose a smaller batch size, shorter windows or another --device"
        raise ResourceError(f"{message}; {remedy}") from error


def uses_bf16(device: Any, precision: str) -> bool:
    """Whether training multiplies in bf16; parameters and what is added up stay fp32."""
    import torch

    if precision == "auto":
        return bool(device.type == "cuda" and torch.cuda.is_bf16_supported())
    return precision == "bf16"


def _state(
    learner: Learner, named: dict[str, Any], optimizer: Any, total: Any, epoch: int, step: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """All that the next step depends on."""
    kept, state = learner.keepsake()
    tensors = {**{f"model.{name}": parameter for name, parameter in named.items()}, "loss": total, **kept}
    for name, parameter in named.items():
        tensors |= {f"optimizer.{name}.{part}": value for part, value in optimizer.state[parameter].items()}
    copied = {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors.items()}
    return copied, {"epoch": epoch, "step": step, "learner": state}


def _restore(tensors: dict[str, Any], named: dict[str, Any], optimizer: Any, total: Any) -> None:
    import torch

    with torch.no_grad():
        for name, parameter in named.items():
            parameter.copy_(tensors[f"model.{name}"])
            for part in ("step", "exp_avg", "exp_avg_sq"):
                value = tensors.get(f"optimizer.{name}.{part}")
                if value is not None:  # a parameter that was never used has none
                    at_home = part == "step" and not optimizer.defaults["fused"]  # where AdamW counts steps
                    optimizer.state[parameter][part] = value if at_home else value.to(parameter.device)
        total.copy_(tensors["loss"])


class _Pace:
    """Tells how far a stage is: epoch, loss, time left."""

    def __init__(self, course: Course, windows: int, epoch: int, step: int, watch: Watch | None) -> None:
        self.course = course
        self.steps = -(-windows // course.batch_size)
        self.watch = watch
        self.before = epoch * self.steps + step
        self.start = self.last = time.monotonic()

    def tell(self, epoch: int, step: int, total: Any) -> None:
        now = time.monotonic()
        done, whole = epoch * self.steps + step, self.course.epochs * self.steps
        if not self.watch or (now - self.last < _GLANCE and done < whole):
            return
        self.last = now
        left = duration((now - self.start) / (done - self.before) * (whole - done))
        course, loss = self.course, float(total) / step
        what = f"{course.name}, epoch {epoch + 1} of {course.epochs}, loss {loss:.3f}, {left} left"
        self.watch(what, done * course.batch_size, whole * course.batch_size)


def duration(seconds: float) -> str:
    """
    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
