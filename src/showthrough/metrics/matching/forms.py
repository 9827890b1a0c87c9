"""What is looked for of something that was marked: forms of names, codes, dates and other strings.

A form is in reading form (`data/reading_form.py`). A name is known by its words, a code by its letters and digits,
a date by its day, anything else by the whole string. What says nothing by itself is judged only where it was marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cache, cached_property, lru_cache
from typing import Literal

import msgspec

from showthrough.core.patterns import lazy_pattern
from showthrough.data.reading_form import cased_form, fold_case, is_unbordered, reading_form
from showthrough.data.text_views import join_lines
from showthrough.data.types import nearest, path_of, treated_as
from showthrough.metrics.matching._dates import MONTHS, complete_dates, dates_in
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.models.common_words import CALENDAR, GIVEN, INSTITUTIONS, PARTICLES, TITLES
from showthrough.models.countries import names_of_countries
from showthrough.models.dictionary import WORDFREQ, dictionary_from, frequencies
from showthrough.models.languages import small_words

Kind = Literal["person", "code", "date", "other"]
FREQUENT = 10 ** (
    6.15 - 9
)  # from which on a word says nothing by itself: is, was, has, she, not, but neither two nor said
ORDINARY = 10 ** (3.5 - 9)  # a word is ordinary from Zipf 3.5 on, which is so often of all words
LETTERS, IDEOGRAPHS = 3, 2  # of a word of a name that is looked for by itself
CODE = 5  # letters and digits of a code, at least
NO_DIGITS = bytes({*range(256)} - {*b"0123456789"})
LONGEST = 300  # characters of what is looked for: what is longer is no identifier
# Given names that are words as well: with a capital they are names only inside a sentence.
_ALSO_WORDS = """
    art austin bill bob dale dawn dean don earl eve faith frank gene georgia grace grant hope ivy jack joy jordan june
    may mark max miles norm pat paris per penny ray rich rob rose roman sue ted victor viola virginia will
"""
ALSO_WORDS = frozenset(_ALSO_WORDS.split())
_CHUNK = lazy_pattern(r"\S+")
_DAY_AND_YEAR = lazy_pattern(r"(?<!\d)\d{1,2}\D+\d{4}(?!\d)|(?<!\d)\d{4}\D+\d{1,2}(?!\d)")
_TITLE_ENDINGS = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md", "esq"})
_COARSE = frozenset({"MISC", "OTHER", "OTROS_SUJETO_ASISTENCIA", "CONTACT"})  # types that say little: numbers tell
_SHAPE_WORDS = 4  # words of an untyped name, at most


def _forms(words: Iterable[str]) -> frozenset[str]:
    """Reading forms of those words that are one word in it."""
    all_words = frozenset(words)
    plain = {word for word in all_words if word.isascii() and word.isalnum()}  # of these lower case is the reading form
    others = filter(None, map(reading_form, all_words - plain))
    return frozenset(map(str.lower, plain)).union(form for form in others if " " not in form)


class Vocabulary:
    """What is ordinary in a language, in reading form. Each list is loaded when somebody asks for it."""

    def __init__(self, dictionary: str) -> None:
        self._dictionary = dictionary
        self._language = dictionary.removeprefix(WORDFREQ) if dictionary.startswith(WORDFREQ) else "en"

    @cached_property
    def all_words(self) -> frozenset[str]:
        """Any word of the list."""
        return _forms(dictionary_from(self._dictionary))

    @cached_property
    def ordinary(self) -> frozenset[str]:
        """Zipf 3.5 or more; of a file all words are."""
        often = frequencies(self._language) if self._dictionary.startswith(WORDFREQ) else {}
        rare = (word for word, share in often.items() if share < ORDINARY)
        return _forms(dictionary_from(self._dictionary).difference(rare)) | self.function

    @cached_property
    def unlike_names(self) -> frozenset[str]:
        """Ordinary words that are no given names."""
        return self.ordinary - GIVEN_FORMS

    @cached_property
    def function(self) -> frozenset[str]:
        return _forms(small_words(self._language)) if self._language in CLOSED_CLASSES else frozenset()

    @cached_property
    def frequent(self) -> frozenset[str]:
        """Words that say nothing: function words, and those of Zipf 6.15 or more; of a file all words are."""
        often = frequencies(self._language) if self._dictionary.startswith(WORDFREQ) else {}
        rare = (word for word, share in often.items() if share < FREQUENT or not word.isalpha())
        return _forms(dictionary_from(self._dictionary).difference(rare)) | self.function

    @cached_property
    def calendar(self) -> frozenset[str]:
        """Months and days of the week."""
        return _forms(CALENDAR.get(self._language, ()))

    @property
    def nouns_have_capitals(self) -> bool:
        return self._language == "de"


TITLE_FORMS, GIVEN_FORMS, PARTICLE_FORMS = _forms(TITLES), _forms(GIVEN), _forms(PARTICLES)
INSTITUTION_FORMS = _forms(INSTITUTIONS)


@cache
def vocabulary_of(dictionary: str) -> Vocabulary:
    """The words of a dictionary: `wordfreq:LANGUAGE`, or a file, all of whose words are ordinary."""
    return Vocabulary(dictionary)


@cache
def _country_forms() -> frozenset[str]:
    return frozenset(map(reading_form, names_of_countries()))


class SearchForm(msgspec.Struct, frozen=True, dict=True):
    """What is looked for of one mention. Where all is empty, it is judged only where it was marked."""

    kind: Kind
    words: tuple[str, ...] = ()  # of a name, in its order
    part: bool = False  # of a longer name
    whole: str = ""  # of any other string
    codes: tuple[tuple[str, ...], ...] = ()  # groups of letters and digits between which something stood
    dates: frozenset[date] = frozenset()
    stem: str = ""  # of a number or a date: its letters and digits, of which mask characters may hide the last
    ordinary: bool = False  # `whole` is one ordinary word, which a capital makes a name

    @property
    def is_searchable(self) -> bool:
        return bool(self.words or self.whole or self.codes or self.dates)

    @property
    def is_word(self) -> bool:
        """Whether it is one word, which somebody may write by chance."""
        return len(self.words) == 1 or (bool(self.whole) and " " not in self.whole)

    @cached_property
    def telling_words(self) -> tuple[str, ...]:
        """The words of a name that are looked for by themselves."""
        return tuple(
            word
            for word in self.words
            if len(word) >= (IDEOGRAPHS if is_unbordered(word) else LETTERS) and not word.isdigit()
        )

    @cached_property
    def spelled_words(self) -> tuple[str, ...]:
        """The words whose letters are compared one by one: of names, and of other strings of one word."""
        words = self.telling_words
        if self.kind == "other" and self.whole and " " not in self.whole and not self.ordinary:
            words = (self.whole,)
        return tuple(word for word in words if word.isalpha())

    @property
    def may_be_near(self) -> bool:
        """Whether something may nearly be it."""
        return bool(self.telling_words or self.spelled_words or self.stem or len(self.words) > 1)

    @cached_property
    def glued_names(self) -> tuple[str, ...]:
        """The name without spaces, forwards and backwards, as addresses and hashtags have it."""
        if len(self.words) < 2:
            return ()
        return tuple(dict.fromkeys(("".join(self.words), "".join(reversed(self.words)))))

    @cached_property
    def abbreviations(self) -> tuple[str, ...]:
        """An initial with the last name (`jdoe`), which tells inside an address."""
        if len(self.words) < 2 or len(self.words[-1]) < LETTERS:
            return ()
        first, last = self.words[0], self.words[-1]
        short = dict.fromkeys((f"{first[0]}{last}", f"{last}{first[0]}", f"{first}{last[0]}"))
        return tuple(word for word in short if word not in (first, last))

    @cached_property
    def initials(self) -> tuple[tuple[frozenset[str], str, str], ...]:
        """The first letters of a name of several words, forwards and backwards: as a set, apart and together."""
        rows = [[word[0] for word in words] for words in (self.words, self.words[::-1]) if len(words) > 1]
        return tuple((frozenset(row), " ".join(row).upper(), "".join(row)) for row in rows)

    @cached_property
    def digits(self) -> tuple[bytes, ...]:
        """The digits of each of its codes, which stand one after the other wherever the code does."""
        return tuple("".join(groups).encode("ascii", "ignore").translate(None, NO_DIGITS) for groups in self.codes)

    @cached_property
    def keys(self) -> frozenset[str] | None:
        """Words of which a text must have one, or there is nothing to look for; `None`: words do not tell."""
        if self.codes or self.dates or any(map(is_unbordered, (*self.words, self.whole[:1]))):
            return None
        return frozenset((*self.words, *self.glued_names, *self.abbreviations, *self.whole.split()[:1]))


_NOWHERE: dict[Kind, SearchForm] = {kind: SearchForm(kind) for kind in ("person", "code", "date", "other")}


@lru_cache(maxsize=4096)
def kind_of_type(entity_type: str) -> Kind | None:
    """What a type stands for; `None` where nobody knows, and the shape has to tell."""
    known_type = nearest(entity_type) if entity_type else None
    if known_type is None:
        return None
    path = path_of(known_type)
    if "PERSON" in path:
        return "other" if {"USERNAME", "NAME_PREFIX"} & {*path} else "person"
    if "QUANTITY" in path:
        return "other"
    treated = treated_as(known_type).kind
    return "code" if treated == "code" else "date" if treated == "date" else "other"


def form_of(text: str, entity_type: str, direct: bool, vocabulary: Vocabulary) -> SearchForm:
    """What is looked for of a mention.

    >>> english = vocabulary_of("wordfreq:en")
    >>> form_of("Mr John Doe-Smith", "PERSON", True, english).words
    ('john', 'doe', 'smith')
    >>> form_of("no. 36110/97", "CODE", True, english).codes
    (('36110', '97'),)
    >>> form_of("the police", "ORG", False, english).is_searchable
    False
    """
    if len(text) > LONGEST:
        return _NOWHERE["other"]
    text = text.strip()
    kind = kind_of_type(entity_type) or _shape(text)
    if kind == "other" and nearest(entity_type) in _COARSE:
        kind = _shape(text) if sum(map(str.isdigit, text)) >= CODE and "@" not in text else kind
    form = _FORM_FUNCTIONS[kind](text, vocabulary)
    if direct and not form.is_searchable and kind != "person":
        return _other_form(text, vocabulary)  # whatever it is, its own letters tell it
    if not direct and form.is_searchable and _says_nothing(form, text, vocabulary):
        return _NOWHERE[kind]
    return form


def _shape(text: str) -> Kind:
    """What an untyped mark looks like."""
    if complete_dates(text):
        return "date"
    if any(map(str.isdigit, text)):
        return "code" if "@" not in text else "other"
    words = cased_form(text).split()
    if len(words) > _SHAPE_WORDS or not INSTITUTION_FORMS.isdisjoint(map(str.lower, words)):
        return "other"
    named = all(word[0].isupper() or word in PARTICLE_FORMS or is_unbordered(word) for word in words)
    return "person" if words and named else "other"


def person_form(text: str) -> SearchForm:
    """A name by its words; of one that a line break parts, the word that it is as well."""
    words = [*_name_words(text)]
    return SearchForm("person", (*words, *(word for word in _name_words(join_lines(text)) if word not in words)))


def _name_words(text: str) -> Iterator[str]:
    pieces = cased_form(text).split()
    capitals = any(piece[0].isupper() for piece in pieces)
    for index, piece in enumerate(pieces):
        low = fold_case(piece)
        if (low in TITLE_FORMS and len(pieces) > 1) or low in PARTICLE_FORMS or (low in _TITLE_ENDINGS and index):
            continue
        if capitals and piece[0].islower():  # also the s of a possessive
            continue
        yield low


def code_form(text: str) -> SearchForm:
    """Letters and digits of each code; pieces with digits beside each other are one code, and each by itself too."""
    rows: list[list[str]] = [[]]
    for chunk in _CHUNK.findall(text):
        groups = reading_form(chunk).split()
        if any(map(str.isdigit, chunk)):
            rows[-1] += groups
            if len(rows[-1]) > len(groups) and sum(map(len, groups)) >= CODE:
                rows.insert(-1, groups)
        elif groups:
            rows.append([])
    codes = [tuple(row) for row in rows if sum(map(len, row)) >= CODE and any(map(str.isdigit, "".join(row)))]
    return SearchForm("code", codes=tuple(dict.fromkeys(codes)), stem="".join(codes[0])) if codes else _NOWHERE["code"]


def _whole_code(text: str, vocabulary: Vocabulary) -> SearchForm:
    """A code in several words (`KX 4821`) is looked for as a whole, and one without a digit as a word is."""
    if not any(map(str.isdigit, text)):
        return _other_form(text, vocabulary)
    form, groups = code_form(text), tuple(reading_form(text).split())
    if form.is_searchable or len(groups) == 1 or sum(map(len, groups)) < CODE or "".join(groups).isdigit():
        return form
    return SearchForm("code", codes=(groups,), stem="".join(groups))


def _date(text: str, vocabulary: Vocabulary) -> SearchForm:
    read = reading_form(text)
    words = read.split()
    first = next((index for index, word in enumerate(words) if word[0].isdigit() or word in MONTHS), 0)
    dates = frozenset(location.date for location in dates_in(f" {read} "))
    if not dates and _DAY_AND_YEAR.search(text) and any(_is_strange(word, vocabulary) for word in words):
        return _other_form(text, vocabulary)  # in a language whose months nobody told: `8 augusztus 1937`
    return SearchForm("date", dates=dates, stem="".join(words[first:]))


def _is_strange(word: str, vocabulary: Vocabulary) -> bool:
    return word.isalpha() and len(word) >= LETTERS and word not in vocabulary.all_words and word not in MONTHS


def _other_form(text: str, vocabulary: Vocabulary) -> SearchForm:
    words = reading_form(join_lines(text)).split()
    while words and words[0] in vocabulary.function and len(words) > 1:
        words = words[1:]
    whole = " ".join(words)
    if sum(map(len, words)) < LETTERS and not (words and is_unbordered(words[0]) and len(words[0]) >= IDEOGRAPHS):
        return _NOWHERE["other"]
    if whole.replace(" ", "").isdigit() and len(whole.replace(" ", "")) < CODE:
        return _NOWHERE["other"]
    ordinary = len(words) == 1 and whole in vocabulary.ordinary
    if ordinary and not any(map(str.isupper, text)):  # only a capital would make it a name
        return _NOWHERE["other"]
    return SearchForm("other", whole=whole, ordinary=ordinary)


_FORM_FUNCTIONS: dict[Kind, Callable[[str, Vocabulary], SearchForm]] = {
    "person": lambda text, vocabulary: person_form(text),
    "code": _whole_code,
    "date": _date,
    "other": _other_form,
}


def _says_nothing(form: SearchForm, text: str, vocabulary: Vocabulary) -> bool:
    """Whether a quasi-identifier is made of words that anybody may write."""
    if form.kind in ("code", "date") and not form.whole:
        return False
    words = form.words or tuple(form.whole.split())
    if " ".join(words) in _country_forms():
        return True
    return all(
        (word in vocabulary.ordinary and word not in GIVEN_FORMS)
        or word in _country_forms()
        or word in MONTHS
        or (word.isdigit() and len(word) < CODE)
        or (len(word) == 1 and not is_unbordered(word))
        for word in words
    )
