"""`showthrough verifier score`: what verifiers' answers are worth, as PAN measures it."""

from __future__ import annotations

import json
from random import Random

import pytest

from .conftest import Desk

TRUTH = "".join(f"p{number} {'YN'[number % 2]}\n" for number in range(60))


def answers(seed: int, skill: float, problems: int = 60) -> str:
    """Of a verifier that leans to the right side, more or less."""
    random = Random(seed)
    lines = []
    for number in range(problems):
        right = random.random() < skill
        value = 0.5 + (0.4 if right == (number % 2 == 0) else -0.4) * random.random()
        lines.append(json.dumps({"id": f"p{number}", "value": value}))
    return "\n".join(lines)


def test_one(desk: Desk) -> None:
    desk.write({"truth.txt": TRUTH, "a.jsonl": answers(1, 0.8, 58) + '\n{"id": "p58", "value": 0.5}\n'})
    found = desk.cli("verifier", "score", "truth.txt", "a.jsonl", "--json", "a.json")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith("60 problems, 30 of them by one author.")
    assert "a has no answer to 1 problem: unanswered, and 0.5 to AUC and Brier" in found.out
    assert "Differences" not in found.out
    assert max(map(len, found.out.splitlines())) <= 100
    told = json.loads((desk.folder / "a.json").read_text())
    (one,) = told["verifiers"]
    assert (one["name"], one["missing"], one["unanswered"]) == ("a", 1, 2)
    for each in one["measures"].values():
        assert 0 <= each["low"] <= each["value"] <= each["high"] <= 1
        assert f"{each['value']:.3f}" in found.out
    assert told["compared"] == []


def test_several_are_compared(desk: Desk) -> None:
    desk.write({"truth.txt": TRUTH, "good.jsonl": answers(1, 0.95), "x/poor.jsonl": answers(2, 0.5)})
    files = ("--json", "a.json", "--html", "a.html", "--markdown", "a.md", "--latex", "a.tex")
    found = desk.cli("verifier", "score", "truth.txt", "good.jsonl", "bad=x/poor.jsonl", "good2=good.jsonl", *files)
    assert (found.status, found.err) == (0, "")
    told = json.loads((desk.folder / "a.json").read_text())
    compared = {(one["metric"], one["first"], one["second"]): one for one in told["compared"]}
    assert len(compared) == 3 * 6
    assert compared["auc", "good", "bad"]["p_holm"] < 0.01
    assert compared["overall", "good", "bad"]["low"] > 0
    assert compared["c@1", "good", "good2"]["difference"] == 0
    assert compared["c@1", "good", "good2"]["p"] == 1
    for name in ("a.md", "a.tex", "a.html"):
        assert "overall" in (desk.folder / name).read_text()


def test_the_same_again(desk: Desk) -> None:
    desk.write({"truth.txt": TRUTH, "a.jsonl": answers(1, 0.8), "b.jsonl": answers(2, 0.7)})
    asked = ("verifier", "score", "truth.txt", "a.jsonl", "b.jsonl", "--resamples", "50")
    assert desk.cli(*asked).out == desk.cli(*asked).out
    assert desk.cli(*asked).out != desk.cli(*asked, "--seed", "7").out
    assert "–" not in desk.cli(*asked[:4], "--resamples", "0").out  # no interval, and nothing that has a reason


def test_problems_of_one_kind(desk: Desk) -> None:
    desk.write({"truth.txt": "a Y\nb Y\nc Y\n", "a.txt": "a 0.7\nb 0.2\nc 0.6\n", "b.txt": "a 0.7\nb 0.2\nc 0.6\n"})
    found = desk.cli("verifier", "score", "truth.txt", "a.txt", "b.txt")
    out = " ".join(found.out.split())
    assert found.status == 0
    assert "– AUC: it needs problems by one author and by two" in out
    assert "– overall: one of the five is undefined" in out
    assert "0.667" in out  # c@1, which is defined


@pytest.mark.parametrize(
    ("arguments", "starts", "lines"),
    [
        (["truth.txt", "strange.txt"], "strange.txt: document x", 2),
        (["truth.txt", "none.txt"], "none.txt: no such file", 1),
        (["none.txt", "a.txt"], "none.txt: no such file", 1),
        (["a.txt", "a.txt"], "a.txt: line ", 2),
        (["truth.txt", "x=a.txt", "x=b.txt"], "answers x: this name is used twice", 1),
        (["truth.txt", "=a.txt"], "answers: found '=a.txt'; expected NAME=FILE", 1),
        (["truth.txt", "a.txt", "--confidence", "2"], "confidence: found 2", 1),
        (["truth.txt", "a.txt", "--resamples", "-1"], "resamples: found -1", 1),
        (["truth.txt", "a.txt", "--json", "a.txt", "--force"], "a.txt: is read by this command", 1),
    ],
)
def test_refused(desk: Desk, arguments: list[str], starts: str, lines: int) -> None:
    desk.write(
        {"truth.txt": "p Y\nq N\n", "a.txt": "p 0.7\nq 0.2\n", "b.txt": "p 0.7\n", "strange.txt": "p 0.7\nx1 0\nx2 1\n"}
    )
    desk.refuses("verifier", "score", *arguments, starts=starts, lines=lines)


def test_all_files_are_told_of(desk: Desk) -> None:
    desk.write({"truth.txt": "p Maybe\n", "a.txt": "p 7\n"})
    desk.refuses(
        "verifier", "score", "truth.txt", "a.txt", starts="", says=("truth.txt: line 1", "a.txt: line 1"), lines=2
    )
