"""Edits of a document that carry its marks along, and what a perturbation sees of a document.

An edit replaces a stretch of the original text. None crosses the border of a mark, so it is clear where each mark is
afterwards: it covers what became of the text that it covered.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, pairwise
from random import Random
from typing import Literal, NamedTuple

import regex
from msgspec import structs

from showthrough.data.documents import Annotation, Document, Mention
from showthrough.data.schemes import phi_type

Edit = tuple[int, int, str]  # start and end of what is replaced, and what is there afterwards
Scope = Literal["text", "marks", "names"]

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_LETTERS = regex.compile(r"\X")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_PERSON = "person"


class Word(NamedTuple):
    """Letters and digits in a row, within or without a mark, but not across its border."""

    start: int
    end: int
    text: str

    @property
    def letters(self) -> list[str]:
        """As people see them: with the accents and vowel signs that they carry."""
        return list(_LETTERS.findall(self.text))

    def edit(self, new: str) -> Edit:
        return self.start, self.end, new


class Page:
    """One document as a perturbation sees it.

    What is drawn depends on the seed, the perturbation, the id of the document and the word alone. So the order of
    documents does not matter, and a document writes a word the same way wherever it has it: what could be read in a
    second place before can be read there afterwards.
    """

    def __init__(self, document: Document, seed: int, name: str, scope: Scope) -> None:
        self.document = document
        self.text = document.text
        self._key = f"{seed}\0{name}\0{document.id}\0"
        self._scope = scope

    def random(self, word: str = "") -> Random:
        """A generator for a word, or for all places of the document in their order."""
        return Random(f"{self._key}{word.casefold()}")

    def is_drawn(self, word: str, rate: float) -> bool:
        """Whether a word is among the share that is changed."""
        digest = blake2b(f"{self._key}{word.casefold()}".encode(errors="surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest) < rate * 2**64

    @cached_property
    def marks(self) -> list[tuple[str, Mention]]:
        """What must be masked, each with its annotator; where names alone are meant, the persons."""
        return [
            (layer.annotator, mention)
            for layer in self.document.annotations
            for mention in layer.mentions
            if mention.must_mask and (self._scope != "names" or phi_type(mention.entity_type).kind == _PERSON)
        ]

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where they are, joined."""
        spans: list[tuple[int, int]] = []
        for start, end in sorted((mention.start, mention.end) for _, mention in self.marks):
            if spans and start <= spans[-1][1]:
                spans[-1] = spans[-1][0], max(end, spans[-1][1])
            else:
                spans.append((start, end))
        return spans

    def is_within(self, start: int, end: int) -> bool:
        """Whether a stretch lies in a mark."""
        number = bisect_right(self.spans, (start, len(self.text))) - 1
        return number >= 0 and end <= self.spans[number][1]

    @cached_property
    def all_words(self) -> list[Word]:
        """All words, cut where a mark begins or ends; without spaces also where a marked string is repeated."""
        cuts = {*borders_of(self.document), *self._repeats()}
        ordered = sorted(cuts)
        return [
            Word(start, end, self.text[start:end])
            for match in _WORD.finditer(self.text)
            for start, end in pairwise(
                [match.start(), *ordered[bisect_right(ordered, match.start()) : bisect_left(ordered, match.end())],
                 match.end()]
            )
        ]  # fmt: skip

    def words(self) -> Iterator[Word]:
        """All words; or those in marks, and the same words elsewhere unless they are in small letters."""
        if self._scope == "text":
            yield from self.all_words
            return
        within = {word for word in self.all_words if self.is_within(word.start, word.end)}
        same = {word.text for word in within if not word.text.islower()}
        yield from (word for word in self.all_words if word in within or word.text in same)

    def drawn_words(self, rate: float) -> Iterator[Word]:
        """The share of them that is changed: of one word all places, or none."""
        return (word for word in self.words() if self.is_drawn(word.text, rate))

    def _repeats(self) -> Iterator[int]:
        strings = {self.text[mention.start : mention.end] for _, mention in self.marks}
        for string in filter(_UNSPACED.search, strings):
            start = self.text.find(string)
            while start >= 0:
                yield from (start, start + len(string))
                start = self.text.find(string, start + len(string))


def borders_of(document: Document) -> list[int]:
    """Where marks begin and end, in order."""
    mentions = (mention for layer in document.annotations for mention in layer.mentions)
    return sorted({border for mention in mentions for border in (mention.start, mention.end)})


def fitting_edits(document: Document, edits: Iterable[Edit]) -> list[Edit]:
    """The edits that change something, in order: none overlaps another, crosses a border or leaves a mark empty."""
    borders, text = borders_of(document), document.text
    result: list[Edit] = []
    for start, end, new in sorted(edits):
        apart = start < end and start >= (result[-1][1] if result else 0)
        crosses = bisect_right(borders, start) < bisect_left(borders, end)
        if apart and not crosses and text[start:end] != new:
            result.append((start, end, new))
    places = _Places(result)
    empty = [
        mention
        for layer in document.annotations
        for mention in layer.mentions
        if not places.text(text, mention.start, mention.end).strip()
    ]
    result = [edit for edit in result if not any(span.start <= edit[0] and edit[1] <= span.end for span in empty)]
    return result if _Places(result).text(text, 0, len(text)).strip() else []


def carry(document: Document, edits: Sequence[Edit]) -> Document:
    """The document with these edits made, each mark over what became of its text, and all else as it was."""
    places = _Places(edits)

    def moved(mention: Mention) -> Mention:
        return structs.replace(mention, start=places.after(mention.start), end=places.after(mention.end))

    layers = tuple(Annotation(layer.annotator, tuple(map(moved, layer.mentions))) for layer in document.annotations)
    text = places.text(document.text, 0, len(document.text))
    return structs.replace(document, text=text, annotations=layers)


class _Places:
    """Where places of the original are after some edits, which are in order."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._ends = [end for _, end, _ in edits]
        self._grown = list(accumulate((len(new) - (end - start) for start, end, new in edits), initial=0))

    def after(self, offset: int) -> int:
        return offset + self._grown[bisect_right(self._ends, offset)]

    def text(self, text: str, start: int, end: int) -> str:
        """What became of a stretch whose ends lie in no edit."""
        pieces = []
        for low, high, new in self._edits[bisect_right(self._ends, start) : bisect_right(self._ends, end)]:
            pieces += [text[start:low], new]
            start = high
        return "".join([*pieces, text[start:end]])
