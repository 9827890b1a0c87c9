"""Anonymizers: documents in, typed masks out. The table of them, how they are asked for, and putting them to work.

An anonymizer is anything with a name, a version and a method `masks`.
"""

from showthrough.systems.anonymizing import anonymize as anonymize
from showthrough.systems.base import ANONYMIZERS as ANONYMIZERS, Anonymizer as Anonymizer
from showthrough.systems.spec import (
    anonymizer as anonymizer,
    named_anonymizer as named_anonymizer,
    named_anonymizers as named_anonymizers,
)
