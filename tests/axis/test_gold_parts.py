"""Parts of what annotators marked, and who agrees with a span, against going through all marks one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from showthrough import Annotation, Corpus, Document, Mention
from showthrough.core.arrays import Ints
from showthrough.data.documents import Identifier
from showthrough.data.layout.gold import Gold
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.metrics.chunk import Chunk, HidingRule

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
    for name in Gold.__struct_fields__:
        if name not in ("types", "layers"):
            assert getattr(part, name).tolist() == getattr(expected, name).tolist(), name
    assert part.types == expected.types


@pytest.mark.parametrize("seed", range(40))
def test_a_part_of_a_layout_is_as_if_it_were_laid_out_by_itself(seed: int) -> None:
    chance = random.Random(seed)
    documents = marked_by_chance(chance)
    axis = SpanLayout(Corpus(documents))
    hiding, whole = HidingRule("lexicon-en.1"), Chunk(Corpus(documents))
    whole.axis = axis
    whole.span_index(hiding)  # what is ignorable is known then
    numbers = [chance.randrange(len(documents)) for _ in range(chance.randrange(1, 8))]  # some several times
    starts = (np.cumsum(axis.gold.layers.count) - axis.gold.layers.count).tolist()
    layers = [chance.sample(range(count), chance.randrange(count + 1)) for count in axis.gold.layers.count[numbers]]
    left = [
        Document(
            f"{place}", documents[number].text, tuple(documents[number].annotations[layer] for layer in sorted(chosen))
        )
        for place, (number, chosen) in enumerate(zip(numbers, layers, strict=True))
    ]
    chosen = [starts[number] + layer for number, some in zip(numbers, layers, strict=True) for layer in sorted(some)]
    part, alone = axis.part(numbers, left), SpanLayout(Corpus(left))
    part.gold = axis.gold.part(as_array(chosen), part)
    assert (part.narrow, part.kinds.tolist()) == (alone.narrow, alone.kinds.tolist())
    for name in ("start", "end", "token"):
        assert getattr(part.tokens, name).tolist() == getattr(alone.tokens, name).tolist()
    for name in ("start", "end", "level", "entity", "layer", "entity_document", "entity_level", "entity_type", "types"):
        assert list(getattr(part.gold, name)) == list(getattr(alone.gold, name)), name
    indexes = []
    for layout in (part, alone):
        chunk = Chunk(Corpus(left))
        chunk.axis = layout
        indexes.append(chunk.span_index(hiding))
    assert indexes[0].before.tolist() == indexes[1].before.tolist()
    assert indexes[0].whole.tolist() == indexes[1].whole.tolist()


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
