"""Which epoch's model is kept, and what is held out to find that: never the documents under attack.

TAE keeps the epoch that does best on the very documents whose risk it then reports, which overstates that risk. Here a
span of every individual's background is held out of fine-tuning, in all copies alike, and the epoch that recognises
it best is kept. `dev_set_column_name` brings TAE's way back, on one named anonymization.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.families.reidentification.attacks.tri.pretreatment import Copies, Passages

_FEWEST = 4  # passages of a text from which some can be spared
_MOST = 1 / 3  # of a text that may be held out, where passages are long


def choose_held_out(individual: str, passages: Sequence[str], share: float, seed: int) -> range:
    """The consecutive passages of an individual's text that are held out: about `share` of its characters.

    Where they lie is drawn by seed and id, so that it does not depend on who else there is.

    >>> choose_held_out("doe", ["four words are here"] * 20, 0.1, seed=0)
    range(16, 18)
    >>> choose_held_out("doe", ["too little to spare"] * 3, 0.1, seed=0)
    range(0, 0)
    """
    sums = [0, *accumulate(map(len, passages))]
    target = share * sums[-1]
    if not target or len(passages) < _FEWEST:
        return range(0)
    starts = [start for start in range(len(passages)) if sums[-1] - sums[start] >= target]
    drawn = hashlib.blake2b(f"{seed} {individual}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    start = starts[int.from_bytes(drawn, "big") % len(starts)]
    end = next(end for end in range(start + 1, len(sums)) if sums[end] - sums[start] >= target)
    return range(start, end) if sums[end] - sums[start] <= _MOST * sums[-1] else range(0)


@dataclass(frozen=True)
class Split:
    """Texts to learn from and texts held out, each as its passages, with the label of each."""

    learned: list[Passages] = field(default_factory=list)
    learned_labels: list[int] = field(default_factory=list)
    held_out: list[Passages] = field(default_factory=list)
    held_out_labels: list[int] = field(default_factory=list)


def split_background(background: Mapping[str, Copies], share: float, seed: int) -> Split:
    """Holds the same span out of every copy of a text: a copy would give away what the other hides.

    What stands before the span and what stands after it become texts of their own, so that no window spans it.
    """
    parts = Split()
    for label, (individual, copies) in enumerate(background.items()):
        run = choose_held_out(individual, copies[0], share, seed)
        for passages in copies:
            for part in (passages[: run.start], passages[run.stop :]) if run else (passages,):
                parts.learned.append(part)
                parts.learned_labels.append(label)
            if run:
                parts.held_out.append(passages[run.start : run.stop])
                parts.held_out_labels.append(label)
    return parts


@dataclass(frozen=True)
class Recognition:
    """How well a model knows held-out windows: the mean over individuals, each counting the same."""

    accuracy: float
    loss: float

    @classmethod
    def of(cls, logits: Floats, labels: Ints) -> Recognition:
        """Ties share; the loss is −ln p of the true individual."""
        best = logits.max(axis=1, keepdims=True)
        tied = logits == best
        rows = np.arange(len(labels))
        right = tied[rows, labels] / tied.sum(axis=1)
        losses = best[:, 0] + np.log(np.exp(logits - best).sum(axis=1)) - logits[rows, labels]
        size = np.bincount(labels, minlength=logits.shape[1])[labels] * len(np.unique(labels))
        return cls(float((right / size).sum()), float((losses / size).sum()))


@dataclass(frozen=True)
class EpochResult:
    """What is known of an epoch once it is over."""

    number: int  # from 1
    time: str
    loss: float
    held_out: Recognition | None
    accuracy: Mapping[str, float]  # on watched documents, by anonymization: shown, and used only as a named dev set

    def quality(self, dev_set: str | None) -> tuple[float, ...]:
        if dev_set is not None:
            return (self.accuracy[dev_set],)
        if self.held_out is not None:
            return self.held_out.accuracy, -self.held_out.loss
        return (self.number,)  # nothing could be held out: the last one


def select_epoch(epochs: Sequence[EpochResult], dev_set: str | None) -> EpochResult:
    """The best epoch, the earliest of equals."""
    return max(epochs, key=lambda epoch: (epoch.quality(dev_set), -epoch.number))
