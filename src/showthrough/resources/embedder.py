"""Texts as vectors: a sentence-embedding model, or latent semantic analysis of the corpus itself."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from threading import local
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from showthrough.errors import ResourceError
from showthrough.resources.cache import Arrays, Cache, question
from showthrough.resources.device import Shape, in_shapes, torch_device, torch_dtype, width_of
from showthrough.resources.files import EXTRA, foreign_code, guarded, library_versions, loading, model_files
from showthrough.resources.names import Role, SourceName
from showthrough.resources.prediction import PADDED
from showthrough.resources.settings import ModelSettings, Watch

Vectors = NDArray[np.float32]
LongTexts = Literal["truncate", "mean"]

VERSION = 3  # of the answers
_BLOCK = 256  # texts whose embeddings are stored together
_TOPICS = 100  # dimensions of the latent space
_NOTHING = 1e-6  # a singular value this much smaller than the largest is 0
_WORD = re.compile(r"\w+")


class Embedder(Protocol):
    """Learns what it needs from the originals and returns the function that embeds."""

    def fitted(self, originals: Sequence[str], long_texts: LongTexts) -> Callable[[Sequence[str]], Vectors]: ...


class SentenceEmbedder:
    """A model of the `sentence-transformers` library, by its name on the hub or by folder."""

    def __init__(
        self, name: SourceName, role: Role, settings: ModelSettings, cache: Cache, watch: Watch | None = None
    ) -> None:
        self.name = name
        self.role = role
        self.settings = settings
        self.cache = cache
        self.watch = watch
        self._files = model_files(name, role)
        self._loaded: Any = None
        self._thread = local()  # batches run side by side, each with a width of its own

    @property
    def revision(self) -> str:
        return self._files.revision

    @property
    def identity(self) -> tuple[object, ...]:
        """All that its answers depend on beside the text."""
        return self.revision, library_versions(), self.settings.dtype

    def fitted(
        self, originals: Sequence[str], long_texts: LongTexts = "truncate"
    ) -> Callable[[Sequence[str]], Vectors]:
        return lambda texts: self.documents(texts, long_texts)

    def documents(self, texts: Sequence[str], long_texts: LongTexts) -> Vectors:
        """Embeddings of whole documents, from the cache where they have been asked before.

        A text longer than the model takes is cut off there, as the model does; or it is cut into windows that fit,
        whose embeddings are averaged.
        """
        names = [question("embedding", VERSION, self.identity, long_texts, text) for text in texts]

        def answer(places: list[int]) -> Iterator[Arrays]:
            for first in range(0, len(places), _BLOCK):
                block = [texts[place] for place in places[first : first + _BLOCK]]
                with guarded(lambda reason: ResourceError(f"{self.role.what}: the model failed: {reason}")):
                    windows = [self._windows(text) if long_texts == "mean" else [text] for text in block]

                def tell(share: float, first: int = first, block: list[str] = block) -> None:
                    if self.watch:
                        self.watch("embeddings", first + int(share * len(block)), len(places))

                vectors = iter(self.embed([window for each in windows for window in each], tell))
                for each in windows:
                    yield {"embedding": np.mean([next(vectors) for _ in each], axis=0, dtype=np.float32)}

        return np.array([entry["embedding"] for entry in self.cache.through(names, answer)], dtype=np.float32)

    def embed(self, texts: Sequence[str], watch: Callable[[float], None] | None = None) -> Vectors:
        """One vector a text; a text that occurs twice is embedded once. `watch` is told the share that is done."""
        with guarded(lambda reason: ResourceError(f"{self.role.what}: the model failed: {reason}")):
            return self._embedded(texts, watch)

    def _embedded(self, texts: Sequence[str], watch: Callable[[float], None] | None) -> Vectors:
        model = self.loaded()
        distinct = list(dict.fromkeys(texts))
        vectors: dict[str, Vectors] = {}

        def run(batch: list[int], rows: int, shape: Shape) -> Vectors:
            inputs = [distinct[item] for item in batch]
            inputs += inputs[:1] * (rows - len(inputs))
            self._thread.width = shape.width
            found: Vectors = model.encode(inputs, batch_size=rows, show_progress_bar=False)[: len(batch)]
            if not np.isfinite(found).all():
                raise ResourceError(f"{self.role.what}: the model answers with NaN; its weights may be damaged")
            return found.astype(np.float32)

        for batch, found in in_shapes(self._shapes(model, distinct), model.device, run, self.role.what):
            vectors |= zip((distinct[item] for item in batch), found, strict=True)
            if watch:
                watch(len(vectors) / len(distinct))
        return np.array([vectors[text] for text in texts], dtype=np.float32)

    def _shapes(self, model: Any, texts: Sequence[str]) -> list[Shape]:
        """How wide a table each text needs: a few widths for models that do not mind padding, its own for others."""
        most = model.max_seq_length
        limit = int(most) if most not in (None, math.inf) else 0
        cut = {"truncation": True, "max_length": limit} if limit else {}
        prompt = model.prompts.get(model.default_prompt_name) or ""
        pieces = model.tokenizer([prompt + text for text in texts], verbose=False, **cut)["input_ids"]
        widths = [max(1, len(one)) for one in pieces]
        if _kind(model) in PADDED:
            widths = [width_of(width, limit) for width in widths]
        return [Shape(width, width) for width in widths]

    def _windows(self, text: str) -> list[str]:
        """The text in consecutive stretches of as many word pieces as the model takes, cut between words."""
        model = self.loaded()
        if model.max_seq_length in (None, math.inf):  # it takes a text of any length
            return [text]
        if not getattr(model.tokenizer, "is_fast", False):
            reason = f"the tokenizer of {self.name.place!r} does not say where its pieces stand"
            raise self.role.missing(f"{reason}, so long texts cannot be cut", 'choose long_documents="truncate"')
        room = model.max_seq_length - model.tokenizer.num_special_tokens_to_add()
        found = model.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        starts = [start for start, _ in found["offset_mapping"]]
        windows, first = [], 0
        while len(starts) - first > room:
            between = (place for place in range(first + room, first, -1) if text[starts[place] - 1].isspace())
            last = next(between, first + room)  # a word that is longer than a window is cut anywhere
            windows.append(text[starts[first] : starts[last]])
            first = last
        return [*windows, text[starts[first] :] if starts else text]

    def loaded(self) -> Any:
        if self._loaded is None:
            try:
                from sentence_transformers import SentenceTransformer
            except ImportError as error:
                reason = f"the model {self.name.place!r} needs packages that are not installed"
                raise self.role.missing(reason, EXTRA) from error
            if foreign := foreign_code(self._files.folder):
                raise self.role.missing(
                    f"{self.name.place!r} asks for code of its own ({foreign})", "name another model"
                )
            device = torch_device(self.settings.device)
            options = {"dtype": torch_dtype(self.settings.dtype), "use_safetensors": True}
            with loading(self.name.place, "an embedding model", self.role):
                model = SentenceTransformer(
                    str(self._files.folder), device=str(device), model_kwargs=options, trust_remote_code=False
                )
                model[0].register_forward_pre_hook(self._widen)
                self._loaded = model
        return self._loaded

    def _widen(self, module: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Pads what a tokenizer made to the width that its texts' shape has."""
        import torch

        features = dict(given[0])
        width, mask = self._thread.width, features.get("attention_mask")
        if mask is None or mask.dim() != 2 or mask.shape[1] >= width:
            return given
        missing = width - mask.shape[1]
        side = (missing, 0) if module.tokenizer.padding_side == "left" else (0, missing)
        for name, value in features.items():
            if isinstance(value, torch.Tensor) and value.shape == mask.shape:
                filler = module.tokenizer.pad_token_id or 0 if name == "input_ids" else 0
                features[name] = torch.nn.functional.pad(value, side, value=filler)
        return (features, *given[1:])


def _kind(model: Any) -> str:
    return str(getattr(getattr(getattr(model[0], "auto_model", None), "config", None), "model_type", ""))


class LatentSemantics:
    """TF-IDF of words, projected on the main directions of the originals (Deerwester et al. 1990). Needs no model.

    A word of a text weighs (1 + ln count) · (1 + ln((1 + n) / (1 + n with it))), counted over the n originals; a text's
    weights are scaled to length 1, projected on 100 directions and scaled to length 1 again; 0 where no word is known.
    """

    def fitted(
        self, originals: Sequence[str], long_texts: LongTexts = "truncate"
    ) -> Callable[[Sequence[str]], Vectors]:
        from sklearn.feature_extraction.text import TfidfVectorizer

        if not any(_WORD.search(text) for text in originals):
            return lambda texts: np.zeros((len(texts), 1), dtype=np.float32)
        vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=_WORD.pattern)
        directions = _main_directions(vectorizer.fit_transform(originals))

        def embed(texts: Sequence[str]) -> Vectors:
            found = np.asarray(vectorizer.transform(texts) @ directions)
            sizes = np.linalg.norm(found, axis=1, keepdims=True)
            unit = np.divide(found, sizes, out=np.zeros_like(found), where=sizes > 0)
            return np.asarray(unit, dtype=np.float32)

        return embed


def _main_directions(weights: Any) -> NDArray[np.float64]:
    """Right singular vectors of the largest singular values: words × topics.

    Where texts repeat each other there are fewer directions than topics. A direction of singular value 0 would be
    whatever rounding makes of it, so it is none.
    """
    smallest = min(weights.shape)
    if smallest <= _TOPICS + 1:
        _, sizes, found = np.linalg.svd(weights.toarray(), full_matrices=False)
    else:
        from scipy.sparse.linalg import svds

        # A given start makes the iteration give the same digits every time.
        _, sizes, found = svds(weights, k=_TOPICS, v0=np.ones(smallest))
    order = np.argsort(-sizes, kind="stable")[:_TOPICS]
    found = found[order[sizes[order] > _NOTHING * sizes[order[0]]]]
    largest = np.take_along_axis(found, np.abs(found).argmax(axis=1, keepdims=True), axis=1)
    return np.asarray((found * np.sign(largest)).T, dtype=np.float64)  # either sign is as good: one is chosen
