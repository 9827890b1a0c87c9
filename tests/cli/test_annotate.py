"""`showthrough annotate`: silver annotations, and that every number made with them says so."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from showthrough import ANONYMIZERS, Document, Mask, Run, read_corpus

from .conftest import Desk

TEXT = "Dr Ona Rask left Oslo on 3 May 2011."


class Place:
    """Finds Oslo."""

    name, version = "places", 2

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        starts = [one.text.find("Oslo") for one in documents]
        return [[Mask(start, start + 4, "LOC")] if start >= 0 else [] for start in starts]


@pytest.fixture
def made(desk: Desk) -> Iterator[Desk]:
    ANONYMIZERS.register("places", Place)
    desk.write({"texts.json": {"d1": TEXT}})
    yield desk
    del ANONYMIZERS["places"]


def mentions(path: str) -> list[tuple[str, str]]:
    [document] = read_corpus(path)
    [layer] = document.annotations
    return [(document.text[one.start : one.end], one.entity_type) for one in layer.mentions]


def test_union_and_vote(made: Desk) -> None:
    found = made.cli("annotate", "texts.json", "--with", "rules", "--with", "places", "-o", "silver.json")
    by = "silver(rules.v1+places.v2)"
    assert (found.status, found.err) == (0, "")
    assert found.out == f"3 mentions by {by} in 1 document written to silver.json\n"
    assert mentions("silver.json") == [("Dr Ona Rask", "PERSON"), ("Oslo", "LOC"), ("3 May 2011", "DATETIME")]
    [record] = json.loads((made.folder / "silver.json").read_text())
    assert list(record["annotations"]) == [by]
    assert all("identifier_type" not in mark for mark in record["annotations"][by]["entity_mentions"])
    assert stat.S_IMODE((made.folder / "silver.json").stat().st_mode) == 0o600
    found = made.cli("annotate", "texts.json", "--with", "rules", "--with", "places", "--vote", 2, "-o", "both.json")
    assert found.out == "0 mentions by silver(2 of rules.v1+places.v2) in 1 document written to both.json\n"


def test_own_layers_go_and_are_told_unless_they_are_kept(made: Desk) -> None:
    found = made.cli("annotate", "corpus.json", "--with", "places", "-o", "silver.json")
    assert (
        found.err == "note: left out: 1 annotation layer of the corpus with 2 mentions; --keep-annotations keeps them\n"
    )
    found = made.cli("annotate", "corpus.json", "--with", "places", "--keep-annotations", "-o", "both.json")
    assert found.err == ""
    [document] = read_corpus("both.json")
    assert [layer.annotator for layer in document.annotations] == ["ann", "silver(places.v2)"]


@pytest.mark.parametrize("to", ["tab", "brat", "conll", "i2b2-2014"])
def test_numbers_say_that_programs_marked(made: Desk, to: str) -> None:
    assert made.cli("annotate", "texts.json", "--with", "rules", "--to", to, "-o", "silver").status == 0
    assert made.cli("anonymize", "texts.json", "--with", "rules", "-o", "masks-of-rules.json").status == 0
    said = (
        "the annotations were made by programs (rules.v1): scores show agreement with them, not what identifies people"
    )
    arguments: list[Any] = ["silver", "rules=masks-of-rules.json", "--format", to]
    assert (
        f"note: {said}. rules is one of them, or of their family, and is scored against itself\n"
        in made.cli("validate", *arguments).err
    )
    found = made.cli("evaluate", *arguments, "-m", "recall", "-o", "run.json", "--html", "run.html", "--signatures")
    assert found.status == 0
    assert said in found.err
    assert "|gold:silver(rules.v1)|" in found.out
    run = Run.load("run.json")
    assert "|gold:silver(rules.v1)|" in run["rules", "recall"].signature
    assert said in (made.folder / "run.html").read_text()


def test_what_a_format_does_not_hold_is_told(made: Desk) -> None:
    found = made.cli("annotate", "texts.json", "--with", "rules", "--to", "masks", "-o", "silver.json")
    assert "note: not kept in masks: that programs made the annotations (silver(rules.v1)), the text of 1" in found.err


def test_what_cannot_be(made: Desk) -> None:
    made.refuses("annotate", "texts.json", "--with", "nobody", "-o", "x.json", starts="unknown anonymizer 'nobody'")
    made.refuses("annotate", "texts.json", "--with", "rules", "--vote", "2", "-o", "x.json", starts="vote: found 2")
    made.refuses(
        "annotate", "texts.json", "--with", "rules", "--to", "i2b2", "-o", "x", starts="format i2b2: cannot be"
    )
    made.refuses("annotate", "texts.json", "--with", "rules", "-o", "texts.json", starts="texts.json: is read by this")
    made.refuses("annotate", "texts.json", "--with", "rules", "-o", "masks.json", starts="masks.json: exists already")


def test_what_takes_a_while_to_load_is_told(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of rules, which load nothing."""
    assert "loading" not in made.cli("anonymize", "texts.json", "--with", "rules", "-o", "a.json", "--no-cache").err
    monkeypatch.setattr("showthrough.systems.rules.Rules.prepare", lambda self: None, raising=False)
    told = made.cli("anonymize", "texts.json", "--with", "mine=rules", "-o", "b.json", "--no-cache")
    assert (told.status, told.err.splitlines()[0]) == (0, "loading mine")
