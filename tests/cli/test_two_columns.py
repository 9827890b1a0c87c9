"""`showthrough evaluate` of a table with released texts beside the originals, before anybody has named the columns."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
ROWS = [
    {"note_id": 7, "before": "Mr John Doe of Oslo left.", "after": "Mr X of Y left."},
    {"note_id": 8, "before": "Ann Lee came.", "after": "P came."},
]


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(name: str, rows: list[dict[str, Any]]) -> str:
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    Path(name).write_text("\n".join(lines) + "\n")
    return name


def suggested(cli: Cli, *arguments: str) -> str:
    """The command that the one line of an error ends with, which works as it stands."""
    outcome = cli("evaluate", *arguments)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    command = outcome.err.rstrip("\n").partition("name them: ")[2]
    assert cli(*shlex.split(command)[1:], "-m", "residual", "--resamples", "0").status == 0
    return command


def test_the_line_names_columns_options_and_the_whole_command(cli: Cli) -> None:
    name = table("before_after.csv", ROWS)
    found = cli("evaluate", name).err
    assert found == (
        "before_after.csv: no anonymization and no column of released texts was named; it has the columns note_id, "
        "before, after. If originals and released texts are side by side, name them: showthrough evaluate "
        "before_after.csv --id-column note_id --original before --released after\n"
    )
    suggested(cli, name)


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        ([{"id": 1, "text": "Ann Lee came.", "anonymized": "P came."}], "--original text --released anonymized"),
        ([{"id": 1, "masked": "P came to us.", "note": "Ann Lee came."}], "--original note --released masked"),
        (
            [{"day": "3 May", "the text": "Ann Lee came today.", "release 2": "P came to day."}],
            "--original 'the text' --released 'release 2'",
        ),
    ],
)
def test_which_column_is_which(cli: Cli, rows: list[dict[str, Any]], options: str) -> None:
    assert suggested(cli, table("t.csv", rows)) == f"showthrough evaluate t.csv {options}"


def test_json_records_have_keys_instead(cli: Cli) -> None:
    for name, content in (("r.jsonl", "\n".join(map(json.dumps, ROWS))), ("r.json", json.dumps(ROWS))):
        Path(name).write_text(content)
        expected = f"showthrough evaluate {name} --id-column note_id --original before --released after"
        assert suggested(cli, name) == expected


def test_what_was_named_stays(cli: Cli) -> None:
    name = table("t.csv", ROWS)
    assert suggested(cli, name, "--original", "after").endswith("--original after --released before")
    assert suggested(cli, name, "--released", "before").endswith("--original after --released before")
    assert suggested(cli, name, "--id-column", "note_id").count("--id-column note_id") == 1


def test_one_column_of_texts_is_a_corpus_without_anonymizations(cli: Cli) -> None:
    found = cli("evaluate", table("t.csv", [{"id": 1, "text": "Ann Lee came."}]))
    assert found.status == 2
    assert found.err.startswith("anonymizations: none was given; expected at least one: NAME=FILE, or --with SYSTEM; ")
    assert "showthrough scan" in found.err


def test_validate_names_the_options_of_a_table_with_both(cli: Cli) -> None:
    found = cli("validate", table("t.csv", [{"id": 1, "before": "Ann Lee came.", "after": "P came."}]))
    assert found.status == 2
    assert "--text-column" in found.err
    assert "a table with originals and releases needs --original and --released" in found.err
