"""Which problems must stay together, and how they are parted: nobody is trained on an author whom it is tried on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from showthrough.axis.spans import Bools, Ints


def components(keys: Sequence[Iterable[str]]) -> Ints:
    """A number for each of those that share a key, also by way of others.

    >>> components([["a", "b"], ["c"], ["b", "d"], ["d"]]).tolist()
    [0, 1, 0, 0]
    """
    home: dict[str, int] = {}
    parent = list(range(len(keys)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = at = parent[parent[at]]
        return at

    for at, each in enumerate(keys):
        for key in each:
            one, other = root(at), root(home.setdefault(key, at))
            parent[max(one, other)] = min(one, other)
    return np.unique([root(at) for at in range(len(keys))], return_inverse=True)[1].astype(np.int64)


def parted(authors: Ints, same: Bools, folds: int, seed: int) -> Ints:
    """The fold of each problem: authors whole, the largest first, each where problems of its kinds are fewest.

    There are fewer folds where there are fewer authors.
    """
    names, number = np.unique(authors, return_inverse=True)
    count = min(folds, len(names))
    kinds = np.column_stack([np.bincount(number, one, minlength=len(names)) for one in (same, ~same)])
    drawn = np.random.default_rng(seed).permutation(len(names))
    held, fold = np.zeros((count, 2)), np.zeros(len(names), dtype=np.int64)
    for name in drawn[np.argsort(-kinds.sum(axis=1)[drawn], kind="stable")]:
        fold[name] = at = int((held @ kinds[name]).argmin()) if held.any() else 0
        held[at] += kinds[name]
    return fold[number]
