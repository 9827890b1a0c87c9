"""Corpus and anonymizations checked together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest
from hypothesis import given, strategies as st

from showthrough import Anonymization, Corpus, Document, InputError, Mask
from showthrough.core.arrays import Ints
from showthrough.data.documents import span_fault
from showthrough.data.masks import DerivedMasks, NumberedMasks
from showthrough.data.pairing import Missing, check_pair, no_id_fits, pair, stranger_fault
from showthrough.data.provenance import Provenance, texts_digest
from showthrough.storage.columns.strings import Strings

SOUND = {"d1": [Mask(0, 11)], "d2": [], "d3": [Mask(0, 15)]}


def places(corpus: Corpus, **changes: list[Mask]) -> list[tuple[str, str]]:
    anonymization = Anonymization({**SOUND, **changes}, "x", "x.json")
    return [(problem.place, problem.message) for problem in check_pair(corpus, anonymization)]


def test_sound_masks_in_any_order(tiny: Corpus) -> None:
    assert places(tiny) == []
    assert places(tiny, d1=[Mask(33, 34), Mask(0, 34), Mask(0, 34), Mask(0, 1)]) == []


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (Mask(-1, 4), "start -1 is negative; expected 0 or more"),
        (Mask(4, 4), "end 4 is not after start 4; expected a span of at least one character"),
        (Mask(7, 4), "end 4 is not after start 7; expected a span of at least one character"),
        (Mask(0, 35), "end 35 is past the end of the text (34 characters)"),
        (Mask(34, 35), "end 35 is past the end of the text (34 characters)"),
    ],
)
def test_masks_outside_the_text(mask: Mask, message: str, tiny: Corpus) -> None:
    assert places(tiny, d1=[Mask(0, 11), mask]) == [("document d1: masks[1]", message)]


def test_the_length_is_counted_in_code_points(tiny: Corpus) -> None:
    assert len(tiny.documents[1].text) == 26  # and 27 UTF-16 units: the emoji has two
    assert places(tiny, d2=[Mask(0, 26)]) == []
    advice = "in utf-16 it is not: say --offsets utf-16 if that is what is counted"
    assert places(tiny, d2=[Mask(0, 27)]) == [
        ("document d2: masks[0]", f"end 27 is past the end of the text (26 characters); {advice}")
    ]


def test_documents_that_one_side_lacks(tiny: Corpus) -> None:
    found = Anonymization({"d1": [], "d3": [], "zz": []}, "x", "x.json")
    problems = check_pair(tiny, found)
    assert [problem.place for problem in problems] == ["document zz", "document d2"]
    assert problems[0].message == "is not in the corpus tiny; leave it out (of a file: evaluate --extra ignore)"
    assert "--missing unmasked" in problems[1].message
    assert [problem.place for problem in check_pair(tiny, found, "unmasked")] == ["document zz"]


def test_no_id_fits(tiny: Corpus) -> None:
    """One line for all documents: then the ids are somewhere else, and each of them is no stranger."""
    [problem] = check_pair(tiny, Anonymization({f"case-{number}": [] for number in range(50)}, "x", "x.json"))
    assert str(problem) == (
        "x.json: none of its documents is in the corpus tiny: found ids such as case-0, case-1, case-2; expected ids "
        "such as d1, d2, d3. If the ids are in another column or key, name it with --id-column"
    )


def test_all_problems_of_all_anonymizations_at_once(tiny: Corpus) -> None:
    one = Anonymization({**SOUND, "d1": [Mask(0, 99), Mask(-1, 2)]}, "one")
    two = Anonymization({"d1": [], "d2": []}, "two", "two.json")
    with pytest.raises(InputError) as caught:
        pair(tiny, [one, Anonymization(SOUND), two])
    assert [(problem.file, problem.place) for problem in caught.value.problems] == [
        ("one", "document d1: masks[0]"),
        ("one", "document d1: masks[1]"),
        ("two.json", "document d3"),
    ]


def test_a_broken_exporter_is_told_in_fifty_lines(tiny: Corpus) -> None:
    many = Anonymization({**SOUND, "d1": [Mask(0, 99)] * 80}, "many")
    with pytest.raises(InputError) as caught:
        pair(tiny, [many])
    assert len(caught.value.problems) == 80
    assert len(str(caught.value).splitlines()) == 51
    assert str(caught.value).endswith("… and 30 more problems of this kind")


def made_of(documents: Iterable[Document], masks: dict[str, list[Mask]]) -> Anonymization:
    made = Provenance(anonymizer="rules", version=1, texts=texts_digest(documents))
    return Anonymization(masks, "x", "x.json", provenance=made)


def test_masks_of_other_texts_with_the_same_ids(tiny: Corpus) -> None:
    """Whose offsets all fit: they would hide words that nobody masked."""
    assert check_pair(tiny, made_of(tiny, SOUND)) == []
    others = [Document(one.id, one.text.swapcase()) for one in tiny]
    [problem] = check_pair(tiny, made_of(others, SOUND))
    assert str(problem).startswith("x.json: was made of other texts than those of tiny, though their ids are the same")


def test_masks_of_some_of_the_texts(tiny: Corpus) -> None:
    """The file says of which: the digest is that of the documents that it has."""
    first, second = tiny.documents[:2]
    masks = {"d1": SOUND["d1"], "d2": SOUND["d2"]}
    assert check_pair(tiny, made_of([second, first], masks), "unmasked") == []
    assert check_pair(tiny, made_of([first], masks), "unmasked") != []


def test_what_is_wrong_anyway_is_told_alone(tiny: Corpus) -> None:
    problems = check_pair(tiny, made_of([], {**SOUND, "d1": [Mask(0, 99)]}))
    assert [problem.place for problem in problems] == ["document d1: masks[0]"]


class Numbered(NumberedMasks):
    """Masks of which nobody knows beforehand how far they reach."""

    def __init__(self, masks: Mapping[str, Sequence[Mask]]) -> None:
        super().__init__(Strings.of(masks))
        self._masks = list(masks.values())

    def load(self, numbers: Ints) -> Iterator[Sequence[Mask]]:
        return (self._masks[number] for number in numbers.tolist())

    def taken(self, numbers: Ints) -> Mapping[str, Sequence[Mask]]:
        return dict(zip(self.ids.taken(numbers), self.load(numbers), strict=True))


def one_by_one(lengths: dict[str, int], masks: dict[str, list[Mask]], missing: str) -> list[tuple[str, str]]:
    """What is wrong, with a dictionary of everything."""
    found = [(f"document {one}", stranger_fault(Corpus([], "c"))) for one in masks if one not in lengths]
    for document_id, length in lengths.items():
        if document_id not in masks and missing == "error":
            found.append((f"document {document_id}", "is in the corpus but not here"))
        for index, mask in enumerate(masks.get(document_id, [])):
            if not 0 <= mask.start < mask.end <= length:
                fault = span_fault(mask.start, mask.end, length, ("start", "end"))
                found.append((f"document {document_id}: masks[{index}]", fault))
    return found


MASKS = st.lists(st.builds(Mask, st.integers(-1, 5), st.integers(0, 6)), max_size=2)


@given(
    st.permutations("abcdef"),
    st.permutations("cdefgh"),
    st.integers(1, 6),
    st.integers(0, 6),
    st.lists(MASKS, min_size=6, max_size=6),
    st.sampled_from(["error", "unmasked"]),
    st.booleans(),
)
def test_pairs_are_checked_as_one_by_one(
    ids: list[str], others: list[str], many: int, few: int, given: list[list[Mask]], missing: Missing, same: bool
) -> None:
    lengths = {one: 3 + number % 3 for number, one in enumerate(ids[:many])}
    masks = dict(zip(ids[:many] if same else others[:few], given, strict=False))
    corpus = Corpus([Document(one, "x" * length) for one, length in lengths.items()], "c")
    no_id = len(masks) > 1 and masks.keys().isdisjoint(lengths)
    expected = [("", no_id_fits(corpus, list(masks)))] if no_id else one_by_one(lengths, masks, missing)
    for mapping in (masks, Numbered(masks), DerivedMasks(masks, list)):
        problems = check_pair(corpus, Anonymization(mapping, "x"), missing)
        assert [(problem.place, problem.message.split("; add it")[0]) for problem in problems] == expected
