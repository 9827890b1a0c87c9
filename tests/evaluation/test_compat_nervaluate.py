"""Scripts that were written for nervaluate: its calls and its numbers, and our own beside them."""

from __future__ import annotations

import random
import tarfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from showthrough import read_corpus
from showthrough.compat.nervaluate import Evaluator

TAGS = ["NAME", "PLACE", "DATE"]
OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")
Spans = list[dict[str, Any]]


def span(start: int, end: int, label: str = "NAME") -> dict[str, Any]:
    return {"label": label, "start": start, "end": end}


def counts(result: Any) -> tuple[int, int, int, int, int]:
    return (result.correct, result.incorrect, result.partial, result.missed, result.spurious)


def plain(results: dict[str, Any]) -> dict[str, Any]:
    """All results without classes."""
    return {key: plain(value) if isinstance(value, dict) else fields(value) for key, value in results.items()}


def fields(result: Any) -> dict[str, Any]:
    if hasattr(result, "correct_indices"):
        return {name: getattr(result, name) for name in (f"{key}_indices" for key in OUTCOMES)}
    return asdict(result)


def spoiled(documents: list[Spans], labels: list[str], seed: int, shuffled: bool = False) -> list[Spans]:
    """A system that drops, moves, retypes and adds."""
    choice = random.Random(seed)
    predictions = []
    for spans in documents:
        kept = [dict(one) for one in spans if choice.random() > 0.1]
        for one in kept:
            fate = choice.random()
            if fate < 0.15:
                one["start"], one["end"] = max(0, one["start"] - choice.randrange(4)), one["end"] + choice.randrange(4)
            elif fate < 0.2:
                one["label"] = choice.choice(labels)
        kept += [span(start, start + 5, choice.choice(labels)) for start in choice.sample(range(300), len(spans) // 8)]
        if shuffled:
            choice.shuffle(kept)
        predictions.append(kept)
    return predictions


def test_counts_by_hand() -> None:
    """One name right, one too long, one of another type, one missed, one invented."""
    true = [[span(0, 4), span(10, 14), span(20, 24), span(30, 34)]]
    pred = [[span(0, 4), span(10, 15), span(20, 24, "PLACE"), span(50, 54)]]
    overall = Evaluator(true, pred, TAGS, "dict").evaluate()["overall"]
    assert counts(overall["strict"]) == (1, 2, 0, 1, 1)
    assert counts(overall["exact"]) == (2, 1, 0, 1, 1)
    assert counts(overall["partial"]) == (2, 0, 1, 1, 1)
    assert counts(overall["ent_type"]) == (2, 1, 0, 1, 1)
    assert (overall["strict"].precision, overall["partial"].recall) == (1 / 4, 2.5 / 4)


def test_touching_neighbours() -> None:
    """With half-open ends, the first prediction takes the neighbour that the second would have matched."""
    true, pred = [[span(5, 9), span(0, 5)]], [[span(1, 5), span(5, 9)]]
    evaluator = Evaluator(true, pred, TAGS, "dict")
    assert counts(evaluator.evaluate()["overall"]["strict"]) == (0, 2, 0, 0, 0)
    beside = evaluator.beside(ends="exclusive")["overall"]["strict"]
    assert (counts(beside), beside.precision) == ((1, 1, 0, 0, 0), 0.5)


def test_nothing_is_no_number() -> None:
    evaluator = Evaluator([[span(0, 4)]], [[]], TAGS, "dict")
    assert evaluator.evaluate()["overall"]["strict"].precision == 0
    result = evaluator.beside(ends="inclusive")["overall"]["strict"]
    assert (result.precision, result.recall, result.f1) == (None, 0.0, None)


@pytest.mark.parametrize(
    ("true", "pred", "loader", "message"),
    [
        ([[{"start": 0, "end": 1}]], [[]], "dict", "Entity missing required keys"),
        ([[span(0, 1)]], [], "dict", "Number of predicted documents does not equal true"),
        ([["O"]], [["O", "O"]], "list", "Document 0 has different lengths: true=1, pred=2"),
        ([["PER"]], [["O"]], "list", "Invalid tag format: PER"),
        ("a b", "a b", "conll", "does not contain a tab separator"),
        ([[]], [[]], "table", "Unknown loader: table"),
        ([], [], "default", "Could not infer loader from input type"),
    ],
)
def test_errors(true: Any, pred: Any, loader: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Evaluator(true, pred, TAGS, loader)


def test_other_ends() -> None:
    with pytest.raises(ValueError, match="expected 'inclusive' or 'exclusive'"):
        Evaluator([[]], [[]], TAGS, "dict").beside("open")  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(40))
def test_equal_to_nervaluate(seed: int) -> None:
    """Random spans, nested and overlapping ones too, in any order, at several thresholds; every place as well."""
    real = pytest.importorskip("nervaluate")
    choice = random.Random(seed)

    def some() -> list[Spans]:
        starts = [[choice.randrange(25) for _ in range(choice.randrange(9))] for _ in range(6)]
        return [[span(at, at + choice.randrange(8), choice.choice([*TAGS, "X"])) for at in row] for row in starts]

    true, pred, least = some(), some(), choice.choice([1.0, 30.0, 50.0, 100.0])
    ours = Evaluator(true, pred, TAGS, "dict", least)
    theirs = real.Evaluator(true, pred, TAGS, "dict", least)
    assert plain(ours.evaluate()) == plain(theirs.evaluate())
    assert ours.summary_report() == theirs.summary_report()
    assert ours.summary_report("entities", "partial", 4) == theirs.summary_report("entities", "partial", 4)
    assert ours.results_to_csv() == theirs.results_to_csv()


@pytest.mark.parametrize("seed", range(10))
def test_equal_for_tags(seed: int) -> None:
    real = pytest.importorskip("nervaluate")
    choice = random.Random(seed)
    kinds = ["O", "O", *(f"{prefix}-{tag}" for prefix in "BI" for tag in TAGS)]
    lengths = [choice.randrange(1, 12) for _ in range(8)]
    true, pred = ([[choice.choice(kinds) for _ in range(length)] for length in lengths] for _ in range(2))
    assert plain(Evaluator(true, pred, TAGS).evaluate()) == plain(real.Evaluator(true, pred, TAGS).evaluate())
    texts = ["\n\n".join("\n".join(f"w\t{tag}" for tag in row) for row in side) for side in (true, pred)]
    assert plain(Evaluator(*texts, TAGS).evaluate()) == plain(real.Evaluator(*texts, TAGS).evaluate())


def test_equal_on_clinical_records(data: Path, tmp_path: Path) -> None:
    real = pytest.importorskip("nervaluate")
    with tarfile.open(data / "meddocan/train_dev.tar.gz") as archive:
        members = [member for member in archive.getmembers() if member.name.endswith(".xml")][:60]
        archive.extractall(tmp_path, members, filter="data")
    corpus = read_corpus(tmp_path, format="i2b2")
    assert len(corpus.documents) == 60
    labels = list(corpus.survey.types)
    true = [[span(m.start, m.end, m.entity_type) for m in one.annotations[0].mentions] for one in corpus]
    pred = spoiled(true, labels, 1)
    ours, theirs = (package(true, pred, labels, "dict").evaluate() for package in (Evaluator, real.Evaluator))
    assert ours["overall"]["strict"].correct > 800
    assert plain(ours) == plain(theirs)


def test_results_are_data() -> None:
    result = Evaluator([["B-NAME"]], [["B-NAME"]], TAGS).evaluate()["entities"]["NAME"]["exact"]
    assert asdict(result)["f1"] == 1.0


def test_csv_file(tmp_path: Path) -> None:
    evaluator = Evaluator([["B-NAME"]], [["B-NAME"]], TAGS)
    path = tmp_path / "results.csv"
    assert evaluator.results_to_csv("entities", "exact", str(path)) is None
    assert path.read_bytes() == (evaluator.results_to_csv("entities", "exact") or "").encode()
