"""Which problems must stay together, and how they are parted: nobody is trained on an author whom it is tried on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from showthrough.core.arrays import Bools, Ints


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

    for at, item_keys in enumerate(keys):
        for key in item_keys:
            first, second = root(at), root(home.setdefault(key, at))
            parent[max(first, second)] = min(first, second)
    return np.unique([root(at) for at in range(len(keys))], return_inverse=True)[1].astype(np.int64)


def split_folds(authors: Ints, same: Bools, folds: int, seed: int) -> Ints:
    """The fold of each problem: authors whole, the largest first, each where problems of its kinds are fewest.

    There are fewer folds where there are fewer authors.
    """
    names, number = np.unique(authors, return_inverse=True)
    count = min(folds, len(names))
    problems = np.column_stack([np.bincount(number, flags, minlength=len(names)) for flags in (same, ~same)])
    order = np.random.default_rng(seed).permutation(len(names))
    load, fold = np.zeros((count, 2)), np.zeros(len(names), dtype=np.int64)
    for name in order[np.argsort(-problems.sum(axis=1)[order], kind="stable")]:
        fold[name] = at = int((load @ problems[name]).argmin()) if load.any() else 0
        load[at] += problems[name]
    return fold[number]
