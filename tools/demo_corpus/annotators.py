"""Three annotators who read the same documents and do not quite agree.

`annotator1` marks what the composition marked. `annotator2` thinks that professions and oddities identify and
that a bare year often does not, leaves titles and quotation marks outside, and sometimes marks only the place in
the name of an organisation. `annotator3` thinks that dates do not identify, takes articles into the names of
organisations, and is sometimes tired.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from demo_corpus.compose import Mark
from demo_corpus.lexicon import TOWNS
from demo_corpus.write import Written
from showthrough.data.documents import Annotation, Mention

_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Judge) ")


def annotate(rng: random.Random, written: Written, annotators: tuple[str, ...]) -> tuple[Annotation, ...]:
    """The marks of these annotators on one document."""
    return tuple(_annotation(written, name, _READERS[name](rng, written)) for name in annotators)


def panel(number: int) -> tuple[str, ...]:
    """Who reads the document of this number within its genre: everything is read once, some of it again."""
    if number == 3:
        return ("annotator1", "annotator2", "annotator3")
    if number in {1, 5, 8}:
        return ("annotator1", "annotator2")
    if number in {10, 12}:
        return ("annotator1", "annotator3")
    return ("annotator1",)


def _annotation(written: Written, annotator: str, marks: list[Mark]) -> Annotation:
    short = f"{written.person.id}_{annotator.replace('annotator', 'a')}"
    entities: dict[str, str] = {}
    mentions = []
    for mark in sorted(marks, key=lambda mark: mark.start):
        entity = entities.setdefault(mark.entity, f"{short}_e{len(entities) + 1}")
        mentions.append(Mention(mark.start, mark.end, mark.entity_type, mark.identifier, entity, mark.confidential))
    return Annotation(annotator, tuple(mentions))


def _first(rng: random.Random, written: Written) -> list[Mark]:
    return list(written.marks)


def _second(rng: random.Random, written: Written) -> list[Mark]:
    marks = []
    for mark in written.marks:
        if rng.random() < 0.03:
            continue
        mark = _trimmed(rng, written.text, mark)
        telling = mark.entity_type in {"DEM", "LOC"} or rng.random() < 0.5
        lenient = mark.entity_type == "CODE" and rng.random() < 0.3
        if (mark.identifier == "NO_MASK" and telling) or (mark.identifier == "DIRECT" and lenient):
            mark = replace(mark, identifier="QUASI")
        elif written.text[mark.start : mark.end].isdigit() and mark.identifier == "QUASI" and rng.random() < 0.4:
            mark = replace(mark, identifier="NO_MASK")
        marks.append(mark)
    return marks


def _trimmed(rng: random.Random, text: str, mark: Mark) -> Mark:
    words = text[mark.start : mark.end]
    if mark.entity_type == "PERSON" and (title := _TITLE.match(words)):
        return replace(mark, start=mark.start + title.end())
    if words.startswith("“"):
        return replace(mark, start=mark.start + 1, end=mark.end - 1)
    if mark.entity_type == "ORG" and rng.random() < 0.3:
        place = next((town.name for town in TOWNS if words.startswith(f"{town.name} ")), words)
        return replace(mark, end=mark.start + len(place))
    return mark


def _third(rng: random.Random, written: Written) -> list[Mark]:
    marks = []
    for mark in written.marks:
        if rng.random() < 0.06 or (mark.identifier == "NO_MASK" and rng.random() < 0.4):
            continue
        if mark.entity_type == "ORG" and written.text[: mark.start].endswith("the "):
            mark = replace(mark, start=mark.start - len("the "))
        harmless = mark.entity_type in {"DATETIME", "QUANTITY", "DEM"} or rng.random() < 0.05
        if mark.identifier == "QUASI" and harmless and mark.entity != "born":
            mark = replace(mark, identifier="NO_MASK")
        elif mark.entity_type == "PERSON" and mark.identifier == "QUASI" and rng.random() < 0.1:
            mark = replace(mark, identifier="DIRECT")
        marks.append(mark)
    return marks


_READERS: dict[str, Callable[[random.Random, Written], list[Mark]]] = {
    "annotator1": _first,
    "annotator2": _second,
    "annotator3": _third,
}
