"""Forms that leak: a small library for any language, and forms learned from what stands around what leaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Ints
from showthrough.data.layout.spans import contents_of
from showthrough.models.detectors.expressions import expressions
from showthrough.studies.rules._workspace import RuleCorpus, RuleMatches
from showthrough.studies.rules.worth import Rule

_SPACE = r"[ \u00a0\u202f]"
_WORD = r"[^\W\d_]{3,12}"  # of letters
_OF = rf"(?:[^\W\d_]{{1,4}}{_SPACE})?"  # 3 de mayo de 2011
_BEFORE, _AFTER = r"(?<!\d)(?<!\d[.,/-])", r"(?!\d|[.,/-]\d)"


def _is_year(text: str) -> bool:
    return 1000 <= int(text) <= 2099


class LibraryPattern(NamedTuple):
    """A pattern of the library: what it matches, and which of the matches count."""

    pattern: re.Pattern[str]
    counts: Callable[[str], bool] = bool


def _find_pattern(label: str) -> re.Pattern[str]:
    return next(pattern for name, pattern in expressions() if name == label)


# No word of any language is in these. A match that cuts a word or a number in two does not count.
LIBRARY: dict[str, LibraryPattern] = {
    "years": LibraryPattern(re.compile(r"(?<!\d)(?<!\d[.,/])\d{4}(?!\d|[.,/]\d)"), _is_year),
    "dates in digits": LibraryPattern(
        re.compile(
            rf"{_BEFORE}(?:\d{{1,2}}([./-])\d{{1,2}}\1(?:\d{{4}}|\d\d)|\d{{4}}([./-])\d{{1,2}}\2\d{{1,2}}){_AFTER}"
            r"|(?<!\d)\d{2,4}年(?:\d{1,2}月(?:\d{1,2}日)?)?"
        )
    ),
    "dates with a named month": LibraryPattern(
        re.compile(
            rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|er|[.º])?{_SPACE}{_OF}{_WORD}\.?,?{_SPACE}{_OF}\d{{4}}(?!\d)"
            rf"|{_WORD}\.?{_SPACE}\d{{1,2}},{_SPACE}?\d{{4}}(?!\d)"
        )
    ),
    "numbers with a stroke": LibraryPattern(re.compile(r"(?<!\d)(?<!\d[./-])\d{1,6}/\d{2,4}(?!\d|[./-]\d)")),
    "numbers of five digits or more": LibraryPattern(re.compile(r"(?<!\d)\d{5,40}(?!\d)")),
    "numbers in groups": LibraryPattern(re.compile(rf"{_BEFORE}\d{{2,4}}(?:[ .\u00a0-]\d{{2,4}}){{2,5}}{_AFTER}")),
    "numbers with thousands": LibraryPattern(
        re.compile(r"(?<!\d)(?<!\d[.,])\d{1,3}(?:[.,]\d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)")
    ),
    "numbers of up to three digits": LibraryPattern(re.compile(rf"{_BEFORE}\d{{1,3}}{_AFTER}")),
    "codes of letters and digits": LibraryPattern(re.compile(r"(?<!\w)[A-Za-z]{1,6}[-/]?\d[A-Za-z0-9/-]{1,30}(?!\w)")),
    "e-mail addresses": LibraryPattern(_find_pattern("EMAIL")),
    "web addresses": LibraryPattern(_find_pattern("URL")),
}

# What a word has to do with the capitalised words and numbers beside it, and whether it is masked with them.
ENDING, BEFORE, BEGINNING, AFTER = "ending with", "before", "beginning with", "after"
LEARNED = (ENDING, BEFORE, BEGINNING, AFTER)
_SEEN = 3  # leaking spans that a word must stand at
_MOST = 60  # words of each kind that are tried, those that stand at most first


def library_places(ground: RuleCorpus, rules: Sequence[Rule]) -> RuleMatches:
    """Where patterns of the library match; a rule's number is its place among the rules."""
    matched = [ground.chunk.once(("pattern", rule.name), partial(_matches, ground, rule.name)) for rule in rules]
    number = np.repeat(np.arange(len(rules)), list(map(len, matched)))
    start, end = np.concatenate(matched).T
    return RuleMatches(number, start, end)


def _matches(ground: RuleCorpus, name: str) -> Ints:
    """The spans that a pattern of the library matches, found once for all anonymizations."""
    form = LIBRARY[name]
    spans = [match.span() for match in form.pattern.finditer(ground.axis.text) if form.counts(match[0])]
    bounds = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return bounds[ground.apart(*bounds.T)]


def learned_rules(ground: RuleCorpus, leaking: Ints) -> list[Rule]:
    """Words that stand at the ends of what leaks, or right beside it, several times."""
    words = ground.words.laid
    contents = contents_of(words, ground.gold.start[leaking], ground.gold.end[leaking])
    spans = np.unique(np.column_stack([contents.first, contents.last]), axis=0)
    first, last = spans[spans[:, 1] > spans[:, 0]].T
    several = last - first > 1
    at = {
        ENDING: last[several] - 1,
        BEFORE: last[last < len(words)],
        BEGINNING: first[several],
        AFTER: first[first > 0] - 1,
    }
    rules = []
    for name in LEARNED:
        word, where, count = np.unique(ground.words.keys[at[name]], return_index=True, return_counts=True)
        often = np.lexsort((word, -count))[:_MOST]
        for index in at[name][where[often[count[often] >= _SEEN]]].tolist():
            text = ground.axis.text[words.start[index] : words.end[index]]
            if any(map(str.isalpha, text)):
                rules.append(Rule("pattern", name, text))
    return rules


def learned_places(ground: RuleCorpus, rules: Sequence[Rule]) -> RuleMatches:
    """Where learned patterns match; a rule's number is its place among the rules."""
    words, beside = ground.words.laid, ground.words.neighbours
    rows = [np.zeros((0, 3), dtype=np.int64)]
    for number, (rule, word) in enumerate(zip(rules, ground.words.same([rule.text for rule in rules]), strict=True)):
        if rule.name in (ENDING, BEFORE):
            has, first = beside.before(word)
            last = word if rule.name == ENDING else word - 1
        else:
            has, last = beside.after(word)
            first = word if rule.name == BEGINNING else word + 1
        start, end = words.start[first[has]], words.end[last[has]]
        rows.append(np.column_stack([np.full_like(start, number), start, end]))
    numbers, starts, ends = np.concatenate(rows).T
    return RuleMatches(numbers, starts, ends)
