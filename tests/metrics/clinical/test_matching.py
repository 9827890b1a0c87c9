"""Spans that match in part: SemEval's four views and thresholds of IoU, by hand and by plain counting."""

from __future__ import annotations

import random

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    Mention,
    PlanError,
    TypedMask,
    evaluate,
    parse_metric,
)
from showthrough.core.errors import NoScoreError
from showthrough.families.clinical import _partners
from showthrough.metrics import metric_text, metrics_of

Spans = list[tuple[int, int, str]]
SEMEVAL = ["phi_strict", "phi_span", 'phi_span(match="partial")', 'phi_strict(match="overlap")']


def measured(gold: Spans, system: Spans, names: list[str], part: str) -> list[float | None]:
    layer = Annotation("gold", tuple(Mention(*span, "DIRECT") for span in gold))
    corpus = Corpus([Document("d", "x" * 80, (layer,))])
    masks = {"a": Anonymization({"d": [TypedMask(low, high, None, kind) for low, high, kind in system]})}
    run = evaluate(corpus, masks, names, resamples=0, references=False)
    return [run["a", name, part].value for name in names]


GOLD: Spans = [(0, 10, "NAME"), (20, 24, "CITY"), (30, 34, "DATE"), (40, 44, "CITY")]
SYSTEM: Spans = [(0, 10, "NAME"), (20, 24, "NAME"), (30, 36, "DATE"), (38, 42, "NAME"), (60, 64, "DATE")]


def test_semeval_by_hand() -> None:
    """One right, one of another type, one too long, one moved and of another type, one from nowhere."""
    assert measured(GOLD, SYSTEM, SEMEVAL, "R") == [1 / 4, 2 / 4, (2 + 0.5 * 2) / 4, 2 / 4]
    assert measured(GOLD, SYSTEM, SEMEVAL, "P") == [1 / 5, 2 / 5, (2 + 0.5 * 2) / 5, 2 / 5]
    assert [metric_text(metric) for metric in metrics_of("preset:semeval")] == SEMEVAL


@pytest.mark.parametrize(
    ("least", "without", "typed"),
    [("0.3", 4, 2), ("0.34", 3, 2), ("0.66", 3, 2), ("0.67", 2, 1), ("1", 2, 1)],  # 38-42 has 2 of 6, 30-36 4 of 6
)
def test_shares_of_the_union(least: str, without: int, typed: int) -> None:
    names = [f'phi_span(match="iou>={least}")', f'phi_strict(match="iou>={least}")']
    assert measured(GOLD, SYSTEM, names, "R") == [without / 4, typed / 4]


def test_each_span_has_one_partner() -> None:
    halves: Spans = [(0, 4, "NAME"), (5, 10, "NAME")]
    names = ['phi_strict(match="overlap")', 'phi_strict(match="iou>=0.4")', 'phi_strict(match="partial")']
    assert measured([(0, 10, "NAME")], halves, names, "P") == [1 / 2, 1 / 2, 0.5 / 2]
    assert measured(halves, [(0, 10, "NAME")], names, "R") == [1 / 2, 1 / 2, 0.5 / 2]
    # By shared characters 0-60 would go to 0-100; by shares of the union it goes to 0-55, and nothing to 0-100.
    nested: Spans = [(0, 75, "NAME"), (0, 55, "NAME")]
    assert measured(nested, [(0, 60, "NAME")], ['phi_strict(match="iou>=0.9")'], "R") == [1 / 2]


@pytest.mark.parametrize("match", ["iou", "iou>=0", "iou>=1.5", "iou>=0.50", "iou>0.5", "exactly", "iou>=1.2.3"])
def test_unknown_matches(match: str) -> None:
    with pytest.raises(PlanError, match=r"is not known; expected exact, partial, overlap or iou>=X"):
        parse_metric(f'phi_span(match="{match}")')
    for other in ("phi_merged(match=overlap)", 'phi_span(tolerance=2, match="partial")'):
        with pytest.raises(PlanError, match="match='exact'"):
            parse_metric(other)


def plainly(gold: Spans, system: Spans, types: bool, match: str) -> float:
    """What is found, one pair after another."""
    pairs = []
    for row, (low, high, kind) in enumerate(gold):
        for column, (start, end, other) in enumerate(system):
            shared = min(high, end) - max(low, start)
            if shared <= 0 or (types and kind != other):
                continue
            union, exact = high - low + end - start - shared, (low, high) == (start, end)
            if match.startswith("iou"):
                if shared / union >= float(match[5:]):
                    pairs.append((-shared / union, 0, 0, row, column, 1.0))
            else:
                worth = 1.0 if exact or match == "overlap" else 0.5
                pairs.append((-exact, -shared, union - shared, row, column, worth))
    rows, columns, found = set[int](), set[int](), 0.0
    for *_, row, column, worth in sorted(pairs):
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            found += worth
    return found


@pytest.mark.parametrize("seed", range(25))
def test_equal_to_plain_counting(seed: int) -> None:
    choice = random.Random(seed)

    def some() -> Spans:
        spans = {(at, at + choice.randrange(1, 9)) for at in (choice.randrange(40) for _ in range(9))}
        return sorted((*bounds, choice.choice(["NAME", "CITY"])) for bounds in spans)

    gold, system = some(), some()
    for match in ("partial", "overlap", "iou>=0.2", "iou>=0.5", "iou>=1"):
        for name, types in (("phi_strict", True), ("phi_span", False)):
            (recall,) = measured(gold, system, [f'{name}(match="{match}")'], "R")
            assert recall == pytest.approx(plainly(gold, system, types, match) / len(gold), abs=1e-12)
    assert measured(gold, system, ['phi_strict(match="iou>=1")'], "") == measured(gold, system, ["phi_strict"], "")
    falling = measured(gold, system, [f'phi_span(match="iou>=0.{tenth}")' for tenth in range(1, 10)], "R")
    assert falling == sorted(falling, reverse=True)


def test_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_partners, "_MOST", 8)
    nested: Spans = [(0, end, "NAME") for end in (30, 31, 32)]
    with pytest.raises(NoScoreError, match="more than 8 pairs of spans share that much"):
        measured(nested, nested, ['phi_span(match="iou>=0.5")'], "R")
    monkeypatch.setattr(_partners, "_MOST", 9)
    monkeypatch.setattr(_partners, "_LISTED", 4)  # looked at in several blocks
    assert measured(nested, nested, ['phi_span(match="iou>=0.5")'], "R") == [1.0]
