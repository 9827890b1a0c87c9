"""Surrogates of numbers: identifiers, telephones and ages, digit for digit and letter for letter."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice
from random import Random

from showthrough.systems.surrogates.invention import Edit, characters, letters, match_case

OLD = 90  # from here on an age identifies by itself (45 CFR 164.514(b)(2)(i)(C)), so it stays on its side
_OLDEST = 115
_RUN = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_SAID = re.compile(r"([a-zß-öø-ÿ]{4,})")
_TRIES = 100


class NumberSurrogates:
    """The numbers of one record: the same one has the same surrogate wherever it stands, however it is grouped."""

    def __init__(self, random: Random, taken: Collection[str]) -> None:
        self._random = random
        self._taken = taken
        self._codes: dict[str, str] = {}
        self._ages: dict[str, str] = {}
        self._real: set[str] = set()

    def code(self, text: str) -> list[Edit]:
        """An identifier: `MRN 04-17` and `mrn0417` are the same."""
        runs = list(_RUN.finditer(text))
        solid = "".join(run[0] for run in runs)
        if not solid:
            return []
        key = solid.casefold()
        if key not in self._codes:
            self._codes[key] = self._invent_code(solid, [len(run[0]) for run in runs])
        # The same identifier may be written in other capitals elsewhere.
        new = iter(self._codes[key])
        return [(*run.span(), match_case(islice(new, len(run[0])), run[0])) for run in runs]

    def _invent_code(self, solid: str, sizes: list[int]) -> str:
        """Another one of the same shape, in which no word of the record stands, where there is such a one."""
        other = ""
        for _ in range(_TRIES):
            # A word of small letters, such as the crowns of `300 crowns`, becomes one that can be said.
            new = "".join(
                (letters if index % 2 else characters)(self._random, piece)
                for index, piece in enumerate(_SAID.split(solid))
            )
            if solid[0] in "123456789" and new[0] == "0":
                new = self._random.choice("123456789") + new[1:]
            small = new.casefold()
            rest = iter(small)
            words = ("".join(islice(rest, size)) for size in sizes)
            if small != solid.casefold() and small not in self._taken:
                if not any(word.isalpha() and word in self._taken for word in words):
                    return new
                other = other or new
        return other or new

    def digits(self, text: str) -> list[Edit]:
        """The digits alone, whatever stands between."""
        return [(*run.span(), self.code(run[0])[0][2]) for run in _DIGITS.finditer(text)]

    def learn(self, text: str) -> None:
        """Takes note of numbers; all of them before the first age is replaced, so that none becomes another's."""
        self._real.update(_DIGITS.findall(text))

    def age(self, text: str) -> list[Edit]:
        """Ages: as many digits, and over 89 where they were. `62 años` is an age and a word that stays."""
        longest = len(str(_OLDEST))
        runs = _DIGITS.finditer(text)
        return [(*run.span(), self._age(run[0]) if len(run[0]) <= longest else self.code(run[0])[0][2]) for run in runs]

    def _age(self, text: str) -> str:
        if text not in self._ages:
            value = int(text)
            low, high = 10 ** (len(text) - 1), 10 ** len(text) - 1
            if value >= OLD:
                low, high = max(low, OLD), min(high, _OLDEST)
            elif len(text) > 1:
                high = OLD - 1
            if len(text) > 1 and text.startswith("0"):
                low, high = 1, 9  # 07 months
            numbers = [f"{number:0{len(text)}d}" for number in range(low, high + 1) if number != value]
            used_numbers = self._real | set(self._ages.values())
            unused = [number for number in numbers if number not in used_numbers]
            self._ages[text] = self._random.choice(unused or numbers or [text])
        return self._ages[text]
