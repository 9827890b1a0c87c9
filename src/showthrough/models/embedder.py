"""Texts as vectors: a sentence-embedding model, or latent semantic analysis of the corpus itself."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain
from threading import local
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from showthrough.core.arrays import Floats, Floats32, Ints
from showthrough.models._packing import (
    Attention,
    PackedEncoder,
    fetch_later,
    laid_out,
    mark_identity,
    packing_attention,
    send,
)
from showthrough.models.cache import Arrays, question
from showthrough.models.device import (
    TableShape,
    in_packs,
    in_shapes,
    refuse_nan,
    rows_of,
    torch_device,
    torch_dtype,
    width_of,
)
from showthrough.models.files import PretrainedModel, foreign_code, guard_errors, guard_loading
from showthrough.models.prediction import PADDED
from showthrough.models.settings import share_of
from showthrough.statistics.numerics.directions import main_directions
from showthrough.statistics.numerics.sparse import SparseRows

# Texts that stand end to end are tokenized once, and the library's own parts make one vector of each.

_CUT = 128  # texts that are cut into pieces at once, while others run
_CHARACTERS = 6  # a piece, or fewer in nearly all texts: more of a text is not looked at where so many are enough
_SPACE = re.compile(r"\s")
_PARTS = frozenset({"Dense", "Normalize", "Pooling"})  # of models: what needs nothing but the states of the last layer


class TokenizedText(NamedTuple):
    """A text in word pieces, marks included."""

    text: str
    ids: Ints
    shape: TableShape


class PackedSentences:
    """A model of the `sentence-transformers` library whose first part is of BERT's make."""

    def __init__(self, model: Any, attention: Attention) -> None:
        import torch

        self.longest = int(model.max_seq_length)
        self._model = model
        self._encoder = PackedEncoder(model[0].auto_model, attention)
        self._parts = [model[number] for number in range(1, len(model))]
        weights = (weight for part in self._parts for weight in part.parameters())
        self._dtype = next((weight.dtype for weight in weights), torch.float32)  # a mean of many is taken in fp32

    def cut(self, texts: Sequence[str]) -> Iterator[TokenizedText]:
        """Texts as the model's own tokenizer cuts them."""
        for first in range(0, len(texts), _CUT):
            batch = texts[first : first + _CUT]
            begun = [_truncate(text, _CHARACTERS * self.longest) for text in batch]
            pieces = self._pieces(begun)
            short = [
                index for index, ids in enumerate(pieces) if len(ids) < self.longest and begun[index] != batch[index]
            ]
            for index, ids in zip(short, self._pieces([batch[index] for index in short]), strict=True):
                pieces[index] = ids
            for text, ids in zip(batch, pieces, strict=True):
                yield TokenizedText(text, ids, TableShape(width_of(len(ids), self.longest), len(ids)))

    def _pieces(self, texts: Sequence[str]) -> list[Ints]:
        """As the library cuts them; its own call takes longer to make a table of them than a GPU to read it."""
        if not texts:
            return []
        if not hasattr(self._model, "preprocess"):  # versions before 6 leave out spaces around a text
            texts = [text.strip() for text in texts]
        encoded = self._model.tokenizer(list(texts), truncation=True, max_length=self.longest, verbose=False)[
            "input_ids"
        ]
        return [np.array(ids, dtype=np.int64) for ids in encoded]

    def run(self, texts: list[TokenizedText], room: int) -> Floats32:
        """One vector a text. They are of one width, and of one table's rows at most."""
        import torch

        width = texts[0].shape.width
        lengths = np.array([len(cut_text.ids) for cut_text in texts])
        ids = np.concatenate([cut_text.ids for cut_text in texts])
        pack, _ = laid_out(ids, lengths, None, room, self.longest, self._encoder.padding)
        rows = rows_of(room, width)
        row = np.repeat(np.arange(len(texts)), lengths)
        within = np.arange(len(ids)) - (np.cumsum(lengths) - lengths)[row]
        # Where in the pack each place of the table stands. Where nothing is, the first piece is, and does not count.
        table, real = np.zeros((rows, width), dtype=np.int64), np.zeros((rows, width), dtype=np.int64)
        table[row, within], real[row, within] = np.arange(len(ids)), 1
        real[len(texts) :, 0] = 1
        device = self._encoder.device
        with torch.inference_mode(), self._encoder.busy:
            states = self._encoder.all_of(pack.on(device))
            numbers = fetch_later(self._pool(states, send(table, device), send(real, device)))
        answers: Floats32 = numbers()[: len(texts)]
        return answers

    def _pool(self, states: Any, table: Any, real: Any) -> Any:
        features = {"token_embeddings": states[table].to(self._dtype), "attention_mask": real}
        for part in self._parts:
            features = part(features)
        return features["sentence_embedding"].float()


def _truncate(text: str, most: int) -> str:
    """A text up to the first space after so many characters: no piece goes across it.

    >>> _truncate("one two three", 5), _truncate("one two", 5)
    ('one two', 'one two')
    """
    space = _SPACE.search(text, most)
    return text[: space.start()] if space else text


def packed_sentences(model: Any) -> PackedSentences | None:
    """The packed way, where the model has one: it says how long texts may be, and puts nothing before them."""
    encoder = getattr(model[0], "auto_model", None)
    longest = model.max_seq_length
    prompt = model.prompts.get(model.default_prompt_name)
    if encoder is None or prompt or not isinstance(longest, int) or model.truncate_dim is not None:
        return None
    if any(type(model[number]).__name__ not in _PARTS for number in range(1, len(model))):
        return None
    if getattr(model[0], "do_lower_case", False) or getattr(model[0], "processing_kwargs", None):
        return None  # texts are changed before they are cut
    attention = packing_attention(encoder) if model.tokenizer.padding_side == "right" else None
    return PackedSentences(model, attention) if attention else None


LongTexts = Literal["truncate", "mean"]
Embed = Callable[[Sequence[str]], Floats32]

VERSION = 3  # of the answers
_BLOCK = {"cpu": 256}  # texts whose embeddings are stored together
_LARGE_BLOCK = 2_048  # the same on an accelerator, of which a block is a second's work
_TOPICS = 100  # dimensions of the latent space
_NOTHING = 1e-6  # a singular value this much smaller than the largest is 0
_WORD = re.compile(r"\w+")


class Embedder(Protocol):
    """Learns what it needs from the originals and returns the function that embeds."""

    def fitted(self, originals: Sequence[str], long_texts: LongTexts) -> Embed: ...


class SentenceEmbedder(PretrainedModel):
    """A model of the `sentence-transformers` library."""

    @property
    def identity(self) -> tuple[object, ...]:
        return mark_identity(super().identity)

    def fitted(self, originals: Sequence[str], long_texts: LongTexts = "truncate") -> Embed:
        return partial(self.documents, long_texts=long_texts)

    def documents(self, texts: Sequence[str], long_texts: LongTexts) -> Floats32:
        """Embeddings of whole documents, from the cache where they have been asked before.

        A text longer than the model takes is cut off there, as the model does; or it is cut into windows that fit,
        whose embeddings are averaged.
        """
        names = [question("embedding", VERSION, self.identity, long_texts, text) for text in texts]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            size = _BLOCK.get(self.model.device.type, _LARGE_BLOCK)
            for first in range(0, len(indices), size):
                block = [texts[index] for index in indices[first : first + size]]
                with guard_errors(self.role.failure_error):
                    windows = [self._windows(text) if long_texts == "mean" else [text] for text in block]
                tell = share_of(self.watch, "embeddings", first, len(block), len(indices))
                vectors = iter(self.embed([window for text_windows in windows for window in text_windows], tell))
                for text_windows in windows:
                    yield {"embedding": np.mean([next(vectors) for _ in text_windows], axis=0, dtype=np.float32)}

        return np.array([entry["embedding"] for entry in self.cache.through(names, answer)], dtype=np.float32)

    def embed(self, texts: Sequence[str], watch: Callable[[float], None] | None = None) -> Floats32:
        """One vector a text; a text that occurs twice is embedded once. `watch` is told the share that is done."""
        distinct = list(dict.fromkeys(texts))
        vectors: dict[str, Floats32] = {}
        with guard_errors(self.role.failure_error):
            for batch, answers in self._in_packs(distinct, self.packed) if self.packed else self._in_tables(distinct):
                refuse_nan(answers, self.role.what, torch_dtype(self.settings.dtype))
                vectors |= zip(batch, answers.astype(np.float32), strict=True)
                if watch:
                    watch(len(vectors) / len(distinct))
        return np.array([vectors[text] for text in texts], dtype=np.float32)

    def _in_tables(self, texts: Sequence[str]) -> Iterator[tuple[list[str], Floats32]]:
        """Texts of one shape side by side, padded, by the library's own way from text to vector."""

        def run(batch: list[int], rows: int, shape: TableShape) -> Floats32:
            inputs = [texts[item] for item in batch]
            inputs += inputs[:1] * (rows - len(inputs))
            self._thread.width = shape.width
            answers: Floats32 = self.model.encode(inputs, batch_size=rows, show_progress_bar=False)[: len(batch)]
            return answers

        for batch, answers in in_shapes(self._shapes(texts), self.model.device, run, self.role.what):
            yield [texts[item] for item in batch], answers

    def _in_packs(self, texts: Sequence[str], packed: PackedSentences) -> Iterator[tuple[list[str], Floats32]]:
        """Texts end to end; what makes one vector of a text's many sees them side by side."""
        for batch, answers in in_packs(
            packed.cut(texts),
            lambda sentence: sentence.shape,
            packed.longest,
            self.model.device,
            packed.run,
            self.role.what,
        ):
            yield [sentence.text for sentence in batch], answers

    def _shapes(self, texts: Sequence[str]) -> list[TableShape]:
        """How wide a table each text needs: a few widths for models that do not mind padding, its own for others."""
        model = self.model
        limit = int(model.max_seq_length) if model.max_seq_length not in (None, math.inf) else 0
        cut = {"truncation": True, "max_length": limit} if limit else {}
        prompt = model.prompts.get(model.default_prompt_name) or ""
        pieces = model.tokenizer([prompt + text for text in texts], verbose=False, **cut)["input_ids"]
        widths = [max(1, len(text_pieces)) for text_pieces in pieces]
        config = getattr(getattr(model[0], "auto_model", None), "config", None)
        if getattr(config, "model_type", "") in PADDED:
            widths = [width_of(width, limit) for width in widths]
        return [TableShape(width, width) for width in widths]

    def _windows(self, text: str) -> list[str]:
        """The text in consecutive stretches of as many word pieces as the model takes, cut between words."""
        model = self.model
        if model.max_seq_length in (None, math.inf):  # it takes a text of any length
            return [text]
        if not getattr(model.tokenizer, "is_fast", False):
            reason = f"the tokenizer of {self.location!r} does not say where its pieces stand"
            raise self.role.missing_error(f"{reason}, so long texts cannot be cut", 'choose long_documents="truncate"')
        room = model.max_seq_length - model.tokenizer.num_special_tokens_to_add()
        pieces = model.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        starts = [start for start, _ in pieces["offset_mapping"]]
        windows, first = [], 0
        while len(starts) - first > room:
            between = (index for index in range(first + room, first, -1) if text[starts[index] - 1].isspace())
            last = next(between, first + room)  # a word that is longer than a window is cut anywhere
            windows.append(text[starts[first] : starts[last]])
            first = last
        return [*windows, text[starts[first] :] if starts else text]

    @cached_property
    def model(self) -> Any:
        """Loaded when it is needed. Raises ResourceError where that cannot be done, or not safely."""
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise self.without_packages() from error
        if foreign := foreign_code(self.folder):
            raise self.role.missing_error(
                f"{self.location!r} asks for code of its own ({foreign})", "name another model"
            )
        options = {"dtype": torch_dtype(self.settings.dtype), "use_safetensors": True}
        device = str(torch_device(self.settings.device))
        with guard_loading(self.location, "an embedding model", self.role):
            model = SentenceTransformer(str(self.folder), device=device, model_kwargs=options, trust_remote_code=False)
            self._thread = local()  # batches run side by side, each with a width of its own
            model[0].register_forward_pre_hook(self._widen)
            return model

    @cached_property
    def packed(self) -> PackedSentences | None:
        """The model over texts that stand end to end, where that can be."""
        return packed_sentences(self.model)

    def _widen(self, module: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Pads what a tokenizer made to the width that its texts' shape has."""
        import torch

        features = dict(arguments[0])
        width, mask = self._thread.width, features.get("attention_mask")
        if mask is None or mask.dim() != 2 or mask.shape[1] >= width:
            return arguments
        missing = width - mask.shape[1]
        side = (missing, 0) if module.tokenizer.padding_side == "left" else (0, missing)
        for name, value in features.items():
            if isinstance(value, torch.Tensor) and value.shape == mask.shape:
                filler = module.tokenizer.pad_token_id or 0 if name == "input_ids" else 0
                features[name] = torch.nn.functional.pad(value, side, value=filler)
        return (features, *arguments[1:])


class LatentSemantics:
    """TF-IDF of words, projected on the main directions of the originals (Deerwester et al. 1990). Needs no model.

    A word of a text weighs (1 + ln count) · (1 + ln((1 + n) / (1 + n with it))), counted over the n originals; a text's
    weights are scaled to length 1, projected on 100 directions and scaled to length 1 again; 0 where no word is known.
    """

    def fitted(self, originals: Sequence[str], long_texts: LongTexts = "truncate") -> Embed:
        vocabulary = KnownWords(list(map(words_of, originals)))
        if not vocabulary.column:
            return lambda texts: np.zeros((len(texts), 1), dtype=np.float32)
        directions = _main_directions(vocabulary.weights(originals))

        def embed(texts: Sequence[str]) -> Floats32:
            projected = vocabulary.weights(texts).times(directions)
            sizes = np.linalg.norm(projected, axis=1, keepdims=True)
            unit = np.divide(projected, sizes, out=np.zeros_like(projected), where=sizes > 0)
            return np.asarray(unit, dtype=np.float32)

        return embed


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


class KnownWords:
    """The words of the originals, in order, and how rare each is."""

    def __init__(self, originals: Sequence[Sequence[str]]) -> None:
        having = Counter(word for words in originals for word in set(words))
        self.column = {word: index for index, word in enumerate(sorted(having))}
        texts_with = np.array([having[word] for word in self.column])
        self.rarity = 1 + np.log((1 + len(originals)) / (1 + texts_with))

    def weights(self, texts: Sequence[str]) -> SparseRows:
        """Texts × known words, each text of length 1; what nobody knows of it does not count."""
        width = max(len(self.column), 1)
        columns = [[self.column[word] for word in words_of(text) if word in self.column] for text in texts]
        text = np.repeat(np.arange(len(texts)), list(map(len, columns)))
        word = np.fromiter(chain.from_iterable(columns), dtype=np.int64, count=len(text))
        keys, count = np.unique(text * width + word, return_counts=True)
        ends = np.searchsorted(keys, np.arange(len(texts) + 1) * width)
        column = keys % width
        return SparseRows((np.log(count) + 1) * self.rarity[column], column, ends, width).unit()


def _main_directions(weights: SparseRows) -> Floats:
    """Right singular vectors of the largest singular values: words × topics.

    Where texts repeat each other there are fewer directions than topics. A direction of singular value 0 would be
    whatever rounding makes of it, so it is none.
    """
    sizes, directions = main_directions(weights, _TOPICS)
    directions = directions[sizes > _NOTHING * sizes[0]]
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1, keepdims=True), axis=1)
    return np.asarray((directions * np.sign(largest)).T, dtype=np.float64)  # either sign is as good: one is chosen
