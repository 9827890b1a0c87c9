"""Places in documents with what stands around them, those of the most frequent strings first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from showthrough.analysis.failures import MaskKind, Place
from showthrough.analysis.leaks import LeakKind
from showthrough.axis.spans import Bools
from showthrough.data.documents import Document

_AROUND = 40  # characters that are shown on either side
_LONGEST = 200  # characters of the place itself: mentions may be nested, and each as long as its document
_PIECES = 20  # of it that can be read
_SPACES = re.compile(r"\s+")
_CUT_FIRST, _CUT_LAST = re.compile(r"^\S+(?=\s)"), re.compile(r"(?<=\s)\S+$")

CaseKind = LeakKind | MaskKind


class ErrorCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place where an anonymization fails, with its context. Offsets are those of the document.

    `times` is in how many places, and `documents` in how many documents of the run, the same string leaks, or is masked
    needlessly, whatever its case, spaces and type. `readable` is what can be read of a mention that is hidden in part.
    """

    kind: CaseKind
    entity_type: str
    identifier: Literal["DIRECT", "QUASI", ""]  # empty: of a mask
    document: str
    start: int
    end: int
    before: str
    text: str
    after: str
    times: int = 1
    documents: int = 1
    readable: str = ""
    repeated: bool = False  # a mask is there, but its replacement says words of it

    @property
    def string(self) -> str:
        """What is the same string."""
        return self.text.casefold()


class Located(NamedTuple):
    """A case, and the place it is about."""

    place: Place
    case: ErrorCase


def case_at(
    document: Document, place: Place, kind: CaseKind, entity_type: str, identifier: Literal["DIRECT", "QUASI", ""] = ""
) -> ErrorCase:
    """A place with its context."""
    text, start, end = document.text, place.start, place.end
    before, after = _before(text, start), _after(text, end)
    return ErrorCase(kind, entity_type, identifier, document.id, start, end, before, _told(text, start, end), after)


def ranked(located: Iterable[Located]) -> list[ErrorCase]:
    """All of them, the most frequent strings first; of one string in the order of the documents."""
    every = [(one.case.string, *one) for one in located]
    places = Counter(string for string, _ in {(string, place) for string, place, _ in every})
    documents = Counter(string for string, _ in {(string, place.document) for string, place, _ in every})
    every.sort(key=lambda one: (-places[one[0]], one[0], one[1], one[2].entity_type))
    return [replace(case, times=places[string], documents=documents[string]) for string, _, case in every]


def readable_words(text: str, hidden: Bools) -> str:
    """What can be read of a text, of which some characters are hidden.

    >>> readable_words("John Doe-Smith", np.array([True] * 4 + [False] * 4 + [True] * 6))
    'Doe'
    """
    edges = np.flatnonzero(np.diff(~hidden, prepend=False, append=False)).reshape(-1, 2)
    pieces = [_told(text, low, high).strip() for low, high in edges[:_PIECES].tolist()]
    worded = [piece for piece in pieces if any(map(str.isalnum, piece))]
    return " … ".join(worded or [piece for piece in pieces if piece])[:_LONGEST]


def _told(text: str, start: int, end: int) -> str:
    """What stands there, in one line; of a very long place the beginning and the end."""
    if end - start > _LONGEST:
        half = _LONGEST // 2
        return f"{_told(text, start, start + half)} … {_told(text, end - half, end)}"
    return _SPACES.sub(" ", text[start:end])


def _before(text: str, start: int) -> str:
    """The words before a place; a word that is cut off is left out, where words have spaces between them."""
    low = max(0, start - _AROUND)
    piece = text[low:start]
    if low and not text[low - 1].isspace():
        piece = _CUT_FIRST.sub("", piece)
    return _SPACES.sub(" ", piece).lstrip()


def _after(text: str, end: int) -> str:
    """The words after a place."""
    high = end + _AROUND
    piece = text[end:high]
    if high < len(text) and not text[high].isspace():
        piece = _CUT_LAST.sub("", piece)
    return _SPACES.sub(" ", piece).rstrip()
