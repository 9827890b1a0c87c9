"""One tree of kinds: it is a tree, who uses which names is in it, and what was known before it is known still."""

from __future__ import annotations

from collections import Counter

import pytest

from showthrough.data.levels import level_of
from showthrough.data.schemes import PHI_TYPES, SCHEMES, phi_type
from showthrough.data.types import HIPAA, NAMES, PARENTS, ROOT, TREE, fold_type, kind_of, nearest, path_of, treated_as

# How types identified, and what was said of types of PHI, when each had a table of its own.
DIRECT = (
    "PATIENT ID PHONE USERNAME STREET FAX EMAIL URL IPADDR IPADDRESS SSN MEDICALRECORD HEALTHPLAN ACCOUNT "
    "LICENSE VEHICLE DEVICE BIOID IDNUM NOMBRE_SUJETO_ASISTENCIA CALLE ID_SUJETO_ASISTENCIA "
    "ID_CONTACTO_ASISTENCIAL ID_ASEGURAMIENTO NUMERO_TELEFONO NUMERO_FAX CORREO_ELECTRONICO URL_WEB "
    "DIREC_PROT_INTERNET IDENTIF_VEHICULOS_NRSERIE_PLACAS IDENTIF_DISPOSITIVOS_NRSERIE IDENTIF_BIOMETRICOS "
    "NUMERO_BENEF_PLAN_SALUD OTRO_NUMERO_IDENTIF PERSON CODE PERSON_NAME PER NAME FULL_NAME PATIENT_NAME "
    "FIRST_NAME MIDDLE_NAME LAST_NAME SURNAME FAMILY_NAME GIVEN_NAME NAME_GIVEN NAME_FAMILY NICKNAME CONTACT "
    "PHONE_NUMBER PHONE_NUM TELEPHONE TELEPHONE_NUMBER TELEPHONE_NUM FAX_NUMBER EMAIL_ADDRESS WEB_ADDRESS "
    "DOMAIN_NAME IP MAC_ADDRESS ADDRESS STREET_ADDRESS HOME_ADDRESS ID_NUMBER ID_CARD ID_CARD_NUMBER "
    "NATIONAL_ID NATIONAL_ID_NUMBER TAX_ID TAX_NUMBER SOCIAL_NUM ACCOUNT_NUM DRIVER_LICENSE_NUM CREDIT_CARD_NUM "
    "PASSWORD PIN PASSPORT PASSPORT_NUMBER DRIVER_LICENSE DRIVING_LICENCE LICENCE LICENSE_NUMBER "
    "MEDICAL_LICENSE CERTIFICATE_NUMBER SOCIAL_SECURITY_NUMBER MRN MEDICAL_RECORD_NUMBER HEALTH_PLAN_NUMBER "
    "HEALTH_PLAN_BENEFICIARY_NUMBER ACCOUNT_NUMBER BANK_ACCOUNT CREDIT_CARD CREDIT_CARD_NUMBER IBAN IBAN_CODE "
    "CRYPTO LICENSE_PLATE VEHICLE_ID VEHICLE_IDENTIFIER DEVICE_ID DEVICE_IDENTIFIER SERIAL_NUMBER BIOMETRIC "
    "BIOMETRIC_ID BIOMETRIC_IDENTIFIER US_BANK_NUMBER US_DRIVER_LICENSE US_ITIN US_MBI US_NPI US_PASSPORT "
    "US_SSN UK_NHS UK_NINO UK_PASSPORT UK_DRIVING_LICENCE UK_VEHICLE_REGISTRATION ES_NIF ES_NIE ES_PASSPORT "
    "IT_FISCAL_CODE IT_DRIVER_LICENSE IT_VAT_CODE IT_PASSPORT IT_IDENTITY_CARD PL_PESEL SG_NRIC_FIN SG_UEN "
    "AU_ABN AU_ACN AU_TFN AU_MEDICARE IN_PAN IN_AADHAAR IN_VEHICLE_REGISTRATION IN_VOTER IN_PASSPORT IN_GSTIN "
    "FI_PERSONAL_IDENTITY_CODE KR_DRIVER_LICENSE KR_FRN KR_PASSPORT KR_BRN KR_RRN TH_TNIN"
)
QUASI = (
    "DOCTOR HOSPITAL DATE LOCATION AGE PROFESSION ORGANIZATION CITY STATE COUNTRY ZIP LOCATION-OTHER OTHER "
    "NOMBRE_PERSONAL_SANITARIO FECHAS EDAD_SUJETO_ASISTENCIA TERRITORIO PAIS INSTITUCION CENTRO_SALUD "
    "ID_TITULACION_PERSONAL_SANITARIO ID_EMPLEO_PERSONAL_SANITARIO PROFESION SEXO_SUJETO_ASISTENCIA "
    "FAMILIARES_SUJETO_ASISTENCIA OTROS_SUJETO_ASISTENCIA LOC ORG DATETIME DEM QUANTITY MISC GPE FAC FACILITY "
    "COUNTY ZIP_CODE POSTCODE POSTAL_CODE UK_POSTCODE ORGANISATION HOSP PATORG STAFF HCW TIME DATE_OF_BIRTH NRP "
    "NORP LANGUAGE CARDINAL ORDINAL PERCENT MONEY PRODUCT EVENT WORK_OF_ART LAW"
)
PHI = {
    ("NAME", "person", "DIRECT", "A"):
        "PATIENT NOMBRE_SUJETO_ASISTENCIA PERSON",
    ("NAME", "person", "QUASI", ""):
        "DOCTOR NOMBRE_PERSONAL_SANITARIO",
    ("LOCATION", "organization", "QUASI", ""):
        "HOSPITAL ORGANIZATION INSTITUCION CENTRO_SALUD ORG",
    ("ID", "code", "DIRECT", "R"):
        "ID IDNUM ID_CONTACTO_ASISTENCIAL OTRO_NUMERO_IDENTIF CODE",
    ("DATE", "date", "QUASI", "C"):
        "DATE FECHAS DATETIME",
    ("LOCATION", "place", "QUASI", "B"):
        "LOCATION CITY LOCATION-OTHER TERRITORIO LOC",
    ("CONTACT", "code", "DIRECT", "D"):
        "PHONE NUMERO_TELEFONO",
    ("AGE", "age", "QUASI", "C"):
        "AGE EDAD_SUJETO_ASISTENCIA",
    ("NAME", "contact", "DIRECT", "R"):
        "USERNAME",
    ("PROFESSION", "word", "QUASI", ""):
        "PROFESSION PROFESION",
    ("LOCATION", "place", "DIRECT", "B"):
        "STREET CALLE",
    ("LOCATION", "place", "QUASI", ""):
        "STATE COUNTRY PAIS",
    ("LOCATION", "code", "QUASI", "B"):
        "ZIP",
    ("CONTACT", "code", "DIRECT", "E"):
        "FAX NUMERO_FAX",
    ("CONTACT", "contact", "DIRECT", "F"):
        "EMAIL CORREO_ELECTRONICO",
    ("CONTACT", "contact", "DIRECT", "N"):
        "URL URL_WEB",
    ("CONTACT", "code", "DIRECT", "O"):
        "IPADDR IPADDRESS DIREC_PROT_INTERNET",
    ("ID", "code", "DIRECT", "G"):
        "SSN",
    ("ID", "code", "DIRECT", "H"):
        "MEDICALRECORD ID_SUJETO_ASISTENCIA",
    ("ID", "code", "DIRECT", "I"):
        "HEALTHPLAN ID_ASEGURAMIENTO NUMERO_BENEF_PLAN_SALUD",
    ("ID", "code", "DIRECT", "J"):
        "ACCOUNT",
    ("ID", "code", "DIRECT", "K"):
        "LICENSE",
    ("ID", "code", "DIRECT", "L"):
        "VEHICLE IDENTIF_VEHICULOS_NRSERIE_PLACAS",
    ("ID", "code", "DIRECT", "M"):
        "DEVICE IDENTIF_DISPOSITIVOS_NRSERIE",
    ("ID", "code", "DIRECT", "P"):
        "BIOID IDENTIF_BIOMETRICOS",
    ("OTHER", "word", "QUASI", ""):
        "OTHER SEXO_SUJETO_ASISTENCIA FAMILIARES_SUJETO_ASISTENCIA OTROS_SUJETO_ASISTENCIA DEM MISC",
    ("ID", "code", "QUASI", "K"):
        "ID_TITULACION_PERSONAL_SANITARIO",
    ("ID", "code", "QUASI", "R"):
        "ID_EMPLEO_PERSONAL_SANITARIO",
    ("OTHER", "code", "QUASI", ""):
        "QUANTITY",
}  # fmt: skip


def test_levels_are_what_they_were() -> None:
    assert {name for name in DIRECT.split() if level_of(name) != "DIRECT"} == set()
    assert {name for name in QUASI.split() if level_of(name) != "QUASI"} == set()
    assert len({*DIRECT.split(), *QUASI.split()}) == 205


def test_types_of_phi_are_what_they_were() -> None:
    before = {name: said for said, names in PHI.items() for name in names.split()}
    now = {name: (one.element, one.kind, one.identifier, one.hipaa) for name, one in PHI_TYPES.items()}
    assert now == before


def test_unknown_types_go_by_the_element_as_before() -> None:
    found = {name: phi_type(f"{name}/X") for name in ("NAME", "CONTACT", "OTHER", "X")}
    assert {name: (one.element, one.kind, one.identifier, one.hipaa) for name, one in found.items()} == {
        "NAME": ("NAME", "person", "DIRECT", "A"),
        "CONTACT": ("CONTACT", "contact", "DIRECT", "R"),
        "OTHER": ("OTHER", "word", "QUASI", ""),
        "X": ("OTHER", "word", "QUASI", ""),
    }
    assert phi_type("GPE").kind == "word"  # of no corpus whose files hold elements: they are written as before


def test_it_is_a_tree() -> None:
    assert max(Counter(kind for kinds in TREE.values() for kind in kinds).values()) == 1  # one parent each
    assert set(TREE) - {ROOT} <= set(PARENTS)
    assert all(path_of(kind)[0] == ROOT for kind in PARENTS)  # and no circle


def test_a_name_stands_for_one_kind() -> None:
    names = Counter(fold_type(name) for names in NAMES.values() for name in names)
    assert [name for name, many in names.items() if many > 1] == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_are_in_the_tree_and_their_types_stay_apart(scheme: str) -> None:
    """Two types of one scheme are two kinds, or scoring would no longer tell them apart."""
    kinds = {name: kind_of(name) for name in SCHEMES[scheme].labels}
    assert [name for name, kind in kinds.items() if kind is None] == []
    kinds.pop("IPADDR", None)  # i2b2 2014 has both spellings of one type
    assert [kind for kind, many in Counter(kinds.values()).items() if many > 1] == []


def test_how_many_types_there_are() -> None:
    counts = {name: len(scheme.labels) for name, scheme in SCHEMES.items()}
    assert counts == {
        "TAB": 8, "OntoNotes 5": 18, "CoNLL 2003": 4, "i2b2 2006": 8, "i2b2 2014": 30, "MEDDOCAN": 29, "HIPAA": 18,
        "Presidio": 97, "ai4privacy 2023": 56, "ai4privacy 2024": 28, "ai4privacy 2025": 24, "Nemotron-PII": 55,
        "AWS Comprehend": 36, "Google DLP": 110, "Azure PII": 50, "OpenAI Privacy Filter": 9, "Piiranha": 17,
            "Robust DeID": 11, "Kaggle PII 2024": 7,
    }  # fmt: skip


def test_hipaas_types_follow_its_letters() -> None:
    """Its eighteen paragraphs in their order; an address is the B of it, a date the C."""
    assert "".join(HIPAA) == "ABCDEFGHIJKLMNOPQR"
    letters = [treated_as(kind_of(name) or "").hipaa for name in SCHEMES["HIPAA"].labels]
    assert letters == list(HIPAA)


# As the guidelines of corpora have it; what they do not say is not below.
@pytest.mark.parametrize(
    ("finer", "coarser"),
    [
        ("CITY", "LOCATION"), ("GPE", "LOC"), ("COUNTRY", "GPE"), ("ZIPCODE", "LOC"), ("STREET", "ADDRESS"),
        ("FIRSTNAME", "PERSON"), ("GIVENNAME1", "PER"), ("DOCTOR", "STAFF"), ("USERNAME", "PERSON"),
        ("DATE_OF_BIRTH", "DATE"), ("DATE", "DATETIME"), ("TIME", "DATE_TIME"), ("HOSPITAL", "ORG"),
        ("PHONE_NUMBER", "CODE"), ("FAX", "PHONE"), ("US_SSN", "ID"), ("US_PASSPORT", "PASSPORT"), ("NORP", "DEM"),
        ("AGE", "DEM"), ("JOBTITLE", "PROFESSION"), ("MONEY", "QUANTITY"), ("IPV4", "IP"),
    ],
)  # fmt: skip
def test_finer_types(finer: str, coarser: str) -> None:
    assert kind_of(coarser) in path_of(kind_of(finer) or "")[:-1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HOSPITAL", "LOCATION"), ("PHONE", "ID"), ("MISC", "OTHER"), ("CITY", "MISC"), ("ZIP", "GPE"),
        ("SEX", "GENDER"), ("EMAIL", "CODE"), ("URL", "CODE"), ("IP", "CODE"), ("PASSWORD", "CODE"),
        ("NRP", "LOCATION"), ("DATE", "TIME"), ("ORDINAL", "QUANTITY"), ("DOCTOR", "PATIENT"), ("PASSWORD", "ID"),
    ],
)  # fmt: skip
def test_types_that_have_nothing_to_do_with_each_other(one: str, other: str) -> None:
    kinds = kind_of(one), kind_of(other)
    assert kinds[1] not in path_of(kinds[0] or "")
    assert kinds[0] not in path_of(kinds[1] or "")


def test_composed_names() -> None:
    assert (nearest("NAME/NICKNAME"), nearest("x/e-mail"), nearest("a/b"), nearest("")) == (
        "PERSON",
        "EMAIL",
        None,
        None,
    )
    assert kind_of("NAME/NICKNAME") is None
