"""What may be masked or stay counts in neither recall nor precision."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    PlanError,
    Run,
    TypedMask,
    evaluate,
    read_corpus,
    write_corpus,
)
from showthrough.data.documents import Identifier
from showthrough.studies.failures import Inspection

TEXT = "Ann Lee of Oslo, a nurse, was 45."
MARKS = (
    Mention(0, 7, "PERSON", "DIRECT", "ann"),
    Mention(11, 15, "LOC", "QUASI", "oslo"),
    Mention(17, 24, "DEM", "MAY_MASK", "job"),
)
ALL = Anonymization({"d": [Mask(0, 7), Mask(17, 24), Mask(30, 32)]})
METRICS = [
    "recall",
    "precision",
    "f1",
    "er",
    "recall_per_type",
    'wp(ic="uniform")',
    'phi_span(unknown_types="keep")',
    'phi_strict(unknown_types="keep")',
]


def corpus_of(*layers: tuple[Mention, ...], text: str = TEXT) -> Corpus:
    return Corpus([Document("d", text, tuple(Annotation(f"a{number}", marks) for number, marks in enumerate(layers)))])


def values(run: Run, name: str = "x") -> dict[str, float | None]:
    return {f"{score.metric}:{score.part}": score.value for score in run.scores if score.anonymization == name}


def level(start: int, end: int, identifier: Identifier) -> Mention:
    return Mention(start, end, "DEM", identifier, "job")


# Masked: Ann, Lee, a, nurse, 45. The job is of a0 alone, or of both; nobody marked 45.
@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (None, 2 / 3),  # Ann, Lee of Ann, Lee, 45: the job counts for nobody
        ((), 2 / 6),  # a1 marked nothing: Ann 1, Lee 1, 45 0 of 2 each; the job counts for nobody either
        ((level(17, 24, "QUASI"),), (1 + 1 + 1 + 1) / (2 + 2 + 1 + 1 + 2)),  # a0 abstains on the job
        ((level(17, 24, "MAY_MASK"),), 2 / 6),
        ((level(17, 24, "NO_MASK"),), 2 / 6),
    ],
)
def test_precision_asks_those_who_do_not_abstain(second: tuple[Mention, ...] | None, expected: float) -> None:
    layers = (MARKS,) if second is None else (MARKS, second)
    run = evaluate(corpus_of(*layers), {"x": ALL}, metrics=["precision", 'wp(ic="uniform")'])
    assert values(run) == {"precision:": pytest.approx(expected), 'wp(ic="uniform"):': pytest.approx(expected)}


def test_recall_does_not_ask_for_it_even_in_an_entity_that_must_be_masked() -> None:
    marks = (*MARKS[:2], Mention(17, 24, "PERSON", "MAY_MASK", "ann"))
    run = evaluate(corpus_of(marks), {"x": Anonymization({"d": [Mask(0, 7)]})}, metrics=METRICS[:5])
    assert (run["x", "recall"].value, run["x", "er"].value) == (pytest.approx(2 / 3), 1 / 2)  # Ann, Lee of those, Oslo
    assert run["x", "recall_per_type", "PERSON"].value == 1


def test_a_word_that_must_be_masked_counts_although_a_longer_mark_lets_it_stay() -> None:
    marks = (Mention(0, 24, "PHRASE", "MAY_MASK"), Mention(4, 7, "PERSON", "DIRECT"))
    run = evaluate(corpus_of(marks), {"x": ALL}, metrics=["precision", "recall"])
    assert run["x", "precision"].value == 1 / 2  # Lee of Lee and 45; Ann, a and nurse count for nobody
    assert run["x", "recall"].value == 1


def test_a_confidential_mention_is_asked_for_although_it_may_stay() -> None:
    marks = (*MARKS[:2], Mention(17, 24, "DEM", "MAY_MASK", "job", "HEALTH"))
    run = evaluate(corpus_of(marks), {"x": Anonymization({"d": []})}, metrics=['recall(include="confidential")'])
    assert run["x", 'recall(include="confidential")'].value == pytest.approx(1 / 2)  # "a" is free, "nurse" is left


WORDS = [
    "Ann",
    "Lee",
    "of",
    "Oslo",
    "was",
    "ill",
    "and",
    "met",
    "Bo",
    "Dahl",
    "in",
    "Rome",
    "two",
    "years",
    "ago",
    "with",
    "a",
    "nurse",
]
BOUNDS = [sum(len(word) + 1 for word in WORDS[:number]) for number in range(len(WORDS) + 1)]
LEVEL = st.sampled_from(["DIRECT", "QUASI", "NO_MASK", "MAY_MASK"])
SPANS = st.lists(st.tuples(st.integers(0, len(WORDS) - 1), st.integers(1, 3), LEVEL), max_size=6)


def spans_at(numbers: list[tuple[int, int, Identifier]]) -> list[tuple[int, int, Identifier]]:
    return [
        (BOUNDS[first], BOUNDS[min(first + size, len(WORDS))] - 1, identifier) for first, size, identifier in numbers
    ]


@given(layers=st.lists(SPANS, min_size=1, max_size=3), masked=st.sets(st.integers(0, len(WORDS) - 1)))
def test_masking_it_or_not_changes_no_number(layers: list[list[tuple[int, int, Identifier]]], masked: set[int]) -> None:
    laid = [spans_at(numbers) for numbers in layers]
    annotations = [tuple(Mention(low, high, "T", identifier) for low, high, identifier in marks) for marks in laid]
    marks = [mark for layer in annotations for mark in layer]
    words = [(low, high - 1) for low, high in pairwise(BOUNDS)]
    inside = {
        kind: {
            number
            for number, (low, high) in enumerate(words)
            if any(mark.start <= low and high <= mark.end and mark.must_mask is kind for mark in chosen)
        }
        for kind, chosen in {
            True: marks,
            False: [mark for mark in marks if mark.identifier == "MAY_MASK"],
        }.items()
    }
    free = inside[False] - inside[True]
    masks = {
        name: Anonymization({"d": [TypedMask(*words[number], None, "T") for number in sorted(numbers)]})
        for name, numbers in {"without": masked - free, "with": masked | free}.items()
    }
    metrics = METRICS if len(layers) == 1 else METRICS[:6]  # clinical metrics take annotators one by one
    run = evaluate(corpus_of(*annotations, text=" ".join(WORDS)), masks, metrics=metrics, references=False, resamples=0)
    assert values(run, "with") == values(run, "without")


@pytest.mark.parametrize(
    ("mask", "expected"),
    [((17, 24), 1.0), ((19, 24), 1.0), ((8, 24), 1 / 2)],  # the last reaches beyond: of and Oslo are in it, and wrong
)
def test_clinical_metrics_leave_out_instances_inside_it(mask: tuple[int, int], expected: float) -> None:
    marks = (MARKS[0], MARKS[2])
    masks = [TypedMask(0, 7, None, "PERSON"), TypedMask(*mask, None, "DEM")]
    run = evaluate(corpus_of(marks), {"x": Anonymization({"d": masks})}, metrics=["phi_strict"])
    assert run["x", "phi_strict", "P"].value == expected


def test_a_type_may_be_masked() -> None:
    marks = (*MARKS[:2], level(17, 24, "QUASI"))
    run = evaluate(corpus_of(marks), {"x": ALL}, metrics=["precision", "recall"], may="DEM")
    assert (run["x", "precision"].value, run["x", "recall"].value) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert "types:may=DEM" in run["x", "precision"].signature


def test_no_mask_stands_for_all_marks_of_that_tier() -> None:
    marks = (*MARKS[:2], level(17, 24, "NO_MASK"))
    [before, after] = [
        evaluate(corpus_of(marks), {"x": ALL}, metrics=["precision"], may=may)["x", "precision"].value
        for may in ((), "NO_MASK")
    ]
    assert (before, after) == (2 / 5, pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("may", "message"),
    [("TATTOO", "may TATTOO: no mention has this type; there are DEM, LOC, PERSON"), ("NO_MASK", "may NO_MASK: no")],
)
def test_what_occurs_nowhere_is_refused(may: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(corpus_of((*MARKS[:2], level(17, 24, "QUASI"))), {"x": ALL}, metrics=["precision"], may=may)


def test_one_type_has_one_tier() -> None:
    with pytest.raises(PlanError, match="type DEM: is named for direct and for may; expected one of them"):
        evaluate(corpus_of(MARKS), {"x": ALL}, metrics=["precision"], may="DEM", direct="DEM")


def test_direct_identifiers_that_may_stay_are_told_as_left_out() -> None:
    run = evaluate(corpus_of(MARKS), {"x": ALL}, metrics=["precision"], may="PERSON")
    assert run.corpus.left_out == ("PERSON",)


@pytest.mark.parametrize("name", ["tab", "brat", "xmi"])
def test_formats_keep_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / ("c" if name == "brat" else "c.json")
    write_corpus(corpus_of(MARKS), path, format=name)
    [layer] = read_corpus(path, format=name).documents[0].annotations
    assert [mark.identifier for mark in layer.mentions] == ["DIRECT", "QUASI", "MAY_MASK"]


def test_it_is_no_failure_to_mask_it() -> None:
    run = evaluate(corpus_of(MARKS), {"x": ALL}, metrics=["precision"])
    assert run.texts is not None
    failures = Inspection(run.texts).of("x").failures
    assert {kind: len(places) for (kind, _), places in failures.items()} == {"missed": 1, "spurious": 1}  # Oslo; 45
