"""Scripts that were written for presidio-evaluator: its calls and its numbers, and our own beside them.

`tests/reference/presidio_evaluator.json` has the numbers of presidio-evaluator 0.3.2 itself.
"""

from __future__ import annotations

import json
import random
import re
import tarfile
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from showthrough import Mention, read_corpus
from showthrough.compat import presidio_evaluator as ours
from showthrough.compat.presidio_evaluator import ErrorType, ModelError, SpanEvaluator, TokenEvaluator

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")
SKIPPED = ["of", ",", "and"]
COUNTS = ("num_annotated", "num_predicted", "true_positives", "false_positives", "false_negatives")
PII = ("recall", "precision", "f", "predicted", "annotated", "true_positives", "false_positives", "false_negatives")
Columns = dict[str, list[Any]]


def frame(words: str, true: str, pred: str) -> Columns:
    """Columns of one sentence; words are one space apart, and P and L are types."""
    tokens, tags = words.split(), {"P": "PERSON", "L": "LOC", "I": "PII", "O": "O"}
    starts = [sum(len(word) + 1 for word in tokens[:place]) for place in range(len(tokens))]
    annotation, prediction = ([tags.get(tag, tag) for tag in side.split()] for side in (true, pred))
    sentence = [0] * len(tokens)
    return dict(zip(COLUMNS, (sentence, tokens, annotation, prediction, starts), strict=True))


COLUMNS = ("sentence_id", "token", "annotation", "prediction", "start_indices")


@pytest.mark.parametrize(
    ("columns", "theirs", "beside"),
    [
        (frame("Ann Lee left", "P P O", "P P O"), (1, 1, 1), (1, 1, 1)),
        (frame("Ann Lee left", "P P O", "O P O"), (1, 1, 0), (1, 1, 0)),  # 3 of 7 characters
        (frame("Ann and Bo left", "P O P O", "P O O O"), (1, 1, 0), (2, 1, 1)),  # one person, of whom 3 of 10 are found
        (frame("Ann Lee left", "P P P", "P O P"), (1, 1, 0), (1, 2, 0)),  # two predictions count as one
        (frame("Ann Lee of Oslo", "P P O L", "P P P P"), (1, 2, 0), (1, 1, 0)),  # one prediction counts as two
        (frame("of Ann of", "P P P", "O P O"), (1, 1, 1), (1, 1, 1)),  # words to skip play no part
        (frame("of and", "P P", "O O"), (0, 0, 0), (0, 0, 0)),
    ],
)
def test_spans_by_hand(columns: Columns, theirs: tuple[int, ...], beside: tuple[int, ...]) -> None:
    """Annotated, predicted and right persons."""
    evaluator = SpanEvaluator(skip_words=SKIPPED)
    for result, expected in ((evaluator.calculate_score_on_df(columns), theirs), (evaluator.beside(columns), beside)):
        counts = result.per_type["PERSON"]
        assert (counts.num_annotated, counts.num_predicted, counts.true_positives) == expected


def test_prefixes_part_neighbours() -> None:
    columns = frame("Ann Lee Bo Lee", "B-P I-P B-P I-P", "B-P I-P B-P I-P")
    evaluator = SpanEvaluator(skip_words=[])
    theirs, beside = evaluator.calculate_score_on_df(columns), evaluator.beside(columns)
    assert sorted(theirs.per_type) == ["B-P", "I-P"]  # each tag is a type of its own there
    assert (beside.per_type["P"].num_annotated, beside.per_type["P"].true_positives) == (2, 2)
    assert evaluator.beside(frame("a b", "E-MAIL E-MAIL", "E-MAIL O")).per_type["E-MAIL"].num_annotated == 1


def test_measures_of_nothing() -> None:
    evaluator = SpanEvaluator(skip_words=[])
    missed = frame("Ann left", "P O", "O O")
    beside = evaluator.beside(missed)
    assert (beside.pii_precision, beside.pii_recall, beside.pii_f) == (None, 0.0, None)
    assert evaluator.beside(frame("Ann left", "P O", "O P")).pii_f == 0.0
    assert str(evaluator.calculate_score_on_df(missed).pii_precision) == "nan"


def test_shares_by_hand() -> None:
    share = SpanEvaluator.precision
    assert (share(3, 1), share(3, 0), share(3, num_predicted=6)) == (3 / 4, 1.0, 0.5)
    assert SpanEvaluator.recall(3, num_annotated=4) == 3 / 4
    for counts in ({}, {"fp": 1, "num_predicted": 4}):
        with pytest.raises(ValueError, match="and not both"):
            share(3, **counts)


def test_results_add_up() -> None:
    """A second table is added to the results of the first."""
    evaluator = SpanEvaluator(skip_words=[])
    first = evaluator.calculate_score_on_df(frame("Ann left", "P O", "P O"))
    both = evaluator.calculate_score_on_df(frame("Ann left", "P O", "O O"), evaluation_result=first)
    assert (both.n, both.pii_recall, both.per_type["PERSON"].recall) == (2, 0.5, 0.5)
    hierarchy = SimpleNamespace(**dict.fromkeys(("binary", "branch", "detailed"), frame("Ann", "P", "P")))
    scores = evaluator.calculate_hierarchical_scores(hierarchy)
    assert {name: result.pii_recall for name, result in scores.items()} == {"binary": 1, "branch": 1, "detailed": 1}
    assert evaluator.create_global_entities_df(frame("Ann left", "P O", "L O"))["prediction"] == ["PII", "O"]


def test_kept_entities() -> None:
    columns = frame("Ann Oslo", "P L", "P L")
    evaluator = SpanEvaluator(skip_words=[], entities_to_keep=["LOC"])
    assert sorted(evaluator.calculate_score_on_df(columns).per_type) == ["LOC", "PERSON"]
    assert list(evaluator.beside(columns).per_type) == ["LOC"]
    assert list(TokenEvaluator(skip_words=[], entities_to_keep=["LOC"]).calculate_score_on_df(columns).per_type) == [
        "LOC"
    ]


def test_tokens_by_hand() -> None:
    """A general type is right, and a difference at a word to skip does not count."""
    result = TokenEvaluator(skip_words=SKIPPED).calculate_score_on_df(
        frame("Ann of Lee Oslo Bo", "P P P L O", "I O L L P")
    )
    assert result.results == {
        ("PERSON", "PERSON"): 1, ("PERSON", "LOC"): 1, ("LOC", "LOC"): 1, ("O", "PERSON"): 1,
    }  # fmt: skip
    assert result.to_confusion_matrix() == (["LOC", "PERSON", "O"], [[1, 0, 0], [1, 1, 0], [0, 1, 0]])
    assert (result.pii_recall, result.pii_precision, result.n) == (3 / 3, 3 / 4, 3)
    assert [error.token for error in ModelError.get_false_negatives(result.model_errors)] == ["Lee"]
    assert [error.token for error in ModelError.get_false_positives(result.model_errors, ["PERSON"])] == ["Bo"]
    assert str(result).splitlines()[-1] == f"PII F measure: {5 * 0.75 / (4 * 0.75 + 1):.2%}"


def test_one_sample() -> None:
    sample = ours.InputSample("Ann left", tokens=["Ann", "left"], tags=["PERSON", "O"], start_indices=[0, 4])
    result = TokenEvaluator(skip_words=[]).evaluate_sample(sample, ["O", "O"])
    assert (result.results, result.tokens) == ({("PERSON", "O"): 1, ("O", "O"): 1}, ["Ann", "left"])
    (error,) = result.model_errors
    assert (error.error_type, error.token, error.start, error.end) == (ErrorType.FN, "Ann", 0, 3)


@pytest.mark.parametrize("call", ["evaluate_all", "calculate_score", "get_results_dataframe"])
def test_calls_of_former_versions(call: str) -> None:
    with pytest.raises(ours.DeprecationError, match="calculate_score_on_df"):
        getattr(SpanEvaluator(skip_words=[]), call)([])
    with pytest.raises(DeprecationWarning, match="SpanEvaluator"):
        ours.Evaluator()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"annotation": ["PERSON", None]}, "row 1, column annotation: found None; expected a text"),
        ({"prediction": ["PERSON", ""]}, "row 1, column prediction: found ''; expected a text"),
        ({"start_indices": [0, 4.5]}, "row 1, column start_indices: found 4.5; expected a whole number"),
        ({"sentence_id": [0, None]}, "column sentence_id: found a row without an id"),
        ({"token": ["", 3]}, "row 1, column token: found 3; expected a text"),
        ({"token": ["Ann"]}, "columns have different lengths"),
    ],
)
def test_faults_in_tables(change: Columns, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        SpanEvaluator(skip_words=[]).calculate_score_on_df({**frame("Ann left", "P O", "P O"), **change})
    with pytest.raises(ValueError, match="there is no column sentence_id"):
        SpanEvaluator(skip_words=[]).calculate_score_on_df({})


def same(one: Any, other: Any) -> None:
    assert dict(one.results) == dict(other.results)
    assert set(one.per_type) == set(other.per_type)
    for name, counts in one.per_type.items():
        for field in (*COUNTS, "precision", "recall", "f_beta"):
            assert getattr(counts, field) == pytest.approx(getattr(other.per_type[name], field), abs=1e-12, nan_ok=True)
    for field in ("n", *(f"pii_{name}" for name in PII)):
        assert getattr(one, field) == pytest.approx(getattr(other, field), abs=1e-12, nan_ok=True)
    assert list(map(plain, one.model_errors)) == list(map(plain, other.model_errors))
    assert one.to_confusion_matrix() == other.to_confusion_matrix()


def plain(error: Any) -> tuple[Any, ...]:
    names = ("annotation", "prediction", "token", "full_text", "start", "end")
    return error.error_type.name, *(getattr(error, name) for name in names)


def some(seed: int) -> list[tuple[Any, ...]]:
    """Rows of a few sentences, mixed."""
    choice = random.Random(seed)
    words = ["Ann", "bo", "of", ",", "the", "Street", " the ", "x", "St.", "", "İx"]
    sticky, rows = choice.choice([0.3, 0.7]), []
    for sentence in choice.sample(range(10), choice.randrange(1, 5)):
        start, true, pred = 0, "O", "O"
        for _ in range(choice.randrange(1, 25)):
            word = choice.choice(words)
            true = choice.choice(["O", "O", "PER", "LOC", "PII", "ID"]) if choice.random() > sticky else true
            pred = true if choice.random() > 0.5 else choice.choice(["O", "PER", "LOC", "PII", pred])
            rows.append((sentence, word, true, pred, start * (seed % 7 > 0)))
            start += len(word) + choice.randrange(2)
    if seed % 3 == 0:
        choice.shuffle(rows)
    return rows


@pytest.mark.parametrize("seed", range(15))
def test_equal_to_presidio_evaluator(seed: int) -> None:
    pd = pytest.importorskip("pandas")
    real = pytest.importorskip("presidio_evaluator.evaluation")
    choice = random.Random(seed)
    table = pd.DataFrame(some(seed), columns=COLUMNS)
    settings = {
        "skip_words": choice.choice([None, [], SKIPPED]),
        "entities_to_keep": choice.choice([None, ["PER"], ["PER", "NO"]]),
    }
    least = choice.choice([0.1, 0.5, 0.9])
    for by_character in (True, False):
        spans = {**settings, "iou_threshold": least, "char_based": by_character}
        for level in ("both", "entity", "pii"):
            asked = {"results_df": table, "level": level, "beta": 1.5}
            pairs = [(module.SpanEvaluator(**spans), module.TokenEvaluator(**settings)) for module in (ours, real)]
            for mine, theirs in zip(*pairs, strict=True):
                same(mine.calculate_score_on_df(**asked), theirs.calculate_score_on_df(**asked))
    mine, theirs = (module.SpanEvaluator(**spans) for module in (ours, real))
    results = [one.calculate_score_on_df(table) for one in (mine, theirs)]
    errors = [result.model_errors for result in results]
    for entity in (None, "PER", "PER_LOC", ["LOC"]):
        for call in ("get_fps_dataframe", "get_fns_dataframe", "get_wrong_entity_dataframe"):
            tables = [
                getattr(module.ModelError, call)(listed, entity, False)
                for module, listed in zip((ours, real), errors, strict=True)
            ]
            counts = [0 if one is None else (len(one), list(one["token"])) for one in tables]
            assert counts[0] == counts[1]
    assert results[0].to_confusion_df().equals(results[1].to_confusion_df().loc[results[0].to_confusion_df().index])
    assert str(results[0].to_log()) == str(results[1].to_log())
    assert str(results[0]).replace("nan", "") == str(results[1]).replace("nan", "")
    assert set(ours.get_skip_words()) == set(real.get_skip_words())


def tagged(documents: Iterable[tuple[str, str, list[Any], list[Any]]]) -> Columns:
    """Columns with a tag of the first span for each word or sign."""
    rows = []
    for name, text, *sides in documents:
        tokens = [(match.start(), match[0]) for match in re.finditer(r"\w+|[^\w\s]", text)]
        tags = []
        for spans in map(sorted, sides):
            tags.append([next((kind for low, high, kind in spans if low <= at < high), "O") for at, _ in tokens])
        rows += [(name, word, true, pred, at) for (at, word), true, pred in zip(tokens, *tags, strict=True)]
    return dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))


def wanted(mentions: Iterable[Mention]) -> list[tuple[int, int, str]]:
    return [(one.start, one.end, one.entity_type) for one in mentions if one.identifier != "NO_MASK"]


def spoiled(documents: list[tuple[str, str, list[Any]]], seed: int) -> list[tuple[str, str, list[Any], list[Any]]]:
    """A system that drops, moves, retypes and adds."""
    choice = random.Random(seed)
    labels = sorted({kind for _, _, spans in documents for *_, kind in spans})
    predicted = []
    for name, text, spans in documents:
        kept = []
        for low, high, kind in spans:
            if choice.random() < 0.1:
                continue
            fate = choice.random()
            if fate < 0.15:
                low, high = max(0, low - choice.randrange(4)), high + choice.randrange(4)
            elif fate < 0.2:
                kind = choice.choice(labels)
            kept.append((low, high, kind))
        for _ in range(len(spans) // 8):
            low = choice.randrange(max(1, len(text) - 6))
            kept.append((low, low + 5, choice.choice(labels)))
        predicted.append((name, text, spans, kept))
    return predicted


@pytest.mark.slow
@pytest.mark.parametrize(("name", "documents"), [("meddocan", 750), ("tab", 100)])
def test_numbers_of_presidio_evaluator(name: str, documents: int, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    if name == "tab":
        corpus = read_corpus(data / "tab/train_100.json")
    else:
        with tarfile.open(data / "meddocan/train_dev.tar.gz") as archive:
            members = [member for member in archive.getmembers() if member.name.endswith(".xml")]
            archive.extractall(tmp_path, members, filter="data")
        corpus = read_corpus(tmp_path, format="i2b2")
    assert len(corpus.documents) == documents
    marked = [(one.id, one.text, wanted(one.annotations[0].mentions)) for one in corpus]
    columns = tagged(spoiled(marked, 1))
    expected = json.loads((Path(__file__).parents[1] / "reference/presidio_evaluator.json").read_bytes())[name]
    evaluators = {
        "characters": SpanEvaluator(), "tokens": SpanEvaluator(char_based=False), "tags": TokenEvaluator(),
    }  # fmt: skip
    for kind, evaluator in evaluators.items():
        result = evaluator.calculate_score_on_df(columns)
        pii = [result.pii_annotated, result.pii_predicted, result.pii_true_positives]
        pii += [result.pii_recall, result.pii_precision, result.pii_f]
        assert pii == pytest.approx(expected[kind]["pii"], abs=1e-9)
        assert len(result.model_errors) == expected[kind]["errors"]
        types = {key: [getattr(counts, field) for field in COUNTS[:3]] for key, counts in result.per_type.items()}
        assert types == expected[kind]["types"]
