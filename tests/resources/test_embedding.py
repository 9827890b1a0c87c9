"""Embeddings by several: the same vectors, and whoever watches hears of all texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.pickling import Pickling
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask
from showthrough.families.information.clustering import ClusteringAgreement
from showthrough.metrics import chunk as chunks
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources, embedding
from showthrough.models.settings import ModelSettings

pytestmark = pytest.mark.slow

WORDS = ["cats sat on mats", "dogs ran in the rain", "judges read long files", "bread rises in ovens"]
CORPUS = Corpus([Document(f"d{(7 * n) % 20:02}", f"{WORDS[n % 4]} and {n} more " * (1 + n % 3)) for n in range(20)])
MASKED = Anonymization({one.id: [Mask(0, 4)] for one in CORPUS}, "masked")
SETTINGS = ModelSettings(device="cpu", cache=False)


@pytest.mark.parametrize("model", [False, True])
def test_nmi_is_the_same_whoever_embeds(
    model: bool, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = str(request.getfixturevalue("mini_lm")) if model else "lsa"
    metric = ClusteringAgreement(embedding=name, max_k=4, n_clusterings=2, n_tries=5)
    alone = Chunk(CORPUS, Resources(SETTINGS)).rows(metric, MASKED)
    monkeypatch.setattr(chunks, "_DOCUMENTS", 3)
    engine = Pickling()
    shared = Chunk(CORPUS, Resources(SETTINGS, engine=engine)).rows(metric, MASKED)
    assert engine.tasks == 2 * 7  # originals and masked, three at a time
    assert shared.columns == alone.columns
    assert (shared.values == alone.values).all()


def test_batches_change_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [document.text for document in CORPUS]
    whole = Resources(SETTINGS).embedding("lsa", texts, "truncate")(texts)
    monkeypatch.setattr(embedding, "_BATCH", 3)
    for resources in (Resources(SETTINGS), Resources(SETTINGS, engine=Pickling())):
        assert (resources.embedding("lsa", texts, "truncate")(texts) == whole).all()


def test_who_watches_hears_of_all_texts(mini_lm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_BATCH", 8)
    heard: list[tuple[str, int, int]] = []
    resources = Resources(SETTINGS, lambda *told: heard.append(told))
    texts = [document.text for document in CORPUS]
    resources.embedding(str(mini_lm), texts, "truncate")(texts)
    assert {(what, total) for what, _, total in heard} == {("embeddings", 20)}
    done = [done for _, done, _ in heard]
    assert done == sorted(done)
    assert done[-1] == 20
