"""Masks what tells more of somebody than a bound allows: C-sanitized text (Sánchez and Batet 2016)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import InputError, PlanError, Problem, at_document, quote_value
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Mask
from showthrough.systems.base import BaseAnonymizer

_WORD = re.compile(r"\w+")
_EXACT = 9  # decimals: two logarithms of equal shares may differ in the last digit
_NAME = "NAME"  # in the tag of an attribute that says what a person is called


def _words(text: str) -> list[str]:
    """The words of a text in lower case: cut before, because lower case puts a mark into İ that ends a word."""
    return [word.casefold() for word in _WORD.findall(text)]


class Counts:
    """In which documents of a corpus each word stands."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [" ".join(_words(text)) for text in texts]
        self._places: dict[str, set[int]] = {}
        for number, text in enumerate(self._texts):
            for word in set(text.split()):
                self._places.setdefault(word, set()).add(number)

    def places(self, words: Sequence[str]) -> set[int]:
        """The documents that have these words, one after the other."""
        documents = set.intersection(*(self._places.get(word, set()) for word in words)) if words else set()
        if len(words) < 2:
            return documents
        phrase = f" {' '.join(words)} "
        return {number for number in documents if phrase in f" {self._texts[number]} "}

    def information(self, places: set[int]) -> float:
        """−log₂ of the share of documents."""
        return -math.log2(len(places) / len(self._texts))

    def mutual_information(self, word: str, places: set[int]) -> float:
        """Of a word and of what stands in some documents, point by point: log₂ p(both) / (p(word) · p(other)).

        >>> counts = Counts(["Ann is a judge", "Bob is ill", "Cem is ill", "Dee is a judge"])
        >>> ann = counts.places(["ann"])  # 1 of 4 documents; with judge, in 2 of 4, also 1: 1/4 / (2/4 · 1/4)
        >>> [counts.mutual_information(word, ann) for word in ("ann", "judge", "is", "ill")]
        [2.0, 1.0, 0.0, -inf]
        """
        own = self._places.get(word, set())
        both = len(own & places)
        return math.log2(both * len(self._texts) / (len(own) * len(places))) if both else -math.inf


@dataclass(frozen=True)
class Sanitize(BaseAnonymizer):
    """Masks every word that tells too much of the person whom a document is about, by a corpus that counts words.

    A word is masked if its point-wise mutual information with the person's name exceeds a share of the information of
    the name: PMI(word; name) > alpha · IC(name), from the documents of the corpus in which both stand. So is the name
    where it stands whole. The smaller alpha, the more is masked. Whom a document is about, the corpus says: by its
    subjects' names, or by the task of the Text Anonymization Benchmark. Or the user says it, of all documents alike.
    """

    kind: ClassVar[str] = "sanitize"
    apart: ClassVar[bool] = True
    needs: ClassVar[str] = "a corpus with subjects"
    version: ClassVar[int] = 3

    corpus: str = parameter("", "the corpus that counts words, in any format; it may be the one that is masked")
    alpha: float = parameter(0.5, "the share of the information of the name that a word may have, from 0 to 1")
    entity: str = parameter("", "the name of whom all documents are about; empty: the corpus says it of each")

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise PlanError(f"found {self.alpha}; expected 0 to 1", "alpha")

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        corpus_words = _read(self._path)
        return [list(self._masks(document, corpus_words)) for document in documents]

    def _masks(self, document: Document, corpus_words: _Known) -> Iterator[Mask]:
        spans = [match.span() for match in _WORD.finditer(document.text)]
        words = [(*span, word) for span, word in zip(spans, _words(document.text), strict=True)]
        names = [self.entity] if self.entity else corpus_words.people.get(document.id, [])
        risky: set[str] = set()
        called: set[int] = set()  # places of words of a name that stands there whole
        spoken = {word for _, _, word in words}
        for name in names:
            parts = _words(name)
            places = corpus_words.counts.places(parts)
            if not places:
                fault = f"{quote_value(name)} is in no document of {self.corpus}, so that nothing can be counted"
                raise self._fault(document, f"{fault}; expected the name as texts have it")
            information = corpus_words.counts.information(places)
            bound = self.alpha * information
            risky |= {word for word in spoken if _exceeds(corpus_words.counts.mutual_information(word, places), bound)}
            if _exceeds(information, bound):  # what the name tells of itself
                called |= _standing(parts, [word for _, _, word in words])
        if not names:
            expected = "expected a corpus with subjects that have names, or one name for all (entity=NAME)"
            raise self._fault(document, f"nobody says whom it is about; {expected}")
        masked = [(start, end) for at, (start, end, word) in enumerate(words) if word in risky or at in called]
        yield from _joined(document.text, masked)

    def _fault(self, document: Document, fault: str) -> InputError:
        return InputError(Problem("", f"anonymizer {self.kind}: {at_document(document.id)}", fault))

    def prepare(self) -> None:
        _read(self._path)

    @property
    def pinned(self) -> Mapping[str, str]:
        return {"corpus": _read(self._path).digest}

    @property
    def _path(self) -> str:
        if not self.corpus:
            expected = "expected a corpus that counts words, as in sanitize:corpus.json"
            raise PlanError(f"has no corpus; {expected}", f"anonymizer {self.kind}")
        return self.corpus


@dataclass(frozen=True)
class _Known:
    """What a corpus tells: its counts, and the names of people by document."""

    counts: Counts
    people: Mapping[str, list[str]]
    digest: str


@lru_cache(maxsize=2)
def _read(path: str) -> _Known:
    from showthrough.formats import read_corpus

    corpus: Corpus = read_corpus(Path(path))
    people = {document.id: list(dict.fromkeys(_names(document))) for document in corpus}
    return _Known(Counts(document.text for document in corpus), people, corpus.digest)


def _names(document: Document) -> Iterator[str]:
    """Of those whom a document is about."""
    for subject in document.subjects:
        yield from (item.value for item in subject.attributes if _NAME in item.tag.upper())
    if named := document.protected:  # by the task of a benchmark
        yield named


def _exceeds(information: float, bound: float) -> bool:
    return round(information - bound, _EXACT) > 0


def _standing(parts: Sequence[str], words: Sequence[str]) -> set[int]:
    """The places of words that make up a phrase.

    >>> sorted(_standing(["ann", "lee"], ["ann", "met", "ann", "lee"]))
    [2, 3]
    """
    first = [at for at, word in enumerate(words) if word == parts[0] and list(words[at : at + len(parts)]) == parts]
    return {at + more for at in first for more in range(len(parts))}


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Mask]:
    """A mask for each run of words with nothing but white space between them."""
    run: tuple[int, int] | None = None
    for start, end in spans:
        if run and text[run[1] : start].isspace():
            run = run[0], end
            continue
        if run:
            yield Mask(*run)
        run = start, end
    if run:
        yield Mask(*run)
