"""What is drawn and exchanged as a whole, however many documents and groups there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from in_blocks import Blocks
from showthrough import Anonymization, Corpus, Document, Mask, evaluate
from showthrough.metrics import Rows
from showthrough.run import units as module
from showthrough.run.units import Units
from showthrough.storage.columns.strings import Strings


def added(values: np.ndarray, documents: Sequence[str], groups: Sequence[str]) -> list[list[float]]:
    """Documents added one by one in the order of ids, group by group: those without a group first."""
    sums: dict[tuple[str, str], np.ndarray] = {}
    for place in sorted(range(len(documents)), key=documents.__getitem__):
        key = (groups[place], "" if groups[place] else documents[place])
        sums[key] = sums.get(key, np.zeros(values.shape[1])) + values[place]
    return [sums[key].tolist() for key in sorted(sums)]


Grouped = st.lists(
    st.tuples(st.text(max_size=3), st.sampled_from(["", "", "a", "b", "Ø"])), unique_by=lambda one: one[0]
)


@given(Grouped.filter(bool), st.booleans(), st.integers(1, 5))
def test_groups_are_sums_of_their_documents(drawn: list[tuple[str, str]], stored: bool, block: int) -> None:
    named = sorted(drawn) if stored else drawn  # those in files stand in the order of their ids
    documents, groups = [one for one, _ in named], [group for _, group in named]
    values = np.random.default_rng(len(drawn)).random((len(drawn), 3))
    rows = Blocks(values, block) if stored else Rows(("0", "1", "2"), values)
    expected = added(values, documents, groups)
    assert Units(documents, groups).of(rows).values.tolist() == expected
    assert Units(Strings.of(documents), Strings.of(groups)).of(rows).values.tolist() == expected
    assert Units(documents, ()).by_id(rows).values.tolist() == [
        values[documents.index(one)].tolist() for one in sorted(documents)
    ]
    assert Units(documents, ()).of(rows).values.tolist() == Units(documents, ()).by_id(rows).values.tolist()


@pytest.mark.parametrize("whole", [True, False])
def test_groups_that_are_too_many_to_be_held(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    documents = [f"{number:03}" for number in range(100)]
    groups = [f"g{number}" if number else "" for number in random.integers(0, 30, 100)]
    values = random.integers(0, 300, (100, 5)) * (1.0 if whole else np.pi)
    values[:, 1] *= 100_000
    values[:, 2] *= -1
    held = Units(documents, groups).of(Rows(tuple("abcde"), values))
    monkeypatch.setattr(module, "_CELLS", 70)  # two columns at a time
    monkeypatch.setattr(module, "BLOCK", 8)
    spilled = Units(documents, groups).of(Blocks(values, 16, tuple("abcde")))
    assert type(spilled) is not Rows
    assert (spilled.columns, len(spilled)) == (held.columns, len(held))
    assert {len(block) for block in spilled.blocks()} == {8, len(held) % 8}
    one, two = spilled.blocks(), spilled.blocks()  # at the same time
    assert all(np.array_equal(next(one), block) for block in two)
    assert spilled.values.tolist() == held.values.tolist() == added(values, documents, groups)
    assert [len(column) for column in map(spilled.column, ("b", "e"))] == [len(held)] * 2


def test_rows_in_the_order_of_ids_are_not_touched() -> None:
    rows = Rows(("a",), np.ones((3, 1)))
    assert Units(["a", "b", "c"], ()).by_id(rows) is rows
    assert Units(["a", "c", "b"], ()).by_id(rows) is not rows


def test_what_cannot_change_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counting(documents: Sequence[str], groups: Sequence[str]) -> Units:
        made.append(documents)
        return Units(documents, groups)

    monkeypatch.setattr("showthrough.run.run.Units", counting)
    corpus = Corpus([Document("b", "Anna"), Document("a", "Bert")])
    run = evaluate(corpus, {"s": Anonymization({"a": [Mask(0, 4)], "b": []})}, ["residual"], resamples=0)
    rows = run.rows_of("residual", "s")
    run.units(rows)
    before = len(made)
    run.documents[:] = ["a", "b"]  # a list may change
    assert run.units(rows) is rows
    assert len(made) == before + 1
    stored = replace(run, documents=Strings.of(["b", "a"]))
    for _ in range(3):
        assert stored.by_id(rows).values.tolist() == rows.values[::-1].tolist()
    assert len(made) == before + 2
