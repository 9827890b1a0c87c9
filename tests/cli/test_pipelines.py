"""A pipeline is named alike wherever systems are put to work, and one that is not there is told alike."""

from __future__ import annotations

import pytest

from .conftest import Desk

COMMANDS = (
    ("anonymize", "corpus.json", "-o", "out.json", "--with"),
    ("annotate", "corpus.json", "-o", "out.json", "--with"),
    ("scan", "corpus.json", "--json", "out.json", "--detector"),
    ("evaluate", "corpus.json", "-o", "out.json", "--with"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("system", ["spacy", "presidio"])
@pytest.mark.parametrize("form", ["{}:en_no_such", "{}(model=en_no_such)", "{}(model='en_no_such')"])
def test_one_that_is_not_installed(desk: Desk, command: tuple[str, ...], system: str, form: str) -> None:
    found = desk.cli(*command, form.format(system))
    assert (found.status, found.out) == (2, "")
    what, remedy = "the spaCy pipeline 'en_no_such' is not installed", "python -m spacy download en_no_such"
    (line,) = found.err.splitlines()
    assert f": {what}: {remedy}" in line
    assert line.startswith("detector " if command[0] == "scan" else "anonymizer ")
    assert not (desk.folder / "out.json").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("spacy:", "spacy: found nothing after spacy:; expected the model"),
        ("spacy:a(model=b)", "spacy: model: is there twice, after spacy: and in brackets"),
        ("spacy:a(colour=b)", "spacy: colour: unknown parameter; expected one of model"),
        ("spacy(", "found 'spacy("),
    ],
)
def test_one_that_is_no_name(desk: Desk, command: tuple[str, ...], system: str, line: str) -> None:
    found = desk.cli(*command, system)
    assert found.status == 2
    assert line in found.err or (system == "spacy(" and "unknown" in found.err)


def test_a_missing_one_is_told_before_the_texts_are_read(desk: Desk) -> None:
    assert "is not installed" in desk.cli("scan", "none.json", "--detector", "spacy:en_no_such").err


def test_a_vote_that_cannot_be_is_told_without_loading(desk: Desk) -> None:
    found = desk.cli("annotate", "corpus.json", "--with", "rules", "--vote", "2", "-o", "out.json")
    assert (found.status, "vote" in found.err) == (2, True)
