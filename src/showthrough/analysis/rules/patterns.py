"""Forms that leak: a small library for any language, and forms learned from what stands around what leaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from showthrough.analysis.rules.ground import Found, Ground
from showthrough.analysis.rules.worth import Rule
from showthrough.axis.spans import Ints
from showthrough.detectors.expressions import TABLE

_SPACE = r"[ \u00a0\u202f]"
_WORD = r"[^\W\d_]{3,12}"  # of letters
_OF = rf"(?:[^\W\d_]{{1,4}}{_SPACE})?"  # 3 de mayo de 2011
_BEFORE, _AFTER = r"(?<!\d)(?<!\d[.,/-])", r"(?!\d|[.,/-]\d)"


def _is_year(text: str) -> bool:
    return 1000 <= int(text) <= 2099


class Form(NamedTuple):
    """A pattern of the library: what it matches, and which of the matches count."""

    pattern: re.Pattern[str]
    counts: Callable[[str], bool] = bool


def _formed(label: str) -> re.Pattern[str]:
    return next(pattern for name, pattern in TABLE if name == label)


# No word of any language is in these. A match counts only where words begin and end with it.
LIBRARY: dict[str, Form] = {
    "years": Form(re.compile(r"(?<!\d)(?<!\d[.,/])\d{4}(?!\d|[.,/]\d)"), _is_year),
    "dates in digits": Form(
        re.compile(
            rf"{_BEFORE}(?:\d{{1,2}}([./-])\d{{1,2}}\1(?:\d{{4}}|\d\d)|\d{{4}}([./-])\d{{1,2}}\2\d{{1,2}}){_AFTER}"
            r"|(?<!\d)\d{2,4}年(?:\d{1,2}月(?:\d{1,2}日)?)?"
        )
    ),
    "dates with a word": Form(
        re.compile(
            rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|er|[.º])?{_SPACE}{_OF}{_WORD}\.?,?{_SPACE}{_OF}\d{{4}}(?!\d)"
            rf"|{_WORD}\.?{_SPACE}\d{{1,2}},{_SPACE}?\d{{4}}(?!\d)"
        )
    ),
    "numbers with a stroke": Form(re.compile(r"(?<!\d)(?<!\d[./-])\d{1,6}/\d{2,4}(?!\d|[./-]\d)")),
    "numbers of five digits or more": Form(re.compile(r"(?<!\d)\d{5,40}(?!\d)")),
    "numbers in groups": Form(re.compile(rf"{_BEFORE}\d{{2,4}}(?:[ .\u00a0-]\d{{2,4}}){{2,5}}{_AFTER}")),
    "numbers with thousands": Form(re.compile(r"(?<!\d)(?<!\d[.,])\d{1,3}(?:[.,]\d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)")),
    "numbers of up to three digits": Form(re.compile(rf"{_BEFORE}\d{{1,3}}{_AFTER}")),
    "letters with digits": Form(re.compile(r"(?<!\w)[A-Za-z]{1,6}[-/]?\d[A-Za-z0-9/-]{1,30}(?!\w)")),
    "e-mail addresses": Form(_formed("EMAIL")),
    "web addresses": Form(_formed("URL")),
}

# What a word has to do with the capitalised words and numbers beside it, and whether it is masked with them.
ENDING, BEFORE, BEGINNING, AFTER = "ending with", "before", "beginning with", "after"
LEARNED = (ENDING, BEFORE, BEGINNING, AFTER)
_LONGEST = 5  # words beside the word
_SEEN = 3  # leaking stretches that a word must stand at
_MOST = 60  # words of each kind that are tried, those that stand at most first


def library_places(ground: Ground, names: Sequence[str]) -> Found:
    """Where patterns of the library match; a rule's number is that of its name."""
    rows = [
        (number, *match.span())
        for number, name in enumerate(names)
        for match in LIBRARY[name].pattern.finditer(ground.axis.text)
        if LIBRARY[name].counts(match[0])
    ]
    rule, start, end = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    worded = ground.at_words(start, end)
    return Found(rule[worded], start[worded], end[worded])


def learned_rules(ground: Ground, leaking: Ints) -> list[Rule]:
    """Words that stand at the ends of what leaks, or right beside it, several times."""
    tokens, held = ground.axis.tokens, ground.axis.gold_contents
    spans = np.unique(np.column_stack([held.first, held.last])[leaking], axis=0)
    first, last = spans[spans[:, 1] > spans[:, 0]].T
    several = last - first > 1
    at = {
        ENDING: last[several] - 1,
        BEFORE: last[last < len(tokens)],
        BEGINNING: first[several],
        AFTER: first[first > 0] - 1,
    }
    rules = []
    for name in LEARNED:
        word, where, count = np.unique(ground.words[1][at[name]], return_index=True, return_counts=True)
        often = np.lexsort((word, -count))[:_MOST]
        for place in at[name][where[often[count[often] >= _SEEN]]].tolist():
            text = ground.axis.text[tokens.start[place] : tokens.end[place]]
            if any(map(str.isalpha, text)):
                rules.append(Rule("pattern", name, text))
    return rules


def learned_places(ground: Ground, rules: Sequence[Rule]) -> Found:
    """Where learned patterns match; a rule's number is its place among the rules."""
    tokens, beside = ground.axis.tokens, ground.neighbours
    found = [np.zeros((0, 3), dtype=np.int64)]
    for number, (rule, word) in enumerate(zip(rules, ground.standing_at([rule.text for rule in rules]), strict=True)):
        if rule.name in (ENDING, BEFORE):
            has, first = beside.before(word)
            last = word if rule.name == ENDING else word - 1
        else:
            has, last = beside.after(word)
            first = word if rule.name == BEGINNING else word + 1
        start, end = tokens.start[first[has]], tokens.end[last[has]]
        found.append(np.column_stack([np.full_like(start, number), start, end]))
    numbers, starts, ends = np.concatenate(found).T
    return Found(numbers, starts, ends)
