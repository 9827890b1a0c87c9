"""The two ends of every scale: what a text scores with which nothing was done, and one of which nothing is left.

An anonymizer that does nothing has a recall above 0 where function words need not be masked, and one that hides
everything has a precision above 0. A number means little without them, so every evaluation scores both. They are
references and never under test: nothing is compared with them, and none is the best of a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from showthrough.core.arrays import AnyArray, Ints
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization, Mask, NumberedMasks
from showthrough.storage.columns.strings import Strings

NOTHING = "nothing masked"
EVERYTHING = "everything masked"
ORIGINALS = "the originals"  # as messages call the texts of which nothing is masked
_BLOCK = 4096  # documents whose lengths are looked up at once
REFERENCES = (NOTHING, EVERYTHING)  # names that no anonymization under test may have


def references_of(corpus: Corpus) -> tuple[Anonymization, ...]:
    """Nothing masked, and each document masked as a whole.

    >>> from showthrough.data.documents import Document
    >>> [reference.of("a") for reference in references_of(Corpus([Document("a", "Mr Doe")]))]
    [(), (Mask(start=0, end=6, replacement=None),)]
    """
    survey = corpus.survey
    nothing, everything = (_Whole(survey.ids, survey.lengths, masked) for masked in (False, True))
    return Anonymization(nothing, NOTHING), Anonymization(everything, EVERYTHING)


class _Whole(NumberedMasks):
    """Every document masked as a whole, or none of it."""

    def __init__(self, ids: Strings, lengths: AnyArray, masked: bool) -> None:
        super().__init__(ids)
        self._lengths = lengths
        self._masked = masked

    def load(self, numbers: Ints) -> Iterator[Sequence[Mask]]:
        for start in range(0, len(numbers), _BLOCK):
            for length in self._lengths[numbers[start : start + _BLOCK]].tolist():
                yield (Mask(0, length),) if self._masked else ()

    def taken(self, numbers: Ints) -> _Whole:
        return _Whole(self.ids.taken(numbers), self._lengths[numbers], self._masked)
