"""Some documents at a time: what an anonymizer finds in them, checked like input, and what that took."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from showthrough.anonymizers.base import Anonymizer, told
from showthrough.anonymizers.replacing import Way, replacing
from showthrough.data.documents import Corpus, Document, span_fault
from showthrough.data.masks import Mask, ScoredMask, TypedMask
from showthrough.errors import HALF_CHARACTER, InputError, Problem, quoted, shown
from showthrough.tables import is_guest, raised

_STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Found:
    """What was found in each of some documents, and what that took."""

    masks: list[list[Mask]]
    seconds: float
    loading: float = 0.0
    peak_bytes: int | None = None
    device: str = "cpu"


def bare(documents: Corpus) -> list[Document]:
    """Documents as anonymizers are given them: without annotations."""
    return [Document(one.id, one.text, group=one.group) for one in documents]


def found_in(anonymizer: Anonymizer, part: Corpus) -> Found:
    """What it finds in some documents."""
    documents = bare(part)
    started = time.perf_counter()
    prepared(anonymizer)
    ready = time.perf_counter()
    masks = [_of_one_kind(each) for each in _checked(anonymizer, documents)]
    seconds = time.perf_counter() - ready
    return Found(masks, seconds, ready - started, device=told(anonymizer, "device", "cpu"))


def prepared(anonymizer: Anonymizer) -> None:
    """Loads what it needs; a guest need not say what that is."""
    told(anonymizer, "prepare", lambda: None)()


def found_apart(anonymizer: Anonymizer, part: Corpus) -> Found:
    """The same in a process of its own, whose memory is told."""
    return replace(found_in(anonymizer, part), peak_bytes=peak_memory())


def replaced(part: Corpus, found: Sequence[Sequence[Mask]], way: Way, threshold: float | None) -> list[list[Mask]]:
    """What was found, as far as it is sure enough, with what stands in its place."""
    replace_in = replacing(way)
    return [
        _of_one_kind(replace_in(document, [mask for mask in each if _is_sure(mask, threshold)]))
        for document, each in zip(bare(part), found, strict=True)
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


def _checked(anonymizer: Anonymizer, documents: Sequence[Document]) -> Sequence[Sequence[Mask]]:
    """What it finds, checked like input, since guests may return anything."""
    place = f"anonymizer {shown(anonymizer.name)}"
    try:
        found = anonymizer.masks(documents)
    except Exception as error:  # of a guest, anything
        why = raised(error, ours=not is_guest(anonymizer))
        for one in documents if len(documents) > 1 else ():  # the first that it cannot do alone is named
            _checked(anonymizer, [one])
        where = f"document {shown(documents[0].id)}" if len(documents) == 1 else ""
        raise InputError([Problem(place, where, why)]) from error
    if not isinstance(found, list | tuple) or len(found) != len(documents):
        count = f"{len(found)} lists" if isinstance(found, list | tuple) else f"a value of type {type(found).__name__}"
        fault = f"gave {count} for {len(documents)} documents; expected a list of masks for each"
        raise InputError([Problem(place, "", fault)])
    problems = [
        one for document, masks in zip(documents, found, strict=True) for one in _problems(place, document, masks)
    ]
    if problems:
        raise InputError(problems)
    return found


def _problems(place: str, document: Document, masks: object) -> list[Problem]:
    place = f"{place}: document {shown(document.id)}"
    if not isinstance(masks, list | tuple):
        return [Problem("", place, f"found a value of type {type(masks).__name__}; expected a list of masks")]
    faults = {number: _fault(mask, len(document.text)) for number, mask in enumerate(masks)}
    return [Problem("", f"{place}: masks[{number}]", fault) for number, fault in faults.items() if fault]


def _fault(mask: object, length: int) -> str:
    if not isinstance(mask, Mask):
        return f"found {quoted(mask)}; expected a Mask"
    if type(mask.start) is not int or type(mask.end) is not int:
        return f"found {quoted(mask.start)} and {quoted(mask.end)}; expected whole numbers"
    if not 0 <= mask.start < mask.end <= length:
        return span_fault(mask.start, mask.end, length, ("start", "end"))
    if mask.score is not None and not (isinstance(mask.score, float | int) and 0 <= mask.score <= 1):
        return f"found the score {quoted(mask.score)}; expected a number from 0 to 1"
    for written in (mask.replacement or "", mask.entity_type):
        if not isinstance(written, str):
            return f"found {quoted(written)}; expected text"
        if any("\ud800" <= character <= "\udfff" for character in written):
            return HALF_CHARACTER
    return ""
