"""`showthrough surrogate`: records that can be shown around."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import showthrough.cli.surrogate
from showthrough import Corpus, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.systems.surrogates.replacement import Leak, Surrogates

Cli = Callable[..., Any]
RECORDS = (
    '<ROOT><RECORD ID="1"><TEXT>Mr. <PHI TYPE="PATIENT">Sloan</PHI> came on <PHI TYPE="DATE">10/29/1997</PHI>. '
    "Sloan slept.</TEXT></RECORD></ROOT>"
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.xml"
    path.write_text(RECORDS)
    return path


def test_a_corpus_comes_out_in_its_format(cli: Cli, gold: Path, tmp_path: Path) -> None:
    found = cli("apply", "--replace", "surrogate", gold, "-o", tmp_path / "out.xml", "--seed", 7, "--ambiguous", 0.15)
    assert (found.status, found.err) == (0, "")
    assert "1 documents written to" in found.out
    assert "1 unmarked repeats of marked text were replaced too. Audit clean" in found.out
    content = (tmp_path / "out.xml").read_text()
    assert "<RECORD ID=" in content  # i2b2 2006, as it came
    assert "Sloan" not in content
    (record,) = read_corpus(tmp_path / "out.xml")
    assert [one.entity_type for one in record.annotations[0].mentions] == ["PATIENT", "DATE"]
    again = cli("apply", "--replace", "surrogate", gold, "-o", tmp_path / "again.xml", "--seed", 7, "--ambiguous", 0.15)
    assert again.status == 0
    assert (tmp_path / "again.xml").read_bytes() == (tmp_path / "out.xml").read_bytes()


def test_another_format_and_types_that_stay(cli: Cli, gold: Path, tmp_path: Path) -> None:
    found = cli("apply", "--replace", "surrogate", gold, "-o", tmp_path / "out", "--to", "brat", "--keep", "DATE")
    assert found.status == 0
    assert "10/29/1997" in (tmp_path / "out/1.txt").read_text()


def test_the_demonstration_corpus(cli: Cli, tmp_path: Path) -> None:
    found = cli("apply", "--replace", "surrogate", demo.corpus_path(), "-o", tmp_path / "out.json")
    assert found.status == 0
    assert len(read_corpus(tmp_path / "out.json")) == len(read_corpus(demo.corpus_path()))


def test_nothing_is_written_when_the_audit_fails(
    cli: Cli, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(corpus: Corpus, **_: object) -> Surrogates:
        return Surrogates(corpus, 0, (Leak("1", "Sloan", 4, 9),))

    monkeypatch.setattr(showthrough.cli.surrogate, "surrogates", careless)
    found = cli("apply", "--replace", "surrogate", gold, "-o", tmp_path / "out.xml")
    assert found.status == 1
    assert "document 1: 'Sloan' at 4–9 was marked in the original" in found.err
    assert "nothing was written" in found.err
    assert not (tmp_path / "out.xml").exists()


def dated(path: Path, *texts: str) -> Path:
    """Records with dates of which `<10/29>` is marked."""
    marks = [re.sub("<([^>]*)>", r'<PHI TYPE="DATE">\1</PHI>', text) for text in texts]
    records = (f'<RECORD ID="{number}"><TEXT>{text}</TEXT></RECORD>' for number, text in enumerate(marks, 1))
    path.write_text(f"<ROOT>{''.join(records)}</ROOT>")
    return path


def test_dates_that_cannot_move_are_not_written(cli: Cli, tmp_path: Path) -> None:
    gold = dated(tmp_path / "gold.xml", "In 2004: <01/01> to <12/31>.")
    found = cli("apply", "--replace", "surrogate", gold, "-o", tmp_path / "out.xml")
    assert found.status == 1
    assert "document 1: '01/01' at 9–14 was marked in the original" in found.err
    assert "2 marked dates cannot move" in found.err
    assert not (tmp_path / "out.xml").exists()


def test_what_can_be_guessed_is_said(cli: Cli, tmp_path: Path) -> None:
    gold = dated(
        tmp_path / "gold.xml", "From <01/04>/2004 to <12/30>/2004.", "On <10/29>/2004; born <1950>; 11/03/2004."
    )
    found = cli("apply", "--replace", "surrogate", gold, "-o", tmp_path / "out.xml")
    assert found.status == 0
    assert "note: dates of 1 document moved by fewer than 30 days" in found.err
    assert "note: 1 marked years stay as they are" in found.err
    assert "(2: 1950)" in found.err
    assert "1 unmarked dates or years moved along with marked ones" in found.out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--seed", "-1"], "seed: found -1; expected 0 or more"),
        (["--ambiguous", "2"], "ambiguous: found 2; expected a share between 0 and 1"),
        (["--out-of-vocabulary", "2"], "out-of-vocabulary: found 2; expected a share between 0 and 1"),
        (["--dictionary", "words.txt"], "dictionary: is for names out of vocabulary"),
        (["--keep", "NOPE"], "keep NOPE: is not a type of the corpus, which has DATE, PATIENT"),
        (["--to", "i2b2"], "format i2b2: cannot be written"),
    ],
)
def test_what_cannot_be(cli: Cli, gold: Path, tmp_path: Path, arguments: list[str], expected: str) -> None:
    found = cli("apply", "--replace", "surrogate", gold, "-o", tmp_path / "out", *arguments)
    assert found.status == 2
    assert expected in found.err


def test_a_corpus_without_marks(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "texts.json").write_text('{"a": "text"}')
    found = cli("apply", "--replace", "surrogate", tmp_path / "texts.json", "-o", tmp_path / "out.json")
    assert found.status == 2
    assert "has no annotations" in found.err
