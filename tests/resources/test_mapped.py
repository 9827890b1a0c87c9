"""Work that resources share out: the same whoever does it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engines.pickling import Pickling
from showthrough.engines.base import Engine, InProcess
from showthrough.models import Resources, resources_of_process
from showthrough.models.settings import ModelSettings


def told(resources: Resources, given: str, item: int) -> tuple[str, int, bool]:
    return given, item, resources is resources_of_process(resources.models)


@pytest.mark.parametrize("engine", [InProcess(), Pickling()])
def test_in_their_order(engine: Engine) -> None:
    found = list(Resources(engine=engine).map_items(told, "all", range(5)))
    assert [(given, item) for given, item, _ in found] == [("all", item) for item in range(5)]


def test_workers_have_models_of_their_own_by_the_same_settings() -> None:
    settings = ModelSettings(device="cpu", cache=False)
    mine = Resources(settings, engine=Pickling())
    assert [there for _, _, there in mine.map_items(told, "", range(3))] == [True] * 3
    assert resources_of_process(settings).models == settings
    assert resources_of_process(settings).engine.workers == 1  # what a worker shares out it does itself


def test_one_item_is_not_sent() -> None:
    engine = Pickling()
    assert [there for _, _, there in Resources(engine=engine).map_items(told, "", [1])] == [False]
    assert engine.tasks == 0
    assert list(Resources(engine=engine).map_items(told, "", [])) == []


def test_items_are_taken_as_they_are_needed() -> None:
    taken = []

    def items() -> Iterator[int]:
        for item in range(100):
            taken.append(item)
            yield item

    found = Resources(engine=Pickling()).map_items(told, "", items())
    assert next(found)[1] == 0
    assert len(taken) < 5
