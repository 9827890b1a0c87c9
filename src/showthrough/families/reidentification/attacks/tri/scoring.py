"""A trained attack, which scores documents window by window, and its files of pretreated texts and results."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Floats
from showthrough.core.errors import InputError, Problem
from showthrough.families.reidentification.attacks.base import WatchedDocuments
from showthrough.families.reidentification.attacks.tri._selection import EpochResult, select_epoch
from showthrough.families.reidentification.attacks.tri.base_model import BaseModel
from showthrough.families.reidentification.attacks.tri.pretreatment import Copies, Passages, Pretreatment
from showthrough.families.reidentification.attacks.tri.settings import TriSettings
from showthrough.families.reidentification.attacks.tri.store import PRETREATED, FitStore, digest
from showthrough.families.reidentification.attacks.tri.windows import Cutter, TextWindows
from showthrough.models.device import in_batches

# Pretreated texts are kept in `Pretreated_Data.json`, so that spaCy reads each only once.


class PretreatedTexts:
    """An attacker's background, pretreated, and every document that has been asked for so far."""

    def __init__(
        self, background: Mapping[str, str], settings: TriSettings, store: FitStore, pretreatment: Pretreatment
    ) -> None:
        self.settings = settings
        self.store = store
        self.pretreatment = pretreatment
        origin = {"reader": pretreatment.revision, "background": digest(dict(background))}
        self.origin: dict[str, Any] = {**origin, **settings.of_pretreatment()}
        self._documents: dict[str, Passages] = {}
        load, needs = settings.load_saved_pretreatment, ("background", "documents")
        saved = store.record(PRETREATED, self.origin, needs) if load else None
        self.loaded = saved is not None
        if saved is None:
            self.background = pretreatment.background(background)
            self._keep()
        else:
            self.background = msgspec.convert(saved["background"], dict[str, Copies])
            self._documents = msgspec.convert(saved["documents"], dict[str, Passages])

    def documents(self, texts: Sequence[str]) -> list[Passages]:
        """Documents as the model gets them; those that are new are pretreated and kept too."""
        names = [digest(text) for text in texts]
        new = {name: text for name, text in zip(names, texts, strict=True) if name not in self._documents}
        if new and self.loaded and not self.settings.add_non_saved_anonymizations:
            message = f"it lacks {len(new)} of {len(texts)} documents; expected add_non_saved_anonymizations=True"
            raise InputError(Problem(str(self.store.folder), PRETREATED, message))
        if new:
            self._documents |= zip(new, self.pretreatment.documents(list(new.values())), strict=True)
            self._keep()
        return [self._documents[name] for name in names]

    def _keep(self) -> None:
        if self.settings.save_pretreatment:
            content = {"background": self.background, "documents": self._documents}
            self.store.keep_record(PRETREATED, self.origin, content)


# `Results.csv` holds how the attack does after every epoch, one line each.


def accuracy(scores: Floats, truth: Sequence[int]) -> float:
    """Share of documents whose individual comes out on top. Ties share; −1 is somebody whom the background lacks.

    >>> accuracy(np.array([[2.0, 1.0], [3.0, 3.0], [0.0, 1.0]]), [0, 1, -1])  # 1 + 1/2 + 0 of 3
    0.5
    """
    columns = np.asarray(truth)
    tied = scores == scores.max(axis=1, keepdims=True)
    right = tied[np.arange(len(columns)), columns] / tied.sum(axis=1)
    return float(np.where(columns < 0, 0.0, right).mean())


def table(epochs: Sequence[EpochResult], dev_set: str | None) -> str:
    """The file's content; a cell is empty where nothing was measured."""
    names = list(dict.fromkeys(name for epoch in epochs for name in epoch.accuracy))
    chosen = select_epoch(epochs, dev_set).number
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["Time", "Epoch", *names, "Average", "Held_Out", "Held_Out_Loss", "Loss", "Selected"])
    for epoch in epochs:
        accuracies = [epoch.accuracy.get(name, "") for name in names]
        average = sum(epoch.accuracy.values()) / len(epoch.accuracy) if epoch.accuracy else ""
        held_out = (epoch.held_out.accuracy, epoch.held_out.loss) if epoch.held_out else ("", "")
        is_chosen = int(epoch.number == chosen)
        writer.writerow([epoch.time, epoch.number, *accuracies, average, *held_out, epoch.loss, is_chosen])
    return file.getvalue()


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
