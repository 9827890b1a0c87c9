"""The one loop that trains language models: seeded step by step, told about as it goes, resumed where it stopped.

AdamW (β 0.9 and 0.999, no weight decay) and gradients clipped to length 1. The random numbers of a step and its
learning rate follow from the seed and the step's number alone, so that a run that was stopped and resumed gives, on a
CPU, the very same model as one that was not.
"""

from __future__ import annotations

import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from showthrough.core.errors import ResourceError
from showthrough.models.checkpoints import Checkpoint
from showthrough.models.device import reason_of
from showthrough.models.settings import Watch

Epoch = TypeVar("Epoch")

_GLANCE = 1.0  # seconds between looks at the loss, for which an accelerator has to be waited for
_LONGEST_GRADIENT = 1.0
_BEST = "best."
_REQUESTS = ("SIGINT", "SIGTERM", "SIGHUP")  # to stop


@dataclass(frozen=True)
class Course:
    """What a stage of training is: its name, how long, in what steps, from which seed."""

    name: str
    number: int  # tells the stages' random numbers apart
    epochs: int
    batch_size: int
    learning_rate: float
    seed: int
    at_once: int = 0  # windows of a batch that go through the model together; 0: all of them
    falling: bool = False  # whether the learning rate falls to nothing, step by step
    epsilon: float = 1e-6
    remedy: str = "choose a smaller batch size, shorter windows or another --device"  # where memory runs out

    def order(self, epoch: int, windows: int) -> list[list[int]]:
        """The batches of an epoch."""
        shuffled = np.random.default_rng([self.seed, self.number, epoch]).permutation(windows).tolist()
        return [shuffled[first : first + self.batch_size] for first in range(0, windows, self.batch_size)]

    def parts(self, batch: list[int]) -> list[list[int]]:
        """What goes through the model together, one after the other."""
        size = self.at_once or len(batch)
        return [batch[first : first + size] for first in range(0, len(batch), size)]

    def rate(self, steps: int, windows: int) -> float:
        """The learning rate of a step after so many others."""
        total = self.epochs * -(-windows // self.batch_size)
        return self.learning_rate * (1 - steps / total if self.falling else 1)

    def step_seed(self, epoch: int, step: int) -> int:
        state = np.random.SeedSequence([self.seed, self.number, epoch, step]).generate_state(1, np.uint64)
        return int(state[0] >> np.uint64(1))


class Learner(ABC):
    """A model that learns from numbered windows, and is told after every epoch what the loss was."""

    model: Any
    windows: Sized

    @abstractmethod
    def loss(self, batch: list[int], seed: int) -> Any:
        """The mean over some windows."""

    def weight(self, batch: list[int]) -> float:
        """What windows count for in a mean over more of them."""
        return len(batch)

    def epoch_over(self, number: int, loss: float) -> None:  # noqa: B027 (most have nothing to do then)
        pass

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Tensors and state of its own that a checkpoint should hold."""
        return {}, {}

    def remember(self, tensors: dict[str, Any], state: dict[str, Any]) -> None:  # noqa: B027 (nor anything to keep)
        """Takes them back."""


class ExaminedLearner(Learner, Generic[Epoch]):
    """A learner that is examined after every epoch, and keeps the parameters of the best one so far."""

    kind: type[Epoch]
    epochs: list[Epoch]
    best: dict[str, Any]

    @abstractmethod
    def examine_epoch(self, number: int, loss: float) -> Epoch:
        """What is found after an epoch."""

    @abstractmethod
    def is_best(self) -> bool:
        """Whether the last epoch so far is better than those before it."""

    def epoch_over(self, number: int, loss: float) -> None:
        self.epochs[number - 1 :] = [self.examine_epoch(number, loss)]  # one that was stopped here is examined again
        if self.is_best():
            self.best = {name: value.detach().to("cpu", copy=True) for name, value in self.model.named_parameters()}

    def take_best(self) -> None:
        """Gives the model the parameters of the best epoch."""
        import torch

        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                parameter.copy_(self.best[name])

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {_BEST + name: value for name, value in self.best.items()}, {"epochs": msgspec.to_builtins(self.epochs)}

    def remember(self, tensors: dict[str, Any], state: dict[str, Any]) -> None:
        self.epochs = msgspec.convert(state["epochs"], list[self.kind])  # type: ignore[name-defined]
        self.best = {name.removeprefix(_BEST): value for name, value in tensors.items() if name.startswith(_BEST)}


def train(
    learner: Learner, course: Course, device: Any, bf16: bool, checkpoint: Checkpoint, watch: Watch | None, every: float
) -> None:
    """Trains to the end of the course, from the checkpoint if there is one.

    Writes one `every` so many seconds, and where a user stops it.
    """
    import torch

    model = learner.model.to(device).train()
    named = dict(model.named_parameters())
    fused = device.type in ("cpu", "cuda")
    optimizer = torch.optim.AdamW(
        named.values(), lr=course.learning_rate, betas=(0.9, 0.999), eps=course.epsilon, weight_decay=0.0, fused=fused
    )
    total = torch.zeros((), device=device)
    epoch, step = _resume(checkpoint, learner, named, optimizer, total)
    pace = _Pace(course, len(learner.windows), epoch, step, watch)
    last_save = time.monotonic()

    def save() -> None:
        if checkpoint.save:
            checkpoint.write(*_state(learner, named, optimizer, total, epoch, step))

    def save_if_due() -> None:
        nonlocal last_save
        if time.monotonic() - last_save >= every:
            save()
            last_save = time.monotonic()

    try:
        with seed_random(course.seed, device):
            while epoch < course.epochs:
                batches = course.order(epoch, len(learner.windows))
                while step < len(batches):
                    seed = course.step_seed(epoch, step)
                    torch.manual_seed(seed)
                    optimizer.param_groups[0]["lr"] = course.rate(epoch * len(batches) + step, len(learner.windows))
                    loss = _gradients(learner, course, batches[step], seed, device, bf16)
                    torch.nn.utils.clip_grad_norm_(named.values(), _LONGEST_GRADIENT)
                    with whole():  # half a step could not be saved
                        optimizer.step()
                        total += loss
                        step += 1
                    optimizer.zero_grad(set_to_none=True)
                    pace.tell(epoch, step, total)
                    if step < len(batches):
                        save_if_due()
                learner.epoch_over(epoch + 1, float(total) / len(batches))
                model.train()
                with whole():
                    total.zero_()
                    epoch, step = epoch + 1, 0
                save_if_due()
    except KeyboardInterrupt:
        save()
        raise
    except torch.OutOfMemoryError as error:
        message = f"{course.name}: a step of {course.at_once or course.batch_size} windows does not fit in memory"
        raise ResourceError(f"{message}; {course.remedy}") from error


def _gradients(learner: Learner, course: Course, batch: list[int], seed: int, device: Any, bf16: bool) -> Any:
    """The mean loss of a batch; its gradients are added up part by part, so that only a part has to fit in memory."""
    import torch

    total, weight = torch.zeros((), device=device), learner.weight(batch)
    for part in course.parts(batch):
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=bf16):
            loss = learner.loss(part, seed)
        loss = loss * (learner.weight(part) / weight)
        loss.backward()
        total += loss.detach()
    return total


@contextmanager
def whole() -> Iterator[None]:
    """What is done in here is done to its end; a request to stop that comes meanwhile is heard then."""
    if threading.current_thread() is not threading.main_thread():  # which alone hears requests
        yield
        return
    requests: list[tuple[Any, ...]] = []
    numbers = [getattr(signal, name) for name in _REQUESTS if hasattr(signal, name)]
    handlers = {number: signal.getsignal(number) for number in numbers}
    heard = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in heard:
        signal.signal(number, lambda *request: requests.append(request))
    try:
        yield
    finally:
        for number, handler in heard.items():
            signal.signal(number, handler)
        if requests:
            heard[requests[0][0]](*requests[0])


@contextmanager
def seed_random(seed: int, device: Any = None) -> Iterator[None]:
    """Random numbers from a seed; whoever draws them outside goes on as if nothing had been."""
    import torch

    with torch.random.fork_rng(devices=[device] if device is not None and device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


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
    own_tensors, state = learner.keepsake()
    tensors = {**{f"model.{name}": parameter for name, parameter in named.items()}, "loss": total, **own_tensors}
    for name, parameter in named.items():
        tensors |= {f"optimizer.{name}.{part}": value for part, value in optimizer.state[parameter].items()}
    copied = {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors.items()}
    return copied, {"epoch": epoch, "step": step, "learner": state}


def _resume(
    checkpoint: Checkpoint, learner: Learner, named: dict[str, Any], optimizer: Any, total: Any
) -> tuple[int, int]:
    """The epoch and the step to go on with: those of the checkpoint, of which all is taken back, or the first."""
    saved = checkpoint.read()
    if saved is None:
        return 0, 0
    tensors, state = saved
    try:
        _restore(tensors, named, optimizer, total)
        learner.remember(tensors, state["learner"])
        return state["epoch"], state["step"]
    except (KeyError, TypeError, ValueError, RuntimeError) as error:  # what is not there, or of another shape
        raise checkpoint.damage_error(reason_of(error)) from error


def _restore(tensors: dict[str, Any], named: dict[str, Any], optimizer: Any, total: Any) -> None:
    import torch

    with torch.no_grad():
        for name, parameter in named.items():
            parameter.copy_(tensors[f"model.{name}"])
            for part in ("step", "exp_avg", "exp_avg_sq"):
                value = tensors.get(f"optimizer.{name}.{part}")
                if value is not None:  # a parameter that was never used has none
                    on_cpu = part == "step" and not optimizer.defaults["fused"]  # where AdamW counts steps
                    optimizer.state[parameter][part] = value if on_cpu else value.to(parameter.device)
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
        done, total_steps = epoch * self.steps + step, self.course.epochs * self.steps
        if not self.watch or (now - self.last < _GLANCE and done < total_steps):
            return
        self.last = now
        time_left = duration((now - self.start) / (done - self.before) * (total_steps - done))
        course, loss = self.course, float(total) / step
        message = f"{course.name}, epoch {epoch + 1} of {course.epochs}, loss {loss:.3f}, {time_left} left"
        self.watch(message, done * course.batch_size, total_steps * course.batch_size)


def duration(seconds: float) -> str:
    """
    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
