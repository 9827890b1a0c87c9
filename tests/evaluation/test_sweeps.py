"""What surer masks alone reach: by hand, and against evaluations in which the others really are left out."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, strategies as st

from engines.pickling import Pickling
from showthrough import Anonymization, InputError, Mask, Run, evaluate, read_anonymization, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.masks import ScoredMask
from showthrough.data.references import REFERENCES
from showthrough.evaluation import _sweeps as module
from showthrough.evaluation._sweeps import ScoreLevels, is_swept, sweeps, thresholds_of
from showthrough.formats.made_masks import encode_anonymization
from showthrough.metrics import metric_text, parse_metric
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.systems import anonymize
from showthrough.systems.replacing import Way

METRICS = ["er_di", "er_qi", "recall", "precision"]
TEXT = "Ole Berg of Oslo, born 1971"
MARKS = (
    Mention(0, 8, "PERSON", "DIRECT", "e1"),
    Mention(12, 16, "LOC", "QUASI", "e2"),
    Mention(23, 27, "DATE", "QUASI", "e3"),
)
ONE = Corpus([Document("d", TEXT, (Annotation("ann", MARKS),))])


def swept(masks: Sequence[Mask], **settings: Any) -> Run:
    return evaluate(ONE, {"x": Anonymization({"d": list(masks)})}, METRICS, resamples=0, texts=False, **settings)


class Unsure:
    """Finds every word with a capital or a digit, sure of it by a score that follows from the word."""

    name = "unsure"
    version: ClassVar[int] = 1

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        return [list(map(self._mask, _words(one.text))) for one in documents]

    def _mask(self, place: tuple[int, int, str]) -> Mask:
        start, end, word = place
        draw = random.Random(word)
        kind = draw.choice(["PERSON", "LOC", "DATE"])
        return Mask(start, end) if draw.random() < 0.1 else ScoredMask(start, end, None, kind, draw.random())


def _words(text: str) -> list[tuple[int, int, str]]:
    found, start = [], 0
    for word in text.split(" "):
        if word[:1].isupper() or word[:1].isdigit():
            found.append((start, start + len(word), word))
        start += len(word) + 1
    return found


def test_by_hand() -> None:
    ole, oslo, of = (
        ScoredMask(0, 8, None, "", 0.9),
        ScoredMask(12, 16, None, "", 0.5),
        ScoredMask(9, 11, None, "", 0.25),
    )
    sweep = swept([ole, oslo, of]).sweeps["x"]
    # All masks; without "of"; Ole Berg alone.
    assert sweep.thresholds == [0.0, 0.5, 0.9]
    assert sweep.masks == [3, 2, 1]
    assert sweep.values["er_di"] == [1.0, 1.0, 1.0]
    assert sweep.values["er_qi"] == [0.5, 0.5, 0.0]
    assert sweep.values["recall"] == [3 / 4, 3 / 4, 2 / 4]
    assert sweep.values["precision"] == [3 / 4, 1.0, 1.0]
    assert (sweep.unscored, sweep.levels) == (0, 3)


def test_a_mask_without_a_score_always_stays() -> None:
    sweep = swept([Mask(0, 8), ScoredMask(12, 16, None, "LOC", 0.2), ScoredMask(23, 27, None, "DATE", 0.8)]).sweeps["x"]
    assert sweep.masks == [3, 2]
    assert sweep.values["er_di"] == [1.0, 1.0]
    assert sweep.unscored == 1


def test_only_masks_that_are_left_write_something() -> None:
    """One of two masks that overlap gives the name away; without it nothing does."""
    giving, sure = ScoredMask(0, 8, "Berg", "PERSON", 0.3), ScoredMask(0, 8, None, "PERSON", 0.7)
    sweep = swept([giving, sure]).sweeps["x"]
    assert sweep.values["er_di"] == [0.0, 1.0]


def test_undefined_is_no_number() -> None:
    words = [ScoredMask(9, 11, None, "", 0.5), ScoredMask(17, 18, None, "", 0.1)]
    nothing = Corpus([Document("d", TEXT, (Annotation("ann"),))])
    run = evaluate(nothing, {"x": Anonymization({"d": words})}, METRICS, resamples=0, texts=False)
    assert run.sweeps["x"].values["er_di"] == [None, None]


@pytest.mark.parametrize(
    "masks",
    [
        [Mask(0, 8), Mask(12, 16)],
        [ScoredMask(0, 8, None, "", 0.5), ScoredMask(12, 16, None, "", 0.5)],
        [ScoredMask(0, 8, None, "", float("nan")), ScoredMask(12, 16, None, "", 0.5)],
        [ScoredMask(0, 8, None, "", 7.5), ScoredMask(12, 16, None, "", 0.5)],
        [],
    ],
    ids=["no scores", "one score", "no number", "beyond 1", "no masks"],
)
def test_nothing_to_choose_from(masks: list[Mask]) -> None:
    assert swept(masks).sweeps == {}


def test_it_can_be_left() -> None:
    scored = [ScoredMask(0, 8, None, "", 0.9), ScoredMask(12, 16, None, "", 0.5)]
    one, two = swept(scored), swept(scored, sweeps=False)
    assert one.sweeps
    assert two.sweeps == {}
    assert one.scores == two.scores


@given(st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.4, 0.85, 1.0])), min_size=2, max_size=200))
def test_thresholds_part_masks(scores: list[float]) -> None:
    found = thresholds_of(ScoreLevels.of(scores))
    levels = sorted(set(scores))
    if len(levels) < 2:
        assert found == []
        return
    left = [sum(score >= threshold for score in scores) for threshold in found]
    assert found[0] == 0.0
    assert left[0] == len(scores)
    assert left[-1] == scores.count(max(scores))
    assert left == sorted(set(left), reverse=True)  # each leaves fewer than the last
    assert all(0 <= threshold <= 1 for threshold in found)
    assert len(found) == len(levels) if len(levels) <= module.MOST else len(found) <= module.MOST


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_corpus(demo.corpus_path(), name="demo")


@pytest.mark.parametrize("way", ["label", "suppress"])
def test_it_is_what_anonymizing_with_a_threshold_gives(
    corpus: Corpus, tmp_path: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 7)
    run = evaluate(corpus, {"x": anonymize(corpus, Unsure(), replacement=way)}, METRICS, resamples=0, texts=False)
    sweep = run.sweeps["x"]
    assert len(sweep.thresholds) > 4
    assert sweep.levels > len(sweep.thresholds)
    assert sweep.unscored > 0
    for place, threshold in enumerate(sweep.thresholds):
        path = tmp_path / f"{place}.json"
        path.write_bytes(encode_anonymization(anonymize(corpus, Unsure(), replacement=way, threshold=threshold)))
        left = read_anonymization(path, corpus, name="x")
        again = evaluate(corpus, [left], METRICS, resamples=0, texts=False, sweeps=False)
        assert sum(map(len, left.masks.values())) == sweep.masks[place]
        assert {text: again["x", text].value for text in METRICS} == {
            text: sweep.values[text][place] for text in METRICS
        }


def test_it_begins_at_the_numbers_of_the_run(corpus: Corpus) -> None:
    metrics = [*METRICS, 'recall(unit="mention")', 'precision(unit="mention")', "f1", "recall_per_type"]
    run = evaluate(corpus, {"x": anonymize(corpus, Unsure())}, metrics, resamples=0, texts=False)
    assert list(run.sweeps["x"].values) == metrics[:-2]  # what plays a part in curves
    for text, values in run.sweeps["x"].values.items():
        assert values[0] == run["x", text].value
    assert not {*run.sweeps} & {*REFERENCES}


def test_where_chunks_end_changes_no_number_nor_who_counts_them(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = anonymize(corpus, Unsure(), name="x")
    metrics = {text: parse_metric(text) for text in METRICS}
    engine = Pickling()
    whole = sweeps([made], metrics, Chunk(corpus, Resources(engine=engine)))
    assert engine.tasks == 0  # one chunk is nobody else's
    monkeypatch.setattr(
        Corpus, "chunks", lambda self: (range(at, min(at + 5, len(self))) for at in range(0, len(self), 5))
    )
    monkeypatch.setattr(module, "_DOCUMENTS", 3)
    assert sweeps([made], metrics, Chunk(corpus)) == whole
    assert sweeps([made], metrics, Chunk(corpus, Resources(engine=engine))) == whole
    assert engine.tasks == -(-len(corpus) // 5)


@given(st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.4, 0.85, 1.0]), max_size=5), max_size=5))
def test_levels_are_those_of_all_scores(parts: list[list[float]]) -> None:
    found = reduce(ScoreLevels.merge, map(ScoreLevels.of, parts), ScoreLevels.of(()))
    scores = np.sort([score for part in parts for score in part])
    assert found.at(np.arange(len(scores))).tolist() == scores.tolist()
    assert found.scores.tolist() == sorted({*scores.tolist()})


def test_what_is_swept() -> None:
    asked = ["er_di", "er_qi", "recall", "precision", "f1", "er", 'precision(unit="mention")', "tpi", "residual"]
    assert [text for text in asked if is_swept(parse_metric(text))] == [*asked[:4], asked[6]]
    assert not is_swept(parse_metric('recall(function_words="spacy:en_core_web_sm")'))  # which costs a model
    assert metric_text(parse_metric("recall")) == "recall"


def test_runs_keep_it(tmp_path: Path) -> None:
    run = swept([ScoredMask(0, 8, None, "", 0.9), ScoredMask(12, 16, None, "", 0.5)])
    path = tmp_path / "run.json"
    run.save(path)
    assert Run.load(path).sweeps == run.sweeps
    content = json.loads(path.read_bytes())
    for broken, message in (
        ({"y": content["sweeps"]["x"]}, "expected an anonymization and metrics of this run"),
        ({"x": {**content["sweeps"]["x"], "masks": [2]}}, "expected as many masks and values as thresholds, 2"),
        ({"x": {"thresholds": [], "masks": [], "values": {}}}, "and one at least"),
    ):
        path.write_text(json.dumps({**content, "sweeps": broken}), encoding="utf-8")
        with pytest.raises(InputError, match=message):
            Run.load(path)
    del content["sweeps"]  # as earlier versions wrote it
    path.write_text(json.dumps(content), encoding="utf-8")
    assert Run.load(path).sweeps == {}


def test_on_court_cases(data: Path) -> None:
    cases = read_corpus(data / "tab/train_100.json")
    given = read_anonymization(data / "tab/train_anonymizations/presidio.json", cases)
    draw = random.Random(7)
    masks = {
        key: [ScoredMask(one.start, one.end, one.replacement, "", draw.random()) for one in each]
        for key, each in given.masks.items()
    }
    run = evaluate(cases, {"x": Anonymization(masks)}, METRICS, resamples=0, texts=False)
    sweep = run.sweeps["x"]
    for place in (0, len(sweep.thresholds) // 2, -1):
        least = sweep.thresholds[place]
        left = {key: [one for one in each if (one.score or 0) >= least] for key, each in masks.items()}
        again = evaluate(cases, {"x": Anonymization(left)}, METRICS, resamples=0, texts=False, sweeps=False)
        assert [sweep.values[text][place] for text in METRICS] == [again["x", text].value for text in METRICS]
