"""What the patterns find, and what they leave."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from showthrough.models.detectors.patterns import TYPES, Patterns

FRAMES = ("It says that {} was there.", "({})", "as of {}\nand so on", "noted: {}; then", "{}", "It was {}.", "“{}”")


def found(text: str) -> list[tuple[str, str]]:
    return [(text[find.start : find.end], find.entity_type) for find in Patterns().find([text])[0]]


WRITTEN = {
    "EMAIL": [
        *("john.doe+tag@sub-domain.example-mail.co.uk", "jürgen@müller.example", "j_d@example.museum", "x@例え.jp"),
        *("john (at) example (dot) com", "john[at]example.com", "john at example dot org", "o'neill@example.org"),
    ],
    "PHONE": [
        *("+44 20 7946 0958", "+44 (0)20 7946 0958", "0044 20 7946 0958", "020 7946 0958", "(020) 7946 0958"),
        *("(555) 123-4567", "555-123-4567", "555.123.4567", "1-800-555-0199", "+1 555 123 4567 ext. 12", "555-0142"),
        *("06 12 34 56 78", "06.12.34.56.78", "+33 6 12 34 56 78", "+49 30 1234567", "0171/1234567", "030-1234567"),
        *("010-1234-5678", "+91 98765 43210", "98765 43210", "(11) 91234-5678", "+46 70 123 45 67", "22 33 44 55"),
        *("0412 345 678", "612 345 678", "+7 (912) 345-67-89", "862.463.6254x5362"),
    ],
    "DATE": [
        *("3 May 2011", "3rd of May 2011", "the 3rd of May, 2011", "May 3, 2011", "May 3rd 2011", "Tuesday, 3 May 2011"),
        *("Tue 3 May 2011", "3-May-2011", "03/05/2011", "3.5.2011", "3. 5. 2011", "03-05-11", "2011-05-03", "2011/05/03"),
        *("2011 May 3", "2011, 3 May", "20110503", "May 2011", "Sept. 2011", "3 May", "12. März 2019", "3 mars 2011"),
        *("12 de marzo de 2019", "1er mars 2011", "3 may 2011", "3 Dec. ’11", "4th day of July, 2019", "2019年3月5日"),
        *("2011-05-03T14:30:00Z", "05/2011", "3–5 May 2011", "the fourteenth of March 1987", "Christmas 1987", "Q3 1987"),
        *("09.2003", "the twenty-first of May", "Junio de 2007", "febrero-03"),
    ],
    "CODE": [
        *("36110/97", "2:19-cv-01234", "2:19-cv-01234-ABC-DE", "C-131/12", "[2011] EWHC 123 (Admin)", "1 BvR 16/13"),
        *("VI ZR 123/12", "[2009] UKSC 12", "ECLI:EU:C:2014:317", "10-12.345", "2019 ONCA 12", "19-cv-01234"),
        *("T-512-03", "2003/441"),
    ],
    "PERSON": [
        *("Mr Smith", "Mr. J.P. van der Berg", "Ms O’Neill-Rask", "Mr SMITH", "MR SMITH", "Dr. Smith", "Prof. Dr. Åsa Brännmyr"),
        *("Sir John Smith", "Judge J. P. Tornquill", "Mrs de la Cruz", "Miss Ona Rask", "Mr and Mrs Vasshaug", "Mr A. Young", "Mr House", "Ms Clerk"),
        *("Frau Müller", "Mme Lefèvre", "Señor García Márquez", "Dr.\u00a0Rask", "Mr d'Arcy", "Lady Ona Rask"),
        *("Dr. med. Weiß", "Dra. Gómez", "Dr.ssa Bianchi", "Councillor Finch", "President Kwame Boateng", "Mr Major"),
    ],
    "IBAN": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
    "CARD": ["4539 1488 0343 6467", "4539148803436467"],
    "SSN": ["078-05-1120"],
    "IP": ["192.168.0.12", "2001:db8:0:0:0:0:2:1"],
    "URL": ["https://example.org/a?b=c", "www.example.org", "example.co.uk/people"],
    "ADDRESS": ["99 Quarry Road", "Hauptstraße 12", "12 rue de la Paix", "PO Box 123"],
    "POSTCODE": ["SW1A 1AA", "K1A 0B1"],
    "AGE": ["47 years old", "47-year-old", "47 yo"],
    "MONEY": ["€ 1,250", "7,050 crowns", "TRL 1,000,000,000", "3 million euros"],
    "TIME": ["14:30", "2.30 p.m."],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "written"), [(kind, one) for kind, several in WRITTEN.items() for one in several])
def test_what_is_written_in_many_ways(kind: str, written: str) -> None:
    for frame in FRAMES:
        assert (written, kind) in found(frame.format(written)), frame


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bleep 4471, or extension 4417.", [("4471", "PHONE"), ("4417", "PHONE")]),  # inside a house
        ("Mr Major. He left.", [("Mr Major", "PERSON")]),  # a title that is a surname, and a sentence begins
        ("Mr Justice PERSON. He left.", []),
        ("Nombre: Ernesto Rivera\nMédico: Ana Ruiz", [("Ernesto Rivera", "PERSON"), ("Ana Ruiz", "PERSON")]),
        ("petition no. 118 of 2003", [("118 of 2003", "CODE")]),
        ("in the year of Directive 2003/86/EC", []),
        ("operado en 1996", [("1996", "DATE")]),
        ("held on 27.X.1993.", [("27.X.1993", "DATE")]),
        ("from 27 October-3 November 1993", [("27 October-3 November 1993", "DATE")]),
        ("in week 12 of 1987", [("week 12 of 1987", "DATE")]),
        ("3 May 1970\r\n14 September 1971", [("3 May 1970", "DATE"), ("14 September 1971", "DATE")]),
        ("3 May 1970, 14 September 1971", [("3 May 1970", "DATE"), ("14 September 1971", "DATE")]),
        ("the President of the Court and the Mayor of the town", []),
    ],
)
def test_what_hangs_on_the_words_around_it(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_there_is_an_example_of_every_type() -> None:
    assert set(WRITTEN) == set(TYPES)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("application no. 12345/06 of", "12345/06"),
        ("Case No. 19-1234 was", "19-1234"),
        ("MRN 00123456", "00123456"),
        ("our ref: AB/1234/07.", "AB/1234/07"),
        ("Aktenzeichen: 12345-67", "12345-67"),
        ("file number 4711-22", "4711-22"),
    ],
)
def test_codes_behind_a_cue(text: str, code: str) -> None:
    assert (code, "CODE") in found(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Mr PERSON left.", "[DATE_1]", "Dr <NAME> said", "Mr *** and Ms ____", "[PHONE]", "XXXX", "____", "Mr XXXX"),
        *("Case no. [CODE]", "<DATE_TIME>", "{PERSON 123}", "[CASE 19]", "on [DATE] at [TIME]", "Mr PERSON_12 came"),
        *("Ms FIRST_NAME LAST_NAME", "Mr [REDACTED] left", "DATETIME, CODE and ORG", "Patient: PERSON", "Mr X and Ms A."),
        *("Article 6 § 1 and Protocol No. 1", "Rule 47", "Law no. 3713", "a pressure of 148/86", "no. 2", "sections 3 to 5"),
        *("The Lord Chancellor sat with the Judge Rapporteur, Mr President.", "He may march in may.", "1,250,000 people", "a 3.5 kg fish"),
        *("mr smith in lower case", "It cost 1.250.000 in all", "Dr. The next sentence"),
    ],
)  # fmt: skip
def test_what_is_no_find(text: str) -> None:
    assert found(text) == []


def test_numbers_that_do_not_check_are_no_cards_and_no_accounts() -> None:
    kinds = {kind for _, kind in found("4539 1488 0343 6468 and DE88 3704 0044 0532 0130 00")}
    assert kinds.isdisjoint({"CARD", "IBAN"})


def test_a_titled_name_has_its_name_for_a_core_and_a_placeholder_is_none_of_it() -> None:
    text = "Mr PERSON Smith and Dr [NAME] Jones"
    assert [text[slice(*find.telling)] for find in Patterns().find([text])[0]] == ["Smith", "Jones"]


@given(st.text("Mr. Dr[]()<>@+-/:AaXx09 \n*_,", max_size=80))
def test_finds_lie_in_the_text_in_order_and_apart(text: str) -> None:
    (finds,) = Patterns().find([text])
    edges = [place for find in finds for place in (find.start, find.end)]
    assert edges == sorted(edges)
    assert all(find.start <= find.telling[0] < find.telling[1] <= find.end <= len(text) for find in finds)
