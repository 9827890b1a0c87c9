"""`showthrough train verifier` and `showthrough verifier answer`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from showthrough.formats.authorship.verifier_answers import read_answers
from verifiers.conftest import problems, write_problems

from .conftest import Desk


@pytest.fixture
def at(desk: Desk) -> Desk:
    """A desk with problems to learn from, others, and what a system made of these."""
    write_problems(problems(), desk.folder / "train")
    others = problems(10, apart=200)
    write_problems(others, desk.folder / "test")
    made = {one.id: one.text.upper() for one in others}
    desk.write({"made.json": made})
    return desk


def trained(desk: Desk) -> None:
    assert desk.cli("train", "verifier", "train", "--folds", "3", "-o", "glad").status == 0


@pytest.mark.parametrize("learner", ["glad", "ngrams", "compression"])
def test_training_tells_how_good_it_is(at: Desk, learner: str) -> None:
    found = at.cli("train", "verifier", "train", "--learner", learner, "--folds", "3", "--band", "0.45-0.55", "-o", "v")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith(f"{learner}: 40 problems, 20 by one author; 40 of them")
    assert "only 40 problems: the figures are uncertain" in found.out
    assert found.out.endswith("written to v\n")
    assert max(map(len, found.out.splitlines())) <= 100
    card = json.loads((at.folder / "v/model.json").read_text())
    assert (card["kind"], card["settings"]["learner"], card["settings"]["band"]) == ("verifier", learner, [0.45, 0.55])
    for what in ("authors", "problems"):
        assert f"{card['figures'][f'held_out_{what}']['auc']:.3f}" in found.out
    assert all(text not in (at.folder / "v/model.json").read_text() for text in ("river", "garden"))


def test_a_verifier_no_better_than_a_coin_is_told(at: Desk) -> None:
    lines = (at.folder / "train/truth.txt").read_text().splitlines()
    turned = [f"{line[:-1]}{'YN'[(number // 2) % 2]}" for number, line in enumerate(lines)]
    (at.folder / "train/truth.txt").write_text("\n".join(turned))
    found = at.cli("train", "verifier", "train", "--folds", "3", "-o", "v")
    assert found.status == 0
    assert "it is little better than a coin" in " ".join(found.out.split())


def test_answers_of_problems(at: Desk) -> None:
    trained(at)
    for name in ("a.txt", "a.jsonl"):
        found = at.cli("verifier", "answer", "test", "--verifier", "glad/", "-o", name)
        assert (found.status, found.err) == (0, "")
        assert found.out.startswith("original: 10 problems, ")
        assert found.out.endswith(f"written to {name}\n")
    first, second = (read_answers(at.folder / name) for name in ("a.txt", "a.jsonl"))
    assert first == second
    assert list(first) == [f"p{number}" for number in range(200, 210)]
    assert at.cli("verifier", "score", "test/truth.txt", "a.txt").status == 0


def test_answers_of_anonymizations(at: Desk) -> None:
    trained(at)
    found = at.cli("verifier", "answer", "test", "A=made.json", "--verifier", "v=glad", "-o", "answers")
    assert found.status == 0, found.err
    assert sorted(path.name for path in (at.folder / "answers").iterdir()) == ["A.txt", "original.txt"]
    before, after = (read_answers(at.folder / f"answers/{name}.txt") for name in ("original", "A"))
    assert before.keys() == after.keys()
    assert before != after
    assert (
        "exists already"
        in at.cli("verifier", "answer", "test", "A=made.json", "--verifier", "glad", "-o", "answers").err
    )


def test_its_own_problems_are_refused(at: Desk) -> None:
    trained(at)
    shutil.copytree(at.folder / "train/p3", at.folder / "test/p3")
    with (at.folder / "test/truth.txt").open("a") as truth:
        truth.write("p3 N\n")
    found = at.cli("verifier", "answer", "test", "--verifier", "glad", "-o", "a.txt")
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("verifier glad: was trained on texts of 1 of these 11 documents: it knows them")
    assert "expected another, or --seen" in found.err
    assert not (at.folder / "a.txt").exists()
    told = at.cli("verifier", "answer", "test", "--verifier", "glad", "-o", "a.txt", "--seen")
    assert told.status == 0
    assert "note: the verifier glad was trained on texts of 1 of these 11 documents: it knows them" in told.err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("train", "verifier", "train", "-o", "v", "--learner", "svm"), "unknown learner 'svm'"),
        (("train", "verifier", "train", "-o", "v", "--band", "0.6-0.7"), "band: found"),
        (
            ("train", "verifier", "train", "-o", "v", "--band", "x"),
            "band: found 'x'; expected two numbers, such as 0.45-0.55",
        ),
        (("train", "verifier", "train", "-o", "v", "--folds", "1"), "folds: found 1; expected 2 or more"),
        (("train", "verifier", "none", "-o", "v"), "none"),
        (("train", "verifier", "corpus.json", "-o", "v"), "corpus.json: no document asks who wrote it"),
        (("train", "verifier", "train", "-o", "train"), "train: is read by this command"),
        (("train", "verifier", "train", "-o", "."), "is a folder with other files in it"),
        (("verifier", "answer", "test", "--verifier", "none", "-o", "a.txt"), "verifier none: is no folder"),
        (
            ("verifier", "answer", "test", "original=made.json", "--verifier", "x", "-o", "a"),
            "anonymization original: this name is that",
        ),
        (("verifier", "answer", "test", "--verifier", "x", "-o", "corpus.json"), "corpus.json: exists already"),
    ],
)
def test_bad_requests(at: Desk, arguments: tuple[str, ...], line: str) -> None:
    found = at.cli(*arguments)
    assert (found.status, found.out) == (2, "")
    assert line in found.err
    assert len(found.err.splitlines()) == 1


def test_problems_without_truth(at: Desk) -> None:
    (at.folder / "train/truth.txt").unlink()
    found = at.cli("train", "verifier", "train", "-o", "v")
    assert found.status == 2
    assert "document p0: of 40 of 40 problems nobody said who wrote them; expected truth.txt with Y or N" in found.err
    assert not Path(at.folder / "v").exists()


def test_without_questions_there_are_no_answers(at: Desk) -> None:
    trained(at)
    found = at.cli("verifier", "answer", "corpus.json", "--verifier", "glad", "-o", "a.txt")
    assert (found.status, found.out) == (2, "")
    assert "corpus.json: no document asks who wrote it" in found.err
