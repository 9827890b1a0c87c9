"""Masks by hand: joined, applied, named, told apart by their digests."""

from __future__ import annotations

import copy
import pickle
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, TypedMask
from showthrough.data.masks import DerivedMasks, ScoredMask, apply_masks, flatten_masks
from showthrough.data.text_anonymizations import ReleasedTexts

TEXT = "Mr John Doe of Oslo"
CORPUS = Corpus([Document("a", TEXT), Document("b", "Rome")])


@pytest.mark.parametrize(
    ("masks", "flat"),
    [
        ([], []),
        ([Mask(5, 9), Mask(0, 2)], [Mask(0, 2), Mask(5, 9)]),  # in order
        ([Mask(0, 5), Mask(5, 9)], [Mask(0, 5), Mask(5, 9)]),  # to touch is not to overlap
        ([Mask(0, 6, "A"), Mask(5, 9, "B")], [Mask(0, 9, "A")]),  # the longest one's replacement
        ([Mask(0, 3, "A"), Mask(2, 9, "B")], [Mask(0, 9, "B")]),
        ([Mask(0, 4, "A"), Mask(2, 6, "B")], [Mask(0, 6, "A")]),  # among equals the first's
        ([Mask(0, 4, "B"), Mask(0, 4, "A")], [Mask(0, 4, "A")]),  # of one span the first in the alphabet
        ([Mask(0, 4, "B"), Mask(0, 4)], [Mask(0, 4)]),  # or what replaces by nothing
        ([Mask(0, 9, "A"), Mask(2, 3, "B"), Mask(4, 5, "C")], [Mask(0, 9, "A")]),  # nested
        ([Mask(0, 4, "A"), Mask(3, 6, "B"), Mask(5, 9, "C")], [Mask(0, 9, "A")]),  # a chain
    ],
)
def test_overlapping_masks_are_one(masks: list[Mask], flat: list[Mask]) -> None:
    for order in (masks, masks[::-1]):
        assert flatten_masks(order) == flat


def test_applying_masks() -> None:
    assert apply_masks(TEXT, []) == TEXT
    assert apply_masks(TEXT, [Mask(3, 11, "PERSON"), Mask(15, 19)]) == "Mr PERSON of "
    assert apply_masks(TEXT, [Mask(0, len(TEXT), "")]) == ""
    assert apply_masks("a😀b", [Mask(1, 2, "!")]) == "a!b"  # offsets are characters, not bytes


def test_what_is_suppressed() -> None:
    assert [Mask(0, 1, text).suppressed for text in (None, "", " \n", "X")] == [True, True, True, False]


def test_texts_of_an_anonymization() -> None:
    one = Anonymization({"a": [Mask(3, 11, "X")]})
    assert one.texts(CORPUS) == {"a": "Mr X of Oslo", "b": "Rome"}  # a document that it lacks stays as it was
    assert one.of("b") == ()


def test_part_of_an_anonymization() -> None:
    one = Anonymization({"a": [Mask(0, 2)], "b": []}, "one", "one.json")
    part = one.part(["b", "c"])
    assert (dict(part.masks), part.name, part.source) == ({"b": []}, "one", "one.json")


def test_types_are_counted() -> None:
    masks = {
        "a": [TypedMask(0, 2, None, "PER"), Mask(3, 4)],
        "b": [TypedMask(0, 4, "X", "LOC"), TypedMask(0, 1, "", "PER")],
    }
    assert Anonymization(masks).types == {"LOC": 1, "PER": 2}


def test_a_digest_tells_masks_apart_and_no_order() -> None:
    one = Anonymization({"a": [Mask(0, 2), Mask(3, 6, "X")], "b": []}).digest
    assert Anonymization({"b": [], "a": [Mask(3, 6, "X"), Mask(0, 2)]}, "another name").digest == one
    for other in (
        {"a": [Mask(0, 2), Mask(3, 6, "Y")], "b": []},
        {"a": [Mask(0, 2), Mask(3, 6)], "b": []},
        {"a": [Mask(0, 2, ""), Mask(3, 6, "X")], "b": []},  # written as nothing, and nothing said
        {"a": [Mask(0, 2), Mask(3, 6, "X")]},  # a document less
        {"a": [TypedMask(0, 2, None, "PER"), Mask(3, 6, "X")], "b": []},
    ):
        assert Anonymization(other).digest != one


def test_half_a_character_has_no_digest() -> None:
    with pytest.raises(InputError, match="document a: "):
        _ = Anonymization({"a": [Mask(0, 2, "\ud800")]}).digest


def test_masks_that_are_made_on_asking() -> None:
    asked: list[int] = []

    def whole(length: int) -> list[Mask]:
        asked.append(length)
        return [Mask(0, length)]

    masks = DerivedMasks({"a": 19, "b": 4}, whole)
    assert (len(masks), list(masks), "a" in masks, "c" in masks, asked) == (2, ["a", "b"], True, False, [])
    assert masks["b"] == [Mask(0, 4)]
    assert asked == [4]
    with pytest.raises(KeyError):
        masks["c"]


def test_released_texts_know_no_masks() -> None:
    one = ReleasedTexts({"b": "R", "c": ""}, "one")
    assert (len(one), one.of("b"), one.texts(CORPUS)) == (2, (), {"b": "R", "c": ""})
    assert ReleasedTexts({"c": "", "b": "R"}, "other").digest == one.digest
    assert ReleasedTexts({"b": "R", "c": " "}, "one").digest != one.digest


def test_some_of_the_texts_that_somebody_released() -> None:
    one = ReleasedTexts({"b": "R", "c": ""}, "one")
    corpus = Corpus([Document("b", "Rosa"), Document("c", "Carl")])
    part = one.part(["c", "x"], lazy=True)
    assert (part.name, len(part), part.texts(corpus)) == ("one", 1, {"c": ""})
    assert one.with_name("other").texts(corpus) == {"b": "R", "c": ""}  # and not the originals


class Plugins(Mask, frozen=True):
    """A mask of somebody else's."""

    why: str = ""


@pytest.mark.parametrize(
    ("masks", "packed"),
    [
        ({}, True),
        ({"a": [], "b": []}, True),
        ({"a": [Mask(3, 11, "X"), Mask(15, 19)], "b": [TypedMask(0, 4, None, "LOC")], "c": []}, True),  # each its own
        ({"a": [ScoredMask(3, 11, None, "PERSON", 0.5), ScoredMask(15, 19, "Ø", "", 7.0)]}, True),  # also what is none
        ({"a": [Mask(3, 11), TypedMask(15, 19)]}, False),
        ({"a": (Mask(3, 11),)}, False),
        (defaultdict(list, {"a": [Mask(3, 11)]}), False),
        ({"a": [Plugins(3, 11, None, "so")]}, False),
        ({"a": [Mask(3, 11, "\ud800")]}, False),
        ({"a": [Mask(3, 2**70)]}, False),
        ({"a": [Mask(np.int64(3), np.int64(11))]}, False),  # type: ignore[arg-type]
    ],
)
def test_masks_travel_as_they_are(masks: dict[str, Sequence[Mask]], packed: bool) -> None:
    given = Anonymization(masks, "one", "file", ["a note"])
    state: Any = given.__getstate__()["masks"]
    assert isinstance(state, dict) != packed
    for travelled in (pickle.loads(pickle.dumps(given)), copy.copy(given)):  # noqa: S301 (our own bytes)
        assert travelled.masks == masks
        assert type(travelled.masks) is type(masks)
        assert [type(mask) for each in travelled.masks.values() for mask in each] == [
            type(mask) for each in masks.values() for mask in each
        ]
        assert (travelled.name, travelled.source, travelled.notes) == ("one", "file", ("a note",))
