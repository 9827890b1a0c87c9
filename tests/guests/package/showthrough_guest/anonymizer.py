import re

from showthrough import Mask


class Digits:
    """Hides numbers."""

    name = "digits"
    version = 2

    def masks(self, document):
        return [Mask(*found.span(), "number") for found in re.finditer(r"\d+", document.text)]
