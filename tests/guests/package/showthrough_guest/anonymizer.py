import re

from showthrough import Mask


class Digits:
    """Hides numbers."""

    name = "digits"
    version = 2

    def masks(self, documents):
        return [[Mask(*found.span(), "number") for found in re.finditer(r"\d+", one.text)] for one in documents]
