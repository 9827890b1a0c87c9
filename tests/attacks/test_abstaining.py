"""An attacker who names only those of whom they are sure."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from showthrough.families.reidentification.attacks.base import select_named


def test_by_hand() -> None:
    lead = np.array([0.5, 9.0, 7.0, 7.0, 3.0, 1.0])
    right = np.array([1.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    # By lead: 1 of 1; with both of 7 named 2 of 3; 3 of 4; 4 of 5; 5 of 6.
    assert select_named(lead, right, 0.9).tolist() == [False, True, False, False, False, False]
    assert select_named(lead, right, 0.8).all()  # 5 of 6
    assert select_named(lead, right, 0.81).all()
    assert select_named(lead, right, 0.84).sum() == 1


def test_nobody_is_named_where_the_surest_is_wrong() -> None:
    assert not select_named(np.array([2.0, 1.0]), np.array([0.0, 0.5]), 0.9).any()
    assert select_named(np.array([]), np.array([]), 0.9).tolist() == []


def test_who_is_tied_is_right_by_their_share() -> None:
    assert not select_named(np.zeros(4), np.full(4, 0.25), 0.9).any()
    assert select_named(np.zeros(4), np.full(4, 0.9), 0.9).all()  # a sum that is rounded


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])), max_size=12), st.sampled_from([0.5, 0.9])
)
def test_it_is_the_most_that_can_be_named(documents: list[tuple[int, float]], precision: float) -> None:
    lead, right = (np.array([one[place] for one in documents], dtype=float) for place in (0, 1))
    best = max(
        (right[lead >= least].sum() for least in {*lead.tolist()} if right[lead >= least].mean() >= precision),
        default=0,
    )
    chosen = select_named(lead, right, precision)
    assert right[chosen].sum() == best
    assert not chosen.any() or (lead[chosen].min() > np.append(lead[~chosen], -1)).all()
