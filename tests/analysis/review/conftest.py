"""Folders that come back filled in."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, review_copies
from showthrough.studies.review._columns import CONFIRMED, DOCUMENT, FINDINGS, REVIEWER, STILL_TOLD

Fill = Callable[..., Path]


def filled_in(
    corpus: Corpus,
    folder: Path,
    *findings: dict[str, str],
    annotator: str | None = None,
    answers: Iterable[tuple[str, str]] | None = None,
    separator: str = ",",
    **how: Any,
) -> Path:
    """A review folder with answers, (told, confirmed) for each document, and findings; as a spreadsheet saves them."""
    made = review_copies(corpus, annotator, **how)
    made.write(folder)
    rows = list(csv.DictReader(io.StringIO((folder / "sheet.csv").read_bytes().decode("utf-8-sig"), newline="")))
    given = [("no", "yes")] * len(rows) if answers is None else list(answers)
    for row, (told, confirmed) in zip(rows, given, strict=True):
        row |= {REVIEWER: "RR", STILL_TOLD: told, CONFIRMED: confirmed}
    save(folder / "sheet.csv", list(rows[0]), rows, separator)
    first = rows[0][DOCUMENT]
    save(folder / "findings.csv", list(FINDINGS), [{DOCUMENT: first} | one for one in findings], separator)
    return folder


def save(path: Path, header: list[str], rows: Iterable[dict[str, str]], separator: str = ",") -> None:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, header, delimiter=separator, restval="")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(out.getvalue().encode("utf-8-sig"))


@pytest.fixture
def fill(tmp_path: Path) -> Fill:
    def made(corpus: Corpus, *findings: dict[str, str], name: str = "review", **how: Any) -> Path:
        return filled_in(corpus, tmp_path / name, *findings, **how)

    return made
