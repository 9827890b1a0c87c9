"""`stress`: perturbed corpora written and read back, what is shown and written, the gate, and bad requests."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import read_corpus
from showthrough.studies.stress.perturbations import PERTURBATIONS

Cli = Callable[..., Any]
NAMES = ("Rask", "Holm", "Vidal", "Brandt", "Silva", "Novak", "Okoye", "Ferro", "Lindt", "Maier", "Duval", "Sorin")
PLACES = ("Oslo", "Rome", "Lyon", "Graz", "Kiel", "Bonn", "Metz", "Bari", "Cork", "Pisa", "Brno", "Linz")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """24 documents, each with a name that `rules` finds by its title."""
    monkeypatch.chdir(tmp_path)
    cases = []
    for number in range(24):
        name = f"{NAMES[number % 12]}{NAMES[number * 7 % 12].lower()}"
        where = f"In {PLACES[number * 5 % 12]} thing {number * 31} was {PLACES[number // 2]}ish"
        text = f"{where}. Mr {name} left it {number}."
        start = text.index(name)
        mention = {"start_offset": start, "end_offset": start + len(name), "entity_type": "PERSON"}
        mentions = [{**mention, "identifier_type": "DIRECT"}]
        cases.append({"doc_id": f"d{number}", "text": text, "annotations": {"ann": {"entity_mentions": mentions}}})
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps(cases))
    return path


def test_systems_are_put_to_work_on_perturbed_corpora(cli: Cli, corpus: Path) -> None:
    call = ("stress", corpus, "--with", "rules", "--perturb", "lowercase", "--perturb", "typos(rate=0.5)", "--seed", 1)
    found = cli(*call, "--resamples", 100, "-o", "s.json", "--html", "s.html", "--markdown", "s.md")
    assert found.status == 0
    assert "rules loses most after lowercase: removed_di changes by -1.000" in found.out
    assert "falls: removed_di" in found.out
    content = json.loads(Path("s.json").read_text())
    assert (content["seed"], content["systems"], content["units"]) == (1, ["rules"], 24)
    assert [one["name"] for one in content["perturbations"]] == ["lowercase", "typos(rate=0.5)"]
    assert "What the perturbations did" in Path("s.md").read_text()
    assert "identifiers removed, by entity type" in Path("s.html").read_text()
    assert stat.S_IMODE(Path("s.html").stat().st_mode) == 0o600  # it quotes marks
    again = cli(*call, "--resamples", 100, "-o", "t.json", "--without-text")
    assert again.status == 0
    assert "Documents that broke worst" in again.out
    assert "left out, since they quote documents: What is exposed in them" in again.out
    assert Path("s.json").read_text() != Path("t.json").read_text()
    assert "rask" in Path("s.json").read_text()
    assert "rask" not in Path("t.json").read_text()


def test_outputs_made_elsewhere_give_the_same_numbers(cli: Cli, corpus: Path) -> None:
    wanted = ("--perturb", "typos", "--perturb", "capitals", "--seed", 3)
    written = cli("stress", corpus, *wanted, "--write", "perturbed")
    assert written.status == 0
    assert "the original and 2 perturbed corpora written to 4 files in perturbed" in written.out
    assert json.loads(Path("perturbed/perturbations.json").read_text())["perturbations"] == ["typos", "capitals"]
    assert list(read_corpus("perturbed/original.json")) == list(read_corpus(corpus))
    Path("outputs").mkdir()
    for name in ("original", "typos", "capitals"):
        assert cli("anonymize", f"perturbed/{name}.json", "--with", "rules", "-o", f"outputs/{name}.json").status == 0
    drawn = ("--seed", 3, "--resamples", 100)
    assert cli("stress", corpus, "--outputs", "rules=outputs/", *drawn, "-o", "a.json").status == 0
    assert cli("stress", corpus, "--with", "rules", *wanted, "--resamples", 100, "-o", "b.json").status == 0
    assert Path("a.json").read_text() == Path("b.json").read_text()


def test_outputs_of_other_corpora_are_refused(cli: Cli, corpus: Path) -> None:
    assert cli("stress", corpus, "--perturb", "typos", "--write", "out", "--seed", 1).status == 0
    other = cli("stress", corpus, "--outputs", "mine=out/", "--perturb", "typos", "--seed", 2)
    assert (other.status, other.out) == (2, "")
    assert "was written with --seed 1; found --seed 2" in other.err
    rate = cli("stress", corpus, "--outputs", "mine=out/", "--perturb", "typos(rate=0.9)", "--seed", 1)
    assert (rate.status, "has no typos(rate=0.9)" in rate.err) == (2, True)
    cases = json.loads(corpus.read_text())
    corpus.write_text(json.dumps([{**cases[0], "text": f"{cases[0]['text']}!"}, *cases[1:]]))
    changed = cli("stress", corpus, "--outputs", "mine=out/", "--perturb", "typos", "--seed", 1)
    assert (changed.status, "was written with another corpus" in changed.err) == (2, True)


def test_offsets_of_another_seed_are_refused_by_their_texts(cli: Cli, corpus: Path) -> None:
    """Masks that say of which texts they were made need no record beside them."""
    assert cli("stress", corpus, "--perturb", "typos(rate=1.0)", "--write", "in", "--seed", 1).status == 0
    Path("out").mkdir()
    for name in ("original", "typos"):
        assert cli("anonymize", f"in/{name}.json", "--with", "rules", "-o", f"out/{name}.json").status == 0
    found = cli("stress", corpus, "--outputs", "mine=out/", "--perturb", "typos(rate=1.0)", "--seed", 2)
    assert (found.status, "was made of other texts" in found.err) == (2, True)


@pytest.mark.parametrize(
    ("limit", "perturbation", "status", "said"),
    [
        ("0.9", "digits", 0, "The gate is passed: at most 0.9 may be lost, and no number falls by more than"),
        ("0.01", "digits", 3, "The gate is not sure to be passed: at most 0.01 may be lost, and precision of rules"),
        (
            "0.5",
            "lowercase",
            1,
            "The gate is not passed: at most 0.5 may be lost, and removed_di of rules after lowercase",
        ),
    ],
)
def test_the_gate(cli: Cli, corpus: Path, limit: str, perturbation: str, status: int, said: str) -> None:
    call = ("stress", corpus, "--with", "rules", "--perturb", perturbation, "--resamples", 100)
    found = cli(*call, "--max-loss", limit, "-o", "s.json")
    assert found.status == status
    gate = json.loads(Path("s.json").read_text())["gate"]
    assert (gate["limit"], gate["status"]) == (float(limit), status)
    assert said in " ".join(found.out.split())


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ((), "stress: found no system; expected --with SYSTEM, --outputs NAME=FOLDER or --write FOLDER"),
        (("--with", "rules", "--perturb", "typo"), "perturb: unknown perturbation 'typo'; did you mean typos?"),
        (("--with", "nobody"), "nobody"),
        (("--with", "rules", "--write", "w"), "write: writes corpora alone"),
        (("--with", "rules", "--to", "brat"), "to: is for --write"),
        (("--outputs", "mine=nowhere/"), "nowhere: is no folder"),
        (
            ("--outputs", "mine=empty/", "--perturb", "typos"),
            "empty: original: found 0 files of this name; expected one",
        ),
        (("--with", "rules", "-o", "corpus.json", "--force"), "corpus.json: is read by this command"),
    ],
)
def test_bad_requests(cli: Cli, corpus: Path, options: tuple[str, ...], fault: str) -> None:
    Path("empty").mkdir()
    before = sorted(Path().rglob("*"))
    refused = cli("stress", corpus, *options)
    assert (refused.status, refused.out) == (2, "")
    assert fault in refused.err
    assert sorted(Path().rglob("*")) == before


def test_all_faults_of_outputs_are_said_at_once(cli: Cli, corpus: Path) -> None:
    """Before anything is scored, and before a system works."""
    ids = [case["doc_id"] for case in json.loads(corpus.read_text())]
    Path("out").mkdir()
    Path("out/original.json").write_text(json.dumps({key: [] for key in ids}))
    for name in ("typos", "digits"):
        Path(f"out/{name}.json").write_text(json.dumps({key: [[0, 9999, "X"]] if key == "d3" else [] for key in ids}))
    refused = cli(
        "stress", corpus, "--outputs", "mine=out/", "--with", "rules", "--perturb", "typos", "--perturb", "digits"
    )
    assert (refused.status, refused.out) == (2, "")
    lines = [line for line in refused.err.splitlines() if "document d3" in line]
    assert [line.partition(":")[0] for line in lines] == ["out/typos.json", "out/digits.json"]
    assert all("past the end of the text" in line for line in lines)


def test_a_folder_may_have_some_of_the_perturbations(cli: Cli, corpus: Path) -> None:
    assert cli("stress", corpus, "--perturb", "typos", "--write", "out").status == 0
    found = cli("stress", corpus, "--outputs", "mine=out/", "--resamples", 0)  # which masks what annotators marked
    assert found.status == 0
    left_out = len(PERTURBATIONS) - 1
    assert found.err.count(",") >= left_out - 1
    assert "no outputs of these perturbations, which are left out: ocr, lowercase" in found.err
