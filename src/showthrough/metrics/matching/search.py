"""Looks for forms in a released text, in all ways to read it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.patterns import lazy_pattern
from showthrough.data.masks import Anonymization, apply_masks
from showthrough.data.reading_form import cased_form, find_word, is_unbordered, reading_form
from showthrough.data.text_views import How, TextReading, TextView
from showthrough.metrics.chunk import Anonymized
from showthrough.metrics.matching._dates import DateMatch, dates_in
from showthrough.metrics.matching.forms import (
    ALSO_WORDS,
    GIVEN_FORMS,
    INSTITUTION_FORMS,
    NO_DIGITS,
    PARTICLE_FORMS,
    TITLE_FORMS,
    SearchForm,
    Vocabulary,
    vocabulary_of,
)

_LOUD = 0.7  # share of words with a capital from which on a capital says nothing
_FEW = 20  # words of a text in which one small letter shows what capitals say
_GERMAN = frozenset(["und", "der", "die", "das", "ist", "nicht", "mit", "wurde", "den", "dem", "zu", "von", "auf"])
_GERMAN_WORDS = 6  # so many of these words make a text German
_CHUNK_SIGNS = lazy_pattern(r"[@/\\#_]|[^\W_][-.][^\W_]")
_SIGNS = {
    sign: sign.encode("ascii", "ignore")
    for sign in ("*", "\u2022", "\u2588", "\u2592", "\u25a0", "#", "_", "\u2026", "..", "xx", "XX")
}
_LETTERS = 0.7  # share of letters in a word that may be a name
_STEM = 0.7  # share of a word before mask characters that tells it
_NEAR = ((9, 2), (5, 1))  # letters of a word, at least, and the edit distance at which it is nearly readable
_CHUNK = 200  # characters of an address or a path on either side of a name
_TAIL = 40  # characters before mask characters in which a number or a date may stand
_SIGNS_OF_NAME, _DIGITS = 3, 6  # ideographs of a full name, and digits of a code without its letters, at least
_SHORTEST_STEM = 2  # letters
_INITIALS = 3  # so many tell also without spaces between them
_SHORT_NAME = 2  # letters of a name that tells beside a title alone
_PARTICLES = 3  # small words inside a name, at most
_WIDE_GAP = 3  # characters between two groups of a code


class Hit(NamedTuple):
    """A form that was found: in which view, where in its reading form, and whether by one word of a name alone."""

    view: TextView
    start: int
    end: int
    single: bool = False

    @property
    def how(self) -> How:
        return self.view.how


class Capitals:
    """What a capital says in a text: a name, or nothing. Told from the original, which masks do not change."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self._text, self._vocabulary = text, vocabulary

    @cached_property
    def say_nothing(self) -> bool:
        """Whether all words have capitals, or all nouns; found out when somebody asks, which few texts need."""
        words = [word for word in self._text.split() if word[0].isalpha() and len(word) > 1]
        small = sum(not word[0].isupper() for word in words)
        loud = small <= (1 - _LOUD) * len(words) if len(words) >= _FEW else not small
        german = self._vocabulary.nouns_have_capitals or len(_GERMAN.intersection(words)) >= _GERMAN_WORDS
        return bool(words) and (loud or german)

    @cached_property
    def unused(self) -> bool:
        """Whether nothing is written with a capital, so that names are not either."""
        return self._text == self._text.lower()

    @cached_property
    def small_words(self) -> frozenset[str]:
        """Words that are written without a capital."""
        return frozenset(word for word in cased_form(self._text).split() if word.islower())


class Release:
    """A released text, in which forms are looked for."""

    def __init__(self, text: str, capitals: Capitals, vocabulary: Vocabulary) -> None:
        self.reading = TextReading(text)
        self._capitals = capitals
        self._vocabulary = vocabulary

    def lacks(self, form: SearchForm) -> bool:
        """Whether a first look shows that a form is not there."""
        if form.codes:
            return not any(digits in written for digits in form.digits for written in self._digits.values())
        return form.keys is not None and form.keys.isdisjoint(self.reading.words)

    @cached_property
    def _digits(self) -> dict[TextView, bytes]:
        """The digits of each view, one after the other."""
        views = self.reading.views
        return {view: view.form.encode("latin-1", "replace").translate(None, NO_DIGITS) for view in views}

    def hits(self, form: SearchForm) -> Iterator[Hit]:
        """All places where a form can be read, those of the plain view first."""
        if self.lacks(form):
            return
        look = self._codes if form.codes else self._dates if form.dates else self._whole
        for hit in self._person(form) if form.kind == "person" else look(form):
            # One escape anywhere makes a view of the whole text: what is not escaped there was read already.
            if hit.view is self.reading.plain or self.reading.is_new(*hit[:3]):
                yield hit

    def _person(self, form: SearchForm) -> Iterator[Hit]:
        words = self.reading.words
        # Initials are looked for beside longer words of the name: by themselves they stand everywhere.
        long = [word for word in form.words if len(word) > 1] or form.words
        present = [word for word in dict.fromkeys(long) if word in words or is_unbordered(word)]
        telling = frozenset(form.telling_words)
        for view in self.reading.views if present else ():
            for word in present:
                if is_unbordered(word):
                    yield from self._find_unbordered(view, word, word in telling)
                    continue
                for start in find_word(view.form, word):
                    end = start + len(word)
                    if self._has_neighbour(view, form, start, end):
                        yield Hit(view, start, end)
                        yield from self._initials_beside(view, form, start, end)
                        continue
                    alone = self._alone if word in telling or len(form.words) == 1 else self._is_titled
                    if alone(view, word, start, end, form):
                        yield Hit(view, start, end, single=True)
        for joined in form.glued_names:
            if joined in words:
                yield from (
                    Hit(view, start_of_match, start_of_match + len(joined))
                    for view in self.reading.views
                    for start_of_match in find_word(view.form, joined)
                )
        for short in form.abbreviations:
            if short in words:
                for view in self.reading.views:
                    for start_of_match in find_word(view.form, short):
                        if self._in_address(view, start_of_match, start_of_match + len(short)):
                            yield Hit(view, start_of_match, start_of_match + len(short))

    def _has_neighbour(self, view: TextView, form: SearchForm, start: int, end: int) -> bool:
        """Whether another word of a name stands beside one: not two initials, and not `will` behind `Smith`."""
        word = view.form[start:end]
        if len(form.words) == 1:
            return False
        for other, at in (_word_before(view.form, start), _word_after(view.form, end)):
            if other not in form.words or (other == word and form.words.count(word) == 1):
                continue
            if len(word) == len(other) == 1 < max(map(len, form.words)):
                continue
            small = word if view.cased[start].islower() else other if view.cased[at].islower() else ""
            mixed = view.cased[start].islower() != view.cased[at].islower()
            if not (mixed and (small in ALSO_WORDS or small in self._vocabulary.function)):
                return True
        return False

    def _initials_beside(self, view: TextView, form: SearchForm, start: int, end: int) -> Iterator[Hit]:
        """Initials of a name beside one of its longer words: the B of `Ana B. Lopez`, and no article."""
        for other, at in (_word_before(view.form, start), _word_after(view.form, end)):
            if len(other) == 1 < end - start and other in form.words and not view.cased[at].islower():
                yield Hit(view, at, at + 1)

    def _find_unbordered(self, view: TextView, word: str, telling: bool) -> Iterator[Hit]:
        """Words without borders, whatever spaces stand between their signs."""
        squeezed = self._squeeze(view)
        at = squeezed.find(word) if telling else -1
        while at >= 0:
            positions = self._solid(view)[at : at + len(word)]
            yield Hit(view, int(positions[0]), int(positions[-1]) + 1)
            at = squeezed.find(word, at + 1)

    def _alone(self, view: TextView, word: str, start: int, end: int, form: SearchForm) -> bool:
        """Whether one word of a name tells it here."""
        vocabulary = self._vocabulary
        letter = view.cased[start]
        capital = letter.isupper() or not (letter.islower() or letter.isupper())
        capital |= self._capitals.unused and word not in vocabulary.all_words
        is_given_name = word in GIVEN_FORMS
        doubtful = (word in vocabulary.ordinary and not is_given_name) or word in ALSO_WORDS
        doubtful |= self._capitals.say_nothing and word in vocabulary.all_words
        if not doubtful:
            return capital or self._in_address(view, start, end)
        before, after = _neighbours(view.form, start, end)
        if before in TITLE_FORMS or (capital and self._initial(view, start, end, before, after, word)):
            return True
        if capital and (before in GIVEN_FORMS or after in GIVEN_FORMS):
            low = start - 1 - len(before)
            return bool(before in GIVEN_FORMS and view.cased[low].isupper()) or bool(
                after in GIVEN_FORMS and view.cased[end + 1].isupper()
            )
        if not capital or self._capitals.say_nothing:
            return False
        # Of who is known by this word alone it is the whole name, unless the original has the word as well.
        is_whole_name = (
            len(form.words) == 1 and not form.part and word not in self._capitals.small_words | INSTITUTION_FORMS
        )
        return is_whole_name or (is_given_name and self._inside_sentence(word))

    def _is_titled(self, view: TextView, word: str, start: int, end: int, form: SearchForm) -> bool:
        """Whether a title or an initial stands beside a short name with a capital: `Ms Li`."""
        before, after = _neighbours(view.form, start, end)
        if len(word) != _SHORT_NAME or not view.cased[start].isupper():
            return False
        return before in TITLE_FORMS or self._initial(view, start, end, before, after, word)

    def _initial(self, view: TextView, start: int, end: int, before: str, after: str, word: str) -> bool:
        """Whether an initial stands beside a word: a capital with a full stop, or any that is no word."""
        if len(before) == 1 and before.isalpha() and view.cased[start - 2].isupper():
            return (
                before not in "ai"
                or re.search(rf"(?<!\w){before}\.\s*{re.escape(word)}", self.reading.text, re.I) is not None
            )
        return len(after) == 1 and after.isalpha() and after not in "ais" and view.cased[end + 1].isupper()

    def _inside_sentence(self, word: str) -> bool:
        pattern = rf"[^\W_A-Z][,;]?[ \t]+{re.escape(word.capitalize())}(?!\w)"
        return re.search(pattern, self.reading.text) is not None

    def _in_address(self, view: TextView, start: int, end: int) -> bool:
        """Whether a word stands inside an address, a path, a hashtag or a slug; only the plain view can tell."""
        if view is not self.reading.plain:
            return True  # it is glued, spelled or encoded: nobody writes so by chance
        text = self.reading.text
        low, high = self.reading.span(start, end)
        first, last = low - _CHUNK, high + _CHUNK
        while low > max(0, first) and not text[low - 1].isspace():
            low -= 1
        while high < min(len(text), last) and not text[high].isspace():
            high += 1
        return _CHUNK_SIGNS.search(text[low:high].strip(".,;:!?()[]\"'")) is not None or text[low] == "#"

    def _whole(self, form: SearchForm) -> Iterator[Hit]:
        free = is_unbordered(form.whole)
        for view in self.reading.views:
            if free:
                yield from self._find_unbordered(view, form.whole, telling=True)
                continue
            for start in find_word(view.form, form.whole):
                if not form.ordinary or view.cased[start].isupper():
                    yield Hit(view, start, start + len(form.whole))

    def _codes(self, form: SearchForm) -> Iterator[Hit]:
        for groups, digits in zip(form.codes, form.digits, strict=True):
            code = "".join(groups)
            for view in self.reading.views:
                if digits not in self._digits[view]:
                    continue
                squeezed = self._squeeze(view)
                at = squeezed.find(code)
                while at >= 0:
                    if (span := self._code_at(view, groups, at)) is not None:
                        yield Hit(view, *span)
                    at = squeezed.find(code, at + 1)

    def _squeeze(self, view: TextView) -> str:
        squeezed = self._without_spaces.get(view.form)
        if squeezed is None:
            squeezed = self._without_spaces[view.form] = view.form.replace(" ", "")
        return squeezed

    @cached_property
    def _without_spaces(self) -> dict[str, str]:
        return {}

    def _solid(self, view: TextView) -> Ints:
        """Where letters and digits stand in a view."""
        positions = self._solids.get(view.form)
        if positions is None:
            letters = np.frombuffer(view.form.encode("utf-32-le", "surrogatepass"), dtype="<u4")
            positions = self._solids[view.form] = np.flatnonzero(letters != ord(" "))
        return positions

    @cached_property
    def _solids(self) -> dict[str, Ints]:
        return {}

    def _code_at(self, view: TextView, groups: tuple[str, ...], at: int) -> tuple[int, int] | None:
        """Where a code stands in the reading form, unless it is part of a longer one or too far apart."""
        form, size = view.form, sum(map(len, groups))
        positions = self._solid(view)[at : at + size].tolist()
        start, end = positions[0], positions[-1] + 1
        if _runs_on(form[start - 1], form[start]) or _runs_on(form[end - 1], form[end]):
            return None
        edges = set()
        total = 0
        for group in groups[:-1]:
            total += len(group)
            edges.add(total)
        for number in range(1, size):
            if positions[number] - positions[number - 1] > 1 and not self._near(
                view, positions[number - 1], positions[number], number in edges
            ):
                return None
        return start, end

    def _near(self, view: TextView, left: int, right: int, edge: bool) -> bool:
        """Whether one separator at most stands between two letters of a code; spaces beside it where one stood."""
        if view is not self.reading.plain:
            return True
        between = self.reading.text[self.reading.span(left, left + 1)[1] : self.reading.span(right, right + 1)[0]]
        return len(between) <= 1 or (edge and len(between) <= _WIDE_GAP and len("".join(between.split())) <= 1)

    def _dates(self, form: SearchForm) -> Iterator[Hit]:
        dates = self.readable_dates
        occurrences = [occurrence for day in sorted(form.dates) if day in dates for occurrence in dates[day]]
        for view, location in sorted(occurrences, key=lambda occurrence: occurrence[0] is not self.reading.plain):
            yield Hit(view, location.start, location.end)

    @cached_property
    def readable_dates(self) -> dict[date, list[tuple[TextView, DateMatch]]]:
        """The complete dates that can be read, with both readings of 03/04/2010, and where they stand."""
        dates: dict[date, list[tuple[TextView, DateMatch]]] = {}
        for view in self.reading.views:
            for location in dates_in(view.form, self.reading.words):
                dates.setdefault(location.date, []).append((view, location))
        return dates

    def reads(self, form: SearchForm) -> bool:
        """Whether a form can be read anywhere."""
        return next(self.hits(form), None) is not None

    def nearly(self, form: SearchForm) -> str:
        """What is nearly a form, as it is written; empty where there is nothing."""
        for name in form.telling_words:
            if name in self.reading.words and self._may_name(name):
                return name
            if is_unbordered(name) and (half := self._half_of(name)):
                return half
        for name in form.spelled_words:
            if self._stems and (stem := next((stem for stem in self._stems if _is_stem(stem, name)), "")):
                return stem
            if near := self._near_word(name):
                return near
        if form.stem and self.tails and (stem := self._cut_off(form.stem)):
            return stem
        if form.codes and (digits := self._same_digits(form)):
            return digits
        return self._initials_of(form) if form.kind == "person" else ""

    def _may_name(self, word: str) -> bool:
        """Whether a word that is ordinary too stands there as a name may: with a capital, or inside an address.

        Where the original never writes the word in small letters, it is the name however it is written.
        """
        for view in self.reading.views:
            for start in find_word(view.form, word):
                end = start + len(word)
                if view.cased[start].isupper() and (
                    self._inside_sentence(word) or word not in self._capitals.small_words
                ):
                    return True
                if self._in_address(view, start, end):
                    return True
        return False

    def _half_of(self, name: str) -> str:
        """The first or the last two signs of a name of three or more, which are often the family's or the given one."""
        if len(name) < _SIGNS_OF_NAME:
            return ""
        return next((half for half in (name[:2], name[-2:]) if half in self._squeeze(self.reading.plain)), "")

    def _same_digits(self, form: SearchForm) -> str:
        """The digits of a code without its letters and leading zeros, also behind a country's number."""
        for groups in form.codes:
            digits = "".join(filter(str.isdigit, "".join(groups))).lstrip("0")
            if not digits:
                break
            present = len(digits) >= _DIGITS and digits.encode("ascii", "ignore") in self._digits[self.reading.plain]
            pattern = rf"(?<!\d)\d{{0,3}}{digits}(?!\d)"
            if present and re.search(pattern, self._squeeze(self.reading.plain)):
                return digits
        return ""

    def _cut_off(self, complete: str) -> str:
        """What stands before mask characters of a number or a date whose end they hide."""
        least = max(_SHORTEST_STEM, math.ceil(_STEM * len(complete)))
        stems = tuple(complete[:size] for size in range(len(complete) - 1, least - 1, -1))
        return next((stem for tail in self.tails if tail.endswith(stems) for stem in stems if tail.endswith(stem)), "")

    @cached_property
    def tails(self) -> list[str]:
        """Letters and digits before mask characters, without spaces; what has no digit is no number and no date."""
        tails = {self.reading.text[max(0, at - _TAIL) : at] for at in self._cuts}
        return sorted(reading_form(tail).replace(" ", "") for tail in tails if any(map(str.isdigit, tail)))

    @cached_property
    def _stems(self) -> list[str]:
        """Words before mask characters."""
        text, stems = self.reading.text, set[str]()
        for at in self._cuts:
            start = at
            while start and text[start - 1].isalpha():
                start -= 1
            stems.add(text[start:at])
        return sorted(form for stem in stems if len(form := reading_form(stem)) >= _SHORTEST_STEM)

    @cached_property
    def _cuts(self) -> list[int]:
        """Where mask characters stand right behind a letter or a digit, and none behind them: not in DATE_TIME."""
        text, signs, positions = self.reading.text, self.reading.signs, list[int]()
        for sign, plain in _SIGNS.items():
            at = text.find(sign) if plain in signs else -1
            while at >= 0:
                end = at + len(sign)
                if at and text[at - 1].isalnum() and not text[end : end + 1].isalnum():
                    positions.append(at)
                at = text.find(sign, end)
        return positions

    def _near_word(self, name: str) -> str:
        """A word of the release that differs from a name by a letter or two; the nearest, of several the first."""
        nearest = self._near_words.get(name)
        if nearest is None:
            from rapidfuzz import process  # slow to import
            from rapidfuzz.distance import Levenshtein

            distance = next((edits for least, edits in _NEAR if len(name) >= least), 0)
            words = self._unusual if distance else ()
            near = process.extract(name, words, scorer=Levenshtein.distance, score_cutoff=distance, limit=None)
            likely = [(edits, word) for word, edits, _ in near if _mostly_letters(word)]
            nearest = self._near_words[name] = min(likely, default=(0, ""))[1]
        return nearest

    @cached_property
    def _near_words(self) -> dict[str, str]:
        return {}

    def _initials_of(self, form: SearchForm) -> str:
        words = self.reading.words
        for letters, apart, together in form.initials:
            if letters <= words and f" {apart} " in self.reading.cased:
                return apart
            if len(together) >= _INITIALS and together in words and f" {together.upper()} " in self.reading.cased:
                return apart
        return ""

    @cached_property
    def _unusual(self) -> list[str]:
        """Words that are not ordinary, given names aside."""
        return [*(self.reading.words - self._vocabulary.unlike_names)]


def _is_stem(stem: str, name: str) -> bool:
    return name.startswith(stem) and len(stem) >= _STEM * len(name)


def _mostly_letters(word: str) -> bool:
    """Whether it may be a name: a digit or two may stand for letters, as in `K0walska`."""
    return word.isalpha() or sum(map(str.isalpha, word)) >= _LETTERS * len(word)


def releases_of(
    anonymized: Anonymized, dictionary: str, indices: Iterable[int] | None = None
) -> Iterator[tuple[int, Release]]:
    """What is released of documents of a chunk, all or those that are asked for, letter for letter; none is held."""
    documents, vocabulary = anonymized.chunk.corpus, vocabulary_of(dictionary)
    key = ("capitals", dictionary)
    capitals = anonymized.chunk.once(key, lambda: [Capitals(document.text, vocabulary) for document in documents])
    anonymization = anonymized.anonymization
    handed_in = None if type(anonymization) is Anonymization else anonymized.texts  # as they were handed in
    for document_index in range(len(documents)) if indices is None else indices:
        document = documents.documents[document_index]
        text = (
            handed_in[document.id]
            if handed_in is not None
            else apply_masks(document.text, anonymization.of(document.id))
        )
        yield document_index, Release(text, capitals[document_index], vocabulary)


def _neighbours(form: str, start: int, end: int) -> tuple[str, str]:
    """The words before and after a span; empty at the edges."""
    before = form[form.rfind(" ", 0, start - 1) + 1 : start - 1] if start > 1 else ""
    close = form.find(" ", end + 1)
    return before, form[end + 1 : close] if close > end else ""


def _word_before(form: str, start: int) -> tuple[str, int]:
    """The word before a span, particles of names aside (`Fernandez de la Torre`), and where it begins."""
    word = ""
    for _ in range(_PARTICLES + 1):
        low = form.rfind(" ", 0, max(start - 1, 0)) + 1
        word, start = form[low : max(start - 1, 0)], low
        if word not in PARTICLE_FORMS:
            break
    return word, start


def _word_after(form: str, end: int) -> tuple[str, int]:
    """The word behind a span in the same way."""
    word, start = "", end
    for _ in range(_PARTICLES + 1):
        start = end + 1
        end = max(form.find(" ", start), start)
        word = form[start:end]
        if word not in PARTICLE_FORMS:
            break
    return word, min(start, len(form) - 1)


def _runs_on(left: str, right: str) -> bool:
    """Whether two neighbours belong to one number or one word."""
    return (left.isdigit() and right.isdigit()) or (left.isalpha() and right.isalpha())
