"""Every other occurrence of what is masked in a document.

What is looked for, and where it counts as the same, is what the metric `inconsistent` says: whole words, as written or
in capitals, whatever white space is between them, and the parts of names. To that come words that are parted at the end
of a line, and names inside what scripts write without spaces.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from showthrough.axis.spans import Bools, Ints
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Mask, ScoredMask, TypedMask
from showthrough.metrics.masked_strings import Masked, Page, Sought, Words, is_person, masked
from showthrough.resources.dictionary import WORDFREQ
from showthrough.resources.everyday import GIVEN, INSTITUTIONS
from showthrough.resources.languages import another_language, sample_of

_ENGLISH = "en"
_BEGINNING = 20_000  # characters by which the language of a document is told
_LONGEST = 40  # characters of a name inside a row of letters
_FEWEST_DIGITS = 4  # of a number that stands alone: 150 is anywhere, 1996 is not
# A word that goes on in the next line, or that has a place where it might.
_PARTED = re.compile(r"(?<=[^\W\d_])(?:[-\u2010][ \t]*\r?\n[ \t]*|\u00ad\s*)(?=[^\W\d_])")
_KATAKANA, _HANGUL, _OTHERS = "\u30a1-\u30fa\u30fc-\u30ff", "\uac00-\ud7a3", "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
# Names that a row of letters goes on behind (and in Thai, Lao, Burmese and Khmer before): タナカさん, 김철수는.
_UNSPACED = re.compile(f"[{_KATAKANA}]+|[{_HANGUL}]+|[{_OTHERS}]+")


class _Place(NamedTuple):
    """A stretch that says what a mask hides elsewhere."""

    start: int
    end: int
    like: Mask


class _Text(Page):
    """A document in pieces."""

    @cached_property
    def capitals_tell(self) -> bool:
        """Whether a capital shows a name: not in a text of capitals alone, or without any."""
        return self.cased and self.text != self.text.upper()


def occurrences(text: str, masks: Sequence[Mask], words: Words) -> list[Mask]:
    """The masks that hide, beside those there are, every other occurrence of what they hide.

    None of them overlaps a mask, so that what is written for one cannot tell what the other hides. But where a mask is
    less sure than what it repeats, a surer one of the same label stands on it, which a threshold leaves there.

    >>> from showthrough.metrics.masked_strings import Words
    >>> text = "Mr John Smith may be ill, SMITH said. Smith's wife may not. May it be so."
    >>> [text[one.start : one.end] for one in occurrences(text, [Mask(3, 13), Mask(14, 17)], Words("wordfreq:en"))]
    ['SMITH', 'Smith']
    """
    places = [*_spaced(text, masks, words), *_unspaced(text, masks)]
    return _apart(text, masks, places)


def _spaced(text: str, masks: Sequence[Mask], words: Words) -> Iterator[_Place]:
    """Where words say it; parted ones are looked for, and looked at, as one word too."""
    pages = [(_Text(text), np.arange(len(text) + 1))]
    if _PARTED.search(text):
        kept = np.ones(len(text) + 1, dtype=bool)
        for joint in _PARTED.finditer(text):
            kept[slice(*joint.span())] = False
        pages.append((_Text(_PARTED.sub("", text)), np.flatnonzero(kept)))
    sought = Sought(words)
    likes: dict[int, Mask] = {}
    for page, origin in pages:
        for mask in sorted(masks, key=_order):
            start, end = np.searchsorted(origin, (mask.start, mask.end)).tolist()
            string = _worth(page, TypedMask(start, end, mask.replacement, mask.entity_type), words)
            for one in (string, _of_somebody(string)) if string else ():
                likes.setdefault(sought.add(one), mask)
    if not likes:
        return
    for page, origin in pages:
        for found in sought.readable_in(page, [True] * len(page.words)):
            start, end = int(origin[page.start[found.first]]), int(origin[page.end[found.last - 1] - 1]) + 1
            yield _Place(start, end, likes[found.number])


def _order(mask: Mask) -> tuple[float, int, int, str]:
    """The surest first: what it is taken for there is what it is taken for elsewhere."""
    return -_sureness(mask), mask.start, mask.end, mask.entity_type


def _sureness(mask: Mask) -> float:
    return math.inf if mask.score is None else mask.score


def _worth(page: _Text, mask: Mask, words: Words) -> Masked | None:
    """What a mask hides, without what is ordinary elsewhere; None where nothing is left."""
    string = masked(page, mask, words)
    if string is None:
        return None
    if len(string.words) > 1:
        aside = {one for one in string.parts if not page.capitals_tell or one.lower() in INSTITUTIONS}
        return Masked(string.words, string.parts - {one for one in aside if _is_known(one, words)})
    word = string.words[0]
    if word.isdigit():
        return string if len(word) >= _FEWEST_DIGITS else None
    if not _is_known(word, words):
        return string
    ordinary = word.islower() or not page.capitals_tell or page.has_small(word.lower())
    return None if ordinary or (word.lower() in INSTITUTIONS and not is_person(mask)) else string


def _of_somebody(string: Masked) -> Masked:
    """A name with the s of possession or of many, which Danish and German write without an apostrophe: Sørensens."""
    named = string.parts or (len(string.words) == 1 and string.words[0][0].isupper() and string.words[0].isalpha())
    if not named:
        return string
    return Masked((*string.words[:-1], string.words[-1] + "s"), frozenset(part + "s" for part in string.parts))


def _is_known(word: str, words: Words) -> bool:
    """Whether it may be an ordinary word."""
    return word.lower() in words.known and word.lower() not in GIVEN


def _unspaced(text: str, masks: Iterable[Mask]) -> Iterator[_Place]:
    """Where names stand inside longer rows of letters: of katakana whole rows, of Hangul beginnings, of others any."""
    likes: dict[str, Mask] = {}
    for mask in sorted(masks, key=_order):
        name = text[mask.start : mask.end].strip()
        if 1 < len(name) <= _LONGEST and _UNSPACED.fullmatch(name):
            likes.setdefault(name, mask)
    if not likes:
        return
    lengths = sorted({len(name) for name in likes}, reverse=True)
    for row in _UNSPACED.finditer(text):
        first, last = row.span()
        if row[0][0] >= "\u30a1" and row[0] in likes:
            yield _Place(first, last, likes[row[0]])
        elif not "\u30a1" <= row[0][0] <= "\u30ff":
            starts = [first] if row[0][0] >= "\uac00" else range(first, last)
            for start in starts:
                for length in lengths:
                    if start + length <= last and (like := likes.get(text[start : start + length])):
                        yield _Place(start, start + length, like)


def _apart(text: str, masks: Sequence[Mask], places: Iterable[_Place]) -> list[Mask]:
    """What of these places no mask hides as surely."""
    on_top = sorted(masks, key=_order, reverse=True)
    owner = np.full(len(text), -1)
    for number, mask in enumerate(on_top):
        owner[mask.start : mask.end] = number
    sure = np.array([*map(_sureness, on_top), -math.inf])
    made: list[Mask] = []
    taken = np.full(len(text), -math.inf)  # how sure what was made already is
    for start, end, like in sorted(set(places), key=lambda one: (-_sureness(one.like), one.start - one.end, one.start)):
        sureness = _sureness(like)
        free = (sure[owner[start:end]] < sureness) & (taken[start:end] < sureness)
        for low, high, number in _stretches(free, owner[start:end]):
            stretch = _trimmed(text, start + low, start + high)
            if stretch:
                made.append(_alike(*stretch, on_top[number] if number >= 0 else like, like.score))
        taken[start:end] = np.maximum(taken[start:end], sureness)
    return sorted(made, key=lambda mask: (mask.start, mask.end))


def _stretches(free: Bools, owner: Ints) -> Iterator[tuple[int, int, int]]:
    """Runs of free places under one mask, or under none (-1)."""
    if not free.any():
        return
    kind = np.where(free, owner, -2)
    first = np.flatnonzero(np.diff(kind, prepend=-3))
    for low, high in zip(first.tolist(), [*first[1:].tolist(), len(kind)], strict=True):
        if free[low]:
            yield low, high, int(owner[low])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Without white space and signs at its ends, where a mask beside it has cut it; None where no letter is left."""
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return (start, end) if start < end else None


def _alike(start: int, end: int, labelled: Mask, score: float | None) -> Mask:
    """A mask that says what another says, as surely as a third."""
    if score is not None:
        return ScoredMask(start, end, labelled.replacement, labelled.entity_type, score)
    if labelled.entity_type:
        return TypedMask(start, end, labelled.replacement, labelled.entity_type)
    return Mask(start, end, labelled.replacement)


@lru_cache(maxsize=8)
def words_from(dictionary: str) -> Words:
    """The ordinary words of a language, loaded once."""
    return Words(dictionary)


def language_of(text: str) -> str:
    """The language whose ordinary words a text has; English where nothing speaks for another.

    >>> language_of("Patienten blev set på hospitalet, og der er ikke mere at gøre for ham, når han kommer hjem. " * 3)
    'da'
    """
    sample = sample_of(Corpus([Document("text", text[:_BEGINNING])]))
    return next(iter(another_language(sample, _ENGLISH) or ()), _ENGLISH)


def words_of(text: str, dictionary: str) -> Words:
    """Those of a dictionary, or where none is named of the text's language."""
    return words_from(dictionary or f"{WORDFREQ}{language_of(text)}")
