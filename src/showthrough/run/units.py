"""What is drawn and exchanged as a whole: a document, or a group of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from showthrough.metrics import Rows


def by_id(rows: Rows, documents: Sequence[str]) -> Rows:
    """The same rows in the order of the documents' ids: the last digit of a sum hangs on the order."""
    order = sorted(range(len(documents)), key=documents.__getitem__)
    return Rows(rows.columns, rows.values[order])


def units(rows: Rows, documents: Sequence[str], groups: Sequence[str]) -> Rows:
    """Documents in the order of their ids, or groups of them where there are groups; an empty one is no group."""
    if not groups:
        return by_id(rows, documents)
    named = list(zip(groups, documents, strict=True))
    order = sorted(range(len(named)), key=named.__getitem__)  # inside a group too: the last digit of a sum tells
    keys = [(named[place][0] or named[place]) for place in order]
    number = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    values = np.zeros((len(number), rows.values.shape[1]))
    np.add.at(values, [number[key] for key in keys], rows.values[order])
    return Rows(rows.columns, values)
