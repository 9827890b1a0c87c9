"""What anonymizers find, checked like input."""

from __future__ import annotations

from collections.abc import Sequence

from showthrough.core.errors import HALF_CHARACTER, InputError, Problem, quote_value, shorten
from showthrough.core.plugins import describe_error, is_plugin
from showthrough.data.documents import Document, span_fault
from showthrough.data.masks import Mask
from showthrough.systems.base import Anonymizer


def find_masks(anonymizer: Anonymizer, documents: Sequence[Document]) -> Sequence[Sequence[Mask]]:
    """What it finds, checked like input, since plugins may return anything."""
    location = f"anonymizer {shorten(anonymizer.name)}"
    try:
        answer = anonymizer.masks(documents)
    except Exception as error:  # of a plugin, anything
        why = describe_error(error, ours=not is_plugin(anonymizer))
        for doc in documents if len(documents) > 1 else ():  # the first that it cannot do alone is named
            find_masks(anonymizer, [doc])
        where = f"document {shorten(documents[0].id)}" if len(documents) == 1 else ""
        raise InputError([Problem(location, where, why)]) from error
    if not isinstance(answer, list | tuple) or len(answer) != len(documents):
        count = (
            f"{len(answer)} lists" if isinstance(answer, list | tuple) else f"a value of type {type(answer).__name__}"
        )
        fault = f"gave {count} for {len(documents)} documents; expected a list of masks for each"
        raise InputError([Problem(location, "", fault)])
    problems = [
        problem
        for document, masks in zip(documents, answer, strict=True)
        for problem in _problems(location, document, masks)
    ]
    if problems:
        raise InputError(problems)
    return answer


def _problems(location: str, document: Document, masks: object) -> list[Problem]:
    location = f"{location}: document {shorten(document.id)}"
    if not isinstance(masks, list | tuple):
        return [Problem("", location, f"found a value of type {type(masks).__name__}; expected a list of masks")]
    faults = {number: _fault(mask, len(document.text)) for number, mask in enumerate(masks)}
    return [Problem("", f"{location}: masks[{number}]", fault) for number, fault in faults.items() if fault]


def _fault(mask: object, length: int) -> str:
    if not isinstance(mask, Mask):
        return f"found {quote_value(mask)}; expected a Mask"
    if type(mask.start) is not int or type(mask.end) is not int:
        return f"found {quote_value(mask.start)} and {quote_value(mask.end)}; expected whole numbers"
    if not 0 <= mask.start < mask.end <= length:
        return span_fault(mask.start, mask.end, length, ("start", "end"))
    if mask.score is not None and not (isinstance(mask.score, float | int) and 0 <= mask.score <= 1):
        return f"found the score {quote_value(mask.score)}; expected a number from 0 to 1"
    for written in (mask.replacement or "", mask.entity_type):
        if not isinstance(written, str):
            return f"found {quote_value(written)}; expected text"
        if any("\ud800" <= character <= "\udfff" for character in written):
            return HALF_CHARACTER
    return ""
