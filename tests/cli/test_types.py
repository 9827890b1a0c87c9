"""Types on the command line: what they are taken for is told, and can be settled for all metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run

TEXT = "Ann Lee, ann@lee.no, 078-05-1120, 555 1234, badge 7731"
TYPED = {"PERSON": "Ann Lee", "EMAIL_ADDRESS": "ann@lee.no", "US_SSN": "078-05-1120", "PHONE_NUMBER": "555 1234"}


def spans(types: dict[str, str]) -> list[tuple[str, int, int]]:
    return [(kind, TEXT.index(said), TEXT.index(said) + len(said)) for kind, said in types.items()]


def write_brat(desk: Any, types: dict[str, str]) -> None:
    marks = [
        f"T{number}\t{kind} {start} {end}\t{TEXT[start:end]}\n"
        for number, (kind, start, end) in enumerate(spans(types), 1)
    ]
    desk.write({"gold/r.txt": TEXT, "gold/r.ann": "".join(marks), "name.json": {"r": [[0, 7, None, "PERSON"]]}})


def written(desk: Any, form: str, types: dict[str, str]) -> str:
    """The same marks in any format that has no levels; gives the path."""
    write_brat(desk, types)
    if form == "brat":
        return "gold"
    if form == "json":
        marks = [{"start_offset": start, "end_offset": end, "entity_type": kind} for kind, start, end in spans(types)]
        desk.write({"gold.json": [{"doc_id": "r", "text": TEXT, "annotations": {"a": {"entity_mentions": marks}}}]})
        return "gold.json"
    target = {"conll": "gold.conll", "i2b2-2014": "records"}[form]
    assert desk.cli("convert", "gold", "--to", form, "-o", target).status == 0
    return target


@pytest.mark.parametrize("form", ["brat", "json", "conll", "i2b2-2014"])
def test_contact_data_and_codes_are_direct(desk: Any, form: str) -> None:
    """The name alone is masked: three direct identifiers of four can be read."""
    gold = written(desk, form, TYPED)
    found = desk.cli("evaluate", gold, "name=name.json", "-o", "run.json")
    assert found.status == 0
    assert Run.load("run.json")["name", "er_di"].value == 0.25
    assert "leaves no direct identifier readable" not in found.out
    line = "direct: EMAIL_ADDRESS, PERSON, PHONE_NUMBER, US_SSN"
    head = "the file does not say which marks are direct or quasi identifiers, so the tool derives it from the types"
    assert f"note: {head}: {line} (--direct and --quasi change it)\n" == found.err
    assert line in desk.cli("validate", gold, "name=name.json").err


@pytest.mark.parametrize("form", ["brat", "json", "conll", "i2b2-2014"])
def test_a_guess_is_told_and_settled(desk: Any, form: str) -> None:
    gold = written(desk, form, {"PERSON": "Ann Lee", "BADGE": "7731", "BADGE_KIND": "badge"})
    guess = (
        "note: the types BADGE, BADGE_KIND are not known and were taken as quasi-identifiers: a guess; "
        "say --direct BADGE, --quasi BADGE or --ignore BADGE\n"
    )
    found = desk.cli("evaluate", gold, "name=name.json")
    assert found.status == 0
    assert guess in found.err
    assert guess in desk.cli("validate", gold).err
    settled = ["--direct", "BADGE", "--ignore", "badge-kind"]
    found = desk.cli("evaluate", gold, "name=name.json", "-o", "run.json", *settled)
    assert "guess" not in found.err
    run = Run.load("run.json")
    assert run["name", "er_di"].value == 0.5  # Ann Lee, but not 7731
    assert run["name", "er_qi"].value is None
    assert run.settings.types == "direct=BADGE;ignore=badge-kind"
    assert "|types:direct=BADGE;ignore=badge-kind|" in run["name", "recall"].signature
    assert "guess" not in desk.cli("validate", gold, "name=name.json", *settled).err


def test_it_is_nothing_to_clinical_metrics(desk: Any) -> None:
    write_brat(desk, {"PERSON": "Ann Lee", "BADGE": "7731"})
    for metric in ("phi_token", "nmi(embedding=lsa)"):
        assert "guess" not in desk.cli("evaluate", "gold", "name=name.json", "-m", metric).err


def test_what_an_annotator_said_is_not_spoken_of(desk: Any) -> None:
    """A level in the file is no guess; and it is overruled only on request."""
    marks = "T1\tPERSON 0 7\tAnn Lee\nT2\tBADGE 50 54\t7731\nA1\tidentifier T2 NO_MASK\nA2\tidentifier T1 QUASI\n"
    desk.write({"gold/r.txt": TEXT, "gold/r.ann": marks, "name.json": {"r": [[0, 7]]}})
    found = desk.cli("evaluate", "gold", "name=name.json")
    assert (found.status, found.err) == (0, "")
    assert desk.cli("evaluate", "gold", "name=name.json", "--direct", "BADGE,PERSON", "-o", "run.json").status == 0
    assert Run.load("run.json")["name", "er_di"].value == 0.5


def test_a_map_holds_for_all_metrics(desk: Any) -> None:
    write_brat(desk, {"PATIENT": "Ann Lee", "MAIL": "ann@lee.no"})
    command = ["evaluate", "gold", "name=name.json", "-m", "er_di", "-m", "recall_per_type", "-m", "phi_token"]
    maps = ["--map", "PERSON=PATIENT", "--map", "MAIL=EMAIL"]
    found = desk.cli(*command, *maps, "-o", "run.json")
    assert found.status == 0, found.err
    run = Run.load("run.json")
    assert run["name", "er_di"].value == 0.5  # Ann Lee; the mail is now one, and direct
    assert set(run.parts("name", "recall_per_type")) == {"EMAIL", "PATIENT"}
    assert run["name", "phi_token", "R:PATIENT"].value == 1.0  # the masks' PERSON is a PATIENT
    assert run.settings.types == "map=MAIL>EMAIL,PERSON>PATIENT"


def test_names_that_do_not_occur(desk: Any) -> None:
    write_brat(desk, TYPED)
    for option, name, says in (
        ("--direct", "PERSONS", "gold: direct PERSONS: no mention has this type; there are EMAIL_ADDRESS, PERSON"),
        ("--ignore", "X", "gold: ignore X: no mention has this type"),
        ("--map", "X=PERSON", "gold: map X: neither a mention nor a mask has this type; there are EMAIL_ADDRESS"),
    ):
        for command in ("evaluate", "validate"):
            found = desk.cli(command, "gold", "name=name.json", option, name)
            assert found.status == 2
            assert found.err.startswith(says)
            assert len(found.err.splitlines()) == 1


def test_a_plan_says_it_too(desk: Any) -> None:
    write_brat(desk, {"WHO": "Ann Lee", "BADGE": "7731", "PHONE": "555 1234"})
    head = 'corpus = "gold"\nresamples = 0\noutput = "run.json"\nmap = {WHO = "PERSON"}\ndirect = ["BADGE"]\n'
    desk.write({"plan.toml": head + 'ignore = ["PHONE"]\n[anonymizations]\nname = "name.json"\n'})
    assert desk.cli("evaluate", "plan.toml").status == 0
    assert Run.load("run.json")["name", "er_di"].value == 0.5  # WHO is a PERSON, BADGE direct, PHONE not asked for
    assert desk.cli("evaluate", "plan.toml", "--quasi", "BADGE", "--force").status == 0  # the command line wins
    run = Run.load("run.json")
    assert (run["name", "er_di"].value, run.settings.types) == (1.0, "map=WHO>PERSON;quasi=BADGE;ignore=PHONE")
    assert desk.cli("validate", "plan.toml").out.splitlines()[-1].startswith("all can be scored; 1 thing to look at")
    desk.write({"plan.toml": head.replace("BADGE", "BADGES") + '[anonymizations]\nname = "name.json"\n'})
    assert "direct BADGES: no mention has this type" in desk.cli("validate", "plan.toml").err


def test_a_run_is_resumed_with_the_same_types_only(desk: Any) -> None:
    write_brat(desk, {"PERSON": "Ann Lee", "BADGE": "7731"})
    command = ["evaluate", "gold", "name=name.json", "-o", "run.json"]
    assert desk.cli(*command).status == 0
    content = json.loads(Path("run.json").read_text())
    Path("run.json").write_text(json.dumps({**content, "complete": False}))
    found = desk.cli(*command, "--resume", "--direct", "BADGE")
    assert (found.status, "settings: not the same as in the run to resume" in found.err) == (2, True)


def test_a_guess_is_not_written_as_what_an_annotator_said(desk: Any) -> None:
    write_brat(desk, {"PERSON": "Ann Lee", "BADGE": "7731"})
    assert desk.cli("convert", "gold", "--to", "tab", "-o", "gold.json").status == 0
    marks = json.loads(Path("gold.json").read_text())[0]["annotations"]["gold"]["entity_mentions"]
    assert [mark.get("identifier_type") for mark in marks] == ["DIRECT", None]
    assert "the type BADGE is not known" in desk.cli("validate", "gold.json").err


def test_types_with_escape_sequences(desk: Any) -> None:
    marks = [{"start_offset": 0, "end_offset": 3, "entity_type": "\x1b[31mRED"}]
    desk.write({"c.json": [{"doc_id": "r", "text": TEXT, "annotations": {"a": {"entity_mentions": marks}}}]})
    assert "the type \\x1b[31mRED is not known" in desk.cli("validate", "c.json").err
