"""Anonymizers by name, and that whatever one returns is checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from showthrough.core.errors import InputError, PlanError
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Mask, TypedMask
from showthrough.systems import Anonymizer, anonymize, anonymizer
from showthrough.systems.rules import Rules


class Everything:
    name = "everything"
    version = 3

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        return [[Mask(0, len(one.text))] for one in documents]


def test_the_rules_are_there_by_name() -> None:
    made = anonymizer("rules")
    assert isinstance(made, Rules)
    assert (made.name, made.version) == ("rules", 1)


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(PlanError, match=r"unknown anonymizer 'nobody'; there are: rules"):
        anonymizer("nobody")


def test_anonymize_takes_every_document() -> None:
    corpus = Corpus([Document("a", "Mr Doe"), Document("b", "Oslo")])
    result = anonymize(corpus, Everything())
    assert result.name == "everything"
    assert {name: list(masks) for name, masks in result.masks.items()} == {
        "a": [Mask(0, 6)],
        "b": [Mask(0, 4)],
    }


def test_the_protocol_recognises_what_fits() -> None:
    assert isinstance(Everything(), Anonymizer)
    assert isinstance(Rules(), Anonymizer)
    assert not isinstance(object(), Anonymizer)


class Careless:
    """An anonymizer that returns whatever it is told to."""

    name = "careless"
    version = 1

    def __init__(self, returned: object) -> None:
        self.returned = returned

    def masks(self, documents: Sequence[Document]) -> object:
        return [self.returned for _ in documents]


@pytest.mark.parametrize(
    ("returned", "fault"),
    [
        ([Mask(0, 7)], "masks[0]: end 7 is past the end of the text (6 characters)"),
        ([Mask(-1, 2)], "masks[0]: start -1 is negative; expected 0 or more"),
        ([Mask(0, 1), Mask(3, 3)], "masks[1]: end 3 is not after start 3; expected a span of at least one character"),
        ([(0, 3)], "masks[0]: found (0, 3); expected a Mask"),
        ([Mask(np.int64(0), 3)], "masks[0]: found np.int64(0) and 3; expected whole numbers"),
        ([Mask(0, 3, 7)], "masks[0]: found 7; expected text"),
        ([TypedMask(0, 3, None, None)], "masks[0]: found None; expected text"),
        ([Mask(0, 3, "\ud800")], "masks[0]: holds half of a surrogate pair"),
        (None, "found a value of type NoneType; expected a list of masks"),
    ],
)
def test_masks_that_cannot_be_are_told_for_every_document(returned: object, fault: str) -> None:
    corpus = Corpus([Document("a", "Mr Doe"), Document("b", "Ms Doe")])
    with pytest.raises(InputError) as caught:
        anonymize(corpus, Careless(returned))  # type: ignore[arg-type]
    first, second = str(caught.value).splitlines()
    assert first.startswith(f"anonymizer careless: document a: {fault}")
    assert second.startswith(f"anonymizer careless: document b: {fault}")


def test_masks_in_any_order_are_right() -> None:
    given = [Mask(3, 6, "NAME"), Mask(0, 2), Mask(1, 4)]
    assert anonymize(Corpus([Document("a", "Mr Doe")]), Careless(given)).of("a") == given  # type: ignore[arg-type]
