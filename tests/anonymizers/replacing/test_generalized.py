"""Generalizations: true, wider, and a label wherever there is a doubt."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from showthrough import Document
from showthrough.data.masks import TypedMask
from showthrough.models.gazetteer import lies_in
from showthrough.systems.replacing import make_replacer

Replaced = Callable[..., list[str | None]]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("DATE", "12 March 2019", "2019"),
        ("DATE", "Tuesday, March 12th, 2019", "2019"),
        ("DATE", "2019-03-12", "2019"),
        ("DATE", "12.03.2019", "2019"),
        ("DATE", "29 de octubre de 1997", "1997"),
        ("DATE", "12. marts 2019", "2019"),
        ("DATE", "March 2019", "2019"),
        ("DATE", "3 to 5 May 1997", "1997"),
        ("DATE", "10 May 1997 to 3 June 1999", "1997-1999"),
        ("DATE", "10/29/97", "1997"),
        ("DATE", "2019", "2010s"),
        ("DATE", "1995 and 2003", "1990s-2000s"),
        ("DATE", "12 March", "March"),
        ("DATE", "12 de marzo", "marzo"),
        ("DATE", "March", "DATE"),
        ("DATE", "29/10", "DATE"),  # no month is written that could stay
        ("DATE", "01/02/03", "DATE"),  # of which year, nobody says
        ("DATE", "before 2019", "DATE"),
        ("DATE", "three years before 5 May 2019", "DATE"),
        ("DATE", "10 December and 3 January 1999", "DATE"),  # the first is of the year before
        ("DATE", "the 1990s", "DATE"),
        ("DATE", "31/02/1997", "DATE"),
        ("DATE", "2019-03-12T10:30:00Z", "2019"),
        ("DATE", "5 May 2019 at 10.30 a.m.", "2019"),
        ("DATE", "by 2019", "DATE"),
        ("DATE", "five years", "DATE"),
        ("AGE", "45", "40s"),
        ("AGE", "40 years old", "40s"),
        ("AGE", "62 años", "60s"),
        ("AGE", "7", "<10"),
        ("AGE", "94-year-old", ">89"),
        ("AGE", "90", ">89"),
        ("AGE", "18 months", "AGE"),
        ("AGE", "18 Monate", "AGE"),
        ("AGE", "45 or 46", "AGE"),
        ("DEM", "aged 45", "40s"),
        ("DEM", "45", "DEM"),
        ("DEM", "journalist", "DEM"),
        ("CITY", "Oslo", "Norway"),
        ("CITY", "København", "Denmark"),
        ("CITY", "Mexico City", "North America"),  # its country is a word of its name
        ("LOC", "the Netherlands", "Europe"),
        ("LOC", "5 High Street, Oslo", "Norway"),
        ("LOC", "Oslo, Norway", "Europe"),
        ("LOC", "Oslo, Tokyo", "LOC"),
        ("LOC", "Paris, Texas", "LOC"),
        ("LOC", "Springfield, Oslo", "LOC"),
        ("LOC", "Springfield", "LOC"),
        ("MONEY", "EUR 12,450", "€10k-100k"),
        ("MONEY", "12.450,50 euros (EUR)", "€10k-100k"),
        ("MONEY", "£ 2.5 million", "£1M-10M"),
        ("MONEY", "450 zlotys", "100-1k"),
        ("MONEY", "US$ 3,000,000", "$1M-10M"),
        ("MONEY", "over EUR 95,000", "MONEY"),  # how much over?
        ("MONEY", "€ 5", "<€10"),
        ("MONEY", "10 euros", "MONEY"),  # 10 would be written again
        ("MONEY", "EUR 500 and EUR 700", "MONEY"),
        ("MONEY", "25 lakh rupees", "MONEY"),
        ("MONEY", "EUR 1.234 million", "MONEY"),  # with a point or with a comma, by who wrote it
        ("MONEY", "1,234 millones de euros", "MONEY"),
        ("MONEY", "EUR -500", "MONEY"),
        ("QUANTITY", "25 persons", "10-100"),
        ("QUANTITY", "1.234 kg", "QUANTITY"),  # a ton, or little more than a kilo
        ("QUANTITY", "25 lakh", "QUANTITY"),
        ("PERCENT", "25 %", "PERCENT"),
        ("PERSON", "March Oslo", "PERSON"),
        ("ORG", "Oslo", "ORG"),
        ("TATTOO", "2019", "TATTOO"),
    ],
)
def test_what_is_wider_stands_there_or_the_label(replaced: Replaced, kind: str, text: str, expected: str) -> None:
    assert replaced("generalize", f"in [{kind}:{text}].") == [expected]


@pytest.mark.parametrize("tagged", ["an [AGE:18]-month-old", "[AGE:18] meses", "[AGE:18] dage gammel", "[AGE:18]d"])
def test_a_number_of_months_is_no_decade(replaced: Replaced, tagged: str) -> None:
    assert replaced("generalize", tagged) == ["AGE"]
    assert replaced("generalize", "an [AGE:18]-year-old") == ["10s"]


def test_no_name_of_a_place_is_that_of_two() -> None:
    from importlib.resources import files

    rows = files("showthrough.models").joinpath("places.tsv").read_text(encoding="utf-8").splitlines()
    names = [name for row in rows for cell in row.split("\t")[2:] for name in cell.split(", ") if name]
    names += [row.split("\t")[0] for row in rows]
    assert len({name.casefold() for name in names}) == len(names)
    assert all(lies_in(name) for name in names)
    assert {lies_in(name)[-1] for name in names} == {
        "Africa", "Asia", "Europe", "Europe and Asia", "North America", "Oceania", "South America"
    }  # fmt: skip


def test_where_masks_overlap_no_year_is_left_that_another_hides() -> None:
    document = Document("d", "on 5 May 2019")
    masks = [TypedMask(3, 13, None, "DATE"), TypedMask(9, 13, None, "DATE")]
    assert [one.replacement for one in make_replacer("generalize")(document, masks)] == ["2010s", "2010s"]
