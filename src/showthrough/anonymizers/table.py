"""The table of anonymizers."""

from __future__ import annotations

from functools import partial

from showthrough.anonymizers.base import Anonymizer
from showthrough.tables import Table, value_of

ANONYMIZERS: Table[Anonymizer] = Table(
    "anonymizers",
    {},
    partial(value_of, Anonymizer, "anonymizer"),
    {
        "rules": "showthrough.anonymizers.rules:Rules",
        "spacy": "showthrough.anonymizers.detected:SpacyAnonymizer",
        "presidio": "showthrough.anonymizers.detected:PresidioAnonymizer",
        "hf": "showthrough.anonymizers.encoders.published:TokenClassifier",
        "cmd": "showthrough.anonymizers.outside.program:Program",
        "http": "showthrough.anonymizers.outside.service:Service",
        "trained": "showthrough.anonymizers.trained:Trained",
    },
)
