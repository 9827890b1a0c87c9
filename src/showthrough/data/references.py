"""The two ends of every scale: what a text scores with which nothing was done, and one of which nothing is left.

An anonymizer that does nothing has a recall above 0 where function words need not be masked, and one that hides
everything has a precision above 0. A number means little without them, so every evaluation scores both. They are
references and never under test: nothing is compared with them, and none is the best of a table.
"""

from __future__ import annotations

from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization, DerivedMasks, Mask

NOTHING = "nothing masked"
EVERYTHING = "everything masked"
ORIGINALS = "the originals"  # as messages call the texts of which nothing is masked
REFERENCES = (NOTHING, EVERYTHING)  # names that no anonymization under test may have


def references_of(corpus: Corpus) -> tuple[Anonymization, ...]:
    """Nothing masked, and each document masked as a whole.

    >>> from showthrough.data.documents import Document
    >>> [one.of("a") for one in references_of(Corpus([Document("a", "Mr Doe")]))]
    [(), (Mask(start=0, end=6, replacement=None),)]
    """
    lengths = dict(zip(corpus.ids, corpus.survey.lengths.tolist(), strict=True))
    nothing, everything = DerivedMasks(lengths, lambda _: ()), DerivedMasks(lengths, lambda length: (Mask(0, length),))
    return Anonymization(nothing, NOTHING), Anonymization(everything, EVERYTHING)
