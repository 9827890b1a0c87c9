"""Anonymizers: a Document in, Masks out. The table of them all.

An anonymizer is anything with a name, a version and a method `masks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

from showthrough.data.documents import Corpus, Document, span_fault
from showthrough.data.masks import Anonymization, Mask
from showthrough.errors import HALF_CHARACTER, InputError, PlanError, Problem, quoted, shown
from showthrough.tables import Table, is_guest, raised, value_of
from showthrough.tables.calls import completed, read_call


@runtime_checkable
class Anonymizer(Protocol):
    """Finds what to hide in one document. The version rises whenever a mask could change."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def masks(self, document: Document) -> Sequence[Mask]:
        """The masks of this document, in any order."""
        ...


ANONYMIZERS: Table[Anonymizer] = Table(
    "anonymizers",
    {},
    partial(value_of, Anonymizer, "anonymizer"),
    {
        "rules": "showthrough.anonymizers.rules:Rules",
        "presidio": "showthrough.anonymizers.detected:PresidioAnonymizer",
        "spacy": "showthrough.anonymizers.detected:SpacyAnonymizer",
    },
)


def anonymizer(text: str) -> Anonymizer:
    """The anonymizer of that name, perhaps with parameters, as in `spacy(model="en_core_web_lg")`."""
    name, given = text, dict[str, Any]()
    if "(" in text:  # a name alone may have dashes, which no call has
        name, given = read_call(text, "anonymizer", 'spacy(model="en_core_web_sm")')
    if name not in ANONYMIZERS:
        raise PlanError(f"unknown anonymizer {quoted(name)}; there are: {', '.join(ANONYMIZERS)}")
    usual = ANONYMIZERS[name]
    if given and not is_dataclass(usual):
        raise PlanError("takes no parameters", f"anonymizer {name}")
    return completed(f"anonymizer {name}", usual, given) if given else usual


def anonymize(corpus: Corpus, anonymizer: Anonymizer) -> Anonymization:
    """What the anonymizer makes of every document of the corpus. Raises InputError for masks that cannot be.

    >>> from showthrough.anonymizers.rules import Rules
    >>> hidden = anonymize(Corpus([Document("a", "Seen by Dr Ona Rask.")]), Rules())
    >>> hidden.of("a")
    [Mask(start=8, end=19, replacement='PERSON')]
    """
    masks: dict[str, Sequence[Mask]] = {}
    problems: list[Problem] = []
    for document in corpus:
        try:
            masks[document.id] = anonymizer.masks(document)
        except Exception as error:  # of a guest, anything
            why = raised(error, ours=not is_guest(anonymizer))
            problems.append(Problem(f"anonymizer {shown(anonymizer.name)}", f"document {shown(document.id)}", why))
            continue
        problems += _problems(anonymizer, document, masks[document.id])
    if problems:
        raise InputError(problems)
    return Anonymization(masks, name=anonymizer.name)


def _problems(anonymizer: Anonymizer, document: Document, masks: object) -> list[Problem]:
    """What is wrong with what an anonymizer returned: it is checked like input."""
    place = f"anonymizer {shown(anonymizer.name)}: document {shown(document.id)}"
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
    for written in (mask.replacement or "", mask.entity_type):
        if not isinstance(written, str):
            return f"found {quoted(written)}; expected text"
        if any("\ud800" <= character <= "\udfff" for character in written):
            return HALF_CHARACTER
    return ""
