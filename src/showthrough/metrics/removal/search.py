"""Looks for forms in a released text, in all ways to read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from showthrough.data.reading import How, Reading, View, unbordered
from showthrough.metrics.removal.dates import Found, dates_in
from showthrough.metrics.removal.forms import (
    ALSO_WORDS,
    GIVEN_FORMS,
    TITLE_FORMS,
    Form,
    Vocabulary,
)

_LOUD = 0.7  # share of words with a capital from which on a capital says nothing
_GERMAN = frozenset("und der die das ist nicht mit wurde den dem zu von auf".split())
_GERMAN_WORDS = 6  # so many of these words make a text German
_CHUNK_SIGNS = re.compile(r"[@/\\#_]|[^\W_][-.][^\W_]")
_STARRED = re.compile(r"([^\W\d_]{2,})(?:[*\u2022\u2588\u2592\u25a0#_\u2026]+|\.{2,}|[xX]{2,}\b)")
_MASK_SIGNS = re.compile(r"[*\u2022\u2588\u2592\u25a0#_\u2026]|\.\.|[xX]{2}")
_STEM = 0.7  # share of a word before mask characters that tells it
_NEAR = ((9, 2), (5, 1))  # letters of a word, at least, and the edit distance at which it is nearly readable
_WIDE_GAP = 3  # characters between two groups of a code


class Hit(NamedTuple):
    """A form that was found: in which view, where in its reading form, and whether by one word of a name alone."""

    view: View
    start: int
    end: int
    single: bool = False

    @property
    def how(self) -> How:
        return self.view.how


class Capitals(NamedTuple):
    """What a capital says in a text: a name, or nothing. Told from the original, which masks do not change."""

    say_nothing: bool

    @classmethod
    def of(cls, text: str, vocabulary: Vocabulary) -> Capitals:
        words = [word for word in text.split() if word[0].isalpha() and len(word) > 1]
        if not words:
            return cls(say_nothing=False)
        loud = sum(word[0].isupper() for word in words) >= _LOUD * len(words)
        german = vocabulary.nouns_have_capitals or len(_GERMAN.intersection(words)) >= _GERMAN_WORDS
        return cls(loud or german)


class Release:
    """A released text, in which forms are looked for."""

    def __init__(self, text: str, capitals: Capitals, vocabulary: Vocabulary) -> None:
        self.reading = Reading(text)
        self._capitals = capitals
        self._vocabulary = vocabulary

    def hits(self, form: Form) -> Iterator[Hit]:
        """All places where a form can be read, those of the plain view first."""
        if form.kind == "person":
            yield from self._person(form)
        elif form.codes:
            yield from self._codes(form)
        elif form.dates:
            yield from self._dates(form)
        elif form.whole:
            yield from self._whole(form)

    def _person(self, form: Form) -> Iterator[Hit]:
        words = self.reading.words
        here = [word for word in form.words if word in words or unbordered(word)]
        names = frozenset(form.words)
        telling = frozenset(form.telling)
        for view in self.reading.views if here else ():
            for word in here:
                if unbordered(word):
                    yield from self._unbordered(view, word, word in telling)
                    continue
                for start in _places(view.form, word):
                    end = start + len(word)
                    before, after = _neighbours(view.form, start, end)
                    beside = (before in names and before != word) or (after in names and after != word)
                    if beside or (len(names) == 1 == len(form.words) and self._alone(view, word, start, end, form)):
                        yield Hit(view, start, end, single=not beside)
                    elif word in telling and self._alone(view, word, start, end, form):
                        yield Hit(view, start, end, single=True)
        for joined in form.glued:
            if joined in words:
                yield from (
                    Hit(view, at, at + len(joined)) for view in self.reading.views for at in _places(view.form, joined)
                )
        for short in form.abbreviated:
            if short in words:
                for view in self.reading.views:
                    for at in _places(view.form, short):
                        if self._in_address(view, at, at + len(short)):
                            yield Hit(view, at, at + len(short))

    def _unbordered(self, view: View, word: str, telling: bool) -> Iterator[Hit]:
        at = view.form.find(word) if telling else -1
        while at >= 0:
            yield Hit(view, at, at + len(word))
            at = view.form.find(word, at + 1)

    def _alone(self, view: View, word: str, start: int, end: int, form: Form) -> bool:
        """Whether one word of a name tells it here."""
        vocabulary = self._vocabulary
        letter = view.cased[start]
        capital = letter.isupper() or not (letter.islower() or letter.isupper())
        given = word in GIVEN_FORMS
        doubtful = (word in vocabulary.ordinary and not given) or word in ALSO_WORDS
        doubtful |= self._capitals.say_nothing and word in vocabulary.known
        if not doubtful:
            unknown = self._has_no_capitals and word not in vocabulary.known
            return capital or unknown or self._in_address(view, start, end)
        before, after = _neighbours(view.form, start, end)
        if before in TITLE_FORMS or (capital and self._initial(view, start, end, before, after, word)):
            return True
        if capital and (before in GIVEN_FORMS or after in GIVEN_FORMS):
            low = start - 1 - len(before)
            return bool(before in GIVEN_FORMS and view.cased[low].isupper()) or bool(
                after in GIVEN_FORMS and view.cased[end + 1].isupper()
            )
        return capital and given and not self._capitals.say_nothing and self._inside_sentence(word)

    @cached_property
    def _has_no_capitals(self) -> bool:
        """Whether the release is in small letters throughout, so that names are too."""
        return self.reading.cased == self.reading.form

    def _initial(self, view: View, start: int, end: int, before: str, after: str, word: str) -> bool:
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

    def _in_address(self, view: View, start: int, end: int) -> bool:
        """Whether a word stands inside an address, a path, a hashtag or a slug; only the plain view can tell."""
        if view is not self.reading.plain:
            return True  # it is glued, spelled or encoded: nobody writes so by chance
        text = self.reading.text
        low, high = self.reading.span(start, end)
        while low and not text[low - 1].isspace():
            low -= 1
        while high < len(text) and not text[high].isspace():
            high += 1
        return _CHUNK_SIGNS.search(text[low:high].strip(".,;:!?()[]\"'")) is not None or text[low] == "#"

    def _whole(self, form: Form) -> Iterator[Hit]:
        first = form.whole.partition(" ")[0]
        free = unbordered(form.whole)
        if not free and first not in self.reading.words:
            return
        for view in self.reading.views:
            if free:
                yield from self._unbordered(view, form.whole, telling=True)
                continue
            for start in _places(view.form, form.whole):
                if not form.ordinary or view.cased[start].isupper():
                    yield Hit(view, start, start + len(form.whole))

    def _codes(self, form: Form) -> Iterator[Hit]:
        for groups in form.codes:
            code = "".join(groups)
            for view in self.reading.views:
                squeezed = self._squeezed(view)
                at = squeezed.find(code)
                while at >= 0:
                    if (span := self._code_at(view, groups, at)) is not None:
                        yield Hit(view, *span)
                    at = squeezed.find(code, at + 1)

    def _squeezed(self, view: View) -> str:
        found = self._without_spaces.get(view.form)
        if found is None:
            found = self._without_spaces[view.form] = view.form.replace(" ", "")
        return found

    @cached_property
    def _without_spaces(self) -> dict[str, str]:
        return {}

    def _code_at(self, view: View, groups: tuple[str, ...], at: int) -> tuple[int, int] | None:
        """Where a code stands in the reading form, unless it is part of a longer one or too far apart."""
        form, size = view.form, sum(map(len, groups))
        places = [place for place, letter in enumerate(form) if letter != " "][at : at + size]
        start, end = places[0], places[-1] + 1
        if _runs_on(form[start - 1], form[start]) or _runs_on(form[end - 1], form[end]):
            return None
        edges = set()
        total = 0
        for group in groups[:-1]:
            total += len(group)
            edges.add(total)
        for number in range(1, size):
            if places[number] - places[number - 1] > 1 and not self._near(
                view, places[number - 1], places[number], number in edges
            ):
                return None
        return start, end

    def _near(self, view: View, left: int, right: int, edge: bool) -> bool:
        """Whether one separator at most stands between two letters of a code; spaces around it where one stood before."""
        if view is not self.reading.plain:
            return True
        between = self.reading.text[self.reading.span(left, left + 1)[1] : self.reading.span(right, right + 1)[0]]
        return len(between) <= 1 or (edge and len(between) <= _WIDE_GAP and len("".join(between.split())) <= 1)

    def _dates(self, form: Form) -> Iterator[Hit]:
        if form.years.isdisjoint(self.reading.words) and not self._compact:
            return
        for view, found in self._found_dates:
            if found.date in form.dates:
                yield Hit(view, found.start, found.end)

    @cached_property
    def _compact(self) -> bool:
        """Whether a date may be glued to a time."""
        return any(word[:8].isdigit() and len(word) > 8 for word in self.reading.words)

    @cached_property
    def _found_dates(self) -> list[tuple[View, Found]]:
        return [(view, found) for view in self.reading.views for found in dates_in(view.form)]

    def reads(self, form: Form) -> bool:
        """Whether a form can be read anywhere."""
        return next(self.hits(form), None) is not None

    def nearly(self, form: Form) -> str:
        """What is nearly a form, as it is written; empty where there is nothing."""
        names = [word for word in form.telling if word.isalpha()] if form.kind == "person" else []
        if form.kind == "other" and " " not in form.whole and form.whole.isalpha() and not form.ordinary:
            names = [form.whole]
        for name in names:
            for stem in self._stems:
                if name.startswith(stem) and len(stem) >= _STEM * len(name):
                    return stem
            for least, distance in _NEAR:
                if len(name) >= least:
                    near = process.extractOne(
                        name, self._unusual, scorer=Levenshtein.distance, score_cutoff=distance, processor=None
                    )
                    if near is not None and abs(len(near[0]) - len(name)) <= distance:
                        return str(near[0])
                    break
        if form.kind == "person" and len(form.words) > 1 and all(map(str.isalpha, form.words)):
            initials = [word[0] for word in form.words]
            for row in (initials, initials[::-1]):
                at = self.reading.form.find(f" {' '.join(row)} ")
                together = f" {''.join(row).upper()} "
                if (
                    at >= 0
                    and self.reading.cased[at + 1].isupper()
                    and self.reading.cased[at + 2 * len(row) - 1].isupper()
                ):
                    return " ".join(row)
                if len(row) > 2 and together in self.reading.cased:
                    return together.strip()
        return ""

    @cached_property
    def _unusual(self) -> list[str]:
        """Words of five letters or more that are not ordinary, given names aside."""
        ordinary = self._vocabulary.ordinary
        return [
            word
            for word in self.reading.words
            if len(word) >= _NEAR[-1][0] - 1 and word.isalpha() and (word not in ordinary or word in GIVEN_FORMS)
        ]

    @cached_property
    def _stems(self) -> list[str]:
        """What stands before mask characters."""
        text = self.reading.text
        if _MASK_SIGNS.search(text) is None:
            return []
        return [stem for found in _STARRED.finditer(text) if (stem := "".join(Reading(found[1]).form.split()))]


def _places(form: str, word: str) -> Iterator[int]:
    """Where a word or a row of words begins, on word borders."""
    bordered = f" {word} "
    at = form.find(bordered)
    while at >= 0:
        yield at + 1
        at = form.find(bordered, at + 1)


def _neighbours(form: str, start: int, end: int) -> tuple[str, str]:
    """The words before and after a stretch; empty at the edges."""
    before = form[form.rfind(" ", 0, start - 1) + 1 : start - 1] if start > 1 else ""
    close = form.find(" ", end + 1)
    return before, form[end + 1 : close] if close > end else ""


def _runs_on(left: str, right: str) -> bool:
    """Whether two neighbours belong to one number or one word."""
    return (left.isdigit() and right.isdigit()) or (left.isalpha() and right.isalpha())
