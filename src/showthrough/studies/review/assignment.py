"""What is to be reviewed: whose annotations, of which documents, and what these are called in the folder."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from showthrough.core.errors import PlanError, join_names, quote_value, suggest_name
from showthrough.data.documents import Corpus
from showthrough.studies.review.copies import build_masks, layer_of

# A reviewer must not learn from a document's name what is hidden, and every file system must take the name.

_LONGEST = 100  # bytes: with a number and an ending every file system has room for it
_NOT_SAFE = re.compile(r"[^\w.-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE | re.DOTALL)  # on Windows
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_TELLING = 4  # letters of a word that somebody would know again; fewer where a letter is a syllable or a word


def document_name(number: int, used: Container[str] = ()) -> str:
    """What a document is called whose id would tell something; no id that another has."""
    name = f"document-{number + 1}"
    while name in used:
        name += "x"
    return name


def tells(name: str, hidden: Iterable[str]) -> bool:
    """Whether a document's id has a word of what is hidden in it; a number counts whole, since long ids have any year.

    >>> tells("Doering_v_X", ["Mr Doering"]), tells("in-2006", ["May 2006"]), tells("S0614200600", ["May 2006"])
    (True, True, False)
    """
    folded = "".join(_WORD.findall(name.casefold()))
    numbers = set(_DIGITS.findall(name))
    words = {word for text in hidden for word in _WORD.findall(text.casefold())}
    telling = (word for word in words if len(word) >= (_TELLING if word.isascii() else 2))
    return any(word in numbers if word.isdigit() else word in folded for word in telling)


def file_names(names: Iterable[str]) -> Iterator[str]:
    """A file name for each, without its ending; no two are the same to a system that knows no capitals.

    >>> list(file_names(["a/b", "A_B", "..", "con"]))
    ['a_b', 'A_B-2', 'document-3', '_con']
    """
    used: set[str] = set()
    for number, name in enumerate(names):
        plain = _NOT_SAFE.sub("_", unicodedata.normalize("NFC", name)).strip("._-")
        usual = plain.encode()[:_LONGEST].decode(errors="ignore").rstrip("._-") or document_name(number)
        usual = f"_{usual}" if _RESERVED.fullmatch(usual) else usual
        chosen, times = usual, 1
        while _key(chosen) in used:
            times += 1
            chosen = f"{usual}-{times}"
        used.add(_key(chosen))
        yield chosen


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())


COPIES, MARKED = "copies", "marked"  # folders


@dataclass(frozen=True)
class Assignment:
    """One annotator's documents. What is kept of each is its name: texts are read when they are needed."""

    annotator: str
    names: Sequence[str]  # of all documents of the corpus
    layered: Sequence[int]  # documents that the annotator looked at, by number
    numbers: Sequence[int]  # those of them to be reviewed
    telling: frozenset[int]  # those of all whose id would tell something, and that have a number for a name

    @cached_property
    def files(self) -> Sequence[str]:
        """The copies of all documents of the corpus: the same names whichever are to be reviewed."""
        return [f"{COPIES}/{name}.txt" for name in file_names(self.names)]

    @property
    def without(self) -> int:
        """Documents that the annotator did not look at."""
        return len(self.names) - len(self.layered)


def assign_documents(
    corpus: Corpus, annotator: str | None = None, sample: int | None = None, seed: int = 0
) -> Assignment:
    """The documents of an annotator, the only one where none is named; with `sample`, so many of them by chance."""
    if sample is not None and sample < 1:
        raise PlanError(f"found {sample}; expected 1 or more", "sample")
    chosen = _choose_annotator(corpus, annotator)
    names: list[str] = []
    layered: list[int] = []
    telling = set()
    ids = frozenset(corpus.ids)
    for number, document in enumerate(corpus):
        name = document.id
        if (layer := layer_of(document, chosen)) is not None:
            layered.append(number)
            if tells(name, (document.text[mask.start : mask.end] for mask in build_masks(document.text, layer))):
                name = document_name(number, ids)
                telling.add(number)
        names.append(name)
    return Assignment(chosen, names, layered, _draw_sample(layered, sample, seed), frozenset(telling))


def _draw_sample(numbers: Sequence[int], sample: int | None, seed: int) -> Sequence[int]:
    if sample is None or sample >= len(numbers):
        return numbers
    drawn = np.random.default_rng(seed).choice(len(numbers), sample, replace=False)
    return [numbers[index] for index in np.sort(drawn).tolist()]


def _choose_annotator(corpus: Corpus, annotator: str | None) -> str:
    layers = Counter(annotation.annotator for document in corpus for annotation in document.annotations)
    if not layers:
        fault = f"nobody has marked anything in {join_names([corpus.name])}; expected annotations to look through"
        raise PlanError(fault, "annotator")
    annotators = [name for name, _ in layers.most_common()]
    if annotator is None and len(annotators) > 1:
        raise PlanError(f"found {len(annotators)} annotators; choose one of {join_names(annotators)}", "annotator")
    if annotator is not None and annotator not in layers:
        hint = suggest_name(annotator, annotators)
        raise PlanError(f"found {quote_value(annotator)}; {hint}expected one of {join_names(annotators)}", "annotator")
    return annotators[0] if annotator is None else annotator
