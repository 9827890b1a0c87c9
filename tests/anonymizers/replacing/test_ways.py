"""What holds for every way of replacing, whatever the masks."""

from __future__ import annotations

import unicodedata
from itertools import accumulate
from random import Random
from typing import get_args

import pytest
from hypothesis import example, given, settings, strategies as st

from showthrough import Anonymization, Corpus, Document, Mask, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.cli.systems import Replacement
from showthrough.data.layout.coverage import Coverage
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.masks import ScoredMask, TypedMask
from showthrough.data.types import NAMES
from showthrough.systems import anonymize
from showthrough.systems.replacing import WAYS, Way, make_replacer
from showthrough.systems.rules import Rules

PIECES = (
    "Dr", "John", "Smith", "SMITH", "O'Brien", "McCoy", "J.", "Łódź", "Oslo", "Norway", "General", "Hospital", "the",
    "de", "12", "March", "March 2019", "2019-03-12", "29 de octubre de 1997", "12. marts 2019", "10/29/97", "1990s",
    "2019", "1", "45", "years old", "EUR 12,450", "10", "1.234", "a.b@c.org", "東京都", "田中", "Århus", "ﬁn", "ß", "İ",
    "_", "x_1", "!!", "\u200b", "Person", "DATE", "٣٤", "½",
)  # fmt: skip
TYPES = ["", " ", "person", "TATTOO", "NAME/NICKNAME", "weird type!", "\u0007", "名前", *sorted(NAMES)]

USUAL = ["PERSON", "CITY", "ORG", "HOSPITAL", "DATE", "AGE", "CODE", "MONEY", "QUANTITY", "EMAIL", "DEM", "LOC"]
pieces = st.sampled_from(PIECES) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
places = st.integers(0, 13)


@st.composite
def documents(draw: st.DrawFn) -> tuple[Document, list[Mask]]:
    """A text of odd pieces, and masks of whole pieces or cut anywhere: nested, touching and twice."""
    between = draw(st.sampled_from([" ", "\n", ", "]))
    drawn = draw(st.lists(pieces, min_size=1, max_size=14))
    ends = list(accumulate(len(piece) + len(between) for piece in drawn))
    text = between.join(drawn)
    masks: list[Mask] = []
    for first, last in draw(st.lists(st.tuples(places, places), max_size=8)):
        first, last = sorted((first % len(drawn), last % len(drawn)))
        start, end = ends[first] - len(drawn[first]) - len(between), ends[min(last, first + 2)] - len(between)
        end -= draw(st.booleans()) and end - start > 1
        kind = draw(st.sampled_from(USUAL) | st.sampled_from(TYPES))
        masks.append(
            draw(
                st.sampled_from(
                    [
                        TypedMask(start, end, None, kind),
                        TypedMask(start, end, "Roe", kind),
                        ScoredMask(start, end, None, kind, 0.5),
                        Mask(start, end),
                        Mask(start, end, "[PERSON_1]"),
                    ]
                )
            )
        )
    return Document("d", text), masks


def words_read_again(document: Document, masks: list[Mask]) -> list[str]:
    """What the metrics take for readable of what is masked."""
    given = Coverage(SpanLayout(Corpus([document])), Anonymization({document.id: masks})).disclosures
    return [document.text[start:end] for start, end in zip(given.start, given.end, strict=True)]


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=100)
@given(documents(), st.integers(0, 9))
def test_masks_stay_what_they_are_and_nothing_but_their_document_decides(
    way: Way, case: tuple[Document, list[Mask]], seed: int
) -> None:
    document, masks = case
    made = make_replacer(way)(document, masks)
    spans = [(type(one), one.start, one.end, one.entity_type, one.score) for one in masks]
    assert [(type(one), one.start, one.end, one.entity_type, one.score) for one in made] == spans
    make_replacer(way)(Document("other", "Mary Jones, 3 May 2001"), [TypedMask(0, 10, None, "PERSON")])
    assert make_replacer(way)(Document("renamed", document.text), masks) == made
    order = Random(seed).sample(range(len(masks)), len(masks))
    shuffled = make_replacer(way)(document, [masks[place] for place in order])
    assert shuffled == [made[place] for place in order]
    for one in made:
        assert not any(unicodedata.category(letter)[0] == "C" for letter in one.replacement or "")


@pytest.mark.parametrize("way", ["label", "suppress", "surrogate"])
@settings(max_examples=150)
@given(documents())
@example((Document("d", "12-34-12"), [TypedMask(0, 8, None, "ID")]))
@example((Document("d", "1 May 2019, May 2019"), [TypedMask(0, 10, None, "DATE"), TypedMask(12, 20, None, "DATE")]))
@example((Document("d", "John Smith of Oslo"), [TypedMask(0, 10, None, "PERSON"), TypedMask(5, 18, None, "CITY")]))
@example((Document("d", "Dr Dr 0 ٣٤ Dr"), [TypedMask(3, 9, None, "PERSON")]))  # an Arabic three is read as 3
def test_no_word_of_what_is_masked_is_written_again(way: Way, case: tuple[Document, list[Mask]]) -> None:
    document, masks = case
    typed = [one for one in masks if one.entity_type]  # what a system itself wrote for the others is its own
    assert words_read_again(document, make_replacer(way)(document, typed)) == []


@settings(max_examples=150)
@given(documents())
def test_of_what_is_generalized_years_and_months_alone_are_read_again(case: tuple[Document, list[Mask]]) -> None:
    document, masks = case
    typed = [one for one in masks if one.entity_type]
    read = words_read_again(document, make_replacer("generalize")(document, typed))
    assert {word.casefold() for word in read} <= {"2019", "1997", "97", "march", "octubre", "marts"} | {
        word for word in read if word.isdecimal() and len(word) == 4
    }


@pytest.mark.parametrize("way", WAYS)
def test_anonymizing_in_each_way_says_which_it_was(way: Way) -> None:
    corpus = read_corpus(demo.corpus_path())
    made = anonymize(corpus, Rules(), replacement=way)
    assert made.provenance is not None
    assert made.provenance.replacement == way
    written = [one.replacement for masks in made.masks.values() for one in masks]
    assert all(one is None for one in written) if way == "suppress" else all(written)


def test_a_type_whose_name_is_masked_is_called_by_what_it_lies_below() -> None:
    text = "Mercy Hospital, my organization, a tattoo"
    masks = [
        TypedMask(0, 14, None, "hospital"),
        TypedMask(19, 31, None, "ORGANIZATION"),
        TypedMask(35, 41, None, "Tattoo"),
    ]
    made = make_replacer("label")(Document("d", text), masks)
    assert [one.replacement for one in made] == ["ORGANIZATION", "MASKED", "MASKED"]


def test_without_a_type_what_the_anonymizer_wrote_stays() -> None:
    text = Document("d", "Mr Doe met Roe")
    for way in ("label", "number", "surrogate", "generalize"):
        made = make_replacer(way)(text, [Mask(3, 6, "Someone"), Mask(11, 14)])
        assert [one.replacement for one in made] == ["Someone", None]
    assert [one.replacement for one in make_replacer("suppress")(text, [Mask(3, 6, "Someone")])] == [None]


def test_types_with_odd_characters_become_one_word() -> None:
    (made,) = make_replacer("label")(Document("d", "Oslo"), [TypedMask(0, 4, None, "place of birth!\n")])
    assert made.replacement == "PLACE_OF_BIRTH"


def test_what_a_mask_writes_is_no_word_that_one_around_it_hides() -> None:
    masks = [TypedMask(0, 20, None, "LOC"), TypedMask(4, 10, None, "LOC"), TypedMask(14, 20, None, "PERSON")]
    made = make_replacer("label")(Document("d", "the person of Norway"), masks)
    assert [one.replacement for one in made] == ["LOC", "LOC", "MASKED"]


def test_what_is_longer_than_any_name_has_its_label() -> None:
    document = Document("d", "John Smith " * 40)
    masks = [TypedMask(0, 440, None, "PERSON"), TypedMask(0, 430, None, "PERSON")]
    assert [one.replacement for one in make_replacer("surrogate")(document, masks)] == ["PERSON", "PERSON"]
    assert [one.replacement for one in make_replacer("number")(document, masks)] == ["PERSON_2", "PERSON_1"]


def test_the_command_line_offers_all_ways() -> None:
    assert get_args(get_args(Replacement)[0]) == WAYS  # written there again, so that no system has to be imported
