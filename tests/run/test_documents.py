"""Which documents a run keeps, and that a reader can tell from them what the metrics told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, Run, TypedMask, evaluate
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.metrics.chunk import Chunk, HidingRule
from showthrough.models import Resources
from showthrough.run import documents as texts
from showthrough.run.documents import Ranking, RunTexts, select_fitting, span_index_of

NONE = Anonymization({"d1": [], "d2": [], "d3": []}, "none")
SOME = Anonymization({"d1": [Mask(3, 11)], "d2": [TypedMask(2, 9, "X", "PERSON")], "d3": []}, "some")


def kept_ids(run: Run) -> list[str]:
    assert run.texts is not None
    return [document.id for document in run.texts.documents]


def test_all_documents_of_a_small_corpus(tiny: Corpus) -> None:
    run = evaluate(tiny, [NONE, SOME], ["er_di"], resamples=0)
    assert run.texts is not None
    assert run.texts.chosen == "all"
    assert run.texts.documents == list(tiny)
    assert run.texts.masks["some"] == [[TypedMask(3, 11)], [TypedMask(2, 9, "X", "PERSON")], []]
    # Only "Mr" may stay, once for both annotators of d1; punctuation is not listed.
    assert run.texts.free == [[(0, 2)], [], []]


@pytest.mark.parametrize("metrics", [["er_di", "er_qi"], ["precision"]])  # with and without the rows that rank
def test_of_too_many_those_at_most_risk(tiny: Corpus, metrics: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_DOCUMENTS", 1)
    # Nothing masked: d1 leaks one direct entity for each of two annotators, d2 one, d3 none.
    run = evaluate(tiny, [NONE], metrics, resamples=0)
    assert (kept_ids(run), run.texts.chosen if run.texts else "") == (["d1"], "riskiest")
    # Doe hidden in d1 and Ann Lee readable in d2: now d2 is at more risk.
    one = Anonymization({"d1": [Mask(3, 11)], "d2": [], "d3": []}, "one")
    assert kept_ids(evaluate(tiny, [one], metrics, resamples=0)) == ["d2"]
    # The worst anonymization counts.
    assert kept_ids(evaluate(tiny, [one, NONE], metrics, resamples=0)) == ["d1"]


def test_without_annotations_the_first(tiny: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_DOCUMENTS", 2)
    bare = Corpus([Document(one.id, one.text) for one in tiny])
    found = texts.texts_of(bare, [NONE], None, HidingRule("lexicon-en.1"), Resources())
    assert ([one.id for one in found.documents], found.chosen) == (["d1", "d2"], "first")


def test_characters_are_limited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_CHARACTERS", 10)
    assert select_fitting(np.array([2, 0, 1]), np.array([4, 4, 5])) == [2, 0]  # 5 + 4 characters; 4 more are too many
    assert select_fitting(np.array([1, 0]), np.array([4, 50])) == [1]  # one in any case


def test_a_run_need_not_keep_them(tiny: Corpus) -> None:
    assert evaluate(tiny, [NONE], ["er_di"], resamples=0, texts=False).texts is None


def test_a_run_file_keeps_them_for_its_owner_alone(tiny: Corpus, tmp_path: Path) -> None:
    run = evaluate(tiny, [NONE, SOME], ["er_di"], resamples=0)
    run.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json") == run
    assert (tmp_path / "run.json").stat().st_mode & 0o777 == 0o600
    run.without_text().save(tmp_path / "without.json")
    content = (tmp_path / "without.json").read_text(encoding="utf-8")
    assert "Doe" not in content
    assert Run.load(tmp_path / "without.json").scores == run.scores


def test_the_ruler_of_kept_texts_is_the_metrics_own(tiny: Corpus) -> None:
    run = evaluate(tiny, [SOME], ["er_di"], resamples=0)
    assert run.texts is not None
    again = SpanLayout(run.texts.corpus())
    first = Chunk(tiny).span_index(HidingRule("lexicon-en.1"))
    assert span_index_of(again, run.texts).before.tolist() == first.before.tolist()


def test_risk_is_the_worst_of_all_anonymizations() -> None:
    direct = [np.array([1.0, 0.0]), np.array([0.0, 1.0])]  # 1 each, by one anonymization or the other
    quasi = [np.array([0.0, 2.0]), np.array([0.0, 1.0])]  # 0 and 2
    ranking = Ranking()
    ranking.add(np.arange(2), [direct, quasi])
    assert ranking.numbers.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda held: held["masks"].pop("none"), "texts.masks: found some; expected none, some"),
        (lambda held: held["free"].pop(), "texts: expected masks and free words for each of the 3 documents"),
        (
            lambda held: held["masks"]["some"][0].append([30, 99, None, ""]),
            "document d1: end_offset 99 is past the end",
        ),
        (lambda held: held["documents"][0].__setitem__(1, ""), "document d1: text is empty"),
    ],
)
def test_a_run_that_was_edited_is_refused(tiny: Corpus, tmp_path: Path, change: object, message: str) -> None:
    path = tmp_path / "run.json"
    evaluate(tiny, [NONE, SOME], ["er_di"], resamples=0).save(path)
    content = json.loads(path.read_bytes())
    change(content["texts"])  # type: ignore[operator]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Run.load(path)


def test_texts_are_told_apart_from_none() -> None:
    assert RunTexts([], {}, [], "lexicon-en.1", "all").corpus().documents == []
