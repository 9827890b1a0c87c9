"""How a number is made of sums: found by asking, however many columns only tell."""

from __future__ import annotations

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.metrics import Totals
from showthrough.statistics.forms import Ratios, Smooth, forms

TELLING = [f"leaked:{number}" for number in range(5_000)]  # moved one by one, these would take 13 GB


def combine(totals: Totals) -> dict[str, Floats]:
    share = totals["hidden"] / totals["total"]
    return {"": share, "squared": share**2, "last": totals[TELLING[-1]] / totals["total"]}


def test_columns_that_only_tell_are_left_out() -> None:
    columns = ["hidden", *TELLING, "total"]
    ratios, smooth = forms(combine, columns, ["", "squared", "last"])
    assert isinstance(ratios, Ratios)
    assert isinstance(smooth, Smooth)
    places = [np.flatnonzero(weights.any(axis=0)).tolist() for weights in ratios.weights.swapaxes(0, 1)]
    assert [[columns[place] for place in some] for some in places] == [["hidden", "total"], [TELLING[-1], "total"]]
    assert [columns[place] for place in smooth.places] == ["hidden", "total"]
