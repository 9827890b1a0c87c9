"""`showthrough vocabulary`, and clinical scoring as a user types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
GOLD = (
    '<ROOT><RECORD ID="1"><TEXT>Dr <PHI TYPE="DOCTOR">Brown</PHI> saw a brown mole.</TEXT></RECORD>'
    '<RECORD ID="2"><TEXT>Mr <PHI TYPE="PATIENT">Zork</PHI> left on <PHI TYPE="DATE">3/4</PHI>.</TEXT></RECORD></ROOT>'
)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.xml").write_text(GOLD)
    (tmp_path / "good.xml").write_text(GOLD)
    (tmp_path / "poor.xml").write_text(GOLD.replace('<PHI TYPE="PATIENT">Zork</PHI>', "Zork"))
    (tmp_path / "words.txt").write_text("dr\nbrown\nsaw\na\nmole\nmr\nleft\non\n")
    return tmp_path


@pytest.mark.usefixtures("desk")
def test_tables_and_scores(cli: Cli) -> None:
    found = cli(
        "vocabulary", "gold.xml", "good=good.xml", "poor=poor.xml", "--dictionary", "words.txt", "--json", "v.json"
    )
    assert (found.status, found.err) == (0, "")
    lines = [line.split() for line in found.out.splitlines()]
    assert ["PATIENT", "1", "1", "(100.0", "%)", "0", "(0.0", "%)", "0", "(0.0", "%)"] in lines
    assert ["DOCTOR", "1", "0", "(0.0", "%)", "1", "(100.0", "%)", "1", "(100.0", "%)"] in lines
    assert ["poor", "out", "of", "vocabulary", "–", "0.000", "0.000", "0.000–0.000"] in lines
    content = json.loads(Path("v.json").read_text())
    assert content["analysis"]["tokens"]["(all)"]["out_of_vocabulary"] == {"count": 1, "total": 2}
    assert {score["metric"].partition("(")[0] for score in content["scores"]} == {
        "phi_token", "phi_oov", "phi_ambiguous", "phi_ambiguous_non_phi",
    }  # fmt: skip


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["gold.xml", "--dictionary", "none.txt"], "none.txt: no such file"),
        (["gold.xml", "--dictionary", "words.txt", "--map", "DATE"], "map: found 'DATE'; expected FROM=TO"),
        (["gold.xml", "a=none.xml", "--dictionary", "words.txt"], "none.xml: no such file"),
    ],
)
def test_what_cannot_be(cli: Cli, arguments: list[str], expected: str) -> None:
    found = cli("vocabulary", *arguments)
    assert found.status == 2
    assert expected in found.err


@pytest.mark.usefixtures("desk")
def test_scoring_and_the_matrix(cli: Cli) -> None:
    found = cli(
        "evaluate",
        "gold.xml",
        "good=good.xml",
        "poor=poor.xml",
        "--format",
        "i2b2",
        "--preset",
        "i2b2",
        "-o",
        "run.json",
    )
    assert (found.status, found.err) == (0, "")
    assert "phi_instance of poor by category" in found.out
    found = cli("compare", "run.json", "--matrix")
    assert found.status == 0
    assert "phi_token: measures in which two systems do not differ significantly" in found.out
    assert "2 records, 9999 shuffles, alpha 0.1, no correction" in found.out
    assert "alpha 0.2" in cli("compare", "run.json", "--matrix", "--alpha", "0.2", "-m", "phi_token").out
    found = cli("compare", "run.json", "--matrix", "-m", "recall")
    assert found.status == 2
    assert "metric recall: has no F, P and R to compare; of this run have phi_token, phi_instance" in found.err


@pytest.mark.usefixtures("desk")
def test_maps_and_unknown_types(cli: Cli) -> None:
    Path("other.xml").write_text(GOLD.replace("PATIENT", "PERSON"))
    line = (
        "other.xml: type PERSON: is not a type of the corpus, which has DATE, DOCTOR, PATIENT; map it (--map PERSON=…)"
    )
    for command in (["validate"], ["evaluate", "--preset", "i2b2"]):
        found = cli(*command, "gold.xml", "other=other.xml", "--format", "i2b2")
        assert found.status == 2
        assert found.err.startswith(line)
        assert len(found.err.splitlines()) == 1  # once, though two metrics ask
        arguments = ["gold.xml", "other=other.xml", "--format", "i2b2", "--map", "PERSON=PATIENT"]
        assert cli(*command, *arguments).status == 0


@pytest.mark.usefixtures("desk")
def test_records_missing_from_a_system(cli: Cli) -> None:
    Path("half.xml").write_text(GOLD.partition('<RECORD ID="2">')[0] + "</ROOT>")
    found = cli("evaluate", "gold.xml", "half=half.xml", "--preset", "i2b2")
    assert found.status == 2
    assert "half.xml: document 2: is in the corpus but not here" in found.err
    assert cli("evaluate", "gold.xml", "half=half.xml", "--preset", "i2b2", "--missing", "unmasked").status == 0


@pytest.mark.usefixtures("desk")
def test_typed_masks_beside_other_formats(cli: Cli) -> None:
    Path("masks.json").write_text('{"1": [[3, 8, null, "DOCTOR"]], "2": [[3, 7, "[PATIENT]"]]}')
    found = cli(
        *("evaluate", "gold.xml", "a=masks.json", "--format", "i2b2", "-m", "phi_instance", "--json", "scores.json"),
        "--no-references",
    )
    assert found.status == 0
    scores = {score["part"]: score["value"] for score in json.loads(Path("scores.json").read_text())["scores"]}
    assert scores["R:DOCTOR"] == 1.0
    assert scores["R:PATIENT"] == 0.0  # its mask says no type: what stands in its place is not one


@pytest.mark.usefixtures("desk")
def test_a_plan_may_name_the_format(cli: Cli) -> None:
    Path("plan.toml").write_text(
        'corpus = "gold.xml"\nformat = "i2b2"\npreset = "i2b2"\n[anonymizations]\ngood = "good.xml"\n'
    )
    assert cli("evaluate", "plan.toml").status == 0
