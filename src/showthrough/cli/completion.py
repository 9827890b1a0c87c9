"""What a shell offers for a value that is a name in one of the tables, those of other packages too."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name

Offer = Callable[[str], list[str]]


def _names(table: str) -> Offer:
    """Offers the names in a table, which is imported when a shell asks."""

    def offer(incomplete: str) -> list[str]:
        return [name for name in resolve_name(f"showthrough.{table}") if name.startswith(incomplete)]

    return offer


metric_names = _names("metrics:METRICS")
preset_names = _names("metrics:PRESETS")
format_names = _names("formats:FORMATS")
anonymizer_names = _names("systems:ANONYMIZERS")
detector_names = _names("models.detectors:DETECTORS")
attack_names = _names("families.reidentification.attacks:ATTACKS")

OF_SETTINGS = {"format": format_names, "attacks": attack_names}  # by the name of the field that makes the option
