"""A released text, indexed once: its words, which of them only stand where something was masked, and its sentences."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from showthrough.data.schemes import SCHEMES

Span = tuple[int, int]

_WORD = re.compile(r"[^\W\d_]+|\d+")
_LABELS = sorted({label for scheme in SCHEMES.values() for label in scheme.labels if label.isupper()} | {"MASKED"})
# What stands in for something: [PERSON], <DATE_1>, PERSON, ***, XXXX, █. A word of the text in brackets is none.
_STAND_IN = re.compile(
    r"[\[<{]+[A-Z][A-Z0-9_/ -]*[\]>}]+|\*{2,}|_{3,}|X{3,}|[█■▇●]+|\.{4,}|…{2,}"
    rf"|(?<![^\W_])(?:{'|'.join(map(re.escape, _LABELS))})(?:_\d+)?(?![^\W_])"
)
_INNER = re.compile(r"(?:[A-Z][a-z]{3,}){2,}")  # several words written as one: JaneDoe
_PIECE = re.compile(r"[A-Z][a-z]+")
_BREAK = re.compile(r"[.!?;]+[\"”’')\]]*\s|\n")
_ABBREVIATED = re.compile(r"(?:^|[^\w])(?:[^\W\d_]|mr|mrs|ms|dr|prof|st|no|inc|jr|sr)$", re.IGNORECASE)
# Letters that no accent can be taken off.
_PLAIN = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ß": "ss"})
_LOOSE = 3  # words that may stand between those of a value
_ENDINGS = ("ies", "ing", "es", "ed", "s")


@lru_cache(maxsize=1 << 16)
def folded(word: str) -> str:
    """Without case and accents.

    >>> folded("Wołąsiewicz"), folded("İSTANBUL")
    ('wolasiewicz', 'istanbul')
    """
    letters = unicodedata.normalize("NFKD", word.casefold().translate(_PLAIN))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Of a folded word: without the endings that English words change.

    >>> stem("lawyers"), stem("authorities"), stem("gas")
    ('lawyer', 'authority', 'gas')
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 3:
            kept = word[: -len(ending)]
            return f"{kept}y" if ending == "ies" else kept
    return word


def _pieces(word: str) -> list[str]:
    """The words in one that is written of several with capitals, as accounts and tags are."""
    return [folded(piece) for piece in _PIECE.findall(word)] if _INNER.fullmatch(word) else []


def words_of(text: str) -> list[str]:
    """Runs of letters and runs of digits, folded."""
    return [folded(word) for word in _WORD.findall(text)]


class Page:
    """What is known of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        hidden = [found.span() for found in _STAND_IN.finditer(text)]
        starts = [start for start, _ in hidden]
        self.spans: list[Span] = []
        self.words: list[str] = []  # folded
        self._run: list[tuple[int, int]] = []  # how much was masked before a word, and its sentence
        self.places: dict[str, list[int]] = {}
        self._stems: dict[str, list[int]] = {}
        self._breaks = [one.end() for one in _BREAK.finditer(text) if not _ABBREVIATED.search(_before(text, one))]
        for found in _WORD.finditer(text):
            start, end = found.span()
            before = bisect_right(starts, start)
            if before and hidden[before - 1][1] > start:
                continue
            number, written = len(self.words), found.group()
            word = folded(written)
            self.spans.append((start, end))
            self.words.append(word)
            self._run.append((before, self.sentence_at(start)))
            for part in {word, *_pieces(written)}:
                self.places.setdefault(part, []).append(number)
            self._stems.setdefault(stem(word), []).append(number)

    def written(self, number: int) -> str:
        start, end = self.spans[number]
        return self.text[start:end]

    def capital(self, number: int) -> bool:
        return self.text[self.spans[number][0]].isupper()

    def sentence_at(self, place: int) -> int:
        """Which of the sentences a place in the text is in."""
        return bisect_right(self._breaks, place)

    def joined(self, left: int, right: int) -> bool:
        """Whether two words stand in one sentence, and nothing that was masked between them."""
        return self._run[left] == self._run[right]

    def span(self, first: int, last: int) -> Span:
        return self.spans[first][0], self.spans[last][1]

    def phrases(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Where folded words stand one after the other: the numbers of the first and the last."""
        for first in self.places.get(words[0], ()) if words else ():
            last = first + len(words) - 1
            if self.words[first : last + 1] == [*words] and self.joined(first, last):
                yield first, last

    def near(self, words: Sequence[str]) -> Span | None:
        """Where all of some words stand close together, in any order and with any endings."""
        each = [self._stems.get(stem(word), []) for word in words]
        if not each or not all(each):
            return None
        reach = len(words) + _LOOSE
        for anchor in min(each, key=len):
            around = range(max(0, anchor - reach), min(len(self.words), anchor + reach + 1))
            run = [number for number in around if self.joined(anchor, number)]
            for first in run:
                window = {stem(self.words[number]): number for number in run if first <= number < first + reach}
                found = [window.get(stem(word), -1) for word in words]
                if min(found) >= 0:
                    return self.span(min(found), max(found))
        return None


def _before(text: str, found: re.Match[str]) -> str:
    """The few letters before what may end a sentence; of a line's end nothing, since it always does."""
    return "." if found.group() == "\n" else text[max(0, found.start() - 6) : found.start()]
