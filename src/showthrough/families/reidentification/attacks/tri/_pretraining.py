"""Additional pretraining: the base model goes on guessing hidden words, now in the attacker's background.

Masked language modelling as BERT does it (Devlin et al. 2019, section 3.1): of the pieces that are asked for, eight in
ten are hidden, one in ten is replaced by any other, one in ten stays. All of the background is read, also what is held
out of fine-tuning: no label is learned here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.families.reidentification.attacks.tri.base_model import BaseModel
from showthrough.families.reidentification.attacks.tri.windows import TextWindows
from showthrough.models.training import Learner

_HIDDEN, _REPLACED = 0.8, 0.1


class Guesser(Learner):
    """The learner of the first stage. Nothing is selected here: the last epoch's model goes on."""

    windows: TextWindows

    def __init__(self, base: BaseModel, windows: TextWindows, probability: float, device: Any) -> None:
        self.base = base
        self.windows = windows
        self.probability = probability
        self.device = device
        self.model = base.masked_lm()

    def loss(self, batch: list[int], seed: int) -> Any:
        """−ln p of the pieces that are asked for. The head, whose output is the vocabulary, sees those alone."""
        import torch

        pieces, present = self.base.table(self.windows, batch)
        selected = choose_targets(present, self.probability, seed)
        hidden = disguise(pieces, selected, self.base.tokenizer.mask_token_id, len(self.base.tokenizer), seed)
        inputs = self.base.inputs(hidden, present, self.device)
        positions = torch.from_numpy(np.flatnonzero(selected)).to(self.device)
        truth = torch.from_numpy(pieces[selected]).to(self.device)

        def only_asked(_module: Any, _arguments: Any, output: Any) -> Any:
            output.last_hidden_state = output.last_hidden_state.flatten(0, 1)[positions][None]
            return output

        hook = self.model.base_model.register_forward_hook(only_asked)
        try:
            logits = self.model(**inputs).logits[0]
        finally:
            hook.remove()
        return torch.nn.functional.cross_entropy(logits.float(), truth)


def choose_targets(present: Bools, probability: float, seed: int) -> Bools:
    """Which pieces are asked for: never a window's ends, nor padding, and at least one."""
    draws = np.random.default_rng([seed, 0]).random(present.shape)
    inner = present.copy()
    inner[:, 0] = False
    inner[np.arange(len(inner)), present.sum(axis=1) - 1] = False
    draws[~inner] = 1.0
    selected = draws < probability
    if not selected.any():
        selected.flat[draws.argmin()] = True
    return selected


def disguise(ids: Ints, targets: Bools, mask: int, vocabulary: int, seed: int) -> Ints:
    """The pieces with most of those that are asked for hidden, some replaced, some as they are."""
    generator = np.random.default_rng([seed, 1])
    fate = generator.random(ids.shape)
    any_piece = generator.integers(0, vocabulary, ids.shape)
    changed = np.where(targets & (fate < _HIDDEN), mask, ids)
    return np.where(targets & (fate >= _HIDDEN) & (fate < _HIDDEN + _REPLACED), any_piece, changed)
