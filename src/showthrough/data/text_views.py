"""Reads a text in all ways: as it is, without what is between its letters, and decoded.

What is written another way has a *view* of its own beside the plain one: tags inside words, hyphens at line breaks,
letters apart, names glued together, HTML entities, URL escapes, escapes of program code and of e-mail, base64.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple
from urllib.parse import unquote

import numpy as np

from showthrough.core.patterns import lazy_pattern
from showthrough.data.reading_form import (
    SHORTEST_WORD,
    LocatedForm,
    cased_form,
    collapse_spaces,
    fold_case,
    letter_by_letter,
    locate,
)

How = Literal["plain", "otherwise", "encoded"]

_ESCAPED = lazy_pattern(r"(?:%[0-9A-Fa-f]{2})+")
_IN_CODE = lazy_pattern(r"(?:\\u[0-9A-Fa-f]{4})+|(?:\\x[0-9A-Fa-f]{2})+")  # of JSON, JavaScript and Python
_QUOTED = lazy_pattern(r"(?:=[89A-F][0-9A-F])+")  # of quoted-printable e-mail: accents
_ENTITY = lazy_pattern(r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,6};?|[^\t\n\f <&#;]{1,32};?)")  # as html.unescape has it
_BASE64 = lazy_pattern(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{7,}={0,2}(?![A-Za-z0-9+/=])")
_MIXED_CASE = lazy_pattern(r"[A-Za-z0-9+/]*[a-z0-9+/][A-Z]|[A-Z]{2,}[a-z]|.*=")
_SMALL_BEFORE_CAPITAL = lazy_pattern(r"[a-z].*[A-Z]|[A-Z]{2}.*[a-z]")
_MARKUP = lazy_pattern(
    r"(?<=\w)(?:</?[A-Za-z][^<>]{0,200}>)+(?=[\w/.,:-])|(?<=\w)[*~`]{1,3}(?=\w)|(?<!\w)[*~`]{1,3}(?=\w)"
    r"|(?<=[a-z])__?(?=[a-z])"
)
# For a first look: all other signs of a text are left out; full stops and commas keep a hyphen and a line's end apart.
_SIGNS = b"<*~`_&%=\\-\xad\r\n\x0b\x0c\x1c\x1d\x1e\x85.,:;#xX"
_DROPPED = bytes({*range(256)} - {*_SIGNS})
_LINE_END = lazy_pattern(rb"[-\xad][\r\n\x0b\x0c\x1c\x1d\x1e\x85]*[\r\n]")
_MARKUP_SIGNS = (
    (lazy_pattern(r"<(?<=\w<)/?[A-Za-z]"), lazy_pattern(b"<")),
    (lazy_pattern(r"[*~`]{1,3}(?=\w)"), lazy_pattern(b"[*~`]")),
    (lazy_pattern(r"_(?<=[a-z]_)_?[a-z]"), lazy_pattern(b"_")),
)
_LINE_HYPHEN = lazy_pattern(r"[-\u00ad\u2010][^\S\r\n]*[\r\n]\s*(?=\w)")
_GLUED = lazy_pattern(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_APART = lazy_pattern(r" [^\W_](?: [^\W_]){2,}(?= )")
_MIXED = 100  # characters of a word that are looked at
_ENCODED, _LONGEST_ENCODED = 6, 100_000  # characters between signs of what may be encoded, and of all of it


class RewriteRule(NamedTuple):
    """How a text is rewritten before it is read: what a pattern finds is something else, or all that there is."""

    pattern: re.Pattern[str]
    substitute: Callable[[str], str]
    alone: bool = False  # the rest of the text is not read again

    def pieces(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Spans of a text, and what stands for each."""
        position = 0
        for match in self.pattern.finditer(text):
            if not self.alone:
                yield position, match.start(), text[position : match.start()]
            if piece := self.substitute(match[0]):
                yield match.start(), match.end(), piece
            position = match.end()
        if not self.alone:
            yield position, len(text), text[position:]

    def apply(self, text: str) -> str:
        return "".join(piece for _, _, piece in self.pieces(text))


class TextView:
    """One way to read a text: a reading form with a space before and after it, and the same with capitals.

    It is that of a rewritten text; or it has words of another view, each of which stands there in another way.
    """

    def __init__(
        self,
        how: How,
        form: str,
        cased: str | bytes,  # or the letters of which it is made when somebody asks, which few do
        rewriting: RewriteRule | None = None,
        whole: TextView | None = None,
        pieces: tuple[str, ...] = (),  # its words, as they are in the whole
    ) -> None:
        self.how, self.form, self._cased = how, form, cased
        self.rewriting, self.whole, self.pieces = rewriting, whole, pieces

    @cached_property
    def cased(self) -> str:
        return collapse_spaces(self._cased) if isinstance(self._cased, bytes) else self._cased


class TextReading:
    """A text as it is read.

    >>> TextReading("Jo\u200bhn  Kowa\u0456ska-\u0141ysy, n\u00b0 36110/97").form
    ' john kowaiska lysy n 36110 97 '
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters = letter_by_letter(text)
        cased = cased_form(text) if self._letters is None else self._letters
        words = fold_case(cased).split() if isinstance(cased, str) else cased.decode("ascii").lower().split()
        self.form = f" {' '.join(words)} "
        self.plain = TextView("plain", self.form, cased)  # the plain way to read it
        self._words = frozenset(words)

    @property
    def cased(self) -> str:
        return self.plain.cased

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all views."""
        return self._words.union(*(view.form.split() for view in self.other_views)) if self.other_views else self._words

    @cached_property
    def views(self) -> tuple[TextView, ...]:
        """All ways to read it, the plain one first."""
        return (self.plain, *self.other_views)

    @cached_property
    def other_views(self) -> tuple[TextView, ...]:
        """What else can be read where something is hyphenated, glued, spelled letter by letter or encoded."""
        letters = self._letters
        glued = _find_glued(self.cased) if letters is None else _glued_in(letters)
        spelled = letters is None or _may_be_apart(self.form)
        views = [*_fragments("otherwise", self.plain, glued)] if glued or spelled else []
        for how, rewriting in _rewritings(self.text, self.signs, glued):
            cased = cased_form(rewriting.apply(self.text))
            view = TextView(how, fold_case(cased), cased, rewriting)
            if not view.form.isspace() and view.form != self.form:
                views += [view, *_fragments(how, view, sorted({*_find_glued(cased)} - {*self.cased.split()}))]
        return tuple(views)

    @cached_property
    def signs(self) -> bytes:
        """The signs of the text that say how it is written, in their order: for a first look."""
        return self.text.encode("latin-1", "replace").translate(None, _DROPPED)

    @cached_property
    def located_form(self) -> LocatedForm:
        """The plain reading form with where each character comes from."""
        return locate(self.text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a span of the plain form is in the text."""
        located = self.located_form
        return int(located.starts[start]), int(located.ends[end - 1])

    def spans(self, view: TextView, start: int, end: int) -> list[tuple[int, int]]:
        """Where a span of any view is in the text: a word of which a view has one copy may have several places.

        >>> texts = "by JohnDoe", "by J o h n", "by Jo-\\nhn", "by &#74;ohn", "by Sm9obiBEb2U="
        >>> views = [(reading, reading.other_views[-1]) for reading in map(TextReading, texts)]
        >>> [reading.spans(view, *re.search("john", view.form).span()) for reading, view in views]
        [[(3, 10)], [(3, 10)], [(3, 9)], [(3, 11)], [(3, 15)]]
        """
        if view.whole is not None:
            piece = view.pieces[view.form.count("  ", 0, start)]
            matches = re.finditer(rf"(?<= ){re.escape(piece)}(?= )", view.whole.cased)
            return [span for match in matches for span in self.spans(view.whole, *match.span())]
        if view.rewriting is None:
            return [self.span(start, end)]
        starts, ends, located = self._source(view.rewriting)
        low, high = located.starts[start], located.ends[end - 1]
        return [(starts[low], ends[high - 1])]

    def _source(self, rewriting: RewriteRule) -> tuple[list[int], list[int], LocatedForm]:
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
    def _sources(self) -> dict[RewriteRule, tuple[list[int], list[int], LocatedForm]]:
        return {}

    def is_new(self, view: TextView, start: int, end: int) -> bool:
        """Whether a span of a view says more than the plain one: of a rewritten text, what was rewritten itself."""
        rewriting = view.rewriting
        if rewriting is None or rewriting.alone:
            return True
        word = f" {view.form[start:end]} "
        if view.form.count(word) <= self.form.count(word):
            return False
        return any(rewriting.pattern.search(self.text, low, high) for low, high in self.spans(view, start, end))


def _rewritings(text: str, signs: bytes, glued: list[str]) -> Iterator[tuple[How, RewriteRule]]:
    """The text as it would be without what is between the letters of words, and as it is decoded."""
    if (_LINE_END.search(signs) or "\u2010" in text) and _LINE_HYPHEN.search(text):
        yield "otherwise", RewriteRule(_LINE_HYPHEN, _delete)
    if any(pattern.search(text) for pattern, signs_pattern in _MARKUP_SIGNS if signs_pattern.search(signs)):
        yield "otherwise", RewriteRule(_MARKUP, _delete)
    if b"&" in signs and b";" in signs and _ENTITY.search(text):
        yield "encoded", RewriteRule(_ENTITY, html.unescape)
    if b"%" in signs and _ESCAPED.search(text):
        yield "encoded", RewriteRule(_ESCAPED, _unescape)
    if b"\\" in signs and _IN_CODE.search(text):
        yield "encoded", RewriteRule(_IN_CODE, _decode_code)
    if b"=" in signs and _QUOTED.search(text):
        yield "encoded", RewriteRule(_QUOTED, lambda match: _decode_bytes(match.replace("=", "")))
    if any(map(_may_be_encoded, glued)):
        yield "encoded", RewriteRule(_BASE64, _decode_base64, alone=True)


def join_lines(text: str) -> str:
    """A text whose words go on where a hyphen ended their line: with a small letter, else there are two words."""
    return _LINE_HYPHEN.sub(lambda match: "" if text[match.end()].islower() else match[0], text)


def _delete(match: str) -> str:
    return ""


def _unescape(match: str) -> str:
    return unquote(match, errors="replace")


def _decode_code(match: str) -> str:
    """Letters by their numbers: of `\\u00eb`, of two halves of a rarer letter, or of bytes such as `\\xc3\\xab`."""
    if match[1] == "x":
        return _decode_bytes(match.replace("\\x", ""))
    halves = bytes.fromhex(match.replace("\\u", ""))
    return halves.decode("utf-16-be", "replace")


def _decode_bytes(digits: str) -> str:
    content = bytes.fromhex(digits)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _may_be_encoded(word: str) -> bool:
    """Whether a word mixes capitals and small letters, as what is encoded does."""
    return len(word) >= _ENCODED and _SMALL_BEFORE_CAPITAL.search(word[:_MIXED]) is not None


def _decode_base64(match: str) -> str:
    """What base64 says, where it says anything; a slash belongs to it, or stands in a path between two of it."""
    words = [match, *match.split("/")] if "/" in match else [match]
    return "".join(f"{text}\n" for text in map(_decode_word, words) if text)


def _decode_word(word: str) -> str:
    if not _ENCODED <= len(word) <= _LONGEST_ENCODED or not _MIXED_CASE.match(word):
        return ""
    bare = word.rstrip("=")
    if len(bare) % 4 == 1:
        return ""
    try:
        text = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return text if all(letter.isprintable() or letter.isspace() for letter in text) else ""


def _fragments(how: How, whole: TextView, glued: list[str]) -> Iterator[TextView]:
    """Words that are glued together, taken apart; and letters that stand apart, put together."""
    if split := [(word, parted) for word in glued if (parted := _split_glued(word)) != word]:
        yield _fragment_view(how, whole, split)
    if _may_be_apart(whole.cased) and (apart := [match[0][1:] for match in _APART.finditer(whole.cased)]):
        joined = [(letters, letters.replace(" ", "")) for letters in apart]
        # A possessive s is one more letter apart: "J.o.h.n's" has the letters of "Johns".
        joined += [(letters, word[:-1]) for letters, word in joined if len(word) > SHORTEST_WORD and word[-1] in "sS"]
        split = [(letters, parted) for letters, word in joined if (parted := _split_glued(word)) != word]
        yield _fragment_view(how, whole, [*joined, *split])


def _split_glued(word: str) -> str:
    return _GLUED.sub(" ", word)


def _find_glued(cased: str) -> list[str]:
    """Words that may be two: capitals inside, letters beside digits."""
    return sorted(word for word in {*cased.split()} if not (_is_one_case(word) or word.isdigit()))


def _glued_in(letters: bytes) -> list[str]:
    """The same of a text that has a letter, a digit or a space for each character."""
    cases = letters.translate(_CASES)
    codes = np.frombuffer(cases, dtype=np.uint8)
    seams = (codes[:-1] * 4 + codes[1:]).tobytes().translate(_SEAMS)
    return sorted({*_words_at(letters, seams, b"\1"), *_words_at(letters, cases, _NAME_BEHIND_CAPITAL)})


def _words_at(letters: bytes, text: bytes, sign: bytes) -> Iterator[str]:
    """The words in which a sign stands in another text of the same length."""
    position = text.find(sign)
    while position >= 0:
        end = letters.find(b" ", position)
        end = len(letters) if end < 0 else end
        yield letters[letters.rfind(b" ", 0, position) + 1 : end].decode("ascii")
        position = text.find(sign, end)


_LOWER, _UPPER, _DIGIT = 1, 2, 3
_CASES = bytes(
    _LOWER if letter.islower() else _UPPER if letter.isupper() else _DIGIT if letter.isdigit() else 0
    for letter in map(chr, range(128))
).ljust(256, b"\0")
_GLUED_CASES = ((_LOWER, _UPPER), (_LOWER, _DIGIT), (_UPPER, _DIGIT), (_DIGIT, _LOWER), (_DIGIT, _UPPER))
_SEAMS = bytes(divmod(code, 4) in _GLUED_CASES for code in range(256))
_NAME_BEHIND_CAPITAL = bytes((_UPPER, _UPPER, _LOWER))  # XXXJohn


def _may_be_apart(cased: str) -> bool:
    """Whether three single characters stand in a row."""
    if not cased.isascii():
        return True
    space = np.frombuffer(cased.encode("ascii"), dtype=np.uint8) == ord(" ")
    single = space[:-2] & space[2:]  # spaces with one character between them and the next one
    return b"\1" in (single[:-4] & single[2:-2] & single[4:]).tobytes()


def _is_one_case(word: str) -> bool:
    return word.isalpha() and (word.islower() or word.istitle() or word.isupper())


def _fragment_view(how: How, whole: TextView, words: list[tuple[str, str]]) -> TextView:
    cased = f" {'  '.join(read for _, read in words)} "  # two spaces: neighbours here are none in the text
    return TextView(how, fold_case(cased), cased, whole=whole, pieces=tuple(word for word, _ in words))
