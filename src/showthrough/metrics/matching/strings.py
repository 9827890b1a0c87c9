"""The strings that masks hide, as forms that are looked for: in a document, or in all documents of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple

from showthrough.core.patterns import lazy_pattern
from showthrough.data.labels import label_of
from showthrough.data.masks import Mask
from showthrough.data.reading_form import cased_form, fold_case, is_unbordered
from showthrough.metrics.matching._dates import complete_dates
from showthrough.metrics.matching.forms import (
    GIVEN_FORMS,
    INSTITUTION_FORMS,
    PARTICLE_FORMS,
    TITLE_FORMS,
    Kind,
    SearchForm,
    Vocabulary,
    code_form,
    kind_of_type,
    person_form,
)
from showthrough.metrics.matching.search import Capitals, Hit, Release

_WORDS, _CHARACTERS = 40, 400  # of a string that are looked for: of a whole paragraph its beginning
_BEFORE = 40  # characters before a mask in which a title or an initial may stand
_DIGITS = 4  # so many of them tell something: 150 is anywhere, 1996 is not
_NAME = 4  # words of a name that nothing else shows to be one, at most
_IN_NAMES = lazy_pattern(r"(?:\w|[\s.'\u2019-])+")
_POSSESSIVE = lazy_pattern(r"['\u2019\u02bc`\u00b4][sS]\W*$")
_CODE_KEY, _SCRIPT_KEY = 8, 4  # characters by which a code, and a word without borders, is found in a corpus


class MaskedString(NamedTuple):
    """What a mask hides: what tells it from others in its document, and what is looked for of it."""

    key: str
    form: SearchForm


class MaskedDocument:
    """A document whose masks hide strings."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.text = text
        self._vocabulary = vocabulary

    @cached_property
    def capitals(self) -> Capitals:
        return Capitals(self.text, self._vocabulary)

    @cached_property
    def _uses_capitals(self) -> bool:
        """Whether capitals are in use here: else small letters say nothing."""
        return self.text != self.text.lower()

    @cached_property
    def _small(self) -> frozenset[str]:
        """Words that are written in small letters somewhere."""
        return frozenset(word for word in cased_form(self.text).split() if word.islower())

    def string(self, mask: Mask) -> MaskedString | None:
        """What a mask hides, but for titles, function words and signs around it; None where that is ordinary.

        >>> from showthrough.metrics.matching.forms import vocabulary_of
        >>> text = "It was seen by Mr John Smith's nurse on 3 May"
        >>> document = MaskedDocument(text, vocabulary_of("wordfreq:en"))
        >>> strings = [document.string(Mask(*span)) for span in ((15, 30), (31, 36), (40, 45), (42, 45))]
        >>> [string and string.key for string in strings]
        ['john smith', None, '3 may', None]
        """
        raw = self.text[mask.start : min(mask.end, mask.start + _CHARACTERS)]
        words = cased_form(raw).split()[:_WORDS]
        leading = 0
        while leading < len(words) and self._leads(words[leading]):
            leading += 1
        before = words[leading - 1] if leading else self._word_before(mask.start)
        words = words[leading:]
        if len(words) > 1 and words[-1] in "sS" and _POSSESSIVE.search(raw):
            words.pop()
        kind = self._kind(mask, words, raw, before)
        if not words or not self._tells(words, raw, kind):
            return None
        form = self._form(words, raw, kind)
        return None if form is None else MaskedString(fold_case(" ".join(words)), form)

    def _leads(self, word: str) -> bool:
        """Whether a word only leads to what follows: `the`, `Mr`. Not so an initial, May, or somebody called Will."""
        low = fold_case(word)
        if word[0].isupper() and (len(word) == 1 or low in self._vocabulary.calendar or low in GIVEN_FORMS):
            return False
        return low in self._vocabulary.function or low in TITLE_FORMS

    def _word_before(self, start: int) -> str:
        words = cased_form(self.text[max(0, start - _BEFORE) : start]).split()
        return words[-1] if words else ""

    def _kind(self, mask: Mask, words: list[str], raw: str, before: str) -> Kind:
        """What it is taken for: by its type, by the label that was written, or by its looks."""
        digits = any(map(str.isdigit, raw))
        if "@" in raw:
            return "other"
        kind = kind_of_type(mask.entity_type) or kind_of_type(label_of(mask.replacement))
        if kind is not None and not (kind == "person" and not any(map(str.isalpha, raw))):
            return kind
        if digits:
            return "date" if complete_dates(raw) else "code"
        return "person" if self._looks_like_a_name(words, raw, before) else "other"

    def _looks_like_a_name(self, words: list[str], raw: str, before: str) -> bool:
        if not words or not all(self._is_name(word) or fold_case(word) in PARTICLE_FORMS for word in words):
            return False
        if before[:1].isupper() and (len(before) == 1 or fold_case(before) in TITLE_FORMS | GIVEN_FORMS):
            return True
        low = list(map(fold_case, words))
        if low[0] in GIVEN_FORMS or (len(words[0]) == 1 and words[0].isupper() and "." in raw):
            return True
        # Nothing shows it to be a person: one of its words is in no list, and none belongs to an institution.
        new = any(word not in self._vocabulary.all_words and len(word) > 1 for word in low)
        plain = _IN_NAMES.fullmatch(raw) is not None and INSTITUTION_FORMS.isdisjoint(low)
        return 1 < len(words) <= _NAME and new and plain

    def _is_name(self, word: str) -> bool:
        return word[0].isupper() or not self._uses_capitals or is_unbordered(word)

    def _tells(self, words: list[str], raw: str, kind: Kind) -> bool:
        """Whether a string is more than ordinary words, small numbers and lone letters."""
        vocabulary = self._vocabulary
        digits = sum(map(str.isdigit, raw))
        if "@" in raw or digits >= _DIGITS:
            return True
        low = list(map(fold_case, words))
        if len(words) == 1 and kind != "person" and low[0] in vocabulary.all_words and low[0] not in GIVEN_FORMS:
            loud = self.capitals.say_nothing or not self._uses_capitals
            if loud or low[0] in self._small or low[0] in INSTITUTION_FORMS:
                return False
        for word, small in zip(words, low, strict=True):
            if small in vocabulary.calendar:
                if digits:  # a day of the year
                    return True
            elif any(map(str.isdigit, word)):  # letters and digits are a code, but 3rd and 5kg are not
                if not word.isdigit() and (not word[0].isdigit() or word.isupper()):
                    return True
            elif len(word) > 1 or is_unbordered(word):
                written_small = word[0].islower() and self._uses_capitals and kind != "person"
                if not self._leads(word) and not (written_small and small in vocabulary.all_words):
                    return True
        return False

    def _form(self, words: list[str], raw: str, kind: Kind) -> SearchForm | None:
        if kind == "person":
            form = person_form(raw)
            return form if form.is_searchable else None
        if kind == "date" and (dates := complete_dates(raw)):
            return SearchForm("date", dates=dates)
        low = list(map(fold_case, words))
        if kind == "code" and (codes := code_form(raw).codes):
            inside = "".join("".join(groups) for groups in codes)
            if all(word in inside or len(word) < 3 for word in low):  # else it is more than a code
                return SearchForm("code", codes=codes)
        ordinary = self._uses_capitals and all(word.isalpha() and word in self._vocabulary.ordinary for word in low)
        return SearchForm("other", whole=" ".join(low), ordinary=ordinary)


class FormIndex:
    """Forms by what a text must have in which they can be read, so that few are looked for in each.

    Several forms may have one number. What was found once is not looked for again: time is linear in documents.
    """

    def __init__(self) -> None:
        self._words: dict[str, list[int]] = {}  # words that tell a name by themselves: numbers
        self._keys: dict[str | date, list[tuple[int, SearchForm]]] = {}
        self.found: set[int] = set()
        self._lengths: set[int] = set()  # of keys that are no words
        self._dates = False

    def add(self, number: int, form: SearchForm) -> None:
        for word in form.telling_words if len(form.words) > 1 else ():
            self._words.setdefault(word, []).append(number)
        for key in {*_keys_of(form)}:
            self._keys.setdefault(key, []).append((number, form))
            if isinstance(key, date):
                self._dates = True
            elif form.codes or is_unbordered(key):
                self._lengths.add(len(key))

    def search(self, release: Release, counts: Callable[[Hit, SearchForm], bool]) -> Iterator[tuple[int, Hit]]:
        """What can be read in a release and was not found before, where that counts."""
        words = release.reading.words
        for word in sorted(words & self._words.keys()):
            hit = self._first(release, SearchForm("person", (word,), part=True), counts)
            if hit is not None:
                yield from self._record_hit(self._words.pop(word), hit)
        for key in sorted(self._keys.keys() & {*words, *self._keys_in(release)}, key=str):
            remaining = []
            for number, form in self._keys[key]:
                if number not in self.found:
                    hit = self._first(release, form, counts)
                    if hit is None:
                        remaining.append((number, form))
                    else:
                        yield from self._record_hit([number], hit)
            self._keys[key] = remaining
            if not remaining:
                del self._keys[key]

    def _first(self, release: Release, form: SearchForm, counts: Callable[[Hit, SearchForm], bool]) -> Hit | None:
        return next((hit for hit in release.hits(form) if counts(hit, form)), None)

    def _record_hit(self, numbers: list[int], hit: Hit) -> Iterator[tuple[int, Hit]]:
        for number in numbers:
            if number not in self.found:
                self.found.add(number)
                yield number, hit

    def _keys_in(self, release: Release) -> Iterator[str | date]:
        for view in release.reading.views:
            words = view.form.split(" ")
            yield from (_pair(left, right) for left, right in pairwise(words) if left and right)
            if self._lengths:
                squeezed = view.form.replace(" ", "")
                yield from (squeezed[at : at + length] for length in self._lengths for at in range(len(squeezed)))
        if self._dates:
            yield from release.readable_dates


def _keys_of(form: SearchForm) -> Iterator[str | date]:
    yield from form.dates
    for groups in form.codes:
        yield "".join(groups)[:_CODE_KEY]
    if len(form.words) == 1:
        yield form.words[0]
    for left, right in combinations(form.words[:_WORDS], 2):
        yield _pair(left, right)
    yield from (word[:_SCRIPT_KEY] for word in form.telling_words if is_unbordered(word))
    yield from (*form.glued_names, *form.abbreviations)
    if is_unbordered(form.whole):
        yield form.whole[:_SCRIPT_KEY]
    elif form.whole:
        words = form.whole.split(" ")
        pairs = [_pair(left, right) for left, right in pairwise(words)]
        yield max(pairs, key=len, default=form.whole)


def _pair(left: str, right: str) -> str:
    return f"{left} {right}" if left < right else f"{right} {left}"
