"""Numbered labels: one number an entity, and no number that tells more than the order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Replaced = Callable[..., list[str | None]]


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("[PERSON:John Smith], [PERSON:SMITH], [PERSON:Dr  Smith], [PERSON:John]", "1 1 1 1"),
        ("[PERSON:Smith] and [PERSON:John Smith]", "1 1"),
        ("[PERSON:John Smith], [PERSON:Mary Smith], [PERSON:Smith]", "1 2 3"),  # whose surname, nobody says
        ("[PERSON:Mr Smith], [PERSON:Mrs Smith], [PERSON:Smith]", "1 2 3"),
        ("Mr [PERSON:Smith], Mrs [PERSON:Smith], [PERSON:Robin Smith]", "1 2 3"),
        ("[PERSON:J. Smith], [PERSON:John Smith], [PERSON:M. Smith]", "1 1 2"),
        ("[PERSON:J. Smith], [PERSON:John Smith], [PERSON:James Smith]", "1 2 3"),
        ("[PERSON:SMITH, JOHN], [PERSON:John A. Smith], [PERSON:John Smith]", "1 1 1"),
        ("[PERSON:J.S.], [PERSON:John Smith], [PERSON:J. S.]", "1 2 1"),
        ("[PERSON:田中], [PERSON:田中], [PERSON:鈴木]", "1 1 2"),
        ("[DATE:12 March 2019], [DATE:2019-03-12], [DATE:March 12th, 2019], [DATE:12 de marzo de 2019]", "1 1 1 1"),
        ("[DATE:12 March 2019], [DATE:12 March], [DATE:March 2019], [DATE:2019]", "1 2 3 4"),
        ("[DATE:03/04/2019], [DATE:3 April 2019], [DATE:4 March 2019]", "1 2 3"),  # which it is, nobody says
        ("[DATE:03/04/2019], [DATE:3 April 2019], [DATE:25/04/2019]", "1 1 2"),
        ("[DATE:before 2019], [DATE:2019], [DATE:Before  2019]", "1 2 1"),
        ("[CODE:12-34], [CODE:1234], [CODE:12 35]", "1 1 2"),
        ("[ORG:Acme, Inc.], [ORG:ACME Inc], [ORG:Acme]", "1 1 2"),
    ],
)
def test_the_same_entity_has_the_same_number(replaced: Replaced, tagged: str, expected: str) -> None:
    assert " ".join((one or "").rpartition("_")[2].lstrip("0") for one in replaced("number", tagged)) == expected


def test_labels_are_counted_apart_and_in_the_order_of_the_text(replaced: Replaced) -> None:
    made = replaced("number", "[PERSON:Roe] of [CITY:Oslo] and [PERSON:Doe] of [CITY:Oslo]", backwards=True)
    assert made == ["CITY_1", "PERSON_2", "CITY_1", "PERSON_1"]


def test_no_number_is_that_of_a_day_or_a_door(replaced: Replaced) -> None:
    tagged = "[DATE:1 May], [CODE:1], [ADDRESS:1 High Street], [AGE:1], [QUANTITY:1 cow], [PERSON:Roe]"
    made = replaced("number", tagged)
    assert made == ["DATE_001", "CODE_001", "ADDRESS_001", "AGE_001", "QUANTITY_001", "PERSON_1"]


def test_no_number_is_one_that_is_masked(replaced: Replaced) -> None:
    made = replaced("number", "[ORG:Acme], [ORG:Route 2], [CODE:002], [CODE:7/001], [PERSON:Roe], [CITY:Oslo 9]")
    assert made == ["ORG_01", "ORG_02", "CODE_0001", "CODE_0002", "PERSON_1", "CITY_1"]
