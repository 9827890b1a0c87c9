"""What `describe` counts: by hand, against a plain slow count, and on corpora of every odd kind."""

from __future__ import annotations

import json
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from showthrough import describe, read_corpus
from showthrough.data.documents import Annotation, Corpus, Document, InferredMention, Mention
from showthrough.studies._tallies import Extent
from showthrough.studies.description import CorpusPart, Description, Levels, MarkCounts, MeanDeviation

DOE = "John Doe of Oslo met Doe."  # 25 characters, 6 tokens
TOKYO = "東京 in May"  # 9 characters; each ideograph is a token, so 4
BY_HAND = Corpus([
    Document("d1", DOE, (
        Annotation("a", (
            Mention(0, 8, "PERSON", "DIRECT", "e1", "NOT_CONFIDENTIAL", "check"),
            Mention(21, 24, "PERSON", "QUASI", "e1", "NOT_CONFIDENTIAL", "insert"),
            Mention(12, 16, "LOC", "NO_MASK", "e2", "HEALTH", "check"),
        )),
        Annotation("b", (Mention(0, 8, "PERSON", "DIRECT"),)),
    ), split="train", reviewed=("a",)),
    Document("d2", TOKYO, (Annotation("a", (Mention(0, 2, "LOC", "QUASI", "x"), Mention(0, 1, "LOC", "QUASI", "y"))),),
             split="test"),
    Document("d3", "Nothing.", (Annotation("a"),), split="test"),
    Document("d4", "Oslo"),
])  # fmt: skip


@pytest.fixture(scope="module")
def by_hand() -> Description:
    return describe(BY_HAND)


def test_documents_and_layers(by_hand: Description) -> None:
    whole = by_hand.whole
    assert (whole.documents, whole.documents_by_annotators) == (4, {0: 1, 1: 2, 2: 1})
    assert (whole.layers, whole.layers_reviewed, whole.documents_reviewed, whole.layers_by_programs) == (4, 1, 1, 0)
    assert (whole.characters, whole.tokens) == (25 + 9 + 8 + 4, 6 + 4 + 1 + 1)
    # Layers have 3, 1, 2 and 0 mentions: squares of 1.5, 0.5, 0.5, 1.5 over 3. Documents have 4, 2, 0 and 0.
    assert whole.mentions_per_layer == MeanDeviation(1.5, pytest.approx(math.sqrt(5 / 3)), 4)
    assert whole.mentions_per_document == MeanDeviation(1.5, pytest.approx(math.sqrt(11 / 3)), 4)


def test_mentions_and_entities(by_hand: Description) -> None:
    marks = by_hand.whole.marks
    assert marks.mentions == Levels(direct=2, quasi=3, no_mask=1)
    # e1 is direct by its first mention, e2 may stay, what b marked is one of its own, x and y are quasi.
    assert marks.entities == Levels(direct=2, quasi=2, no_mask=1)
    assert (marks.linked, marks.most_mentions, marks.repeated, marks.several_strings) == (5, 2, 1, 1)
    assert marks.statuses == {"NOT_CONFIDENTIAL": 2, "HEALTH": 1}
    assert (marks.confidential, marks.confidential_entities, marks.entities_with_status) == (1, 1, 2)
    assert marks.edits == {"check": 2, "insert": 1}
    assert {kind: (one.mentions, one.entities) for kind, one in by_hand.whole.types.items()} == {
        "LOC": (Levels(0, 2, 1), Levels(0, 2, 1)),
        "PERSON": (Levels(2, 1, 0), Levels(2, 0, 0)),
    }


def test_annotators(by_hand: Description) -> None:
    a, b = by_hand.whole.annotators.values()
    assert (a.layers, a.reviewed, a.mentions, a.entities, a.masked) == (3, 1, 5, 4, 4)
    # 2 of 3 in d1, 2 of 2 in d2, nothing to share in d3: a mean of 5/6, from which both are 1/6 away.
    assert a.masked_share == pytest.approx(4 / 5)
    assert a.masked_by_document == MeanDeviation(pytest.approx(5 / 6), pytest.approx(math.sqrt(2 / 36)), 2)
    # Marked: John Doe, Doe, Oslo and 東京, of which the nested 東 is no more. To be masked: all but Oslo.
    assert a.extent == Extent(25 + 9 + 8, 6 + 4 + 1, 8 + 3 + 4 + 2, 2 + 1 + 1 + 2, 8 + 3 + 2, 2 + 1 + 2)
    assert (b.masked_share, b.masked_by_document) == (1.0, MeanDeviation(1.0, None, 1))
    assert b.extent == Extent(25, 6, 8, 2, 8, 2)


def test_share_masked(by_hand: Description) -> None:
    """0.8 and 1 of the annotators; 2/3, 1 and 1 of the layers with mentions, whose mean is 8/9."""
    assert by_hand.whole.masked_by_annotator == MeanDeviation(pytest.approx(0.9), pytest.approx(math.sqrt(0.02)), 2)
    assert by_hand.whole.masked_by_layer == MeanDeviation(pytest.approx(8 / 9), pytest.approx(math.sqrt(6 / 81 / 2)), 3)


def test_splits(by_hand: Description) -> None:
    """The largest first; documents that say none are one of their own."""
    assert list(by_hand.splits) == ["test", "", "train"]
    assert by_hand.splits["test"].marks.mentions == Levels(quasi=2)
    assert by_hand.splits[""].annotators == {}
    assert describe(Corpus([Document("a", "x")])).splits == {}


def test_parts_of_one_token_are_one_token() -> None:
    """Two marks in one word, and a word that two annotators mark."""
    marks = (Mention(0, 3, "A"), Mention(4, 6, "A"), Mention(7, 8, "A"), Mention(9, 10, "A"))
    corpus = Corpus([Document("d", "Johnstown x", (Annotation("a", marks[:3]), Annotation("b", marks[2:])))])
    found = describe(corpus).whole.annotators
    assert found["a"].extent == Extent(11, 2, 6, 1, 6, 1)
    assert found["b"].extent == Extent(11, 2, 2, 1, 2, 1)  # the s, and a space, which is no token


def test_nobody_said_how_mentions_identify() -> None:
    """Types tell of a person, and nobody knows a TATTOO; no share is to be masked, since nobody decided on it."""
    mentions = (InferredMention(0, 1, "PERSON", "DIRECT"), InferredMention(1, 2, "TATTOO", "QUASI"))
    found = describe(Corpus([Document("d", "ab", (Annotation("a", mentions),))])).whole
    assert (found.marks.inferred, found.marks.guessed, found.marks.mentions) == (2, 1, Levels(1, 1, 0))
    assert found.annotators["a"].masked_share is None
    assert found.masked_by_annotator == found.masked_by_layer == MeanDeviation(None, None, 0)


def test_programs_are_no_annotators_to_average_over() -> None:
    layers = (
        Annotation("silver(rules.v1)", (Mention(0, 1, "A", "QUASI"),)),
        Annotation("ann", (Mention(0, 1, "A", "NO_MASK"),)),
    )
    found = describe(Corpus([Document("d", "ab", layers)])).whole
    assert [name for name, one in found.annotators.items() if one.program] == ["silver(rules.v1)"]
    assert found.layers_by_programs == 1
    assert found.masked_by_annotator == MeanDeviation(0.0, None, 1)


def test_a_blank_status_or_edit_says_nothing() -> None:
    mentions = (Mention(0, 1, "A", confidential=" ", edit=""), Mention(1, 2, "A", confidential="not confidential"))
    marks = describe(Corpus([Document("d", "ab", (Annotation("a", mentions),))])).whole.marks
    assert (marks.statuses, marks.edits, marks.confidential) == ({"not confidential": 1}, {}, 0)


# A plain slow count, with no array in it.


def slow(documents: list[Document]) -> dict[str, Any]:
    layers = [(document, layer) for document in documents for layer in document.annotations]
    people = [layer.annotator for _, layer in layers if layer.annotator != "silver"]
    shares: dict[str, list[float]] = {}
    pooled: dict[str, list[bool]] = {}
    telling = {layer.annotator for _, layer in layers if any(one.stated for one in layer.mentions)}
    for _, layer in layers:
        if layer.mentions and layer.annotator in telling:
            masked = [one.must_mask for one in layer.mentions]
            shares.setdefault(layer.annotator, []).append(sum(masked) / len(masked))
            pooled.setdefault(layer.annotator, []).extend(masked)
    everyone = [mention for _, layer in layers for mention in layer.mentions]
    return {
        "documents": len(documents),
        "by annotators": Counter(len(document.annotations) for document in documents),
        "layers": len(layers),
        "reviewed": None
        if all(document.reviewed is None for document in documents)
        else sum(layer.annotator in (document.reviewed or ()) for document, layer in layers),
        "characters": sum(len(document.text) for document in documents),
        "tokens": sum(len(words(document.text)) for document in documents),
        "per layer": summed([len(layer.mentions) for _, layer in layers]),
        "per document": summed([sum(len(one.mentions) for one in each.annotations) for each in documents]),
        "over annotators": summed([statistics.fmean(pooled[name]) for name in {*people} & {*pooled}]),
        "over layers": summed([each for name in {*people} for each in shares.get(name, [])]),
        "marks": slow_marks(everyone, list(chains(layers))),
        "types": {
            kind: slow_marks(
                [one for one in everyone if one.entity_type == kind],
                [one for one in chains(layers) if one[1][0].entity_type == kind],
            )
            for kind in {one.entity_type for one in everyone}
        },
        "annotators": {
            name: (
                *(summed(shares.get(name, [])), *extent([pair for pair in layers if pair[1].annotator == name])),
                sum(len(layer.mentions) for _, layer in layers if layer.annotator == name),
                len(list(chains([pair for pair in layers if pair[1].annotator == name]))),
            )
            for name in {layer.annotator for _, layer in layers}
        },
    }  # fmt: skip


def words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[一-鿿]|[^\W一-鿿]+", text)]


def chains(layers: list[tuple[Document, Annotation]]) -> Iterator[tuple[str, list[Mention]]]:
    for document, layer in layers:
        found: dict[Any, list[Mention]] = {}
        for number, mention in enumerate(layer.mentions):
            found.setdefault(mention.entity_id or number, []).append(mention)
        for mentions in found.values():
            yield document.text, mentions


def slow_marks(mentions: list[Mention], entities: list[tuple[str, list[Mention]]]) -> dict[str, Any]:
    def said(one: Mention) -> str:
        return (one.confidential or "").strip()

    order = ("DIRECT", "QUASI", "NO_MASK", "MAY_MASK")
    highest = [min((*(one.identifier for one in chain), "NO_MASK"), key=order.index) for _, chain in entities]
    statuses = Counter(said(one) for one in mentions if said(one))
    strings = [{text[one.start : one.end] for one in chain} for text, chain in entities]
    return {
        "mentions": tuple(sum(one.identifier == level for one in mentions) for level in order),
        "entities": tuple(highest.count(level) for level in order),
        "inferred": sum(not one.stated for one in mentions),
        "statuses": statuses,
        "confidential": statuses.total() - statuses["NOT_CONFIDENTIAL"],
        "confidential entities": sum(
            any(said(one) not in ("", "NOT_CONFIDENTIAL") for one in chain) for _, chain in entities
        ),
        "edits": Counter(one.edit for one in mentions if one.edit),
        "chained": sum(len(chain) for _, chain in entities),
        "most": max((len(chain) for _, chain in entities), default=0),
        "repeated": sum(len(chain) > 1 for _, chain in entities),
        "several strings": sum(len(each) > 1 for each in strings),
    }


def extent(layers: list[tuple[Document, Annotation]]) -> list[int]:
    totals = [0] * 6
    for document, layer in layers:
        tokens = words(document.text)
        sizes = [len(document.text), len(tokens)]
        for some in (layer.mentions, [one for one in layer.mentions if one.must_mask]):
            places = {place for one in some for place in range(one.start, one.end)}
            sizes += [len(places), sum(not places.isdisjoint(range(*token)) for token in tokens)]
        totals = [one + another for one, another in zip(totals, sizes, strict=True)]
    return totals


def summed(values: list[float]) -> tuple[float | None, float | None, int]:
    mean = statistics.fmean(values) if values else None
    return mean, statistics.stdev(values) if len(values) > 1 else None, len(values)


def told(part: CorpusPart) -> dict[str, Any]:
    """A part in the words of the slow count."""

    def spread(found: MeanDeviation) -> tuple[float | None, float | None, int]:
        return found.mean, found.deviation, found.number

    def marks(found: MarkCounts) -> dict[str, Any]:
        return {
            "mentions": msgspec.structs.astuple(found.mentions),
            "entities": msgspec.structs.astuple(found.entities),
            "inferred": found.inferred,
            "statuses": found.statuses,
            "confidential": found.confidential,
            "confidential entities": found.confidential_entities,
            "edits": found.edits,
            "chained": found.chained,
            "most": found.most_mentions,
            "repeated": found.repeated,
            "several strings": found.several_strings,
        }

    return {
        "documents": part.documents,
        "by annotators": part.documents_by_annotators,
        "layers": part.layers,
        "reviewed": part.layers_reviewed,
        "characters": part.characters,
        "tokens": part.tokens,
        "per layer": spread(part.mentions_per_layer),
        "per document": spread(part.mentions_per_document),
        "over annotators": spread(part.masked_by_annotator),
        "over layers": spread(part.masked_by_layer),
        "marks": marks(part.marks),
        "types": {kind: marks(one) for kind, one in part.types.items()},
        "annotators": {
            name: (
                *(spread(one.masked_by_document), *msgspec.structs.astuple(one.extent)),
                *(one.mentions, one.entities),
            )
            for name, one in part.annotators.items()
        },
    }


def alike(found: Any, expected: Any) -> bool:
    """Equal, numbers up to what rounding does to a sum."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(alike(found[key], expected[key]) for key in expected)
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(alike, found, expected))
    return found == expected or (isinstance(expected, float) and math.isclose(found, expected, abs_tol=1e-12))


def assert_alike(part: CorpusPart, documents: list[Document]) -> None:
    found, expected = told(part), slow(documents)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert alike(found[key], value), (key, found[key], value)


@pytest.fixture(scope="module")
def tab(data: Path) -> Corpus:
    return read_corpus(data / "tab/train_100.json")


def test_tab_equals_a_slow_count(tab: Corpus) -> None:
    assert_alike(describe(tab).whole, list(tab))


def test_the_known_numbers_of_tab(tab: Corpus, data: Path) -> None:
    whole = describe(tab).whole
    assert (whole.documents, whole.layers, whole.documents_by_annotators) == (100, 129, {1: 79, 2: 16, 3: 2, 4: 3})
    assert (whole.marks.mentions, whole.marks.mentions.total) == (Levels(323, 4450, 2113), 6886)
    raw = [
        mention
        for document in json.loads((data / "tab/train_100.json").read_bytes())
        for layer in document["annotations"].values()
        for mention in layer["entity_mentions"]
    ]
    assert whole.marks.edits == Counter(one["edit_type"] for one in raw)
    assert whole.marks.statuses == Counter(one["confidential_status"] for one in raw)
    assert list(whole.types) == [kind for kind, _ in Counter(one["entity_type"] for one in raw).most_common()]


# Corpora of every odd kind.

NAMES = st.sampled_from(["", "PERSON", "a|b&c_d", "\u202eRTL", "line\nfeed", "x" * 200, "日本", "silver", "ø"])
TEXTS = st.text(st.sampled_from("ab_ .東京é\n😀"), min_size=1, max_size=12)
LEVELS = st.sampled_from(["DIRECT", "QUASI", "NO_MASK", "MAY_MASK"])
SAID = st.sampled_from([None, "", "NOT_CONFIDENTIAL", "HEALTH"])


@st.composite
def documents(draw: st.DrawFn) -> list[Document]:
    found = []
    for number in range(draw(st.integers(1, 4))):
        text = draw(TEXTS)
        places = st.integers(0, len(text) - 1).flatmap(
            lambda start, text=text: st.tuples(st.just(start), st.integers(start + 1, len(text)))  # type: ignore[misc]
        )
        spans = st.tuples(places, NAMES, LEVELS, st.sampled_from(["", "e"]), SAID, SAID)
        made = st.builds(lambda kind, one: kind(*one[0], *one[1:]), st.sampled_from([Mention, InferredMention]), spans)
        names = draw(st.lists(st.sampled_from(["", "a", "silver", "日本"]), unique=True, max_size=3))
        layers = [Annotation(name, tuple(draw(st.lists(made, max_size=4)))) for name in names]
        split, reviewed = draw(st.sampled_from(["", "train", "test"])), draw(st.sampled_from([None, (), ("a",)]))
        found.append(Document(str(number), text, tuple(layers), split=split, reviewed=reviewed))
    return found


class InSmallPieces(Corpus):
    """A corpus that is walked through document by document."""

    def chunks(self, characters: int = 1, start: int = 0) -> Iterator[range]:
        return super().chunks(1, start)


@given(documents())
def test_any_corpus_equals_a_slow_count(found: list[Document]) -> None:
    description = describe(Corpus(found))
    assert_alike(description.whole, found)
    for split, part in description.splits.items():
        assert_alike(part, [document for document in found if document.split == split])


@given(documents(), st.randoms(use_true_random=False))
def test_neither_order_nor_chunks_matter(found: list[Document], chance: Any) -> None:
    usual = msgspec.json.encode(describe(Corpus(found)))
    shuffled = chance.sample(found, len(found))
    assert msgspec.json.encode(describe(Corpus(shuffled))) == usual
    assert msgspec.json.encode(describe(InSmallPieces(shuffled))) == usual


@given(documents())
def test_splits_sum_to_the_whole(found: list[Document]) -> None:
    description = describe(Corpus(found))
    parts = list(description.splits.values()) or [description.whole]

    def sums(*names: str) -> list[int]:
        return [sum(getattr(part, name) or 0 for part in parts) for name in names]

    names = ("documents", "layers", "characters", "tokens", "layers_reviewed", "documents_reviewed")
    assert sums(*names) == [getattr(description.whole, name) or 0 for name in names]
    for name in ("direct", "quasi", "no_mask", "may_mask"):
        for of in ("mentions", "entities"):
            assert sum(getattr(getattr(part.marks, of), name) for part in parts) == getattr(
                getattr(description.whole.marks, of), name
            )
    types = Counter({kind: one.mentions.total for kind, one in description.whole.types.items()})
    assert types == sum((Counter({k: v.mentions.total for k, v in part.types.items()}) for part in parts), Counter())


def test_edits_by_annotator_with_their_spread() -> None:
    """Two people keep 3 of 4 and 1 of 2 marks: 0.75 and 0.5, mean 0.625, deviation 0.25/√2. Programs do not count."""

    def layer(who: str, *edits: str | None) -> Annotation:
        marks = (Mention(at, at + 1, "X", "QUASI", "", None, edit) for at, edit in enumerate(edits))
        return Annotation(who, tuple(marks))

    layers = layer("a", "check", "check", "check", "insert"), layer("b", "check", "correct", None)
    silver = layer("silver(rules)", "insert")
    whole = describe(Corpus([Document("d", "abcdef", (*layers, silver)), Document("e", "ab", (layer("c"),))])).whole
    assert whole.annotators["a"].edits == {"check": 3, "insert": 1}
    assert whole.annotators["b"].edits == {"check": 1, "correct": 1}
    assert whole.annotators["c"].edits == {}
    assert whole.edits_by_annotator == {
        "check": MeanDeviation(0.625, pytest.approx(0.25 / math.sqrt(2)), 2),
        "correct": MeanDeviation(0.25, pytest.approx(0.5 / math.sqrt(2)), 2),
        "insert": MeanDeviation(0.125, pytest.approx(0.25 / math.sqrt(2)), 2),
    }


def test_long_mentions_have_more_than_100_characters() -> None:
    marks = Mention(0, 100, "X", "QUASI"), Mention(0, 101, "X", "QUASI"), Mention(3, 200, "Y", "QUASI")
    whole = describe(Corpus([Document("d", "ab " * 80, (Annotation("a", marks),))])).whole
    assert (whole.marks.long, whole.types["X"].long, whole.types["Y"].long) == (2, 1, 1)
