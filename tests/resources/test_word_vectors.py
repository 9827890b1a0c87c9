"""Similarity by the word vectors of a spaCy pipeline: what TAE compares where no model is named."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, Mask, evaluate
from showthrough.models import Resources
from showthrough.models.settings import ModelSettings

pytestmark = pytest.mark.skipif(
    find_spec("spacy") is None, reason="spaCy is not installed: pip install 'showthrough[spacy]'"
)


def spacy() -> Any:
    """Not imported before a test needs it: that takes seconds."""
    import spacy

    return spacy


VECTORS = {"Oslo": (3, 4), "Bergen": (4, 3), "a": (0, 1), "town": (1, 0)}


@pytest.fixture
def pipeline(tmp_path: Path) -> str:
    made = spacy().blank("en")
    made.vocab.vectors = spacy().vectors.Vectors(shape=(len(VECTORS), 2))
    for word, vector in VECTORS.items():
        made.vocab.set_vector(word, np.array(vector, dtype=np.float32))
    made.to_disk(tmp_path / "vectors")
    return str(tmp_path / "vectors")


def test_a_text_is_the_mean_of_its_words(pipeline: str) -> None:
    similarity = Resources(ModelSettings(cache=False)).similarity(f"spacy:{pipeline}")
    pairs = [("Oslo", "Bergen"), ("Oslo", "a town"), ("Oslo", "nowhere"), ("Oslo", "Oslo")]
    # 3 · 4 + 4 · 3 over 5 · 5; (3, 4) and (1/2, 1/2): 3.5 / (5 · √½); no vector at all: 0.
    expected = [24 / 25, 3.5 / (5 * np.sqrt(0.5)), 0.0, 1.0]
    (found,) = similarity.cosines([pairs])
    assert found == pytest.approx(expected, abs=1e-6)


def test_tps_keeps_what_the_words_share(pipeline: str) -> None:
    corpus = Corpus([Document("d", "to Oslo")])
    masks = {"one": Anonymization({"d": [Mask(3, 7, "Bergen")]})}
    metric = f'tps(ic="uniform", similarity="spacy:{pipeline}")'
    run = evaluate(corpus, masks, metric, resamples=0, cache=False)
    assert run["one", metric].value == pytest.approx((1 + 24 / 25) / 2, abs=1e-6)
    assert "|similarity_revision:" in run["one", metric].signature


def test_a_pipeline_without_vectors_is_an_error(tmp_path: Path) -> None:
    spacy().blank("en").to_disk(tmp_path / "bare")
    metric = f'tps(ic="uniform", similarity="spacy:{tmp_path / "bare"}")'
    masks = {"one": Anonymization({"d": [Mask(3, 7, "Bergen")]})}
    run = evaluate(Corpus([Document("d", "to Oslo")]), masks, metric, resamples=0, cache=False)
    assert [failure.metric for failure in run.failures] == [metric]
    assert "has no word vectors; choose one that has" in run.failures[0].reason
