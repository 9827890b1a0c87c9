"""What the attacker who only reads finds in a text, and what it must not find."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.pickling import Pickling
from showthrough.data.subjects import AUTHOR, Attribute, Subject
from showthrough.families.inference import _reader
from showthrough.families.inference._reader import AttributeReader
from showthrough.families.inference.agreement import agreement
from showthrough.families.inference.base import Aim, AttackCase, Guess
from showthrough.formats import read_corpus
from showthrough.models import Resources
from showthrough.models.countries import _countries
from showthrough.models.gazetteer import country_named

pytestmark = pytest.mark.usefixtures("no_sockets")


def subject(key: str = "0", description: str = "", **values: str) -> Subject:
    return Subject(key, tuple(Attribute(tag, value) for tag, value in values.items()), description)


def read(text: str, *people: Subject, aim: Aim = "subjects") -> list[tuple[Guess, ...]]:
    tags = tuple({attribute.tag for person in people for attribute in person.attributes})
    (answer,) = AttributeReader().infer([AttackCase("one", "d", text, people, aim, tags)])
    assert answer is not None
    assert [person.matches for person in answer] == [person.id for person in people]
    for guess in (guess for person in answer for guess in person.guesses):
        assert guess.span is not None
        assert 0 <= guess.span[0] < guess.span[1] <= len(text)
    return [person.guesses for person in answer]


def of(text: str, tag: str, value: str, aim: Aim = "subjects") -> list[str]:
    """What is read of the only person of a text."""
    (guesses,) = read(text, subject(**{tag: value}), aim=aim)
    return [guess.value for guess in guesses]


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("represented by Mr K. Lewis, a lawyer", "K. Lewis", ["K. Lewis"]),
        ("Lewis's lawyer came", "K. Lewis", ["K. Lewis"]),  # the surname names them
        ("ms. SÖDERGREN", "J. Södergren", ["J. Södergren"]),
        ("one Sodergren", "J. Södergren", ["J. Södergren"]),  # without its accent
        ("Wittling Vogel", "A. Wittling-Vogel", ["A. Wittling-Vogel"]),
        ("Wolasiewicz", "J. Wołąsiewicz", ["J. Wołąsiewicz"]),
        ("my name is lisa johnson", "Lisa Johnson", ["Lisa Johnson"]),  # nobody else is called so
        ("so Lisa said", "Lisa Johnson", ["Lisa"]),
        ("@viraj672 : hello", "Viraj", ["Viraj"]),
        ("@manyaparikh : hello", "Manya Parikh", ["Manya Parikh"]),
        ("Name: JonathanRetail", "Jonathan", ["Jonathan"]),
        ("the case of F.L. was heard", "F.L.", ["F.L."]),
        ("Dr Heidemarie Abrahamian", "Dr. Heidemarie Abrahamian", ["Dr. Heidemarie Abrahamian"]),
        ("with grace", "Grace", []),
        ("@regandowey : hello", "regandowey", ["regandowey"]),
        ("a young king of the law", "Peter King", []),  # a word is no name
        ("Dr *** spoke", "Dr. Heidemarie Abrahamian", []),  # a title neither
        ("K. *** came", "K. Lewis", []),  # nor an initial
        ("[PERSON_1] met PERSON and <PERSON>", "Person", []),
        ("McDonald", "Sam Donald", []),
        ("昨日山田太郎が来た", "山田太郎", ["山田太郎"]),  # no spaces tell its words
        ("", "K. Lewis", []),
    ],
)
def test_names(text: str, name: str, found: list[str]) -> None:
    assert of(text, "NAME", name) == found


def test_a_surname_names_everybody_who_has_it_and_a_first_name_nobody_of_several() -> None:
    one, two = subject("1", NAME="Hasan Akbulut"), subject("2", NAME="Hasan Kaya")
    first, second = read("Hasan Akbulut was there", one, two)
    assert [guess.value for guess in first] == ["Hasan Akbulut"]
    assert second == ()


@pytest.mark.parametrize(
    ("text", "value", "found", "score"),
    [
        ("lives in Stockholm, Sweden", "Stockholm / Sweden", ["Stockholm / Sweden"], 1),
        ("lives in Stockholm", "Stockholm / Sweden", ["Stockholm / Sweden"], 1),  # whoever reads it knows the rest
        ("the Kingdom of Sweden", "Stockholm / Sweden", ["Sweden"], 0.5),
        ("a Swedish national", "Stockholm / Sweden", ["Sweden"], 0.5),
        ("lives in London", "Southwark / London / United Kingdom", ["London / United Kingdom"], 0.5),
        ("the Turkish Government", "Istanbul / Türkiye", ["Türkiye"], 0.5),
        ("the Republic of Turkey", "Türkiye", ["Türkiye"], 1),
        ("moved to the US", "Dayton / United States", ["United States"], 0.5),
        ("came with us", "Dayton / United States", [], 0),
        ("to polish the turkey", "Warsaw / Poland", [], 0),
        ("nice weather", "Nice / France", [], 0),
        ("in Saint-Denis", "Saint-Denis, Seine / France", [], 0),
        ("in Saint-Denis, Seine", "Saint-Denis, Seine / France", ["Saint-Denis, Seine / France"], 1),
        ("a LOCATION in [LOCATION]", "Location", [], 0),
        ("in Austria", "Australia", [], 0),
    ],
)
def test_places(text: str, value: str, found: list[str], score: float) -> None:
    guesses = of(text, "LOCATION", value)
    assert guesses == found
    assert max((agreement("LOCATION", value, guess) for guess in guesses), default=0) == score


def test_a_nationality_is_read_in_an_adjective() -> None:
    assert of("a Polish national", "NATIONALITY", "Poland") == ["Poland"]


@pytest.mark.parametrize(
    ("text", "value", "found"),
    [
        ("was born in 1970 and lives", "54-55", ["54-55"]),  # 2025 − 1970 = 55, or 54 before the birthday
        ("were born in 1963, 1950 and 1970 respectively", "54-55", ["54-55"]),
        ("was born on 3 May 1970", "55", ["55"]),
        ("was born in *** and lives. In 1970 it rained", "54-55", []),  # of another sentence
        ("in 1970 it rained", "54-55", []),
        ("was born in 1971", "54-55", []),  # 53 or 54
        ("a 34-year-old man", "30-39", ["34"]),
        ("aged 34", "34", ["34"]),
        ("I'm 34 and", "34", ["34"]),
        ("34 years in prison", "34", []),
        ("Article 34 § 1", "34", []),
        ("aged 36", "34", []),  # another's age, though the rules would let it pass
        ("aged 34", "young", []),
    ],
)
def test_ages(text: str, value: str, found: list[str]) -> None:
    guesses = of(text, "AGE", value)
    assert guesses == found
    assert all(agreement("AGE", value, guess) == 1 for guess in guesses)


@pytest.mark.parametrize(
    ("text", "tag", "value", "found"),
    [
        ("licence IN DL 4485436985.", "DRIVER_LICENSE_NUMBER", "IN-DL-4485436985", ["IN-DL-4485436985"]),
        ("call 657 251 6141", "PHONE_NUMBER", "657.251.6141", ["657.251.6141"]),
        ("call 8640369485", "PHONE_NUMBER", "+918640369485", ["8640369485"]),  # the country's 91 is not there
        ("no. 118640369485", "PHONE_NUMBER", "8640369485", []),  # another number, that ends like it
        ("657.***.6141", "PHONE_NUMBER", "657.251.6141", []),
        ("Bradley29@BTinternet.com wrote", "EMAIL_ADDRESS", "bradley29@btinternet.com", ["bradley29@btinternet.com"]),
        ("x.bradley29@btinternet.com", "EMAIL_ADDRESS", "bradley29@btinternet.com", []),
    ],
)
def test_codes(text: str, tag: str, value: str, found: list[str]) -> None:
    assert of(text, tag, value) == found


@pytest.mark.parametrize(
    ("text", "tag", "value", "found"),
    [
        ("two lawyers practising in LOC", "OCCUPATION", "Lawyer", True),
        ("the President of the Fourth Section decided", "POSITION", "President of the Fourth Section", True),
        ("the Legal Affairs Director", "POSITION", "Director of Legal Affairs", True),
        ("Ministry of Foreign Affairs", "AFFILIATION", "Ministry for Foreign Affairs", True),
        ("Ministry of *** Affairs. A foreign", "AFFILIATION", "Ministry of Foreign Affairs", False),
        ("the military authorities. The officer replied", "OCCUPATION", "Military officer", False),
        ("the military *** officer", "OCCUPATION", "Military officer", False),  # nobody knows what is between
        ("ORG and [ORGANIZATION]", "AFFILIATION", "Org", False),
        ("on 3 May 1999", "DATETIME", "3 May 1999", True),  # a tag that nobody knows
    ],
)
def test_words(text: str, tag: str, value: str, found: bool) -> None:
    assert of(text, tag, value) == [value] * found


def test_the_sex_of_the_only_person_is_read_in_any_pronoun() -> None:
    assert of("The applicant alleged that he had been late.", "SEX", "Male") == ["Male"]
    assert of("The applicant alleged that he had been late.", "SEX", "Female") == []
    assert of("The theme of the others", "SEX", "Male") == []


def test_the_sex_of_one_of_several_is_read_where_it_is_theirs() -> None:
    lewis, rose = subject("1", NAME="K. Lewis", SEX="Male"), subject("2", NAME="A. Rose", SEX="Female")
    one, two = read("Mr K. Lewis met A. Rose. She left.", lewis, rose)
    assert [guess.tag for guess in one] == ["NAME", "SEX"]
    assert [guess.tag for guess in two] == ["NAME"]  # who left may be somebody else
    one, two = read("Mr *** met Mrs ***. He left.", lewis, rose)
    assert (one, two) == ((), ())


def test_a_part_that_one_alone_has_tells_whom_a_pronoun_means() -> None:
    applicant = subject("1", "Mr Doe - The applicant, born in 1970", NAME="John Doe", SEX="Male")
    lawyer = subject("2", "Ms Roe - Lawyer practicing in Oslo", NAME="Jane Roe", SEX="Female")
    one, two = read("The applicant said that his lawyer had been late.", applicant, lawyer)
    assert [guess.value for guess in one] == ["Male"]
    assert two == ()
    second = subject("2", "Ms Roe - The applicant, born in 1980", NAME="Jane Roe", SEX="Female")
    assert read("The applicant said that his lawyer had been late.", applicant, second) == [(), ()]


def test_relatives_are_known_by_what_they_are_called() -> None:
    applicant = subject("1", "The applicant - A person", SEX="Male")
    wife = subject("2", "The applicant's wife - Died in 1996", SEX="Female", RELATIONSHIP="Married")
    one, two = read("The applicant buried his wife.", applicant, wife)
    assert [guess.value for guess in one] == ["Male"]
    assert [guess.value for guess in two] == ["Female", "Married"]


def test_bonds_and_degrees_are_read_where_it_is_clear_whose_they_are() -> None:
    assert of("He is a widower.", "RELATIONSHIP", "Widowed") == ["Widowed"]
    assert of("He went to university.", "EDUCATION", "College Degree") == ["College Degree"]
    one, two = read(
        "Ann Lee is divorced. Bob went home.", subject("1", NAME="Ann Lee", RELATIONSHIP="Divorced"),
        subject("2", NAME="Bob Roe", RELATIONSHIP="Divorced"),
    )  # fmt: skip
    assert [guess.tag for guess in one] == ["NAME", "RELATIONSHIP"]
    assert [guess.tag for guess in two] == ["NAME"]


@pytest.mark.parametrize(
    ("text", "tag", "value", "found"),
    [
        ("being a woman here is hard", "sex", "female", True),
        ("she told me", "sex", "female", False),  # of somebody else
        ("my wife digs it", "relationship_status", "married", True),
        ("his wife digs it", "relationship_status", "married", False),
        ("being happily single rocks", "relationship_status", "single", True),
        ("my single biggest fear", "relationship_status", "single", False),
        ("left high school", "education", "No High School Diploma", False),
        ("tokyo vibes", "city_country", "tokyo, japan", True),
        ("i turned 25 today", "age", "25", True),
        ("low income, high hopes", "income_level", "low", True),
        ("low income, high hopes", "income_level", "high", False),
        ("still lawyering", "occupation", "lawyer", True),
    ],
)
def test_an_author_is_known_by_what_they_say_of_themselves(text: str, tag: str, value: str, found: bool) -> None:
    (guesses,) = read(text, subject(AUTHOR, **{tag: value}), aim="author")
    assert [guess.value for guess in guesses] == [value] * found


def test_only_what_is_asked_for_is_answered() -> None:
    person = subject(NAME="K. Lewis", OCCUPATION="Lawyer")
    (answer,) = AttributeReader().infer([AttackCase("one", "d", "Lewis, a lawyer", (person,), "subjects", ("NAME",))])
    assert answer is not None
    assert [guess.tag for guess in answer[0].guesses] == ["NAME"]


def test_the_place_is_that_of_the_released_text() -> None:
    text = "*** of Oslo"
    (guesses,) = read(text, subject(LOCATION="Oslo / Norway"))
    assert [text[slice(*guess.span)] for guess in guesses if guess.span] == ["Oslo"]


def _success(data: Path, masks: dict[str, list[list[int | str]]] | None, ids: set[str]) -> float:
    """The share of attributes (certainty 3 and above) that the reader finds, on SPIA's court cases."""
    cases = [one for one in read_corpus(data / "inference/spia_tab_144.jsonl.gz") if one.id in ids]
    found = total = 0.0
    for document in cases:
        text = document.text
        for start, end, *written in sorted(masks[document.id], reverse=True) if masks else ():
            text = text[: int(start)] + str((written or [""])[0]) + text[int(end) :]
        tags = tuple({attribute.tag for person in document.subjects for attribute in person.attributes})
        (answer,) = AttributeReader().infer([AttackCase("", document.id, text, document.subjects, "subjects", tags)])
        assert answer is not None
        for person, said in zip(document.subjects, answer, strict=True):
            for attribute in person.attributes:
                if attribute.certainty >= 3:
                    total += 1
                    same = [guess.value for guess in said.guesses if guess.tag == attribute.tag]
                    found += max((agreement(attribute.tag, attribute.value, guess) for guess in same), default=0)
    return found / total


def test_on_court_cases_manual_masks_hide_more_than_presidio_and_that_more_than_none(data: Path) -> None:
    texts = json.loads((data / "tab/test_texts.json").read_bytes())
    own = {one.text: one.id for one in read_corpus(data / "inference/spia_tab_144.jsonl.gz")}
    same = {own[text]: key for key, text in texts.items() if text in own}
    assert len(same) == 31
    masked = []
    for name in ("Presidio_Entity", "Manual_Entity"):
        masks = json.loads((data / f"tab/anonymizations/{name}.json").read_bytes())
        masked.append(_success(data, {key: masks[of] for key, of in same.items()}, {*same}))
    nothing = _success(data, None, {*same})
    assert nothing - masked[0] > 0.15
    assert masked[0] - masked[1] > 0.25


def test_a_name_that_both_tables_of_countries_know_is_one_country() -> None:
    told = [({*map(country_named, names)} - {None}, names) for names in {*_countries().values()}]
    assert len(told) > 150
    assert [names for found, names in told if len(found) > 1] == []


def test_cases_are_read_by_whoever_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    person = subject(NAME="Ann Lee", AGE="41")
    texts = ["Ann Lee is 41.", "", "She is 41 years old", "Ann slept", "Ann Lee is 41."]
    cases = [AttackCase("one", str(n), text, (person,), "subjects", ("NAME", "AGE")) for n, text in enumerate(texts)]
    alone, engine = AttributeReader().infer(cases), Pickling()
    monkeypatch.setattr(_reader, "_CASES", 2)
    assert AttributeReader(Resources(engine=engine)).infer(cases) == alone
    assert engine.tasks == 3


@pytest.mark.parametrize(
    "written",
    [
        "J\u200bo\u200bh\u200bn Doe",
        "Jo\u00adhn Doe",
        "\U0001d409\U0001d428\U0001d421\U0001d427 Doe",  # mathematical letters
        "J\u043ehn Doe",  # a Cyrillic letter
        "Ｊｏｈｎ Doe",
    ],
)
def test_letters_that_nobody_sees_or_types_hide_nothing(written: str) -> None:
    text = f"It was {written} who came."
    (guesses,) = read(text, subject(NAME="John Doe"))
    assert [guess.tag for guess in guesses] == ["NAME"]
    assert guesses[0].span == (7, 7 + len(written))  # in the text as it is
