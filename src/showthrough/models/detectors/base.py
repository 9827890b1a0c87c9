"""What a detector is: texts in, typed spans out."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple


class Find(NamedTuple):
    """A span of a text that looks like an identifier. Offsets are code points.

    `core` is what identifies in it, where that is not all of it: of a titled name the name, of a code behind a cue the
    code. Where the core is gone, nothing was found.
    """

    start: int
    end: int
    entity_type: str
    score: float = 1.0
    core: tuple[int, int] | None = None

    @property
    def telling(self) -> tuple[int, int]:
        return self.core or (self.start, self.end)


@dataclass(frozen=True)
class Detector(ABC):
    """Finds what looks like an identifier. A subclass is a frozen dataclass whose fields are what can be set."""

    version: ClassVar[int] = 1  # rises when the same text could give other finds

    @abstractmethod
    def find(self, texts: Sequence[str]) -> list[list[Find]]:
        """What it finds in each text. No find may depend on the other texts."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types that it may find, if it knows them: one that is not found counts 0."""
        return ()

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """What a score's signature says of it beside name, version and parameters."""
        return ()


# Words that stand for something that was taken out; in capitals alone, since there are people called Person.
LABELS = frozenset({
    "PERSON", "PERSONS", "PERSONNAME", "PER", "PERS", "NAME", "NAMES", "FIRSTNAME", "LASTNAME", "FIRST", "LAST",
    "MIDDLE", "FULLNAME", "SURNAME", "FORENAME", "GIVENNAME", "INITIAL", "INITIALS", "PATIENT", "DOCTOR", "STAFF",
    "CLINICIAN", "NURSE", "RELATIVE", "APPLICANT", "CLAIMANT", "DEFENDANT", "WITNESS", "LOC", "LOCATION", "CITY",
    "TOWN", "STREET", "COUNTRY", "STATE", "ADDRESS", "GPE", "FAC", "PLACE", "ZIP", "POSTCODE", "ORG",
    "ORGANISATION", "ORGANIZATION", "COMPANY", "HOSPITAL", "INSTITUTION", "SCHOOL", "NORP", "NRP", "DATE",
    "DATETIME", "TIME", "YEAR", "AGE", "DOB", "PHONE", "TELEPHONE", "FAX", "EMAIL", "URL", "IP", "CODE", "ID",
    "IDNUM", "MRN", "SSN", "NUMBER", "CASE", "ACCOUNT", "CARD", "IBAN", "DEM", "MISC", "QUANTITY", "MONEY",
    "CARDINAL", "ORDINAL", "EVENT", "PROFESSION", "JOB", "TITLE", "USERNAME", "USER", "PII", "PHI", "MASK",
    "MASKED", "REDACTED", "REDACT", "ANONYMIZED", "ANONYMISED", "ANON", "HIDDEN", "REMOVED", "DELETED", "WITHHELD",
    "UNKNOWN", "ENTITY", "TAG",
})  # fmt: skip
_LABEL = re.compile(r"[A-Z]+(?:[_-][A-Z]+)*(?:[_-]?\d{1,3})?\Z")


def is_placeholder(word: str) -> bool:
    """Whether a word stands for something that was taken out.

    >>> [is_placeholder(word) for word in ("PERSON", "NAME_2", "[Ann]", "***", "XXXX", "SMITH", "Person")]
    [True, True, True, True, True, False, False]
    """
    if not word.strip("Xx.-_*#█▇■•…") or word[0] in "[<{(":
        return True
    return bool(_LABEL.match(word)) and all(part in LABELS for part in re.split(r"[_\d-]+", word) if part)


def is_written(text: str) -> bool:
    """Whether a find is nothing but what an anonymizer wrote, in brackets or not; `(555) 123-4567` is more than that.

    >>> is_written("[PERSON]"), is_written("<DATE_1>"), is_written("(555) 123-4567"), is_written("[2011] EWHC 12")
    (True, True, False, False)
    """
    return is_placeholder(text.strip("[]()<>{} "))
