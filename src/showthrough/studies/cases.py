"""Places in documents with what stands around them, those of the most frequent strings first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from showthrough.core.arrays import Bools
from showthrough.core.errors import PlanError, join_names, shorten, suggest_name
from showthrough.data.documents import Document
from showthrough.run.documents import RunTexts
from showthrough.run.run import WITHOUT_TEXT, Run
from showthrough.studies.failures import Location, MaskKind
from showthrough.studies.leaks import LeakKind

_AROUND = 40  # characters that are shown on either side
LONGEST = 200  # characters of the place itself: mentions may be nested, and each as long as its document
_SPACES = re.compile(r"\s+")
_CUT_FIRST, _CUT_LAST = re.compile(r"^\S+(?=\s)"), re.compile(r"(?<=\s)\S+$")


class Context(NamedTuple):
    """What stands before a place, there and after it; a word that is cut off is left out."""

    before: str
    here: str
    after: str


def context_of(text: str, start: int, end: int) -> Context:
    """A place with the words around it, where words have spaces between them.

    >>> context_of("The applicants say that they were born in Oslo,\\nlive there and leave it seldom.", 42, 46)
    Context(before='applicants say that they were born in ', here='Oslo', after=', live there and leave it seldom.')
    """
    return Context(_text_before(text, start), in_a_line(text, start, end), _text_after(text, end))


def in_a_line(text: str, start: int, end: int) -> str:
    """What stands there, in one line; of a very long place the beginning and the end."""
    if end - start > LONGEST:
        half = LONGEST // 2
        return f"{in_a_line(text, start, start + half)} … {in_a_line(text, end - half, end)}"
    return _SPACES.sub(" ", text[start:end])


def _text_before(text: str, start: int) -> str:
    low = max(0, start - _AROUND)
    piece = text[low:start]
    if low and not text[low - 1].isspace():
        piece = _CUT_FIRST.sub("", piece)
    return _SPACES.sub(" ", piece).lstrip()


def _text_after(text: str, end: int) -> str:
    high = end + _AROUND
    piece = text[end:high]
    if high < len(text) and not text[high].isspace():
        piece = _CUT_LAST.sub("", piece)
    return _SPACES.sub(" ", piece).rstrip()


_PIECES = 20  # of a place that can be read

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


class LocatedCase(NamedTuple):
    """A case, and the place it is about."""

    location: Location
    case: ErrorCase


def case_at(
    document: Document,
    location: Location,
    kind: CaseKind,
    entity_type: str,
    identifier: Literal["DIRECT", "QUASI", ""] = "",
) -> ErrorCase:
    """A place with its context."""
    start, end = location.start, location.end
    return ErrorCase(kind, entity_type, identifier, document.id, start, end, *context_of(document.text, start, end))


def rank_cases(located: Iterable[LocatedCase]) -> list[ErrorCase]:
    """All of them, the most frequent strings first; of one string in the order of the documents."""
    every = [(case_row.case.string, *case_row) for case_row in located]
    location_counts = Counter(string for string, _ in {(string, location) for string, location, _ in every})
    documents = Counter(string for string, _ in {(string, location.document) for string, location, _ in every})
    every.sort(key=lambda row: (-location_counts[row[0]], row[0], row[1], row[2].entity_type))
    return [replace(case, times=location_counts[string], documents=documents[string]) for string, _, case in every]


def readable_words(text: str, hidden: Bools) -> str:
    """What can be read of a text, of which some characters are hidden.

    >>> readable_words("John Doe-Smith", np.array([True] * 4 + [False] * 4 + [True] * 6))
    'Doe'
    """
    edges = np.flatnonzero(np.diff(~hidden, prepend=False, append=False)).reshape(-1, 2)
    pieces = [in_a_line(text, low, high).strip() for low, high in edges[:_PIECES].tolist()]
    worded = [piece for piece in pieces if any(map(str.isalnum, piece))]
    return " … ".join(worded or [piece for piece in pieces if piece])[:LONGEST]


def require_texts(run: Run, file: str = "") -> RunTexts:
    """The documents that a run keeps; raises PlanError where it keeps none."""
    if run.texts is not None:
        return run.texts
    if not run.complete:
        raise PlanError("the run was interrupted and keeps no text yet; complete it with evaluate --resume", "", file)
    how = " without --without-text" if run.provenance.get(WITHOUT_TEXT) else ""
    raise PlanError(f"the run keeps no text, so no error can be shown; evaluate again{how}", "", file)


def name_in(run: Run, name: str | None) -> str:
    """The name of an anonymization, which need not be said where there is one alone; PlanError for one that is not."""
    if name is None:
        if len(run.names) == 1:
            return run.names[0]
        raise PlanError(f"there are {join_names(run.names)}; expected one of them", "anonymization")
    if name not in run.names:
        hint = f"{suggest_name(name, run.names)}there are {join_names(run.names)}"
        raise PlanError(f"not in this run; {hint}", f"anonymization {shorten(name)}")
    return name
