"""What the rules hide and what they leave, category by category."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from showthrough.data.documents import Document
from showthrough.data.masks import apply_masks
from showthrough.systems.rules import Rules


def hidden(text: str) -> list[tuple[str, str | None]]:
    return [(text[mask.start : mask.end], mask.replacement) for mask in Rules().masks([Document("d", text)])[0]]


def spans(text: str, label: str) -> list[str]:
    return [span for span, replacement in hidden(text) if replacement == label]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr Rask left.", ["Mr Rask"]),
        ("It was Mrs. Edda Rask who called.", ["Mrs. Edda Rask"]),
        ("Seen by Prof. Dr. Åsa Brännmyr today.", ["Prof. Dr. Åsa Brännmyr"]),
        ("Judge J. P. Tornquill sat.", ["Judge J. P. Tornquill"]),
        ("We met Dr Ilse van der Moor there.", ["Dr Ilse van der Moor"]),
        ("Ms Anna-Lena O'Dell’s letter", ["Ms Anna-Lena O'Dell"]),
        ("Mr and Mrs Vasshaug came.", ["Mr and Mrs Vasshaug"]),
        ("Patient: RASK, Edda\nWard: 4", ["RASK, Edda"]),
        ("Name: Edda Rask\nSex: F", ["Edda Rask"]),
        ("Mr Łukasz Zielonkur spoke", ["Mr Łukasz Zielonkur"]),
        ("Ms Ne\u0301a Oltramar sang", ["Ms Ne\u0301a Oltramar"]),
        ("Dr\u00a0Rask wrote", ["Dr\u00a0Rask"]),
    ],
)
def test_titled_names(text: str, expected: list[str]) -> None:
    assert spans(text, "PERSON") == expected


def test_a_surname_seen_with_a_title_is_hidden_wherever_it_stands() -> None:
    text = "Edda Rask sings. Ms Rask was born here. Rask’s voice, said J. Rask, is RASK. But Rask left."
    assert spans(text, "PERSON") == ["Edda Rask", "Ms Rask", "Rask", "J. Rask", "RASK", "Rask"]


def test_the_surname_of_an_inverted_name_is_the_first_part() -> None:
    assert spans("Patient: Rask, Edda\nRask was well; Edda slept.", "PERSON") == ["Rask, Edda", "Rask"]


@pytest.mark.parametrize(
    "text",
    [
        "Edda Rask was born in the mountains.",  # no title: a baseline without names cannot know
        "The master and the missing mister.",
        "He drives. Dr The next sentence.",
        "mr rask in lower case",
        "Raskolm and Raskin, two villages.",
        "The Court held that the Government had erred.",
    ],
)
def test_no_title_no_person(text: str) -> None:
    assert spans(text, "PERSON") == []


def test_a_longer_word_is_not_a_repetition() -> None:
    assert spans("Mr Rask and Raskolm.", "PERSON") == ["Mr Rask"]


@pytest.mark.parametrize(
    "date",
    [
        "1 October 2021",
        "1st of October, 2021",
        "Friday, 1 October 2021",
        "the 3rd of May",
        "3–5 May 2011",
        "October 1, 2021",
        "Oct. 1, 2021",
        "May 5",
        "October 2021",
        "2021-10-01",
        "2021-10-01T14:30:00Z",
        "01/10/2021",
        "1.10.2021",
        "01.10.21",
        "1/10/21",
        "01-10-2021",
        "12-Mar-2019",
        "1998–2004",
        "1990s",
        "14:30",
        "2.30 p.m.",
        "9 am",
        "16.45 hours",
        "23:59:59",
    ],
)
def test_dates_and_times(date: str) -> None:
    assert hidden(f"It was {date}, and it rained.") == [(date, "DATETIME")]


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("She moved in 1973.", "1973"),
        ("Since 2004 he lives there.", "2004"),
        ("in the spring of 1987", "1987"),
        ("a book (1962) on ferns", "1962"),
        ("(born 1950)", "1950"),
        ("It stopped in March.", "March"),
    ],
)
def test_years_and_months_with_a_cue(text: str, year: str) -> None:
    assert spans(text, "DATETIME") == [year]


def test_a_span_of_years_is_one_mask() -> None:
    assert spans("between 1999 and 2004", "DATETIME") == ["1999 and 2004"]


@pytest.mark.parametrize(
    "text",
    [
        "She may march on.",
        "It sold 2000 copies.",
        "version 1.2.34 of the form",
        "a ratio of 1:10",
        "32/13/2020 is no day",
        "Article 6 § 1 of the Convention",
        "room 1204",
        "they marched in marching order",
    ],
)
def test_no_date(text: str) -> None:
    assert spans(text, "DATETIME") == []


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("a 47-year-old baker", "47-year-old"),
        ("She is 47 years old.", "47 years old"),
        ("aged 9", "9"),
        ("aged about 80", "80"),
        ("at the age of sixty-two", "sixty-two"),
        ("Age: 31", "31"),
        ("a 6-month-old child", "6-month-old"),
        ("a 52 y/o man", "52 y/o"),
        ("a man in his late fifties", "fifties"),
        ("Forty-one years of age", "Forty-one years of age"),
        ("a 103 years old tortoise keeper", "103 years old"),
    ],
)
def test_ages(text: str, age: str) -> None:
    assert hidden(text) == [(age, "AGE")]


@pytest.mark.parametrize("text", ["for 12 years", "47 years later", "page 9", "aged cheese", "the age of steam"])
def test_no_age(text: str) -> None:
    assert spans(text, "AGE") == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("application no. 12345/67 was", "12345/67"),
        ("Application 41207/2015", "41207/2015"),
        ("MRN: 004-118-22", "004-118-22"),
        ("Record no.: KH-20417", "KH-20417"),
        ("IBAN XX42 0000 1234 5678 9012 34 was", "XX42 0000 1234 5678 9012 34"),
        ("passport XA1234567 expired", "XA1234567"),
        ("Passport no. C01X00T47", "C01X00T47"),
        ("SSN 000-12-3456", "000-12-3456"),
        ("under 20419931 in the register", "20419931"),
        ("from 192.0.2.44 at night", "192.0.2.44"),
        ("host 2001:db8::17 answered", "2001:db8::17"),
    ],
)
def test_codes(text: str, code: str) -> None:
    assert hidden(text) == [(code, "CODE")]


@pytest.mark.parametrize(
    "text",
    [
        "in 3/4 of cases",
        "the record was lost",
        "no. 7",
        "blood pressure 120/80",
        "256.300.1.2",
        "Article 6",
        "1,234,567",
    ],
)
def test_no_code(text: str) -> None:
    assert spans(text, "CODE") == []


@pytest.mark.parametrize(
    "phone",
    [
        "+44 20 7946 0018",
        "+1 (555) 010-0199",
        "01632 960 123",
        "020 7946 0123",
        "(555) 010-0142",
        "555-010-0142",
        "555-0142",
        "+4916320960123",
    ],
)
def test_phones(phone: str) -> None:
    assert hidden(f"Call us under {phone} or write.") == [(phone, "PHONE")]


def test_a_phone_by_its_cue() -> None:
    assert hidden("Tel: 96 01 23 45, ext. 4411") == [("96 01 23 45", "PHONE"), ("4411", "PHONE")]


@pytest.mark.parametrize("text", ["pages 100-200", "2 000 000 people", "score 3-2", "0.25 mg", "between 10 and 20"])
def test_no_phone(text: str) -> None:
    assert spans(text, "PHONE") == []


def test_addresses_on_the_net() -> None:
    text = "Write to e.rask+post@mail.example.org or see https://example.org/a?b=c, (www.example.org/x)."
    assert hidden(text) == [
        ("e.rask+post@mail.example.org", "EMAIL"),
        ("https://example.org/a?b=c", "URL"),
        ("www.example.org/x", "URL"),
    ]


@pytest.mark.parametrize("text", ["meet me @ noon", "a@b", "the www is old", "http is a protocol"])
def test_no_address_on_the_net(text: str) -> None:
    assert hidden(text) == []


@pytest.mark.parametrize(
    "address",
    [
        "12 Gannet Row, Tarnbridge",
        "7b Old Mill Lane",
        "104 Quarry Road, 4411 Skarnvik",
        "Møllegade 14, 2000 Grenholm",
        "Lindenstraße 3",
        "P.O. Box 77",
        "ZQ1 4XY",
    ],
)
def test_postal_addresses(address: str) -> None:
    assert hidden(f"living at {address}.") == [(address, "LOC")]


@pytest.mark.parametrize(
    "text", ["the road to Skarnvik", "3 Roman Roads crossed", "Street musicians", "12 men in a row"]
)
def test_no_postal_address(text: str) -> None:
    assert spans(text, "LOC") == []


@pytest.mark.parametrize(
    "amount",
    [
        "EUR 12,000",
        "€3.50",
        "$ 1,200.75",
        "4.2 million euros",
        "12 000 crowns",
        "900 euros",
        "£5 million",
        "75,5 EUR",
    ],
)
def test_amounts(amount: str) -> None:
    assert hidden(f"a fine of {amount} was paid") == [(amount, "QUANTITY")]


@pytest.mark.parametrize("text", ["12 sheep", "a pound of flesh", "4 marksmen", "five euro"])
def test_no_amount(text: str) -> None:
    assert spans(text, "QUANTITY") == []


def test_the_readable_text_after_masking() -> None:
    text = "Mr Rask (application no. 12345/67), aged 47, was fined EUR 300 on 3 May 2011 at 14:30."
    masked = apply_masks(text, Rules().masks([Document("d", text)])[0])
    assert masked == "PERSON (application no. CODE), aged AGE, was fined QUANTITY on DATETIME at DATETIME."


def test_a_text_with_nothing_to_hide() -> None:
    assert hidden("the rain fell on the roofs all night") == []


LONG = 100_000


@pytest.mark.parametrize(
    "unit",
    ["1", "A", "a", "Aa ", "A. ", "1 ", "1-", "1/", "1.", "1,", "1:", "a@", "a.", "-", "Mr ", "Mr A ", "van ",
     "0 ", "+1 ", "(1", "AA11", "A1 ", "A-", "1 A ", "1 Ab ", "http://", "www.", "one ", "May ", "no. ",
     "Name: A, ", "'s", "€", "000 "],
)  # fmt: skip
def test_long_monotonous_text_comes_to_an_end(unit: str) -> None:
    text = "Mr Rask " + unit * (LONG // len(unit)) + "!"
    masks = Rules().masks([Document("d", text)])[0]
    assert all(0 <= mask.start < mask.end <= len(text) for mask in masks)
    assert masks[0].start == 0


def test_many_people_cost_one_look_up_a_word() -> None:
    names = [f"Rask{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(10_000)]
    text = " ".join(f"Mr {name}." for name in names) + " " + " ".join(names)
    assert len(Rules().masks([Document("d", text)])[0]) >= len(names)


PIECES = st.sampled_from(
    ["Mr ", "Ms ", "Rask", "Edda ", "1 ", "May ", "2011", "/", "-", ".", " ", "no. ", "12345", "EUR ", "aged ", "\n",
     "@", "example.org", "+44 ", "O'", "é", "e\u0301", "🎻", "12 Gannet Row", ", ", "(", ")", ":", "AB", "van "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=200))
def test_masks_are_sorted_apart_and_within_the_text(text: str) -> None:
    masks = Rules().masks([Document("d", text)])[0]
    assert all(0 <= mask.start < mask.end <= len(text) and mask.replacement for mask in masks)
    assert all(one.end <= two.start for one, two in pairwise(masks))
    assert masks == Rules().masks([Document("other", text)])[0]
