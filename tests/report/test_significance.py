"""A matrix of pairs from paired tests."""

from __future__ import annotations

import msgspec
import pytest

from showthrough.report import significance
from showthrough.report.html import html_text
from showthrough.report.significance import pairs, result, shuffles
from showthrough.run.run import Run


def results(run: Run, metric: str) -> dict[tuple[str, str], str]:
    return {(one.first, one.second): result(run, one) for one in pairs(run)[metric]}


def test_rows_and_columns_mirror_each_other(demo_run: Run) -> None:
    found = pairs(demo_run)
    assert "recall_per_type" not in found  # it has no headline
    mirrored = {"better": "worse", "worse": "better", "unclear": "unclear", "undefined": "undefined"}
    for each in found.values():
        assert len(each) == 5 * 4
        cells = {(pair.first, pair.second): pair for pair in each}
        for (row, column), pair in cells.items():
            other = cells[column, row]
            assert result(demo_run, other) == mirrored[result(demo_run, pair)]
            assert (other.p_holm, other.difference) == (pair.p_holm, -(pair.difference or 0.0))
            assert other.swapped == pair


def test_more_is_better_where_it_is(demo_run: Run) -> None:
    """overmask hides far more than ner and much of it needlessly: better recall, worse precision."""
    assert results(demo_run, "recall")["overmask", "ner"] == "better"
    assert results(demo_run, "precision")["overmask", "ner"] == "worse"


def test_lower_is_better_where_it_is(demo_run: Run) -> None:
    turned = [msgspec.structs.replace(one, better="lower") for one in demo_run.metrics]
    run = msgspec.structs.replace(demo_run, metrics=turned)
    assert results(run, "recall")["overmask", "ner"] == "worse"


def test_a_number_that_only_describes_is_neither_better_nor_worse(demo_run: Run) -> None:
    described = [msgspec.structs.replace(one, neutral=("",)) for one in demo_run.metrics]
    run = msgspec.structs.replace(demo_run, metrics=described)
    assert {result(run, one) for one in run.compare("recall", parts=False)} == {"unclear"}
    assert pairs(run) == {}  # the page does not ask which is better


def test_one_anonymization_has_no_pair(demo_run: Run) -> None:
    alone = msgspec.structs.replace(demo_run, anonymizations=demo_run.anonymizations[:1])
    assert pairs(alone) == {}
    assert pairs(msgspec.structs.replace(demo_run, complete=False)) == {}


def test_more_documents_are_shuffled_less(demo_run: Run) -> None:
    many = msgspec.structs.replace(demo_run, documents=[str(number) for number in range(10_001)])
    assert (shuffles(demo_run), shuffles(many)) == (9_999, 999)


def test_of_many_anonymizations_no_pair_is_tested(demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs grow with the square: the page of 300 systems must not wait for 44,850 tests that nobody could look at."""
    monkeypatch.setattr(significance, "MOST", 4)
    monkeypatch.setattr("showthrough.report.html._page.MOST", 4)
    monkeypatch.setattr(Run, "compare", None)  # asking for a comparison would fail
    assert pairs(demo_run) == {}
    assert "With more than 4 anonymizations the page tests no differences" in html_text(demo_run)


def test_a_page_compares_each_metric_once(demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    compare = Run.compare

    def counting(self: Run, metric: str, **given: object) -> object:
        asked.append(metric)
        return compare(self, metric, **{**given, "shuffles": 9})  # type: ignore[arg-type]

    monkeypatch.setattr(Run, "compare", counting)
    html_text(msgspec.structs.replace(demo_run))  # of which nothing was asked yet
    assert sorted(asked) == sorted(demo_run.rows)
