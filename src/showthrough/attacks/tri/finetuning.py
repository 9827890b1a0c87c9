"""Fine-tuning: a classifier learns whose background a window comes from, and is examined after every epoch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from showthrough.attacks.tri.scoring import Classifier
from showthrough.attacks.tri.selection import Epoch, Recognition, selected
from showthrough.attacks.tri.training import Learner
from showthrough.attacks.tri.windows import Windows

_BEST = "best."


@dataclass(eq=False)
class Pupil(Learner):
    """The learner of the second stage; it keeps the parameters of the best epoch so far.

    `examine` gives accuracies on watched documents by name; `tell` hears of every epoch.
    """

    classifier: Classifier
    windows: Windows
    held_out: Windows
    dev_set: str | None
    examine: Callable[[], Mapping[str, float]]
    tell: Callable[[list[Epoch]], None]
    epochs: list[Epoch] = field(default_factory=list)
    best: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model = self.classifier.model

    def loss(self, batch: list[int], seed: int) -> Any:
        """−ln p of the individual whose window it is."""
        import torch

        base, device = self.classifier.base, self.classifier.device
        inputs = base.inputs(*base.table(self.windows, batch), device)
        truth = torch.from_numpy(self.windows.owner[batch]).to(device, non_blocking=True)
        return torch.nn.functional.cross_entropy(self.model(**inputs).logits.float(), truth)

    def epoch_over(self, number: int, loss: float) -> None:
        recognition = None
        if len(self.held_out):
            recognition = Recognition.of(self.classifier.each(self.held_out), self.held_out.owner)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.epochs.append(Epoch(number, now, loss, recognition, dict(self.examine())))
        if selected(self.epochs, self.dev_set).number == number:
            self.best = {name: value.detach().to("cpu", copy=True) for name, value in self.model.named_parameters()}
        self.tell(self.epochs)

    def take_best(self) -> None:
        """Gives the model the parameters of the epoch that was selected."""
        import torch

        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                parameter.copy_(self.best[name])

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {_BEST + name: value for name, value in self.best.items()}, {"epochs": msgspec.to_builtins(self.epochs)}

    def remember(self, tensors: dict[str, Any], state: dict[str, Any]) -> None:
        self.epochs = msgspec.convert(state["epochs"], list[Epoch])
        self.best = {name.removeprefix(_BEST): value for name, value in tensors.items() if name.startswith(_BEST)}
