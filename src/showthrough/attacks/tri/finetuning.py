"""Fine-tuning: a classifier learns whose background a window comes from, and is examined after every epoch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from showthrough.attacks.tri.results import from_json, to_json
from showthrough.attacks.tri.scoring import Classifier
from showthrough.attacks.tri.selection import Epoch, Recognition, selected
from showthrough.attacks.tri.windows import Windows

_BEST = "best."


class Pupil:
    """The learner of the second stage; it keeps the parameters of the best epoch so far.

    `examine` gives accuracies on watched documents by name; `tell` hears of every epoch.
    """

    def __init__(
        self,
        classifier: Classifier,
        learned: Windows,
        held_out: Windows,
        dev_set: str | None,
        examine: Callable[[], Mapping[str, float]],
        tell: Callable[[list[Epoch]], None],
    ) -> None:
        self.classifier = classifier
        self.model = classifier.model
        self.learned = learned
        self.held_out = held_out
        self.windows = len(learned)
        self.dev_set = dev_set
        self.examine = examine
        self.tell = tell
        self.epochs: list[Epoch] = []
        self.best: dict[str, Any] = {}

    def loss(self, batch: list[int], seed: int) -> Any:
        """−ln p of the individual whose window it is."""
        import torch

        base, device = self.classifier.base, self.classifier.device
        inputs = base.inputs(*base.table(self.learned, batch), device)
        truth = torch.from_numpy(self.learned.owner[batch]).to(device, non_blocking=True)
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
        return {_BEST + name: value for name, value in self.best.items()}, {"epochs": to_json(self.epochs)}

    def remember(self, tensors: dict[str, Any], state: dict[str, Any]) -> None:
        self.epochs = from_json(state["epochs"])
        self.best = {name.removeprefix(_BEST): value for name, value in tensors.items() if name.startswith(_BEST)}
