"""What is looked for of a mark: every rule with marks on both sides of it."""

from __future__ import annotations

from datetime import date

import pytest

from showthrough.metrics.matching.forms import SearchForm, code_form, form_of, kind_of_type, person_form, vocabulary_of

ENGLISH = vocabulary_of("wordfreq:en")


@pytest.mark.parametrize(
    ("text", "entity_type", "kind"),
    [
        ("Anna Kowalska", "", "person"),
        ("Anna van der Berg", "", "person"),  # a particle has no capital
        ("Anna Maria Berta Kowalska", "", "person"),  # four words at most
        ("Anna Maria Berta Clara Kowalska", "", "other"),
        ("Anna kowalska", "", "other"),
        ("Kowalska Hospital", "", "other"),  # an institution
        ("田中太郎", "", "person"),
        ("36110/97", "", "code"),
        ("a1@b.org", "", "other"),
        ("29 October 1997", "", "date"),
        ("Anna Kowalska", "PERSON", "person"),
        ("akowalska", "USERNAME", "other"),
        ("36110/97", "CODE", "code"),
        ("120 others", "QUANTITY", "other"),
        ("29 October 1997", "DATETIME", "date"),
        ("Gdynia", "LOC", "other"),
        ("Kowalska", "MISC", "other"),  # of a coarse type only five digits tell
        ("4821", "MISC", "other"),
        ("48215", "MISC", "code"),
        ("29 October 1997", "MISC", "date"),
        ("anna12345@b.org", "MISC", "other"),
        ("48215", "LOC", "other"),  # of any other type nothing but the type
    ],
)
def test_kinds(text: str, entity_type: str, kind: str) -> None:
    assert form_of(text, entity_type, True, ENGLISH).kind == kind


def test_a_type_that_nobody_knows_says_nothing() -> None:
    assert (kind_of_type(""), kind_of_type("QWXZ")) == (None, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Mr John Doe-Smith", ("john", "doe", "smith")),
        ("Mr", ("mr",)),  # a title alone is all there is
        ("Mr Doe", ("doe",)),
        ("John Doe Jr", ("john", "doe")),
        ("Iv Doe", ("iv", "doe")),  # an ending does not stand first
        ("Vincent van Gogh", ("vincent", "gogh")),
        ("Vincent Van Gogh", ("vincent", "gogh")),
        ("John Doe's", ("john", "doe")),
        ("Anna the Kowalska", ("anna", "kowalska")),
        ("john doe", ("john", "doe")),  # without any capital small letters say nothing
        ("Kowal-\nska", ("kowal", "kowalska")),  # a line break may part a word
    ],
)
def test_words_of_names(text: str, words: tuple[str, ...]) -> None:
    assert person_form(text) == SearchForm("person", words)


@pytest.mark.parametrize(
    ("text", "codes", "stem"),
    [
        ("36110/97", (("36110", "97"),), "3611097"),
        ("no. 36110/97", (("36110", "97"),), "3611097"),
        ("4821", (), ""),  # four are too few, five are not
        ("48215", (("48215",),), "48215"),
        ("A-482", (), ""),
        ("AB-482", (("ab", "482"),), "ab482"),
        ("ABCDE", (), ""),  # without a digit
        # Beside each other they are one code, and the second by itself as well.
        ("12345 67890", (("67890",), ("12345", "67890")), None),
        ("12345 678", (("12345", "678"),), "12345678"),  # but three digits are none
        ("12345 and 67890", (("12345",), ("67890",)), "12345"),
        ("12345 / 67890", (("67890",), ("12345", "67890")), None),  # a sign is no word
        ("12345 and 12345", (("12345",),), "12345"),
        ("12345 and 67890 11111", (("12345",), ("11111",), ("67890", "11111")), "12345"),
    ],
)
def test_codes(text: str, codes: tuple[tuple[str, ...], ...], stem: str | None) -> None:
    found = code_form(text)
    assert (found.codes, found.is_searchable) == (codes, bool(codes))
    assert stem is None or found.stem == stem


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("KX 4821", (("kx", "4821"),)),  # neither is one by itself
        ("K 482", ()),  # four in all
        ("K 4821", (("k", "4821"),)),
        ("48 21 5", (("48", "21", "5"),)),
        ("48 21", ()),
        ("48 and 21", (("48", "and", "21"),)),
    ],
)
def test_codes_of_several_words(text: str, codes: tuple[tuple[str, ...], ...]) -> None:
    found = form_of(text, "CODE", False, ENGLISH)
    assert found.codes == codes


@pytest.mark.parametrize(
    ("text", "entity_type", "whole"),
    [
        ("Gdynia", "LOC", "gdynia"),
        ("the Gdynia", "LOC", "gdynia"),
        ("The", "LOC", "the"),  # all there is
        ("Ab", "LOC", ""),  # two letters are too few,
        ("Abc", "LOC", "abc"),
        ("田中", "LOC", "田中"),  # two ideographs are not,
        ("田", "LOC", ""),
        ("12 34", "LOC", ""),  # nor are five digits
        ("12 345", "LOC", "12 345"),
        ("1a34", "LOC", "1a34"),
        ("teacher", "LOC", ""),  # an ordinary word needs a capital
        ("Teacher", "LOC", "teacher"),
        ("teacher of", "LOC", "teacher of"),
        ("KXQZ", "CODE", "kxqz"),  # a code without a digit is a word
        ("8 augusztus 1937", "DATETIME", "8 augusztus 1937"),  # a month of another language
        ("augusztus 1937", "DATETIME", "augusztus 1937"),
    ],
)
def test_whole_strings(text: str, entity_type: str, whole: str) -> None:
    assert form_of(text, entity_type, True, ENGLISH).whole == whole


def test_dates() -> None:
    found = form_of("on 29 October 1997", "DATETIME", False, ENGLISH)
    assert (found.dates, found.stem) == ({date(1997, 10, 29)}, "29october1997")
    assert form_of("on 29th October 1997", "DATETIME", False, ENGLISH).stem == "29thoctober1997"
    assert form_of("October 1997", "DATETIME", False, ENGLISH) == SearchForm("date", stem="october1997")
    assert form_of("augusztus 1937", "DATETIME", False, ENGLISH).whole == ""  # no day
    assert form_of("8 augusztus 1937", "DATETIME", False, ENGLISH).whole == "8 augusztus 1937"
    assert form_of("1937 augusztus 8", "DATETIME", False, ENGLISH).whole == "1937 augusztus 8"
    assert form_of("8 xqz 1937", "DATETIME", False, ENGLISH).whole == "8 xqz 1937"
    assert form_of("8 xq 1937", "DATETIME", False, ENGLISH).whole == ""  # two letters may be anything
    assert form_of("8 solstice 1937", "DATETIME", False, ENGLISH).whole == ""  # a word of this language
    assert form_of("last solstice", "DATETIME", False, ENGLISH) == SearchForm("date", stem="lastsolstice")


@pytest.mark.parametrize(
    ("text", "entity_type", "sought"),
    [
        ("Gdynia", "LOC", True),
        ("Poland", "LOC", False),
        ("United Kingdom", "LOC", False),
        ("Teacher", "LOC", False),
        ("Teacher of Gdynia", "LOC", True),
        ("Teacher of Poland", "LOC", False),
        ("Teacher of Anna", "LOC", True),  # a given name, however ordinary
        ("October 12", "LOC", False),
        ("Teacher 1234", "LOC", False),
        ("Teacher 12345", "LOC", True),
        ("Teacher Ω", "LOC", False),  # a lone letter,
        ("Teacher Ωζ", "LOC", True),
        ("Teacher of Andorra", "LOC", False),  # a country, however rare,
        ("Teacher in octubre", "LOC", False),  # a month
        ("Teacher 田", "LOC", True),  # a sign that is a word
        ("Stone", "PERSON", False),
        ("Anna Stone", "PERSON", True),
        ("36110/97", "CODE", True),
        ("29 October 1997", "DATETIME", True),
    ],
)
def test_quasi_identifiers_that_anybody_may_write(text: str, entity_type: str, sought: bool) -> None:
    assert form_of(text, entity_type, False, ENGLISH).is_searchable == sought
    if entity_type != "PERSON":
        assert form_of(text, entity_type, True, ENGLISH).is_searchable  # a direct one is looked for whatever it is


def test_what_is_longer_is_no_identifier() -> None:
    text = "Kowalska" * 37 + "Anna"
    assert len(text) == 300
    assert form_of(text, "PERSON", True, ENGLISH).is_searchable
    assert not form_of(text + "x", "PERSON", True, ENGLISH).is_searchable
    assert form_of(" Gdynia ", "LOC", True, ENGLISH) == form_of("Gdynia", "LOC", True, ENGLISH)


def test_what_tells_a_name() -> None:
    one = SearchForm("person", ("jo", "ann", "田", "田中", "1234"))
    assert one.telling_words == ("ann", "田中")  # three letters or two ideographs, and no number
    assert one.spelled_words == ("ann", "田中")
    assert SearchForm("person", ("ann", "o1af")).spelled_words == ("ann",)  # letters are compared with letters
    assert SearchForm("other", whole="gdynia").spelled_words == ("gdynia",)
    assert SearchForm("other", whole="teacher", ordinary=True).spelled_words == ()
    assert SearchForm("other", whole="new gdynia").spelled_words == ()
    assert SearchForm("other").spelled_words == ()


def test_names_without_spaces() -> None:
    one = SearchForm("person", ("john", "doe"))
    assert one.glued_names == ("johndoe", "doejohn")
    assert one.abbreviations == ("jdoe", "doej", "johnd")
    assert SearchForm("person", ("bo", "bo")).glued_names == ("bobo",)
    assert SearchForm("person", ("john", "do")).abbreviations == ()  # two letters are too few
    assert SearchForm("person", ("doe",)).glued_names == SearchForm("person", ("doe",)).abbreviations == ()
    assert SearchForm("person", ("j", "doe")).abbreviations == ("jdoe", "doej", "jd")
    assert one.keys == {"john", "doe", "johndoe", "doejohn", "jdoe", "doej", "johnd"}
    assert SearchForm("other", whole="new gdynia").keys == {"new"}
    assert SearchForm("code", codes=(("12345",),)).keys is None
    assert SearchForm("date", dates=frozenset({date(1997, 10, 29)})).keys is None
    assert SearchForm("person", ("田中",)).keys is SearchForm("other", whole="田中").keys is None


@pytest.mark.parametrize(
    ("form", "is_word", "near"),
    [
        (SearchForm("person", ("doe",)), True, True),
        (SearchForm("person", ("jo",)), True, False),
        (SearchForm("person", ("jo", "li")), False, True),
        (SearchForm("other", whole="gdynia"), True, True),
        (SearchForm("other", whole="new gdynia"), False, False),
        (SearchForm("code", codes=(("12345",),), stem="12345"), False, True),
        (SearchForm("other"), False, False),
    ],
)
def test_what_may_be_there_by_chance_or_nearly(form: SearchForm, is_word: bool, near: bool) -> None:
    assert (form.is_word, form.may_be_near) == (is_word, near)
