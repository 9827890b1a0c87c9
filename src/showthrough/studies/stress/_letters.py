"""Perturbations of words: typing errors, confusions of OCR, case, look-alikes, invisible characters, accents.

And between words: line breaks, other spaces, punctuation that is lost.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from random import Random

import regex

from showthrough.studies.stress.carrying import Edit, Page, Word

_ROWS = (
    "qwertyuiop", "asdfghjkl", "zxcvbnm", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю",
    "ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ",
)  # fmt: skip
_KEYS = {
    key: f"{row[max(index - 1, 0) : index]}{row[index + 1 : index + 2]}"
    for row in _ROWS
    for index, key in enumerate(row)
}
_SHORT = 3  # letters of the shortest word that is mistyped
_LONG = 6  # letters of the shortest word that is broken at the end of a line
_EACH = 3  # letters between two invisible characters
# What optical character recognition takes for each other: in both directions.
_CONFUSED = (
    ("rn", "m"), ("cl", "d"), ("vv", "w"), ("li", "h"), ("l", "1"), ("I", "l"), ("O", "0"), ("S", "5"), ("B", "8"),
    ("e", "c"), ("Z", "2"), ("g", "9"), ("ш", "щ"), ("и", "н"), ("ь", "ъ"), ("ν", "υ"), ("ב", "כ"),
    ("ה", "ח"), ("ד", "ר"), ("ب", "ت"), ("ح", "خ"), ("ر", "ز"), ("भ", "म"), ("घ", "ध"), ("व", "ब"), ("日", "曰"),
    ("未", "末"), ("人", "入"), ("王", "玉"), ("ソ", "ン"), ("シ", "ツ"), ("ถ", "ภ"), ("ค", "ด"),
)  # fmt: skip
_CONFUSIONS = [pair for first, two in _CONFUSED for pair in ((first, two), (two, first))]
# Latin letters, each with the Cyrillic or Greek one that looks the same (Unicode Technical Standard 39, confusables).
_PAIRS = "aа cс eе oо pр xх yу iі jј sѕ AА BВ CС EЕ HН IІ JЈ KК MМ OО PР SЅ TТ XХ NΝ ZΖ YΥ vν"
_ALIKE = {first: second for pair in _PAIRS.split() for first, second in (tuple(pair), tuple(pair[::-1]))}
_ACCENT = regex.compile(r"[\u0300-\u036f]")
_ACCENTED = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}]")
_ALPHABET = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{M}]+")
_PLAIN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i"})


def typos(page: Page, rate: float) -> Iterator[Edit]:
    for word in page.drawn_words(rate):
        letters = word.letters
        if len(letters) >= _SHORT and not any(map(str.isdigit, word.text)):
            yield word.edit(_mistype(letters, page.random(word.text)))


def _mistype(letters: list[str], random: Random) -> str:
    """One error behind the first letter, which people rarely miss."""
    places = list(range(1, len(letters)))
    random.shuffle(places)
    errors: list[Callable[[list[str], int], str | None]] = [_swap, _drop, _double, _hit_beside(random)]
    random.shuffle(errors)
    wrong = (error(letters, index) for error in errors for index in places)
    return next((new for new in wrong if new is not None and new != "".join(letters)), "".join(letters))


def _swap(letters: list[str], index: int) -> str | None:
    pair = letters[index : index + 2]
    return "".join([*letters[:index], *pair[::-1], *letters[index + 2 :]]) if len(pair) > 1 else None


def _drop(letters: list[str], index: int) -> str:
    return "".join([*letters[:index], *letters[index + 1 :]])


def _double(letters: list[str], index: int) -> str:
    return "".join([*letters[: index + 1], *letters[index:]])


def _hit_beside(random: Random) -> Callable[[list[str], int], str | None]:
    def error(letters: list[str], index: int) -> str | None:
        letter = letters[index]
        keys = _KEYS.get(letter.lower(), "")
        if not keys:
            return None
        key = random.choice(keys)
        return "".join([*letters[:index], key.upper() if letter.isupper() else key, *letters[index + 1 :]])

    return error


def ocr(page: Page, rate: float) -> Iterator[Edit]:
    for word in page.drawn_words(rate):
        matches = [
            (index, old, new)
            for old, new in _CONFUSIONS
            for index in range(len(word.text))
            if word.text.startswith(old, index)
        ]
        if matches:
            index, old, new = page.random(word.text).choice(matches)
            yield word.edit(f"{word.text[:index]}{new}{word.text[index + len(old) :]}")


def lowercase(page: Page, rate: float) -> Iterator[Edit]:
    return _each(page, rate, lambda word: word.text.lower())


def capitals(page: Page, rate: float) -> Iterator[Edit]:
    return _each(page, rate, lambda word: word.text.upper())


def homoglyphs(page: Page, rate: float) -> Iterator[Edit]:
    """Every second letter that has a look-alike, but one letter at least stays: a word that mixes scripts."""

    def change(word: Word) -> str:
        places = [index for index, letter in enumerate(word.text) if letter in _ALIKE]
        if len(places) == len(word.text):
            places = places[:-1]
        chosen = {*page.random(word.text).sample(places, (len(places) + 1) // 2)}
        return "".join(_ALIKE[letter] if index in chosen else letter for index, letter in enumerate(word.text))

    return _each(page, rate, change)


def zero_width(page: Page, rate: float) -> Iterator[Edit]:
    def change(word: Word) -> str:
        letters = word.letters
        start = page.random(word.text).randint(1, max(1, min(_EACH, len(letters) - 1)))
        return "".join(
            f"\u200b{letter}" if index >= start and (index - start) % _EACH == 0 else letter
            for index, letter in enumerate(letters)
        )

    return _each(page, rate, change)


def letters_apart(page: Page, rate: float) -> Iterator[Edit]:
    return _each(page, rate, lambda word: " ".join(word.letters))


def hyphens(page: Page, rate: float) -> Iterator[Edit]:
    def change(word: Word) -> str:
        letters = word.letters
        if len(letters) < _LONG or not _ALPHABET.fullmatch(word.text):
            return word.text
        index = page.random(word.text).randint(2, len(letters) - 2)
        return f"{''.join(letters[:index])}-\n{''.join(letters[index:])}"

    return _each(page, rate, change)


def no_accents(page: Page, rate: float) -> Iterator[Edit]:
    def change(word: Word) -> str:
        if word.text.isascii() or not _ACCENTED.search(word.text):
            return word.text
        bare = _ACCENT.sub("", unicodedata.normalize("NFD", word.text))
        return unicodedata.normalize("NFC", bare).translate(_PLAIN)

    return _each(page, rate, change)


def decomposed(page: Page, rate: float) -> Iterator[Edit]:
    return _each(page, rate, lambda word: unicodedata.normalize("NFD", word.text))


def _each(page: Page, rate: float, change: Callable[[Word], str]) -> Iterator[Edit]:
    return (word.edit(change(word)) for word in page.drawn_words(rate))


_SPACE = re.compile(r"(?<=\S)[ \u00a0](?=\S)")
_OTHER_SPACES = ("\u00a0", "\u2009", "  ", "\t")
_PUNCTUATION = re.compile(r"""[.,;:!?"'()\[\]«»“”‘’…。、，．：；！？「」،؛؟۔।]""")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[.,:](?=\d)")


def line_breaks(page: Page, rate: float) -> Iterator[Edit]:
    random = page.random()
    for start, end in page.spans:
        for match in _SPACE.finditer(page.text, start, end):
            if random.random() < rate:
                yield *match.span(), "\n"


def spaces(page: Page, rate: float) -> Iterator[Edit]:
    random = page.random()
    for match in _SPACE.finditer(page.text):
        drawn, other = random.random() < rate, random.choice(_OTHER_SPACES)
        if drawn:
            yield *match.span(), other


def no_punctuation(page: Page, rate: float) -> Iterator[Edit]:
    random = page.random()
    for match in _PUNCTUATION.finditer(page.text):
        if random.random() < rate and not _BETWEEN_DIGITS.match(page.text, match.start()):
            yield *match.span(), ""
