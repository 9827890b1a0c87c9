"""Annotators that are programs are known by their names."""

from __future__ import annotations

import pytest

from showthrough.data.silver import is_silver, programs_of, silver_name


@pytest.mark.parametrize("programs", [["rules.v1"], ["a.v1", "b-c.v20"]])
@pytest.mark.parametrize("vote", [1, 2])
def test_a_name_tells_its_programs(programs: list[str], vote: int) -> None:
    name = silver_name(programs, vote)
    assert is_silver(name)
    assert programs_of(name) == tuple(programs)


@pytest.mark.parametrize(
    "name", ["", "gold", "silver2", "silversmith", "Silver(rules.v1)", "silver(rules.v1", "ann(x)"]
)
def test_people_are_not_silver(name: str) -> None:
    assert not is_silver(name)
