"""Sentence embeddings of texts that stand end to end: cut once, and made one vector each by the library's own parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from showthrough.data.layout.spans import Ints
from showthrough.models.device import TableShape, rows_of, width_of
from showthrough.models.packing import Attention, PackedEncoder, fetch_later, laid_out, packing_attention, send

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

    def run(self, texts: list[TokenizedText], room: int) -> NDArray[np.float32]:
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
        answers: NDArray[np.float32] = numbers()[: len(texts)]
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
