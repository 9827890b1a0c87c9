"""Chunks are as long as some seconds of work."""

from __future__ import annotations

import pytest

from showthrough import Corpus, Document
from showthrough.data.documents import CHUNK_CHARACTERS
from showthrough.evaluation.runner import Pace
from showthrough.metrics import metrics_of


def test_quick_metrics_take_whole_chunks() -> None:
    assert Pace(metrics_of(["er_di", "recall_per_type", "phi_leak"])).characters == CHUNK_CHARACTERS


@pytest.mark.parametrize("asked", ["residual", 'recall(function_words="spacy:en_core_web_md")'])
def test_slow_ones_begin_with_little(asked: str) -> None:
    pace = Pace(metrics_of(asked))
    assert pace.characters == 20_000
    pace.took(20_000, 5)
    assert pace.characters == 40_000  # what ten seconds take
    pace.took(40_000, 0.1)
    assert pace.characters == 160_000  # four times as much at most
    pace.took(160_000, 40)
    assert pace.characters == 40_000
    pace.took(100, 1)  # the short end of something: tells nothing
    assert pace.characters == 40_000
    for _ in range(5):
        pace.took(pace.characters, 0.1)
    assert pace.characters == CHUNK_CHARACTERS


def test_a_document_is_never_cut() -> None:
    corpus = Corpus([Document(str(number), "x" * length) for number, length in enumerate((3, 4, 50_000, 5, 6))])
    pace = Pace(metrics_of("residual"))
    assert [pace.next_chunk(corpus, start) for start in (0, 2, 3)] == [range(2), range(2, 3), range(3, 5)]
