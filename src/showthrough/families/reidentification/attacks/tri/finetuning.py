"""Fine-tuning: a classifier learns whose background a window comes from, and is examined after every epoch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from showthrough.families.reidentification.attacks.tri.scoring import BackgroundClassifier
from showthrough.families.reidentification.attacks.tri.selection import EpochResult, Recognition, select_epoch
from showthrough.families.reidentification.attacks.tri.windows import TextWindows
from showthrough.models.training import ExaminedLearner


@dataclass(eq=False)
class Pupil(ExaminedLearner[EpochResult]):
    """The learner of the second stage; it keeps the parameters of the best epoch so far.

    `examine` gives accuracies on watched documents by name; `tell` hears of every epoch.
    """

    kind = EpochResult

    classifier: BackgroundClassifier
    windows: TextWindows
    held_out: TextWindows
    dev_set: str | None
    examine: Callable[[], Mapping[str, float]]
    tell: Callable[[list[EpochResult]], None]
    epochs: list[EpochResult] = field(default_factory=list)
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

    def examine_epoch(self, number: int, loss: float) -> EpochResult:
        recognition = None
        if len(self.held_out):
            recognition = Recognition.of(self.classifier.window_logits(self.held_out), self.held_out.owner)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return EpochResult(number, now, loss, recognition, dict(self.examine()))

    def is_best(self) -> bool:
        return select_epoch(self.epochs, self.dev_set) is self.epochs[-1]

    def epoch_over(self, number: int, loss: float) -> None:
        super().epoch_over(number, loss)
        self.tell(self.epochs)
