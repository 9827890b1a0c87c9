"""Collects what shows that documents belong together, a few bytes a document; traces of parts add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from showthrough.data.copies import Bytes, Hashes, Sketching
from showthrough.data.identity import Roles, identities
from showthrough.storage.columns.growing import GrowingNumbers
from showthrough.storage.columns.index import GrowingHashes

if TYPE_CHECKING:
    from showthrough.data.documents import Document


@dataclass(frozen=True, eq=False)
class Traces:
    """The texts of documents, and who they are about."""

    texts: Hashes  # of each document: texts that are equal but for white space have the same
    sketches: Bytes  # of each document a row: those of near copies are much alike
    identities: Hashes  # numbers and full names of people, in the order of the documents that have them
    documents: NDArray[np.integer]  # of each identity, the number of its document


class Tracing:
    """Traces on their way: documents are added one by one, or those of parts all at once."""

    def __init__(self) -> None:
        self._count = 0
        self._roles = Roles()
        self._sketching = Sketching()
        self._identities, self._identified = GrowingHashes(), GrowingNumbers()

    def add(self, document: Document) -> None:
        self._sketching.append(document.text)
        roles = self._roles
        marks = [
            (role, mention)
            for layer in document.annotations
            for mention in layer.mentions
            if (role := roles[type(mention), mention.entity_type, mention.identifier])
        ]
        if marks or document.authorship or document.subjects:
            for identity in identities(document, marks):
                self._identities.append(identity)
                self._identified.append(self._count)
        self._count += 1

    def extend(self, part: Traces) -> None:
        """Adds those of a part, whose documents are after all others."""
        self._sketching.extend(part.texts, part.sketches)
        self._identities.extend(part.identities)
        self._identified.extend(part.documents + self._count)
        self._count += len(part.texts)

    def build(self) -> Traces:
        """All of them; none can be added then."""
        return Traces(*self._sketching.build(), self._identities.finish(), self._identified.finish())
