"""What types of personal information there are: one tree of kinds, and the names that each has.

`PII > LOCATION > GPE > CITY`. A kind lies below another only where whoever marks with the coarser type would mark the
same words: the guidelines of a corpus decide, not what the words might mean. So a code of TAB may be a telephone number
and a person a user name (guidelines of Pilán et al. 2022), but an e-mail address, which these do not place, is no code;
and a hospital is an organization and no place. What is left over in a corpus (`MISC`, `OTHER`) has nothing below it and
nothing beside it. `schemes` says who uses which names.

A kind is treated as what it lies below unless something is said of it: the element of i2b2 2014 files, how it is
replaced by a surrogate, whether it points to a person by itself, and the paragraph of HIPAA's Safe Harbor rule that
lists it (45 CFR 164.514(b)(2)(i), A to R). Which mentions are confidential attributes is read here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec

from showthrough.core.patterns import lazy_pattern

if TYPE_CHECKING:
    from showthrough.data.documents import Identifier

Surrogate = Literal["person", "place", "organization", "date", "age", "code", "contact", "word"]
ROOT = "PII"
VERSION = 1  # of the tree; it rises whenever a name moves, because numbers by type could change


class PhiType(msgspec.Struct, frozen=True):
    """What a type stands for."""

    element: str  # of an i2b2 2014 file
    kind: Surrogate  # how a surrogate is made
    identifier: Identifier
    hipaa: str = ""  # a letter of HIPAA; empty: not listed there


# A kind, what lies below it, and by which names else these go.
TREE: dict[str, dict[str, str]] = {
    ROOT: {
        "PERSON": "PER NAME PERSON_NAME FULL_NAME PRIVATE_PERSON NAME_STUDENT",
        "CODE": "",
        "CONTACT": "",
        "CREDENTIAL": "SECRET",
        "LOCATION": "LOC",
        "ORGANIZATION": "ORG ORGANISATION ORGANIZATION_NAME",
        "DATETIME": "",
        "DEM": "",
        "QUANTITY": "",
        "ORDINAL": "", "CURRENCY": "", "USER_AGENT": "", "ACCOUNT_NAME": "", "RELATIVE": "FAMILIARES_SUJETO_ASISTENCIA",
        "PRODUCT": "", "EVENT": "", "WORK_OF_ART": "", "LAW": "", "PHOTO": "FULL_FACE_PHOTO",
        "MISC": "", "OTHER": "OTHERPHI", "OTROS_SUJETO_ASISTENCIA": "",
    },
    "PERSON": {
        "PATIENT": "PATIENT_NAME NOMBRE_SUJETO_ASISTENCIA",
        "STAFF": "HCW NOMBRE_PERSONAL_SANITARIO",
        "FIRST_NAME": "GIVEN_NAME NAME_GIVEN",
        "MIDDLE_NAME": "",
        "LAST_NAME": "SURNAME FAMILY_NAME NAME_FAMILY",
        "NICKNAME": "",
        "USERNAME": "PERSONAL_HANDLE",
        "NAME_PREFIX": "PREFIX TITLE",
    },
    "STAFF": {"DOCTOR": ""},
    "FIRST_NAME": {"GIVENNAME1": "", "GIVENNAME2": "", "FEMALE_NAME": "", "MALE_NAME": ""},
    "LAST_NAME": {"LASTNAME1": "", "LASTNAME2": "", "LASTNAME3": ""},
    "CODE": {
        "ID": "ID_NUMBER",
        "PHONE": "PHONE_NUMBER PHONE_NUM TELEPHONE TELEPHONE_NUMBER TELEPHONE_NUM TEL NUMERO_TELEFONO "
        "PRIVATE_PHONE",
    },
    "CONTACT": {
        "EMAIL": "EMAIL_ADDRESS CORREO_ELECTRONICO PRIVATE_EMAIL",
        "URL": "WEB_ADDRESS URL_WEB PRIVATE_URL URL_PERSONAL",
        "IP_ADDRESS": "IP IPADDR DIREC_PROT_INTERNET",
    },
    "PHONE": {"FAX": "FAX_NUMBER NUMERO_FAX", "ZA_MOBILE_NUMBER": "", "ZA_TELEPHONE_NUMBER": ""},
    "URL": {"DOMAIN_NAME": ""},
    "IP_ADDRESS": {"IPV4": "", "IPV6": ""},
    "CREDENTIAL": {
        "PASSWORD": "PASS", "PIN": "", "CVV": "CREDIT_CARD_CVV CREDIT_DEBIT_CVV",
        "API_KEY": "", "AUTH_TOKEN": "",
        "ENCRYPTION_KEY": "", "AWS_CREDENTIALS": "", "GCP_CREDENTIALS": "", "HTTP_COOKIE": "",
    },
    "API_KEY": {"GCP_API_KEY": ""},
    "AUTH_TOKEN": {"AZURE_AUTH_TOKEN": ""},
    "AWS_CREDENTIALS": {"AWS_ACCESS_KEY": "", "AWS_SECRET_KEY": ""},
    "ID": {
        "PATIENT_ID": "ID_SUJETO_ASISTENCIA",
        "ID_CONTACTO_ASISTENCIAL": "", "ID_EMPLEO_PERSONAL_SANITARIO": "",
        "HEALTH_PLAN": "HEALTH_PLAN_NUMBER HEALTH_PLAN_BENEFICIARY_NUMBER NUMERO_BENEF_PLAN_SALUD",
        "ID_ASEGURAMIENTO": "",
        "SOCIAL_NUM": "SOCIAL_NUMBER EU_SOCIAL_SECURITY_NUMBER",
        "NATIONAL_ID": "NATIONAL_ID_NUMBER ID_CARD ID_CARD_NUMBER ID_CARD_NUM EU_NATIONAL_IDENTIFICATION_NUMBER",
        "TAX_ID": "TAX_NUMBER TAX_NUM EU_TAX_IDENTIFICATION_NUMBER",
        "PASSPORT": "PASSPORT_NUMBER PASSPORT_NUM EU_PASSPORT_NUMBER",
        "LICENSE": "LICENCE LICENSE_NUMBER CERTIFICATE_NUMBER CERTIFICATE_LICENSE_NUMBER",
        "ACCOUNT": "ACCOUNT_NUMBER ACCOUNT_NUM FINANCIAL_ACCOUNT_NUMBER",
        "VEHICLE": "VEHICLE_ID VEHICLE_IDENTIFIER IDENTIF_VEHICULOS_NRSERIE_PLACAS",
        "DEVICE": "DEVICE_ID DEVICE_IDENTIFIER SERIAL_NUMBER IDENTIF_DISPOSITIVOS_NRSERIE",
        "BIOMETRIC": "BIOID BIOMETRIC_ID BIOMETRIC_IDENTIFIER IDENTIF_BIOMETRICOS",
        "COMPANY_ID": "", "VOTER_ID": "", "CUSTOMER_ID": "", "EMPLOYEE_ID": "",
        "OTHER_ID": "IDNUM OTRO_NUMERO_IDENTIF GENERIC_ID UNIQUE_IDENTIFIER UNIQUE_ID",
    },
    "PATIENT_ID": {"MEDICAL_RECORD": "MRN MEDICAL_RECORD_NUMBER"},
    "HEALTH_PLAN": {
        "US_MBI": "US_MEDICARE_BENEFICIARY_ID_NUMBER", "US_HEALTH_INSURANCE_MEMBER_ID": "",
        "UK_NHS": "UK_NATIONAL_HEALTH_SERVICE_NUMBER UK_NATIONAL_HEALTH_NUMBER",
        "AU_MEDICARE": "AUSTRALIA_MEDICARE_NUMBER AU_MEDICAL_ACCOUNT_NUMBER", "DE_HEALTH_INSURANCE": "",
        "CA_HEALTH_NUMBER": "CA_HEALTH_SERVICE_NUMBER",
    },
    "CA_HEALTH_NUMBER": {"CANADA_OHIP": "", "CANADA_BC_PHN": "", "CANADA_QUEBEC_HIN": ""},
    "SOCIAL_NUM": {
        "SSN": "SOCIAL_SECURITY_NUMBER US_SSN US_SOCIAL_SECURITY_NUMBER",
        "UK_NINO": "UK_NATIONAL_INSURANCE_NUMBER",
        "CA_SIN": "CA_SOCIAL_INSURANCE_NUMBER CANADA_SOCIAL_INSURANCE_NUMBER",
        "DE_SOCIAL_SECURITY": "", "FRANCE_NIR": "", "IRELAND_PPSN": "", "PH_UMID": "",
    },
    "NATIONAL_ID": {
        "ES_NIF": "", "ES_NIE": "", "PL_PESEL": "", "SG_NRIC_FIN": "", "KR_RRN": "KOREA_RRN", "KR_FRN": "",
        "TH_TNIN": "",
        "IN_AADHAAR": "INDIA_AADHAAR_INDIVIDUAL",
        "FI_PERSONAL_IDENTITY_CODE": "FINLAND_NATIONAL_ID_NUMBER FI_NATIONAL_ID",
        "IT_IDENTITY_CARD": "", "DE_ID_CARD": "GERMANY_IDENTITY_CARD_NUMBER", "FRANCE_CNI": "", "NG_NIN": "",
        "SE_PERSONNUMMER": "", "TR_NATIONAL_ID": "", "ZA_ID_NUMBER": "", "BR_CPF": "BRAZIL_CPF_NUMBER BR_CPF_NUMBER",
        "DENMARK_CPR_NUMBER": "", "CHINA_RESIDENT_ID_NUMBER": "CN_RESIDENT_IDENTITY_CARD_NUMBER",
        "ARGENTINA_DNI_NUMBER": "AR_NATIONAL_IDENTITY_NUMBER", "MEXICO_CURP_NUMBER": "", "HONG_KONG_ID_NUMBER": "",
        "BELGIUM_NATIONAL_ID_CARD_NUMBER": "BE_NATIONAL_NUMBER", "JAPAN_INDIVIDUAL_NUMBER": "",
        "ISRAEL_IDENTITY_CARD_NUMBER": "",
    },
    "TAX_ID": {
        "US_ITIN": "US_INDIVIDUAL_TAX_IDENTIFICATION_NUMBER US_INDIVIDUAL_TAXPAYER_IDENTIFICATION "
        "US_INDIVIDUAL_TAXPAYER_IDENTIFICATION_NUMBER",
        "IT_FISCAL_CODE": "ITALY_FISCAL_CODE", "AU_TFN": "AUSTRALIA_TAX_FILE_NUMBER AU_TAX_FILE_NUMBER",
        "IN_PAN": "IN_PERMANENT_ACCOUNT_NUMBER INDIA_PAN_INDIVIDUAL", "DE_TAX_NUMBER": "", "PH_TIN": "",
        "DE_TAX_ID": "GERMANY_TAXPAYER_IDENTIFICATION_NUMBER", "ZA_INCOME_TAX_NUMBER": "", "US_PROVIDER_TAX_ID": "",
        "UK_UTR": "UK_UNIQUE_TAXPAYER_REFERENCE_NUMBER UK_UNIQUE_TAXPAYER_NUMBER UK_TAXPAYER_REFERENCE",
        "FRANCE_TAX_IDENTIFICATION_NUMBER": "",
    },
    "PASSPORT": {
        "US_PASSPORT": "", "UK_PASSPORT": "", "US_UK_PASSPORT_NUMBER": "", "ES_PASSPORT": "", "IT_PASSPORT": "",
        "IN_PASSPORT": "", "KR_PASSPORT": "KOREA_PASSPORT", "DE_PASSPORT": "GERMANY_PASSPORT", "PH_PASSPORT": "",
        "ZA_PASSPORT": "", "AU_PASSPORT": "AUSTRALIA_PASSPORT AU_PASSPORT_NUMBER",
        "CA_PASSPORT": "CANADA_PASSPORT CA_PASSPORT_NUMBER", "CHINA_PASSPORT": "", "FRANCE_PASSPORT": "",
        "IRELAND_PASSPORT": "", "JAPAN_PASSPORT": "", "MEXICO_PASSPORT": "",
    },
    "LICENSE": {
        "DRIVER_LICENSE": "DRIVER_LICENSE_NUM DRIVING_LICENCE DRIVER_ID EU_DRIVERS_LICENSE_NUMBER",
        "MEDICAL_LICENSE": "", "ID_TITULACION_PERSONAL_SANITARIO": "",
    },
    "DRIVER_LICENSE": {
        "US_DRIVER_LICENSE": "US_DRIVERS_LICENSE_NUMBER", "UK_DRIVING_LICENCE": "UK_DRIVERS_LICENSE_NUMBER",
        "IT_DRIVER_LICENSE": "", "KR_DRIVER_LICENSE": "", "DE_FUEHRERSCHEIN": "GERMANY_DRIVERS_LICENSE_NUMBER",
        "ZA_DRIVER_LICENSE": "", "AU_DRIVER_LICENSE": "AUSTRALIA_DRIVERS_LICENSE_NUMBER AU_DRIVERS_LICENSE_NUMBER",
        "CA_DRIVER_LICENSE": "CANADA_DRIVERS_LICENSE_NUMBER CA_DRIVERS_LICENSE_NUMBER",
        "IRELAND_DRIVING_LICENSE_NUMBER": "", "JAPAN_DRIVERS_LICENSE_NUMBER": "",
    },
    "MEDICAL_LICENSE": {
        "US_NPI": "US_HEALTHCARE_NPI", "US_DEA": "US_DEA_NUMBER DRUG_ENFORCEMENT_AGENCY_NUMBER", "DE_LANR": "",
        "DE_BSNR": "",
    },
    "ACCOUNT": {
        "BANK_ACCOUNT": "BANK_ACCOUNT_NUMBER",
        "CREDIT_CARD": "CREDIT_CARD_NUM CREDIT_CARD_NUMBER CREDIT_DEBIT_NUMBER CREDIT_DEBIT_CARD",
        "EU_DEBIT_CARD_NUMBER": "", "CREDIT_CARD_TRACK_NUMBER": "", "MASKED_NUMBER": "", "CRYPTO": "",
        "BANK_ROUTING": "BANK_ROUTING_NUMBER ABA_ROUTING_NUMBER US_BANK_ROUTING_MICR",
        "SWIFT_CODE": "BIC SWIFT_BIC",
    },
    "BANK_ACCOUNT": {
        "IBAN": "IBAN_CODE INTERNATIONAL_BANK_ACCOUNT_NUMBER INTERNATIONAL_BANKING_ACCOUNT_NUMBER",
        "US_BANK_NUMBER": "US_BANK_ACCOUNT_NUMBER", "AU_BANK_ACCOUNT_NUMBER": "",
        "CA_BANK_ACCOUNT": "CANADA_BANK_ACCOUNT CA_BANK_ACCOUNT_NUMBER", "JAPAN_BANK_ACCOUNT": "",
    },
    "CRYPTO": {"BITCOIN_ADDRESS": "", "ETHEREUM_ADDRESS": "", "LITECOIN_ADDRESS": ""},
    "VEHICLE": {
        "LICENSE_PLATE": "VEHICLE_VRM", "VIN": "VEHICLE_VIN VEHICLE_IDENTIFICATION_NUMBER",
        "ZA_TRAFFIC_REGISTER_NUMBER": "",
    },
    "LICENSE_PLATE": {
        "UK_VEHICLE_REGISTRATION": "", "IN_VEHICLE_REGISTRATION": "", "NG_VEHICLE_REGISTRATION": "", "DE_KFZ": "",
        "TR_LICENSE_PLATE": "", "ZA_LICENSE_PLATE": "",
    },
    "VIN": {"US_VEHICLE_IDENTIFICATION_NUMBER": ""},
    "DEVICE": {
        "MAC_ADDRESS": "MAC", "IMEI": "PHONE_IMEI IMEI_HARDWARE_ID", "IMSI_ID": "", "ICCID_NUMBER": "",
        "ADVERTISING_ID": "",
    },
    "MAC_ADDRESS": {"MAC_ADDRESS_LOCAL": ""},
    "COMPANY_ID": {
        "IT_VAT_CODE": "", "DE_VAT_ID": "", "ZA_VAT_NUMBER": "", "SG_UEN": "", "AU_ABN": "AU_BUSINESS_NUMBER",
        "AU_ACN": "AU_COMPANY_NUMBER", "IN_GSTIN": "INDIA_GST_INDIVIDUAL", "KR_BRN": "", "DE_HANDELSREGISTER": "",
        "SE_ORGANISATIONSNUMMER": "", "ZA_COMPANY_REGISTRATION": "", "US_EMPLOYER_IDENTIFICATION_NUMBER": "",
    },
    "VOTER_ID": {"IN_VOTER": "IN_VOTER_NUMBER", "UK_ELECTORAL_ROLL_NUMBER": ""},
    "OTHER_ID": {
        "UUID": "", "US_CLAIM_NUMBER": "", "US_PRESCRIPTION_NUMBER": "", "US_PRIOR_AUTHORIZATION_NUMBER": "",
        "US_REFERRAL_NUMBER": "", "IN_NREGA": "", "GERMANY_SCHUFA_ID": "",
    },
    "LOCATION": {
        "ADDRESS": "STREET_ADDRESS HOME_ADDRESS PRIVATE_ADDRESS",
        "GPE": "", "FACILITY": "FAC", "LOCATION-OTHER": "", "TERRITORIO": "",
        "ZIP": "ZIP_CODE POSTCODE POSTAL_CODE",
        "COORDINATES": "COORDINATE LOCATION_COORDINATES NEARBY_GPS_COORDINATE GEOCOORD EU_GPS_COORDINATES",
        "ORDINAL_DIRECTION": "",
    },
    "ADDRESS": {
        "STREET": "CALLE", "BUILDING_NUMBER": "BUILDING_NUM BUILDING",
        "SECONDARY_ADDRESS": "SECADDRESS",
    },
    "GPE": {"CITY": "", "COUNTY": "", "STATE": "US_STATE", "COUNTRY": "PAIS"},
    "FACILITY": {"AIRPORT": ""},
    "ZIP": {"UK_POSTCODE": "", "CA_POSTAL_CODE": "", "DE_PLZ": "", "IRELAND_EIRCODE": ""},
    "ORGANIZATION": {
        "HOSPITAL": "HOSP", "CENTRO_SALUD": "", "INSTITUCION": "", "PATORG": "", "COMPANY": "COMPANY_NAME",
        "CARD_ISSUER": "CREDIT_CARD_ISSUER",
    },
    "DATETIME": {"DATE": "FECHAS PRIVATE_DATE", "TIME": ""},
    "DATE": {"DATE_OF_BIRTH": "DOB BOD", "CARD_EXPIRY": "CREDIT_DEBIT_EXPIRY"},
    "DEM": {
        "AGE": "EDAD_SUJETO_ASISTENCIA", "SEX": "SEXO_SUJETO_ASISTENCIA", "GENDER": "",
        "PROFESSION": "PROFESION PERSON_TYPE OCCUPATION",
        "NRP": "NORP", "LANGUAGE": "", "MARITAL_STATUS": "", "SEXUAL_ORIENTATION": "SEXUALITY", "EDUCATION_LEVEL": "",
        "EMPLOYMENT_STATUS": "", "HEIGHT": "", "EYE_COLOR": "", "BLOOD_TYPE": "",
    },
    "PROFESSION": {"JOB_TITLE": "", "JOB_AREA": "", "JOB_TYPE": ""},
    "NRP": {
        "ETHNICITY": "ETHNIC_GROUP RACE_ETHNICITY", "NATIONALITY": "COUNTRY_DEMOGRAPHIC",
        "RELIGION": "RELIGIOUS_TERM RELIGIOUS_BELIEF", "POLITICS": "POLITICAL_TERM POLITICAL_VIEW",
    },
    "QUANTITY": {"MONEY": "", "PERCENT": "", "CARDINAL": ""},
    "MONEY": {"AMOUNT": ""},
    "CURRENCY": {"CURRENCY_NAME": "", "CURRENCY_CODE": "", "CURRENCY_SYMBOL": ""},
}  # fmt: skip

_PLACE = PhiType("LOCATION", "place", "QUASI", "B")
_WIDE_PLACE = PhiType("LOCATION", "place", "QUASI")
_STREET = PhiType("LOCATION", "place", "DIRECT", "B")  # with its number it leads to one door


def _number(letter: str, element: str = "ID", identifier: Identifier = "DIRECT") -> PhiType:
    return PhiType(element, "code", identifier, letter)


def _contact(letter: str) -> PhiType:
    return PhiType("CONTACT", "contact", "DIRECT", letter)


# Where a kind is treated otherwise than what it lies below.
_TREATED: dict[str, PhiType] = {
    ROOT: PhiType("OTHER", "word", "QUASI"),
    "PERSON": PhiType("NAME", "person", "DIRECT", "A"), "STAFF": PhiType("NAME", "person", "QUASI"),
    "USERNAME": PhiType("NAME", "contact", "DIRECT", "R"),
    "NAME_PREFIX": PhiType("NAME", "word", "QUASI"),
    "CODE": _number("R"), "CREDENTIAL": _number("R"),
    "CONTACT": _contact("R"), "PHONE": _number("D", "CONTACT"), "FAX": _number("E", "CONTACT"), "EMAIL": _contact("F"),
    "URL": _contact("N"), "IP_ADDRESS": _number("O", "CONTACT"), "SOCIAL_NUM": _number("G"),
    "PATIENT_ID": _number("H"), "HEALTH_PLAN": _number("I"), "ID_ASEGURAMIENTO": _number("I"), "ACCOUNT": _number("J"),
    "LICENSE": _number("K"), "VEHICLE": _number("L"), "DEVICE": _number("M"), "BIOMETRIC": _number("P"),
    "ID_EMPLEO_PERSONAL_SANITARIO": _number("R", identifier="QUASI"),
    "ID_TITULACION_PERSONAL_SANITARIO": _number("K", identifier="QUASI"),
    "LOCATION": _PLACE, "ADDRESS": _STREET, "BUILDING_NUMBER": _number("B", "LOCATION", "QUASI"),
    "SECONDARY_ADDRESS": _PLACE, "ZIP": _number("B", "LOCATION", "QUASI"),
    "COORDINATES": _number("B", "LOCATION", "QUASI"), "STATE": _WIDE_PLACE, "COUNTRY": _WIDE_PLACE,
    "ORGANIZATION": PhiType("LOCATION", "organization", "QUASI"), "DATETIME": PhiType("DATE", "date", "QUASI", "C"),
    "AGE": PhiType("AGE", "age", "QUASI", "C"), "PROFESSION": PhiType("PROFESSION", "word", "QUASI"),
    "QUANTITY": PhiType("OTHER", "code", "QUASI"), "PHOTO": PhiType("OTHER", "word", "DIRECT", "Q"),
}  # fmt: skip
# The eighteen kinds of identifiers of the rule, by the letters of its paragraphs.
HIPAA: dict[str, str] = {
    "A": "names", "B": "geographic subdivisions smaller than a state", "C": "dates, and ages over 89",
    "D": "telephone numbers", "E": "fax numbers", "F": "e-mail addresses", "G": "social security numbers",
    "H": "medical record numbers", "I": "health plan numbers", "J": "account numbers", "K": "certificates and licences",
    "L": "vehicles", "M": "devices", "N": "web addresses", "O": "internet addresses", "P": "biometric identifiers",
    "Q": "photographs", "R": "any other unique number or code",
}  # fmt: skip
_IGNORED = lazy_pattern(r"[-_\s]+")


def fold_type(name: str) -> str:
    """A type's name as it is compared.

    >>> fold_type("Email-Address") == fold_type("EMAIL_ADDRESS")
    True
    """
    return _IGNORED.sub("", name).casefold()


PARENTS: dict[str, str] = {kind: parent for parent, kinds in TREE.items() for kind in kinds}
NAMES: dict[str, tuple[str, ...]] = {
    kind: (kind, *names.split()) for kinds in TREE.values() for kind, names in kinds.items()
}
_KINDS: dict[str, str] = {fold_type(name): kind for kind, names in NAMES.items() for name in names}


@lru_cache(maxsize=4096)
def kind_of(name: str) -> str | None:
    """The kind that a type's name stands for; `None` where nobody knows.

    >>> kind_of("per"), kind_of("Zip Code"), kind_of("TATTOO")
    ('PERSON', 'ZIP', None)
    """
    return _KINDS.get(fold_type(name))


@lru_cache(maxsize=4096)
def nearest(name: str) -> str | None:
    """The kind that a type is, or the nearest that it lies below: of `NAME/NICKNAME`, that of the part that is known.

    >>> nearest("NAME/ALIAS"), nearest("TATTOO")
    ('PERSON', None)
    """
    parts = (name, *name.split("/", 1)) if "/" in name else (name,)
    return next(filter(None, map(kind_of, parts)), None)


@lru_cache(maxsize=4096)
def path_of(kind: str) -> tuple[str, ...]:
    """From the whole down to a kind.

    >>> path_of("CITY")
    ('PII', 'LOCATION', 'GPE', 'CITY')
    """
    return (kind,) if kind == ROOT else (*path_of(PARENTS[kind]), kind)


def in_order(kind: str = ROOT) -> Iterator[str]:
    """All that lies below a kind, each before what lies below it."""
    for below in TREE.get(kind, ()):
        yield below
        yield from in_order(below)


def treated_as(kind: str) -> PhiType:
    """What is known of a kind, by itself or from what it lies below."""
    return next(_TREATED[ancestor] for ancestor in reversed(path_of(kind)) if ancestor in _TREATED)


# Mentions say in words whether an attribute is confidential; this reads them.

NOT_CONFIDENTIAL = "NOT_CONFIDENTIAL"  # what TAB says of a mention that is not


@lru_cache(maxsize=1024)
def is_confidential(status: str | None) -> bool | None:
    """What a mention's status says; `None` where it says nothing.

    >>> is_confidential("HEALTH"), is_confidential("not confidential"), is_confidential(None), is_confidential(" ")
    (True, False, None, None)
    """
    folded_status = fold_type(status or "")
    return folded_status != fold_type(NOT_CONFIDENTIAL) if folded_status else None
