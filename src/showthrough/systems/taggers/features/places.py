"""What a token's place tells: its sentence, its section, the record's own fields, quotes and brackets."""

from __future__ import annotations

from collections import Counter

from showthrough.systems.taggers.tokens import Tokens

_OPENING = {"(": ")", "[": "]", "“": "”", "«": "»", "„": "“", "‘": "’"}
_LONGEST_BRACKET = 60  # tokens; what is open longer was never closed
_TRUSTED = 3  # letters of a word that is known again from a field
Columns = list[tuple[str, ...]]


def sentence_features(tokens: Tokens) -> Columns:
    """Where each token stands in its sentence, in its line and among the lines."""
    column: Columns = []
    for sentence in tokens.sentences:
        long = f"sl={_rough(len(sentence))}"
        for number in sentence:
            position = number - sentence.start
            left = sentence.stop - 1 - number
            rank = "first" if not position else "last" if not left else "second" if position == 1 else "inner"
            column.append((f"sp={rank}", f"sp={_rough(position)}", long))
    lines = tokens.lines
    for row, line in enumerate(lines):
        of_line = (f"li={min(row, 9)}", f"le={min(len(lines) - 1 - row, 5)}", f"ll={_rough(len(line))}")
        for number in line:
            column[number] += of_line
    gaps = ("gap=none", "gap=blank", "gap=line")
    return [(*names, gaps[0 if not gap else 1 + (gap == "\n")]) for names, gap in zip(column, tokens.gaps, strict=True)]


def section_features(tokens: Tokens) -> Columns:
    """The nearest heading before each token, how far off it is, and whether that is in the header or the footer."""
    column: Columns = [()] * len(tokens)
    parts = tokens.parts
    heading, begins = "", 0
    opens = {field.first: field.heading for field in tokens.fields}
    for number in range(len(tokens)):
        if number in opens:
            heading, begins = opens[number], number
        elif number in tokens.headings:
            heading, begins = tokens.headings[number], number
        column[number] = (f"h={heading}", f"h={heading}@{min(number - begins, 4)}", f"part={parts[number]}")
    return column


def trusted_features(tokens: Tokens) -> Columns:
    """The headings of the record's own fields, elsewhere, that have the same word."""
    under: dict[str, dict[str, int]] = {}
    inside = [-1] * len(tokens)
    for index, field in enumerate(tokens.fields):
        if tokens.parts[field.first] == "body":
            continue
        for number in range(field.first, field.last):
            inside[number] = index
            word = tokens.words[number]
            if len(word) >= _TRUSTED and not word.islower():
                under.setdefault(word.lower(), {}).setdefault(field.heading, index)
    return [
        tuple(f"tr={heading}" for heading, index in under.get(word.lower(), {}).items() if index != inside[number])
        for number, word in enumerate(tokens.words)
    ]


def record_features(tokens: Tokens) -> Columns:
    """How often the record has the word, and how often of these with a capital letter."""
    small = [word.lower() for word in tokens.words]
    counts = Counter(small)
    capital = Counter(lowercase for lowercase, word in zip(small, tokens.words, strict=True) if not word[0].islower())
    by_word = {word: (f"rf={_rough(count)}", f"cr={_share(capital[word], count)}") for word, count in counts.items()}
    return [by_word[word] for word in small]


def previous_features(tokens: Tokens) -> Columns:
    """The last two words of the sentence before."""
    column: Columns = []
    last: tuple[str, ...] = ("pv=",)
    for sentence in tokens.sentences:
        column += [last] * len(sentence)
        words = [tokens.words[number].lower() for number in sentence if tokens.words[number][0].isalnum()]
        last = tuple(f"pv={word}" for word in words[-2:])
    return column


def enclosed_features(tokens: Tokens) -> Columns:
    """Whether each token is in quotes or brackets, and which."""
    column: Columns = [()] * len(tokens)
    open_at: list[tuple[str, int]] = []
    straight = -1
    for number, word in enumerate(tokens.words):
        closes = open_at and _OPENING[open_at[-1][0]] == word
        if closes:
            sign, begun = open_at.pop()
            _paint(column, begun, number, sign)
        elif word in _OPENING:
            open_at.append((word, number))
        elif word == '"':
            if straight >= 0:
                _paint(column, straight, number, word)
                straight = -1
            else:
                straight = number
    return column


def _paint(column: Columns, begun: int, end: int, sign: str) -> None:
    if end - begun <= _LONGEST_BRACKET:
        for number in range(begun + 1, end):
            column[number] = (f"q={sign}",)


def _rough(count: int) -> int:
    """0 to 3 as they are, then 4, 8, 16 …"""
    return count if count < 4 else min(1 << (count.bit_length() - 1), 128)


def _share(part: int, whole: int) -> str:
    return "none" if not part else "all" if part == whole else "most" if 2 * part >= whole else "some"
