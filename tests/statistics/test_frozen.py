"""Every number of the demonstration is what it was when rows of all documents were looked at together.

`frozen.json` was made by that program: values, ends of intervals and p values, of documents and of groups of them. Ends
are those of today where documents that are heavier than all that were seen may leak more (docs/statistics.md).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from showthrough import Corpus, Run, evaluate, read_anonymization, read_corpus
from showthrough.cli import demo_corpus as demo

FROZEN = json.loads((Path(__file__).parent / "frozen.json").read_text(encoding="utf-8"))
METRICS = ["er_di", "recall", "f1", "recall_per_type", 'wp(ic="wordfreq")']


def evaluated(grouped: bool) -> Run:
    corpus = read_corpus(demo.corpus_path())
    systems = {name: read_anonymization(path, corpus) for name, path in list(demo.anonymization_paths().items())[:3]}
    if grouped:
        corpus = Corpus(
            [replace(one, group=f"g{number % 7}" if number % 3 else "") for number, one in enumerate(corpus)]
        )
    return evaluate(corpus, systems, METRICS, texts=False, resamples=100)


def numbers(run: Run) -> dict[str, list[list[Any]]]:
    first, second = run.names[:2]
    return {
        "scores": [[one.anonymization, one.metric, one.part, one.value, one.low, one.high] for one in run.scores],
        "studentized": [
            [one.metric, one.part, one.first, one.second, one.low, one.high, one.p] for one in run.compare(shuffles=199)
        ],
        "plain": [[one.metric, one.part, one.p] for one in run.compare("recall", shuffles=199, test="plain")],
        "losses": [
            [text, loss.p, loss.most]
            for text in run.rows
            for loss in [run.contest(text).measure_loss("", first, second, True, 0.01, 199, 0)]
        ],
    }


@pytest.mark.parametrize("drawn", FROZEN)
def test_numbers_are_what_they_were(drawn: str) -> None:
    found = numbers(evaluated(drawn == "groups"))
    for kind, expected in FROZEN[drawn].items():
        assert len(found[kind]) == len(expected)
        for one, other in zip(found[kind], expected, strict=True):
            # Products are added in another order where a processor is another.
            assert one == [pytest.approx(each, rel=1e-12) if isinstance(each, float) else each for each in other]
