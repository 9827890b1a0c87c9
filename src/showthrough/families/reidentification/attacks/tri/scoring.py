"""A trained attack: it scores documents window by window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from showthrough.families.reidentification.attacks.base import Bools, Floats, WatchedDocuments
from showthrough.families.reidentification.attacks.tri.base_model import BaseModel
from showthrough.families.reidentification.attacks.tri.reading import PretreatedTexts
from showthrough.families.reidentification.attacks.tri.results import accuracy
from showthrough.families.reidentification.attacks.tri.selection import EpochResult
from showthrough.families.reidentification.attacks.tri.windows import Cutter, TextWindows
from showthrough.models.device import in_batches

_BLOCK = 4096  # windows whose logits are held at once


class BackgroundClassifier:
    """A model that says of a window whose background it could come from."""

    def __init__(self, base: BaseModel, model: Any, device: Any) -> None:
        self.base = base
        self.model = model.to(device)
        self.device = device

    def sums(self, windows: TextWindows, owners: int) -> Floats:
        """Every owner's logits summed over its windows: owners × individuals."""
        total = np.zeros((owners, self.model.config.num_labels))
        for numbers, logits in self._logits(windows):
            np.add.at(total, windows.owner[numbers], logits)
        return total

    def window_logits(self, windows: TextWindows) -> Floats:
        """The logits of every window."""
        return self.sums(replace(windows, owner=np.arange(len(windows))), len(windows))

    def _logits(self, windows: TextWindows) -> Iterator[tuple[list[int], Floats]]:
        """In fp32, block by block, in an order of the windows' own: that in which they are given changes no digit."""
        self.model.eval()
        order = windows.canonical()
        for first in range(0, len(order), _BLOCK):
            block = order[first : first + _BLOCK]
            yield block, self._of_block(windows, block)

    def _of_block(self, windows: TextWindows, block: list[int]) -> Floats:
        import torch

        def run(batch: list[int]) -> Any:
            pieces, present = self.base.table(windows, [block[item] for item in batch])
            with torch.inference_mode():
                return self.model(**self.base.inputs(pieces, present, self.device)).logits.cpu().numpy()

        logits = np.zeros((len(block), self.model.config.num_labels))
        lengths = windows.lengths[block].tolist()
        for batch, batch_logits in in_batches(lengths, self.device, run, "the attack 'transformer'"):
            logits[batch] = batch_logits
        return logits


@dataclass(eq=False)
class FittedTransformer:
    """The attack once it is trained. The columns of its scores are `individuals`, sorted by id."""

    individuals: tuple[str, ...]
    has_text: Bools  # who has any text to be known by
    classifier: BackgroundClassifier
    cutter: Cutter
    reading: PretreatedTexts
    epochs: list[EpochResult] = field(default_factory=list)
    selected: int = 0  # the number of the epoch that was kept

    def scores(self, documents: Sequence[str]) -> Floats:
        """How well every document fits every individual: documents × individuals, more is likelier.

        A document without a word fits all alike. An individual without background text fits worse than everybody who
        has some: there is nothing to find them by.
        """
        windows = self.cutter.cut(self.reading.documents(documents), range(len(documents)))
        sums = self.classifier.sums(windows, len(documents))
        if not self.has_text.all():
            heard = np.isin(np.arange(len(documents)), windows.owner)
            lowest = sums[:, self.has_text].min(axis=1, keepdims=True)
            sums[:, ~self.has_text] = np.where(heard[:, None], lowest - 1, 0.0)
        return sums

    def accuracy(self, watched: WatchedDocuments) -> float:
        """Share of documents whose individual comes out on top."""
        columns = {individual: index for index, individual in enumerate(self.individuals)}
        return accuracy(self.scores(watched.texts), [columns.get(individual, -1) for individual in watched.individuals])
