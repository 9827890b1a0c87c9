"""What is said of documents that come in blocks is what is said of them all together."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import showthrough.statistics.rows as rows_of_documents
from in_blocks import Blocks
from showthrough import Run, evaluate, read_anonymization, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.core.arrays import Floats
from showthrough.evaluation import _scoring
from showthrough.metrics import FScore, Recall, Rows
from showthrough.metrics.derived import DerivedRows
from showthrough.statistics import forms, influences, loss_of, pair_tests, resampled_totals, sum_influences
from showthrough.statistics._influence import InfluenceSums, moved_together
from showthrough.statistics.forms import Form, Ratios
from showthrough.statistics.rows import blocks, is_single_block, sum_columns

COLUMNS = ("hidden", "total", "agreed", "asked")
Splits = st.lists(st.integers(1, 20), max_size=6)


def counted(documents: int, seed: int) -> np.ndarray:
    """What two systems may have: hidden of all, right of what is masked; some numbers are no whole ones."""
    random = np.random.default_rng(seed)
    total, asked = 1 + random.poisson(4, documents), random.poisson(3, documents)
    hidden, right = random.binomial(total, 0.8), random.random(documents) * asked
    return np.column_stack([hidden, total, right, asked]).astype(np.float64)


def parted(totals: Mapping[str, Floats]) -> dict[str, Floats]:
    """A share, another one, and what is no share of sums."""
    recall, precision = totals["hidden"] / totals["total"], totals["agreed"] / totals["asked"]
    return {"": recall, "precision": precision, "both": np.sqrt(recall * precision)}


def _exact(form: Form) -> float:
    """Slopes by small differences make the last digit of a sum a hundred thousand times as large."""
    return 1e-12 if isinstance(form, Ratios) else 1e-8


def numbers(one: object) -> list[np.ndarray]:
    every = [getattr(one, each.name) for each in fields(one)]  # type: ignore[arg-type]
    there = [each for each in every if each is not None]
    return [number for each in there for number in (numbers(each) if is_dataclass(each) else [each])]


@settings(max_examples=30)
@given(st.integers(2, 60), Splits, st.integers(0, 5))
def test_any_split_gives_the_same_sums_and_influences(documents: int, sizes: list[int], seed: int) -> None:
    systems = [counted(documents, seed + place) for place in range(3)]
    split = [Blocks(one, sizes) for one in systems]
    assert sum_columns(split[0]) == pytest.approx(systems[0].sum(axis=0), rel=1e-12)
    every = forms(parted, COLUMNS, ["", "precision", "both"])
    assert len(every) == 2
    for form, found in zip(every, sum_influences(every, split[0]), strict=True):
        at_once = InfluenceSums.of(influences(form, form.sums(systems[0])))
        for one, two in zip(numbers(found), numbers(at_once), strict=True):
            assert one == pytest.approx(two, rel=_exact(form), abs=1e-14, nan_ok=True)
    pairs = list(combinations(range(3), 2))
    for form in every:
        sides, between = moved_together(form, split, pairs)
        wholly, of_all = moved_together(form, systems, pairs)
        for one, two in zip([*sides, between], [*wholly, of_all], strict=True):
            for here, there in zip(numbers(one), numbers(two), strict=True):
                assert here == pytest.approx(there, rel=_exact(form), abs=1e-14, nan_ok=True)


@settings(max_examples=25)
@given(st.integers(20, 60), Splits, st.integers(0, 5))
def test_any_split_gives_the_same_errors_and_faults(documents: int, sizes: list[int], seed: int) -> None:
    systems = [counted(documents, seed + place) for place in range(2)]
    systems[1][2:, 2:] = 0  # too little is masked to say
    split = [Blocks(one, sizes) for one in systems]
    asked = FScore().combine, COLUMNS
    for lead in (0.0, 0.1):
        at_once = list(pair_tests(*asked, systems, [""], 1, 0, lead=lead))
        found = list(pair_tests(*asked, split, [""], 1, 0, lead=lead))
        assert [one.fault for one in found] == [one.fault for one in at_once]
        assert [(one.error, one.freedom, one.flat) for one in found] == [
            (pytest.approx(one.error, rel=1e-9), pytest.approx(one.freedom, rel=1e-9), one.flat) for one in at_once
        ]


def test_how_a_block_is_laid_out_moves_no_digit() -> None:
    values = counted(500, 3) * np.pi
    turned = np.asfortranarray(values)
    for one, two in zip(blocks(values), blocks(turned), strict=True):
        assert np.array_equal(one.sum(axis=0), two.sum(axis=0))
    assert Rows(COLUMNS, values).totals() == Rows(COLUMNS, turned).totals()
    assert np.array_equal(resampled_totals(values, 5, 0), resampled_totals(turned, 5, 0))


def test_no_document_is_one_block_without_any() -> None:
    nothing = Rows(COLUMNS, np.zeros((0, 4)))
    assert is_single_block(nothing)
    assert resampled_totals(nothing, 3, 0).tolist() == np.zeros((3, 4)).tolist()
    (form,) = forms(Recall().combine, COLUMNS[:2], [""])
    (found,) = sum_influences([form], np.zeros((0, 2)))
    assert (found.counted[0], np.isnan(found.values[0])) == (0, True)


def test_losses_of_documents_in_blocks() -> None:
    later, earlier = (counted(120, seed)[:, :2] for seed in (1, 2))
    later[:60, 0] = 0
    named = {"higher": True, "margin": 0.0, "shuffles": 999, "seed": 0}
    at_once = loss_of(Recall().combine, COLUMNS[:2], later, earlier, "", **named)  # type: ignore[arg-type]
    split = loss_of(Recall().combine, COLUMNS[:2], Blocks(later, 50), Blocks(earlier, 50), "", **named)  # type: ignore[arg-type]
    assert split.most == pytest.approx(at_once.most, rel=1e-12)
    assert split.p == at_once.p == 0.0005


def evaluated() -> Run:
    corpus = read_corpus(demo.corpus_path())
    systems = {name: read_anonymization(path, corpus) for name, path in list(demo.anonymization_paths().items())[:2]}
    return evaluate(corpus, systems, ["er_di", "f1", "recall_per_type", "precision"], texts=False, resamples=500)


def test_a_run_of_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demonstration as if 42 documents were many: the same values, and what chance says but for its noise."""
    at_once, compared = (run := evaluated()).scores, run.compare(shuffles=999)
    for module in (rows_of_documents, _scoring):
        monkeypatch.setattr(module, "BLOCK", 16)
    monkeypatch.setattr(_scoring, "_FEWER", 3)  # columns at a time
    several = evaluated()
    assert len(list(several.rows_of("er_di", several.names[0]).blocks())) == 3
    for one, two in zip(several.scores, at_once, strict=True):
        assert (one.value, one.signature, one.reason) == (two.value, two.signature, two.reason)
        if two.low is None or two.high is None or one.low is None or one.high is None:
            assert (one.low, one.high) == (two.low, two.high)
        else:
            wide = two.high - two.low
            assert [one.low, one.high] == pytest.approx([two.low, two.high], abs=0.25 * wide)
    assert any(one.low != two.low for one, two in zip(several.scores, at_once, strict=True))  # other draws
    for one, two in zip(several.compare(shuffles=999), compared, strict=True):
        assert (one.difference, one.note) == (two.difference, two.note)
        assert one.p == (None if two.p is None else pytest.approx(two.p, abs=0.07))


def made_up(documents: int, seed: int) -> Rows:
    """Rows that are nowhere: made a block at a time."""

    def made() -> Iterator[Floats]:
        random = np.random.default_rng(seed)
        for start in range(0, documents, 1000):
            yield random.integers(1, 9, (min(1000, documents - start), 2)).astype(np.float64)

    return DerivedRows(COLUMNS[:2], documents, made)


def test_memory_does_not_grow_with_documents() -> None:
    """60,000 documents as one matrix of two systems' sums and products would be 60,000 · 10 · 8 = 4.8 MB more."""
    peaks = []
    for documents in (5_000, 60_000):
        gc.collect()
        tracemalloc.start()
        systems = [made_up(documents, seed) for seed in (0, 1)]
        list(pair_tests(Recall().combine, COLUMNS[:2], systems, [""], 64, 0))
        resampled_totals(systems[0], 20, 0)
        peaks.append(tracemalloc.get_traced_memory()[1] / 1e6)
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] + 0.1
