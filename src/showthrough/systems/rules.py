"""An anonymizer made of regular expressions alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from showthrough.data.documents import Document
from showthrough.data.masks import Mask, TypedMask, flatten_masks
from showthrough.models.detectors.expressions import FIELD, NOT_NAMES, TITLED, WORD, expressions
from showthrough.systems.base import BaseAnonymizer

_SHORTEST_SURNAME = 3  # letters; shorter ones (Li, Bo) are hidden only where a title stands before them
_FORENAMES = 3  # capitalised words before a known surname that are taken for its forenames


@dataclass(frozen=True)
class Rules(BaseAnonymizer):
    """Hides what has a telltale form: titled names, dates, times, ages, codes, addresses, sums of money.

    This is a baseline to compare with, and it is **not safe to release text with**. It knows no list of
    names, places or organisations and reads no context: a name without a title, a town, an employer, a
    profession or a rare event stays readable. Every mask is replaced by its label in capitals.

    >>> for mask in Rules().masks([Document("a", "Ms Rask, 47 years old, moved on 3 May 2011.")])[0]: print(mask)
    TypedMask(start=0, end=7, replacement='PERSON', entity_type='PERSON')
    TypedMask(start=9, end=21, replacement='AGE', entity_type='AGE')
    TypedMask(start=32, end=42, replacement='DATETIME', entity_type='DATETIME')
    """

    kind: ClassVar[str] = "rules"
    apart: ClassVar[bool] = True
    needs: ClassVar[str] = "nothing"

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        """The masks of each document, ascending, none overlapping another."""
        return [
            _add_types(flatten_masks([*_find_forms(document.text), *_persons(document.text)])) for document in documents
        ]


def _add_types(masks: list[Mask]) -> list[Mask]:
    return [TypedMask(mask.start, mask.end, mask.replacement, mask.replacement or "") for mask in masks]


def _find_forms(text: str) -> Iterator[Mask]:
    for label, pattern in expressions():
        group = "span" if "span" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            yield Mask(*match.span(group), label)


def _persons(text: str) -> Iterator[Mask]:
    surnames: set[str] = set()
    for match in TITLED.finditer(text):
        # The title goes too: it tells the sex or the profession.
        yield Mask(*match.span(), "PERSON")
        surnames.add(_last_word(match["names"]))
    for match in FIELD.finditer(text):
        yield Mask(*match.span("names"), "PERSON")
        names = match["names"]
        surnames.add(_last_word(names.partition(",")[0] if match["inverted"] else names))
    surnames = {name for name in surnames if len(name) >= _SHORTEST_SURNAME}
    if surnames:
        yield from _repetitions(text, surnames)


def _last_word(names: str) -> str:
    return names.replace("\u00a0", " ").rpartition(" ")[2]


def _repetitions(text: str, surnames: set[str]) -> Iterator[Mask]:
    """Where a surname seen with a title stands without one, with the forenames before it.

    One look-up a word, not one pattern a surname: the time does not depend on how many people there are.
    """
    folded = {name.casefold() for name in surnames}
    run: list[tuple[int, int]] = []  # the capitalised words that lead up to this one without a break
    for match in WORD.finditer(text):
        word, (start, end) = match[0], match.span()
        gap = text[run[-1][1] : start] if run else ""
        initial = bool(run) and run[-1][1] - run[-1][0] == 1
        if not (gap in {" ", "\u00a0"} or (initial and gap in {". ", "."})):
            run = []
        if word in surnames or (word.isupper() and word.casefold() in folded):
            first = run[-_FORENAMES:][0][0] if run else start
            yield Mask(first, end, "PERSON")
        run = [] if word in NOT_NAMES else [*run[-_FORENAMES:], (start, end)]
