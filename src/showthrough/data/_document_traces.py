"""Collects what shows that documents belong together, a few bytes a document; traces of parts add up.

Record numbers and full names are among it, which this module finds as well.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from showthrough.core.arrays import Bytes, Codes
from showthrough.core.patterns import lazy_pattern
from showthrough.data.copies import Sketching, without_spaces
from showthrough.data.subjects import AUTHOR
from showthrough.data.types import kind_of, path_of
from showthrough.storage.columns.growing_columns import GrowingNumbers
from showthrough.storage.columns.index import GrowingHashes

if TYPE_CHECKING:
    from showthrough.data.documents import Document, Mention

# These functions find the numbers and full names in a document that only documents of the same person share.

Role = Literal["number", "name"]
Kind = tuple["type[Mention]", str, str]  # of a mention: its class, its type and how it identifies
# Numbers of a person's record, and of the person.
_RECORDS = frozenset({
    "PATIENT_ID", "ID_CONTACTO_ASISTENCIAL", "HEALTH_PLAN", "ID_ASEGURAMIENTO", "SOCIAL_NUM", "NATIONAL_ID", "PASSPORT",
    "CUSTOMER_ID",
})  # fmt: skip
_ANY_NUMBER = frozenset({"CODE", "ID", "OTHER_ID"})  # of whatever, where it identifies directly: TAB's application
_PEOPLE = frozenset({"PATIENT"})
_ANYBODY = frozenset({"PERSON"})  # where somebody says that the name identifies directly: TAB's applicants
_LONGEST = 200  # characters of a name or a number
_FIELD = 24  # characters at most between two fields of one name
_WORD = lazy_pattern(r"[^\W\d_]{2,}")
_NO_LETTERS = lazy_pattern(r"[\W_]+")
_DIGIT = lazy_pattern(r"\d")
# Words that make a single name no full one, as they are compared.
_NO_NAMES = frozenset({
    "mr", "mrs", "ms", "mx", "miss", "messrs", "mister", "dr", "drs", "dra", "doctor", "prof", "professor", "sir",
    "dame", "lord", "lady", "madam", "judge", "justice", "don", "dona", "sr", "sra", "srta", "senor", "senora",
    "senorita", "senhor", "senhora", "herr", "herrn", "frau", "monsieur", "madame", "mme", "mlle", "maitre", "me",
    "signor", "signora", "sig", "dott", "dottssa", "avv", "dhr", "mevr", "mevrouw", "meneer", "hr", "fru", "pan",
    "pani", "rev", "father", "sister", "brother", "jr", "snr", "ii", "iii", "iv", "phd", "md", "van", "von", "vom",
    "de", "der", "den", "del", "della", "di", "da", "dos", "das", "do", "du", "des", "la", "las", "los", "le", "lo",
    "af", "av", "al", "el", "bin", "ben", "bint", "ibn", "abu", "ter", "ten", "te", "zu", "zum", "zur", "st", "and",
    "or", "the", "und", "et", "og", "och",
})  # fmt: skip


class Roles(dict[Kind, "Role | None"]):
    """By kind of mention what it says of whom a document is about; found once for each."""

    def __missing__(self, kind: Kind) -> Role | None:
        mention, entity_type, identifier = kind
        self[kind] = role = _role(entity_type, identifier == "DIRECT", mention.states)
        return role


def _role(entity_type: str, direct: bool, stated: bool) -> Role | None:
    # Of `NAME/PATIENT`, the last part says most.
    type_kind = next(filter(None, map(kind_of, (entity_type, *reversed(entity_type.split("/"))))), None)
    path = frozenset(path_of(type_kind)) if type_kind else frozenset()
    if path & _RECORDS or (direct and type_kind in _ANY_NUMBER):
        return "number"
    return "name" if path & _PEOPLE or (direct and stated and type_kind in _ANYBODY) else None


def plain_number(text: str) -> str:
    """The letters and digits of a number; empty where it has no digit, such as `unknown`.

    >>> plain_number("36110/97"), plain_number("NHC: a-12"), plain_number("n/a")
    ('3611097', 'nhca12', '')
    """
    plain = _NO_LETTERS.sub("", text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold())
    return plain if _DIGIT.search(plain) else ""


def plain_name(text: str) -> str:
    """The words of a full name, sorted, without accents, titles and initials; empty where fewer than two are left.

    >>> plain_name("Pérez García, José"), plain_name("Mr José G. PEREZ GARCIA"), plain_name("Mrs de Boer")
    ('garcia jose perez', 'garcia jose perez', '')
    """
    letters = text.casefold()
    if not letters.isascii():
        letters = "".join(part for part in unicodedata.normalize("NFKD", letters) if not unicodedata.combining(part))
    words = [part for part in _WORD.findall(letters) if part not in _NO_NAMES]
    return " ".join(sorted(words)) if len(words) > 1 else ""


def identities(document: Document, marks: Iterable[tuple[Role, Mention]]) -> set[str]:
    """The people and records that a document is of, by its marks that say so, each as a text that is compared."""
    text = document.text
    # What is longer is neither a name nor a number, and of nested marks would be endless.
    marked = {(role, mark.start, mark.end) for role, mark in marks if mark.end - mark.start <= _LONGEST}
    result = {("number", plain_number(text[start:end])) for role, start, end in marked if role == "number"}
    result |= {("name", plain_name(mark)) for mark in _names(text, [mark[1:] for mark in marked if mark[0] == "name"])}
    result.update(_of_author(document))
    return {f"{role} {plain}" for role, plain in result if plain}


def _names(text: str, spans: list[tuple[int, int]]) -> Iterator[str]:
    """The names at some places. What stands in fields side by side is one: `First name: Ann, surname: Berg Doe`."""
    whole, last = "", -_FIELD
    for start, end in sorted(spans):
        beside = last <= start <= last + _FIELD and ":" in text[last:start]
        if whole and not beside:
            yield whole
        whole = f"{whole} {text[start:end]}" if beside else text[start:end]
        last = end
    yield whole


def _of_author(document: Document) -> Iterator[tuple[str, str]]:
    if document.authorship is not None:
        for text in (document.text, *document.authorship.known):  # problems that share a text share its author
            yield "text", hashlib.sha256(without_spaces(text)).hexdigest()
    for subject in document.subjects:
        if subject.id == AUTHOR:
            yield from (
                ("name", plain_name(attribute.value))
                for attribute in subject.attributes
                if kind_of(attribute.tag) == "PERSON"
            )


@dataclass(frozen=True, eq=False)
class Traces:
    """The texts of documents, and who they are about."""

    texts: Codes  # of each document: texts that are equal but for white space have the same
    sketches: Bytes  # of each document a row: those of near copies are much alike
    identities: Codes  # numbers and full names of people, in the order of the documents that have them
    documents: NDArray[np.integer]  # of each identity, the number of its document


class Tracing:
    """Traces on their way: documents are added one by one, or those of parts all at once."""

    def __init__(self) -> None:
        self._count = 0
        self._roles = Roles()
        self._sketching = Sketching()
        self._identities, self._identified = GrowingHashes(), GrowingNumbers()

    def add(self, document: Document) -> None:
        self._sketching.append(document.text)
        roles = self._roles
        marks = [
            (role, mention)
            for layer in document.annotations
            for mention in layer.mentions
            if (role := roles[type(mention), mention.entity_type, mention.identifier])
        ]
        if marks or document.authorship or document.subjects:
            for identity in identities(document, marks):
                self._identities.append(identity)
                self._identified.append(self._count)
        self._count += 1

    def extend(self, part: Traces) -> None:
        """Adds those of a part, whose documents are after all others."""
        self._sketching.extend(part.texts, part.sketches)
        self._identities.extend(part.identities)
        self._identified.extend(part.documents + self._count)
        self._count += len(part.texts)

    def build(self) -> Traces:
        """All of them; none can be added then."""
        return Traces(*self._sketching.build(), self._identities.finish(), self._identified.finish())
