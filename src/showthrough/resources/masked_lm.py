"""Information content from a masked language model: how surprised it is by what stands there.

The pieces that are asked for are replaced by the mask token, and the model says how probable the true ones are
(Pilán et al. 2022, section 6.3). Segments of all texts go through it together, sorted by length, and the head that
weighs the whole vocabulary sees only the places in question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from showthrough.errors import ResourceError
from showthrough.resources.cache import Arrays, Cache, question
from showthrough.resources.device import in_batches, pieces_at_once, torch_device, torch_dtype
from showthrough.resources.files import EXTRA, model_files, quietly
from showthrough.resources.information import Context, Floats, Question
from showthrough.resources.names import INFORMATION, SourceName
from showthrough.resources.segments import Asked, Pass, Pieces
from showthrough.resources.settings import ModelSettings, Watch

VERSION = 1  # of the answers; rises when one could change
_BLOCK = 400_000  # characters that are planned at once; answers are stored block by block
_HIDDEN_SHARE = 4  # a batch gets smaller when more than one piece in so many is hidden: the head's output is large
_HEAD_ROWS = 2048  # of its output that are turned into probabilities at once


class MaskedLanguageModel:
    """A model of the `transformers` library with a prediction head, by its name on the hub or by folder."""

    def __init__(self, name: SourceName, settings: ModelSettings, cache: Cache, watch: Watch | None = None) -> None:
        self.name = name
        self.settings = settings
        self.cache = cache
        self.watch = watch
        self._files = model_files(name, INFORMATION)
        self._loaded: tuple[Any, Any] | None = None

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
                for ics in self._answer(block, context, done, len(places)):
                    yield {"ic": ics}
                done += len(block)

        return [np.array(entry["ic"], dtype=np.float64) for entry in self.cache.through(names, answer)]

    def _answer(self, questions: Sequence[Question], context: Context, done: int, total: int) -> Iterator[Floats]:
        model, tokenizer = self.loaded()
        limit = min(getattr(model.config, "max_position_embeddings", 1 << 30), tokenizer.model_max_length)
        if context.segment_length > limit:
            raise ResourceError(
                f"segment_length={context.segment_length} is more than {self.name.place} takes: {limit}"
            )
        asked = [
            Asked(pieces, one, context)
            for pieces, one in zip(_cut(tokenizer, questions, context), questions, strict=True)
        ]
        passes = [one for each in asked for one in each.passes()]
        lengths = [max(len(one), _HIDDEN_SHARE * len(one.hidden)) for one in passes]
        budget = pieces_at_once(model.device)
        ready = 0
        for batch, logs in in_batches(
            lengths, budget, lambda batch: self._run([passes[item] for item in batch], context), "information content"
        ):
            for item, found in zip(batch, logs, strict=True):
                passes[item].record(found)
            ready += len(batch)
            if self.watch:
                self.watch("information content", done + len(questions) * ready // len(passes), total)
        return (each.ics() for each in asked)

    def _run(self, passes: Sequence[Pass], context: Context) -> list[Floats]:
        """ln p of the hidden pieces of each pass."""
        import torch

        model, tokenizer = self.loaded()
        wrap = int(context.special_tokens == "segment")
        shape = len(passes), max(map(len, passes)) + 2 * wrap
        ids = np.full(shape, tokenizer.pad_token_id or 0, dtype=np.int64)
        seen = np.zeros(shape, dtype=np.int64)
        places, truth = [], []
        for row, one in enumerate(passes):
            length = len(one)
            hidden = one.hidden + wrap
            ids[row, wrap : wrap + length] = one.ids
            if wrap:
                ids[row, 0], ids[row, length + 1] = tokenizer.cls_token_id, tokenizer.sep_token_id
            places.append(row * shape[1] + hidden)
            truth.append(ids[row, hidden])
            ids[row, hidden] = tokenizer.mask_token_id
            seen[row, : length + 2 * wrap] = 1
            if (
                not context.attend_hidden and len(hidden) < length + 2 * wrap
            ):  # with nothing else to see, they see each other
                seen[row, hidden] = 0
        device = model.device
        flat = torch.from_numpy(np.concatenate(places)).to(device)
        true = torch.from_numpy(np.concatenate(truth)).to(device)

        def only_hidden(_module: Any, _arguments: Any, output: Any) -> Any:
            output.last_hidden_state = output.last_hidden_state.flatten(0, 1)[flat][None]
            return output

        hook = model.base_model.register_forward_hook(only_hidden)
        try:
            with torch.inference_mode():
                inputs = torch.from_numpy(ids).to(device), torch.from_numpy(seen).to(device)
                logits = model(input_ids=inputs[0], attention_mask=inputs[1]).logits[0]
                found = [
                    (rows.gather(1, wanted[:, None])[:, 0].float() - rows.float().logsumexp(1)).cpu()
                    for rows, wanted in zip(logits.split(_HEAD_ROWS), true.split(_HEAD_ROWS), strict=True)
                ]
        finally:
            hook.remove()
        logs = torch.cat(found).numpy().astype(np.float64)
        return np.split(logs, np.cumsum([len(place) for place in places])[:-1])

    def loaded(self) -> tuple[Any, Any]:
        """The model and its tokenizer. Raises ResourceError unless they can do what is asked of them."""
        if self._loaded is None:
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
            if report["missing_keys"]:
                missing = (
                    f"{place!r} has no prediction head: {', '.join(sorted(report['missing_keys'])[:3])} is not in it"
                )
                raise INFORMATION.missing(missing, "name a model for masked language modelling")
            if tokenizer.mask_token_id is None:
                raise INFORMATION.missing(
                    f"the tokenizer of {place!r} has no mask token", "name a model for masked language modelling"
                )
            if not tokenizer.is_fast:
                raise INFORMATION.missing(
                    f"the tokenizer of {place!r} does not say where its pieces stand",
                    "name a model with a fast tokenizer",
                )
            self._loaded = model.to(device).eval(), tokenizer
        return self._loaded


def _cut(tokenizer: Any, questions: Sequence[Question], context: Context) -> Iterator[Pieces]:
    """Every question's text in word pieces; a text that is asked about twice is cut once."""
    texts = list(dict.fromkeys(one.text for one in questions))
    found = tokenizer(
        texts,
        add_special_tokens=context.special_tokens == "document",
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
        verbose=False,
    )
    cut = {}
    for number, text in enumerate(texts):
        offsets = np.array(found["offset_mapping"][number], dtype=np.int64).reshape(-1, 2)
        ids = np.array(found["input_ids"][number], dtype=np.int64)
        cut[text] = Pieces(
            ids, offsets[:, 0], offsets[:, 1], np.array(found["special_tokens_mask"][number], dtype=bool)
        )
    return (cut[one.text] for one in questions)


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
