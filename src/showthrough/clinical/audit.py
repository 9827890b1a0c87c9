"""The proof that surrogates left nothing: whatever was marked in a record must not be read in it any more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from showthrough.clinical.categories import Kind, phi_type
from showthrough.clinical.wordlists import PARTICLES, TITLES
from showthrough.text import Document, Mention

LETTERS = 4  # a string with fewer says too little: initials and numbers may come out the same by chance
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Leak:
    """A string that was marked in the original and can be read in the surrogate."""

    document: str
    text: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"document {self.document}: {self.text!r} at {self.start}–{self.end} was marked in the original"


def marked(document: Document, keep: Collection[str] = ()) -> list[Mention]:
    """All mentions that are to be replaced, of all annotators, each once, the longest first."""
    found = {
        (mention.start, mention.end, mention.entity_type): mention
        for annotation in document.annotations
        for mention in annotation.mentions
        if mention.identifier != "NO_MASK" and mention.entity_type not in keep
    }
    return sorted(found.values(), key=lambda one: (one.start - one.end, one.start, one.entity_type))


def identifying(document: Document, keep: Collection[str] = ()) -> dict[str, Kind]:
    """The strings that may not be left, in small letters, and what they are.

    Every marked string of four or more letters, and of persons every single name of as many.
    """
    found: dict[str, Kind] = {}
    for mention in marked(document, keep):
        text = document.text[mention.start : mention.end]
        kind = phi_type(mention.entity_type).kind
        strings = [text]
        if kind == "person":
            strings += (word for word in _WORD.findall(text) if word.casefold() not in TITLES | PARTICLES)
        for string in strings:
            if sum(map(str.isalpha, string)) >= LETTERS:
                found.setdefault(" ".join(string.casefold().split()), kind)
    return found


def occurrences(text: str, strings: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Where strings stand in a text as whole words, whatever their capitals and line breaks; the longest first."""
    patterns = [re.escape(string).replace(r"\ ", r"\s+") for string in sorted(strings, key=len, reverse=True)]
    if patterns:
        for match in re.finditer(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", text, re.IGNORECASE):
            yield match.start(), match.end(), " ".join(match[0].casefold().split())


def audit(original: Document, surrogate: Document, keep: Collection[str] = ()) -> list[Leak]:
    """Every place where a marked string of the original is left in the surrogate; none, if all is well.

    A date is left when all of it is: the June of `5 June 2004` is not the June that was marked alone elsewhere.
    """
    strings = identifying(original, keep)
    dates = [
        (mention.start, mention.end)
        for mention in marked(surrogate, keep)
        if phi_type(mention.entity_type).kind == "date"
    ]
    return [
        Leak(surrogate.id, surrogate.text[start:end], start, end)
        for start, end, string in occurrences(surrogate.text, strings)
        if strings[string] != "date" or not any(_inside(start, end, date) for date in dates)
    ]


def _inside(start: int, end: int, span: tuple[int, int]) -> bool:
    return span[0] <= start and end <= span[1] and (start, end) != span
