"""The table of anonymizers."""

from __future__ import annotations

from functools import partial

from showthrough.core.plugins import Table, value_of
from showthrough.systems.base import Anonymizer

ANONYMIZERS: Table[Anonymizer] = Table(
    "anonymizers",
    {},
    partial(value_of, Anonymizer, "anonymizer"),
    {
        "rules": "showthrough.systems.rules:Rules",
        "sanitize": "showthrough.systems.sanitize:Sanitize",
        "average": "showthrough.systems.obfuscators.average:Average",
        "synonyms": "showthrough.systems.obfuscators.synonyms:Synonyms",
        "roundtrip": "showthrough.systems.obfuscators.roundtrip:RoundTrip",
        "spacy": "showthrough.systems.detector_systems:SpacyAnonymizer",
        "presidio": "showthrough.systems.detector_systems:PresidioAnonymizer",
        "hf": "showthrough.systems.encoders.published:TokenClassifier",
        "cmd": "showthrough.systems.outside.program:Program",
        "http": "showthrough.systems.outside.service:Service",
        "trained": "showthrough.systems.trained_models:Trained",
    },
)
