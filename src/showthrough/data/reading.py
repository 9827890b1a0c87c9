"""The reading form of a text: what somebody reads in it, however it is spelled.

Compatibility forms are plain letters (NFKC), characters that nobody sees are dropped, letters of another script that
look like Latin ones are these inside a word that mixes scripts, accents are dropped in alphabets that have them, digits
are 0 to 9, and everything else is a single space. `cased` keeps capitals, `form` does not; both have equal lengths, so
one offset serves both.

What is written another way again has a *view* of its own: tags inside words, hyphens at line breaks, letters apart,
names glued together, HTML entities, URL escapes, base64.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
How = Literal["plain", "otherwise", "encoded"]

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
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+"
)
_MARK = re.compile("[\u0300-\u036f\u1100-\u11ff]")  # joins what stands before it
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_SIGN = re.compile("[\x00-/:-@\\[-`{-\x7f]+")  # of ASCII, and white space
_MARKED = ("LATIN", "GREEK", "CYRILLIC", "HEBREW", "ARABIC")  # scripts whose combining marks are dropped
# Scripts that are written without spaces (ideographs, kana, Thai and its neighbours), or with endings glued to names.
_UNBORDERED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U000323af]"
)

_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ENTITY = re.compile(r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,6};?|[^\t\n\f <&#;]{1,32};?)")  # as html.unescape has it
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{7,}={0,2}(?![A-Za-z0-9+/=])")
_MIXED_CASE = re.compile(r"[A-Za-z0-9+/]*[a-z0-9+/][A-Z]|[A-Z]{2,}[a-z]|.*=")
_SMALL_BEFORE_CAPITAL = re.compile(r"[a-z].*[A-Z]|[A-Z]{2}.*[a-z]")
_MARKUP = re.compile(
    r"(?<=\w)(?:</?[A-Za-z][^<>]{0,200}>)+(?=[\w/.,:-])|(?<=\w)[*~`]{1,3}(?=\w)|(?<!\w)[*~`]{1,3}(?=\w)"
    r"|(?<=[a-z])__?(?=[a-z])"
)
# For a first look: all other signs of a text are left out; full stops and commas keep a hyphen and a line's end apart.
_KEPT = b"<*~`_&%-\xad\r\n\x0b\x0c\x1c\x1d\x1e\x85.,:;"
_DROPPED = bytes({*range(256)} - {*_KEPT})
_LINE_END = re.compile(rb"[-\xad][\r\n\x0b\x0c\x1c\x1d\x1e\x85]*[\r\n]")
_MARKUP_SIGNS = (
    (re.compile(r"<(?<=\w<)/?[A-Za-z]"), b"<"),
    (re.compile(r"[*~`]{1,3}(?=\w)"), b"*~`"),
    (re.compile(r"_(?<=[a-z]_)_?[a-z]"), b"_"),
)
_LINE_HYPHEN = re.compile(r"[-\u00ad\u2010][^\S\r\n]*[\r\n]\s*(?=\w)")
_GLUED = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_APART = re.compile(r" [^\W_](?: [^\W_]){2,}(?= )")
_RARE = 4  # letters from which on a word is rare enough to be searched for without its borders
_SHORT = 300  # characters for which no array is worth its making
_MIXED = 100  # characters of a word that are looked at
_ENCODED, _LONGEST_ENCODED = 6, 100_000  # characters between signs of what may be encoded, and of all of it


class Rewriting(NamedTuple):
    """How a text is rewritten before it is read: what a pattern finds is something else, or all that there is."""

    pattern: re.Pattern[str]
    substitute: Callable[[str], str]
    alone: bool = False  # the rest of the text is not read again

    def pieces(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Stretches of a text, and what stands for each."""
        position = 0
        for found in self.pattern.finditer(text):
            if not self.alone:
                yield position, found.start(), text[position : found.start()]
            if piece := self.substitute(found[0]):
                yield found.start(), found.end(), piece
            position = found.end()
        if not self.alone:
            yield position, len(text), text[position:]

    def apply(self, text: str) -> str:
        return "".join(piece for _, _, piece in self.pieces(text))


class View(NamedTuple):
    """One way to read a text: a reading form with a space before and after it, and the same with capitals.

    It is that of a rewritten text; or it has words of another view, each of which stands there in another way.
    """

    how: How
    form: str
    cased: str
    rewriting: Rewriting | None = None
    whole: View | None = None
    pieces: tuple[str, ...] = ()  # its words, as they stand in the whole


class Located(NamedTuple):
    """A reading form with its source: text[starts[i]:ends[i]] is read as form[i]."""

    form: str
    cased: str
    starts: Ints
    ends: Ints


class Reading:
    """A text as it is read.

    >>> Reading("Jo\u200bhn  Kowa\u0456ska-\u0141ysy, n\u00b0 36110/97").form
    ' john kowaiska lysy n 36110 97 '
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters = _letter_by_letter(text)

    @cached_property
    def form(self) -> str:
        return self.cased.lower() if self._letters is not None else folded(self.cased)

    @cached_property
    def cased(self) -> str:
        return _cased(self.text) if self._letters is None else _spaced(self._letters)

    @cached_property
    def plain(self) -> View:
        """The plain way to read it."""
        return View("plain", self.form, self.cased)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all views."""
        plain = frozenset(self.form.split())
        return plain.union(*(view.form.split() for view in self.others)) if self.others else plain

    @cached_property
    def views(self) -> tuple[View, ...]:
        """All ways to read it, the plain one first."""
        return (self.plain, *self.others)

    @cached_property
    def others(self) -> tuple[View, ...]:
        """What else can be read where something is hyphenated, glued, spelled letter by letter or encoded."""
        letters = self._letters
        glued = _glued(self.cased) if letters is None else _glued_in(letters)
        spelled = letters is None or _may_be_apart(self.form)
        found = [*_fragments("otherwise", self.plain, glued)] if glued or spelled else []
        for how, rewriting in _rewritings(self.text, glued):
            cased = cased_form(rewriting.apply(self.text))
            view = View(how, folded(cased), cased, rewriting)
            if not view.form.isspace() and view.form != self.form:
                found += [view, *_fragments(how, view, sorted({*_glued(cased)} - {*self.cased.split()}))]
        return tuple(found)

    @cached_property
    def located(self) -> Located:
        """The plain reading form with where each character comes from."""
        return locate(self.text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the plain form stands in the text."""
        located = self.located
        return int(located.starts[start]), int(located.ends[end - 1])

    def spans(self, view: View, start: int, end: int) -> list[tuple[int, int]]:
        """Where a stretch of any view stands in the text: a word of which a view has one copy may have several places.

        >>> texts = "by JohnDoe", "by J o h n", "by Jo-\\nhn", "by &#74;ohn", "by Sm9obiBEb2U="
        >>> views = [(reading, reading.others[-1]) for reading in map(Reading, texts)]
        >>> [reading.spans(view, *re.search("john", view.form).span()) for reading, view in views]
        [[(3, 10)], [(3, 10)], [(3, 9)], [(3, 11)], [(3, 15)]]
        """
        if view.whole is not None:
            piece = view.pieces[view.form.count("  ", 0, start)]
            found = re.finditer(rf"(?<= ){re.escape(piece)}(?= )", view.whole.cased)
            return [span for each in found for span in self.spans(view.whole, *each.span())]
        if view.rewriting is None:
            return [self.span(start, end)]
        starts, ends, located = self._source(view.rewriting)
        low, high = located.starts[start], located.ends[end - 1]
        return [(starts[low], ends[high - 1])]

    def _source(self, rewriting: Rewriting) -> tuple[list[int], list[int], Located]:
        """Where each character of a rewritten text comes from, and its reading form; found out once."""
        if rewriting not in self._sources:
            starts: list[int] = []
            ends: list[int] = []
            for start, end, piece in rewriting.pieces(self.text):
                same = piece == self.text[start:end]
                starts += range(start, end) if same else [start] * len(piece)
                ends += range(start + 1, end + 1) if same else [end] * len(piece)
            self._sources[rewriting] = starts, ends, locate(rewriting.apply(self.text))
        return self._sources[rewriting]

    @cached_property
    def _sources(self) -> dict[Rewriting, tuple[list[int], list[int], Located]]:
        return {}

    def is_new(self, view: View, start: int, end: int) -> bool:
        """Whether a stretch of a view says more than the plain one: of a rewritten text, what was rewritten itself."""
        rewriting = view.rewriting
        if rewriting is None or rewriting.alone:
            return True
        word = f" {view.form[start:end]} "
        if view.form.count(word) <= self.form.count(word):
            return False
        return any(rewriting.pattern.search(self.text, low, high) for low, high in self.spans(view, start, end))


def cased_form(text: str) -> str:
    """The reading form with its capitals, and a space before and after it."""
    letters = _letter_by_letter(text)
    return _cased(text) if letters is None else _spaced(letters)


def _spaced(letters: bytes) -> str:
    """A space before and after it, and one wherever there are several."""
    if len(letters) < _SHORT:
        return f" {b' '.join(letters.split()).decode('ascii')} "
    read = np.frombuffer(b" %b " % letters, dtype=np.uint8)
    kept = read != ord(" ")
    kept[1:] |= kept[:-1]
    kept[0] = True
    spaced = read[kept].tobytes().decode("ascii")
    return spaced if len(spaced) > 1 else "  "


def _cased(text: str) -> str:
    """The same where a character may be read as several letters, or hang on its neighbours."""
    beyond = "".join({*_BEYOND_ASCII.findall(text)})
    for character in {*beyond}:
        if several := _SEVERAL[character]:
            text = text.replace(character, several)
    letters = _letter_by_letter(text)
    if letters is not None:
        return _spaced(letters)
    if _UNSEEN.search(beyond) or not unicodedata.is_normalized("NFKC", beyond) or _MARK.search(beyond):
        text = _UNSEEN.sub("", unicodedata.normalize("NFKC", _UNSEEN.sub("", text)))
    if _ALIKE_LETTER.search(beyond):
        text = _latin(text)
    text = _BEYOND_ASCII.sub(_letters_of, text)
    return f" {' '.join(_SIGN.sub(' ', text).split())} "


def _letter_by_letter(text: str) -> bytes | None:
    """The text with a letter, a digit or a space for each of its characters, where one is enough for each."""
    if text.isascii():
        return text.encode("ascii").translate(_LATIN)
    narrow = text.encode("latin-1", "replace")
    plain = narrow.translate(_LATIN)
    if _HARD in plain:
        return None
    if narrow.count(b"?") == text.count("?"):
        return plain
    patched = bytearray(plain)
    for place in np.flatnonzero(np.frombuffer(narrow, dtype=np.uint8) == ord("?")).tolist():
        code = patched[place] = _SIMPLE[text[place]]
        if code == _HARD[0]:
            return None
    return bytes(patched)


def _letters_of(found: re.Match[str]) -> str:
    return found[0].translate(_LETTERS)


def places(form: str, word: str) -> Iterator[int]:
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
    return folded(cased_form(text))[1:-1]


def folded(cased: str) -> str:
    """A reading form in small letters, each where it was."""
    small = cased.casefold()
    return small if len(small) == len(cased) else "".join(map(_small, cased))


def _small(character: str) -> str:
    folded = character.casefold()
    return folded if len(folded) == 1 else character


def locate(text: str) -> Located:
    """The reading form, letter by letter, with its source; slower than `cased_form` and equal to it."""
    plain = _letter_by_letter(text)
    if plain is not None:
        return _located(plain.decode("ascii"), np.arange(len(text)), np.arange(1, len(text) + 1), len(text))
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for found in _BEYOND_PLAIN.finditer(text):
        letters.append(text[position : found.start()])
        starts += range(position, found.start())
        ends += range(position + 1, found.start() + 1)
        for start, end in _clusters(text, *found.span()):
            piece = _UNSEEN.sub("", unicodedata.normalize("NFKC", _UNSEEN.sub("", text[start:end])))
            letters.append(piece)
            starts += [start] * len(piece)
            ends += [end] * len(piece)
        position = found.end()
    letters.append(text[position:])
    starts += range(position, len(text))
    ends += range(position + 1, len(text) + 1)
    read = [_LETTERS[ord(letter)] for letter in _latin("".join(letters))]
    source = np.repeat(np.arange(len(read)), np.fromiter(map(len, read), np.int64, len(read)))
    first, last = (np.array(each, dtype=np.int64)[source] for each in (starts, ends))
    return _located("".join(read), first, last, len(text))


def _located(read: str, starts: Ints, ends: Ints, length: int) -> Located:
    """The reading form of characters whose source is known: of several spaces the first stays."""
    spaced = f" {read} "
    space = np.frombuffer(spaced.encode("utf-32-le", "surrogatepass"), dtype="<u4") == ord(" ")
    kept = np.flatnonzero(~(space & np.append(False, space[:-1])))
    first = np.concatenate(([0], starts, [length]))[kept]
    last = np.concatenate(([0], ends, [length]))[kept]
    cased = f" {' '.join(spaced.split())} "
    if len(kept) < len(cased):  # nothing can be read: the form is still two spaces
        first, last = np.array([0, length]), np.array([0, length])
    return Located(folded(cased), cased, first, last)


_BEYOND_PLAIN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")  # with the letter before, to which marks belong


def _clusters(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pieces that normalization changes each by itself."""
    for place in range(start + 1, end + 1):
        if place == end or not _joins(text[place]):
            yield start, place
            start = place


def _joins(character: str) -> bool:
    if character.isascii():
        return False
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff" or bool(_UNSEEN.match(character))


def _latin(text: str) -> str:
    """Letters that look like Latin ones as these, in words that have Latin letters too."""
    if _ALIKE_LETTER.search(text) is None:
        return text
    return _STRANGE_WORD.sub(_mixed, text)


def _mixed(found: re.Match[str]) -> str:
    word = found[0]
    return word.translate(_ALIKE) if not word.isascii() and _LATIN_LETTER.search(word) else word


_ALIKE_LETTER = re.compile(f"[{''.join(map(chr, _ALIKE))}]")
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670"  # that stand on letters
_STRANGE_WORD = re.compile(  # with a letter beyond ASCII
    f"(?<![A-Za-z{_MARKS}])[A-Za-z{_MARKS}]*+[^\\W\\d_A-Za-z](?:[^\\W\\d_]|[{_MARKS}])*+"
)
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")


class _Letters(dict[int, str]):
    """What each character is read as: letters and digits, or a space; found out once for each character."""

    def __missing__(self, code: int) -> str:
        read = self[code] = _read_as(chr(code))
        return read


_LETTERS = _Letters()
_HARD = b"\0"  # of a character for which one letter is not enough, or that hangs on its neighbours


class _Simple(dict[str, int]):
    """The one ASCII letter, digit or space that a character is read as, whatever stands beside it; else `_HARD`."""

    def __missing__(self, character: str) -> int:
        normal = unicodedata.normalize("NFKC", character)
        joins = _UNSEEN.search(character) or _joins(character) or ord(character) in _ALIKE
        read = "".join(_LETTERS[ord(each)] for each in normal)
        read = " " if read.isspace() else read
        code = self[character] = ord(read) if not joins and len(read) == 1 and read.isascii() else _HARD[0]
        return code


_SIMPLE = _Simple()


class _Several(dict[str, str]):
    """The ASCII letters and spaces that a character is read as, whatever stands beside it; empty: not several."""

    def __missing__(self, character: str) -> str:
        normal = unicodedata.normalize("NFKC", character)
        joins = _UNSEEN.search(normal) or any(_joins(each) or ord(each) in _ALIKE for each in normal)
        read = "".join(_LETTERS[ord(each)] for each in normal)
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
        bare = "".join(one for one in unicodedata.normalize("NFKD", character) if unicodedata.category(one)[0] != "M")
        character = "".join(_VARIANTS.get(one, one) for one in bare)
    return character if all(len(one.casefold()) == 1 for one in character) else character.casefold()


_LATIN = bytes(_SIMPLE[chr(code)] for code in range(256))


def _rewritings(text: str, glued: list[str]) -> Iterator[tuple[How, Rewriting]]:
    """The text as it would be without what is between the letters of words, and as it is decoded."""
    signs = text.encode("latin-1", "replace").translate(None, _DROPPED)  # few, in their order
    if (_LINE_END.search(signs) or "\u2010" in text) and _LINE_HYPHEN.search(text):
        yield "otherwise", Rewriting(_LINE_HYPHEN, _nothing)
    if any(pattern.search(text) for pattern, mine in _MARKUP_SIGNS if any(sign in signs for sign in mine)):
        yield "otherwise", Rewriting(_MARKUP, _nothing)
    if b"&" in signs and b";" in signs and _ENTITY.search(text):
        yield "encoded", Rewriting(_ENTITY, html.unescape)
    if b"%" in signs and _ESCAPED.search(text):
        yield "encoded", Rewriting(_ESCAPED, _unescaped)
    if any(map(_may_be_encoded, glued)):
        yield "encoded", Rewriting(_BASE64, _decoded, alone=True)


def join_lines(text: str) -> str:
    """A text whose words go on where a hyphen ended their line: with a small letter, else there are two words."""
    return _LINE_HYPHEN.sub(lambda found: "" if text[found.end()].islower() else found[0], text)


def _nothing(found: str) -> str:
    return ""


def _unescaped(found: str) -> str:
    return unquote(found, errors="replace")


def _may_be_encoded(word: str) -> bool:
    """Whether a word mixes capitals and small letters, as what is encoded does."""
    return len(word) >= _ENCODED and _SMALL_BEFORE_CAPITAL.search(word[:_MIXED]) is not None


def _decoded(found: str) -> str:
    """What base64 says, where it says anything; a slash belongs to it, or stands in a path between two of it."""
    words = [found, *found.split("/")] if "/" in found else [found]
    return "".join(f"{said}\n" for said in map(_decoded_word, words) if said)


def _decoded_word(word: str) -> str:
    if not _ENCODED <= len(word) <= _LONGEST_ENCODED or not _MIXED_CASE.match(word):
        return ""
    bare = word.rstrip("=")
    if len(bare) % 4 == 1:
        return ""
    try:
        said = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return said if all(letter.isprintable() or letter.isspace() for letter in said) else ""


def _fragments(how: How, whole: View, glued: list[str]) -> Iterator[View]:
    """Words that are glued together, taken apart; and letters that stand apart, put together."""
    if split := [(word, parted) for word in glued if (parted := _GLUED.sub(" ", word)) != word]:
        yield _fragment(how, whole, split)
    if _may_be_apart(whole.cased) and (apart := [found[0][1:] for found in _APART.finditer(whole.cased)]):
        joined = [(letters, letters.replace(" ", "")) for letters in apart]
        # A possessive s is one more letter apart: "J.o.h.n's" has the letters of "Johns".
        joined += [(letters, word[:-1]) for letters, word in joined if len(word) > _SHORTEST_WORD and word[-1] in "sS"]
        split = [(letters, parted) for letters, word in joined if (parted := _GLUED.sub(" ", word)) != word]
        yield _fragment(how, whole, [*joined, *split])


def _glued(cased: str) -> list[str]:
    """Words that may be two: capitals inside, letters beside digits."""
    return sorted(word for word in {*cased.split()} if not (_one_case(word) or word.isdigit()))


def _glued_in(letters: bytes) -> list[str]:
    """The same of a text that has a letter, a digit or a space for each character."""
    cases = letters.translate(_CASES)
    kind = np.frombuffer(cases, dtype=np.uint8)
    seams = (kind[:-1] * 4 + kind[1:]).tobytes().translate(_SEAMS)
    return sorted({*_words_at(letters, seams, b"\1"), *_words_at(letters, cases, _NAME_BEHIND_CAPITAL)})


def _words_at(letters: bytes, text: bytes, sign: bytes) -> Iterator[str]:
    """The words in which a sign stands in another text of the same length."""
    at = text.find(sign)
    while at >= 0:
        end = letters.find(b" ", at)
        end = len(letters) if end < 0 else end
        yield letters[letters.rfind(b" ", 0, at) + 1 : end].decode("ascii")
        at = text.find(sign, end)


_LOWER, _UPPER, _DIGIT = 1, 2, 3
_CASES = bytes(
    _LOWER if letter.islower() else _UPPER if letter.isupper() else _DIGIT if letter.isdigit() else 0
    for letter in map(chr, range(128))
).ljust(256, b"\0")
_GLUED_CASES = ((_LOWER, _UPPER), (_LOWER, _DIGIT), (_UPPER, _DIGIT), (_DIGIT, _LOWER), (_DIGIT, _UPPER))
_SEAMS = bytes(divmod(code, 4) in _GLUED_CASES for code in range(256))
_NAME_BEHIND_CAPITAL = bytes((_UPPER, _UPPER, _LOWER))  # XXXJohn
_APART_LETTERS = bytes(ord(" ") if chr(code) == " " else ord("a") for code in range(256))


def _may_be_apart(cased: str) -> bool:
    """Whether three single characters stand in a row."""
    return not cased.isascii() or b" a a a " in cased.encode("ascii").translate(_APART_LETTERS)


def _one_case(word: str) -> bool:
    return word.isalpha() and (word.islower() or word.istitle() or word.isupper())


def _fragment(how: How, whole: View, words: list[tuple[str, str]]) -> View:
    cased = f" {'  '.join(read for _, read in words)} "  # two spaces: neighbours here are none in the text
    return View(how, folded(cased), cased, whole=whole, pieces=tuple(word for word, _ in words))


def unbordered(word: str) -> bool:
    """Whether a word is of a script that is written without spaces, or with endings glued to it."""
    return not word.isascii() and _UNBORDERED.match(word) is not None


# For those who read the text itself and not its form: detectors, attackers, alignment.
_SIGNS = {"'": "‘’‚‛′ʼ`", '"': "“”„‟«»", "-": "‐‑‒–—―−", " ": "\u00a0\u2007\u2009\u202f\u3000"}
SPELLINGS = str.maketrans({other: plain for plain, others in _SIGNS.items() for other in others})  # of signs
_WORD = re.compile(r"[^\W_]+")
_SINGLES = re.compile(r"(?<![^\W_])[^\W_](?:[\W_]{1,2}[^\W_](?![^\W_])){2,}")  # letters apart: J o h n, J.o.h.n
_SHORTEST_WORD, _SHORTEST_NUMBER, _LONGEST_WORD = 3, 5, 40  # that are put together of letters or digits
_NO_FRACTION = re.compile("[^\u00bc-\u00be\u2150-\u215f\u2189]+")  # 5½ would be 51⁄2


def legible(text: str) -> str:
    """The text in letters that anybody can type: none unseen, none of a look of its own, none of another script.

    Accents, capitals, signs and white space stay: it is still a text, for whatever reads texts.

    >>> legible("J\u200bo\u00adhn \U0001d403\U0001d428\U0001d41e, Kowa\u0456ska \u2013 5\u00bd")
    'John Doe, Kowaiska \u2013 5\u00bd'
    """
    if text.isascii():
        return text
    return _latin(_NO_FRACTION.sub(lambda found: _normal(found[0]), text) if _is_odd(text) else text)


def sources_of(text: str) -> tuple[Sequence[int], Sequence[int]]:
    """For each character of `legible(text)`, where what it stands for begins and ends in the text."""
    if not _is_odd(text):
        return range(len(text)), range(1, len(text) + 1)
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text, 0, len(text)):
        size = len(_NO_FRACTION.sub(lambda found: _normal(found[0]), text[start:end]))
        starts += [start] * size
        ends += [end] * size
    return starts, ends


def _is_odd(text: str) -> bool:
    """Whether a text has characters that nobody sees, or that stand for plain letters."""
    if text.isascii():
        return False
    beyond = {*"".join({*_BEYOND_ASCII.findall(text)})}  # few different ones, as a rule
    return any(_MARK.match(one) or _UNSEEN.match(one) or _in_disguise(one) for one in beyond)


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
    return folded(cased_form(text)).replace(" ", "")


def stands_apart(text: str) -> bool:
    """Whether three letters or more stand apart in a row."""
    return _SINGLES.search(text) is not None


def assembled(text: str, original: str) -> str:
    """The text with words of an original put together where their letters stand apart; others stay apart.

    >>> assembled("Mr. J. o. h. n's, by A B C", "John and Ben")
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
    places = [place for place, letter in enumerate(run) if letter.isalnum()]
    letters = folded("".join(run[place] for place in places))
    pieces: list[str] = []
    first = position = 0
    while first < len(places):
        ends = range(min(len(places), first + _LONGEST_WORD), first + _SHORTEST_WORD - 1, -1)
        last = next((end for end in ends if _is_word(letters[first:end]) and letters[first:end] in words), first + 1)
        pieces += (run[position : places[first]], *(run[place] for place in places[first:last]))
        first, position = last, places[last - 1] + 1
    return "".join(pieces)


def _is_word(letters: str) -> bool:
    return len(letters) >= (_SHORTEST_NUMBER if letters.isdigit() else _SHORTEST_WORD)
