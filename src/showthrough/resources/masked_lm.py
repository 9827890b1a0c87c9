"""Information content from a masked language model: found, checked and loaded when it is needed, its answers kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from showthrough.resources.cache import Arrays, Cache, question
from showthrough.resources.device import torch_device, torch_dtype
from showthrough.resources.files import EXTRA, model_files, quietly
from showthrough.resources.information import Context, Floats, Question
from showthrough.resources.names import INFORMATION, SourceName
from showthrough.resources.prediction import Predictor
from showthrough.resources.settings import ModelSettings, Watch

VERSION = 1  # of the answers; rises when one could change
_BLOCK = 400_000  # characters that are asked about at once; answers are stored block by block


class MaskedLanguageModel:
    """A model of the `transformers` library with a prediction head, by its name on the hub or by folder."""

    def __init__(self, name: SourceName, settings: ModelSettings, cache: Cache, watch: Watch | None = None) -> None:
        self.name = name
        self.settings = settings
        self.cache = cache
        self.watch = watch
        self._files = model_files(name, INFORMATION)
        self._predictor: Predictor | None = None

    @property
    def revision(self) -> str:
        return self._files.revision

    def weigh(self, questions: Sequence[Question], context: Context) -> list[Floats]:
        """The information content of every span, from the cache where it has been asked before."""
        how = (context.segment_length, context.overlap, context.special_tokens, context.attend_hidden)
        names = [
            question("ic", VERSION, self.revision, self.settings.dtype, how, one.text, one.start, one.end, one.turn)
            for one in questions
        ]

        def answer(places: list[int]) -> Iterator[Arrays]:
            done = 0
            for block in _blocks([questions[place] for place in places]):

                def tell(share: float, done: int = done, block: Sequence[Question] = block) -> None:
                    if self.watch:
                        self.watch("information content", done + int(share * len(block)), len(places))

                for ics in self.predictor().weigh(block, context, tell):
                    yield {"ic": ics}
                done += len(block)

        return [np.array(entry["ic"], dtype=np.float64) for entry in self.cache.through(names, answer)]

    def predictor(self) -> Predictor:
        """The model at work. Raises ResourceError unless it can do what is asked of it."""
        if self._predictor is None:
            place, folder = self.name.place, self._files.folder
            try:
                from transformers import AutoModelForMaskedLM, AutoTokenizer
            except ImportError as error:
                reason = f"the model {place!r} needs packages that are not installed"
                raise INFORMATION.missing(reason, EXTRA) from error
            device = torch_device(self.settings.device)
            options = {"dtype": torch_dtype(self.settings.dtype), "use_safetensors": True, "output_loading_info": True}
            try:
                with quietly():
                    model, report = AutoModelForMaskedLM.from_pretrained(folder, **options)
                    tokenizer = AutoTokenizer.from_pretrained(folder)
            except (OSError, ValueError) as error:
                reason = f"{place!r} cannot be loaded as a masked language model: {_first_line(error)}"
                raise INFORMATION.missing(reason, "check its files") from error
            lacks = ""
            if report["missing_keys"]:
                lacks = f"{place!r} has no prediction head: {min(report['missing_keys'])} is not in it"
            elif tokenizer.mask_token_id is None:
                lacks = f"the tokenizer of {place!r} has no mask token"
            elif not tokenizer.is_fast:
                lacks = f"the tokenizer of {place!r} does not say where its pieces stand"
            if lacks:
                raise INFORMATION.missing(lacks, "name a model for masked language modelling")
            self._predictor = Predictor(model.to(device).eval(), tokenizer)
        return self._predictor


def _blocks(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    """Consecutive questions of about `_BLOCK` characters of text together."""
    first = size = 0
    for number, one in enumerate(questions):
        size += len(one.text)
        if size >= _BLOCK:
            yield questions[first : number + 1]
            first, size = number + 1, 0
    if first < len(questions):
        yield questions[first:]


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
