"""What types are called, by a corpus and by systems."""

from __future__ import annotations

from itertools import permutations

import pytest

from showthrough.data.labels import NO_TYPE, Labels, TypeResolver


@pytest.mark.parametrize("types", list(permutations(["Person", "PER", "PERSON"])))
def test_the_order_of_names_does_not_matter(types: tuple[str, ...]) -> None:
    assert {Labels(types).taken(name) for name in ("per", "NAME", "FIRSTNAME")} == {"PERSON"}
    assert Labels(set(types) - {"PERSON"}).taken("NAME") == "PER"


def test_composed_names_lie_below_their_known_part() -> None:
    labels = Labels(["NAME", "CONTACT/PAGER"])
    assert (labels.taken("NAME/ALIAS"), labels.taken("Contact/Pager"), labels.taken("CONTACT")) == (
        "NAME", "CONTACT/PAGER", None,
    )  # fmt: skip


def test_no_type_stays_none() -> None:
    labels = Labels(["", "LOC"])
    assert (labels.title(""), labels.title(NO_TYPE), labels.taken("")) == ("", NO_TYPE, None)
    assert TypeResolver({}, ["LOC"])("") == NO_TYPE


def test_meaning_by_exact_names() -> None:
    meaning = TypeResolver({"A": "B"}, ["LOC", "A"], exact=True)
    assert (meaning("CITY"), meaning("A"), meaning("per")) == ("CITY", "B", "per")
    assert [meaning.knows(name) for name in ("LOC", "A", "B", "CITY", "loc")] == [True, True, True, False, False]
