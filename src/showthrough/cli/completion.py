"""What a shell offers for a value that is a name in one of the tables, those of other packages too."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from showthrough.anonymizers import ANONYMIZERS
from showthrough.attacks import ATTACKS
from showthrough.detectors import DETECTORS
from showthrough.formats import FORMATS
from showthrough.metrics import METRICS, PRESETS

Offer = Callable[[str], list[str]]


def _names(table: Iterable[str]) -> Offer:
    def offer(incomplete: str) -> list[str]:
        return [name for name in table if name.startswith(incomplete)]

    return offer


metric_names = _names(METRICS)
preset_names = _names(PRESETS)
format_names = _names(FORMATS)
anonymizer_names = _names(ANONYMIZERS)
detector_names = _names(DETECTORS)
attack_names = _names(ATTACKS)

OF_SETTINGS = {"format": format_names, "attacks": attack_names}  # by the name of the field that makes the option
