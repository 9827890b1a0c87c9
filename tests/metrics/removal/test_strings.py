"""What masks hide, as strings to look for: every rule with strings on both sides of it."""

from __future__ import annotations

from datetime import date

import pytest

from showthrough.data.masks import TypedMask
from showthrough.metrics.matching.forms import SearchForm, vocabulary_of
from showthrough.metrics.matching.search import Capitals, Release
from showthrough.metrics.matching.strings import FormIndex, MaskedDocument, MaskedString

ENGLISH = vocabulary_of("wordfreq:en")


def masked(text: str, hidden: str, entity_type: str = "", replacement: str | None = None) -> MaskedString | None:
    start = text.index(hidden)
    return MaskedDocument(text, ENGLISH).string(TypedMask(start, start + len(hidden), replacement, entity_type))


def key(text: str, hidden: str, entity_type: str = "") -> str | None:
    found = masked(text, hidden, entity_type)
    return found and found.key


@pytest.mark.parametrize(
    ("text", "hidden", "expected"),
    [
        ("It was Mr John Smith who left", "Mr John Smith", "john smith"),
        ("It was the Kowalska case", "the Kowalska", "kowalska"),
        ("It was in May 1997 that he left", "May 1997", "may 1997"),  # a month with a capital is none of these
        ("It was Will who left", "Will", "will"),  # nor is a given name
        ("It was M. Kowalska who left", "M. Kowalska", "m kowalska"),  # nor an initial, though M. is a title too
        ("It was Kowalska's dog", "Kowalska's", "kowalska"),
        ("It was Kowalska’s dog", "Kowalska’s", "kowalska"),
        ("It was Kowalska S", "Kowalska S", "kowalska s"),  # no possessive
        ("It was the nurse who left", "nurse", None),
        ("It was of the who left", "of the", None),
        ("It was Xq who left", "Xq", "xq"),
        ("It was Oslo where he left", "Oslo", "oslo"),
        ("It was 150 that left", "150", None),  # 1996 tells something, 150 does not
        ("It was 1996 when he left", "1996", "1996"),
        ("It was 3rd who left", "3rd", None),
        ("It was 5kg that he left", "5kg", None),
        ("It was 5KG that he left", "5KG", "5kg"),
        ("It was B12 that he left", "B12", "b12"),
        ("It was b12 that he left", "b12", "b12"),
        ("It was 3 May when he left", "3 May", "3 may"),
        ("It was May when he left", "May", None),
        ("It was a@b who left", "a@b", "a b"),
        ("It was X who left", "X", None),
        ("it was kowalska who left", "kowalska", "kowalska"),
        ("it was nurse who left", "nurse", None),
        ("It was kowalska who left", "kowalska", "kowalska"),  # in no list
        ("It was Stone who left", "Stone", "stone"),
        ("It was Stone who left a stone", "Stone", None),  # which stands there in small letters as well
        ("It was Hospital where he left", "Hospital", None),
        ("It was Anna who left an anna", "Anna", "anna"),  # a given name all the same
        ("It was Black Stone that he left", "Black Stone", "black stone"),
        ("It was black stone that he left", "black stone", None),
        ("It was 田 who left", "田", "田"),
        ("STONE WAS HERE AND LEFT IT ALL", "STONE", None),  # in capitals a capital says nothing
    ],
)
def test_what_a_mask_hides(text: str, hidden: str, expected: str | None) -> None:
    assert key(text, hidden) == expected


@pytest.mark.parametrize(
    ("text", "hidden", "kind"),
    [
        ("It was Mr Kowalska who left", "Kowalska", "person"),  # behind a title,
        ("It was Mr Kowalska who left", "Mr Kowalska", "person"),  # which may be masked too,
        ("It was Anna Kowalska who left", "Kowalska", "person"),  # a given name,
        ("It was B. Kowalska who left", "Kowalska", "person"),  # an initial
        ("B. Kowalska left", "Kowalska", "person"),
        ("It was mr Kowalska who left", "Kowalska", "other"),
        ("It was the Kowalska who left", "Kowalska", "other"),
        ("It was Anna Stone who left", "Anna Stone", "person"),
        ("It was Anna who left", "Anna", "person"),
        ("It was K. Stone who left", "K. Stone", "person"),
        ("It was K Stone who left", "K Stone", "other"),  # without a dot it is any letter
        ("It was Ola Kowalska who left", "Ola Kowalska", "person"),  # two words, one of which is in no list
        ("It was Qζ Stone who left", "Qζ Stone", "person"),
        ("It was Ж Stone who left", "Ж Stone", "other"),  # a letter is in none,
        ("It was Black Stone who left", "Black Stone", "other"),  # both are
        ("It was Kowalska Hospital where he left", "Kowalska Hospital", "other"),
        ("It was Stone Kowalska/Stone who left", "Stone Kowalska/Stone", "other"),  # a sign that names do not have
        ("It was Stone Black Grey Kowalska who left", "Stone Black Grey Kowalska", "person"),  # four words at most
        ("It was Stone Black Grey White Kowalska who left", "Stone Black Grey White Kowalska", "other"),
        ("It was Stone kowalska who left", "Stone kowalska", "other"),  # all with capitals
        ("It was Stone van Kowalska who left", "Stone van Kowalska", "person"),  # but for particles
        ("it was stone kowalska who left", "stone kowalska", "person"),  # and where nothing has one
        ("It was 29 October 1997 when he left", "29 October 1997", "date"),
        ("It was 36110/97 that left", "36110/97", "code"),
        ("It was a12345@b.org who left", "a12345@b.org", "other"),
        ("It was street 36110 where he left", "street 36110", "other"),  # it is more than a code
        ("It was ref 36110 where he left", "ref 36110", "other"),
        ("It was nr. 36110 where he left", "nr. 36110", "code"),
        ("It was no. 36110 where he left", "no. 36110", "code"),
    ],
)
def test_what_it_is_taken_for(text: str, hidden: str, kind: str) -> None:
    found = masked(text, hidden)
    assert found is not None
    assert found.form.kind == kind


def test_particles_alone_are_no_name() -> None:
    assert masked("It was Von who left", "Von", "PERSON") is None


def test_types_and_labels_go_before_looks() -> None:
    text = "It was the Kowalska who left 36110 there"
    for mask in (("LOC", None), ("", "[LOC]")):
        found = masked(text, "Kowalska", *mask)
        assert found is not None
        assert found.form == SearchForm("other", whole="kowalska")
    for mask in (("PERSON", None), ("", "[PERSON]")):
        found = masked(text, "Kowalska", *mask)
        assert found is not None
        assert found.form == SearchForm("person", ("kowalska",))
    number = masked(text, "36110", "PERSON")  # which is no name, whatever its type
    assert number is not None
    assert number.form.codes == (("36110",),)


def test_ordinary_words_are_told() -> None:
    for text, hidden, ordinary in [
        ("It was Stone who left", "Stone", True),
        ("It was Gdynia where he left", "Gdynia", False),
        ("it was gdynia where he left", "gdynia", False),
        ("It was Stone Gdynia/x where he left", "Stone Gdynia/x", False),
    ]:
        found = masked(text, hidden)
        assert found is not None
        assert found.form.ordinary == ordinary


def test_of_a_paragraph_the_beginning_is_looked_for() -> None:
    """40 words, and 400 characters."""
    text = " ".join(f"Q{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(60))
    assert key(text, text) == " ".join(text.split()[:40]).lower()
    assert key("Q" * 401, "Q" * 401) == "q" * 400


def found_in(text: str, *forms: SearchForm) -> list[int]:
    index = FormIndex()
    for number, form in enumerate(forms):
        index.add(number, form)
    release = Release(text, Capitals(text, ENGLISH), ENGLISH)
    first = sorted(number for number, _ in index.search(release, lambda hit, form: True))
    assert not list(index.search(release, lambda hit, form: True))  # what was found once is not looked for again
    return first


NAME, ONE, CODE = (
    SearchForm("person", ("anna", "kowalska")),
    SearchForm("person", ("brzezina",)),
    SearchForm("code", codes=(("36110", "97"),)),
)
DAY, PLACE, SCRIPT = (
    SearchForm("date", dates=frozenset({date(1997, 10, 29)})),
    SearchForm("other", whole="new gdynia"),
    "田中太郎",
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It was Anna Kowalska who left", [0]),
        ("It was Kowalska, Anna who left", [0]),
        ("It was Kowalska who left", [0]),  # by one word
        ("It was annakowalska who left", [0]),
        ("See akowalska@b.org there", [0]),
        ("It was Brzezina who left", [1]),
        ("It was case 36110/97 that left", [2]),
        ("It was case 3611097 that left", [2]),
        ("It was case 36110/98 that left", []),
        ("It was 1997-10-29 when he left", [3]),
        ("It was 1997-10-28 when he left", []),
        ("It was New Gdynia where he left", [4]),
        ("It was Gdynia, New, where he left", []),
        ("It was 田中太郎 who left", [5, 6]),
        ("It was Brzezina with Anna Kowalska of 36110/97 in New Gdynia on 29 October 1997", [0, 1, 2, 3, 4]),
        ("It was somebody who left", []),
    ],
)
def test_forms_are_found_by_their_keys(text: str, found: list[int]) -> None:
    forms = (NAME, ONE, CODE, DAY, PLACE, SearchForm("person", (SCRIPT,)), SearchForm("other", whole=SCRIPT))
    assert found_in(text, *forms) == found


def test_names_are_found_in_any_order() -> None:
    """Also those none of whose words is looked for by itself."""
    short, long = SearchForm("person", ("li", "jo")), SearchForm("person", ("anna", "maria", "brzezina"))
    assert found_in("It was Jo Li who left", short, long) == [0]
    assert found_in("It was Li, Jo who left", short, long) == [0]
    assert found_in("It was Brzezina, Anna who left", short, long) == [1]


def test_an_ordinary_word_of_a_longer_name_tells_nothing() -> None:
    assert found_in("It was Stone who left", SearchForm("person", ("anna", "stone"))) == []
    assert found_in("It was Stone who left", SearchForm("person", ("stone",))) == [0]


def test_forms_that_share_a_number_or_a_key() -> None:
    """Two forms of one number are found once; of two numbers with one form both are."""
    index = FormIndex()
    index.add(7, ONE)
    index.add(7, PLACE)
    index.add(8, ONE)
    text = "It was Brzezina of New Gdynia who left"
    release = Release(text, Capitals(text, ENGLISH), ENGLISH)
    assert sorted(number for number, _ in index.search(release, lambda hit, form: True)) == [7, 8]
    assert index.found == {7, 8}


def test_what_does_not_count_is_looked_for_again() -> None:
    index = FormIndex()
    index.add(1, ONE)
    text = "It was Brzezina who left, and Brzezina came back"
    release = Release(text, Capitals(text, ENGLISH), ENGLISH)
    assert not list(index.search(release, lambda hit, form: False))
    [(number, hit)] = index.search(release, lambda hit, form: hit.start > 10)
    assert (number, release.reading.span(hit.start, hit.end)) == (1, (30, 38))
