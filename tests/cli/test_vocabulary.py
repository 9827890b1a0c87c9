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
        "corpus",
        "--vocabulary",
        "gold.xml",
        "good=good.xml",
        "poor=poor.xml",
        "--dictionary",
        "words.txt",
        "--json",
        "v.json",
    )
    assert (found.status, found.err) == (0, "")
    lines = [line.split() for line in found.out.splitlines()]
    assert ["DATE", "1", "1", "(100.0", "%)", "0", "(0.0", "%)", "0", "(0.0", "%)"] in lines
    assert ["PATIENT", "1", "1", "(100.0", "%)", "0", "(0.0", "%)", "0", "(0.0", "%)"] in lines
    assert ["DOCTOR", "1", "0", "(0.0", "%)", "1", "(100.0", "%)", "1", "(100.0", "%)"] in lines
    assert ["2", "DOCTOR", "0", "·", "0", "100.0"] in lines  # brown is a colour, too
    assert ["4", "(non-PHI)", "0", "12.5", "0", "·"] in lines  # Dr saw a brown mole, Mr left on: 1 of 8
    assert "--medical FILE shows how many" in found.out
    # Out of vocabulary are Zork and 3/4; poor has 3/4.
    assert any(line[:7] == ["poor", "out", "of", "vocabulary", "1.000", "0.500", "0.667"] for line in lines)
    content = json.loads(Path("v.json").read_text())
    assert content["analysis"]["tokens"]["(all)"]["out_of_vocabulary"] == {"count": 2, "total": 3}
    assert content["analysis"]["shared"]["(non-PHI)"]["DOCTOR"] == {"count": 1, "total": 8}
    assert content["analysis"]["tokens"]["(all)"]["medical"] is None
    assert {score["metric"].partition("(")[0] for score in content["scores"]} == {
        "phi_token", "phi_oov", "phi_ambiguous", "phi_ambiguous_non_phi",
    }  # fmt: skip


@pytest.mark.usefixtures("desk")
def test_medical_terms_and_other_tokens(cli: Cli) -> None:
    Path("terms.txt").write_text("mole\nBrown\n")
    arguments = ["gold.xml", "--dictionary", "words.txt", "--medical", "terms.txt", "--tokens", "words"]
    found = cli("corpus", "--vocabulary", *arguments, "--json", "v.json")
    assert (found.status, found.err) == (0, "")
    assert "of these medical" in found.out
    lines = [line.split() for line in found.out.splitlines()]
    assert ["(all)", "4", "3", "(75.0", "%)", "1", "(25.0", "%)", "1", "(25.0", "%)", "1", "(100.0", "%)"] in lines
    assert ["DATE", "2", "2", "(100.0", "%)", "0", "(0.0", "%)", "0", "(0.0", "%)", "0", "(–)"] in lines
    analysis = json.loads(Path("v.json").read_text())["analysis"]
    assert analysis["medical"].startswith("terms.txt@")
    assert analysis["instances"]["DOCTOR"]["medical"] == {"count": 1, "total": 1}


@pytest.mark.usefixtures("desk")
def test_two_corpora_side_by_side(cli: Cli) -> None:
    """Authentic and challenge, or train and test: Tables 2 to 5 of the paper."""
    Path("other.xml").write_text(GOLD.replace("Zork", "Mole").replace('"DATE"', '"ID"'))
    words = ("--dictionary", "words.txt", "--json", "v.json")
    found = cli("corpus", "--vocabulary", "gold.xml", "--against", "other.xml", *words)
    assert (found.status, found.err) == (0, "")
    assert "gold and other: PHI tokens that are hard to tell" in found.out
    lines = [line.split() for line in found.out.splitlines()]
    assert lines.count(["PATIENT", "gold", "1", "1", "(100.0", "%)", "0", "(0.0", "%)", "0", "(0.0", "%)"]) == 2
    assert lines.count(["other", "1", "0", "(0.0", "%)", "0", "(0.0", "%)", "1", "(100.0", "%)"]) == 2
    assert ["DATE", "gold", "1", "1", "(100.0", "%)", "0", "(0.0", "%)", "0", "(0.0", "%)"] in lines
    assert ["other", "–"] in lines  # it has no date
    assert "gold: tokens of the row" in found.out
    assert "other: tokens of the row" in found.out
    content = json.loads(Path("v.json").read_text())
    assert content["analysis"]["tokens"]["(all)"]["out_of_vocabulary"] == {"count": 2, "total": 3}
    assert content["against"]["tokens"]["(all)"]["out_of_vocabulary"] == {"count": 1, "total": 3}


@pytest.mark.usefixtures("desk")
def test_the_dictionary_follows_the_language(cli: Cli) -> None:
    for options, expected in (((), "wordfreq:en"), (("--language", "es"), "wordfreq:es")):
        found = cli("corpus", "--vocabulary", "gold.xml", *options)
        assert found.status == 0
        assert expected in found.out


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["gold.xml", "--tokens", "none"], "tokens='none' is not known; expected one of 'challenge', 'words'"),
        (["gold.xml", "--dictionary", "words.txt", "--medical", "none.txt"], "none.txt: no such file"),
        (["gold.xml", "--dictionary", "none.txt"], "none.txt: no such file"),
        (["gold.xml", "--dictionary", "words.txt", "--against", "gold.xml"], "against: is the corpus itself"),
        (["gold.xml", "--dictionary", "words.txt", "--against", "none.xml"], "none.xml: no such file"),
        (["gold.xml", "--language", "xx"], "dictionary: found 'xx'; expected one of ar, "),
        (["gold.xml", "--dictionary", "words.txt", "--map", "DATE"], "map: found 'DATE'; expected FROM=TO"),
        (["gold.xml", "a=none.xml", "--dictionary", "words.txt"], "none.xml: no such file"),
    ],
)
def test_what_cannot_be(cli: Cli, arguments: list[str], expected: str) -> None:
    found = cli("corpus", "--vocabulary", *arguments)
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
        "--verbose",
    )
    assert (found.status, found.err) == (0, "")
    assert "phi_instance of poor by category" in found.out
    assert "phi_instance(types=False)" in found.out
    found = cli("compare", "run.json", "--matrix")
    assert found.status == 0
    assert "phi_token: measures in which two systems do not differ significantly" in found.out
    assert "2 documents, 9999 shuffles, alpha 0.1, no correction" in found.out
    assert "alpha 0.2" in cli("compare", "run.json", "--matrix", "--alpha", "0.2", "-m", "phi_token").out
    found = cli("compare", "run.json", "--matrix", "-m", "recall")
    assert found.status == 2
    assert "metric recall: has no F, P and R to compare; in this run these have: phi_token, phi_instance, " in found.err


@pytest.mark.usefixtures("desk")
def test_maps_and_unknown_types(cli: Cli) -> None:
    Path("other.xml").write_text(GOLD.replace("PATIENT", "PERSON"))
    line = (
        "other.xml: type PERSON: is not a type of the corpus, which has DATE, DOCTOR, PATIENT: map it (--map PERSON=…)"
    )
    arguments = ["gold.xml", "other=other.xml", "--format", "i2b2"]
    found = cli("evaluate", "--preset", "i2b2", *arguments)
    assert found.status == 2
    assert found.err.startswith(line)
    assert len(found.err.splitlines()) == 1  # once, though two metrics ask
    assert cli("evaluate", "--preset", "i2b2", *arguments, "--map", "PERSON=PATIENT").status == 0
    assert cli("evaluate", *arguments).status == 0  # to other metrics the types of masks are nothing
    found = cli("validate", *arguments)
    assert found.status == 0
    assert found.out.splitlines()[-1].startswith("all can be scored; 2 things to look at")
    assert (
        "note: other: no mention of the corpus has the types PERSON, so clinical metrics (phi_…) refuse it" in found.err
    )
    assert "refuse" not in cli("validate", *arguments, "--map", "PERSON=PATIENT").err
    assert "refuse" not in cli("validate", *arguments, "--map", "PERSON=").err


@pytest.mark.usefixtures("desk")
def test_records_missing_from_a_system(cli: Cli) -> None:
    Path("half.xml").write_text(GOLD.partition('<RECORD ID="2">')[0] + "</ROOT>")
    found = cli("evaluate", "gold.xml", "half=half.xml", "--preset", "i2b2")
    assert found.status == 2
    assert "half.xml: document 2: is in the corpus but not here" in found.err
    assert cli("evaluate", "gold.xml", "half=half.xml", "--preset", "i2b2", "--missing", "unmasked").status == 0
    found = cli("corpus", "--vocabulary", "gold.xml", "half=half.xml")  # which would show its analysis and then refuse
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("half.xml: document 2: is in the corpus but not here")


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
