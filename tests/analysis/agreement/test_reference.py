"""On TAB's cases, agreement equals what plain loops over characters and spans give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Agreement, Annotation, Corpus, Document, Mention, agreement, read_corpus

Said = Callable[[Mention | None], object]
STRENGTH = {"NO_MASK": 0, "QUASI": 1, "DIRECT": 2}

ATTRIBUTES: dict[str, Said] = {
    "type": lambda mark: mark and ("is", mark.entity_type),
    "identifier": lambda mark: mark and mark.identifier,
    "confidential": lambda mark: mark and ("is", mark.confidential),
    "masking": lambda mark: mark.identifier if mark and mark.identifier != "NO_MASK" else None,
}


def strongest(marks: list[Mention]) -> Mention | None:
    """Direct over quasi over no mask, then the longest, then the one that starts first, then the first."""
    return max(marks, key=lambda mark: (STRENGTH[mark.identifier], mark.end - mark.start, -mark.start), default=None)


def characters(document: Document) -> Iterator[dict[str, Mention | None]]:
    over: dict[str, dict[int, list[Mention]]] = {}
    for layer in document.annotations:
        places = over.setdefault(layer.annotator, {})
        for mark in layer.mentions:
            for place in range(mark.start, mark.end):
                places.setdefault(place, []).append(mark)
    for place in range(len(document.text)):
        yield {annotator: strongest(places.get(place, [])) for annotator, places in over.items()}


def spans(document: Document) -> Iterator[dict[str, Mention | None]]:
    for start, end in sorted({(mark.start, mark.end) for layer in document.annotations for mark in layer.mentions}):
        yield {
            layer.annotator: strongest([mark for mark in layer.mentions if (mark.start, mark.end) == (start, end)])
            for layer in document.annotations
        }


def starts(document: Document) -> Iterator[dict[str, Mention | None]]:
    for start in sorted({mark.start for layer in document.annotations for mark in layer.mentions}):
        yield {
            layer.annotator: strongest([mark for mark in layer.mentions if mark.start == start])
            for layer in document.annotations
        }


UNITS = {"characters": characters, "spans": spans, "starts": starts}


def items(corpus: Corpus, unit: str) -> list[dict[str, Mention | None]]:
    several = [document for document in corpus if len(document.annotations) > 1]
    return [item for document in several for item in UNITS[unit](document)]


def observed(rated: list[list[object]]) -> float:
    shares = []
    for row in rated:
        pairs = list(combinations(row, 2))
        shares.append(sum(one == two for one, two in pairs) / len(pairs))
    return sum(shares) / len(shares)


def fleiss(rated: list[list[object]]) -> float:
    chosen: Counter[object] = Counter()
    for row in rated:
        for one in row:
            chosen[one] += 1 / len(row)  # type: ignore[assignment]
    chance = sum((share / len(rated)) ** 2 for share in chosen.values())
    return (observed(rated) - chance) / (1 - chance)


def krippendorff(rated: list[list[object]]) -> float:
    values = Counter(one for row in rated for one in row)
    whole = sum(values.values())
    seen = sum(sum(2 * (one != two) for one, two in combinations(row, 2)) / (len(row) - 1) for row in rated)
    chance = sum(many * (whole - many) for many in values.values())
    return 1 - (whole - 1) * seen / chance


def cohen(pairs: list[tuple[object, object]]) -> float:
    whole = len(pairs)
    first, second = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    agreeing = sum(one == two for one, two in pairs) / whole
    chance = sum(first[said] * second[said] for said in first) / whole**2
    return (agreeing - chance) / (1 - chance)


@pytest.fixture(scope="module")
def corpus(data: Path) -> Corpus:
    return read_corpus(data / "tab/train_100.json")


@pytest.fixture(scope="module")
def found(corpus: Corpus) -> Agreement:
    return agreement(corpus)


@pytest.fixture(scope="module")
def rated(corpus: Corpus) -> dict[str, list[dict[str, Mention | None]]]:
    return {unit: items(corpus, unit) for unit in UNITS}


Rated = dict[str, list[dict[str, Mention | None]]]


def test_who_read_what(found: Agreement) -> None:
    assert (found.documents, found.shared, found.readers) == (100, 21, 6)
    assert sum(found.annotators.values()) == 129


@pytest.mark.parametrize(("unit", "attribute"), list(product(UNITS, ATTRIBUTES)))
def test_all_annotators(found: Agreement, rated: Rated, unit: str, attribute: str) -> None:
    compared(found, rated[unit], unit, attribute)


def compared(found: Agreement, rated: list[dict[str, Mention | None]], unit: str, attribute: str) -> None:
    said = [[ATTRIBUTES[attribute](mark) for mark in item.values()] for item in rated]
    one = found.of(attribute, unit)  # type: ignore[arg-type]
    assert one.items == len(said)
    if not said:
        assert one.observed.value is None
        return
    assert one.observed.value == pytest.approx(observed(said), abs=1e-9)
    if len({each for row in said for each in row}) < 2:
        assert (one.fleiss.value, one.krippendorff.value) == (None, None)
        return
    assert one.fleiss.value == pytest.approx(fleiss(said), abs=1e-9)
    assert one.krippendorff.value == pytest.approx(krippendorff(said), abs=1e-9)


NAMES = ["", "PERSON", "a|b & c_d", "אדם\n", "人", "x" * 200]
marks = st.builds(
    lambda start, length, *rest: Mention(start, start + length, *rest),
    st.integers(0, 8),
    st.integers(1, 4),
    st.sampled_from(NAMES),
    st.sampled_from(["DIRECT", "QUASI", "NO_MASK"]),
    st.just(""),
    st.sampled_from([None, "HEALTH", "NOT_CONFIDENTIAL"]),
)
layers = st.lists(st.lists(marks, max_size=5), min_size=0, max_size=4)


@settings(max_examples=40)
@given(st.lists(layers, min_size=1, max_size=7), st.integers(1, 40))
def test_marks_that_overlap_in_any_way(documents: list[list[list[Mention]]], chunk: int) -> None:
    made = [
        Document(
            f"{number}",
            "Ærø og 東京 ab",
            tuple(Annotation(f"p{who}", tuple(one)) for who, one in enumerate(annotations)),
        )
        for number, annotations in enumerate(documents)
    ]
    corpus = Corpus(made)
    chunks = corpus.chunks
    corpus.chunks = lambda: chunks(chunk)  # type: ignore[method-assign]
    found = agreement(corpus, resamples=20)
    several = [document for document in made if len(document.annotations) > 1]
    assert found.shared == len(several)
    assert bool(found.reason) == (not several)
    if not several or not any(one.mentions for document in several for one in document.annotations):
        return
    for unit, attribute in product(UNITS, ATTRIBUTES):
        stated = any(
            one.confidential for document in several for layer in document.annotations for one in layer.mentions
        )
        if attribute != "confidential" or stated:
            compared(found, items(corpus, unit), unit, attribute)


def test_each_two_annotators(found: Agreement, rated: Rated, corpus: Corpus) -> None:
    shared = Counter(
        pair for document in corpus for pair in combinations(sorted(one.annotator for one in document.annotations), 2)
    )
    assert {(pair.first, pair.second): pair.documents for pair in found.pairs} == shared
    assert found.other_pairs == 0
    for pair in found.pairs:
        for one in pair.measured:
            said = [
                (ATTRIBUTES[one.attribute](item[pair.first]), ATTRIBUTES[one.attribute](item[pair.second]))
                for item in rated[one.unit]
                if pair.first in item and pair.second in item
            ]
            assert one.items == len(said)
            assert one.observed.value == pytest.approx(sum(a == b for a, b in said) / len(said), abs=1e-9)
            assert one.cohen.value == pytest.approx(cohen(said), abs=1e-9)


@pytest.mark.parametrize("unit", ["spans", "characters"])
def test_confusion_of_types(found: Agreement, rated: Rated, unit: str) -> None:
    expected: Counter[frozenset[str | None]] = Counter()
    for item in rated[unit]:
        for one, two in combinations(item.values(), 2):
            if one or two:
                expected[frozenset({one and one.entity_type, two and two.entity_type})] += 1
    confusion = next(one for one in found.confusions if one.unit == unit)
    assert {frozenset({one.first, one.second}): one.count for one in confusion.meetings} == expected
    assert len(confusion.meetings) == len(expected)


def test_masking_decisions_by_type(found: Agreement, corpus: Corpus) -> None:
    expected: dict[str, Counter[str]] = {}
    for document in corpus:
        places = {(mark.start, mark.end) for layer in document.annotations for mark in layer.mentions}
        for (one, two), (start, end) in product(combinations(document.annotations, 2), places):
            marks = [
                strongest([mark for mark in layer.mentions if (mark.start, mark.end) == (start, end)])
                for layer in (one, two)
            ]
            touching = [any(mark.start < end and start < mark.end for mark in layer.mentions) for layer in (one, two)]
            strengths = [-1 if mark is None else STRENGTH[mark.identifier] for mark in marks]
            if max(strengths) < 0:
                continue
            strong = max(strengths)
            kinds = sorted(
                mark.entity_type for mark, strength in zip(marks, strengths, strict=True) if mark and strength == strong
            )
            counts = expected.setdefault(kinds[0], Counter())
            counts["compared"] += 1
            counts["other_borders"] += any(not mark and near for mark, near in zip(marks, touching, strict=True))
            if strong > 0 and min(strengths) < strong:
                names = {-1: "unmarked", 0: "no_mask", 1: "quasi", 2: "direct"}
                counts[f"{names[strong]}_{names[min(strengths)]}"] += 1
    assert {one.entity_type for one in found.decisions} == set(expected)
    for one in found.decisions:
        for name in (
            "compared", "direct_quasi", "direct_no_mask", "direct_unmarked", "quasi_no_mask", "quasi_unmarked",
            "other_borders",
        ):  # fmt: skip
            assert getattr(one, name) == expected[one.entity_type][name], (one.entity_type, name)


def test_places_are_where_decisions_differ(found: Agreement, corpus: Corpus) -> None:
    documents = {document.id: document for document in corpus}
    assert len(found.places) == 50
    assert [one.differing for one in found.places] == sorted((one.differing for one in found.places), reverse=True)
    for place in found.places:
        document = documents[place.document]
        end = place.start + len(place.here)
        assert document.text[place.start : end] == place.here
        decided = []
        for layer in document.annotations:
            here = strongest([mark for mark in layer.mentions if (mark.start, mark.end) == (place.start, end)])
            near = any(mark.start < end and place.start < mark.end for mark in layer.mentions)
            decided.append(
                here.identifier.lower().replace("_", " ") if here else "other borders" if near else "unmarked"
            )
        assert place.said == Counter(decided)
