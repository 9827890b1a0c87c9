"""What a tagger is trained on: the layers of documents as labels of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from showthrough.core.errors import PlanError, join_names, quote_value, shorten
from showthrough.data.documents import Annotation, Corpus, Document
from showthrough.data.silver import is_silver
from showthrough.systems.taggers.labels import OUTSIDE, labels_of
from showthrough.systems.taggers.tokens import Tokens

EACH, UNION = "each", "union"  # annotators: every layer is a copy of its own; all of them are one


@dataclass(frozen=True)
class Example:
    """One layer of one document."""

    tokens: Tokens
    labels: list[str]
    record: str  # what must not be on both sides of a split: the group, or the document
    silver: bool = False  # whether programs marked it


def examples_of(corpus: Corpus, annotators: str = EACH, binary: bool = False) -> list[Example]:
    """The layers that are trained on. Raises PlanError where there is nothing to learn from."""
    location = f"corpus {shorten(corpus.name)}"
    if not corpus.survey.annotated:
        raise PlanError(
            "has no annotations; expected documents in which somebody marked what is to be masked", location
        )
    examples: list[Example] = []
    for document in corpus:
        layers = list(_layers(document, annotators))
        if layers:
            tokens, record = Tokens.of(document.text), document.group or document.id
            examples += [
                Example(tokens, labels_of(tokens, layer.mentions, binary), record, is_silver(layer.annotator))
                for layer in layers
            ]
    if not examples:
        names = sorted({layer.annotator for document in corpus for layer in document.annotations})
        raise PlanError(f"has no layer of {quote_value(annotators)}; there are: {join_names(names)}", location)
    if len({example.record for example in examples}) < 2:
        raise PlanError("has one annotated document or group; expected at least two, better fifty", location)
    if all(label == OUTSIDE for example in examples for label in example.labels):
        raise PlanError("has no mention that is to be masked; expected some that are DIRECT or QUASI", location)
    return examples


def _layers(document: Document, annotators: str) -> Iterator[Annotation]:
    people = document.to_learn_from
    if annotators == UNION:
        if people:
            yield Annotation(people[0].annotator, tuple(mention for layer in people for mention in layer.mentions))
    elif annotators == EACH:
        yield from people
    else:
        yield from (layer for layer in document.annotations if layer.annotator == annotators)


def folds_of(examples: Sequence[Example], count: int, seed: int) -> list[int]:
    """A number below `count` for each example, equal for all of a record, about as often each."""
    records = sorted({example.record for example in examples})
    dealt = np.random.default_rng(seed).permutation(len(records)) % count
    number = dict(zip(records, dealt.tolist(), strict=True))
    return [number[example.record] for example in examples]
