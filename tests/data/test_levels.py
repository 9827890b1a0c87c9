"""Which types are known to identify directly, and which are a guess."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from showthrough.data.levels import by_type, level_of
from showthrough.data.types import NAMES

PRESIDIO_DIRECT = (
    "CREDIT_CARD CRYPTO EMAIL_ADDRESS IBAN_CODE IP_ADDRESS MAC_ADDRESS PERSON PHONE_NUMBER MEDICAL_LICENSE URL "
    "US_BANK_NUMBER US_DRIVER_LICENSE US_ITIN US_PASSPORT US_SSN UK_NHS UK_NINO ES_NIF ES_NIE IT_FISCAL_CODE PL_PESEL "
    "SG_NRIC_FIN AU_TFN AU_MEDICARE IN_PAN IN_AADHAAR FI_PERSONAL_IDENTITY_CODE KR_RRN TH_TNIN"
)
ONTONOTES = (
    "NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE DATE TIME PERCENT MONEY QUANTITY ORDINAL CARDINAL"
)


@pytest.mark.parametrize("name", PRESIDIO_DIRECT.split())
def test_contact_data_codes_and_names_are_direct(name: str) -> None:
    assert level_of(name) == "DIRECT"


@pytest.mark.parametrize("name", [*ONTONOTES.split(), "NRP", "DATE_TIME", "LOCATION", "AGE", "DOCTOR", "HOSPITAL"])
def test_the_rest_of_the_known_types_is_quasi(name: str) -> None:
    assert level_of(name) == "QUASI"


@pytest.mark.parametrize("name", ["STREET", "CALLE", "street address", "FAX", "MEDICALRECORD", "BIOID", "CODE"])
def test_what_leads_to_one_door_or_one_file(name: str) -> None:
    assert level_of(name) == "DIRECT"


@pytest.mark.parametrize("name", ["email-address", "Email Address", "EMAILADDRESS", "CONTACT/PAGER", "x/e-mail"])
def test_writing_and_prefixes(name: str) -> None:
    assert level_of(name) == "DIRECT"


def test_nobody_knows() -> None:
    assert level_of("TATTOO") is None
    assert level_of("") is None
    mention = by_type(0, 3, "TATTOO")
    assert (mention.identifier, mention.stated) == ("QUASI", False)


def test_the_page_names_every_type() -> None:
    """The table of docs/labels.md, word for word what the program takes them for."""
    page = (Path(__file__).parents[2] / "docs/labels.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| (direct|quasi) \| [A-R]? \| ([^|]*) \| [^|]* \|$", page, re.MULTILINE)
    shown = {name: level for first, level, more in rows for name in re.findall(r"`([^`]+)`", first + more)}
    assert {name: (level_of(name) or "").lower() for name in shown} == shown
    assert {*shown} == {name for names in NAMES.values() for name in names}
