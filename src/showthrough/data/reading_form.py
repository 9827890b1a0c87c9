"""The reading form of a text: what somebody reads in it, however it is spelled.

Compatibility forms are plain letters (NFKC), characters that nobody sees are dropped, letters of another script that
look like Latin ones are these inside a word that mixes scripts, accents are dropped in alphabets that have them, digits
are 0 to 9, and everything else is a single space. `cased` keeps capitals, `form` does not; both have equal lengths, so
one offset serves both.

What is written another way again is in `data/text_views.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Ints, distinct
from showthrough.core.patterns import lazy_pattern

# Letter to letter, from the confusables of Unicode Technical Standard 39 (no digits): each is followed by the Latin
# letter that it looks like. Cyrillic вкмнт look like small capitals there, which are read as the letters themselves.
_LOOK_ALIKES = """
    ЅS ІI ЈJ АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX Ьb аa гr еe оo рp сc уy хx ѕs іi јj ѡw ѴV ѵv ҮY үy һh ҽe ӀI ӏi ԁd ԌG
    ԛq ԜW ԝw ꙇi вb кk мm нh тt
    ͿJ ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa γy ιi κk νv οo ρp σo τt υu ϜF ϳj ϺM
    ՍU ՏS ՕO աw գq զq հh ոn ռn սu ցg քf օo
    ᎠD ᎡR ᎢT Ꭵi ᎩY ᎪA ᎫJ ᎬE ᎳW ᎷM ᎻH ᎽY ᏀG Ꮒh ᏃZ Ꮟb ᏒR ᏔW ᏕS ᏙV ᏚS ᏞL ᏟC ᏢP ᏦK Ꮷd ᏳG ᏴB ꭵi ꮁr ꮃw ꮓz ꮩv ꮪs ꮯc
    ⲎH ⲒI ⲔK ⲘM ⲚN ⲞO ⲟo ⲢP ⲣp ⲤC ⲥc ⲦT ⲨY ⲬX ⳐL
    ꓐB ꓑP ꓒd ꓓD ꓔT ꓖG ꓗK ꓙJ ꓚC ꓜZ ꓝF ꓟM ꓠN ꓡL ꓢS ꓣR ꓦV ꓧH ꓪW ꓫX ꓬY ꓮA ꓰE ꓲI ꓳO ꓴU
"""
_ALIKE = {ord(pair[0]): pair[1] for pair in _LOOK_ALIKES.split()}
_BASES = {
    code: ord(unicodedata.normalize("NFD", chr(code))[0]) for code in (*range(0x370, 0x530), *range(0x1F00, 0x2000))
}
_ALIKE |= {code: _ALIKE[base] for code, base in _BASES.items() if base in _ALIKE}  # with an accent: Ќ as К
# Latin letters that no normalization takes apart: strokes, ligatures, small capitals.
_LATIN_VARIANTS = """
    łl ŁL øo ØO đd ĐD ħh ĦH ŧt ŦT ƀb ɨi ʉu ıi ĸk ðd ÐD æae ÆAE œoe ŒOE þth ÞTH ɑa ɡg ɩi ʋv
    ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz
"""
_VARIANTS = {pair[0]: pair[1:] for pair in _LATIN_VARIANTS.split()}

# Default-ignorable and format characters: nobody sees them; and the stroke that only stretches Arabic words.
_UNSEEN = lazy_pattern(
    "[\u00ad\u034f\u061c\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+"
)
_MARK = lazy_pattern("[\u0300-\u036f\u1100-\u11ff]")  # joins what comes before it
_BEYOND_ASCII = lazy_pattern(r"[^\x00-\x7f]+")
_SIGN = lazy_pattern("[\x00-/:-@\\[-`{-\x7f]+")  # of ASCII, and white space
_MARKED = ("LATIN", "GREEK", "CYRILLIC", "HEBREW", "ARABIC")  # scripts whose combining marks are dropped
# Scripts that are written without spaces (ideographs, kana, Thai and its neighbours), or with endings glued to names.
_UNBORDERED = lazy_pattern(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U000323af]"
)

_RARE = 4  # letters from which on a word is rare enough to be searched for without its borders
_SHORT = 300  # characters for which no array is worth its making


class LocatedForm(NamedTuple):
    """A reading form with its source: text[starts[i]:ends[i]] is read as form[i]."""

    form: str
    cased: str
    starts: Ints
    ends: Ints


def cased_form(text: str) -> str:
    """The reading form with its capitals, and a space before and after it."""
    letters = letter_by_letter(text)
    return _build_cased(text) if letters is None else collapse_spaces(letters)


def collapse_spaces(letters: bytes) -> str:
    """A space before and after it, and one wherever there are several."""
    if len(letters) < _SHORT:
        return f" {b' '.join(letters.split()).decode('ascii')} "
    read = np.frombuffer(b" %b " % letters, dtype=np.uint8)
    keep = read != ord(" ")
    keep[1:] |= keep[:-1]
    keep[0] = True
    spaced = read[keep].tobytes().decode("ascii")
    return spaced if len(spaced) > 1 else "  "


def _build_cased(text: str) -> str:
    """The same where a character may be read as several letters, or depend on its neighbours."""
    beyond = "".join({*_BEYOND_ASCII.findall(text)})
    for character in {*beyond}:
        if several := _SEVERAL[character]:
            text = text.replace(character, several)
    letters = letter_by_letter(text)
    if letters is not None:
        return collapse_spaces(letters)
    if _UNSEEN.search(beyond) or not unicodedata.is_normalized("NFKC", beyond) or _has_marks(beyond):
        text = _compose(text)
        beyond = "".join({*_BEYOND_ASCII.findall(text)})
    if _ALIKE_LETTER.search(beyond):
        text = _latin(text)
    text = _BEYOND_ASCII.sub(_letters_of, text)
    return f" {' '.join(_SIGN.sub(' ', text).split())} "


def letter_by_letter(text: str) -> bytes | None:
    """The text with a letter, a digit or a space for each of its characters, where one is enough for each."""
    if text.isascii():
        return text.encode("ascii").translate(_LATIN)
    narrow = text.encode("latin-1", "replace")
    plain = narrow.translate(_LATIN)
    if _HARD in plain:
        return None
    if narrow.count(b"?") == text.count("?"):
        return plain
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    read = _SIMPLE[codes].tobytes()
    if _NEW in read:
        for code in distinct(codes[_SIMPLE[codes] == _NEW[0]]).tolist():
            _SIMPLE[code] = _simple(chr(code))
        read = _SIMPLE[codes].tobytes()
    return None if _HARD in read else read


def _has_marks(beyond: str) -> bool:
    return _MARK.search(beyond) is not None or any(not _LETTERS[ord(character)] for character in {*beyond})


def _compose(text: str) -> str:
    """Normalized, without what nobody sees, nor marks that are not read: what stood around one may be one letter."""
    normal = _normal(text)
    bare = "".join(character for character in normal if character.isascii() or _LETTERS[ord(character)])
    return normal if bare == normal else unicodedata.normalize("NFKC", bare)


def _letters_of(match: re.Match[str]) -> str:
    return match[0].translate(_LETTERS)


def find_word(form: str, word: str) -> Iterator[int]:
    """Where a word or a row of words begins in a reading form, on word borders."""
    if len(word) < _RARE:
        word = f" {word} "
        at = form.find(word)
        while at >= 0:
            yield at + 1
            at = form.find(word, at + 1)
        return
    at = form.find(word)  # which is much faster than with a space at either end, as most words have them
    while at >= 0:
        if form[at - 1] == " " == form[at + len(word)]:
            yield at
        at = form.find(word, at + 1)


def reading_form(text: str) -> str:
    """The reading form without capitals and without spaces around it.

    >>> reading_form("Fran\u00e7ois M\u00dcLLER's \u0663\u0664")
    'francois muller s 34'
    """
    return fold_case(cased_form(text))[1:-1]


def fold_case(cased: str) -> str:
    """A reading form in small letters, each where it was."""
    small = cased.casefold()
    return small if len(small) == len(cased) else "".join(map(_small, cased))


def _small(character: str) -> str:
    folded = character.casefold()
    return folded if len(folded) == 1 else character


def locate(text: str) -> LocatedForm:
    """The reading form, letter by letter, with its source; slower than `cased_form` and equal to it."""
    plain = letter_by_letter(text)
    if plain is not None:
        return _locate_form(plain.decode("ascii"), np.arange(len(text)), np.arange(1, len(text) + 1), len(text))
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for match in _BEYOND_PLAIN.finditer(text):
        letters.append(text[position : match.start()])
        starts += range(position, match.start())
        ends += range(position + 1, match.start() + 1)
        for start, end in _clusters(text, *match.span()):
            piece = _compose(text[start:end])
            letters.append(piece)
            starts += [start] * len(piece)
            ends += [end] * len(piece)
        position = match.end()
    letters.append(text[position:])
    starts += range(position, len(text))
    ends += range(position + 1, len(text) + 1)
    read = [_LETTERS[ord(letter)] for letter in _latin("".join(letters))]
    source = np.repeat(np.arange(len(read)), np.fromiter(map(len, read), np.int64, len(read)))
    first, last = (np.array(offsets, dtype=np.int64)[source] for offsets in (starts, ends))
    return _locate_form("".join(read), first, last, len(text))


def _locate_form(read: str, starts: Ints, ends: Ints, length: int) -> LocatedForm:
    """The reading form of characters whose source is known: of several spaces the first stays."""
    spaced = f" {read} "
    space = np.frombuffer(spaced.encode("utf-32-le", "surrogatepass"), dtype="<u4") == ord(" ")
    indices = np.flatnonzero(~(space & np.append(False, space[:-1])))
    first = np.concatenate(([0], starts, [length]))[indices]
    last = np.concatenate(([0], ends, [length]))[indices]
    cased = f" {' '.join(spaced.split())} "
    if len(indices) < len(cased):  # nothing can be read: the form is still two spaces
        first, last = np.array([0, length]), np.array([0, length])
    return LocatedForm(fold_case(cased), cased, first, last)


_BEYOND_PLAIN = lazy_pattern(r"[\x00-\x7f]?[^\x00-\x7f]+")  # with the letter before, to which marks belong


def _clusters(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pieces that normalization changes each by itself."""
    for position in range(start + 1, end + 1):
        if position == end or not _joins(text[position]):
            yield start, position
            start = position


def _joins(character: str) -> bool:
    if character.isascii():
        return False
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff" or bool(_UNSEEN.match(character))


def _latin(text: str) -> str:
    """Letters that look like Latin ones as these, in words that have Latin letters too."""
    if _ALIKE_LETTER.search(text) is None:
        return text
    return _STRANGE_WORD.sub(_replace_lookalikes, text)


def _replace_lookalikes(match: re.Match[str]) -> str:
    word = match[0]
    return word.translate(_ALIKE) if not word.isascii() and _LATIN_LETTER.search(word) else word


_ALIKE_LETTER = lazy_pattern(f"[{''.join(map(chr, _ALIKE))}]")
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670"  # that stand on letters
_STRANGE_WORD = lazy_pattern(  # with a letter beyond ASCII
    f"(?<![A-Za-z{_MARKS}])[A-Za-z{_MARKS}]*+[^\\W\\d_A-Za-z](?:[^\\W\\d_]|[{_MARKS}])*+"
)
_LATIN_LETTER = lazy_pattern("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")


class _Letters(dict[int, str]):
    """What each character is read as: letters and digits, or a space; found out once for each character."""

    def __missing__(self, code: int) -> str:
        read = self[code] = _read_as(chr(code))
        return read


_LETTERS = _Letters()
_NEW = b"\0"
_HARD = b"\1"  # of a character for which one letter is not enough, or that depends on its neighbours
_SIMPLE = np.zeros(0x110000, dtype=np.uint8)  # what each character is read as where one letter is enough, once met


def _simple(character: str) -> int:
    """The one ASCII letter, digit or space that a character is read as, whatever is beside it; else `_HARD`."""
    normal = unicodedata.normalize("NFKC", character)
    joins = _UNSEEN.search(character) or _joins(character) or ord(character) in _ALIKE
    read = "".join(_LETTERS[ord(letter)] for letter in normal)
    read = " " if read.isspace() else read
    return ord(read) if not joins and len(read) == 1 and read.isascii() else _HARD[0]


class _Several(dict[str, str]):
    """The ASCII letters and spaces that a character is read as, whatever is beside it; empty: not several."""

    def __missing__(self, character: str) -> str:
        normal = unicodedata.normalize("NFKC", character)
        joins = _UNSEEN.search(normal) or any(_joins(letter) or ord(letter) in _ALIKE for letter in normal)
        read = "".join(_LETTERS[ord(letter)] for letter in normal)
        several = self[character] = read if not joins and len(read) > 1 and read.isascii() else ""
        return several


_SEVERAL = _Several()


def _read_as(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() else " "
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    if character in _VARIANTS:
        return _VARIANTS[character]
    category = unicodedata.category(character)
    if category[0] == "M":
        name = unicodedata.name(character, "")
        return "" if name.startswith(("COMBINING", *_MARKED)) or category == "Me" else character
    if not character.isalnum():
        return " "
    if unicodedata.name(character, "").startswith(_MARKED):
        bare = "".join(
            letter for letter in unicodedata.normalize("NFKD", character) if unicodedata.category(letter)[0] != "M"
        )
        character = "".join(_VARIANTS.get(letter, letter) for letter in bare)
    return character if all(len(letter.casefold()) == 1 for letter in character) else character.casefold()


_LATIN = bytes(_simple(chr(code)) for code in range(256))


def is_unbordered(word: str) -> bool:
    """Whether a word is of a script that is written without spaces, or with endings glued to it."""
    return not word.isascii() and _UNBORDERED.match(word) is not None


# For those who read the text itself and not its form: detectors, attackers, alignment.
_SIGNS = {"'": "‘’‚‛′ʼ`", '"': "“”„‟«»", "-": "‐‑‒–—―−", " ": "\u00a0\u2007\u2009\u202f\u3000"}
SPELLINGS = str.maketrans({other: plain for plain, variants in _SIGNS.items() for other in variants})  # of signs
_WORD = lazy_pattern(r"[^\W_]+")
_SINGLES = lazy_pattern(r"(?<![^\W_])[^\W_](?:[\W_]{1,2}[^\W_](?![^\W_])){2,}")  # letters apart: J o h n, J.o.h.n
SHORTEST_WORD, _SHORTEST_NUMBER, _LONGEST_WORD = 3, 5, 40  # that are put together of letters or digits
_NO_FRACTION = lazy_pattern("[^\u00bc-\u00be\u2150-\u215f\u2189]+")  # 5½ would be 51⁄2


def legible(text: str) -> str:
    """The text in letters that anybody can type: none unseen, none of a look of its own, none of another script.

    Accents, capitals, signs and white space stay: it is still a text, for whatever reads texts.

    >>> legible("J\u200bo\u00adhn \U0001d403\U0001d428\U0001d41e, Kowa\u0456ska \u2013 5\u00bd")
    'John Doe, Kowaiska \u2013 5\u00bd'
    """
    if text.isascii():
        return text
    return _latin(_NO_FRACTION.sub(lambda match: _normal(match[0]), text) if _is_odd(text) else text)


def sources_of(text: str) -> tuple[Sequence[int], Sequence[int]]:
    """For each character of `legible(text)`, where what it stands for begins and ends in the text."""
    if not _is_odd(text):
        return range(len(text)), range(1, len(text) + 1)
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text, 0, len(text)):
        size = len(_NO_FRACTION.sub(lambda match: _normal(match[0]), text[start:end]))
        starts += [start] * size
        ends += [end] * size
    return starts, ends


def _is_odd(text: str) -> bool:
    """Whether a text has characters that nobody sees, or that stand for plain letters."""
    if text.isascii():
        return False
    beyond = {*"".join({*_BEYOND_ASCII.findall(text)})}  # few different ones, as a rule
    return any(_MARK.match(character) or _UNSEEN.match(character) or _in_disguise(character) for character in beyond)


def _in_disguise(character: str) -> bool:
    """Whether it is a letter or a digit that stands for plain ones: mathematical, wide, in a circle; not 1ª or m²."""
    return character > "\u00ff" and character.isalnum() and not unicodedata.is_normalized("NFKC", character)


def _normal(text: str) -> str:
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", _UNSEEN.sub("", text)))


def letters_of(text: str) -> str:
    """All letters and digits of the reading form, one after the other: what is told by no space or sign in between.

    >>> letters_of("J o-h.n"), letters_of("36110/97")
    ('john', '3611097')
    """
    letters = letter_by_letter(text)
    if letters is None:
        return fold_case(cased_form(text)).replace(" ", "")
    return letters.replace(b" ", b"").lower().decode("ascii")


def stands_apart(text: str) -> bool:
    """Whether three letters or more stand apart in a row."""
    return _SINGLES.search(text) is not None


def assemble_words(text: str, original: str) -> str:
    """The text with words of an original put together where their letters stand apart; others stay apart.

    >>> assemble_words("Mr. J. o. h. n's, by A B C", "John and Ben")
    "Mr. John's, by A B C"
    """
    if not (runs := [*_SINGLES.finditer(text)]):
        return text
    words = {*_WORD.findall(legible(original).casefold())}
    pieces: list[str] = []
    position = 0
    for run in runs:
        if run[0] not in original:  # else they stand apart there too
            pieces += (text[position : run.start()], _put_together(run[0], words))
            position = run.end()
    return "".join((*pieces, text[position:]))


def _put_together(run: str, words: set[str]) -> str:
    positions = [index for index, letter in enumerate(run) if letter.isalnum()]
    letters = fold_case("".join(run[index] for index in positions))
    pieces: list[str] = []
    first = position = 0
    while first < len(positions):
        ends = range(min(len(positions), first + _LONGEST_WORD), first + SHORTEST_WORD - 1, -1)
        last = next((end for end in ends if _is_word(letters[first:end]) and letters[first:end] in words), first + 1)
        pieces += (run[position : positions[first]], *(run[index] for index in positions[first:last]))
        first, position = last, positions[last - 1] + 1
    return "".join(pieces)


def _is_word(letters: str) -> bool:
    return len(letters) >= (_SHORTEST_NUMBER if letters.isdigit() else SHORTEST_WORD)
