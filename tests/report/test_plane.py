"""Where anonymizations stand on two metrics, and that no name covers another."""

from __future__ import annotations

from hypothesis import given, strategies as st

from showthrough.report.privacy_utility import PlaneMetric, first_choice, front, plane_metrics, points
from showthrough.run.records import MetricRecord
from showthrough.run.run import Run


def metric(text: str, better: str = "higher", group: str = "privacy", **values: float) -> PlaneMetric:
    record = MetricRecord(text, text, 1, text, group, better, {})  # type: ignore[arg-type]
    return PlaneMetric(record, {name: (value, value, value) for name, value in values.items()})


def test_the_front_where_lower_is_better_on_one_axis() -> None:
    risk = metric("risk", "lower", a=0.1, b=0.5, c=0.6)
    use = metric("use", "higher", "utility", a=0.2, b=0.9, c=0.8)
    # a: least risk; b: most use; c: more risk and less use than b.
    assert [point.name for point in points(["a", "b", "c"], risk, use) if point.best] == ["a", "b"]


def test_one_without_a_number_has_no_point() -> None:
    assert [point.name for point in points(["a", "b"], metric("x", a=1.0), metric("y", a=1.0, b=1.0))] == ["a"]


def test_equals_are_both_on_the_front() -> None:
    assert front([(1.0, 1.0), (1.0, 1.0), (0.5, 1.0)]) == {0, 1}


def test_privacy_and_utility_come_first() -> None:
    found = [metric("f", group="both"), metric("u", group="utility"), metric("p")]
    assert [one.record.text for one in first_choice(found)] == ["p", "u"]
    assert first_choice(found[:1]) is None  # no number stands against itself


def test_a_run_is_measured_by_its_headlines(demo_run: Run) -> None:
    found = {one.record.text: one for one in plane_metrics(demo_run)}
    headlines = ["removed_di", "removed_qi", "clean", "er_di", "er_qi", "recall", "precision", "f1"]
    assert list(found) == headlines  # recall_per_type has parts alone
    score = demo_run["ner", "er_qi"]
    assert found["er_qi"].values["ner"] == (score.value, score.low, score.high)


shares = st.floats(0, 1, width=16)


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=9))
def test_every_front_has_someone_and_betters_the_rest(values: list[tuple[float, float]]) -> None:
    best = front(values)
    assert best
    for number, (x, y) in enumerate(values):
        beaten = any(values[one][0] >= x and values[one][1] >= y and values[one] != (x, y) for one in best)
        assert beaten == (number not in best)


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=9))
def test_no_two_names_of_one_place_stand_at_one_height(values: list[tuple[float, float]]) -> None:
    names = [f"name{place}" for place in range(len(values))]
    across = metric("x", **{name: x for name, (x, _) in zip(names, values, strict=True)})
    up = metric("y", **{name: y for name, (_, y) in zip(names, values, strict=True)})
    found = points(names, across, up)
    for place, one in enumerate(found):
        for two in found[:place]:
            assert (one.x, one.y) != (two.x, two.y) or abs(one.drop - two.drop) >= 15
