"""Where forms can be read, and nearly: every rule with texts on both sides of it."""

from __future__ import annotations

from datetime import date

import pytest

from showthrough.metrics.matching.forms import SearchForm, vocabulary_of
from showthrough.metrics.matching.search import Capitals, Release

ENGLISH, GERMAN = vocabulary_of("wordfreq:en"), vocabulary_of("wordfreq:de")


def release_of(text: str, original: str = "") -> Release:
    return Release(text, Capitals(original or text, ENGLISH), ENGLISH)


def hits(text: str, form: SearchForm) -> list[str]:
    release = release_of(text)
    spans = [release.reading.spans(hit.view, hit.start, hit.end) for hit in release.hits(form)]
    return [text[each[0][0] : each[-1][1]] for each in spans]


def person(name: str) -> SearchForm:
    return SearchForm("person", tuple(name.split()))


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("anna kowalska", "It was Kowalska who left", ["Kowalska"]),
        ("anna kowalska", "It was kowalska who left", []),  # small letters, though capitals are in use
        ("anna kowalska", "it was kowalska who left", ["kowalska"]),  # as they are not here
        ("anna kowalska", "See kowalska@b.org there", ["kowalska"]),  # nor in an address,
        ("anna kowalska", "See /home/kowalska there", ["kowalska"]),
        ("anna kowalska", "See #kowalska there", ["kowalska"]),
        ("anna kowalska", "See notes-kowalska there", ["kowalska"]),
        ("anna kowalska", "See x@y,kowalska there", ["kowalska"]),
        ("anna kowalska", "See kowalska,x@y there", ["kowalska"]),
        ("anna kowalska", "See x@y, kowalska there", []),
        ("anna kowalska", "See (kowalska). There", []),
        ("anna kowalska", "See akowalska@b.org there", ["akowalska"]),
        ("anna kowalska", "See akowalska there", []),  # which tells in an address alone
        ("anna kowalska", "See annakowalska there", ["annakowalska"]),
        ("anna kowalska", "As was said, see annakowalska there", ["annakowalska"]),
        ("anna stone", "It was Stone who left", []),  # an ordinary word
        ("anna stone", "It was Mr Stone who left", ["Stone"]),
        ("anna stone", "It was Anna Stone who left", ["Anna", "Stone"]),
        ("anna stone", "It was Stone, Anna who left", ["Anna", "Stone"]),
        ("anna stone", "It was A. Stone who left", ["Stone"]),
        ("anna stone", "It was K Stone who left", ["Stone"]),
        ("anna stone", "It was A Stone who left", []),  # an article, without a full stop
        ("anna stone", "It was Stone B who left", ["Stone"]),
        ("anna stone", "It was Stone b who left", []),
        ("anna stone", "It was Maria Stone who left", ["Stone"]),  # beside another given name
        ("anna stone", "It was maria Stone who left", []),
        ("anna stone", "It was Stone Maria who left", ["Stone"]),
        ("anna stone", "It was Stone maria who left", []),
        ("stone", "It was Stone who left", ["Stone"]),  # all there is of a name
        ("stone", "It was Stone who left a stone", []),
        ("stone", "IT WAS STONE WHO LEFT", []),  # where a capital says nothing,
        ("anna solstice", "IT WAS SOLSTICE WHO LEFT", []),  # a word in a list is doubtful,
        ("anna kowalska", "IT WAS KOWALSKA WHO LEFT", ["KOWALSKA"]),  # and one in none is a name
        ("hospital", "It was Hospital who left", []),
        ("mark kowalska", "It was Mark who left", ["Mark"]),  # a word as well, but inside a sentence
        ("mark kowalska", "Mark who left", []),
        ("jo li", "It was Li who left", []),  # two letters
        ("jo li", "It was Ms Li who left", ["Li"]),
        ("jo li", "It was ms li who left", []),
        ("jo li", "It was Jo Li who left", ["Jo", "Li"]),
        ("j k rowlandson", "It was J. K. Rowlandson who left", ["K", "Rowlandson"]),
        ("j k rowlandson", "It was J. K. who left", []),  # initials alone stand everywhere,
        ("j k", "It was J. K. who left", ["J", "K"]),  # unless they are all there is
        ("will smith", "It was Smith will who left", []),  # no name behind a name
        ("anna torre", "It was Anna de la Torre who left", ["Anna", "Torre"]),  # small words between
        ("stone black", "It was Stone van de la Black who left", ["Stone", "Black"]),
        ("stone black", "It was Stone van de la der Black who left", []),  # three of them at most
        ("anna kowalska", "See example.org/kowalska", ["kowalska"]),  # also where the text ends
        ("jo kowalska", "It was Jo Kowalska who left", ["Jo", "Kowalska"]),
        ("rose smith", "It was Smith rose who left", []),  # one with a capital beside a verb,
        ("rose smith", "It was rose smith who left", ["rose", "smith"]),  # and both without
        ("anna kowalska", "It was Kowalska anna who left", ["Kowalska", "anna"]),  # no word but a name
        ("田中", "It was 田 中 who left", ["田 中"]),
        ("田中", "田中 left", ["田中"]),
        ("田中 kowalska", "It was Kowalska who left", ["Kowalska"]),
        ("li", "It was Li who left", ["Li"]),
        ("gonzalez gonzalez", "It was Gonzalez Gonzalez who left", ["Gonzalez"]),
        ("gonzalez ruiz", "It was Gonzalez Gonzalez who left", ["Gonzalez"]),
        ("田", "It was 田 who left", []),  # one sign tells nothing
    ],
)
def test_names(name: str, text: str, found: list[str]) -> None:
    assert sorted(set(hits(text, person(name)))) == sorted(set(found))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("It was 36110/97 here", True),
        ("It was 36110-97 here", True),
        ("It was 3611097 here", True),
        ("It was 361 1097 here", True),  # one separator anywhere,
        ("It was 361 / 1097 here", False),
        ("It was 36110 / 97 here", True),  # and spaces beside it where one stood
        ("It was 361/1097 here", True),
        ("It was 361//1097 here", False),
        ("It was 36110//97 here", False),
        ("It was 36110 // 97 here", False),
        ("It was 36110 and 97 here", False),
        ("It was 136110/97 here", False),  # inside a longer number
        ("It was 36110/971 here", False),
        ("It was x36110/97y here", True),
        ("It was 36110/98 here", False),
    ],
)
def test_codes(text: str, read: bool) -> None:
    assert release_of(text).reads(SearchForm("code", codes=(("36110", "97"),))) == read


def test_codes_that_end_with_a_letter() -> None:
    """A letter behind it makes another code, and a digit does not."""
    form = SearchForm("code", codes=(("36110a",),))
    assert [release_of(f"It was {text} here").reads(form) for text in ("36110ab", "36110a5")] == [False, True]


def test_codes_of_three_groups() -> None:
    form = SearchForm("code", codes=(("12", "345", "67"),))
    for text, read in [
        ("12 - 345 - 67", True),
        ("12-345-67", True),
        ("1 - 2345 - 67", False),
        ("12 - 34 - 567", False),
    ]:
        assert release_of(f"It was {text} here").reads(form) == read


def test_dates_and_other_strings() -> None:
    day = SearchForm("date", dates=frozenset({date(1997, 10, 29)}))
    assert hits("It was 29.10.1997 or October 29, 1997", day) == ["October 29, 1997", "29.10.1997"]
    place = SearchForm("other", whole="new gdynia")
    assert hits("In New Gdynia, in new gdynia", place) == ["New Gdynia", "new gdynia"]
    assert hits("In New Gdynias", place) == []
    stone = SearchForm("other", whole="stone", ordinary=True)
    assert hits("In Stone, of stone", stone) == ["Stone"]


@pytest.mark.parametrize(
    ("form", "text", "original", "near"),
    [
        (person("anna kowalska"), "It was Kowalzka who left", "", "kowalzka"),  # one letter of eight
        (person("anna kowalska"), "It was Kowalzki who left", "", ""),  # two of eight are too many,
        (person("anna brzezinska"), "It was Brzezynski who left", "", "brzezynski"),  # and of nine they are not
        (person("anna brzezinska"), "It was Brzozynski who left", "", ""),
        (person("anna krol"), "It was Krul who left", "", ""),  # four letters are too few
        (person("anna krola"), "It was Krula who left", "", "krula"),
        (person("anna kowalska"), "It was K0walska who left", "", "k0walska"),
        (person("anna kowalska"), "It was Kowals** who left", "", "kowals"),  # six of eight: 0.75
        (person("anna kowalska"), "It was Kowal*** who left", "", ""),  # five are 0.625
        (person("anna kowalska"), "It was A. K. who left", "", "A K"),
        (person("anna kowalska"), "It was K. A. who left", "", "K A"),
        (person("anna kowalska"), "It was AK who left", "", ""),  # three tell also together
        (person("anna maria kowalska"), "It was AMK who left", "", "A M K"),
        (person("kowalska"), "It was K. who left", "", ""),
        (person("anna stone"), "It was Stone who left", "", "stone"),
        (person("anna stone"), "It was stone that left", "", ""),
        (person("anna stone"), "Stone was left", "It was Stone who left", "stone"),  # never small in the original
        (person("anna stone"), "Stone was left", "It was Stone who left a stone", ""),
        (person("anna stone"), "See stone@b.org there", "", "stone"),
        (person("王小明"), "It was 小明 who left", "", "小明"),
        (person("王小明"), "It was 王小 who left", "", "王小"),
        (person("王小"), "It was 王 who left", "", ""),
        (SearchForm("code", codes=(("ab361109",),), stem="ab361109"), "It was 361109 here", "", "361109"),  # six digits
        (SearchForm("code", codes=(("ab36110",),), stem="ab36110"), "It was 36110 here", "", ""),
        (SearchForm("code", codes=(("00361109",),), stem="00361109"), "It was +48 361109 here", "", "361109"),
        (SearchForm("code", codes=(("ab361109",),), stem="ab361109"), "It was 12343611091 here", "", ""),
        (SearchForm("code", codes=(("3611097",),), stem="3611097"), "It was 36110** here", "", "36110"),  # 5 of 7: 0.71
        (SearchForm("code", codes=(("3611097",),), stem="3611097"), "It was 3611*** here", "", ""),
        (SearchForm("other", whole="gdynia"), "It was Gdinia here", "", "gdinia"),
        (SearchForm("other", whole="new gdynia"), "It was New Gdinia here", "", ""),
    ],
)
def test_what_is_nearly_there(form: SearchForm, text: str, original: str, near: str) -> None:
    assert release_of(text, original).nearly(form) == near


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("MR STONE LEFT", True),
        ("MR STONE left", False),  # of few words one small letter will do
        ("ALL " * 14 + "small " * 6, True),  # 14 of 20 are 0.7
        ("ALL " * 13 + "small " * 7, False),
        ("ALL " * 18 + "small", False),  # 19 words are few
        ("ALL " * 19 + "small", True),
        ("und der die das ist nicht Wort", True),  # six words of German
        ("und der die das ist Wort", False),
        ("1 2 3", False),
        ("A B C small", False),  # lone letters do not count
        ("A B C", False),
    ],
)
def test_where_capitals_say_nothing(text: str, nothing: bool) -> None:
    assert Capitals(text, ENGLISH).say_nothing == nothing


def test_in_german_they_never_do() -> None:
    assert Capitals("kleine Wörter und Namen", GERMAN).say_nothing
    assert not Capitals("1 2 3", GERMAN).say_nothing
    assert (Capitals("small", ENGLISH).unused, Capitals("Small", ENGLISH).unused) == (True, False)


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("Kow*** left", [3]),
        ("Kow***", [3]),
        ("Kow***ski left", [3]),  # more than one sign is no single sign between letters
        ("Kow_ left", [3]),
        ("Kow_ski left", []),
        ("DATE_TIME", []),
        ("*** left", []),
    ],
)
def test_where_a_word_was_cut(text: str, cuts: list[int]) -> None:
    assert release_of(text)._cuts == cuts


def test_half_of_a_name_in_ideographs_is_two_of_three() -> None:
    """Of a name of two nothing shorter tells."""
    release = release_of("ここ田中です")
    assert [release._half_of(name) for name in ("田中", "田中太", "太田中", "太郎中")] == ["", "田中", "田中", ""]
