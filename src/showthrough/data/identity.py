"""Who a document is about, as far as marks say it: the numbers and full names that only documents of one person share.

Staff, contact data, addresses and single names tell nothing: many people share a doctor, and a María.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from showthrough.columns.strings import CODEC
from showthrough.data.copies import without_spaces
from showthrough.data.kinds import kind_of, path_of
from showthrough.data.subjects import AUTHOR

if TYPE_CHECKING:
    from showthrough.data.documents import Document

Counted = tuple[type[Any], str, str]  # a mention's class, type and how it identifies
_Role = Literal["number", "name", ""]

# Numbers of a person's record, and of the person.
_RECORDS = frozenset({
    "PATIENT_ID", "ID_CONTACTO_ASISTENCIAL", "HEALTH_PLAN", "ID_ASEGURAMIENTO", "SOCIAL_NUM", "NATIONAL_ID", "PASSPORT",
    "CUSTOMER_ID",
})  # fmt: skip
_ANY_NUMBER = frozenset({"CODE", "ID", "OTHER_ID"})  # of whatever, where it identifies directly: TAB's application
_PEOPLE = frozenset({"PATIENT"})
_ANYBODY = frozenset({"PERSON"})  # where somebody says that the name identifies directly: TAB's applicants
_WORD = re.compile(r"[^\W\d_]{2,}")
# Words that make a single name no full one, as they are compared.
_NO_NAMES = frozenset(
    "mr mrs ms mx miss messrs mister dr drs dra doctor prof professor sir dame lord lady madam judge justice don dona "
    "sr sra srta senor senora senorita senhor senhora herr herrn frau monsieur madame mme mlle maitre me signor signora "
    "sig dott dottssa avv dhr mevr mevrouw meneer hr fru pan pani rev father sister brother jr snr ii iii iv phd md "
    "van von vom de der den del della di da dos das do du des la las los le lo af av al el bin ben bint ibn abu ter ten "
    "te zu zum zur st and or the und et og och".split()
)


@lru_cache(maxsize=4096)
def _role(stated: bool, entity_type: str, identifier: str) -> _Role:
    """What mentions of a type say of whom a document is about."""
    kind = next(filter(None, map(kind_of, (entity_type, *reversed(entity_type.split("/"))))), None)
    if kind is None:
        return ""
    path = path_of(kind)
    direct = identifier == "DIRECT"
    if not _RECORDS.isdisjoint(path) or (direct and kind in _ANY_NUMBER):
        return "number"
    return "name" if not _PEOPLE.isdisjoint(path) or (direct and stated and kind in _ANYBODY) else ""


def plain_number(text: str) -> str:
    """The letters and digits of a number; empty where it has no digit, such as `unknown`.

    >>> plain_number("36110/97"), plain_number("NHC: a-12"), plain_number("n/a")
    ('3611097', 'nhca12', '')
    """
    plain = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
    return plain if any(map(str.isdigit, plain)) else ""


def plain_name(text: str) -> str:
    """The words of a full name, sorted, without accents, titles and initials; empty where fewer than two are left.

    >>> plain_name("Pérez García, José"), plain_name("Mr José G. PEREZ GARCIA"), plain_name("Mrs de Boer")
    ('garcia jose perez', 'garcia jose perez', '')
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    if not letters.isascii():
        letters = "".join(one for one in letters if not unicodedata.combining(one))
    words = [one for one in _WORD.findall(letters) if one not in _NO_NAMES]
    return " ".join(sorted(words)) if len(words) > 1 else ""


def identities(document: Document, kinds: Iterable[Counted]) -> list[int]:
    """A number of 64 bits for each person, or record, that the document is of; `kinds` are what its mentions are."""
    roles = {kind: role for kind in kinds if (role := _role(kind[0].states, *kind[1:]))}
    found = set(_marked(document, roles)) if roles else set[tuple[str, str]]()
    if document.authorship is not None:
        texts = (document.text, *document.authorship.known)  # problems that share a text share its author
        found.update(("text", without_spaces(one).decode(*CODEC)) for one in texts)
    for subject in document.subjects:
        if subject.id == AUTHOR:
            names = (one.value for one in subject.attributes if kind_of(one.tag) == "PERSON")
            found.update(("name", plain_name(one)) for one in names)
    return sorted(_hashed(*one) for one in found if one[1])


def _marked(document: Document, roles: dict[Counted, _Role]) -> Iterator[tuple[str, str]]:
    text = document.text
    types = {kind[1] for kind in roles}
    marks = [
        (role, text[one.start : one.end])
        for layer in document.annotations
        for one in layer.mentions
        if one.entity_type in types and (role := roles.get((type(one), one.entity_type, one.identifier)))
    ]
    for role, marked in dict.fromkeys(marks):
        yield role, plain_number(marked) if role == "number" else plain_name(marked)


def _hashed(what: str, value: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{what} {value}".encode(*CODEC), digest_size=8).digest(), "little")
