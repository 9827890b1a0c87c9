"""How much a text surprises a language model that reads from left to right; answers are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.errors import ResourceError
from showthrough.models.cache import Arrays, question
from showthrough.models.device import TableShape, in_shapes, refuse_nan, torch_device, torch_dtype, width_of
from showthrough.models.files import PretrainedModel, guard_errors, guard_loading, tokenizer_fault
from showthrough.models.information import ModelContext, SpanQuery
from showthrough.models.prediction import positions
from showthrough.models.settings import share_of

VERSION = 1  # of the answers; rises when one could change
WINDOW = 512  # word pieces that are read at once; each window begins with the second half of the one before
_BLOCK = 2_000  # texts between two times that answers are stored
_SAME = 0.02  # of the spread of a model's answers: what coarse numbers may make of equal ones


class Surprise(NamedTuple):
    """Of one text: Σ −ln p of its word pieces, and how many there are."""

    nats: float
    pieces: int


class CausalLanguageModel(PretrainedModel):
    """A model of the `transformers` library that predicts the next word piece."""

    def surprise(self, texts: Sequence[str]) -> list[Surprise]:
        """What each text tells the model, from the cache where it has been asked before."""
        names = [question("surprise", VERSION, self.identity, WINDOW, text) for text in texts]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            for first in range(0, len(indices), _BLOCK):
                block = [texts[index] for index in indices[first : first + _BLOCK]]
                tell = share_of(self.watch, self.role.what, first, len(block), len(indices))
                with guard_errors(self.role.failure_error):
                    answers = self.reader.read(block)
                tell(1.0)
                for text_surprise in answers:
                    yield {"surprise": np.array(text_surprise, dtype=np.float64)}

        rows = (entry["surprise"].tolist() for entry in self.cache.through(names, answer))
        return [Surprise(nats, int(pieces)) for nats, pieces in rows]

    def weigh(self, questions: Sequence[SpanQuery], context: ModelContext) -> list[Floats]:
        """−ln p of each span's least probable piece after all before it, whatever else is asked for.

        What stands before a span is not hidden: a model that reads from left to right cannot leave it out.
        """
        names = [question("causal ic", VERSION, self.identity, WINDOW, query.text, query.start, query.end)
                 for query in questions]  # fmt: skip

        def answer(indices: list[int]) -> Iterator[Arrays]:
            for first in range(0, len(indices), _BLOCK):
                block = [questions[index] for index in indices[first : first + _BLOCK]]
                tell = share_of(self.watch, self.role.what, first, len(block), len(indices))
                with guard_errors(self.role.failure_error):
                    pieces = self.reader.read_pieces([query.text for query in block])
                tell(1.0)
                for query, of_text in zip(block, pieces, strict=True):
                    yield {"ic": of_text.most_in(query.start, query.end)}

        return [np.array(entry["ic"], dtype=np.float64) for entry in self.cache.through(names, answer)]

    @cached_property
    def reader(self) -> CausalReader:
        """The model at work. Raises ResourceError unless it can do what is asked of it."""
        try:
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ImportError as error:
            raise self.without_packages() from error
        options = {"dtype": torch_dtype(self.settings.dtype), "use_safetensors": True, "output_loading_info": True}
        with guard_loading(self.location, "a language model", self.role):
            model, report = AutoModelForCausalLM.from_pretrained(self.folder, trust_remote_code=False, **options)
            tokenizer = AutoTokenizer.from_pretrained(self.folder, trust_remote_code=False)
            reader = CausalReader(model.to(torch_device(self.settings.device)).eval(), tokenizer)
            if fault := _fault(self.location, reader, report["missing_keys"]):
                raise self.role.missing_error(fault, "name a model that predicts the next word, such as gpt2")
            return reader


class Pieces(NamedTuple):
    """The word pieces of a text: where each stands, and −ln p of it after those before it."""

    start: Ints
    end: Ints
    nats: Floats

    def most_in(self, start: Ints, end: Ints) -> Floats:
        """The most that a piece in each span says; 0 where there is none."""
        first = np.searchsorted(self.end, start, side="right")
        behind = np.searchsorted(self.start, end, side="left")
        spans = zip(first.tolist(), behind.tolist(), strict=True)
        return np.array([self.nats[low:high].max(initial=0.0) for low, high in spans], dtype=np.float64)


class CausalReader:
    """A model that predicts the next word piece and its tokenizer, ready to be asked."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        self.tokenizer = tokenizer
        begin = tokenizer.bos_token_id
        self.begin: int | None = tokenizer.eos_token_id if begin is None else begin  # the mark before a text
        self.window = min(positions(model.config), WINDOW)

    def read(self, texts: Sequence[str]) -> list[Surprise]:
        """The surprise of each text, windows of like length side by side."""
        encoded = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"] if texts else []
        windows = [window for number, ids in enumerate(encoded) for window in _windows(number, ids, self.window)]
        shapes = [
            TableShape(width, width)
            for width in (width_of(len(window_of_text.ids) + 1, self.window) for window_of_text in windows)
        ]
        nats = np.zeros(len(texts))

        def run(batch: list[int], rows: int, shape: TableShape) -> Floats:
            return self._run([windows[item] for item in batch], rows, shape.width)

        for batch, answers in in_shapes(shapes, self.model.device, run, "perplexity"):
            np.add.at(nats, [windows[item].text for item in batch], answers)
        return [Surprise(total, len(ids)) for total, ids in zip(nats.tolist(), encoded, strict=True)]

    def read_pieces(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of each text. Raises ResourceError where the tokenizer does not say where they stand."""
        if not self.tokenizer.is_fast:
            raise ResourceError("information content: the tokenizer does not say where its pieces stand")
        options = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
        encoded = self.tokenizer(list(texts), **options) if texts else {"input_ids": [], "offset_mapping": []}
        windows = [window for number, ids in enumerate(encoded["input_ids"])
                   for window in _windows(number, ids, self.window)]  # fmt: skip
        shapes = [TableShape(width, width) for width in (width_of(len(span.ids) + 1, self.window) for span in windows)]
        of_window: dict[int, Floats] = {}

        def run(batch: list[int], rows: int, shape: TableShape) -> Floats:
            return self._nats([windows[item] for item in batch], rows, shape.width)

        for batch, answers in in_shapes(shapes, self.model.device, run, "information content"):
            of_window |= {item: row[windows[item].new : len(windows[item].ids)]
                          for item, row in zip(batch, answers, strict=True)}  # fmt: skip
        parts: list[list[Floats]] = [[np.zeros(0)] for _ in texts]
        for item, window in enumerate(windows):
            parts[window.text].append(of_window[item])
        return [_pieces(offsets, np.concatenate(part))
                for offsets, part in zip(encoded["offset_mapping"], parts, strict=True)]  # fmt: skip

    def _run(self, windows: Sequence[_Window], rows: int, width: int) -> Floats:
        """Σ −ln p of the new pieces of each window."""
        return np.asarray(self._nats(windows, rows, width).sum(axis=1), dtype=np.float64)

    def _nats(self, windows: Sequence[_Window], rows: int, width: int) -> Floats:
        """−ln p of the new pieces of each window. What stands behind a text it cannot see, so padding may be any."""
        import torch

        ids = np.full((rows, width), self.begin, dtype=np.int64)
        counted = np.zeros((rows, width - 1), dtype=bool)
        for row, window in enumerate(windows):
            ids[row, 1 : len(window.ids) + 1] = window.ids
            counted[row, window.new : len(window.ids)] = True
        input_tensor = torch.from_numpy(ids).to(self.model.device)
        with torch.inference_mode():
            logits = self.model(input_ids=input_tensor).logits[:, :-1].float()
            logs = logits.gather(2, input_tensor[:, 1:, None])[..., 0] - logits.logsumexp(2)
            answers = -np.where(counted, logs.double().cpu().numpy(), 0.0)[: len(windows)]
        refuse_nan(answers, "perplexity", self.model.dtype)
        return np.asarray(answers, dtype=np.float64)

    def looks_ahead(self) -> bool:
        """Whether what stands later changes what it says of a piece: then it has seen the answer."""
        import torch

        ids = torch.tensor([[0, 1, 0, 0], [0, 1, 1, 1]], device=self.model.device)
        with torch.inference_mode():
            first, second = self.model(input_ids=ids).logits[:, :2].float().cpu().numpy()
        return bool(np.abs(first - second).max() > _SAME * first.std())


def _pieces(offsets: Sequence[tuple[int, int]], nats: Floats) -> Pieces:
    """Without those that stand for nothing in the text."""
    start, end = np.array(offsets, dtype=np.int64).reshape(-1, 2).T
    real = start < end
    return Pieces(start[real], end[real], nats[real])


class _Window(NamedTuple):
    """Word pieces of a text, of which those from `new` on are asked for."""

    text: int
    ids: list[int]
    new: int


def _windows(text: int, ids: list[int], size: int) -> Iterator[_Window]:
    """Windows of at most `size` pieces, the mark before them included; each piece is asked for once.

    >>> [tuple(window) for window in _windows(0, [1, 2, 3, 4, 5, 6, 7], 5)]
    [(0, [1, 2, 3, 4], 0), (0, [3, 4, 5, 6], 2), (0, [5, 6, 7], 2)]
    """
    room = size - 1
    step = max(1, room // 2)
    done = 0
    for first in range(0, len(ids), step):
        window = ids[first : first + room]
        if first + len(window) > done:
            yield _Window(text, window, done - first)
            done = first + len(window)


def _fault(location: str, reader: CausalReader, missing: Sequence[str]) -> str:
    """What a model and its tokenizer do not have that they are asked for; empty where they have all."""
    if missing:
        return f"{location!r} predicts no words: {min(missing)} is not in it"
    if reader.begin is None:
        return f"the tokenizer of {location!r} has no mark that begins or ends a text"
    pieces = reader.model.get_input_embeddings().num_embeddings
    if fault := tokenizer_fault(location, reader.tokenizer, pieces):
        return fault
    if reader.window < 4:
        return f"{location!r} has no room for a word"
    return f"{location!r} reads a text from both sides" if reader.looks_ahead() else ""
