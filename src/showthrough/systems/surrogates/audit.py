"""The proof that surrogates left nothing: whatever was marked in a record must not be read in it any more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from heapq import merge
from operator import itemgetter

from showthrough.core.errors import at_document, quote_value
from showthrough.data.categories import phi_type
from showthrough.data.documents import Document
from showthrough.data.kinds import Surrogate
from showthrough.systems.surrogates.dates import fold_case
from showthrough.systems.surrogates.wordlists import PARTICLES, TITLES

LETTERS = 4  # a string with fewer says too little: initials and numbers may come out the same by chance
_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"\w+")
_START = itemgetter(0)

Phi = tuple[Surrogate, int, int]  # what it is, start and end


@dataclass(frozen=True)
class Leak:
    """A string that was marked in the original and can be read in the surrogate."""

    document: str
    text: str
    start: int
    end: int

    def __str__(self) -> str:
        location = f"{at_document(self.document)}: {quote_value(self.text)} at {self.start}–{self.end}"
        return f"{location} was marked in the original"


def collect_phi(document: Document, keep: Collection[str] = ()) -> list[Phi]:
    """What is to be replaced, of all annotators, each once, the longest first."""
    mentions = {
        (mention.start - mention.end, mention.start, mention.entity_type, mention.end)
        for annotation in document.annotations
        for mention in annotation.mentions
        if mention.identifier != "NO_MASK" and mention.entity_type not in keep
    }
    return [(phi_type(entity_type).kind, start, end) for _, start, entity_type, end in sorted(mentions)]


class Identifying:
    """The strings of a record that may not be left.

    Every marked string of four or more letters, and of persons every single name of as many. One pattern of all of them
    would be tried out string by string at every word of a text. So each is looked for only where its first word stands.
    """

    def __init__(self, document: Document, keep: Collection[str] = ()) -> None:
        self.kinds: dict[str, Surrogate] = {}  # of every string, in small letters
        self._small: set[str] = set()  # those that are marked in small letters, too
        written: set[str] = set()  # as they are marked: some letters are not the same small and large again
        for kind, start, end in collect_phi(document, keep):
            text = document.text[start:end]
            strings = [text]
            if kind == "person":
                strings += (word for word in _WORD.findall(text) if word.casefold() not in TITLES | PARTICLES)
            for string in strings:
                if sum(map(str.isalpha, string)) >= LETTERS:
                    self.kinds.setdefault(_plain(string), kind)
                    written.add(string)
                    if string.islower():
                        self._small.add(_plain(string))
        self._by_word: dict[str, list[str]] = {}
        self._signs: list[str] = []  # that begin with a sign
        for string in sorted(written, key=lambda string: (-len(string), string)):
            first = _TOKEN.match(string.lstrip())
            (self._by_word.setdefault(fold_case(first[0]), []) if first else self._signs).append(string)

    def find_occurrences(self, text: str) -> Iterator[Phi]:
        """Where they stand in a text as whole words, whatever their capitals and line breaks; the longest first.

        A single word that is marked with a capital and stands there without one is another word: a brown mole is not
        Dr. Brown.
        """
        last = 0  # none begins in another, and of several in one place the longest counts
        for start, strings in self._candidates(text):
            ends = (_end(text, start, string) for string in strings) if start >= last else ()
            end = next(filter(None, ends), 0)
            if not end:
                continue
            last = end
            string = _plain(text[start:end])
            other = text[start:end].islower() and " " not in string and string not in self._small
            if string in self.kinds and not other:
                yield self.kinds[string], start, end

    def _candidates(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Where some may begin, in order, and which."""
        words = ((match.start(), self._by_word.get(fold_case(match[0]), [])) for match in _TOKEN.finditer(text))
        signs = [
            (match.start(), [string])
            for string in self._signs
            for match in re.finditer(f"(?={_pattern(string).pattern})", text, re.IGNORECASE)
        ]
        return merge((entry for entry in words if entry[1]), sorted(signs, key=_START), key=_START)


def _end(text: str, start: int, string: str) -> int:
    """Where a string ends that stands at a place as whole words; 0 where it does not stand there."""
    end = start + len(string)
    if text.startswith(string, start) and not _TOKEN.match(text, end):  # nearly always written alike
        return end
    match = _pattern(string).match(text, start)
    return match.end() if match else 0


@lru_cache(maxsize=4096)
def _pattern(string: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, string.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _plain(string: str) -> str:
    return " ".join(string.lower().split())


def audit(original: Document, surrogate: Document, keep: Collection[str] = ()) -> list[Leak]:
    """Every place where a marked string of the original is left in the surrogate; none, if all is well.

    A date is left when all of it is: the June of `5 June 2004` is not the June that was marked alone elsewhere.
    """
    dates = [(start, end) for kind, start, end in collect_phi(surrogate, keep) if kind == "date"]
    return [
        Leak(surrogate.id, surrogate.text[start:end], start, end)
        for kind, start, end in Identifying(original, keep).find_occurrences(surrogate.text)
        if kind != "date"
        or not any(low <= start and end <= high and (start, end) != (low, high) for low, high in dates)
    ]
