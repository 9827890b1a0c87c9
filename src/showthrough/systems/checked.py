"""What anonymizers find, checked like input."""

from __future__ import annotations

from collections.abc import Sequence

from showthrough.core.errors import HALF_CHARACTER, InputError, Problem, quoted, shown
from showthrough.core.plugins import is_guest, raised
from showthrough.data.documents import Document, span_fault
from showthrough.data.masks import Mask
from showthrough.systems.base import Anonymizer


def found_by(anonymizer: Anonymizer, documents: Sequence[Document]) -> Sequence[Sequence[Mask]]:
    """What it finds, checked like input, since guests may return anything."""
    place = f"anonymizer {shown(anonymizer.name)}"
    try:
        found = anonymizer.masks(documents)
    except Exception as error:  # of a guest, anything
        why = raised(error, ours=not is_guest(anonymizer))
        for one in documents if len(documents) > 1 else ():  # the first that it cannot do alone is named
            found_by(anonymizer, [one])
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
