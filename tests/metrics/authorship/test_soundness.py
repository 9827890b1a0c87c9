"""Soundness: which passages there are, what a row counts, and what is said where it cannot be had."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from showthrough import Anonymization, Corpus, Document, Mask, evaluate, parse_metric
from showthrough.core.errors import InputError, PlanError
from showthrough.data.masks import apply_masks
from showthrough.data.text_anonymizations import Rewriting
from showthrough.families.authorship.passages import of_rewriting, of_sentences, sentences
from showthrough.metrics import Soundness
from showthrough.metrics.chunk import Chunk
from showthrough.metrics.language import in_language
from showthrough.models import Resources
from showthrough.models.settings import ModelSettings
from showthrough.statistics.rows import Rows

TEXT = "Mr. Doe went home. He slept well! Then he left."
CORPUS = Corpus([Document("d", TEXT), Document("empty", " \n")])
STS = {"Mr. X went home.": 4.0, "He rested well!": 3.0, "***": 1.0}


class Given(Resources):
    """What compares passages gives known answers, and is asked of nothing that stayed as it was."""

    def __init__(self) -> None:
        super().__init__(ModelSettings(cache=False))
        self.asked: list[str] = []

    def sts(self, name: str, vectors: str = "") -> Given:
        return self

    def similarities(self, groups: Sequence[Sequence[tuple[str, str]]]) -> list[np.ndarray]:
        self.asked += [after for group in groups for _, after in group]
        return [np.array([STS.get(after, 5.0) for _, after in group]) for group in groups]


def rows(masks: Anonymization) -> Rows:
    return Chunk(CORPUS, Given()).rows(Soundness(), masks)


def columns(table: Rows) -> dict[str, list[float]]:
    return dict(zip(table.columns, table.values.T.tolist(), strict=True))


def test_sentences_of_an_ordinary_anonymization() -> None:
    # Mr. X went home. is 4, He slept well! is gone, Then he left. stands: 4 + 0 + 5 in 3 passages, one unchanged.
    found = rows(Anonymization({"d": [Mask(4, 7, "X"), Mask(19, 33)], "empty": []}))
    assert columns(found) == {"sts": [9.0, 0.0], "passages": [3.0, 0.0], "unchanged": [1.0, 0.0]}
    assert found.evidence == {
        "d": {"passages": [{"start": 19, "end": 33, "value": 0.0}, {"start": 0, "end": 18, "value": 4.0}]}
    }
    assert Soundness().combine(found.totals())[""] == 3.0


def test_passages_of_a_rewriting() -> None:
    masks = [Mask(0, 18, "Mr. X went home."), Mask(19, 33, "He rested well!"), Mask(34, 47, "Then  he left.")]
    found = rows(Rewriting({"d": masks}))
    assert columns(found) == {"sts": [12.0, 0.0], "passages": [3.0, 0.0], "unchanged": [1.0, 0.0]}


def test_what_a_rewriting_leaves_out_is_gone() -> None:
    masks = [Mask(0, 18, "Mr. X went home.")]
    kept = of_rewriting(TEXT, masks, "Mr. X went home. He slept\nwell! Then he left.")
    assert [one.unchanged for one in kept] == [False, True]
    gone = rows(Rewriting({"d": masks}, written={"d": "Mr. X went home."}))
    assert columns(gone)["sts"] == [4.0, 0.0]
    assert columns(gone)["passages"] == [2.0, 0.0]


def test_how_much_hangs_on_vectors_is_told() -> None:
    rewritten, same = rows(Rewriting({"d": [Mask(0, 18, "Mr. X went home.")]})), rows(Anonymization({"d": []}))
    (note,) = Soundness().remarks({"a": same, "b": rewritten}, Resources())
    assert note.startswith(
        "soundness has no word vectors here, and depends on its word vectors: other vectors changed it by up to 0.17"
    )
    (note,) = Soundness(vectors="spacy:x").remarks({"b": rewritten}, Resources())
    assert note.startswith("soundness depends on its word vectors")
    assert Soundness(similarity="st:x").remarks({"b": rewritten}, Resources()) == []
    assert Soundness().remarks({"a": same, "nothing masked": rewritten}, Resources()) == []  # nothing was compared


def test_nothing_is_said_where_nothing_stands() -> None:
    everything = rows(Anonymization({"d": [Mask(0, len(TEXT), " ")]}))
    assert columns(everything) == {"sts": [0.0, 0.0], "passages": [3.0, 0.0], "unchanged": [0.0, 0.0]}


def test_one_mask_over_many_sentences_loses_all_of_them() -> None:
    found = of_sentences(TEXT, [Mask(4, 40, "***")])
    assert [one.written for one in found] == ["Mr. ***", "", "e left."]


@given(
    st.lists(st.sampled_from(["Mr. Doe left.", "Why?", "e.g. this", "\n", " ", "...", "No. 3", "A. B."]), max_size=12)
)
def test_sentences_hold_all_that_is_written(parts: list[str]) -> None:
    text = " ".join(parts)
    spans = sentences(text)
    assert "".join(text[start:end] for start, end in spans).split() == [] or spans
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert [one.written for one in of_sentences(text, [])] == [text[start:end] for start, end in spans]


@given(st.lists(st.tuples(st.integers(0, 49), st.integers(1, 20), st.sampled_from([None, "x", "Y."])), max_size=5))
@example([(48, 1, "x")])  # into what is white at the end
def test_masks_are_applied_as_anywhere(drawn: list[tuple[int, int, str | None]]) -> None:
    text = f"{TEXT} \n "
    masks = [Mask(start, min(start + length, len(text)), written) for start, length, written in drawn]
    found = "".join(one.written for one in of_sentences(text, masks))
    assert "".join(found.split()) == "".join(apply_masks(text, masks).split())


def test_stops_without_end_take_no_time() -> None:
    assert len(sentences("." * 200_000 + "a")) == 1
    assert len(sentences(". " * 50_000)) == 50_000


def test_scores_are_of_five(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Soundness, "missing_resource", "")
    monkeypatch.setattr(Resources, "sts", Given.sts)
    monkeypatch.setattr(Resources, "similarities", Given.similarities, raising=False)
    monkeypatch.setattr(Resources, "asked", [], raising=False)
    monkeypatch.setattr(Resources, "revisions", lambda self, models: dict.fromkeys(models, ""))
    corpus = Corpus([Document(f"d{number}", f"{TEXT[:-1]} {number}.") for number in range(20)])
    same = Anonymization({one.id: [] for one in corpus})
    worse = Anonymization({one.id: [Mask(4, 7, "X")] if number else [] for number, one in enumerate(corpus)})
    gone = Anonymization({one.id: [Mask(0, len(one.text))] for one in corpus})
    run = evaluate(corpus, {"same": same, "worse": worse, "gone": gone}, ["soundness"], cache=False)
    # Nothing lost in 20 documents: up to 5 · (1 − 0.05 ** (1/20)) may be.
    assert run["same", "soundness"].value == 5.0
    assert run["same", "soundness"].ends == pytest.approx((5.0, 5 * 0.05 ** (1 / 20), 5.0))
    value, low, high = run["worse", "soundness"].ends or (0, 0, 0)
    assert value == pytest.approx((19 * 14 + 15) / 60)
    assert 3.5 < low < value < high < 5.0
    assert run["gone", "soundness"].ends == pytest.approx((0.0, 0.0, 5 * (1 - 0.05 ** (1 / 20))))
    assert "|vectors:none|" in run["same", "soundness"].signature
    bare = run.without_text().evidence
    assert run.evidence["soundness"]["worse"]["d1"].passages[0].value == 4.0
    assert bare == {"soundness": {"worse": {}, "gone": {}}}


def test_signatures_name_vectors_and_wordnet(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [str(data / "nltk_data")])
    (tmp_path / "v.txt").write_text("dog 1 0\ncat 0 1\nhound 1 0.1\n")
    corpus = Corpus([Document("d", "The dog bit. A cat and a dog fled.")])
    masks = {"a": Anonymization({"d": [Mask(4, 7, "hound")]})}
    metric = f'soundness(vectors="{tmp_path}/v.txt")'
    run = evaluate(corpus, masks, ["soundness"], vectors=str(tmp_path / "v.txt"), cache=False)
    line = run["a", metric].signature
    assert run.failures == []
    assert f"|vectors:{tmp_path}/v.txt|" in line
    assert "|wordnet_revision:" in line
    assert "|vectors_revision:" in line
    assert str(tmp_path) not in str(run.without_text().scores)


def test_what_is_missing_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    masks = {"a": Anonymization({"d": [], "empty": []})}
    with pytest.raises(InputError) as error:  # before anything is scored
        evaluate(CORPUS, masks, ["residual", "soundness"], cache=False)
    assert str(error.value) == (
        "metric soundness: WordNet is not on this machine: python -m nltk.downloader wordnet, or set NLTK_DATA to the "
        "folder that has corpora/wordnet.zip; other metrics do without it"
    )
    assert parse_metric('soundness(similarity="st:any")').missing_resource == ""  # asks no WordNet


def test_vectors_that_are_not_there_are_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Soundness, "missing_resource", "")
    with pytest.raises(InputError, match=r"none\.txt: no such file of word vectors") as error:
        evaluate(
            CORPUS, {"a": Anonymization({"d": [], "empty": []})}, ["soundness"], vectors=str(tmp_path / "none.txt")
        )
    assert len(error.value.problems) == 1


def test_other_languages_are_refused() -> None:
    with pytest.raises(PlanError, match="soundness reads English alone; expected --language en"):
        in_language(Soundness(), "de")
    embedded = Soundness(similarity="st:some-model")
    assert in_language(embedded, "de") == embedded


@pytest.mark.parametrize("similarity", ["st:", "nothing", "tokens:"])
def test_unknown_measures_are_refused(similarity: str) -> None:
    with pytest.raises(PlanError, match="similarity="):
        Soundness(similarity=similarity)
