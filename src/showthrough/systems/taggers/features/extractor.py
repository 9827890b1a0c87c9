"""Rows of features: what holds of each token of a text, by its words, its position and its form."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from showthrough.models.common_words import CALENDAR
from showthrough.systems.taggers.features._words import Facts, WordFacts
from showthrough.systems.taggers.features.learned import LearnedWords, Own
from showthrough.systems.taggers.features.parsed import parse
from showthrough.systems.taggers.features.settings import Features
from showthrough.systems.taggers.tokens import Tokens

# The position of a token tells its sentence, its section, the record's own fields, quotes and brackets.

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
    for index, section in enumerate(tokens.fields):
        if tokens.parts[section.first] == "body":
            continue
        for number in range(section.first, section.last):
            inside[number] = index
            word = tokens.words[number]
            if len(word) >= _TRUSTED and not word.islower():
                under.setdefault(word.lower(), {}).setdefault(section.heading, index)
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


# Templates are forms by which dates, phones, ids and the like are known, in whichever language.

_NAMES = sorted({word for words in CALENDAR.values() for word in words}, key=lambda entry: (-len(entry), entry))
_MONTH = rf"(?:{'|'.join(_NAMES)})\b"
_DAY = r"\d{1,2}(?:st|nd|rd|th|º|er|\.)?[ ](?:de[ ]|of[ ])?"
_YEAR = r"(?:1[5-9]|20)\d\d"

# Repetitions are bounded, or begin behind a character that they cannot match: time grows with the length of the text.
_PATTERNS = {
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",
    "url": r"(?<!\w)(?:(?:https?|ftp)://|www\.)[^\s<>\"]{1,2000}",
    "date": r"(?<![\w.,/-])\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?![\w/-])",
    "date-in-words": rf"(?<!\w)(?:(?:{_DAY})?{_MONTH}\.?,?"
    rf"(?:(?:[ ]del?|[ ]of)?[ ]{_YEAR}|[ ]\d{{1,2}}(?:,?[ ]{_YEAR})?)|"
    rf"{_DAY}{_MONTH})(?!\w)",
    "year": rf"(?<![\w.,/-]){_YEAR}(?![\w/]|[.,-]\d)",
    "time": r"(?<![\w:.,])(?:[01]?\d|2[0-3])[:.h][0-5]\d(?!\d|[:.,]\d)",
    "age": r"(?<![\w.,/-])\d{1,3}[ -]?"
    r"(?:años?|years?|yrs?|y/?o|meses|months?|días|days|jahren?|ans|anni|anos|jaar|år)\b",
    "phone": r"(?<![\w+.,/-])(?:\+|\(|00)?\d{2,4}\)?(?:[ .-]?\d{2,4}){2,5}(?![\w/-])",
    "fraction": r"(?<![\w/])\d{3,8}/\d{2,4}(?![\w/])",
    "code": r"(?<![\w/.-])(?=[\w/.-]{0,30}\d)(?=[\w/.-]{0,30}[A-Z])[A-Z0-9][A-Z0-9/.-]{2,30}(?!\w)",
    "number-of": r"(?<!\w)(?:no|nos|nr|núm|n[º°])[.:]?[ ]?(?P<span>\d[\w/.-]{0,30})",
    "long-number": r"(?<![\w.,/-])\d{6,30}(?!\w)",
    "five-digits": r"(?<![\w.,/-])\d{5}(?![\w/-]|[.,]\d)",
    "decimal": r"(?<![\w/])\d{1,12}[.,]\d{1,3}(?!\d|[.,/]\d)",
    "money": r"[€£$¥]\s?\d[\d.,]{0,20}|(?<!\w)[A-Z]{3}[ \u00a0]\d[\d.,]{0,20}|"
    r"\d[\d., ]{0,20}(?:[€£$]|euros?\b|million\b)",
    "percent": r"\d[\d.,]{0,12}\s?%",
}  # fmt: skip
_TABLE = {
    name: re.compile(pattern, re.IGNORECASE if name in {"date-in-words", "age", "number-of", "url"} else 0)
    for name, pattern in _PATTERNS.items()
}


def templates_of(tokens: Tokens) -> list[tuple[str, ...]]:
    """The templates that each token is a part of, and whether it is the first one."""
    templates: list[list[str]] = [[] for _ in tokens.words]
    for name, pattern in _TABLE.items():
        group = "span" if "span" in pattern.groupindex else 0
        for match in pattern.finditer(tokens.text):
            start, end = match.span(group)
            first, last = bisect_right(tokens.ends, start), bisect_left(tokens.starts, end)
            for number in range(first, last):
                templates[number].append(f"t={name}" if number > first else f"t={name}^")
    return [tuple(names) for names in templates]


_NOTHING = LearnedWords()
_BIAS = ("b",)
_MOST_WORDS = 200_000  # that are remembered: texts without end must not fill the memory
_PLACES: Mapping[str, Callable[[Tokens], Columns]] = {
    "sentence": sentence_features,
    "section": section_features,
    "trusted": trusted_features,
    "frequency": record_features,
    "previous": previous_features,
    "enclosed": enclosed_features,
}


@dataclass
class Extractor:
    """Makes rows by some settings and what was learned from training records."""

    features: Features
    language: str = ""
    learned: LearnedWords = _NOTHING
    pipeline: str = ""  # `spacy:NAME`; empty: none
    _facts: dict[str, Facts] = field(default_factory=dict, repr=False)
    _shifted: dict[tuple[int, object], tuple[str, ...]] = field(default_factory=dict, repr=False)

    def rows(
        self,
        tokens: Tokens,
        majority: Mapping[str, str] | None = None,
        own: Own = frozenset(),
    ) -> list[list[str]]:
        """One row a token. `majority` is the label that a first pass mostly gave each word of the record, in small
        letters; `own` what a training record itself added to what was learned.
        """
        if not len(tokens):
            return []
        on = self.features
        facts = [self._facts_of(word) for word in tokens.words]
        columns: list[Columns] = [[_BIAS] * len(tokens), [fact.own for fact in facts]]
        light: Columns = [fact.light for fact in facts]
        if self.pipeline:
            read = parse(self.pipeline, tokens)
            if on.word_class:
                columns.append(extra := read.parts_of_speech())
                light = _join_columns(light, extra)
            if on.entities:
                columns.append(extra := read.entities())
                light = _join_columns(light, extra)
            columns += [read.verbs()] * on.verbs + [read.heads()] * on.heads
        columns += [make(tokens) for group, make in _PLACES.items() if getattr(on, group)]
        if on.templates:
            extra = templates_of(tokens)
            columns.append(extra)
            light = _join_columns(light, extra)
        if on.dictionaries:
            extra = self._in_dictionary(tokens, own)
            columns.append(extra)
            light = _join_columns(light, extra)
        if majority is not None:
            extra = [(f"m={majority.get(word.lower(), '')}",) for word in tokens.words]
            columns.append(extra)
            light = _join_columns(light, extra)
        if on.special:
            columns.append(_find_touching(tokens))
        if on.cues:
            columns.append(self._find_cues(tokens))
        small: Columns = [(f"l={fact.small}",) for fact in facts]
        columns += [self._shift_column(small, at) for at in _offsets(on.window)]
        columns += [self._shift_column(light, at) for at in _offsets(on.context)]
        if on.window:
            words = [fact.small for fact in facts]
            columns.append([(f"lb={previous} {two}",) for previous, two in zip(["", *words], words, strict=False)])
        return [[name for column in row for name in column] for row in zip(*columns, strict=True)]

    @property
    def _of_words(self) -> Features:
        """Closed classes take the place of parts of speech where no pipeline gives these."""
        return replace(self.features, word_class=False) if self.pipeline else self.features

    def _facts_of(self, word: str) -> Facts:
        if len(self._facts) > _MOST_WORDS:
            self._facts.clear()
            self._shifted.clear()
        if word not in self._facts:
            self._facts[word] = WordFacts(self._of_words, self.language).of(word)
        return self._facts[word]

    def _shift_column(self, column: Columns, at: int) -> Columns:
        """A column as those see it who stand `at` tokens before (negative: after) what it tells of."""
        cache, result = self._shifted, Columns()
        for names in column:
            key = at, names
            if key not in cache:
                cache[key] = tuple(f"{at:+}{name}" for name in names)
            result.append(cache[key])
        edge: Columns = [(f"{at:+}edge",)] * min(abs(at), len(result))
        return edge + result[: len(result) - len(edge)] if at < 0 else result[len(edge) :] + edge

    def _in_dictionary(self, tokens: Tokens, own: Own) -> Columns:
        by_word: dict[str, tuple[str, ...]] = {}
        column: Columns = []
        for word in tokens.words:
            small = word.lower()
            if small not in by_word:
                by_word[small] = tuple(f"k={kind}" for kind in self.learned.types(small, own))
            column.append(by_word[small] if not word[0].islower() else ())
        return column

    def _find_cues(self, tokens: Tokens) -> Columns:
        reach = self.features.cues
        column: list[list[str]] = [[] for _ in tokens.words]
        for number, word in enumerate(tokens.words):
            for cue, strength in self.learned.cues.get(word.lower(), {}).items():
                before = cue.startswith("before")
                span = range(number + 1, number + 1 + reach) if before else range(number - reach, number)
                for at in span:
                    if 0 <= at < len(column):
                        column[at].append(f"cue={cue}{strength}")
        return [tuple(dict.fromkeys(names)) for names in column]


def _offsets(width: int) -> list[int]:
    return [at for at in range(-width, width + 1) if at]


def _join_columns(left: Columns, two: Columns) -> Columns:
    return [first + second for first, second in zip(left, two, strict=True)]


def _find_touching(tokens: Tokens) -> Columns:
    """The signs that stand directly beside each token."""
    column: Columns = []
    words, gaps = ["", *tokens.words, ""], [*tokens.gaps, " "]
    for number in range(len(tokens)):
        left, right = words[number], words[number + 2]
        names = []
        if number and not gaps[number] and not left.isalnum():
            names.append(f"x-={left}")
        if not gaps[number + 1] and right and not right.isalnum():
            names.append(f"x+={right}")
        column.append(tuple(names))
    return column
