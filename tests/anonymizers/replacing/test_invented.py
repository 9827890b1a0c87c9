"""Surrogates in place of masks: consistent, in the form of the original, and without a word of it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Replaced = Callable[..., list[str | None]]


def test_a_person_is_one_person_and_titles_are_left_out(replaced: Replaced) -> None:
    first, second, third = replaced("surrogate", "[PERSON:Dr Ona Rask] saw [PERSON:Mr Olav Berg]. [PERSON:Rask] wrote.")
    assert first
    assert second
    assert third
    assert first.split()[-1] == third
    assert len(first.split()) == len(second.split()) == 2
    assert set(first.split()).isdisjoint(second.split())


def test_dates_stay_dates_and_keep_no_part(replaced: Replaced) -> None:
    made = replaced("surrogate", " ".join(f"[DATE:{day} March 2019]," for day in range(1, 29)))
    for day, one in enumerate(made, start=1):
        found = re.fullmatch(r"(\d{1,2}) (\w+) (\d{4})", one or "")
        assert found
        assert found[1] != str(day)
        assert found[2] != "March"
        assert found[3] != "2019"


@pytest.mark.parametrize("text", ["before 2019", "five years", "the 1990s", "12. marts 2019"])
def test_what_is_no_date_alone_has_its_label(replaced: Replaced, text: str) -> None:
    assert replaced("surrogate", f"[DATE:{text}]") == ["DATE"]


@pytest.mark.parametrize("kind", ["TATTOO", "PROFESSION", "SEX", "MISC", "NORP"])
def test_types_without_surrogates_have_their_label(replaced: Replaced, kind: str) -> None:
    assert replaced("surrogate", f"[{kind}:varón]") == [kind]


def test_other_languages_have_surrogates_too(replaced: Replaced) -> None:
    tagged = "[PERSON:田中太郎], [CITY:東京], [PERSON:Søren Ågård], [CITY:Ærøskøbing], [HOSPITAL:Hospital de Jerez]"
    made = replaced("surrogate", tagged)
    assert all(made)
    assert not re.search("[田中太郎東京]|Søren|Hospital|Jerez", " ".join(one or "" for one in made))


def test_amounts_are_other_numbers_without_their_words(replaced: Replaced) -> None:
    (made,) = replaced("surrogate", "[MONEY:EUR 12,450]")
    assert made
    assert re.fullmatch(r"[1-9]\d,\d{3}", made)
    assert made != "12,450"


def test_nothing_is_left_hanging_where_a_word_was_left_out(replaced: Replaced) -> None:
    tagged = (
        "[HOSPITAL:Hospital, Jerez], [HOSPITAL:Clinic - Jerez], [HOSPITAL:Jerez (Hospital), Lugo], [AGE:age: 45 years]"
    )
    made = [re.sub(r"\w+", "x", one or "") for one in replaced("surrogate", tagged)]
    assert made == ["x", "x", "x, x", "x"]
