"""Parts of what annotators marked, and who agrees with a span, against going through all marks one by one."""

from __future__ import annotations

import random
from dataclasses import fields

import numpy as np
import pytest

from showthrough import Annotation, Corpus, Document, Mention
from showthrough.core.arrays import Ints
from showthrough.data.documents import Identifier
from showthrough.data.layout.gold import Gold
from showthrough.data.layout.span_layout import SpanLayout

LEVELS: tuple[Identifier, ...] = ("DIRECT", "QUASI", "NO_MASK", "MAY_MASK")


def marked_by_chance(chance: random.Random) -> list[Document]:
    documents = []
    for number in range(chance.randrange(1, 5)):
        text = "".join(chance.choice("ab ") for _ in range(chance.randrange(1, 30)))
        layers = []
        for name in "xyz"[: chance.randrange(4)]:
            starts = [chance.randrange(len(text)) for _ in range(chance.randrange(6))]
            marks = (
                Mention(
                    start,
                    chance.randrange(start, len(text)) + 1,
                    chance.choice("PQR"),
                    chance.choice(LEVELS),
                    chance.choice(["", "e1", "e2"]),
                )
                for start in starts
            )
            layers.append(Annotation(name, tuple(marks)))
        documents.append(Document(f"d{number}", text, tuple(layers)))
    return documents


def as_array(numbers: list[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)


@pytest.mark.parametrize("seed", range(40))
def test_some_layers_are_as_if_there_were_no_others(seed: int) -> None:
    chance = random.Random(seed)
    documents = marked_by_chance(chance)
    gold = SpanLayout(Corpus(documents)).gold
    starts = np.cumsum(gold.layers.count) - gold.layers.count
    left, numbers = [], []
    for number in sorted(chance.sample(range(len(documents)), chance.randrange(1, len(documents) + 1))):
        layers = [layer for layer in range(len(documents[number].annotations)) if chance.random() < 0.6]
        numbers += [int(starts[number]) + layer for layer in layers]
        annotations = tuple(documents[number].annotations[layer] for layer in layers)
        left.append(Document(documents[number].id, documents[number].text, annotations))
    axis = SpanLayout(Corpus(left))
    part, expected = gold.part(as_array(numbers), axis), Gold.of(SpanLayout(Corpus(left)))
    for field in fields(Gold):
        if field.name not in ("types", "layers"):
            assert getattr(part, field.name).tolist() == getattr(expected, field.name).tolist(), field.name
    assert part.types == expected.types


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("ascending", [True, False])
def test_who_agrees_with_spans_wherever_they_begin_and_end(seed: int, ascending: bool) -> None:
    chance = random.Random(seed)
    documents = marked_by_chance(chance)
    axis = SpanLayout(Corpus(documents))
    spans = []
    for number, document in enumerate(documents):
        for _ in range(chance.randrange(8)):
            start = chance.randrange(len(document.text))
            spans.append((number, start, chance.randrange(start, len(document.text)) + 1))
    spans = sorted(spans) if ascending else spans
    places, lows, highs = (as_array([span[index] for span in spans]) for index in range(3))
    agreeing = [
        sum(
            any(mark.start <= low and high <= mark.end and mark.must_mask for mark in layer.mentions)
            for layer in documents[place].annotations
        )
        for place, low, high in spans
    ]
    base = axis.bounds[places]
    assert axis.gold.agreement(lows + base, highs + base, places).tolist() == agreeing
