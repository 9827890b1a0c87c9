"""What is masked, as all ways of replacing look at it: text, type, and the words that may not be written again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from showthrough.data.documents import Document
from showthrough.data.labels import type_of
from showthrough.data.layout.characters import IDEOGRAPHS
from showthrough.data.masks import Mask
from showthrough.data.reading_form import reading_form
from showthrough.data.types import nearest, path_of

NO_LABEL = "MASKED"  # where every name of the type is a word of what is masked
_IDEOGRAPH = "".join(f"{chr(low)}-{chr(high)}" for low, high in IDEOGRAPHS)
WORD = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]+")  # as metrics cut texts
_LONGEST = 300  # characters; masks in masks would else be read as often as there are masks
_BESIDE = 12  # characters before and behind, in which a title or a unit is looked for
_BETWEEN = re.compile(r"[^\w/-]+")


def words(text: str) -> frozenset[str]:
    """The words of a text in small letters, in every spelling in which metrics read them.

    >>> sorted(words("John_Doe of Oslo")), sorted(words("\u0663\u0664"))
    (['doe', 'john', 'john_doe', 'of', 'oslo'], ['34', '\u0663\u0664'])
    """
    plain = unicodedata.normalize("NFKC", text).replace("_", " ")
    spellings = (text,) if plain == text else (text, plain)
    tokens = {word for spelling in spellings for word in WORD.findall(spelling)}
    read = {reading_form(word) for word in tokens if not word.isascii()}
    return frozenset({*map(str.casefold, tokens), *read} - {""})


@dataclass(frozen=True)
class MaskedSpan:
    """One mask and what it hides."""

    mask: Mask
    source: str  # the whole text: of masks in masks, what each hides is not copied
    entity_type: str  # that the mask says, or that its replacement spells
    alone: bool  # whether it overlaps no other
    words: frozenset[str]  # of this mask and of all that it overlaps: of these, each may write what is read in the end

    @property
    def text(self) -> str:
        return self.source[self.mask.start : self.mask.end]

    @property
    def before(self) -> str:
        """What stands just before it."""
        return self.source[max(0, self.mask.start - _BESIDE) : self.mask.start]

    @property
    def behind(self) -> str:
        """What stands just behind it."""
        return self.source[self.mask.end : self.mask.end + _BESIDE]

    def repeats(self, text: str) -> bool:
        """Whether a replacement writes again what is masked; a mask without a word is repeated by its signs."""
        if not self.words:
            return self.text.strip() in text
        return not self.words.isdisjoint(words(text))

    @property
    def is_long(self) -> bool:
        """Whether it is longer than any name, date or place: then nothing is made of its words."""
        return self.mask.end - self.mask.start > _LONGEST

    @cached_property
    def path(self) -> tuple[str, ...]:
        """From the whole down to its kind; empty where nobody knows the type or it is too long to be looked at."""
        kind = None if self.is_long else nearest(self.entity_type)
        return path_of(kind) if kind else ()

    @cached_property
    def label(self) -> str | None:
        """Its type in capitals, else the nearest kind above whose name says no masked word; without a type, what the
        anonymizer wrote."""
        if not self.entity_type:
            return self.mask.replacement
        own = _BETWEEN.sub("_", self.entity_type).strip("_").upper()
        names = (own, *reversed(self.path[1:]), NO_LABEL)
        return next((name for name in names if name and not self.repeats(name)), None)


def masked(document: Document, masks: Sequence[Mask]) -> list[MaskedSpan]:
    """All masks of a document, in their order."""
    spans: dict[int, MaskedSpan] = {}
    for region in _regions(masks):
        start, end = masks[region[0]].start, max(masks[index].end for index in region)
        hidden = words(document.text[start:end])
        for index in region:
            mask = masks[index]
            spans[index] = MaskedSpan(mask, document.text, type_of(mask, document.text), len(region) == 1, hidden)
    return [spans[index] for index in range(len(masks))]


def _regions(masks: Sequence[Mask]) -> Iterator[list[int]]:
    """The places of masks that overlap, in the order of the text; masks that only touch stay apart."""
    region: list[int] = []
    reach = 0
    for index in sorted(range(len(masks)), key=lambda index: (masks[index].start, masks[index].end)):
        if region and masks[index].start >= reach:
            yield region
            region = []
        region.append(index)
        reach = max(reach, masks[index].end)
    if region:
        yield region
