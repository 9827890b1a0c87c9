"""GLiNER models: labels in plain words go in with a text, and spans with a score come out.

The package `gliner` reads a text up to so many words and word pieces, and leaves the rest out. Here a long text is read
in overlapping windows. Weights are read from safetensors alone, and no code that comes with a model is run.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import PlanError, ResourceError, shorten
from showthrough.models.device import torch_device
from showthrough.models.files import (
    TOKENIZER,
    WEIGHTS,
    Changed,
    ModelFiles,
    guard_errors,
    guard_loading,
    library_versions,
    model_files,
    silence_library,
    state_of,
)
from showthrough.models.names import Role, SourceName, is_path
from showthrough.models.prediction import positions

GLINER = Role("GLiNER", "model", ("hf",), (), instead='the detector "patterns"')
INSTALL = "pip install 'showthrough[gliner]'"
_CONFIG = "gliner_config.json"
_OWN_TOKENIZER = "tokenizer_config.json"
_MODEL = {_CONFIG: (_CONFIG,), WEIGHTS: ("model.safetensors",)}
_BACKBONE = {"config.json": ("config.json",), TOKENIZER: ("tokenizer.json", "vocab.*", "*.model")}
_OTHER_TASKS = {"labels_decoder": "makes up labels of its own", "relations_layer": "looks for relations"}
_FETCHED_SPLITTERS = ("stanza", "universal")  # that fetch models of their own
_OVERLAP = 4  # two windows share at least about one word in so many
_ROOM = {"cuda": 4096}  # word pieces that are read at once; elsewhere one window at a time is as fast


class GlinerSpan(NamedTuple):
    """A span of a text with the label that was asked for. Offsets are code points."""

    start: int
    end: int
    label: str
    score: float


class _Files(NamedTuple):
    folder: Path
    revision: str
    config: str  # as JSON, with every other model that it names as a folder


class _Window(NamedTuple):
    """Words from `begin` to before `end` are read, and those from `first` to before `last` are decided."""

    begin: int
    end: int
    first: int
    last: int


def gliner_files(model: str) -> _Files:
    """Where a model lies, and what it needs of others: `owner/name`, `owner/name@revision` or `./folder`."""
    if not model:
        raise PlanError("no model was named; expected its name on the hub, or the path of a folder", GLINER.what)
    return _locate(model, state_of(_name(model).folder))


def _name(model: str) -> SourceName:
    """A name in its parts; what ends in a slash can only be a folder."""
    return GLINER.parse(f"hf:./{model}" if model.endswith("/") and not is_path(model) else f"hf:{model}")


@lru_cache(maxsize=8)
def _locate(model: str, state: Changed) -> _Files:
    files = model_files(_name(model), GLINER, _MODEL)
    config = _read_config(files.folder / _CONFIG, model)
    for key, task in _OTHER_TASKS.items():
        if config.get(key) is not None:
            raise ResourceError(f"{GLINER.what}: {model!r} {task}, which is not read here; expected one that has none")
    splitter = str(config.get("words_splitter_type", ""))
    if splitter in _FETCHED_SPLITTERS:
        raise ResourceError(f"{GLINER.what}: {model!r} cuts words by {splitter!r}, which would fetch models of its own")
    revisions = [files.revision]
    _refuse_code(files.folder, model)

    def other(key: str) -> Path:
        backbone = _backbone(str(config.get(key, "")), model)
        revisions.append(backbone.revision)
        return backbone.folder

    own_tokenizer = (files.folder / _OWN_TOKENIZER).is_file()
    base = None if own_tokenizer and config.get("encoder_config") else other("model_name")
    if base and not config.get("encoder_config"):
        config["encoder_config"] = _read_config(base / "config.json", model)
        if config.get("vocab_size", -1) != -1:
            config["encoder_config"]["vocab_size"] = config["vocab_size"]
    config["model_name"] = str(files.folder.resolve() if own_tokenizer or base is None else base)
    if config.get("labels_encoder") is not None:
        config["labels_encoder"] = str(other("labels_encoder"))
    return _Files(files.folder, "+".join(revisions), json.dumps(config))


def _backbone(folder: str, model: str) -> ModelFiles:
    """The configuration and the tokenizer of the model that another is built on, without its weights."""
    role = Role(f"{GLINER.what} {shorten(model)}: what it is built on", "model", ("hf",), (), instead=GLINER.instead)
    files = model_files(role.parse(f"hf:{folder}"), role, _BACKBONE)
    _refuse_code(files.folder, model)
    return ModelFiles(files.folder.resolve(), files.revision)


def _read_config(path: Path, model: str) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise GLINER.missing_error(f"{path.name} of {model!r} cannot be read", "check its files") from error
    if not isinstance(config, dict):
        raise GLINER.missing_error(f"{path.name} of {model!r} is no object", "check its files")
    config.pop("model_type" if path.name == _CONFIG else "", None)  # the package finds it out again
    return config


def _refuse_code(folder: Path, model: str) -> None:
    """Raises ResourceError where a configuration names code, which the package would fetch and run unasked."""
    for path in (folder / name for name in (_CONFIG, "config.json", _OWN_TOKENIZER)):
        for key, value in _entries(_read_config(path, model) if path.is_file() else {}):
            if key == "auto_map" or (key.endswith("attn_implementation") and "/" in str(value)):
                raise ResourceError(
                    f"{GLINER.what}: {model!r} names code to run ({key} in {path.name}), which is refused"
                )


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, however deep."""
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield str(key), below
            yield from _entries(below)
    elif isinstance(value, list):
        for below in value:
            yield from _entries(below)


@dataclass(frozen=True)
class Gliner:
    """A loaded model."""

    model: Any
    name: str

    @property
    def device(self) -> str:
        return str(self.model.device)

    def find(self, texts: Sequence[str], labels: Sequence[str], threshold: float) -> list[list[GlinerSpan]]:
        """The spans of each text, in order. No span depends on the other texts.

        A text that fits in one window has the spans that the package finds in it. Of a longer one, a window gives the
        spans that touch a word which it decides.
        """
        prompt, specials = self._prompt(labels)
        cut = [self._cut(text, prompt) for text in texts]
        beside = prompt.pieces + specials
        room = self._room - beside
        if room < 1:
            fault = f"the {len(labels)} labels fill what {shorten(self.name)} reads at once; expected fewer"
            raise PlanError(fault, "labels")
        tasks = [
            (number, window)
            for number, words in enumerate(cut)
            for window in windows_of(words.pieces, int(self.model.config.max_len), room)
        ]
        best: list[dict[tuple[int, int], GlinerSpan]] = [{} for _ in texts]
        for (number, window), spans in self._read(tasks, cut, beside, labels, threshold):
            words = cut[number]
            offset = int(words.start[window.begin])
            for span in spans:
                start, end = span["start"] + offset, span["end"] + offset
                opening = np.searchsorted(words.start, start, side="right") - 1
                closing = np.searchsorted(words.end, end, side="left")
                if opening < window.last and closing >= window.first:
                    span_found = GlinerSpan(start, end, str(span["label"]), float(span["score"]))
                    if span_found.score > best[number].get((start, end), span_found._replace(score=-1.0)).score:
                        best[number][start, end] = span_found
        return [sorted(spans.values()) for spans in best]

    @property
    def _room(self) -> int:
        """Word pieces that the tokenizer keeps and the model has places for."""
        config = self.model.config.encoder_config
        places = positions(config) if getattr(config, "position_biased_input", True) else 1 << 30
        return min(places, int(self.model.data_processor.transformer_tokenizer.model_max_length))

    def _prompt(self, labels: Sequence[str]) -> tuple[_Prompt, int]:
        """What stands before every text: the labels, where one model reads both; and the tokenizer's own marks."""
        config, tokenizer = self.model.config, self.model.data_processor.transformer_tokenizer
        words: list[str] = []
        if getattr(config, "labels_encoder", None) is None:
            words = [*(word for label in labels for word in (config.ent_token, label)), config.sep_token]
        lengths = [
            len(tokenizer([*words, "a"], is_split_into_words=True, add_special_tokens=marks, verbose=False).word_ids())
            for marks in (True, False)
        ]
        return _Prompt(tuple(words), int(self._count([*words, "a"])[:-1].sum())), lengths[0] - lengths[1]

    def _count(self, words: list[str]) -> Ints:
        """How many pieces each word has."""
        tokenizer = self.model.data_processor.transformer_tokenizer
        encoded = tokenizer(words, is_split_into_words=True, add_special_tokens=False, verbose=False)
        numbers = [number for number in encoded.word_ids() if number is not None]
        return np.bincount(np.array(numbers, dtype=np.int64), minlength=len(words))

    def _cut(self, text: str, prompt: _Prompt) -> _Words:
        """The words of a text as the model cuts it.

        The package mistakes each word for the one before it, behind a word of which the tokenizer leaves nothing, such
        as a zero-width space. So such words become spaces.
        """
        words = list(self.model.data_processor.words_splitter(text))
        pieces = self._count([*prompt.words, *(word for word, _, _ in words)])[len(prompt.words) :]
        blank = [span for span, count in zip(words, pieces.tolist(), strict=True) if not count]
        for _, start, end in blank:
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
        with_pieces = pieces > 0
        spans = np.array([(start, end) for _, start, end in words], dtype=np.int64).reshape(-1, 2)[with_pieces]
        return _Words(text, spans[:, 0], spans[:, 1], pieces[with_pieces])

    def _read(
        self,
        tasks: Sequence[tuple[int, _Window]],
        cut: Sequence[_Words],
        beside: int,
        labels: Sequence[str],
        threshold: float,
    ) -> Iterator[tuple[tuple[int, _Window], list[dict[str, Any]]]]:
        """The spans of each window.

        Windows are read together only if they have as many words and pieces, in a table that is filled up with copies:
        so what is found in one does not depend on the others.
        """
        alike: dict[tuple[int, int], list[tuple[int, _Window]]] = {}
        for task in tasks:
            number, window = task
            pieces = int(cut[number].pieces[window.begin : window.end].sum())
            alike.setdefault((pieces, window.end - window.begin), []).append(task)
        for (pieces, _), group in alike.items():
            rows = max(1, _ROOM.get(self.model.device.type, 0) // (pieces + beside))
            for first in range(0, len(group), rows):
                batch = group[first : first + rows]
                texts = [cut[number].part(window) for number, window in batch]
                texts += texts[:1] * (rows - len(texts))
                with guard_errors(lambda reason: GLINER.failure_error(reason)), silence_library():
                    answers = self.model.inference(texts, list(labels), threshold=threshold, batch_size=rows)
                yield from zip(batch, answers[: len(batch)], strict=True)


class _Prompt(NamedTuple):
    words: tuple[str, ...]
    pieces: int


class _Words(NamedTuple):
    """A text, and of its words where they are and how many pieces they have."""

    text: str
    start: Ints
    end: Ints
    pieces: Ints

    def part(self, window: _Window) -> str:
        return self.text[self.start[window.begin] : self.end[window.end - 1]]


def windows_of(pieces: Ints, words: int, room: int) -> list[_Window]:
    """Windows with at most so many words, and room for so many pieces; a word with more pieces is one by itself.

    Neighbours share about a quarter of their words and share them out in the middle. The last one starts earlier where
    it would be short.

    >>> [tuple(window) for window in windows_of(np.ones(10, dtype=int), words=4, room=99)]
    [(0, 4, 0, 4), (3, 7, 4, 7), (6, 10, 7, 10)]
    """
    total = np.append(0, np.cumsum(pieces))
    count = len(pieces)
    bounds: list[tuple[int, int]] = []
    begin = 0
    while begin < count:
        fitting = int(np.searchsorted(total, total[begin] + room, side="right")) - 1
        end = min(max(begin + 1, min(fitting, begin + words)), count)
        if end == count and bounds:
            begin = min(begin, max(int(np.searchsorted(total, total[-1] - room)), count - words, bounds[-1][0] + 1))
        bounds.append((begin, end))
        if end == count:
            break
        begin = max(begin + 1, end - (end - begin) // _OVERLAP)
    if not bounds:
        return []
    shared = ((after[0] + before[1] + 1) // 2 for before, after in pairwise(bounds))
    return [_Window(*bound, *decided) for bound, decided in zip(bounds, pairwise([0, *shared, count]), strict=True)]


def gliner(model: str, device: str) -> Gliner:
    """The model, which stays loaded from batch to batch. Raises ResourceError where it cannot be loaded whole."""
    return _load(model, gliner_files(model), device)


@lru_cache(maxsize=2)
def _load(model: str, files: _Files, device: str) -> Gliner:
    try:
        from safetensors.torch import load_file

        torch_place = torch_device(device)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from gliner import GLiNER
    except ImportError as error:
        raise not_installed(model) from error
    with guard_loading(model, "a GLiNER model", GLINER):
        built = GLiNER.from_config(json.loads(files.config), backbone_from_pretrained=False)
        weights = load_file(files.folder / "model.safetensors")
        missing, unknown = built.model.load_state_dict(weights, strict=False)
        numbers = built.model.state_dict(keep_vars=True)
        shared = {numbers[key].data_ptr() for key in weights if key in numbers}  # a file has these under one name
        made_up = [key for key in missing if numbers[key].data_ptr() not in shared]
        _refuse_damaged(model, made_up, unknown, weights)
        if not built.data_processor.transformer_tokenizer.is_fast:
            raise ResourceError(f"{GLINER.what}: the tokenizer of {model!r} does not say which pieces a word has")
        return Gliner(built.to(torch_place).eval(), model)


def _refuse_damaged(model: str, missing: Sequence[str], unknown: Sequence[str], weights: Mapping[str, Any]) -> None:
    """Weights that the library would make up, or leave out, or that are no numbers: none of it would be noticed."""
    if missing:
        raise ResourceError(f"{GLINER.what}: {model!r} is not whole: {missing[0]} is not in it")
    if strange := [key for key in unknown if not key.endswith("position_ids")]:
        raise ResourceError(
            f"{GLINER.what}: {model!r} has weights that {library_versions('gliner')} has no use for: {strange[0]}"
        )
    if damaged := next((key for key, values in weights.items() if not values.isfinite().all()), ""):
        raise ResourceError(
            f"{GLINER.what}: {damaged} of {model!r} holds what is no number; its weights may be damaged"
        )


def not_installed(model: str) -> ResourceError:
    return GLINER.missing_error(f"the model {model!r} needs packages that are not installed", INSTALL)
