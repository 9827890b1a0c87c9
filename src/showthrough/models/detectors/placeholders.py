"""What stands for a name without being one: PERSON, [NAME], Mr ***, Ms X."""

from __future__ import annotations

import re

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
