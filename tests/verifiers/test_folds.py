"""Authors stay on one side."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from showthrough.families.authorship.verifiers.traces import components, split_folds


def by_walking(keys: list[set[str]]) -> list[set[int]]:
    """Components, from each place to all that it shares a key with."""
    left, found = set(range(len(keys))), []
    while left:
        circle, edge = set(), {left.pop()}
        while edge:
            at = edge.pop()
            circle.add(at)
            near = {other for other in left if keys[at] & keys[other]}
            left -= near
            edge |= near
        found.append(circle)
    return found


@given(st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=3), max_size=12))
def test_components(keys: list[set[str]]) -> None:
    found = components(keys)
    circles = {frozenset(np.flatnonzero(found == one).tolist()) for one in set(found.tolist())}
    assert circles == set(map(frozenset, by_walking(keys)))


@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=40), st.integers(2, 6))
def test_authors_are_whole(drawn: list[tuple[int, bool]], folds: int) -> None:
    authors, same = np.array([one for one, _ in drawn]), np.array([kind for _, kind in drawn])
    found = split_folds(authors, same, folds, 3)
    assert all(len(set(found[authors == one].tolist())) == 1 for one in authors)
    assert set(found.tolist()) <= set(range(min(folds, len(set(authors.tolist())))))
    assert (found == split_folds(authors, same, folds, 3)).all()


def test_kinds_are_spread() -> None:
    same = np.arange(100) % 2 == 0
    fold = split_folds(np.arange(100), same, 10, 0)
    assert np.bincount(fold).tolist() == [10] * 10
    assert np.bincount(fold, same).tolist() == [5] * 10
    assert (fold != split_folds(np.arange(100), same, 10, 1)).any()
