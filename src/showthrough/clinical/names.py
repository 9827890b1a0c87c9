"""Surrogates of names: persons, places, houses, addresses, and any other word."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator
from random import Random

from showthrough.clinical.invention import Edit, dressed, letters, medical, word
from showthrough.clinical.wordlists import ADDRESS, FUNCTION, GENERIC, GIVEN, PARTICLES, SETS, TITLES

_WORD = re.compile(r"[^\W\d_]+")
_SHORT = 3  # so many capitals in a place's name are an abbreviation
_RUN = 4  # so many capitals in a person's place may be initials
_MEMBER = {member: members for members in SETS for member in members}


class Names:
    """The names of one record: the same one has the same surrogate, written out, as a surname alone or as initials."""

    def __init__(self, random: Random, taken: Collection[str], ambiguous: float = 0.0) -> None:
        self._random = random
        self._taken = set(taken)  # words that no surrogate may be
        self._ambiguous = ambiguous
        self._words: dict[str, str] = {}
        self._letters: dict[str, str] = {}
        self._people: list[list[str]] = []  # names of several words, in small letters, as they are written

    def learn(self, name: str) -> None:
        """Takes note of a person's name; all of them before the first is replaced, so that initials find theirs."""
        tokens = [found[0].casefold() for found in _proper(name) if len(found[0]) > 1]
        if tokens:
            self._people.append(tokens)

    def person(self, text: str) -> list[Edit]:
        """`SLOAN , CHARLES E` stays surname first, in capitals, with an initial; titles and particles stay."""
        found = list(_proper(text)) or list(_WORD.finditer(text))
        tokens = [one[0].casefold() for one in found]
        alone = self._initials_of("".join(tokens)) if all(len(token) == 1 for token in tokens) else ""
        edits = []
        for place, (one, token) in enumerate(zip(found, tokens, strict=True)):
            if alone:
                new = alone[place]
            elif len(token) == 1:
                new = self._initial(token, tokens)
            else:
                run = self._initials_of(token) if one[0].isupper() and len(token) <= _RUN else ""
                new = run or self._name(token)
            edits.append((one.start(), one.end(), dressed(new, one[0])))
        return edits

    def _name(self, token: str) -> str:
        return self._word(token, "given" if token in GIVEN else "family")

    def _word(self, token: str, source: str) -> str:
        """The surrogate of a word, made when it is first asked for."""
        if token not in self._words:
            if self._random.random() < self._ambiguous:
                new = medical(self._random, self._taken)
            else:
                new = word(self._random, source, token, self._taken)
            self._words[token] = new
            self._taken.add(new)  # two names stay two
        return self._words[token]

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
            self._letters[letter] = self._random.choice([one for one in string.ascii_lowercase if one != letter])
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
        found = list(_WORD.finditer(text))
        own = [one for one in found if one[0].casefold() not in GENERIC]
        if not own:  # nothing but generic words: then they are the name
            own = [one for one in found[1:] if one[0].casefold() not in PARTICLES] or found
        return [(one.start(), one.end(), self._of_place(one[0])) for one in own]

    def _of_place(self, text: str) -> str:
        token = text.casefold()
        if len(text) == 1:
            return dressed(self._letter(token), text)
        if text.isupper() and len(text) <= _SHORT:
            return self._as_long(token).upper()
        return dressed(self._word(token, "place"), text)

    def _as_long(self, token: str) -> str:
        if token not in self._words:
            self._words[token] = letters(self._random, token, self._taken)
        return self._words[token]

    def contact(self, text: str) -> list[Edit]:
        """`ab.smith@mail.example.com` keeps its dots and its end."""
        found = (one for one in _WORD.finditer(text) if one[0].casefold() not in ADDRESS)
        return [(one.start(), one.end(), dressed(self._as_long(one[0].casefold()), one[0])) for one in found]

    def member(self, text: str) -> list[Edit]:
        """Words of closed sets alone: `sixty-two years` becomes `forty-five years`."""
        edits = []
        for one in _WORD.finditer(text):
            token = one[0].casefold()
            if token in _MEMBER:
                edits.append((one.start(), one.end(), dressed(self._other_member(token), one[0])))
        return edits

    def _other_member(self, token: str) -> str:
        if token not in self._words:
            others = [member for member in _MEMBER[token] if member != token]
            fresh = [member for member in others if member not in self._taken]
            self._words[token] = (
                self._random.choice(fresh) if fresh else word(self._random, "place", token, self._taken)
            )
            self._taken.add(self._words[token])
        return self._words[token]

    def other(self, text: str) -> list[Edit]:
        """Any words: those of closed sets by another member, the rest by words that mean nothing."""
        edits = self.member(text)
        done = {start for start, _, _ in edits}
        for one in _WORD.finditer(text):
            token = one[0].casefold()
            if one.start() in done or one[0] in FUNCTION:
                continue
            if len(token) == 1:
                new = self._letter(token)
            else:
                new = self._word(token, "place") if len(token) > _SHORT else self._as_long(token)
            edits.append((one.start(), one.end(), dressed(new, one[0])))
        return sorted(edits)


def _proper(name: str) -> Iterator[re.Match[str]]:
    """The words of a person's name that are names: no titles, no particles."""
    for found in _WORD.finditer(name):
        token = found[0].casefold()
        particle = token in PARTICLES and (len(token) > 1 or found[0].islower())
        if token not in TITLES and not particle:
            yield found
