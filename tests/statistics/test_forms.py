"""How a number is made of sums: found by asking, however many columns only tell."""

from __future__ import annotations

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("sums", "value", "slopes"),
    [((0.0, 2.0), 6.0, (0.0, 3.0)), ((5.0, 0.0), 25.0, (10.0, 3.0)), ((1e3, 2.0), 1e6 + 6, (2e3, 3.0))],
)
def test_how_fast_a_curve_changes_is_also_known_where_nothing_was_counted(
    sums: tuple[float, float], value: float, slopes: tuple[float, float]
) -> None:
    """Of a² + 3 b: 2 a and 3."""
    form = Smooth("", lambda totals: {"": totals["a"] ** 2 + 3 * totals["b"]}, ("a", "b"), (0, 1))
    found, changes = form.at(form.sums(np.array([sums])))
    assert found.item() == pytest.approx(value)
    assert changes.ravel() == pytest.approx(slopes, rel=1e-4, abs=1e-4)
