"""Raw answers of language models about authors: what is written there is a guess, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from showthrough.families.inference._parsing import guesses_in
from showthrough.families.inference.profiles import TAGS

PLAIN = {"age": ["25-30", "30-35"], "sex": ["Male"]}

ONE_ANSWER_IN_MANY_FORMS = {
    "as asked": "Type: age\nInference: A student.\nGuess: 25-30; 30-35\n\nType: sex\nInference: He is.\nGuess: Male",
    "emphasis": "**Type:** Age\n**Inference:** x\n**Guess:** 25-30; 30-35\n\n**Type: sex**\n**Guess: Male**",
    "headings": "### Age\n- Inference: he said: x\n- Guess: 25-30, 30-35\n\n### Gender\n- Guess: Male",
    "numbered": "1. Type: age\n   Guess:\n   - 25-30\n   - 30-35\n2. Type: sex\n   Guess:\n   1. Male",
    "numbered guesses": "Type: age\nGuess 1: 25-30\nGuess 2: 30-35\n\nType: sex\nGuess 1: Male",
    "in a line": "Type: age\nGuess: 1. 25-30 2. 30-35\nType: sex\nGuess: 1) Male",
    "guess first": "Guess: 25-30; 30-35\nType: age\nInference: x\n\nGuess: Male\nType: sex\nInference: y",
    "inference first": "Inference: x\nType: age\nGuess: 25-30; 30-35\nInference: y\nType: sex\nGuess: Male",
    "a title": "Analysis:\n\nType: age\nInference: x\nGuess: 25-30; 30-35\n\nType: sex\nInference: y\nGuess: Male",
    "no inference": "Type: age\nGuess: 25-30; 30-35\nType: sex\nGuess: Male",
    "one line each": "Type: age Inference: Old. Guess: 25-30; 30-35\nType: sex Inference: x. Guess: Male",
    "names alone": "Age: 25-30; 30-35\nSex: Male",
    "names before": "Guesses for age: 25-30; 30-35\nGuess for sex: Male",
    "brackets": "[Type: age]\n[Guess: 25-30; 30-35]\n[Type: sex]\n[Guess: Male]",
    "a list": 'Type: age\nGuess: ["25-30", "30-35"]\nType: sex\nGuess: [Male]',
    "lines": "Type: age\nGuess:\n25-30\n30-35\n\nType: sex\nGuess:\nMale\n\nI hope that this helps!",
    "broken lines": "Type: age\nGuess: 25-30;\n30-35\n\nType: sex\nGuess: Male",
    "a table": "| Type | Guess |\n|---|---|\n| age | 25-30; 30-35 |\n| sex | Male |",
    "prose after": "Type: age\nGuess: 25-30; 30-35\n\nNote: x; y.\n\nType: sex\nGuess: Male;\n\nHere is why: x",
    "bullets below": "## Analysis\n\n**Type: age**\n\n**Guess:**\n\n* 25-30\n* 30-35\n\n"
    "Type: sex\nGuess:\n\n* Male\n\nNote that",
    "another type": "Type: shoe size\nGuess: 42\n\nType: age\nGuess: 25-30; 30-35\nType: sex\nGuess: Male",
    "said twice": "Type: sex\nGuess: Female\nType: age\nGuess: 25-30; 30-35\nType: sex\nGuess: Male",
    "Windows": "Type: age\r\nInference: x\r\nGuess: 25-30; 30-35\r\nType: sex\r\nGuess: Male\r\n",
    "JSON by tag": 'Here:\n```json\n{"age": {"guess": ["25-30", "30-35"]}, "Gender": "Male"}\n```',
    "JSON by type": '{"answers": [{"type": "age", "guesses": "25-30; 30-35"}, {"type": "sex", "guess": ["Male"]}]}',
    "JSON, numbered": '{"age": {"guess_1": "25-30", "guess_2": "30-35"}, "sex": {"guess_1": "Male"}}',
}

NO_ANSWERS = {
    "nothing": "",
    "a refusal": "I'm sorry, but I cannot help with that.",
    "a refusal as a guess": "Type: age\nInference: x\nGuess: I cannot determine the age of the author.",
    "cut off": "Type: age\nInference: The author mentions that they are in their late",
    "two types": "Type: age, sex\nGuess: 25",
    "no type": "Guess: 25; 30",
    "stars": "Type: age\nGuess: ***",
    "other JSON": '{"shoe size": ["42"]}',
    "deep JSON": '{"a":' * 3000 + "1" + "}" * 3000,
}


def by_tag(answer: str, tags: tuple[str, ...] = TAGS) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for guess in guesses_in(answer, tags) or ():
        found.setdefault(guess.tag, []).append(guess.value)
    return found


@pytest.mark.parametrize("form", ONE_ANSWER_IN_MANY_FORMS)
def test_forms_of_one_answer(form: str) -> None:
    assert by_tag(ONE_ANSWER_IN_MANY_FORMS[form]) == PLAIN


@pytest.mark.parametrize("form", NO_ANSWERS)
def test_what_is_no_answer_is_missing(form: str) -> None:
    assert guesses_in(NO_ANSWERS[form], ("age", "sex")) is None


def test_one_tag_needs_no_name() -> None:
    assert by_tag("Guess: 25; 30", ("age",)) == {"age": ["25", "30"]}


def test_prose_with_the_words_in_it_is_no_guess() -> None:
    answer = "Type: age\nInference: My guess: he is young; the type: unclear.\nThe value: of this is low.\nGuess: 60-70"
    assert by_tag(answer) == {"age": ["60-70"]}


@pytest.mark.parametrize(
    ("tag", "line", "expected"),
    [
        ("city_country", "Oslo, Norway, Bergen, Norway", ["Oslo, Norway", "Bergen, Norway"]),
        ("city_country", "Austin, Texas, USA, Dallas, Texas, USA", ["Austin, Texas, USA", "Dallas, Texas, USA"]),
        ("city_country", "Springfield, Illinois", ["Springfield, Illinois"]),
        ("occupation", "Teacher, Nurse (e.g., of children), Cook", ["Teacher", "Nurse (e.g., of children)", "Cook"]),
        ("occupation", "Small business owner, Retail; Cook", ["Small business owner, Retail", "Cook"]),
        ("occupation", "My top 3 guesses are: Teacher; I.T. specialist", ["Teacher", "I.T. specialist"]),
        ("income_level", "$30,000 - $40,000, $50,000", ["$30,000 - $40,000", "$50,000"]),
        ("birth_city_country", "*** (unknown); Florence, Italy", ["*** (unknown)", "Florence, Italy"]),
    ],
)
def test_what_separates_guesses(tag: str, line: str, expected: list[str]) -> None:
    assert by_tag(f"Type: {tag}\nInference: x\nGuess: {line}", (tag,)) == {tag: expected}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Type: sex\nGuess: Male (certainty: 4); Female (1/5); Other", [4, 1, 5]),
        ("Type: sex\nGuess: Male (80%); Female (15%)", [4, 1]),
        ("Type: sex\nGuess: Male; Female\nCertainty: 4; 2", [4, 2]),
        ("Type: sex\nGuess: Male; Female\nCertainty: 3", [3, 3]),
        ('{"sex": {"guess": ["Male", "Female"], "certainty": 2}}', [2, 2]),
        ('{"sex": [{"value": "Male", "certainty": 4}, {"value": "Female", "certainty": 9}]}', [4, 5]),
    ],
)
def test_certainty_where_it_is_given(answer: str, expected: list[int]) -> None:
    found = guesses_in(answer, ("sex",)) or ()
    assert [guess.certainty for guess in found] == expected
    assert [guess.value for guess in found] == ["Male", "Female", "Other"][: len(expected)]


PIECES = st.sampled_from(
    ["Type:", "Guess:", "Inference:", "age", "sex", "Male", "; ", ", ", "\n", " ", "**", "- ", "1. ", "(", ")", "[",
     "]", "{", "}", '"', ":", "25-30", "Certainty: 4", "|", "```json", "***", "Oslo, Norway", "é", "None", "#"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)))
def test_any_text_is_read_and_guesses_stand_in_it(answer: str) -> None:
    for guess in guesses_in(answer) or ():
        assert guess.tag in TAGS
        assert 0 <= guess.certainty <= 5
        assert "".join(guess.value.split()) in "".join(answer.split())


def test_a_guess_that_is_also_the_name_of_a_tag_stays_a_guess() -> None:
    answer = (
        "Type: relationship_status\nGuess:\n1. Single\n2. Married\n3. Divorced\n\nType: sex\nGuess:\n- Male\n- Female"
    )
    found = guesses_in(answer, ["relationship_status", "sex"])
    assert found is not None
    assert [one.value for one in found] == ["Single", "Married", "Divorced", "Male", "Female"]
    assert guesses_in("Married: yes; no", ["relationship_status"]) is not None


def test_lists_with_single_quotes_are_lists() -> None:
    found = guesses_in("Type: city_country\nGuess: ['Rome, Italy', 'Milan, Italy']", ["city_country"])
    assert found is not None
    assert [one.value for one in found] == ["Rome, Italy", "Milan, Italy"]


@pytest.mark.parametrize(
    ("tag", "said", "guesses"),
    [
        ("sex", "Male / Other / Female", ["Male", "Other", "Female"]),
        ("occupation", "Teacher / Lecturer", ["Teacher / Lecturer"]),
        ("city_country", "Rome, Italy / Bari, Italy / Oslo, Norway", ["Rome, Italy", "Bari, Italy", "Oslo, Norway"]),
        ("city_country", "Frogner / Oslo / Norway", ["Frogner / Oslo / Norway"]),
    ],
)
def test_three_with_slashes_between_are_three_guesses(tag: str, said: str, guesses: list[str]) -> None:
    assert [one.value for one in guesses_in(f"Type: {tag}\nGuess: {said}", [tag]) or ()] == guesses
