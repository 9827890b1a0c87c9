"""Whatever overlaps is counted and never listed: the same numbers as span by span, in memory that follows the spans."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Annotation, Anonymization, Corpus, Document, Mention, TypedMask, evaluate
from showthrough.data.layout.span_index import SpanIndex
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import find_overlaps, highest, merge_spans, paint
from showthrough.families.clinical import _partners
from showthrough.families.clinical._instances import TypedSpans, beginning_alike, match_one_to_one
from showthrough.families.information._mutual_information import agreement
from showthrough.studies.failures import Inspection

WORDS = ["Mr", "Ole", "Berg", "of", "the", "(nurse)", "1996", "a.", "東京", "x-ray", "--", "Per"]
Spans = list[tuple[int, int]]


def text_of(words: int) -> str:
    return " ".join(WORDS[place % len(WORDS)] for place in range(words))


def nested(count: int, length: int) -> Spans:
    return [(place, length - place) for place in range(count)]


def staggered(count: int, length: int) -> Spans:
    return [(place, min(length, place + length // 2)) for place in range(count)]


def marked(text: str, spans: Spans) -> Corpus:
    mentions = tuple(Mention(*span, "PERSON", "DIRECT", str(place // 3)) for place, span in enumerate(spans))
    return Corpus([Document("d", text, (Annotation("a", mentions),))])


def masked(spans: Spans) -> Anonymization:
    return Anonymization({"d": [TypedMask(*span, None, "PERSON") for span in spans]}, "a")


def peak_mb(work: Callable[[], object]) -> float:
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


METRICS = [
    "er_di", "recall", 'recall(ignorable="skip")', "recall_per_type", "precision", 'precision(overlaps="each")',
    'wp(ic="uniform", overlaps="each")', "f1", "phi_token", "phi_strict", "phi_merged", "phi_instance",
]  # fmt: skip


@pytest.mark.slow  # whole corpora, for each metric
@pytest.mark.parametrize("shape", [nested, staggered])
@pytest.mark.parametrize("metric", METRICS)
def test_memory_does_not_follow_the_sum_of_lengths(metric: str, shape: Callable[[int, int], Spans]) -> None:
    # 2,000 spans of some 20,000 characters: 40 million places, which as numbers would take 320 MB.
    text = text_of(6_000)
    spans = shape(2_000, len(text))
    corpus, found = marked(text, spans), masked([(start, end - 1) for start, end in spans])
    evaluate(marked("Ole", [(0, 3)]), [masked([(0, 3)])], [metric], resamples=0)  # what is loaded once
    assert peak_mb(lambda: evaluate(corpus, [found], [metric], resamples=0, texts=False)) < 25


def test_failures_of_nested_mentions_are_found_in_little_memory() -> None:
    text = text_of(6_000)
    corpus = marked(text, nested(2_000, len(text)))
    run = evaluate(corpus, [masked([(0, 50)])], ["er_di"], resamples=0)
    assert run.texts is not None
    assert peak_mb(lambda: Inspection(run.texts).of("a")) < 25  # type: ignore[arg-type]


def test_a_token_counts_for_every_mention_that_it_is_in() -> None:
    # Ole Berg Oslo; the mentions Ole Berg Oslo, Ole Berg, e Be: 3 + 2 + 2 tokens, the last two cut off. Masked is Berg.
    corpus = marked("Ole Berg Oslo", [(0, 13), (0, 8), (2, 6)])
    run = evaluate(corpus, [masked([(4, 8)])], ["recall", "er_di"], resamples=0)
    assert run["a", "recall"].value == pytest.approx(3 / 7)  # Berg, Berg and Be
    assert run["a", "er_di"].value == 0


def test_a_token_that_is_masked_twice_counts_twice() -> None:
    # Marked is Berg. Each mask for itself: Ole, Berg, Oslo; Berg, Oslo; Ol; of these 6 tokens Berg and Berg are marked.
    corpus = marked("Ole Berg Oslo", [(4, 8)])
    found = masked([(0, 13), (4, 13), (0, 2)])
    run = evaluate(corpus, [found], ["precision", 'precision(overlaps="each")'], resamples=0)
    assert run["a", "precision"].value == pytest.approx(1 / 3)
    assert run["a", 'precision(overlaps="each")'].value == pytest.approx(2 / 6)


@st.composite
def drawn_spans(draw: st.DrawFn, length: int) -> tuple[int, int]:
    start = draw(st.integers(0, length - 1))
    return start, draw(st.integers(start + 1, length))


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, Spans, Spans]:
    text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=15)))
    spans = st.lists(drawn_spans(len(text)), max_size=8)
    return text, draw(spans), draw(spans)


@settings(max_examples=150)
@given(cases(), st.sampled_from(["mention", "never"]))
def test_recall_as_counted_one_by_one(case: tuple[str, Spans, Spans], asking: str) -> None:
    """Every mention's tokens listed and looked at character by character."""
    text, mentions, masks = case
    axis = SpanLayout(marked(text, mentions))
    free = np.array([letter in "ofthe(). " for letter in text], dtype=bool)
    span_index = SpanIndex(axis, free, asking)  # type: ignore[arg-type]
    hidden = np.zeros(len(text), dtype=bool)
    for start, end in masks:
        hidden[start:end] = True

    def asked(start: int, end: int, mention: tuple[int, int]) -> list[int]:
        whole = [place for place in range(*mention) if not free[place]]
        if not whole and asking == "mention":
            words = [place for place in range(*mention) if text[place].isalnum() or text[place] == "_"]
            whole = words or [place for place in range(*mention) if not text[place].isspace()]
        return [place for place in whole if start <= place < end]

    from showthrough.data.layout.coverage import Coverage

    coverage = Coverage(axis, masked(masks))
    covered = coverage.is_covered(span_index.tokens.place, span_index, "trusted")
    found = np.bincount(span_index.tokens.mention, span_index.tokens.counts(covered), minlength=len(mentions))
    total = np.bincount(
        span_index.tokens.mention, span_index.tokens.counts(np.ones_like(covered)), minlength=len(mentions)
    )
    whole = coverage.is_covered(span_index.mentions, span_index, "trusted")
    tokens = list(zip(axis.tokens.start.tolist(), axis.tokens.end.tolist(), strict=True))
    for number, mention in enumerate(mentions):
        pieces = [(max(low, mention[0]), min(high, mention[1])) for low, high in tokens]
        pieces = [(low, high) for low, high in pieces if low < high]
        assert total[number] == len(pieces)
        assert found[number] == sum(hidden[asked(low, high, mention)].all() for low, high in pieces)
        assert whole[number] == hidden[asked(*mention, mention)].all()


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12), st.integers(0, 9)), max_size=12))
def test_the_highest_over_each_place(spans: list[tuple[int, int, int]]) -> None:
    start, size, value = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    place, found = highest(start, start + size, value)
    over = {at: [v for s, n, v in spans if s <= at < s + n] for at in range(45)}
    assert dict(zip(place.tolist(), found.tolist(), strict=True)) == {
        at: max(all_) for at, all_ in over.items() if all_
    }
    canvas = np.zeros(45, dtype=bool)
    paint(canvas, start, start + size)
    assert np.flatnonzero(canvas).tolist() == [at for at, all_ in over.items() if all_]
    low, high = merge_spans(start[size > 0], (start + size)[size > 0])
    assert all(one <= two for one, two in pairwise(np.stack([low, high], axis=1).ravel().tolist()))


def instances(spans: list[tuple[int, int, int]]) -> TypedSpans:
    start, end, kind = np.array(sorted(set(spans)), dtype=np.int64).reshape(-1, 3).T
    return TypedSpans(start, end, np.zeros_like(start), kind)


@st.composite
def sides(draw: st.DrawFn) -> tuple[TypedSpans, TypedSpans]:
    length = draw(st.sampled_from([4, 30]))
    one = st.tuples(drawn_spans(length), st.integers(0, 2)).map(lambda entry: (*entry[0], entry[1]))
    return instances(draw(st.lists(one, max_size=14))), instances(draw(st.lists(one, max_size=14)))


@settings(max_examples=200)
@given(sides(), st.sampled_from([0, 10**9]), st.sampled_from([2, 256]))
def test_partners_as_from_the_list_of_all_pairs(case: tuple[TypedSpans, TypedSpans], listed: int, block: int) -> None:
    gold, system = case
    true, taken, shared = find_overlaps(gold, system)
    outside, unlike = gold.size[true] + system.size[taken] - 2 * shared, gold.kind[true] != system.kind[taken]
    best: list[tuple[int, int, bool]] = []
    for place in np.lexsort((taken, true, unlike, outside, -shared)).tolist():
        if all(true[place] != one and taken[place] != two for one, two, _ in best):
            best.append((int(true[place]), int(taken[place]), bool(outside[place] == 0 and not unlike[place])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_partners, "_LISTED", listed)
        patch.setattr(_partners, "_BLOCK", block)
        found = _partners.pair_instances(gold, system, types=True)
    assert sorted(zip(found.gold.tolist(), found.system.tolist(), found.correct.tolist(), strict=True)) == sorted(best)


def test_pairs_of_one_beginning() -> None:
    gold, system = instances([(0, 4, 0), (0, 6, 0), (3, 9, 0)]), instances([(0, 5, 0), (3, 9, 0), (4, 9, 0)])
    found = beginning_alike(gold, system, tolerance=1)
    assert sorted(zip(*map(np.ndarray.tolist, found), strict=True)) == [(0, 0), (1, 0), (2, 1)]


def test_a_long_chain_of_choices_is_settled() -> None:
    """Each takes what the next would have liked best: by rounds alone, one of 5,000 would be settled in each."""
    count = 5_000
    left = np.repeat(np.arange(count), 2)[1:]
    right = np.repeat(np.arange(count), 2)[:-1]  # 0–0, 1–0, 1–1, 2–1, …
    chosen = match_one_to_one(left, right, [np.arange(len(left))])
    assert np.flatnonzero(chosen).tolist() == list(range(0, len(left), 2))


def test_chance_is_summed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    cells = [(one, two, np.array(float(random.integers(1, 40)))) for one in range(6) for two in range(5)]
    whole = agreement(cells)
    monkeypatch.setattr("showthrough.families.information._mutual_information._TERMS", 7)
    assert [float(value) for value in agreement(cells)] == [float(value) for value in whole]
