"""A text as tokens that may be written anew, and the masks that come of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from showthrough.data.masks import Mask

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|\.\.\.|--|[^\w\s]|_|\s+")
_ENDS = frozenset((".", "!", "?", "…", "..."))
_SHORT = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "no", "vs", "etc", "e.g", "i.e", "jr", "sr"))
_CLOSING = frozenset("\"'”’)]")


@dataclass(slots=True)
class Token:
    """A word, a sign or white space; what is written in its place."""

    start: int
    text: str
    written: str

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()

    @property
    def is_space(self) -> bool:
        return self.text.isspace()

    @property
    def changed(self) -> bool:
        return self.written != self.text


def tokens_of(text: str) -> list[Token]:
    """All of a text, in order.

    >>> [token.text for token in tokens_of("Don't go -- now!")]
    ["Don't", ' ', 'go', ' ', '--', ' ', 'now', '!']
    """
    return [Token(match.start(), match[0], match[0]) for match in _TOKEN.finditer(text)]


def masks_of(tokens: Sequence[Token]) -> list[Mask]:
    """A mask for each run of changed tokens; where nothing is written, what stood there is gone.

    >>> tokens = tokens_of("So, we left.")
    >>> tokens[1].written, tokens[5].written = "", "went"
    >>> masks_of(tokens)
    [Mask(start=2, end=3, replacement=None), Mask(start=7, end=11, replacement='went')]
    """
    masks = []
    for changed, group in groupby(tokens, key=lambda token: token.changed):
        if changed:
            run = list(group)
            written = "".join(token.written for token in run)
            masks.append(Mask(run[0].start, run[-1].start + len(run[-1].text), written or None))
    return masks


def sentences_of(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Places of the first token of each sentence and behind its last, its end mark and what closes behind it included.

    >>> text = "Dr. Lee left. Why? (No.)"
    >>> tokens = tokens_of(text)
    >>> ["".join(token.text for token in tokens[first:last]).strip() for first, last in sentences_of(tokens)]
    ['Dr. Lee left.', 'Why?', '(No.)']
    """
    bounds, first, at = [], 0, 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.is_space and "\n" in token.text and not _goes_on(tokens, at):
            bounds.append((first, at))
            first = at
        elif token.text in _ENDS and not (token.text == "." and _is_short(tokens, at - 1)):
            while at < len(tokens) and (tokens[at].text in _ENDS or tokens[at].text in _CLOSING):
                at += 1
            if at == len(tokens) or tokens[at].is_space:
                bounds.append((first, at))
                first = at
    bounds.append((first, len(tokens)))
    return [(low, high) for low, high in bounds if any(token.is_word for token in tokens[low:high])]


def _goes_on(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sentence goes on in the next line: it is not blank, and begins with a small letter."""
    return at < len(tokens) and tokens[at].text[0].islower() and "\n" not in tokens[at - 1].text.replace("\n", "", 1)


def _is_short(tokens: Sequence[Token], at: int) -> bool:
    """Whether a full stop belongs to a shortened word or an initial."""
    before = tokens[at - 1].text if at else ""
    return before.lower() in _SHORT or (len(before) == 1 and before.isupper() and before != "I")


def like(word: str, model: str) -> str:
    """A word in the case of another.

    >>> like("large", "Big"), like("large", "BIG"), like("large", "big")
    ('Large', 'LARGE', 'large')
    """
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
