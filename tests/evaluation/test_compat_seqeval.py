"""Scripts that were written for seqeval: its calls and its numbers, and our own beside them."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

from showthrough.compat import seqeval

TRUE = [["B-PER", "I-PER", "O", "B-LOC", "O"], ["B-PER", "O"]]
PRED = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["O", "O"]]
SCHEMES = ("IOB1", "IOE1", "IOB2", "IOE2", "IOBES", "BILOU")
pytestmark = pytest.mark.filterwarnings("ignore")


def test_scores_by_hand() -> None:
    """One of two predictions is right, and one of three names was found."""
    assert seqeval.precision_score(TRUE, PRED) == 1 / 2
    assert seqeval.recall_score(TRUE, PRED) == 1 / 3
    assert seqeval.f1_score(TRUE, PRED) == pytest.approx(2 / 5, abs=1e-12)
    assert seqeval.f1_score(TRUE, PRED, average=None).tolist() == [0.0, pytest.approx(2 / 3)]
    assert seqeval.accuracy_score(TRUE, PRED) == 4 / 7


def test_strict_mode() -> None:
    """A lone I is an entity for conlleval.pl, and none in IOB2."""
    assert seqeval.precision_score([["I-PER"]], [["I-PER"]]) == 1.0
    strict = seqeval.precision_score([["I-PER"]], [["I-PER"]], mode="strict", scheme=seqeval.IOB2, zero_division=1)
    assert strict == 1.0
    assert seqeval.beside([["I-PER"]], [["I-PER"]], mode="strict", scheme=seqeval.IOB2)["micro avg"]["support"] == 0


def test_nothing_is_no_number() -> None:
    with pytest.warns(seqeval.UndefinedMetricWarning):
        assert seqeval.precision_score([["B-PER"]], [["O"]]) == 0
    row = seqeval.beside([["B-PER"]], [["O"]])["PER"]
    assert row == {"precision": None, "recall": 0.0, "f1-score": None, "support": 1}


def test_errors() -> None:
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        seqeval.f1_score([["O"]], [["O", "O"]])
    with pytest.raises(TypeError, match="without list of list"):
        seqeval.f1_score(["O"], ["O"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="average has to be one of"):
        seqeval.f1_score(TRUE, PRED, average="samples")
    with pytest.raises(ValueError, match="Invalid token is found: E-PER"):
        seqeval.f1_score([["E-PER"]], [["O"]], mode="strict", scheme=seqeval.IOB2)
    with pytest.raises(ValueError, match="This scheme is not supported"):
        seqeval.classification_report([["X-PER"]], [["O"]], mode="strict")


def some(seed: int, prefixes: str, suffix: bool = False) -> tuple[list[list[str]], list[list[str]]]:
    choice = random.Random(seed)
    tags = [f"{kind}-{prefix}" if suffix else f"{prefix}-{kind}" for prefix in prefixes for kind in ("PER", "LOC")]
    tags += ["O"] * len(prefixes)
    true = [[choice.choice(tags) for _ in range(choice.randrange(1, 15))] for _ in range(8)]
    return true, [[choice.choice(tags) if choice.random() < 0.3 else tag for tag in row] for row in true]


def same(ours: Any, theirs: Any) -> bool:
    return all(np.array_equal(left, right) for left, right in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_equal_to_seqeval(seed: int, suffix: bool) -> None:
    real = pytest.importorskip("seqeval.metrics")
    true, pred = some(seed, "BIES", suffix)
    assert seqeval.performance_measure(true, pred) == real.performance_measure(true, pred)
    assert seqeval.accuracy_score(true, pred) == real.accuracy_score(true, pred)
    for average in (None, "micro", "macro", "weighted"):
        for name in ("precision_score", "recall_score", "f1_score"):
            ours, theirs = (getattr(package, name) for package in (seqeval, real))
            options = {"average": average, "suffix": suffix}
            assert np.array_equal(ours(true, pred, **options), theirs(true, pred, **options)), (name, average)
    assert seqeval.classification_report(true, pred, suffix=suffix) == real.classification_report(
        true, pred, suffix=suffix
    )


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("seed", range(8))
def test_equal_in_strict_mode(seed: int, name: str) -> None:
    real, schemes = pytest.importorskip("seqeval.metrics"), pytest.importorskip("seqeval.scheme")
    ours, theirs = getattr(seqeval, name), getattr(schemes, name)
    true, pred = some(seed, ours.prefixes.replace("O", ""))
    for score in ("precision_score", "recall_score", "f1_score"):
        values = [
            getattr(package, score)(true, pred, mode="strict", scheme=scheme, average=None)
            for package, scheme in ((seqeval, ours), (real, theirs))
        ]
        assert same(*values)
    reports = [
        package.classification_report(true, pred, mode="strict", scheme=scheme, output_dict=True)
        for package, scheme in ((seqeval, ours), (real, theirs))
    ]
    assert reports[0] == reports[1]
    if name not in ("IOB1", "IOE1"):
        reports = [package.classification_report(true, pred, mode="strict") for package in (seqeval, real)]
        assert reports[0] == reports[1]


def test_equal_without_entities() -> None:
    real = pytest.importorskip("seqeval.metrics")
    for true, pred in (([["O"]], [["O"]]), ([["B-A"]], [["O"]]), ([["O"]], [["B-A"]])):
        for average in ("micro", "weighted"):
            for zero in ("warn", 0, 1):
                for name in ("precision_score", "recall_score", "f1_score"):
                    values = [
                        getattr(package, name)(true, pred, average=average, zero_division=zero)
                        for package in (seqeval, real)
                    ]
                    assert values[0] == values[1], (true, pred, average, zero, name)


def test_each_strange_tag_is_a_warning() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert seqeval.get_entities(["X-PER", "X-PER"]) == [("PER", 0, 1)]
    assert [str(warning.message) for warning in caught] == ["X-PER seems not to be NE tag."]
