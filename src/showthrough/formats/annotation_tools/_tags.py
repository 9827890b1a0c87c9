"""Marks as tags of tokens: BIO and its kin read, tokens found in a text, and a text cut into tokens to be tagged."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, compress, count, pairwise
from typing import NamedTuple

from showthrough.core.errors import InputError
from showthrough.data.documents import Document, Mention
from showthrough.formats.base import unwritable
from showthrough.formats.clinical.phi import separate

EXPECTED = "O, B-TYPE or I-TYPE"
_TAG = re.compile(r"O|([BIESLUM])-(.*)", re.DOTALL)
_OPENING = "BSU"  # B of BIO, S of BIOES and U of BILOU start an instance
_TOKEN = re.compile(r"\w+|[^\w\s]")
_GAP = re.compile(r"\s*")
_WORD = re.compile(r"\S+")


class Tag(NamedTuple):
    """What a tag says: a type, which is `None` outside of all marks, and whether an instance starts here."""

    entity_type: str | None
    starts: bool


@lru_cache(maxsize=4096)
def parse_tag(tag: str) -> Tag | None:
    """
    >>> parse_tag("B-PER"), parse_tag("O"), parse_tag("PER")
    (Tag(entity_type='PER', starts=True), Tag(entity_type=None, starts=False), None)
    """
    match = _TAG.fullmatch(tag)
    return None if match is None else Tag(match[2], match[1] is not None and match[1] in _OPENING)


def runs(tags: Sequence[str], wrong: Callable[[int], InputError]) -> Iterator[tuple[int, int, str]]:
    """The first token of each instance, the one after its last, and its type; raises what is wrong with a tag.

    >>> list(runs(["B-PER", "I-PER", "B-PER", "O", "I-LOC"], ValueError))
    [(0, 2, 'PER'), (2, 3, 'PER'), (4, 5, 'LOC')]
    """
    first, last, inside = 0, -1, None
    for number in compress(count(), map("O".__ne__, tags)):  # most are O
        tag = parse_tag(tags[number])
        if tag is None:
            raise wrong(number)
        entity_type, starts = tag
        if starts or entity_type != inside or last != number - 1:
            if inside is not None:
                yield first, last + 1, inside
            first, inside = number, entity_type
        last = number
    if inside is not None:
        yield first, last + 1, inside


def locate_tokens(tokens: Sequence[str], text: str, wrong: Callable[[int, int], InputError]) -> list[tuple[int, int]]:
    """Where tokens stand in a text, one after the other with nothing but white space between; raises what is wrong
    with one that is not there, by its number and the place where it was looked for.

    >>> locate_tokens(["Dr", ".", "Ann"], "Dr.  Ann", None)
    [(0, 2), (2, 3), (5, 8)]
    """
    positions, position = [], 0
    for number, token in enumerate(tokens):
        start = position
        if not text.startswith(token, start):
            gap = _GAP.match(text, start)
            after = gap.end() if gap else start
            start = text.find(token, start, after) if token.isspace() else after
            if start < 0 or not text.startswith(token, start):
                raise wrong(number, after)
        position = start + len(token)
        positions.append((start, position))
    return positions


class TokenOffsets:
    """Where tokens stand in a text, as `locate_tokens` says it. Only of those that are asked for is it found out.

    That the tokens are the text, but for its white space, is one comparison for all of them. Then the letters before a
    token tell where it is, and words are counted instead of looked for.

    >>> TokenOffsets(["Dr", ".", "Ann", "Lee"], "Dr.  Ann Lee", None).span(2, 3)
    (5, 12)
    """

    def __init__(self, tokens: Sequence[str], text: str, wrong: Callable[[int, int], InputError]) -> None:
        self._spans = None if self._count_letters(tokens, text) else locate_tokens(tokens, text, wrong)

    @classmethod
    def quick(cls, tokens: Sequence[str], text: str) -> TokenOffsets | None:
        """The same; `None` where tokens have to be looked for one by one."""
        positions = cls.__new__(cls)
        positions._spans = None
        return positions if positions._count_letters(tokens, text) else None

    def _count_letters(self, tokens: Sequence[str], text: str) -> bool:
        words = text.split()
        letters = "".join(words)
        if "".join(tokens) != letters or "" in tokens:
            return False
        self._ends = list(accumulate(map(len, tokens)))  # in letters
        self._word_ends = list(accumulate(map(len, words)))
        apart = len(text) != len(letters) + len(words) - 1 or text[0].isspace()
        self._starts = [word.start() for word in _WORD.finditer(text)] if apart else None  # one sign between words
        return True

    def span(self, first: int, last: int) -> tuple[int, int]:
        """From the start of one token to the end of another."""
        if self._spans is not None:
            return self._spans[first][0], self._spans[last][1]
        start, end = self._ends[first - 1] if first else 0, self._ends[last]
        first_word, last_word = bisect_right(self._word_ends, start), bisect_left(self._word_ends, end)
        if self._starts is None:
            return start + first_word, end + last_word
        return self._position(first_word, start), self._position(last_word, end)

    def _position(self, word: int, letters: int) -> int:
        return self._starts[word] + letters - (self._word_ends[word - 1] if word else 0)  # type: ignore[index]


class Line(NamedTuple):
    """A line of a file: its number, where it starts, and what it says."""

    number: int
    start: int
    text: str

    @property
    def end(self) -> int:
        """Where the next line starts."""
        return self.start + len(self.text) + 1


def find_lines(content: str, signs: str) -> Iterator[Line]:
    """The lines that start with one of some signs. Others are not looked at: most are tokens.

    >>> list(find_lines("Ann B\\n# id = 2\\nLee B", "#"))
    [Line(number=2, start=6, text='# id = 2')]
    """
    number, before = 1, 0
    for match in re.finditer(rf"\n[{signs}]", f"\n{content}"):
        start = match.start()
        number += content.count("\n", before, start)
        before = start
        end = content.find("\n", start)
        yield Line(number, start, content[start:] if end < 0 else content[start:end])


def with_line_feeds(content: str) -> str:
    """A text whose lines end in line feeds alone."""
    return content.replace("\r\n", "\n").removesuffix("\r") if "\r" in content else content


class Token(NamedTuple):
    """A piece of a text and its tag."""

    start: int
    end: int
    tag: str


def tag_tokens(document: Document) -> Iterator[Token]:
    """The words and signs of a text, cut where marks start and end; raises OutputError for what tags cannot hold."""
    text = document.text
    mentions = separate(document)
    edges = sorted({0, len(text), *(edge for mention in mentions for edge in (mention.start, mention.end))})
    opening = {mention.start: mention for mention in mentions}
    for low, high in pairwise(edges):
        mention = opening.get(low)
        if mention and (text[low].isspace() or text[high - 1].isspace()):
            fault = f"the mention {low}–{high} starts or ends with white space, which no token holds"
            raise unwritable(document, f"{fault}; choose i2b2-2014 or brat")
        prefix = "B"
        for token in _TOKEN.finditer(text, low, high):
            yield Token(token.start(), token.end(), f"{prefix}-{mention.entity_type}" if mention else "O")
            prefix = "I"


class SpacyToken(NamedTuple):
    """A token in the manner of spaCy: all of a text is in some token, but for one space after each that has one."""

    start: int
    end: int
    spaced: bool


_PIECE = re.compile(r"\w+|[^\w\s]|\s+")


def pieces(text: str, mentions: Sequence[Mention]) -> list[SpacyToken]:
    """A text in tokens, cut where marks start and end.

    >>> pieces("Ann  left.", [])  # of two spaces, one belongs to the word before and one is a token
    [SpacyToken(start=0, end=3, spaced=True), SpacyToken(start=4, end=5, spaced=False),
     SpacyToken(start=5, end=9, spaced=False), SpacyToken(start=9, end=10, spaced=False)]
    """
    edges = {edge for mention in mentions for edge in (mention.start, mention.end)}
    within = {mention.start for mention in mentions}, {mention.end for mention in mentions}
    result: list[SpacyToken] = []
    for low, high in pairwise(sorted({0, len(text), *edges})):
        for match in _PIECE.finditer(text, low, high):
            start, end = match.span()
            # A space that a mark starts or ends with is the mark's: the one after a token is outside of it to spaCy.
            in_mark = start in within[0] or (end in within[1] and end == start + 1)
            if (
                result
                and not in_mark
                and text[start] == " "
                and not result[-1].spaced
                and not text[start - 1].isspace()
            ):
                result[-1] = result[-1]._replace(spaced=True)
                start += 1
            if start < end:
                result.append(SpacyToken(start, end, False))
    return result
