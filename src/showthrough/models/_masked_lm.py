"""Information content from a masked language model: found, checked and loaded when it is needed, its answers kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.models._packing import mark_identity
from showthrough.models.cache import Arrays, question
from showthrough.models.device import torch_device, torch_dtype
from showthrough.models.files import PretrainedModel, guard_errors, guard_loading, tokenizer_fault
from showthrough.models.information import ModelContext, SpanQuery
from showthrough.models.prediction import Predictor
from showthrough.models.settings import share_of

VERSION = 2  # of the answers; rises when one could change
# Characters that are read at once, those of a text in every turn. Answers are stored block by block, so a block is what
# a stop can lose: a minute's work on a processor, a second's on an accelerator.
_BLOCK = {"cpu": 300_000}
_LARGE_BLOCK = 2_400_000


class MaskedLanguageModel(PretrainedModel):
    """A model of the `transformers` library with a prediction head."""

    packs: ClassVar[bool] = True  # whether texts may stand end to end (`_packing.py`)

    @property
    def identity(self) -> tuple[object, ...]:
        return mark_identity(super().identity)

    def weigh(self, questions: Sequence[SpanQuery], context: ModelContext) -> list[Floats]:
        """The information content of every span, from the cache where it has been asked before."""
        how = (context.segment_length, context.overlap, context.special_tokens, context.attend_hidden)
        key = "ic", VERSION, self.identity, how
        names = [question(*key, query.text, query.start, query.end, query.turn) for query in questions]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            done = 0
            size = _BLOCK.get(self.predictor.model.device.type, _LARGE_BLOCK)
            for block in _blocks([questions[index] for index in indices], size):
                tell = share_of(self.watch, self.role.what, done, len(block), len(indices))
                with guard_errors(self.role.failure_error):
                    weighed = self.predictor.weigh(block, context, tell)
                for ics in weighed:
                    yield {"ic": ics}
                done += len(block)

        return [np.array(entry["ic"], dtype=np.float64) for entry in self.cache.through(names, answer)]

    @cached_property
    def predictor(self) -> Predictor:
        """The model at work. Raises ResourceError unless it can do what is asked of it."""
        try:
            from transformers import AutoModelForMaskedLM, AutoTokenizer
        except ImportError as error:
            raise self.without_packages() from error
        device = torch_device(self.settings.device)
        options = {"dtype": torch_dtype(self.settings.dtype), "use_safetensors": True, "output_loading_info": True}
        with guard_loading(self.location, "a masked language model", self.role):
            model, report = AutoModelForMaskedLM.from_pretrained(self.folder, trust_remote_code=False, **options)
            tokenizer = AutoTokenizer.from_pretrained(self.folder, trust_remote_code=False)
            if fault := _fault(self.location, model, report, tokenizer):
                raise self.role.missing_error(fault, "name a model for masked language modelling")
            return Predictor(model.to(device).eval(), tokenizer, packs=self.packs)


def _blocks(questions: Sequence[SpanQuery], size: int) -> Iterator[Sequence[SpanQuery]]:
    """Consecutive questions for which about `size` characters have to be read together."""
    first = characters = 0
    for number, item in enumerate(questions):
        characters += len(item.text) * len(np.unique(item.turn))
        if characters >= size:
            yield questions[first : number + 1]
            first, characters = number + 1, 0
    if first < len(questions):
        yield questions[first:]


def _fault(location: str, model: Any, report: Mapping[str, Any], tokenizer: Any) -> str:
    """What a model and its tokenizer do not have that they are asked for; empty where they have all."""
    if report["missing_keys"]:
        return f"{location!r} has no prediction head: {min(report['missing_keys'])} is not in it"
    if tokenizer.mask_token_id is None:
        return f"the tokenizer of {location!r} has no mask token"
    if not tokenizer.is_fast:
        return f"the tokenizer of {location!r} does not say where its pieces stand"
    return tokenizer_fault(location, tokenizer, model.get_input_embeddings().num_embeddings)
