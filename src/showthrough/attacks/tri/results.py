"""`Results.csv`: how the attack does after every epoch, one line each.

The columns are TAE's: Time, Epoch, one for each anonymization, Average. Behind them stand what the epoch was selected
on, the loss of training, and which epoch was selected. Accuracies of documents are shown and decide nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from showthrough.attacks.tri.selection import Epoch, Recognition, selected

Floats = NDArray[np.float64]


def accuracy(scores: Floats, truth: Sequence[int]) -> float:
    """Share of documents whose individual comes out on top. Ties share; −1 is somebody whom the background lacks.

    >>> accuracy(np.array([[2.0, 1.0], [3.0, 3.0], [0.0, 1.0]]), [0, 1, -1])  # 1 + 1/2 + 0 of 3
    0.5
    """
    places = np.asarray(truth)
    tied = scores == scores.max(axis=1, keepdims=True)
    right = tied[np.arange(len(places)), places] / tied.sum(axis=1)
    return float(np.where(places < 0, 0.0, right).mean())


def table(epochs: Sequence[Epoch], dev_set: str | None) -> str:
    """The file's content; a cell is empty where nothing was measured."""
    names = list(dict.fromkeys(name for epoch in epochs for name in epoch.accuracy))
    chosen = selected(epochs, dev_set).number
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["Time", "Epoch", *names, "Average", "Held_Out", "Held_Out_Loss", "Loss", "Selected"])
    for epoch in epochs:
        found = [epoch.accuracy.get(name) for name in names]
        known = [value for value in found if value is not None]
        held_out = epoch.held_out
        writer.writerow(
            [
                epoch.time,
                epoch.number,
                *("" if value is None else value for value in found),
                sum(known) / len(known) if known else "",
                *(("", "") if held_out is None else (held_out.accuracy, held_out.loss)),
                epoch.loss,
                int(epoch.number == chosen),
            ]
        )
    return file.getvalue()


def to_json(epochs: Sequence[Epoch]) -> list[dict[str, Any]]:
    return [{**asdict(epoch), "accuracy": dict(epoch.accuracy)} for epoch in epochs]


def from_json(rows: Sequence[Mapping[str, Any]]) -> list[Epoch]:
    return [
        Epoch(**{**row, "held_out": None if row["held_out"] is None else Recognition(**row["held_out"])})
        for row in rows
    ]
