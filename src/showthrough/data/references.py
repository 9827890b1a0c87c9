"""The two ends of every scale: what a text scores with which nothing was done, and one of which nothing is left.

An anonymizer that does nothing has a recall above 0 where function words need not be masked, and one that hides
everything has a precision above 0. A number means little without them, so every evaluation scores both. They are
references and never under test: nothing is compared with them, and none is the best of a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization, Mask

NOTHING = "nothing masked"
EVERYTHING = "everything masked"
REFERENCES = (NOTHING, EVERYTHING)  # names that no anonymization under test may have


class _Made(Mapping[str, Sequence[Mask]]):
    """Masks by document id, made when they are asked for: those of a million documents take no memory."""

    def __init__(self, lengths: Mapping[str, int], whole: bool) -> None:
        self._lengths = lengths
        self._whole = whole

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        length = self._lengths[document_id]
        return (Mask(0, length),) if self._whole else ()

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._lengths

    def __iter__(self) -> Iterator[str]:
        return iter(self._lengths)

    def __len__(self) -> int:
        return len(self._lengths)


def references_of(corpus: Corpus) -> tuple[Anonymization, ...]:
    """Nothing masked, and each document masked as a whole.

    >>> from showthrough.data.documents import Document
    >>> [one.of("a") for one in references_of(Corpus([Document("a", "Mr Doe")]))]
    [(), (Mask(start=0, end=6, replacement=None),)]
    """
    lengths = dict(zip(corpus.ids, corpus.survey.lengths.tolist(), strict=True))
    return tuple(Anonymization(_Made(lengths, name == EVERYTHING), name) for name in REFERENCES)
