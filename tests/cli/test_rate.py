"""Passages drawn for people, and their ratings beside other metrics."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from showthrough.formats.authorship.rating_folder import RaterAnswer, read_items
from showthrough.studies.rating.server import RatingJournal


@pytest.fixture
def drawn(desk: Any) -> Path:
    """A folder with the one sentence of the desk's document as two systems write it."""
    desk.write({"other.json": {"d1": [[5, 13, None]]}})
    outcome = desk.cli("rate", "sample", "corpus.json", "A=masks.json", "B=other.json", "-o", "ratings")
    assert (outcome.status, outcome.out) == (0, "2 passages of 1 document written to ratings\n")
    assert "fewer than 20: all are taken" in outcome.err
    return Path(desk.folder / "ratings")


def rate(folder: Path, rater: str, **values: int) -> None:
    """As the page does: by anonymization."""
    _, items = read_items(folder)
    journal = RatingJournal(folder, rater, items)
    for item in items.values():
        journal.add(RaterAnswer(item.id, values[item.anonymization]))
    journal.close()


def test_a_sample_is_drawn_and_the_same_again(desk: Any, drawn: Path) -> None:
    _, items = read_items(drawn)
    assert sorted((item.anonymization, item.text) for item in items.values()) == [
        ("A", "😀 Mr PERSON of Oslo left."),
        ("B", "😀 Mr  of Oslo left."),
    ]
    again = desk.cli("rate", "sample", "corpus.json", "B=other.json", "A=masks.json", "-o", "again")
    assert again.status == 0
    for file in ("items.jsonl", "sample.json"):
        assert (desk.folder / "again" / file).read_bytes() == (drawn / file).read_bytes()


def test_ratings_stand_beside_other_metrics(desk: Any, drawn: Path) -> None:
    rate(drawn, "r1", A=2, B=0)
    rate(drawn, "r2", A=1, B=0)
    systems = ("corpus.json", "A=masks.json", "B=other.json")
    outcome = desk.cli("evaluate", *systems, "-m", "er_di", "--ratings", "ratings", "-o", "run.json")
    assert outcome.status == 0
    run = json.loads((desk.folder / "run.json").read_bytes())
    found = {
        (one["anonymization"], one["part"]): one["value"] for one in run["scores"] if one["metric"] == "sensibleness"
    }
    assert (found["A", ""], found["B", ""], found["A", "rater:r2"]) == (1.5, 0.0, 1.0)
    assert {one["text"] for one in run["metrics"]} == {"er_di", "sensibleness"}


def test_ratings_that_do_not_fit_are_refused(desk: Any, drawn: Path) -> None:
    command = ("evaluate", "corpus.json", "A=masks.json", "B=other.json", "-m", "sensibleness")
    desk.refuses(*command, "--ratings", "ratings", starts="ratings: nobody has rated anything yet")
    desk.refuses(*command, starts="ratings: none were given")
    rate(drawn, "r1", A=2, B=0)
    swapped = ("evaluate", "corpus.json", "A=other.json", "B=masks.json", "-m", "sensibleness")
    desk.refuses(
        *swapped, "--ratings", "ratings", starts="ratings: document d1: '", says=("is not in the text of A",), lines=2
    )
    desk.refuses(
        "evaluate", "corpus.json", "A=masks.json", "--ratings", "ratings", starts="ratings: anonymization B: was rated"
    )
    assert (
        desk.cli("evaluate", "corpus.json", "A=masks.json", "--ratings", "A=ratings", "-m", "sensibleness").status == 0
    )


def test_a_folder_that_is_there_is_left_alone(desk: Any, drawn: Path) -> None:
    again = ("rate", "sample", "corpus.json", "A=masks.json", "-o")
    desk.refuses(*again, "ratings", starts="ratings: is not empty; choose another folder")
    desk.refuses(*again, "masks.json", starts="masks.json: is read by this command")
    desk.refuses("rate", "sample", "corpus.json", "-o", "new", starts="anonymizations: none was given")
    desk.refuses("rate", "sample", "corpus.json", "A=none.json", "-o", "new", starts="none.json: no such file")


@pytest.mark.parametrize(
    ("damage", "starts"),
    [
        (lambda folder: (folder / "sample.json").unlink(), "ratings: has no sample.json"),
        (lambda folder: (folder / "sample.json").write_text("{"), "ratings/sample.json: is not valid JSON"),
        (lambda folder: (folder / "items.jsonl").write_text(""), "ratings/items.jsonl: is not as sample.json knows it"),
        (shutil.rmtree, "ratings: has no sample.json"),
    ],
)
def test_a_folder_that_cannot_be_rated_is_told(
    desk: Any, drawn: Path, damage: Callable[[Path], object], starts: str
) -> None:
    damage(drawn)
    desk.refuses("rate", "serve", "ratings", "--rater", "r1", starts=starts)


def test_serving_says_what_it_cannot_do(desk: Any, drawn: Path) -> None:
    desk.refuses("rate", "serve", "ratings", "--rater", "a/b", starts="rater: found 'a/b'; expected letters")
    _, items = read_items(drawn)
    holder = RatingJournal(drawn, "r1", items)
    try:
        desk.refuses("rate", "serve", "ratings", "--rater", "r1", starts="ratings/answers/r1.jsonl: another rate serve")
    finally:
        holder.close()


def test_answers_to_other_passages_are_told(desk: Any, drawn: Path) -> None:
    _, items = read_items(drawn)
    journal = RatingJournal(drawn, "r1", items)
    journal.add(msgspec.structs.replace(RaterAnswer(next(iter(items)), 1), item="99"))
    journal.close()
    desk.refuses(
        "rate", "serve", "ratings", "--rater", "r1", starts="ratings/answers/r1.jsonl: answer 1: is of a passage"
    )
