"""What the attacker knows: texts about individuals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec
import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import QUOTED, Problem, quote_value
from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import digest_of

_WORD = lazy_pattern(r"\w")
FEWEST = 2  # individuals: with one there is nothing to choose


class Profiles(msgspec.Struct, frozen=True):
    """The distinct texts of a background, in an order that does not depend on how it was given.

    Two individuals of whom the same is known cannot be told apart: they are one profile, and whoever finds it has found
    each of them by half.
    """

    texts: tuple[str, ...]
    sizes: Ints  # individuals of each
    of: Mapping[str, int]  # an individual's profile

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def individuals(self) -> int:
        return int(self.sizes.sum())


class Background:
    """A named mapping from individual id to text; a document is about the individual of its own id.

    An individual with a text without a word stays in `texts`, but nothing is known about them, so nobody can find them.

    >>> background = Background({"ann": "a surgeon", "bob": "a baker", "cem": " "}, name="web")
    >>> background, background.profiles.texts, "cem" in background.profiles.of
    (Background('web', 3 individuals), ('a baker', 'a surgeon'), False)
    """

    def __init__(self, texts: Mapping[str, str], name: str = "background", source: str = "") -> None:
        self.texts = texts
        self.name = name
        self.source = source

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"Background({self.name!r}, {len(self)} individuals)"

    @cached_property
    def profiles(self) -> Profiles:
        with_words = {individual: text for individual, text in self.texts.items() if _WORD.search(text)}
        counts = Counter(with_words.values())
        texts = tuple(sorted(counts))
        number_of = {text: number for number, text in enumerate(texts)}
        sizes = np.array([counts[text] for text in texts], dtype=np.int64)
        return Profiles(texts, sizes, {individual: number_of[text] for individual, text in with_words.items()})

    @cached_property
    def digest(self) -> str:
        """Changes whenever a text changes; the order of individuals does not matter."""
        return digest_of(self.texts, self.source or self.name, "individual")

    def problems(self, documents: Iterable[str]) -> list[Problem]:
        """What keeps an attack on documents of these ids from meaning anything."""
        individuals = self.profiles.of
        fault = ""
        ids = list(documents)
        if len(individuals) < FEWEST:
            blank = (
                f" ({len(self) - len(individuals)} more have a text without a word)"
                if len(self) > len(individuals)
                else ""
            )
            fault = (
                f"found {len(individuals)} individual{'' if len(individuals) == 1 else 's'} with a text{blank}; "
                f"expected at least {FEWEST}, or there is nobody to choose between"
            )
        elif ids and not any(document in individuals for document in ids):
            fault = (
                "knows nobody of the documents: no individual has the id of a document, such as "
                f"{quote_value(ids[0], QUOTED // 2)}; expected the same ids, found such as "
                f"{quote_value(next(iter(individuals)), QUOTED // 2)}"
            )
        return [Problem(self.source or self.name, "background", fault)] if fault else []
