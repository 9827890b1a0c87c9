"""`showthrough labels`, and types of several names in what `evaluate` and `validate` say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run
from showthrough.data.types import NAMES


def test_the_tree(desk: Any) -> None:
    found = desk.cli("list", "labels")
    assert (found.status, found.err) == (0, "")
    kinds = [line.split()[0] for line in found.out.splitlines()[2:] if line.split()[0] in NAMES]
    assert set(kinds) == set(NAMES)
    assert "\nLOCATION " in found.out
    assert "\n    CITY " in found.out  # below GPE, which is below LOCATION


@pytest.mark.parametrize("name", ["CITY", "city"])
def test_one_type(desk: Any, name: str) -> None:
    lines = desk.cli("list", "labels", name).out.splitlines()
    assert lines[:3] == [
        "PII > LOCATION > GPE > CITY",
        "identifies: together with others",
        "HIPAA: B, geographic subdivisions smaller than a state",
    ]
    assert lines[3].startswith("CITY: i2b2 2014, ai4privacy 2023")


def test_the_types_of_a_tool(desk: Any) -> None:
    out = desk.cli("list", "labels", "presidio").out
    assert out.startswith("Presidio: presidio-analyzer 2.2.366")
    assert "PII > CONTACT > EMAIL" in out
    assert desk.cli("list", "labels", "i2b2").out.count("i2b2 20") == 2


def test_a_name_that_nobody_knows(desk: Any) -> None:
    for name in ("TATTOO", "", "-"):
        found = desk.cli("list", "labels", "--", name)
        assert found.status == 2
        assert "unknown name; expected a type of the tree" in found.err
        assert len(found.err.splitlines()) == 1


def test_presidio_beside_annotations_of_tab(desk: Any) -> None:
    """What Presidio says of a text marked with TAB's types is scored as it is; what is coarser is not."""
    text = "Ann Lee, Oslo, 020 555 12, 078-05-1120, 3 May"
    marks = [(0, 7, "PERSON"), (9, 13, "LOC"), (15, 25, "CODE"), (27, 38, "CODE"), (40, 45, "DATETIME")]
    said = ["PERSON", "LOCATION", "PHONE_NUMBER", "US_SSN", "DATE_TIME"]
    mentions = [{"start_offset": start, "end_offset": end, "entity_type": kind} for start, end, kind in marks]
    desk.write({
        "gold.json": [{"doc_id": "r", "text": text, "annotations": {"a": {"entity_mentions": mentions}}}],
        "presidio.json": {"r": [[start, end, None, kind] for (start, end, _), kind in zip(marks, said, strict=True)]},
    })  # fmt: skip
    found = desk.cli(
        "evaluate", "gold.json", "presidio=presidio.json", "--preset", "i2b2", "-o", "run.json", "--verbose"
    )
    assert found.status == 0, found.err
    taken = "LOCATION as LOC, PHONE_NUMBER as CODE, US_SSN as CODE"
    assert f"note: presidio: these count as types of the corpus: {taken}\n" in found.err
    run = Run.load("run.json")
    assert run["presidio", "phi_instance", "R"].value == 1.0  # 5 of 5
    assert run["presidio", "phi_instance", "R:CODE"].value == 1.0
    kept = json.loads(Path("run.json").read_text())["texts"]
    assert "PHONE_NUMBER" in json.dumps(kept)  # what was said
    assert "clinical metrics" not in desk.cli("validate", "gold.json", "presidio=presidio.json").err
    desk.write({"coarse.json": {"r": [[9, 13, None, "PII"]]}, "mail.json": {"r": [[15, 25, None, "EMAIL_ADDRESS"]]}})
    mail = desk.cli("evaluate", "gold.json", "mail=mail.json", "-m", "phi_token")  # TAB's guidelines place none
    assert (mail.status, "type EMAIL_ADDRESS: is not a type of the corpus" in mail.err) == (2, True)
    assert "has the types PII, so clinical metrics" in desk.cli("validate", "gold.json", "coarse=coarse.json").err
    refused = desk.cli("evaluate", "gold.json", "coarse=coarse.json", "-m", "phi_token")
    assert (refused.status, "type PII: is not a type of the corpus" in refused.err) == (2, True)
