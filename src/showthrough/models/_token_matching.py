"""How much of what one text says another says too, by a transformer's last hidden states, token by token.

As BERTScore (Zhang et al. 2020) without weights and rescaling: every word piece is matched with the most similar one of
the other text, and the two means are put together as F1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from showthrough.core.arrays import Floats, Floats32
from showthrough.models.cache import Arrays, question
from showthrough.models.device import TableShape, in_shapes, refuse_nan, torch_device, torch_dtype, width_of
from showthrough.models.files import PretrainedModel, guard_errors, guard_loading
from showthrough.models.prediction import PADDED, positions
from showthrough.models.settings import share_of

Pair = tuple[str, str]

VERSION = 1  # of the answers
_BLOCK = 8  # documents whose states are held together


class _TokenizedText(NamedTuple):
    """A text in word pieces, with those that stand for nothing in it told apart."""

    ids: list[int]
    marks: list[int]


class TokenMatches(PretrainedModel):
    """A model of the `transformers` library, by its last hidden states."""

    def cosines(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]:
        """F1 of the best matches of every pair, group by group; a text longer than the model takes is cut off there."""
        names = [question("token matches", VERSION, self.identity, list(group)) for group in groups]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            for first in range(0, len(indices), _BLOCK):
                block = [groups[index] for index in indices[first : first + _BLOCK]]
                states = self._states(list(dict.fromkeys(text for group in block for pair in group for text in pair)))
                share_of(self.watch, "passages", first, len(block), len(indices))(1.0)
                for group in block:
                    yield {
                        "f1": np.array(
                            [_f1(states[first_text], states[second_text]) for first_text, second_text in group],
                            dtype=np.float64,
                        )
                    }

        return [np.asarray(entry["f1"], dtype=np.float64) for entry in self.cache.through(names, answer)]

    def _states(self, texts: Sequence[str]) -> dict[str, Floats32]:
        """The last hidden states of each text, a row of length 1 a word piece."""
        import torch

        by_text: dict[str, Floats32] = {}
        model, tokenizer = self._model_and_tokenizer
        limit = min(positions(model.config), tokenizer.model_max_length)
        with guard_errors(self.role.failure_error):
            read = [_TokenizedText(*self._cut(text, limit)) for text in texts]
        lengths = [len(tokens.ids) for tokens in read]
        if getattr(model.config, "model_type", "") in PADDED:
            lengths = [width_of(length, limit) for length in lengths]
        padding = tokenizer.pad_token_id or 0

        def run(items: list[int], rows: int, shape: TableShape) -> Floats32:
            filled = items + items[:1] * (rows - len(items))
            ids, mask = np.full((rows, shape.width), padding), np.zeros((rows, shape.width), dtype=np.int64)
            for row, item in enumerate(filled):
                ids[row, : len(read[item].ids)], mask[row, : len(read[item].ids)] = read[item].ids, 1
            with torch.inference_mode():
                tensors = (torch.as_tensor(array, device=model.device) for array in (ids, mask))
                answers = model(**dict(zip(("input_ids", "attention_mask"), tensors, strict=True))).last_hidden_state
            states: Floats32 = answers.float().cpu().numpy()[: len(items)]
            refuse_nan(states, self.role.what, model.dtype)
            return states

        with guard_errors(self.role.failure_error):
            shapes = [TableShape(length, length) for length in lengths]
            for items, states in in_shapes(shapes, model.device, run, self.role.what):
                for item, rows in zip(items, states, strict=True):
                    words = np.array(read[item].marks) == 0
                    word_rows = rows[: len(words)][words]
                    size = np.linalg.norm(word_rows, axis=1, keepdims=True)
                    by_text[texts[item]] = np.divide(word_rows, size, out=np.zeros_like(word_rows), where=size > 0)
        return by_text

    def _cut(self, text: str, limit: int) -> tuple[list[int], list[int]]:
        tokenizer = self._model_and_tokenizer[1]
        read = tokenizer(text, truncation=True, max_length=limit, return_special_tokens_mask=True, verbose=False)
        return read["input_ids"] or [tokenizer.pad_token_id or 0], read["special_tokens_mask"] or [1]

    @cached_property
    def _model_and_tokenizer(self) -> tuple[Any, Any]:
        try:
            from transformers import AutoModel, AutoTokenizer
        except ImportError as error:
            raise self.without_packages() from error
        options = {"dtype": torch_dtype(self.settings.dtype), "use_safetensors": True}
        with guard_loading(self.location, "a transformer", self.role):
            model = AutoModel.from_pretrained(self.folder, trust_remote_code=False, **options)
            tokenizer = AutoTokenizer.from_pretrained(self.folder, trust_remote_code=False)
            return model.to(torch_device(self.settings.device)).eval(), tokenizer


def _f1(first: Floats32, second: Floats32) -> float:
    """0 where a text has no word piece."""
    if not len(first) or not len(second):
        return 0.0
    near = first @ second.T
    precision, recall = float(near.max(axis=1).mean()), float(near.max(axis=0).mean())
    return 2 * precision * recall / (precision + recall) if precision > 0 < recall else 0.0
