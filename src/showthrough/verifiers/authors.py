"""Which problems may be about one author: whoever learns from some of them must be tried on others."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from showthrough.axis.spans import Ints
from showthrough.data.documents import Document


def traces(document: Document) -> set[Hashable]:
    """What gives away that two problems are about one author: a text that they share, white space aside, or a group."""
    known = document.authorship.known if document.authorship else ()
    texts = {" ".join(text.split()) for text in (document.text, *known)} - {""}
    return {*texts, (document.group,)} if document.group else {*texts}


def components(traces: Iterable[Iterable[Hashable]]) -> Ints:
    """Numbers sets of problems, so that two that share a trace, also by way of others, have one number.

    >>> components([{"a"}, {"b"}, {"a", "c"}, {"c"}]).tolist()
    [0, 1, 0, 0]
    """
    parents: list[int] = []

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = place = parents[parents[place]]
        return place

    first: dict[Hashable, int] = {}
    for place, each in enumerate(traces):
        parents.append(place)
        for trace in each:
            one, two = root(first.setdefault(trace, place)), root(place)
            parents[max(one, two)] = min(one, two)
    roots = np.array([root(place) for place in range(len(parents))], dtype=np.int64)
    return np.unique(roots, return_inverse=True)[1].astype(np.int64)
