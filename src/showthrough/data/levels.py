"""What a type tells where nobody said how a mention identifies: directly, or together with others.

Names of persons, contact data and codes identify directly. Clinical types are those of `categories`; here are
the names that Presidio, OntoNotes 5, CoNLL 2003 and HIPAA's Safe Harbor list give to such things. Names are compared
with case, hyphens, underscores and spaces aside. A type that is in neither table is a guess, and is told as one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from showthrough.data.categories import PHI_TYPES
from showthrough.data.documents import Identifier, InferredMention, Mention

GUESS: Identifier = "QUASI"  # of a type that nobody knows

# What is meant, and the names that types of it have.
DIRECT: dict[str, tuple[str, ...]] = {
    "names of persons": (
        "PERSON_NAME", "PER", "NAME", "FULL_NAME", "PATIENT_NAME", "FIRST_NAME", "MIDDLE_NAME", "LAST_NAME", "SURNAME",
        "FAMILY_NAME", "GIVEN_NAME", "NAME_GIVEN", "NAME_FAMILY", "NICKNAME",
    ),
    "contact data": (
        "CONTACT", "PHONE_NUMBER", "PHONE_NUM", "TELEPHONE", "TELEPHONE_NUMBER", "TELEPHONE_NUM", "FAX_NUMBER",
        "EMAIL_ADDRESS", "WEB_ADDRESS", "DOMAIN_NAME", "IP", "MAC_ADDRESS", "ADDRESS", "STREET_ADDRESS", "HOME_ADDRESS",
    ),
    "codes": (
        "ID_NUMBER", "ID_CARD", "ID_CARD_NUMBER", "NATIONAL_ID", "NATIONAL_ID_NUMBER", "TAX_ID", "TAX_NUMBER",
        "SOCIAL_NUM", "ACCOUNT_NUM", "DRIVER_LICENSE_NUM", "CREDIT_CARD_NUM", "PASSWORD", "PIN", "PASSPORT",
        "PASSPORT_NUMBER", "DRIVER_LICENSE", "DRIVING_LICENCE", "LICENCE", "LICENSE_NUMBER", "MEDICAL_LICENSE",
        "CERTIFICATE_NUMBER", "SOCIAL_SECURITY_NUMBER", "MRN", "MEDICAL_RECORD_NUMBER", "HEALTH_PLAN_NUMBER",
        "HEALTH_PLAN_BENEFICIARY_NUMBER", "ACCOUNT_NUMBER", "BANK_ACCOUNT", "CREDIT_CARD", "CREDIT_CARD_NUMBER", "IBAN",
        "IBAN_CODE", "CRYPTO", "LICENSE_PLATE", "VEHICLE_ID", "VEHICLE_IDENTIFIER", "DEVICE_ID", "DEVICE_IDENTIFIER",
        "SERIAL_NUMBER", "BIOMETRIC", "BIOMETRIC_ID", "BIOMETRIC_IDENTIFIER",
    ),
    "codes of one country": (
        "US_BANK_NUMBER", "US_DRIVER_LICENSE", "US_ITIN", "US_MBI", "US_NPI", "US_PASSPORT", "US_SSN", "UK_NHS",
        "UK_NINO", "UK_PASSPORT", "UK_DRIVING_LICENCE", "UK_VEHICLE_REGISTRATION", "ES_NIF", "ES_NIE", "ES_PASSPORT",
        "IT_FISCAL_CODE", "IT_DRIVER_LICENSE", "IT_VAT_CODE", "IT_PASSPORT", "IT_IDENTITY_CARD", "PL_PESEL",
        "SG_NRIC_FIN", "SG_UEN", "AU_ABN", "AU_ACN", "AU_TFN", "AU_MEDICARE", "IN_PAN", "IN_AADHAAR",
        "IN_VEHICLE_REGISTRATION", "IN_VOTER", "IN_PASSPORT", "IN_GSTIN", "FI_PERSONAL_IDENTITY_CODE",
        "KR_DRIVER_LICENSE", "KR_FRN", "KR_PASSPORT", "KR_BRN", "KR_RRN", "TH_TNIN",
    ),
}  # fmt: skip
QUASI: dict[str, tuple[str, ...]] = {
    "places": ("GPE", "FAC", "FACILITY", "COUNTY", "ZIP_CODE", "POSTCODE", "POSTAL_CODE", "UK_POSTCODE"),
    "organizations": ("ORGANISATION", "HOSP", "PATORG"),
    "staff": ("STAFF", "HCW"),
    "dates and times": ("TIME", "DATE_OF_BIRTH"),
    "groups of persons": ("NRP", "NORP", "LANGUAGE"),
    "numbers": ("CARDINAL", "ORDINAL", "PERCENT", "MONEY"),
    "others": ("PRODUCT", "EVENT", "WORK_OF_ART", "LAW"),
}
_IGNORED = re.compile(r"[-_\s]+")


def folded(name: str) -> str:
    """A type's name as it is compared.

    >>> folded("Email-Address") == folded("EMAIL_ADDRESS")
    True
    """
    return _IGNORED.sub("", name).casefold()


_LEVELS: dict[str, Identifier] = {
    **{folded(name): "DIRECT" for names in DIRECT.values() for name in names},
    **{folded(name): "QUASI" for names in QUASI.values() for name in names},
    **{folded(name): phi.identifier for name, phi in PHI_TYPES.items()},
}


@lru_cache(maxsize=4096)
def known_level(entity_type: str) -> Identifier | None:
    """How mentions of a type identify; `None` where nobody knows. `NAME/NICKNAME` is told by its first part.

    >>> known_level("phone number"), known_level("DATE"), known_level("NAME/NICKNAME"), known_level("TATTOO")
    ('DIRECT', 'QUASI', 'DIRECT', None)
    """
    parts = (entity_type, *entity_type.split("/", 1)) if "/" in entity_type else (entity_type,)
    return next((_LEVELS[name] for name in map(folded, parts) if name in _LEVELS), None)


def by_type(start: int, end: int, entity_type: str, entity_id: str = "", confidential: str | None = None) -> Mention:
    """A mention of which nobody said how it identifies."""
    return InferredMention(start, end, entity_type, known_level(entity_type) or GUESS, entity_id, confidential)
