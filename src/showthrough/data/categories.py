"""What PHI is called in the corpora that people use, and what each name stands for.

The types of i2b2 2006 and 2014, MEDDOCAN and the Text Anonymization Benchmark, with what `types` knows of them. A type
that is not among these is treated as any word, and quasi-identifying.
"""

from __future__ import annotations

from showthrough.data.schemes import SCHEMES
from showthrough.data.types import ROOT, PhiType, kind_of, treated_as

_CORPORA = ("i2b2 2006", "i2b2 2014", "MEDDOCAN", "TAB")
_ELEMENTS = ("NAME", "LOCATION", "DATE", "AGE", "ID", "CONTACT", "PROFESSION")  # of i2b2 2014 files


def _lookup_type(name: str) -> PhiType:
    return treated_as(kind_of(name) or ROOT)


PHI_TYPES: dict[str, PhiType] = {name: _lookup_type(name) for corpus in _CORPORA for name in SCHEMES[corpus].labels}


def phi_type(name: str) -> PhiType:
    """What a type stands for; `NAME/NICKNAME`, which i2b2 2014 files may hold, by its element when it is unknown.

    >>> phi_type("DOCTOR").kind, phi_type("NAME/NICKNAME").kind, phi_type("TATTOO").kind
    ('person', 'person', 'word')
    """
    if name in PHI_TYPES:
        return PHI_TYPES[name]
    element = name.partition("/")[0]
    return _lookup_type(element if element in _ELEMENTS else "")
