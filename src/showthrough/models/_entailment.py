"""Whether one text follows from another, as a natural-language-inference model says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.errors import join_names, shorten
from showthrough.models.cache import Arrays, question
from showthrough.models.device import TableShape, in_shapes, refuse_nan, torch_device, torch_dtype, width_of
from showthrough.models.files import PretrainedModel, guard_errors, guard_loading, tokenizer_fault
from showthrough.models.prediction import PADDED, positions
from showthrough.models.settings import share_of

Pair = tuple[str, str]

VERSION = 1  # of the answers
_MOST = 5.0
_BLOCK = 64  # documents whose answers are stored together: what a stop can lose
_LABEL = "entailment"
_WINDOW = 256  # pieces of a text and a hypothesis together: models learn from short passages


class Entailment(PretrainedModel):
    """A model of the `transformers` library that classifies pairs of texts, one of its classes being entailment."""

    def similarities(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]:
        """5 · (P(the second follows from the first) + P(the first from the second)) / 2, of every pair."""
        names = [question("entailment", VERSION, self.identity, list(group)) for group in groups]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            for first in range(0, len(indices), _BLOCK):
                block = [groups[index] for index in indices[first : first + _BLOCK]]
                pairs = dict.fromkeys(way for group in block for pair in group for way in (pair, pair[::-1]))
                chances = dict(zip(pairs, self._chances(list(pairs)).tolist(), strict=True))
                share_of(self.watch, "passages", first, len(block), len(indices))(1.0)
                for group in block:
                    yield {"chances": np.array([[chances[pair], chances[pair[::-1]]] for pair in group]).reshape(-1, 2)}

        entries = self.cache.through(names, answer)
        return [_MOST * np.asarray(entry["chances"], dtype=np.float64).mean(axis=1) for entry in entries]

    def follow(self, groups: Sequence[tuple[str, Sequence[str]]]) -> list[Floats]:
        """P(a hypothesis follows from a text), of every hypothesis of each text: the highest over the text's windows.

        NaN for a hypothesis so long that no window is left beside it.
        """
        names = [question("follows", VERSION, self.identity, text, list(hypotheses)) for text, hypotheses in groups]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            for first in range(0, len(indices), _BLOCK):
                block = [groups[index] for index in indices[first : first + _BLOCK]]
                with guard_errors(self.role.failure_error):
                    windows = [
                        [self._windows(text, hypothesis) for hypothesis in hypotheses] for text, hypotheses in block
                    ]
                chances = iter(
                    self._run([window for group in windows for hypothesis in group for window in hypothesis]).tolist()
                )
                share_of(self.watch, "hypotheses", first, len(block), len(indices))(1.0)
                for group in windows:
                    highest = [max((next(chances) for _ in hypothesis), default=math.nan) for hypothesis in group]
                    yield {"chances": np.array(highest, dtype=np.float64)}

        return [np.asarray(entry["chances"], dtype=np.float64) for entry in self.cache.through(names, answer)]

    def _windows(self, text: str, hypothesis: str) -> list[dict[str, Any]]:
        """Overlapping windows of a text, each with the hypothesis behind it; none where there is no room for one."""
        _, tokenizer, _ = self._loaded
        limit = min(self._limit, _WINDOW)
        taken = len(tokenizer("", hypothesis, verbose=False)["input_ids"])
        if taken > limit // 2:
            return []
        encoded = tokenizer(
            text, hypothesis, truncation="only_first", max_length=limit, stride=(limit - taken) // 4,
            return_overflowing_tokens=True, verbose=False,
        )  # fmt: skip
        names = [name for name in encoded if name != "overflow_to_sample_mapping"]
        return [{name: encoded[name][number] for name in names} for number in range(len(encoded["input_ids"]))]

    @property
    def _limit(self) -> int:
        model, tokenizer, _ = self._loaded
        return int(min(positions(model.config), tokenizer.model_max_length))

    def _chances(self, pairs: Sequence[Pair]) -> Floats:
        """P(entailment) of each pair of premise and hypothesis; of a pair too long for the model both ends are cut."""
        _, tokenizer, _ = self._loaded
        cut = {"truncation": "longest_first", "max_length": self._limit, "verbose": False}
        with guard_errors(self.role.failure_error):
            encoded = [tokenizer(*pair, **cut) for pair in pairs]
        return self._run(encoded)

    def _run(self, encoded: Sequence[Any]) -> Floats:
        """P(entailment) of each pair, as the tokenizer cut it."""
        import torch

        model, tokenizer, label = self._loaded
        chances = np.zeros(len(encoded))

        def run(items: list[int], rows: int, shape: TableShape) -> Floats:
            filled = [encoded[item] for item in items + items[:1] * (rows - len(items))]
            padded = tokenizer.pad(filled, padding="max_length", max_length=shape.width, return_tensors="pt")
            with torch.inference_mode():
                logits = model(**padded.to(model.device)).logits.float().softmax(dim=-1).double().cpu().numpy()
            refuse_nan(logits, self.role.what, model.dtype)
            return np.asarray(logits[: len(items), label], dtype=np.float64)

        with guard_errors(self.role.failure_error):
            lengths = [len(tokens["input_ids"]) for tokens in encoded]
            if getattr(model.config, "model_type", "") in PADDED:
                lengths = [width_of(length, self._limit) for length in lengths]
            shapes = [TableShape(length, length) for length in lengths]
            for items, answers in in_shapes(shapes, model.device, run, self.role.what):
                chances[items] = answers
        return chances

    @cached_property
    def _loaded(self) -> tuple[Any, Any, int]:
        """The model, its tokenizer, and which class is entailment. Raises ResourceError unless it can do this."""
        try:
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
        except ImportError as error:
            raise self.without_packages() from error
        options = {"dtype": torch_dtype(self.settings.dtype), "use_safetensors": True, "output_loading_info": True}
        with guard_loading(self.location, "a natural-language-inference model", self.role):
            model, report = AutoModelForSequenceClassification.from_pretrained(
                self.folder, trust_remote_code=False, **options
            )
            tokenizer = AutoTokenizer.from_pretrained(self.folder, trust_remote_code=False)
            classes = {number: str(name) for number, name in model.config.id2label.items()}
            labels = [number for number, name in classes.items() if name.lower() == _LABEL]
            if fault := self._fault(report["missing_keys"], tokenizer, model, classes, labels):
                raise self.role.missing_error(fault, "name a model for natural-language inference")
            return model.to(torch_device(self.settings.device)).eval(), tokenizer, labels[0]

    def _fault(
        self, missing: Sequence[str], tokenizer: Any, model: Any, classes: dict[int, str], labels: list[int]
    ) -> str:
        if missing:
            return f"{self.location!r} does not classify texts: {min(missing)} is not in it"
        if len(labels) != 1:
            names = join_names(shorten(name) for name in classes.values())
            return f"{self.location!r} has the classes {names}; expected one of them to be {_LABEL}"
        if tokenizer.pad_token_id is None:
            return f"the tokenizer of {self.location!r} has no mark that fills up a table"
        return tokenizer_fault(self.location, tokenizer, model.get_input_embeddings().num_embeddings)
