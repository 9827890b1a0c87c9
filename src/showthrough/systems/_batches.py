"""Some documents at a time: what an anonymizer finds in them, and what that took."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Mask, ScoredMask, TypedMask
from showthrough.systems._mask_checks import find_masks
from showthrough.systems.base import Anonymizer, get_optional
from showthrough.systems.replacing import Way, make_replacer

_STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class BatchResult:
    """What was found in each of some documents, and what that took."""

    masks: list[list[Mask]]
    seconds: float
    loading: float = 0.0
    peak_bytes: int | None = None
    device: str = "cpu"
    counts: Mapping[str, int] = field(default_factory=dict)  # what the anonymizer says of its answers
    each: list[float] = field(default_factory=list)  # seconds of every document, where it works on one at a time


def bare(documents: Corpus) -> list[Document]:
    """Documents as anonymizers are given them: without annotations."""
    return [Document(document.id, document.text, group=document.group) for document in documents]


def find_in_batch(anonymizer: Anonymizer, part: Corpus) -> BatchResult:
    """What it finds in some documents."""
    documents = bare(part)
    before = Counter(counts_of(anonymizer))
    started = time.perf_counter()
    get_optional(anonymizer, "prepare", lambda: None)()
    ready = time.perf_counter()
    each: list[float] = []
    if get_optional(anonymizer, "apart", False):
        batch_masks: list[Sequence[Mask]] = []
        for document in documents:
            begun = time.perf_counter()
            batch_masks += find_masks(anonymizer, [document])
            each.append(time.perf_counter() - begun)
    else:
        batch_masks = [*find_masks(anonymizer, documents)]
    masks = [_of_one_kind(document_masks) for document_masks in batch_masks]
    seconds = time.perf_counter() - ready
    device, counts = get_optional(anonymizer, "device", "cpu"), Counter(counts_of(anonymizer)) - before
    return BatchResult(masks, seconds, ready - started, device=device, counts=dict(counts), each=each)


def counts_of(anonymizer: Anonymizer) -> Mapping[str, int]:
    """What it and its parts counted, such as quotes that were no quotes; most count nothing."""
    counts = Counter(get_optional(anonymizer, "counts", {}))
    for member in get_optional(anonymizer, "made_of", ()):
        counts.update(counts_of(member))
    return counts


def try_loading(anonymizer: Anonymizer) -> None:
    """Loads what it needs, and lets go of it; a plugin need not say what that is."""
    for step in ("prepare", "finish"):
        get_optional(anonymizer, step, lambda: None)()


def find_in_worker(anonymizer: Anonymizer, part: Corpus) -> BatchResult:
    """The same in a process of its own, whose memory is told."""
    return replace(find_in_batch(anonymizer, part), peak_bytes=peak_memory())


def replace_masks(part: Corpus, masks: Sequence[Sequence[Mask]], way: Way, threshold: float | None) -> list[list[Mask]]:
    """What was found, as far as it is sure enough, with what stands in its place."""
    replace_in = make_replacer(way)
    return [
        _of_one_kind(replace_in(document, [mask for mask in document_masks if _is_sure(mask, threshold)]))
        for document, document_masks in zip(bare(part), masks, strict=True)
    ]


def _is_sure(mask: Mask, threshold: float | None) -> bool:
    return threshold is None or mask.score is None or mask.score >= threshold


def peak_memory() -> int | None:
    """The most that this process took, in bytes; `None` where the system does not say.

    On Linux a process inherits the peak that `resource` tells from the one that started it, but not this one.
    """
    with suppress(OSError, ValueError, StopIteration):
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])
    if sys.platform == "win32":
        return None
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _of_one_kind(masks: Sequence[Mask]) -> list[Mask]:
    """Masks of one document as its file gives them back, so that both have one digest."""
    kinds = (kind for kind in (ScoredMask, TypedMask) if any(isinstance(mask, kind) for mask in masks))
    kind: type[Mask] = next(kinds, Mask)
    width = len(kind.__struct_fields__)
    return [mask if type(mask) is kind else kind(*structs.astuple(mask)[:width]) for mask in masks]
