"""The language model that the attack starts from: its files, its tokenizer, and its two forms, with seeded heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.core.errors import ResourceError, UnavailableError
from showthrough.families.reidentification.attacks.tri.windows import TextWindows, longest_window
from showthrough.models.files import EXTRA, guard_loading, model_files, tokenizer_fault
from showthrough.models.names import Role, local_or_hub
from showthrough.models.training import seed_random


@dataclass(frozen=True)
class _BaseModelRole(Role):
    def missing_error(self, reason: str, install: str) -> UnavailableError:
        return UnavailableError(
            f"{self.what}: {reason}. Either {install}; or name a folder that holds it, "
            f'{self.parameter}="/path/to/it"; or choose the attack {self.alone[0]!r}, which needs no model'
        )


_LOADING = {"dtype": "float32", "use_safetensors": True, "trust_remote_code": False}
ROLE = _BaseModelRole("the attack 'transformer'", "base_model_name", ("hf",), ("lexical",))


class BaseModel:
    """A model of the `transformers` library by its name on the hub or by folder."""

    def __init__(self, name: str) -> None:
        self.name = name
        try:
            import torch  # noqa: F401
            import transformers  # noqa: F401
        except ImportError as error:
            raise ROLE.missing_error("it needs packages that are not installed", EXTRA) from error
        files = model_files(ROLE.parse(local_or_hub(name, "hf")), ROLE)
        self.revision, self._folder = files.revision, files.folder

    @cached_property
    def tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        with guard_loading(self.name, "a tokenizer", ROLE):
            tokenizer = AutoTokenizer.from_pretrained(self._folder, trust_remote_code=False)
        needed = ("cls_token_id", "sep_token_id", "pad_token_id", "mask_token_id")
        if lacking := [name.removesuffix("_id") for name in needed if getattr(tokenizer, name) is None]:
            raise ROLE.missing_error(
                f"the tokenizer of {self.name!r} has no {', '.join(lacking)}", "name a model like BERT"
            )
        return tokenizer

    @cached_property
    def longest(self) -> int:
        """How many pieces it takes. Raises ResourceError where its tokenizer is another model's."""
        from transformers import AutoConfig

        with guard_loading(self.name, "a model", ROLE):
            config = AutoConfig.from_pretrained(self._folder, trust_remote_code=False)
        if fault := tokenizer_fault(self.name, self.tokenizer, config.vocab_size):
            raise ROLE.missing_error(fault, "name a model whose files belong together")
        return longest_window(self.name, config, self.tokenizer)

    def masked_lm(self, folder: Path | None = None) -> Any:
        """With the head that guesses hidden words, from its own files or from a folder where it was trained further.

        It has to have that head: a new one would spoil what the model knows.
        """
        from transformers import AutoModelForMaskedLM

        with guard_loading(self.name, "a masked language model", ROLE):
            source = folder or self._folder
            model, report = AutoModelForMaskedLM.from_pretrained(source, output_loading_info=True, **_LOADING)
        if report["missing_keys"]:
            reason = f"{self.name!r} has no prediction head: {', '.join(sorted(report['missing_keys'])[:3])} is missing"
            raise ROLE.missing_error(reason, "choose use_additional_pretraining=False")
        return model

    def classifier(self, labels: Sequence[str], seed: int, folder: Path | None = None) -> Any:
        """With a head that tells individuals apart: a new one, or the trained one that a folder holds."""
        from transformers import AutoModelForSequenceClassification

        names = {"id2label": dict(enumerate(labels)), "label2id": {label: index for index, label in enumerate(labels)}}
        with guard_loading(self.name, "a classifier", ROLE), seed_random(seed):
            return AutoModelForSequenceClassification.from_pretrained(
                folder or self._folder, num_labels=len(labels), **names, **_LOADING
            )

    def table(self, windows: TextWindows, numbers: Sequence[int]) -> tuple[Ints, Bools]:
        """Some windows as a table of pieces, and which of its cells hold one."""
        ends = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id, self.tokenizer.pad_token_id
        return windows.padded(numbers, *ends)

    @staticmethod
    def inputs(pieces: Ints, present: Bools, device: Any) -> dict[str, Any]:
        """A table as the model takes it."""
        import torch

        inputs = {"input_ids": torch.from_numpy(pieces).to(device, non_blocking=True)}
        if not present.all():  # a mask that hides nothing costs time all the same
            inputs["attention_mask"] = torch.from_numpy(present.astype(np.int64)).to(device, non_blocking=True)
        return inputs


def take_over(classifier: Any, pretrained: Any) -> None:
    """Gives a classifier the body of a model that was pretrained; layers that only the classifier has stay."""
    report = classifier.base_model.load_state_dict(pretrained.base_model.state_dict(), strict=False)
    if report.unexpected_keys or any("pooler" not in key for key in report.missing_keys):
        message = f"the body of {type(pretrained).__name__} does not fit {type(classifier).__name__}"
        remedy = "choose use_additional_pretraining=False or another base_model_name"
        raise ResourceError(f"{message}; {remedy}")
