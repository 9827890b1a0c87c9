"""In which releases a direct identifier of another document can be read, where nobody marked it.

Metrics look in each release for what was marked in its own document. A name that annotators overlooked in one document
and marked in another is readable all the same. Only what hardly anybody writes by chance is looked for: full names,
addresses and numbers of five digits or more, as they were marked. An annotator who marked the place, whatever as, saw
it. A short replacement of that name is nobody's: it is a surrogate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from showthrough.data._document_traces import plain_name
from showthrough.data.documents import Document, Mention
from showthrough.data.masks import Mask
from showthrough.data.reading_form import find_word, locate, reading_form
from showthrough.data.types import nearest, path_of
from showthrough.metrics.matching.forms import TITLE_FORMS

_KINDS = frozenset({"PERSON", "CODE", "CONTACT", "CREDENTIAL"})  # of types; one that nobody knows may be any of them
_DIGITS = 5  # of a number that is rare
_LONGEST = 200  # characters of an identifier
_SURROGATE = 60  # characters of a replacement that names somebody else

Place = tuple[int, int]


class OthersIdentifiers:
    """The direct identifiers of some documents, looked for in all others of them."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._own = [set(_identifiers(document)) for document in documents]  # its annotators saw these, whatever as
        direct = (form for document in documents for form in _identifiers(document, direct=True))
        self._by_word: dict[str, set[str]] = {}  # by a word of each, which is the first that is looked for
        for form in dict.fromkeys(direct):
            self._by_word.setdefault(max(form.split(), key=len), set()).add(form)
        self._words = frozenset(self._by_word)
        self._places = {
            number: places for number, document in enumerate(documents) if (places := self._unmarked(number, document))
        }

    def released(self, masks: Sequence[Sequence[Mask]]) -> list[str]:
        """Documents in whose release one can be read, by the masks of all documents in their order."""
        written: dict[str, set[str]] = {}
        return [
            document.id
            for number, document in enumerate(self._documents)
            if any(_is_open(span, masks[number]) for span in self._places.get(number, ()))
            or any(self._in_replacement(mask.replacement or "", written) - self._own[number] for mask in masks[number])
        ]

    def _find(self, form: str) -> Iterator[str]:
        """Identifiers that a reading form may have, and has somewhere."""
        for word in self._words.intersection(form.split()):
            yield from (other for other in self._by_word[word] if f" {other} " in f" {form} ")

    def _in_replacement(self, replacement: str, written: dict[str, set[str]]) -> set[str]:
        if len(replacement) <= _SURROGATE:
            return set()
        if replacement not in written:
            written[replacement] = set(self._find(reading_form(replacement)))
        return written[replacement]

    def _unmarked(self, number: int, document: Document) -> list[Place]:
        """Where those of other documents are in the original, and no annotator marked anything."""
        others = sorted(set(self._find(reading_form(document.text))) - self._own[number])
        if not others:
            return []
        form, _, starts, ends = locate(document.text)
        marks = [mark for layer in document.annotations for mark in layer.mentions]
        places = [
            (int(starts[at]), int(ends[at + len(other) - 1])) for other in others for at in find_word(form, other)
        ]
        return [span for span in places if not any(_overlap(span, mark) for mark in marks)]


def _identifiers(document: Document, *, direct: bool = False) -> Iterator[str]:
    """The reading forms of what was marked, as far as it is rare enough; of direct identifiers alone."""
    for layer in document.annotations:
        for mark in layer.mentions:
            if direct and mark.identifier != "DIRECT":
                continue
            if mark.end - mark.start <= _LONGEST and (kind := _kind(mark)):
                text = document.text[mark.start : mark.end]
                if sum(map(str.isdigit, text)) >= _DIGITS or (kind == "name" and plain_name(text)) or kind == "address":
                    words = reading_form(text).split()
                    while words and words[0] in TITLE_FORMS:
                        del words[0]
                    if words:
                        yield " ".join(words)


def _kind(mark: Mention) -> str:
    nearest_kind = nearest(mark.entity_type)
    path = set(path_of(nearest_kind)) if nearest_kind else {"PERSON"}
    return "" if not path & _KINDS else "address" if "CONTACT" in path else "name" if "PERSON" in path else "number"


def _overlap(span: Place, other: Mention | Mask) -> bool:
    return span[0] < other.end and other.start < span[1]


def _is_open(span: Place, masks: Sequence[Mask]) -> bool:
    return not any(_overlap(span, mask) for mask in masks)
