"""The strings that masks hide, and where they can be read all the same.

A text is cut into pieces: words, and signs one by one; white space only parts them. A string is a row of pieces, and is
looked for as it is written and in capitals. Ordinary words are no strings: everybody writes them. An accent may be a
character of its own, and `ß` is `ss`: words are compared by what they spell, and offsets stay those of the text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from showthrough.axis.characters import IDEOGRAPHS
from showthrough.data.categories import phi_type
from showthrough.data.labels import label_of
from showthrough.data.masks import Mask
from showthrough.resources.closed_classes import CLOSED_CLASSES
from showthrough.resources.dictionary import WORDFREQ, dictionary_from
from showthrough.resources.everyday import CALENDAR, GIVEN, INSTITUTIONS, PARTICLES, TITLES
from showthrough.resources.languages import small_words

LONGEST = 40  # pieces of a string that are looked for: of a whole paragraph its beginning
_DIGITS = 3  # so many of them tell something: 12 is anywhere, 1996 is not
_SCRIPT = "".join(f"{chr(low)}-{chr(high)}" for low, high in IDEOGRAPHS)
_PIECE = re.compile(rf"[{_SCRIPT}]|[^\W_{_SCRIPT}](?:[^\W_{_SCRIPT}]|[\u0300-\u036f])*+|[^\w\s]|_")
_SHARP = str.maketrans({"ß": "ss", "ẞ": "SS"})
# One character for another, so that offsets stay: quotes and dashes are written in many ways, and the dots of a Turkish
# i come and go with capitals.
_ALIKE = str.maketrans("’‘ʼ`´“”„«»‐‑‒–—−İı", "'''''\"\"\"\"\"------Ii")
_NAME, _IN_NAMES = 4, frozenset(".-'")  # words of a name, at most, and what may stand between them
_JOINTS = frozenset("@_-/.")  # beside a word in an address, without a space
_OPENERS = frozenset("\"'([{-•*")  # may stand between the end of a sentence and the next
_PERSON = re.compile(r"PERS?|PERSONS?|PERSON[ _-]?NAME|(?:FIRST|LAST|MIDDLE|FULL|GIVEN|FAMILY|SUR)?[ _-]?NAMES?")


class Words:
    """What is ordinary in a language: function words, what a list of frequent words has, months and days."""

    def __init__(self, dictionary: str) -> None:
        language = dictionary.removeprefix(WORDFREQ) if dictionary.startswith(WORDFREQ) else "en"
        self.known = dictionary_from(dictionary)
        self.calendar = CALENDAR.get(language, frozenset())
        self.function = small_words(language) if language in CLOSED_CLASSES else frozenset[str]()

    def is_title_or_small(self, word: str) -> bool:
        """Whether it only leads to what follows: `the`, `Mr`. Not so an initial, May, or somebody called Will."""
        low = word.lower()
        if word[0].isupper() and (len(word) == 1 or low in self.calendar or low in GIVEN):
            return False
        return low in self.function or low in TITLES


class Page:
    """A document in pieces."""

    def __init__(self, text: str) -> None:
        self.original, self.text = text, text.translate(_ALIKE)
        found = [(piece[0], piece.start(), piece.end()) for piece in _PIECE.finditer(self.text)]
        self.words = [word for word, _, _ in found]
        if not text.isascii():
            self.words = list(map(_composed, self.words))
        self.start = [start for _, start, _ in found]
        self.end = [end for _, _, end in found]
        self._small: dict[str, bool] = {}

    def names(self, word: str) -> bool:
        """Whether a word is written as names are: with a capital, where there are any."""
        return word[0].isupper() or not self.cased

    def pieces(self, start: int, end: int) -> tuple[int, list[str]]:
        """The pieces of a stretch, the first of them by its number; words that the stretch cuts are cut."""
        first, last = bisect_right(self.end, start), bisect_left(self.start, end)
        words = self.words[first : min(last, first + LONGEST)]
        final = first + len(words) - 1
        if words and end < self.end[final]:
            words[-1] = _composed(self.text[self.start[final] : end])
        if words and start > self.start[first]:
            words[0] = _composed(self.text[start : min(self.end[first], end)])
        return first, words

    @cached_property
    def spelled(self) -> list[str]:
        """The pieces as they are compared."""
        return self.words if self.text.isascii() else list(map(_spelled, self.words))

    @cached_property
    def low(self) -> list[str]:
        """The same in small letters."""
        return list(map(str.lower, self.spelled))

    @cached_property
    def cased(self) -> bool:
        """Whether capitals are in use here: else small letters say nothing."""
        return self.text != self.text.lower()

    @cached_property
    def _written_small(self) -> frozenset[str]:
        return frozenset(word for word in self.words if word.islower())

    def has_small(self, word: str) -> bool:
        """Whether a word, given in small letters, is written so somewhere; in addresses every name is."""
        if word not in self._small:
            here = word in self._written_small
            self._small[word] = here and any(
                one == word and not self._in_address(place) for place, one in enumerate(self.words)
            )
        return self._small[word]

    def _in_address(self, place: int) -> bool:
        before, after = self.text[self.start[place] - 1 : self.start[place]], self.text[self.end[place] :][:2]
        return before in _JOINTS if before else after[:1] in _JOINTS and after[1:].isalnum()

    def opens(self, place: int) -> bool:
        """Whether a sentence or a line may begin here, where every word has a capital."""
        while place and self.words[place - 1] in _OPENERS:
            place -= 1
        if not place or "\n" in self.text[self.end[place - 1] : self.start[place]]:
            return True
        sign, before = self.words[place - 1], self.words[place - 2 : place - 1]
        if sign == "." and before and (before[0].lower() in TITLES or (len(before[0]) == 1 and before[0].isalpha())):
            return False
        return sign in ".!?:;…"

    def is_introduced(self, place: int) -> bool:
        """Whether what stands before a word makes it a name: `Mr`, `J.`, `John`."""
        while place and self.words[place - 1] == ".":
            place -= 1
        before = self.words[place - 1] if place else ""
        initial = len(before) == 1 and before.isupper()
        return initial or (before[:1].isupper() and before.lower() in TITLES | GIVEN)


def _composed(word: str) -> str:
    """A word whose accents are no characters of their own, where there is one for both."""
    return word if word.isascii() else unicodedata.normalize("NFC", word)


def _spelled(word: str) -> str:
    return word if word.isascii() else word.translate(_SHARP)


class Masked(NamedTuple):
    """A string that a mask hides, as it is written there, and of a name its parts."""

    words: tuple[str, ...]
    parts: frozenset[str]

    @property
    def key(self) -> tuple[str, ...]:
        """What tells strings apart: letters, not their case."""
        return tuple(map(str.lower, self.words))


def masked(page: Page, mask: Mask, words: Words) -> Masked | None:
    """What a mask hides, but for titles, function words and signs around it; None where that is nothing but ordinary.

    >>> page = Page("It was seen by Mr John Smith's nurse on 3 May")
    >>> english = Words("wordfreq:en")
    >>> found = [masked(page, Mask(*span), english) for span in ((15, 30), (31, 36), (40, 45), (42, 45))]
    >>> [one and (" ".join(one.words), sorted(one.parts)) for one in found]
    [('John Smith', ['John', 'Smith']), None, ('3 May', []), None]
    """
    first, pieces = page.pieces(mask.start, mask.end)
    start = 0
    while start < len(pieces) and (not pieces[start].isalnum() or words.is_title_or_small(pieces[start])):
        start += 1
    end = len(pieces)
    while end > start and not pieces[end - 1].isalnum():
        end -= 1
    if end - start > 2 and pieces[end - 2 : end] in (["'", "s"], ["'", "S"]):
        end -= 2
    found = pieces[start:end]
    typed = is_person(mask)
    if not _tells(found, page, words, typed):
        return None
    person = typed or page.is_introduced(first + start) or _begins_as_person(found, page)
    return Masked(tuple(found), _parts(found, page, words, person))


def is_person(mask: Mask) -> bool:
    """Whether an anonymizer took it for a person, by its type or by the label that it wrote."""
    kinds = (mask.entity_type.upper(), label_of(mask.replacement))
    return any(phi_type(kind).kind == "person" or _PERSON.fullmatch(kind) for kind in kinds if kind)


def _begins_as_person(found: Sequence[str], page: Page) -> bool:
    word = found[0]
    return (len(word) == 1 and word.isupper() and found[1:2] == ["."]) or (page.names(word) and word.lower() in GIVEN)


def _tells(found: Sequence[str], page: Page, words: Words, person: bool) -> bool:
    """Whether a string is more than ordinary words, small numbers and lone letters."""
    digits = sum(map(str.isdigit, "".join(found)))
    for word in found:
        low = word.lower()
        if low in words.calendar:
            if digits:  # a day of the year
                return True
        elif word == "@":  # an address, whatever words it is made of
            return True
        elif word.isdigit() or not word.isalnum():
            continue
        elif any(map(str.isdigit, word)):  # letters and digits are a code, but 3rd and 5kg are not
            if not word[0].isdigit() or word.isupper():
                return True
        elif len(word) > 1 or not word.isascii():
            small = word[0].islower() and page.cased and not person
            if not words.is_title_or_small(word) and not (small and low in words.known):
                return True
    return digits >= _DIGITS


def _parts(found: Sequence[str], page: Page, words: Words, person: bool) -> frozenset[str]:
    """The words of a name that name somebody by themselves.

    What nothing shows to be a person must have a word that is in no list, and none that is ordinary in this document or
    belongs to an institution: `Kocaeli State Court` has no parts.
    """
    letters = [word for word in found if word.isalpha()]
    if len(letters) < 2 or any(map(str.isdigit, "".join(found))):
        return frozenset()
    if not all(page.names(word) or word.lower() in PARTICLES for word in letters):
        return frozenset()
    kept = [word for word in letters if len(word) > 1 and page.names(word) and not _is_aside(word, words)]
    if not person:
        known = [word.lower() for word in kept if word.lower() in words.known]
        longer = len(letters) > _NAME or not {word for word in found if not word.isalpha()} <= _IN_NAMES
        if longer or len(known) == len(kept) or any(word in INSTITUTIONS or page.has_small(word) for word in known):
            return frozenset()
    return frozenset(kept)


def _is_aside(word: str, words: Words) -> bool:
    return word.lower() in PARTICLES | words.calendar or words.is_title_or_small(word)


class Found(NamedTuple):
    """A string that can be read: its number, and its first piece and the one after the last."""

    number: int
    first: int
    last: int


class Sought:
    """Strings that are looked for, by number, in the order in which they came.

    Only hashes of them are kept, so that those of a million documents fit: that any two of several million strings have
    the same 64 bits has a chance of one in a million. For the same reason a flag is the last bit of a number, and the
    lengths of strings are bits.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        self._numbers: dict[int, int] = {}
        self._written = _Rows()  # as it is masked; flag: only in capitals here, and not where it is masked
        self._whatever = _Rows()  # in whatever case; flag: not in small letters
        self._parts: dict[str, int | set[int]] = {}  # numbers of strings

    def add(self, string: Masked) -> int:
        """Its number; that which it has already where it came before, in whatever case."""
        number = self._numbers.setdefault(hash(tuple(map(_spelled, string.key))), len(self._numbers))
        words = tuple(map(_spelled, string.words))
        loud, low = tuple(map(str.upper, words)), tuple(map(str.lower, words))
        # Nobody writes two names in a row and means something else; nor a code or an address.
        sure = bool(string.parts) or "@" in words or any(map(str.isdigit, "".join(words)))
        self._written.add(words, number, flag=False)
        if loud != words:
            self._written.add(loud, number, flag=True)
        if low != words and (loud == words or sure):  # in a heading, say: below it stands as usual
            self._whatever.add(low, number, flag=not sure)
        for part in map(_spelled, string.parts):
            # Of a name in capitals nobody knows where they were: McDonald.
            self._add_part(part, number)
            self._add_part(part.lower() if part.isupper() else part.upper(), number)
        return number

    def _add_part(self, part: str, number: int) -> None:
        before = self._parts.setdefault(part, number)
        if isinstance(before, set):
            before.add(number)
        elif before != number:
            self._parts[part] = {before, number}

    def readable_in(self, page: Page, readable: Sequence[bool]) -> Iterator[Found]:
        """All that can be read of them in a document of whose pieces some can be read."""
        words, low = page.spelled, page.low
        written, whatever = self._written, self._whatever
        for place, word in enumerate(words):
            if not readable[place]:
                continue
            if word in written.lengths:
                for number, shouted, last in written.at(words, place):
                    if last == place + 1 and self._is_ordinary_at(page, place, bool(shouted)):
                        continue
                    if all(readable[place:last]):
                        yield Found(number, place, last)
            capital = word[0].isupper()
            if low[place] in whatever.lengths:
                for number, unsure, last in whatever.at(low, place):
                    if unsure and not (capital and (last > place + 1 or not self._is_ordinary_at(page, place, False))):
                        continue
                    if all(readable[place:last]):
                        yield Found(number, place, last)
            numbers = self._parts.get(word)
            if numbers is None and capital:
                numbers = self._parts.get(low[place])
            if numbers is not None and (page.is_introduced(place) or not self._is_ambiguous(page, page.words[place])):
                for number in numbers if isinstance(numbers, set) else (numbers,):
                    yield Found(number, place, place + 1)

    def _is_ambiguous(self, page: Page, word: str) -> bool:
        """Whether a word is also an ordinary one of the document."""
        low = word.lower()
        return page.cased and low not in GIVEN and low in self._words.known and page.has_small(low)

    def _is_ordinary_at(self, page: Page, place: int, shouted: bool) -> bool:
        """Whether a capital is no sign of a name, since any word would have it there."""
        word = page.words[place]
        if not word[0].isupper() or not (shouted or page.opens(place)):
            return False
        return word.lower() in self._words.known and page.has_small(word.lower())


class _Rows:
    """Numbers of rows of words, each with a flag."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self.lengths: dict[str, int] = {}  # by the first word: a bit for each length

    def add(self, words: tuple[str, ...], number: int, *, flag: bool) -> None:
        """The first of the same words keeps its number; one without the flag goes before one with it."""
        before = self._numbers.get(hash(words))
        if before is None or (before & 1 and not flag):
            self._numbers[hash(words)] = number << 1 | flag
        self.lengths[words[0]] = self.lengths.get(words[0], 0) | 1 << len(words)

    def at(self, words: Sequence[str], place: int) -> Iterator[tuple[int, int, int]]:
        """What begins at a place: its number, its flag, and where it ends."""
        lengths = self.lengths.get(words[place], 0)
        while lengths:
            last = place + (lengths & -lengths).bit_length() - 1
            lengths &= lengths - 1
            if last <= len(words) and (found := self._numbers.get(hash(tuple(words[place:last])))) is not None:
                yield found >> 1, found & 1, last
