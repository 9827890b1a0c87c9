"""`Results.csv`: how the attack does after every epoch, one line each.

The columns are TAE's: Time, Epoch, one for each anonymization, Average. Behind them stand what the epoch was selected
on, the loss of training, and which epoch was selected. Accuracies of documents are shown and decide nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from showthrough.families.reidentification.attacks.base import Floats
from showthrough.families.reidentification.attacks.tri.selection import EpochResult, select_epoch


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
