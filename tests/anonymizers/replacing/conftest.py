"""Texts whose masks stand in them: `[PERSON:Roe] slept`."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from showthrough import Document
from showthrough.data.masks import TypedMask
from showthrough.systems.replacing import Way, make_replacer

TAG = re.compile(r"\[(\w*):([^\]]*)\]")


@pytest.fixture
def replaced() -> Callable[..., list[str | None]]:
    """What is written for each mask of such a text."""

    def written(way: Way, tagged: str, *, backwards: bool = False) -> list[str | None]:
        text, masks, position = "", [], 0
        for tag in TAG.finditer(tagged):
            text += tagged[position : tag.start()]
            masks.append(TypedMask(len(text), len(text) + len(tag[2]), None, tag[1]))
            text, position = text + tag[2], tag.end()
        document = Document("d", text + tagged[position:])
        return [one.replacement for one in make_replacer(way)(document, masks[::-1] if backwards else masks)]

    return written
