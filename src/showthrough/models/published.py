"""Published models: the licence of their weights, and what they may have been trained on. The table is beside this."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import PurePath

import msgspec

from showthrough.core.patterns import lazy_pattern
from showthrough.data.schemes import SCHEMES
from showthrough.data.types import fold_type

_PIPELINES = {"presidio": "en_core_web_lg", "spacy": "en_core_web_sm"}  # that they take where none is named
_WORDS = lazy_pattern(r"[^\s+(),=\"']+")
_KIND = lazy_pattern(r"^(hf|gliner|spacy|presidio):")
_FEW = 8  # types; a corpus with fewer could be anybody's


class PublishedModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a model, or of all whose names are alike."""

    names: tuple[str, ...]
    system: str = ""  # how one of them is asked for
    licence: str = ""
    trained_on: str = ""
    corpora: tuple[str, ...] = ()
    source: str = ""
    checked: bool = True


class _Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: tuple[str, ...]
    schemes: tuple[str, ...] = ()


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    models: tuple[PublishedModel, ...]
    corpora: Mapping[str, _Known]


@cache
def _table() -> _Table:
    content = files(__package__).joinpath("published.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Table)


def published_models() -> tuple[PublishedModel, ...]:
    """All entries; what is known of a single model comes before what its name alone says."""
    return _table().models


def models_in(spec: str) -> list[tuple[str, PublishedModel]]:
    """The published models that a system is made of, as it is written, each with its name there.

    >>> [(name, model.trained_on) for name, model in models_in("rules+hf:iiiorg/piiranha-v1@5b1c9f2")]
    [('iiiorg/piiranha-v1', 'ai4privacy/pii-masking-400k')]
    """
    models = []
    for word in _WORDS.findall(spec):
        name = _KIND.sub("", _PIPELINES.get(word, word)).partition("@")[0].rstrip("/")
        folded = name.casefold()
        for model in published_models():
            if any(fnmatchcase(folded, pattern.casefold()) for pattern in model.names):
                models.append((name, model))
                break
    return models


def may_have_trained_on(model: PublishedModel, names: Collection[str], types: Collection[str]) -> bool:
    """Whether a corpus of these names, file or folder, and with these types, may be what a model was trained on.

    >>> piiranha = models_in("hf:iiiorg/piiranha-v1")[0][1]
    >>> [may_have_trained_on(piiranha, [name], []) for name in ("data/pii-masking-300k/x.jsonl", "wards.json")]
    [True, False]
    """
    parts = [re.sub(r"[\W_]+", "", part.casefold()) for name in names for part in PurePath(name).parts[-2:]]
    folded = {fold_type(name) for name in types} - {""}
    for corpus in model.corpora:
        corpora = _table().corpora[corpus]
        if any(word in part for word in corpora.words for part in parts):
            return True
        if len(folded) >= _FEW and any(
            folded <= {fold_type(label) for label in SCHEMES[scheme].labels} for scheme in corpora.schemes
        ):
            return True
    return False
