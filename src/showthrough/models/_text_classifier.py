"""An encoder that is fine-tuned to label texts: windows of a text learn its label, and all of them decide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.errors import ResourceError
from showthrough.models.cache import Arrays, question
from showthrough.models.checkpoints import Checkpoint
from showthrough.models.device import refuse_nan, torch_device
from showthrough.models.files import PretrainedModel, describe_missing, guard_errors, guard_loading, tokenizer_fault
from showthrough.models.prediction import positions
from showthrough.models.training import Course, Learner, seed_random, train

VERSION = 1  # of the answers
_WINDOW = 512  # pieces with their marks, or as many as the model takes
_BATCH, _RATE = 8, 5e-5


class TextClassifier(PretrainedModel):
    """A model of the `transformers` library; a head for the labels is put on it, and both are trained.

    AdamW, a learning rate of 5e-5 that falls to nothing, 8 windows a step. A text's label has the highest sum of
    logits over its windows. Every training starts from the model as it was saved.
    """

    def learned_labels(
        self,
        texts: Sequence[str],
        labels: Ints,
        classes: int,
        tests: Sequence[Sequence[str]],
        *,
        epochs: int,
        seed: int,
    ) -> list[Ints]:
        """The labels of texts, learned from others; from the cache where the same was learned before."""
        sides = [list(side) for side in tests]
        name = question("learned", VERSION, self.identity, list(texts), labels.tolist(), classes, sides, epochs, seed)

        def answer(indices: list[int]) -> Iterator[Arrays]:
            with guard_errors(self.role.failure_error):
                model = self._taught(texts, labels, classes, epochs, seed)
                yield {str(number): self._label(model, side) for number, side in enumerate(sides)}

        (entry,) = self.cache.through([name], answer)
        return [np.asarray(entry[str(number)], dtype=np.int64) for number in range(len(sides))]

    def _taught(self, texts: Sequence[str], labels: Ints, classes: int, epochs: int, seed: int) -> Any:
        windows, owner = self._windows(texts)
        device = torch_device(self.settings.device)
        if self.settings.dtype == "fp16":
            raise ResourceError(f"{self.role.what}: fp16 is too coarse to train in; expected --dtype fp32 or bf16")
        learner = _WindowLearner(self._untaught(classes, seed), self._tokenizer, windows, labels[owner])
        course = Course("fine-tuning", 0, epochs, _BATCH, _RATE, seed, falling=True, remedy="name a smaller model")
        nowhere = Checkpoint(Path(), {}, load=False, save=False)
        train(learner, course, device, self.settings.dtype == "bf16", nowhere, self.watch, math.inf)
        return learner.model.eval()

    def _label(self, model: Any, texts: Sequence[str]) -> Ints:
        import torch

        windows, owner = self._windows(texts)
        scores = np.zeros((len(texts), model.config.num_labels))
        for first in range(0, len(windows), _BATCH):
            batch = _table(self._tokenizer, windows[first : first + _BATCH]).to(model.device)
            with torch.inference_mode():
                logits: Floats = model(**batch).logits.double().cpu().numpy()
            refuse_nan(logits, self.role.what, model.dtype)
            np.add.at(scores, owner[first : first + _BATCH], logits)
        return np.asarray(scores.argmax(axis=1))

    def _windows(self, texts: Sequence[str]) -> tuple[list[list[int]], Ints]:
        """The pieces of consecutive windows of texts, with their marks, and the number of the text of each."""
        if not texts:
            return [], np.zeros(0, dtype=np.int64)
        encoded = self._tokenizer(
            list(texts), truncation=True, max_length=self._room, return_overflowing_tokens=True, verbose=False
        )
        return encoded["input_ids"], np.array(encoded["overflow_to_sample_mapping"], dtype=np.int64)

    @cached_property
    def _room(self) -> int:
        from transformers import AutoConfig

        with guard_loading(self.location, "an encoder", self.role):
            config = AutoConfig.from_pretrained(self.folder, trust_remote_code=False)
        return int(min(_WINDOW, positions(config), self._tokenizer.model_max_length))

    @cached_property
    def _tokenizer(self) -> Any:
        try:
            from transformers import AutoTokenizer
        except ImportError as error:
            raise self.without_packages() from error
        with guard_loading(self.location, "a tokenizer", self.role):
            tokenizer = AutoTokenizer.from_pretrained(self.folder, trust_remote_code=False)
        if not tokenizer.is_fast or tokenizer.pad_token_id is None:
            raise self.role.missing_error(f"the tokenizer of {self.location!r} cuts no windows", "name an encoder")
        return tokenizer

    def _untaught(self, classes: int, seed: int) -> Any:
        """The model with a new head, whose random numbers follow from the seed."""
        from transformers import AutoModelForSequenceClassification

        options = {"dtype": "float32", "use_safetensors": True, "trust_remote_code": False, "num_labels": classes}
        with guard_loading(self.location, "an encoder", self.role), seed_random(seed):
            model, report = AutoModelForSequenceClassification.from_pretrained(
                self.folder, output_loading_info=True, ignore_mismatched_sizes=True, **options
            )
        fault = describe_missing(self.location, model, report, new_head=True)
        fault = fault or tokenizer_fault(self.location, self._tokenizer, model.get_input_embeddings().num_embeddings)
        if fault:
            raise self.role.missing_error(fault, "name an encoder")
        return model


@dataclass(eq=False)
class _WindowLearner(Learner):
    """Windows of texts, each with the label of its text."""

    model: Any
    tokenizer: Any
    windows: list[list[int]]
    labels: Ints

    def loss(self, batch: list[int], seed: int) -> Any:
        import torch

        device = self.model.device
        inputs = _table(self.tokenizer, [self.windows[number] for number in batch]).to(device)
        truth = torch.from_numpy(self.labels[batch]).to(device)
        return torch.nn.functional.cross_entropy(self.model(**inputs).logits.float(), truth)


def _table(tokenizer: Any, windows: Sequence[list[int]]) -> Any:
    return tokenizer.pad({"input_ids": list(windows)}, return_tensors="pt", verbose=False)
