"""`evaluate` with answers of verifiers: from the command line and a plan, what is refused, what is never replaced."""

from __future__ import annotations

import json

import pytest

from .conftest import Desk

ASKED = ("evaluate", "c.jsonl", "A=m.json", "-m", 'safety(verifier="answers")', "--resamples", "20")
ANSWERS = ("--answers", "original=o.txt", "--answers", "A=a.txt")


@pytest.fixture
def asking(desk: Desk) -> Desk:
    """Four problems, two by one author; before masking all answers are right, after it the first two are wrong."""
    documents = [
        {
            "doc_id": f"d{n}",
            "text": f"Text {n} of somebody.",
            "authorship": {"known": [f"Known {n} text."], "same": n % 2 == 0},
        }
        for n in range(4)
    ]
    desk.write(
        {
            "c.jsonl": "\n".join(map(json.dumps, documents)),
            "m.json": {f"d{n}": [[0, 4]] for n in range(4)},
            "o.txt": "d0 0.9\nd1 0.1\nd2 0.8\nd3 0.2\n",
            "a.txt": "d0 0.3\nd1 0.7\nd2 0.8\nd3 0.2\n",
        }
    )
    return desk


def test_from_the_command_line(asking: Desk) -> None:
    found = asking.cli(*ASKED, *ANSWERS, "-o", "run.json")
    assert found.status == 0, found.err
    run = json.loads((asking.folder / "run.json").read_text())
    scores = {one["part"]: one["value"] for one in run["scores"] if one["anonymization"] == "A"}
    assert (scores[""], scores["before:answers"], scores["lost:answers"]) == (0.5, 1.0, 0.5)


def test_from_a_plan_in_another_folder(asking: Desk) -> None:
    plan = [
        'corpus = "../c.jsonl"', "metrics = ['safety(verifier=\"mine\")']", "resamples = 20", 'output = "run.json"',
        'answers = ["mine:original=../o.txt", "mine:A=../a.txt"]', "[anonymizations]", 'A = "../m.json"',
    ]  # fmt: skip
    asking.write({"plans/plan.toml": "\n".join(plan)})
    assert asking.cli("validate", "plans/plan.toml").status == 0
    found = asking.cli("evaluate", "plans/plan.toml")
    assert found.status == 0, found.err
    assert "0.500" in found.out


@pytest.mark.parametrize(
    ("more", "starts"),
    [
        (
            ("--answers", "original=o.txt"),
            "verifier answers: has no answers about A; expected --answers A=FILE as well",
        ),
        ((*ANSWERS, "--answers", "B=a.txt"), "a.txt: answers B: is no anonymization; expected some of original, A"),
        (
            (*ANSWERS, "--answers", "x:A=a.txt", "--answers", "x:original=o.txt"),
            "verifier x: was given, but no metric needs",
        ),
        ((*ANSWERS, "--verifier", "none/"), "none: is no folder"),
        ((*ANSWERS, "--answers", "A=o.txt"), "answers A: were given twice"),
        ((), "metric safety(verifier=\"answers\"): asks for the verifier 'answers'; expected some of adaptive"),
        ((*ANSWERS, "-o", "a.txt", "--force"), "a.txt: is read by this command"),
        ((*ANSWERS, "--html", "o.txt", "--force"), "o.txt: is read by this command"),
    ],
)
def test_refused(asking: Desk, more: tuple[str, ...], starts: str) -> None:
    asking.refuses(*ASKED, *more, starts=starts)


@pytest.mark.parametrize("command", ["files", "systems", "plan"])
def test_without_wordnet_nothing_is_begun(asking: Desk, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """One line, exit status 2, before the corpus is read: here it could not be."""
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [str(asking.folder)])
    asking.write(
        {"c.jsonl": "no corpus", "plan.toml": 'corpus = "c.jsonl"\npreset = "pan"\n[anonymizations]\nA = "m.json"'}
    )
    asked = ["evaluate", "plan.toml"] if command == "plan" else ["evaluate", "c.jsonl", "A=m.json", "--preset", "pan"]
    asked += ["--with", "rules"] if command == "systems" else []
    remedy = "python -m nltk.downloader wordnet, or set NLTK_DATA to the folder that has corpora/wordnet.zip"
    asking.refuses(*asked, starts="metric soundness: WordNet is not on this machine", says=(remedy,))
