"""What others answer for a document, as masks: spans in whatever shape, or the anonymized text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from showthrough.core.errors import InputError, PlanError, Problem, at_document, quoted, shown
from showthrough.data.documents import Corpus, Document
from showthrough.data.given import mask_of
from showthrough.data.masks import Anonymization, Mask, ScoredMask, TypedMask
from showthrough.systems.base import Built

_DAY = 86_400


@dataclass(frozen=True)
class Outside(Built):
    """What is true of all that runs elsewhere: nobody knows its size, its device, or whether it is still the same."""

    @property
    def model_bytes(self) -> int | None:
        return None

    @property
    def device(self) -> str:
        return "outside"

    @property
    def lasting(self) -> bool:
        return False


def check_timeout(seconds: float) -> None:
    """Raises PlanError for seconds that nobody can wait."""
    if not 0 < seconds <= _DAY:
        raise PlanError(f"found {seconds}; expected seconds, up to {_DAY}", "timeout")


def place_of(name: str, document: Document) -> str:
    """Where an answer is wrong."""
    return f"anonymizer {shown(name)}: {at_document(document.id)}"


def wrong(place: str, fault: str) -> InputError:
    return InputError(Problem("", place, fault))


def masks_in(given: Any, document: Document, name: str, field: str = "masks") -> list[Mask]:
    """The masks of a list of spans: `[start, end, type, score]`, mappings, or tools' own objects. Raises InputError."""
    place = place_of(name, document)
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise wrong(f"{place}: {field}", f"found a value of type {type(given).__name__}; expected a list of spans")
    return [_mask(one, f"{place}: {field}[{number}]") for number, one in enumerate(given)]


def _mask(given: Any, place: str) -> Mask:
    if isinstance(given, list | tuple) and len(given) == 4:
        given, score = given[:3], given[3]
    elif isinstance(given, Mapping):
        score = given.get("score")
    else:
        score = getattr(given, "score", None)
    mask = mask_of(given, place)
    if isinstance(given, Mask) or score is None:
        return mask
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise wrong(f"{place}: score", f"found {quoted(score)}; expected a number from 0 to 1")
    return ScoredMask(mask.start, mask.end, mask.replacement, mask.entity_type, float(score))


def masks_of_text(given: str, document: Document) -> list[Mask]:
    """What an anonymized text masked, which the original tells."""
    from showthrough.data.alignment import align  # asked for only where offsets are missing

    return align(document.text, given)


def masks_of_value(given: Any, document: Document, name: str) -> list[Mask]:
    """What a function returned: an anonymized text, a spaCy Doc, what Presidio made, or spans. Raises InputError."""
    if isinstance(given, str):
        return masks_of_text(given, document)
    if hasattr(given, "ents") and hasattr(given, "text"):
        if given.text != document.text:
            raise wrong(place_of(name, document), "found a Doc of another text; expected one of the document's")
        return [TypedMask(one.start_char, one.end_char, None, one.label_) for one in given.ents]
    if hasattr(given, "items") and hasattr(given, "text"):
        return list(Anonymization.from_presidio({document.id: given}, Corpus([document])).of(document.id))
    return masks_in(given, document, name, "spans")
