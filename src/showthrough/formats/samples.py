"""What files of a format look like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from showthrough.core.errors import shorten
from showthrough.data.documents import Document
from showthrough.data.masks import Anonymization
from showthrough.formats.base import Files, Format, can
from showthrough.formats.clinical.phi import as_masks
from showthrough.storage.file_heads import Head, first_value

_DEEP = 3  # levels of objects whose keys are compared
_NEAR = 0.75  # of two names, how much alike they are
_LINE = 140  # characters of a sample that stands in a message


def example(chosen: Format) -> dict[str, str]:
    """Files of a format by name, to look at."""
    if chosen.sample or chosen.binary or not can(chosen, "write"):
        return dict(chosen.sample)
    files = encode_sample(chosen, [chosen.shows])
    return {name or f"sample{chosen.endings[0]}": content.decode() for name, content in files.items()}


def encode_sample(chosen: Format, documents: Iterable[Document]) -> Files:
    """A corpus; in a format of masks, those of a system that finds all there is to mask, with their types."""
    if chosen.write is not None:
        return chosen.write(documents)
    masks = Anonymization({document.id: as_masks(document) for document in documents})
    return chosen.write_masks(masks) if chosen.write_masks else {}


def nearest(head: Head, formats: Mapping[str, Format]) -> tuple[str, str] | None:
    """The format whose sample shares most keys with a JSON file, and the sample on one line; `None` where none does."""
    best, line, most = "", "", 0.0
    keys = _keys(head.first) or set(head.json.keys)
    for name, chosen in formats.items():
        for content in list(example(chosen).values())[:1]:
            alike = _alike(keys, _keys(first_value(content.encode())[0]))
            if alike > most:
                best, line, most = name, " ".join(content.split()), alike
    return (best, line if len(line) <= _LINE else f"{line[:_LINE]}…") if best else None


def _keys(value: Any, deep: int = _DEEP) -> set[str]:
    """The keys of an object, and of the first objects in it."""
    if isinstance(value, list):
        return _keys(value[0], deep) if value else set()
    if not isinstance(value, dict) or not deep:
        return set()
    return set(value).union(*(_keys(inner, deep - 1) for inner in value.values()))


def _alike(keys: set[str], theirs: set[str]) -> float:
    """The share of keys that both have, or nearly; one of many may be a coincidence."""
    near = sum(bool(get_close_matches(shorten(key), theirs, 1, _NEAR)) for key in keys)
    return near / (len(keys) + len(theirs)) if 2 * near >= min(len(keys), len(theirs)) > 0 else 0.0
