import re
from dataclasses import dataclass
from typing import ClassVar

from showthrough import Mask, parameter


@dataclass(frozen=True)
class Digits:
    """Hides numbers."""

    name: ClassVar[str] = "digits"
    version: ClassVar[int] = 2

    least: int = parameter(1, "digits of a number that is hidden, at least")

    def masks(self, documents):
        number = re.compile(rf"\d{{{self.least},}}")
        return [[Mask(*found.span(), "number") for found in number.finditer(one.text)] for one in documents]
