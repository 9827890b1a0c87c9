"""A released text, indexed once: its words, which of them only stand where something was masked, and its sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

import numpy as np

from showthrough.core.patterns import lazy_pattern
from showthrough.data.schemes import SCHEMES
from showthrough.models.countries import fold_name

Span = tuple[int, int]

_WORD = lazy_pattern(r"[^\W\d_]+|\d+")
_LABELS = frozenset(label for scheme in SCHEMES.values() for label in scheme.labels if label.isupper()) | {"MASKED"}
# What stands in for something: [PERSON], <DATE_1>, ***, XXXX, █; and words in capitals, which are if they are labels.
_STAND_IN = lazy_pattern(
    r"[\[<{]+[A-Z][A-Z0-9_/ -]*[\]>}]+|\*{2,}|_{3,}|[█■▇●]+|\.{4,}|…{2,}"
    r"|(?<![^\W_])(?P<capitals>[A-Z][A-Z_-]*[A-Z])(?:_\d+)?(?![^\W_])"
)
_CROSSES = lazy_pattern("X{3,}")
_INNER = lazy_pattern(r"(?:[A-Z][a-z]{3,}){2,}")  # several words written as one: JaneDoe
_PIECE = lazy_pattern(r"[A-Z][a-z]+")
_BREAK = lazy_pattern(r"[.!?;]+[\"”’')\]]*\s|\n")
_ABBREVIATED = lazy_pattern(r"(?:^|[^\w])(?:[^\W\d_]|mr|mrs|ms|dr|prof|st|no|inc|jr|sr)$", re.IGNORECASE)
# Letters that no accent can be taken off.
_LOOSE = 3  # words that may stand between those of a value
_ENDINGS = ("ies", "ing", "es", "ed", "s")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Of a folded word: without the endings that English words change.

    >>> stem("lawyers"), stem("authorities"), stem("gas")
    ('lawyer', 'authority', 'gas')
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 3:
            root = word[: -len(ending)]
            return f"{root}y" if ending == "ies" else root
    return word


@lru_cache(maxsize=1 << 16)
def _parts(written: str) -> tuple[str, ...]:
    """A word folded; after it those in it, where it is written of several with capitals, as accounts and tags are.

    >>> _parts("JaneDoes"), _parts("McDonald")
    (('janedoes', 'jane', 'does'), ('mcdonald',))
    """
    inner = _PIECE.findall(written) if _INNER.fullmatch(written) else []
    return tuple(dict.fromkeys([fold_name(written), *map(fold_name, inner)]))


def _stand_ins(text: str) -> list[Span]:
    """Where something stands that was put there for something else."""
    return [
        match.span()
        for match in _STAND_IN.finditer(text)
        if not (capitals := match["capitals"]) or capitals in _LABELS or _CROSSES.fullmatch(capitals)
    ]


class Page:
    """What is known of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._matches: dict[re.Pattern[str], list[re.Match[str]]] = {}
        self._breaks = [
            match.end() for match in _BREAK.finditer(text) if not _ABBREVIATED.search(_text_before(text, match))
        ]
        spans = [word.span() for word in _WORD.finditer(text)]
        starts = np.array([start for start, _ in spans], dtype=np.int64)
        hidden = np.array([*_stand_ins(text), (len(text), len(text) + 1)], dtype=np.int64)
        before = np.searchsorted(hidden[:, 1], starts, side="right")  # how much was masked before each word
        visible = np.flatnonzero(hidden[before, 0] > starts)
        sentence = np.searchsorted(np.array(self._breaks, dtype=np.int64), starts, side="right")
        self._run: list[int] = (before * (len(text) + 1) + sentence)[visible].tolist()  # equal where nothing is between
        self.spans: list[Span] = [spans[number] for number in visible.tolist()]
        parts = [_parts(text[start:end]) for start, end in self.spans]
        self.words = [word_parts[0] for word_parts in parts]  # folded
        self.places: dict[str, list[int]] = {}  # of each word; of one that is several, under each of them too
        for number, word_parts in enumerate(parts):
            for part in word_parts:
                if part in self.places:
                    self.places[part].append(number)
                else:
                    self.places[part] = [number]

    @cached_property
    def _stems(self) -> dict[str, list[int]]:
        by_stem: dict[str, list[int]] = {}
        for word, numbers in self.places.items():
            by_stem.setdefault(stem(word), []).extend(numbers)
        return by_stem

    def matches(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Where a pattern is in the text; looked for once, however many people are asked about."""
        if pattern not in self._matches:
            self._matches[pattern] = [*pattern.finditer(self.text)]
        return self._matches[pattern]

    def word_text(self, number: int) -> str:
        start, end = self.spans[number]
        return self.text[start:end]

    def capital(self, number: int) -> bool:
        return self.text[self.spans[number][0]].isupper()

    def sentence_at(self, position: int) -> int:
        """Which of the sentences a place in the text is in."""
        return bisect_right(self._breaks, position)

    def is_connected(self, left: int, right: int) -> bool:
        """Whether two words stand in one sentence, and nothing that was masked between them."""
        return self._run[left] == self._run[right]

    def span(self, first: int, last: int) -> Span:
        return self.spans[first][0], self.spans[last][1]

    def phrases(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Where folded words stand one after the other: the numbers of the first and the last."""
        for first in self.places.get(words[0], ()) if words else ():
            last = first + len(words) - 1
            if self.words[first : last + 1] == [*words] and self.is_connected(first, last):
                yield first, last

    def near(self, words: Sequence[str]) -> Span | None:
        """Where all of some words stand close together, in any order and with any endings."""
        positions = [self._stems.get(stem(word), []) for word in words]
        if not positions or not all(positions):
            return None
        reach = len(words) + _LOOSE
        rarest: list[int] = min(positions, key=len)
        for anchor in sorted(rarest):
            around = range(max(0, anchor - reach), min(len(self.words), anchor + reach + 1))
            run = [number for number in around if self.is_connected(anchor, number)]
            for first in run:
                window = {stem(self.words[number]): number for number in run if first <= number < first + reach}
                numbers = [window.get(stem(word), -1) for word in words]
                if min(numbers) >= 0:
                    return self.span(min(numbers), max(numbers))
        return None


def _text_before(text: str, match: re.Match[str]) -> str:
    """The few letters before what may end a sentence; of a line's end nothing, since it always does."""
    return "." if match.group() == "\n" else text[max(0, match.start() - 6) : match.start()]
