"""An attacker who names only those of whom they are sure: as many as can be, while enough of the named are right."""

from __future__ import annotations

import numpy as np

from showthrough.families.reidentification.attacks.base import Bools, Floats

PRECISIONS = (0.9, 0.99)
_ROUNDING = 1e-9


def select_named(lead: Floats, right: Floats, precision: float) -> Bools:
    """Which documents are named: those with the largest lead, the most for whom so large a share is named rightly.

    Documents of the same lead are named together. Where no choice is right often enough nobody is named.

    >>> lead, right = np.array([5.0, 4.0, 3.0, 3.0, 1.0]), np.array([1.0, 1.0, 0.0, 1.0, 1.0])
    >>> select_named(lead, right, 0.9).tolist()  # 1 of 1, 2 of 2, 3 of 4, 4 of 5
    [True, True, False, False, False]
    >>> select_named(lead, right, 0.8).all()
    np.True_
    """
    order = np.argsort(-lead, kind="stable")
    ahead = lead[order]
    last = np.append(ahead[1:] != ahead[:-1], True)[: len(order)]  # whoever has the same lead is named as well
    count = np.arange(1, len(order) + 1)
    enough = np.flatnonzero(last & (np.cumsum(right[order]) >= precision * count - _ROUNDING))
    chosen = np.zeros(len(order), dtype=bool)
    if len(enough):
        chosen[order[: enough[-1] + 1]] = True
    return chosen
