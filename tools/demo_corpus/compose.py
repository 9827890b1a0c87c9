"""Writing text from templates while keeping the marks, so that offsets are right by construction.

A story file holds passages under headings `== topic / slot`; a blank line ends a passage, a line with `~` before
it says the same in other words (for the background), `#` begins a comment, `¶` is a line break. In a passage:

    {key}  {key.form}          a fact about the person, in one of its forms; it leaves a mark
    {he} {his} {kinship}       plain words; they leave none
    [words|TYPE]               a mark on the spot, QUASI
    [words|TYPE-/HEALTH]       the same: `-` makes it NO_MASK, what follows `/` is its confidential status
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TypeVar

from showthrough.data.documents import Identifier

Item = TypeVar("Item")

_TOKEN = re.compile(
    r"\{(?P<key>\w+)(?:\.(?P<form>[\w.]+))?\}"
    r"|\[(?P<words>[^|\]]+)\|(?P<kind>[A-Z]+)(?P<open>-?)(?:/(?P<status>[A-Z]+))?\]"
)
_PLAIN_WORD = re.compile(r"\{(\w+)\}")
_HEADING = re.compile(r"== (\w+) / (\w+)")
_ARTICLE = re.compile(r"(?:^|[\s(“])[Aa] $")

PLAIN = "NOT_CONFIDENTIAL"


@dataclass(frozen=True)
class Fact:
    """Something true of a person, with the forms in which a text may say it. The form `""` is the usual one."""

    entity_type: str
    forms: Mapping[str, str]
    identifier: Identifier = "QUASI"
    confidential: str = PLAIN

    def form(self, name: str) -> str:
        return self.forms[name]


Facts = Mapping[str, Fact | str]


@dataclass(frozen=True)
class Mark:
    """Where a fact stands in a text. `entity` is the fact's key, or the words themselves for a mark on the spot."""

    start: int
    end: int
    entity: str
    form: str
    entity_type: str
    identifier: Identifier
    confidential: str


@dataclass(frozen=True)
class Passage:
    """A template, and the same said in other words where the background needs it."""

    text: str
    echo: str = ""


Stories = Mapping[tuple[str, str], tuple[Passage, ...]]


def read_stories(name: str) -> Stories:
    """The passages of one story file by topic and slot."""
    text = (files(__package__) / "stories" / f"{name}.txt").read_text(encoding="utf-8")
    stories: dict[tuple[str, str], tuple[Passage, ...]] = {}
    place = ("", "")
    for block in re.split(r"\n{2,}", text.strip()):
        if heading := _HEADING.fullmatch(block):
            place = (heading[1], heading[2])
            stories[place] = ()
        elif not block.startswith("#"):
            said, _, echo = block.partition("\n~ ")
            stories[place] += (Passage(_unwrapped(said), _unwrapped(echo)),)
    return stories


def _unwrapped(block: str) -> str:
    return re.sub(r" *¶", "\n", block.replace("\n", " ")).replace("\n ", "\n")


@dataclass
class Draft:
    """A text that grows, and the marks in it."""

    facts: Facts
    text: str = ""
    marks: list[Mark] = field(default_factory=list)

    def write(self, template: str) -> None:
        position = 0
        for token in _TOKEN.finditer(template):
            self.text += template[position : token.start()]
            position = token.end()
            if token["key"]:
                self._state(token["key"], token["form"] or "")
            else:
                words = _PLAIN_WORD.sub(self._plain, token["words"])
                identifier: Identifier = "NO_MASK" if token["open"] else "QUASI"
                fact = Fact(token["kind"], {"": words}, identifier, token["status"] or PLAIN)
                self._mark(words, words, "", fact)
        self.text += template[position:]

    def _plain(self, token: re.Match[str]) -> str:
        fact = self.facts[token[1]]
        if isinstance(fact, Fact):
            raise ValueError(f"{{{token[1]}}} leaves a mark and cannot stand inside another mark")
        return fact

    def _state(self, key: str, form: str) -> None:
        fact = self.facts[key]
        if isinstance(fact, str):
            self.text += fact
        else:
            self._mark(fact.form(form), key, form, fact)

    def _mark(self, words: str, entity: str, form: str, fact: Fact) -> None:
        if words[0].lower() in "aeiou" and _ARTICLE.search(self.text):
            self.text = f"{self.text[:-1]}n "
        start = len(self.text)
        self.text += words
        self.marks.append(
            Mark(start, len(self.text), entity, form, fact.entity_type, fact.identifier, fact.confidential)
        )


def deal(rng: random.Random, items: Sequence[Item], count: int) -> list[Item]:
    """So many items in random order, none of them twice before all have been out once."""
    dealt: list[Item] = []
    while len(dealt) < count:
        deck = list(items)
        rng.shuffle(deck)
        dealt += deck
    return dealt[:count]
