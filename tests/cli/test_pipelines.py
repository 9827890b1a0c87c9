"""A pipeline is named alike wherever systems are put to work, and one that is not there is told alike."""

from __future__ import annotations

import re
import sys
import zipfile

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
    if names := re.search(r"; installed (?:is|are) (\w+)", line):
        assert f": name {system}:{names[1]} instead" in line  # as a user writes it
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


@pytest.mark.parametrize(
    "metrics",
    [
        ("-m", "recall", "--function-words", "spacy:en_no_such"),
        ("-m", "recall", "-m", 'residual(detector="spacy:en_no_such")'),
        ("-m", "recall", "-m", 'tpi(ic="wordfreq", chunking="spacy:en_no_such")'),
    ],
    ids=["function words", "detector", "chunking"],
)
def test_one_that_a_metric_needs_is_refused_alike(desk: Desk, metrics: tuple[str, ...]) -> None:
    """The same fault has the same status in every command, and nobody waits for it."""
    found = desk.cli("evaluate", "corpus.json", "masks.json", *metrics, "-o", "out.json")
    assert (found.status, found.out) == (2, "")
    assert "the spaCy pipeline 'en_no_such' is not installed: python -m spacy download en_no_such" in found.err
    assert not [path for path in desk.folder.iterdir() if path.name.startswith("out.json")]


@pytest.mark.parametrize(
    ("package", "file", "extra"),
    [("pyarrow", "a.parquet", "parquet"), ("openpyxl", "a.xlsx", "xlsx"), ("zstandard", "a.json.zst", "zst")],
)
@pytest.mark.parametrize("command", ["validate", "corpus", "scan"])
def test_a_missing_extra_is_named_alike(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, command: str, package: str, file: str, extra: str
) -> None:
    for module in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, module, None)  # importing it fails
    with zipfile.ZipFile(desk.folder / file, "w") as packed:  # a sound file is not needed to say what is missing
        packed.writestr("a", "a")
    found = desk.cli(command, file)
    assert found.status == 2
    assert f"pip install 'showthrough[{extra}]'" in found.err


def test_a_missing_one_is_told_before_the_texts_are_read(desk: Desk) -> None:
    assert "is not installed" in desk.cli("scan", "none.json", "--detector", "spacy:en_no_such").err


def test_a_vote_that_cannot_be_is_told_without_loading(desk: Desk) -> None:
    found = desk.cli("annotate", "corpus.json", "--with", "rules", "--vote", "2", "-o", "out.json")
    assert (found.status, "vote" in found.err) == (2, True)
