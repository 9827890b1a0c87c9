"""The table of ways in docs/ways.md: every cell is told, as masks and as text alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.data.masks import apply_masks

PAGE = Path(__file__).parents[3] / "docs/ways.md"
MARKED = (("Anna Kowalska", "PERSON"), ("36110/97", "CODE"), ("29 October 1997", "DATETIME"))
# Where nobody reads a way as it is written in the table, the whole table is wrong; these have to be in it.
ASKED = (
    "moved", "reordered", "surname alone", "possessive", "e-mail", "file path", "hashtag", "slug", "misspelt", "stars",
    "initials", "accents", "look-alike", "zero-width", "soft hyphens", "letters apart", "dots between", "line break",
    "underscores", "camel case", "tags", "Markdown", "HTML entities", "URL escapes", "program code", "base64",
    "another script", "separators dropped", "ISO", "in words", "glued to a placeholder",
)  # fmt: skip


def rows(heading: str) -> list[list[str]]:
    """The cells of the table whose head begins with some words."""
    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index(heading) :].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def written(cell: str) -> str:
    """What a cell shows: escapes are the characters that they stand for."""
    return re.sub(
        r"\\(?:u([0-9a-f]{4})|U([0-9a-f]{8})|n)",
        lambda found: chr(int(found[1] or found[2] or "a", 16)),
        cell.strip("`"),
    )


def cells() -> Iterator[tuple[str, str, str, str, str]]:
    for way, *ways, counted in rows("| way | a name | a number |"):
        for (marked, kind), cell in zip(MARKED, ways, strict=True):
            if cell != "–":
                yield way, marked, kind, written(cell), counted.strip("`")


def readable(marked: str, kind: str, masks: list[Mask], text: str) -> list[tuple[float | None, list[str]]]:
    """`removed_di` of masks and of the text that they make, and the parts in which an identifier counts."""
    start = text.index(marked)
    mention = Mention(start, start + len(marked), kind, "DIRECT")
    corpus = Corpus([Document("d", text, (Annotation("ann", (mention,)),))])
    masked = Anonymization({"d": masks}, "masks")
    release = Anonymization.from_texts({"d": apply_masks(text, masks)}, corpus, name="text")
    run = evaluate(corpus, [masked, release], metrics=["removed_di"], references=False, resamples=0)
    found = []
    for name in run.names:
        parts = {part: score.value for part, score in run.parts(name, "removed_di").items()}
        ways = [part for part, value in parts.items() if value and (part.startswith("left:") or part == "nearly")]
        found.append((parts[""], ways))
    return found


def at_the_end(marked: str, kind: str, way: str) -> list[tuple[float | None, list[str]]]:
    """The identifier is masked where it was marked, and something is written at the end of the document."""
    text = f"The applicant, {marked}, was heard in private. Nothing else was found here."
    start, last = text.index(marked), text.index("here.")
    masks = [Mask(start, start + len(marked), "[X]"), Mask(last, len(text), f"here. See {way} there.")]
    return readable(marked, kind, masks, text)


@pytest.mark.parametrize(("way", "marked", "kind", "release", "counted"), list(cells()))
def test_a_way_is_told_as_masks_and_as_text(way: str, marked: str, kind: str, release: str, counted: str) -> None:
    # One entity: removed is 1 where it is only nearly readable, 0 where a part counts it.
    expected = (1.0 if counted == "nearly" else 0.0, [counted])
    assert at_the_end(marked, kind, release) == [expected, expected]


@pytest.mark.parametrize(("way", "marked", "kind", "release", "counted"), list(cells()))
def test_a_way_is_told_where_it_was_marked(way: str, marked: str, kind: str, release: str, counted: str) -> None:
    """In place of the identifier itself; what is kept of it may count as left where it was marked."""
    text = f"The applicant, {marked}, was heard in private. Nothing else was found here."
    start = text.index(marked)
    for value, ways in readable(marked, kind, [Mask(start, start + len(marked), release)], text):
        assert value == 0.0 or (counted == "nearly" and ways == ["nearly"])


@pytest.mark.parametrize(("marked", "kind"), MARKED)
def test_replaced_by_itself(marked: str, kind: str) -> None:
    text = f"The applicant, {marked}, was heard in private."
    start = text.index(marked)
    masks = [Mask(start, start + len(marked), marked)]
    assert readable(marked, kind, masks, text) == [(0.0, ["left:marked"])] * 2


def test_accents_lost() -> None:
    assert at_the_end("Jürgen Kühnel", "PERSON", "Jurgen Kuhnel") == [(0.0, ["left:otherwise"])] * 2
    assert at_the_end("Jürgen Kühnel", "PERSON", "Kuehnel") == [(1.0, ["nearly"])] * 2


@pytest.mark.parametrize(("way", "release"), [row for row in rows("| way | a name |\n") if row[1] != "–"])
def test_what_is_not_told(way: str, release: str) -> None:
    """The page says so, and a program that tells one of these should change it."""
    assert at_the_end("Katarzyna Kowalska", "PERSON", written(release)) == [(1.0, [])] * 2


def test_the_table_has_every_way() -> None:
    named = " ".join(row[0] for row in rows("| way | a name | a number |"))
    assert [way for way in ASKED if way not in named] == []
