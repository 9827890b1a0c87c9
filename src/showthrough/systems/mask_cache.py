"""What anonymizers found, kept between runs: a run that was stopped goes on, and a second one takes a moment.

What is kept is what was found, before anything is left out or replaced: another threshold or another way to replace
asks no model again. Beside it stands what it took when it was found.
"""

from __future__ import annotations

import msgspec
import numpy as np

from showthrough.data.documents import Corpus
from showthrough.formats.benchmarks.tae import LazyMasks
from showthrough.models.cache import Cache, question
from showthrough.systems._batches import BatchResult
from showthrough.systems.base import Anonymizer, format_spec, get_optional, parameters_of
from showthrough.version import __version__

_VERSION = 1  # of entries; rises when an old one could be misread
_KEY = "found"


class _Entry(msgspec.Struct):
    masks: list[msgspec.Raw]  # in the order of the documents, whose ids may tell of people
    seconds: float
    loading: float
    peak_bytes: int | None
    device: str
    counts: dict[str, int] = {}
    each: list[float] = []


_decoder = msgspec.json.Decoder(_Entry)


def is_cacheable(anonymizer: Anonymizer, cache: Cache | None) -> bool:
    """Whether what it finds may be kept, and there is a place for it. A plugin that does not say so may not be."""
    return cache is not None and cache.folder is not None and get_optional(anonymizer, "lasting", False)


class KeptMasks:
    """What one anonymizer found, by documents."""

    def __init__(self, anonymizer: Anonymizer, cache: Cache | None) -> None:
        self._cache = cache if is_cacheable(anonymizer, cache) else None
        self._of: tuple[object, ...] = ()
        if self._cache is not None:
            pinned = sorted(dict(get_optional(anonymizer, "pinned", {})).items())
            of = format_spec(anonymizer), anonymizer.version, sorted(parameters_of(anonymizer).items()), pinned
            self._of = "masks", _VERSION, __version__, *of

    def get(self, part: Corpus) -> BatchResult | None:
        """What was found in these documents; `None` where nobody has looked."""
        stored = self._cache.get(self._name(part)) if self._cache is not None else None
        if stored is None:
            return None
        try:
            entry = _decoder.decode(stored[_KEY].tobytes())
            masks = LazyMasks({str(index): raw for index, raw in enumerate(entry.masks)})
            all_masks = [[*masks[str(index)]] for index in range(len(part))]
            return BatchResult(
                all_masks, entry.seconds, entry.loading, entry.peak_bytes, entry.device, entry.counts, entry.each
            )
        except (msgspec.MsgspecError, KeyError):  # of another program's making
            return None

    def put(self, part: Corpus, result: BatchResult) -> None:
        if self._cache is None:
            return
        masks = [msgspec.Raw(msgspec.json.encode(document_masks)) for document_masks in result.masks]
        counts = dict(result.counts)
        entry = _Entry(masks, result.seconds, result.loading, result.peak_bytes, result.device, counts, result.each)
        self._cache.put(self._name(part), {_KEY: np.frombuffer(msgspec.json.encode(entry), dtype=np.uint8)})

    def _name(self, part: Corpus) -> str:
        return question(*self._of, [(document.id, document.group, document.text) for document in part])
