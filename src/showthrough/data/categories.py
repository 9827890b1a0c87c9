"""What PHI is called in the corpora that people use, and what each name stands for.

One line a type: the element that i2b2 2014 files put it under, how it is replaced by a surrogate, whether it points to
the patient directly, and the paragraph of HIPAA's Safe Harbor rule that lists it (45 CFR 164.514(b)(2)(i), A to R; the
documentation has them all).

Types of i2b2 2006 (Uzuner et al. 2007), i2b2 2014 (Stubbs and Uzuner 2015), MEDDOCAN (Marimon et al. 2019) and the
Text Anonymization Benchmark (Pilán et al. 2022). A type that is not here is treated as any word, and quasi-identifying.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from showthrough.data.documents import Identifier

Kind = Literal["person", "place", "organization", "date", "age", "code", "contact", "word"]


@dataclass(frozen=True)
class PhiType:
    """What a type of PHI stands for."""

    element: str  # of an i2b2 2014 file
    kind: Kind  # how a surrogate is made
    identifier: Identifier
    hipaa: str = ""  # a letter of HIPAA; empty: not listed there


_PATIENT = PhiType("NAME", "person", "DIRECT", "A")
_STAFF = PhiType("NAME", "person", "QUASI")
_PLACE = PhiType("LOCATION", "place", "QUASI", "B")
_STREET = PhiType("LOCATION", "place", "DIRECT", "B")  # with its number it leads to one door
_WIDE_PLACE = PhiType("LOCATION", "place", "QUASI")
_HOUSE = PhiType("LOCATION", "organization", "QUASI")
_DATE = PhiType("DATE", "date", "QUASI", "C")
_AGE = PhiType("AGE", "age", "QUASI", "C")
_OTHER = PhiType("OTHER", "word", "QUASI")


def _number(letter: str, element: str = "ID") -> PhiType:
    return PhiType(element, "code", "DIRECT", letter)


def _address(letter: str) -> PhiType:
    return PhiType("CONTACT", "contact", "DIRECT", letter)


PHI_TYPES: dict[str, PhiType] = {
    # i2b2 2006
    "PATIENT": _PATIENT, "DOCTOR": _STAFF, "HOSPITAL": _HOUSE, "ID": _number("R"), "DATE": _DATE,
    "LOCATION": _PLACE, "PHONE": _number("D", "CONTACT"), "AGE": _AGE,
    # i2b2 2014
    "USERNAME": PhiType("NAME", "contact", "DIRECT", "R"), "PROFESSION": PhiType("PROFESSION", "word", "QUASI"),
    "ORGANIZATION": _HOUSE, "STREET": _STREET, "CITY": _PLACE, "STATE": _WIDE_PLACE, "COUNTRY": _WIDE_PLACE,
    "ZIP": PhiType("LOCATION", "code", "QUASI", "B"), "LOCATION-OTHER": _PLACE, "FAX": _number("E", "CONTACT"),
    "EMAIL": _address("F"), "URL": _address("N"), "IPADDR": _number("O", "CONTACT"),
    "IPADDRESS": _number("O", "CONTACT"), "SSN": _number("G"), "MEDICALRECORD": _number("H"),
    "HEALTHPLAN": _number("I"), "ACCOUNT": _number("J"), "LICENSE": _number("K"), "VEHICLE": _number("L"),
    "DEVICE": _number("M"), "BIOID": _number("P"), "IDNUM": _number("R"), "OTHER": _OTHER,
    # MEDDOCAN
    "NOMBRE_SUJETO_ASISTENCIA": _PATIENT, "NOMBRE_PERSONAL_SANITARIO": _STAFF, "FECHAS": _DATE,
    "EDAD_SUJETO_ASISTENCIA": _AGE, "TERRITORIO": _PLACE, "CALLE": _STREET, "PAIS": _WIDE_PLACE,
    "INSTITUCION": _HOUSE, "CENTRO_SALUD": _HOUSE, "ID_SUJETO_ASISTENCIA": _number("H"),
    "ID_CONTACTO_ASISTENCIAL": _number("R"), "ID_ASEGURAMIENTO": _number("I"),
    "ID_TITULACION_PERSONAL_SANITARIO": PhiType("ID", "code", "QUASI", "K"),
    "ID_EMPLEO_PERSONAL_SANITARIO": PhiType("ID", "code", "QUASI", "R"), "NUMERO_TELEFONO": _number("D", "CONTACT"),
    "NUMERO_FAX": _number("E", "CONTACT"), "CORREO_ELECTRONICO": _address("F"), "URL_WEB": _address("N"),
    "DIREC_PROT_INTERNET": _number("O", "CONTACT"), "IDENTIF_VEHICULOS_NRSERIE_PLACAS": _number("L"),
    "IDENTIF_DISPOSITIVOS_NRSERIE": _number("M"), "IDENTIF_BIOMETRICOS": _number("P"),
    "NUMERO_BENEF_PLAN_SALUD": _number("I"), "PROFESION": PhiType("PROFESSION", "word", "QUASI"),
    "SEXO_SUJETO_ASISTENCIA": _OTHER, "FAMILIARES_SUJETO_ASISTENCIA": _OTHER, "OTROS_SUJETO_ASISTENCIA": _OTHER,
    "OTRO_NUMERO_IDENTIF": _number("R"),
    # Text Anonymization Benchmark
    "PERSON": _PATIENT, "CODE": _number("R"), "LOC": _PLACE, "ORG": _HOUSE, "DATETIME": _DATE,
    "DEM": _OTHER, "QUANTITY": PhiType("OTHER", "code", "QUASI"), "MISC": _OTHER,
}  # fmt: skip


def phi_type(name: str) -> PhiType:
    """What a type stands for; `NAME/NICKNAME`, which i2b2 2014 files may hold, by its element when it is unknown.

    >>> phi_type("DOCTOR").kind, phi_type("NAME/NICKNAME").kind, phi_type("TATTOO").kind
    ('person', 'person', 'word')
    """
    if name in PHI_TYPES:
        return PHI_TYPES[name]
    element = name.partition("/")[0]
    return _BY_ELEMENT.get(element, _OTHER)


_BY_ELEMENT = {
    "NAME": _PATIENT, "LOCATION": _PLACE, "DATE": _DATE, "AGE": _AGE, "ID": _number("R"),
    "CONTACT": PhiType("CONTACT", "contact", "DIRECT", "R"), "PROFESSION": PHI_TYPES["PROFESSION"],
}  # fmt: skip
