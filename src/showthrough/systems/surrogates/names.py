"""Surrogates of names: persons, places, houses, addresses, and any other word."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from random import Random

from showthrough.core.errors import PlanError
from showthrough.data.reading_form import reading_form
from showthrough.systems.surrogates.invention import Edit, letters, match_capitals, match_case, word
from showthrough.systems.surrogates.wordlists import (
    ADDRESS,
    FAMILY,
    FUNCTION,
    GENERIC,
    GIVEN,
    MEDICAL,
    PARTICLES,
    PLACES,
    SETS,
    TITLES,
)

_WORD = re.compile(r"[^\W\d_]+")
_PAIR = 2
_SHORT = 3  # so many capitals in a place's name are an abbreviation
_RUN = 4  # so many letters in a person's place may be initials
_JOINED = re.compile(r"[^\W\d_]['’](?=[^\W\d_]{2})")  # the O' of O'Brien
_INNER = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")
_PREFIXES = frozenset({"mc", "mac", "de", "la", "le", "di", "du", "da", "van", "von", "fitz", "st"})
_TRIES = 60
_FEWEST = 40  # names to choose from: with fewer, surrogates would be alike
_NAME_LIKE = re.compile(r"[^\W\d_]{4,9}")
_LISTS = {"given": GIVEN, "family": FAMILY, "place": PLACES}
_MEMBER = {member: members for members in SETS for member in members}


@dataclass(frozen=True)
class NameVocabulary:
    """A dictionary, the share of surrogate names that are to be outside of it, and names inside of it by kind."""

    outside: float
    words: Set[str]
    names: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, outside: float, words: Set[str]) -> NameVocabulary:
        """Names of our lists as far as the dictionary has them; where it has few, other words of it."""
        names = {source: [name for name in listed if name in words] for source, listed in _LISTS.items()}
        if any(len(words_of_kind) < _FEWEST for words_of_kind in names.values()):
            others = sorted(entry for entry in words if _NAME_LIKE.fullmatch(entry) and entry not in FUNCTION)
            if outside < 1 and len(others) < _FEWEST:
                fault = f"has {len(others)} words of four to nine letters; expected {_FEWEST} or more to make names of"
                raise PlanError(fault, "dictionary")
            names = {
                source: words_of_kind if len(words_of_kind) >= _FEWEST else others
                for source, words_of_kind in names.items()
            }
        return cls(outside, words, names)


class Names:
    """The names of one record: the same one has the same surrogate, written out, as a surname alone or as initials."""

    def __init__(
        self, random: Random, taken: Collection[str], ambiguous: float = 0.0, vocabulary: NameVocabulary | None = None
    ) -> None:
        self._random = random
        self._taken = set(taken)  # words that no surrogate may be
        self._ambiguous = ambiguous
        self._vocabulary = vocabulary
        self._words: dict[str, str] = {}
        self._letters: dict[str, str] = {}
        self._people: list[list[str]] = []  # names of several words, in small letters, as they are written
        self._seams: dict[str, int] = {}  # names that have a capital inside, and where

    def learn(self, name: str) -> None:
        """Takes note of a person's name; all of them before the first is replaced, so that initials find theirs."""
        words = [match[0] for match in proper_words(name)]
        self._seams |= {word.casefold(): seam.start() for word in words if (seam := _INNER.search(word))}
        tokens = [word.casefold() for word in words if len(word) > 1 and not _like_initials(word, name)]
        if tokens:
            self._people.append(tokens)

    def person(self, text: str) -> list[Edit]:
        """`SLOAN , CHARLES E` stays surname first, in capitals, with an initial; titles and particles stay."""
        matches = list(proper_words(text)) or list(_WORD.finditer(text))
        tokens = [match[0].casefold() for match in matches]
        alone = self._initials_of("".join(tokens)) if all(len(token) == 1 for token in tokens) else ""
        edits = []
        for index, (match, token) in enumerate(zip(matches, tokens, strict=True)):
            if alone:
                new = match_capitals(alone[index], match[0])
            elif len(token) == 1:
                new = match_capitals(self._initial(token, tokens), match[0])
            elif self._are_initials(match[0], text):
                initials = self._initials_of(token) or "".join(self._initial(letter, tokens) for letter in token)
                new = match_case(initials, match[0])
            else:
                new = _match_inner_case(self._name(token), match[0])
            edits.append((*match.span(), new))
        return edits

    def _are_initials(self, word: str, name: str) -> bool:
        """Whether letters that are written as one word are initials: they look so, or they are those of somebody."""
        token = word.casefold()
        if len(word) > _RUN or len(token) != len(word) or any(token in person for person in self._people if person[1:]):
            return False
        return _like_initials(word, name) or bool((word.isupper() or word.islower()) and self._initials_of(token))

    def _name(self, token: str) -> str:
        return self._word(token, "given" if token in GIVEN else "family")

    def _word(self, token: str, source: str) -> str:
        """The surrogate of a word, made when it is first asked for."""
        if token not in self._words:
            drawn = self._random.random()
            if drawn < self._ambiguous:
                new = self._random.choice([term for term in MEDICAL if term not in self._taken])
            elif self._vocabulary is None:
                new = self._invent(token, source)
            elif drawn < self._ambiguous + self._vocabulary.outside or token in self._seams:
                new = self._invent_unknown(token, source, self._vocabulary.words)
            else:
                new = self._choose_known(token, self._vocabulary.names[source])
            self._words[token] = new
            self._taken.add(new)  # two names stay two
        return self._words[token]

    def _invent(self, token: str, source: str) -> str:
        return self._invent_seamed(token, source) or word(self._random, source, token, self._taken)

    def _invent_unknown(self, token: str, source: str, lexicon: Set[str]) -> str:
        """A name that is no word of the dictionary."""
        new = self._invent(token, source)
        for _ in range(_TRIES):
            if new not in lexicon:
                break
            new = self._invent(token, source)
        return new

    def _choose_known(self, token: str, names: Sequence[str]) -> str:
        """A name that is a word of the dictionary, with another initial, and about as long where there is one."""
        free = [name for name in names if name not in self._taken and name[0] != token[0]]
        alike = [name for name in free if abs(len(name) - len(token)) <= 2]
        if not free:
            return word(self._random, "family", token, self._taken)
        return self._random.choice(alike or free)

    def _invent_seamed(self, token: str, source: str) -> str:
        """The surrogate of `McCoy`, which has a capital inside; a prefix such as Mc stays."""
        seam = self._seams.get(token, len("mc") if re.match("mc[^aeiouy]*[aeiouy]", token) else 0)
        if not 0 < seam < len(token):
            return ""
        first = token[:seam]
        rest = word(self._random, source, token[seam:], self._taken)
        return (first if first in _PREFIXES else letters(self._random, first, self._taken)) + rest

    def _initial(self, letter: str, beside: list[str]) -> str:
        """What an initial becomes: that of the surrogate of the name it stands for, as far as the record tells."""
        whole = [other for other in beside if len(other) > 1]
        related = [person for person in self._people if any(other in person for other in whole)]
        for person in [*related, *self._people]:
            for token in person:
                if token[0] == letter and token not in whole:
                    return self._name(token)[0]
        return self._letter(letter)

    def _letter(self, letter: str) -> str:
        if letter not in self._letters:
            alternatives = [candidate for candidate in string.ascii_lowercase if candidate != reading_form(letter)]
            unused = [candidate for candidate in alternatives if candidate not in self._letters.values()]
            unread = [candidate for candidate in unused if candidate not in self._taken]
            self._letters[letter] = self._random.choice(unread or unused or alternatives)
        return self._letters[letter]

    def _initials_of(self, run: str) -> str:
        """The initials of the surrogate of the person whose initials these are; empty when there is none such."""
        for person in self._people:
            for order in (person, person[1:] + person[:1], person[-1:] + person[:-1], [person[0], person[-1]]):
                if len(order) > 1 and "".join(token[0] for token in order) == run:
                    return "".join(self._name(token)[0] for token in order)
        return ""

    def place(self, text: str) -> list[Edit]:
        """`Hospital General de Jerez` stays a general hospital of some place."""
        words = list(_WORD.finditer(text))
        own = [word for word in words if word[0].casefold() not in GENERIC]
        if not own:  # nothing but generic words: then they are the name
            own = [word for word in words[1:] if word[0].casefold() not in PARTICLES] or words
        return [(*word.span(), self._of_place(word[0])) for word in own]

    def _of_place(self, text: str) -> str:
        token = text.casefold()
        if len(text) == 1:
            return match_capitals(self._letter(token), text)
        if _unsayable(text):
            return match_case(self._as_long(token), text)
        if text.isupper() and len(text) <= _SHORT:
            return self._as_long(token).upper()
        return match_capitals(self._word(token, "place"), text)

    def _as_long(self, token: str) -> str:
        if token not in self._words:
            self._words[token] = letters(self._random, token, self._taken)
        return self._words[token]

    def contact(self, text: str) -> list[Edit]:
        """`ab.smith@mail.example.com` keeps its dots and its end."""
        words = (word for word in _WORD.finditer(text) if word[0].casefold() not in ADDRESS)
        return [(*word.span(), match_capitals(self._as_long(word[0].casefold()), word[0])) for word in words]

    def member(self, text: str) -> list[Edit]:
        """Words of closed sets alone: `sixty-two years` becomes `forty-five years`."""
        words = (word for word in _WORD.finditer(text) if word[0].casefold() in _MEMBER)
        return [(*word.span(), match_capitals(self._other_member(word[0].casefold()), word[0])) for word in words]

    def _other_member(self, token: str) -> str:
        if token not in self._words:
            alternatives = [member for member in _MEMBER[token] if member != token]
            fresh = [member for member in alternatives if member not in self._taken]
            new = self._random.choice(fresh) if fresh else word(self._random, "place", token, self._taken)
            self._words[token] = new
            self._taken.add(new)
        return self._words[token]

    def other(self, text: str) -> list[Edit]:
        """Any words: those of closed sets by another member, the rest by words that mean nothing."""
        edits = self.member(text)
        for match in _WORD.finditer(text):
            token = match[0].casefold()
            if token in _MEMBER or match[0] in FUNCTION:
                continue
            if len(token) == 1:
                new = self._letter(token)
            else:
                new = self._word(token, "place") if len(token) > _SHORT else self._as_long(token)
            edits.append((*match.span(), match_capitals(new, match[0])))
        return sorted(edits)


def proper_words(name: str) -> Iterator[re.Match[str]]:
    """The words of a person's name that are names: no titles, no particles, not the O of O'Brien."""
    joined = {match.start() for match in _JOINED.finditer(name)}
    for match in _WORD.finditer(name):
        token = match[0].casefold()
        particle = token in PARTICLES and (len(token) > 1 or match[0].islower())
        if token not in TITLES and not particle and not (match.start() in joined and len(token) == 1):
            yield match


def _match_inner_case(new: str, like: str) -> str:
    """A name in the capitals of another one, the one inside as well."""
    seam = _INNER.search(like)
    if seam is None:
        return match_capitals(new, like)
    offset = min(seam.start(), len(new) - 1)
    return match_capitals(new[:offset], like[:offset]) + new[offset:].capitalize()


def _like_initials(word: str, name: str) -> bool:
    """Whether a word of a name looks like initials: `jd`, `JD` and `jD` do, and `LEE` if not all is in capitals.

    >>> _like_initials("ABE", "ABE Smith"), _like_initials("ABE", "ABE SMITH"), _like_initials("Abe", "Abe")
    (True, False, False)
    """
    if len(word) <= _PAIR:
        return word.islower() or word[1:].isupper() or _unsayable(word)
    rest = "".join(other for other in _WORD.findall(name) if len(other) > 1 and other != word)
    return _unsayable(word) or (word.isupper() and len(word) <= _SHORT and not rest.isupper())


def _unsayable(word: str) -> bool:
    """Whether a short word has letters, small and large, and no vowel."""
    plain = unicodedata.normalize("NFD", word.lower())
    cased = len(word.casefold()) == len(word) and word.lower() != word.upper()
    return cased and 1 < len(word) <= _RUN and not re.search("[aeiouyæøœı]", plain)
