"""A matrix of pairs from paired tests."""

from __future__ import annotations

import msgspec

from showthrough.report.significance import pairs, shuffles
from showthrough.run.run import Run


def test_rows_and_columns_mirror_each_other(demo_run: Run) -> None:
    found = pairs(demo_run)
    assert "recall_per_type" not in found  # it has no headline
    mirrored = {"better": "worse", "worse": "better", "unclear": "unclear", "undefined": "undefined"}
    for each in found.values():
        assert len(each) == 5 * 4
        cells = {(pair.row, pair.column): pair for pair in each}
        for (row, column), pair in cells.items():
            other = cells[column, row]
            assert (other.result, other.p, other.difference) == (mirrored[pair.result], pair.p, -pair.difference)


def test_more_is_better_where_it_is(demo_run: Run) -> None:
    """overmask hides far more than ner and much of it needlessly: better recall, worse precision."""
    cells = {text: {(one.row, one.column): one.result for one in each} for text, each in pairs(demo_run).items()}
    assert cells["recall"]["overmask", "ner"] == "better"
    assert cells["precision"]["overmask", "ner"] == "worse"


def test_lower_is_better_where_it_is(demo_run: Run) -> None:
    turned = [msgspec.structs.replace(one, better="lower") for one in demo_run.metrics]
    cells = {
        (one.row, one.column): one.result for one in pairs(msgspec.structs.replace(demo_run, metrics=turned))["recall"]
    }
    assert cells["overmask", "ner"] == "worse"


def test_one_anonymization_has_no_pair(demo_run: Run) -> None:
    alone = msgspec.structs.replace(demo_run, anonymizations=demo_run.anonymizations[:1])
    assert pairs(alone) == {}
    assert pairs(msgspec.structs.replace(demo_run, complete=False)) == {}


def test_more_documents_are_shuffled_less(demo_run: Run) -> None:
    many = msgspec.structs.replace(demo_run, documents=[str(number) for number in range(10_001)])
    assert (shuffles(demo_run), shuffles(many)) == (9_999, 999)
