"""The learner: a head of labels on an encoder, and a loss in which what is to be masked counts for more.

It is scored after every epoch on documents that it does not learn from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Protocol

import msgspec
import numpy as np

from showthrough.core.errors import ResourceError
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask
from showthrough.evaluation.api import evaluate
from showthrough.metrics import METRICS as METRICS_BY_NAME, Metric, WeightedPrecision
from showthrough.models.training import ExaminedLearner
from showthrough.systems.encoders._examples import IGNORED, OUTSIDE, Examples
from showthrough.systems.encoders._loading import Encoder

# A transformer is scored on documents that it does not learn from.

METRICS = ("er_di", "er_qi", "recall", "precision", "wp", "f1")  # the columns of TAB's Tables 9 and 10
BEST_BY = "f1"
_NAME = "transformer"


class MaskFinder(Protocol):
    """What finds masks."""

    def masks(self, documents: Sequence[Document]) -> Sequence[Sequence[Mask]]: ...


def metric_of(name: str, weighting: str) -> Metric:
    """The metric of a column; weighted precision takes what words tell from this source."""
    return WeightedPrecision(ic=weighting) if name == "wp" else METRICS_BY_NAME[name]


def dev_scores(corpus: Corpus, masking: MaskFinder, weighting: str) -> dict[str, float | None]:
    """Each metric's value on the corpus; `None` where it is undefined."""
    bare = [Document(document.id, document.text) for document in corpus]
    masks = dict(zip(corpus.ids, masking.masks(bare), strict=True))
    masks_by_id = {name: list(document_masks) for name, document_masks in masks.items()}
    metrics = {name: metric_of(name, weighting) for name in METRICS}
    anonymization = Anonymization(masks_by_id, _NAME)
    run = evaluate(corpus, anonymization, metrics.values(), references=False, resamples=0, texts=False)
    return {name: run[_NAME, metric].value for name, metric in metrics.items()}


class TrainingEpoch(msgspec.Struct, frozen=True):
    """How far the model is after an epoch."""

    number: int
    loss: float  # mean over its steps
    scores: dict[str, float | None] = {}  # on the documents of --dev


@dataclass(eq=False)
class TokenLearner(ExaminedLearner[TrainingEpoch]):
    """Tokens and their labels. `examine` gives the scores after an epoch, and `tell` hears of each."""

    kind = TrainingEpoch

    encoder: Encoder
    windows: Examples
    mask_weight: float
    keep_best: bool
    examine: Callable[[], Mapping[str, float | None]]
    tell: Callable[[TrainingEpoch], None]
    epochs: list[TrainingEpoch] = field(default_factory=list)
    best: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        import torch

        self._begun = time.monotonic()
        self.model = self.encoder.model
        weights = np.array([1.0 if name == OUTSIDE else self.mask_weight for name in self.encoder.labels])
        self._weights = torch.tensor(weights, dtype=torch.float32, device=self.model.device)
        self._weight = np.array([weights[self.windows.learned(number)].sum() for number in range(len(self.windows))])

    def loss(self, batch: list[int], seed: int) -> Any:
        """−ln p of each token's label, averaged by weight."""
        import torch

        encoder = self.encoder
        table = self.windows.table(batch, encoder.before, encoder.after, encoder.tokenizer.pad_token_id or 0)
        ids, read, labels = (torch.from_numpy(part).to(self.model.device, non_blocking=True) for part in table)
        logits = self.model(input_ids=ids, attention_mask=read).logits.float()
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), weight=self._weights, ignore_index=IGNORED
        )

    def weight(self, batch: list[int]) -> float:
        return float(self._weight[batch].sum())

    def examine_epoch(self, number: int, loss: float) -> TrainingEpoch:
        if not isfinite(loss):
            raise ResourceError(f"training: the loss is no number in epoch {number}; choose a lower --learning-rate")
        self.model.eval()
        return TrainingEpoch(number, loss, dict(self.examine()))

    def is_best(self) -> bool:
        """Only where the best is to be kept; of equals the earliest is."""
        values = [epoch.scores.get(BEST_BY) or 0.0 for epoch in self.epochs]
        return self.keep_best and values.index(max(values)) == len(values) - 1

    def epoch_over(self, number: int, loss: float) -> None:
        super().epoch_over(number, loss)
        self.tell(self.epochs[-1])

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        tensors, state = super().keepsake()
        return tensors, state | {"seconds": self.seconds}

    def remember(self, tensors: dict[str, Any], state: dict[str, Any]) -> None:
        super().remember(tensors, state)
        self._begun = time.monotonic() - float(state["seconds"])

    @property
    def seconds(self) -> float:
        """That it has been learning, not counting the time between a stop and going on."""
        return time.monotonic() - self._begun

    @property
    def kept_epoch(self) -> int:
        """The number of the epoch whose model is kept."""
        if not self.keep_best:
            return self.epochs[-1].number
        return max(self.epochs, key=lambda epoch: (epoch.scores.get(BEST_BY) or 0.0, -epoch.number)).number
