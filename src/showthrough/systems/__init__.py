"""Anonymizers: documents in, typed masks out. The table of them, how they are asked for, and putting them to work.

An anonymizer is anything with a name, a version and a method `masks`.
"""

from showthrough.anonymizers.asking import (
    anonymizer as anonymizer,
    named_anonymizer as named_anonymizer,
    named_anonymizers as named_anonymizers,
)
from showthrough.anonymizers.base import Anonymizer as Anonymizer
from showthrough.anonymizers.table import ANONYMIZERS as ANONYMIZERS
from showthrough.anonymizers.work import anonymize as anonymize
