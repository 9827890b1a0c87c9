"""What a gate's files say, whatever is in names and ids."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from showthrough.report.gate import file_type, junit_xml, outcome_json, outcome_markdown, show_outcome
from showthrough.report.terminal import PlainConsole
from showthrough.run.gate.checks import (
    AnonymizationChecks,
    BaselineCheck,
    Enough,
    GateOutcome,
    Look,
    ReadableCheck,
    ThresholdCheck,
)
from showthrough.run.records import Input

HOSTILE = "a\x00\x1b[31m<b>&\"'|`@all`\n# x\ud800\ufffe" + "x" * 200


@pytest.fixture
def outcome() -> GateOutcome:
    passing = AnonymizationChecks("a", [Enough("at least 20 documents", True, "42 documents", 42, 20)], [])
    checks = [
        ThresholdCheck("er_di ≥ 0.95", False, "missed: 0.9", "er_di", "", "min", 0.95, "missed", 0.9, 0.8, 0.95),
        ThresholdCheck("er_qi ≥ 0.9", True, "not sure: it holds", "er_qi", "", "min", 0.9, "unsure", 0.95, 0.8, 0.99),
        BaselineCheck(f"er_di against {HOSTILE}", False, f"worse: {HOSTILE}", "er_di", "", HOSTILE, 0.0, 0.9, 1.0, 0.1),
    ]
    failing = AnonymizationChecks(HOSTILE, checks, [Look(HOSTILE, 3, 1, 2), Look("d2", 0, 1)])
    return GateOutcome(Input(HOSTILE, "0" * 32, 42), "42 documents", False, [passing, failing], HOSTILE, [HOSTILE])


def test_the_json_is_what_its_schema_and_its_type_say(outcome: GateOutcome) -> None:
    plain = msgspec.structs.replace(
        outcome, corpus=Input("c", "0" * 32, 42), anonymizations=outcome.anonymizations[:1], baseline="", notes=[]
    )
    text = outcome_json(plain)
    schema = json.loads((Path(__file__).parents[2] / "docs/schemas/gate-1.json").read_text(encoding="utf-8"))
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    content = json.loads(text)
    assert [error.json_path for error in validator.iter_errors(content)] == []
    del content["format"]  # files of before it was written
    assert [error.json_path for error in validator.iter_errors(content)] == []
    loaded: Any = msgspec.convert(content, file_type())
    assert (loaded.format, loaded.status, loaded.anonymizations[0].passed) == (1, 0, True)
    assert loaded.anonymizations[0].checks == plain.anonymizations[0].checks
    content["anonymizations"][0]["checks"][0]["kind"] = "guess"
    assert [*validator.iter_errors(content)]


def test_junit_is_sound_xml(outcome: GateOutcome) -> None:
    root = ElementTree.fromstring(junit_xml(outcome).encode())  # noqa: S314 (our own)
    assert root.attrib == {"name": "showthrough check", "tests": "4", "failures": "2", "errors": "0", "skipped": "0"}
    first, second = root
    assert (first.attrib["failures"], second.attrib["failures"], second.attrib["tests"]) == ("0", "2", "3")
    failures = second.findall("testcase/failure")
    assert [one.attrib["type"] for one in failures] == ["threshold", "baseline"]
    assert failures[0].attrib["message"] == "er_di ≥ 0.95: missed: 0.9"
    assert failures[0].text == "found 0.900 0.800–0.950; missed: 0.9"
    assert "\\x00\\x1b[31m<b>&" in second.attrib["name"]
    assert "(3 direct, 1 quasi, 2 more than before)" in str(second.findtext("system-out"))


def test_markdown_means_nothing_but_itself(outcome: GateOutcome) -> None:
    text = outcome_markdown(outcome)
    assert text.startswith("<!-- showthrough check -->\n\n**Showthrough: the gate is not passed**")
    assert "\n# x" not in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.replace("\\|", "").count("|") == 6 for line in tables)
    assert not [line for line in tables if "@all" in line or "<b>" in line]  # nobody is called
    assert "| **FAIL** | er\\_di ≥ 0.95 | 0.900 | 0.800–0.950 | missed: 0.9 |" in tables
    assert "| not sure | er\\_qi ≥ 0.9 | 0.950 | 0.800–0.990 | not sure: it holds |" in tables


def test_what_is_not_sure_says_so_at_once(outcome: GateOutcome) -> None:
    open_check = outcome.anonymizations[1].checks[1]
    passed = msgspec.structs.replace(
        outcome,
        anonymizations=[outcome.anonymizations[0], AnonymizationChecks("b", [open_check], [])],
        of_run=["1 | 2 masks overlap"],
    )
    text = outcome_markdown(passed)
    assert "**Showthrough: the gate is passed, though 1 check does not hold for sure**" in text
    assert text.endswith("- note: 1 \\| 2 masks overlap\n")
    readable = ReadableCheck("none", True, "2 of 3 can be read", "removed_di", 2, 0, 3, 1)
    only = msgspec.structs.replace(passed, anonymizations=[AnonymizationChecks("b", [readable], [])])
    said = "passed, though 2 direct identifiers can be read (--only leaves that out)**"
    assert said in outcome_markdown(only)
    sure = msgspec.structs.replace(passed, anonymizations=outcome.anonymizations[:1])
    assert "**Showthrough: the gate is passed**" in outcome_markdown(sure)
    counted = msgspec.structs.replace(open_check, passed=False, more=12)
    unsure = msgspec.structs.replace(sure, anonymizations=[AnonymizationChecks("b", [counted], [])])
    would = "12 more documents without a leak would be enough; --allow-unsure passes it"
    assert f"**Showthrough: the gate is not sure to be passed: {would}**" in outcome_markdown(unsure)
    assert "`b` **is not sure to pass** (1 of 1 checks not met)" in outcome_markdown(unsure)
    plain = msgspec.structs.replace(unsure, corpus=Input("c", "0" * 32, 42), baseline="", notes=[], unit="group")
    found = json.loads(outcome_json(plain))
    assert (found["passed"], found["status"], found["more"], found["unit"]) == (False, 3, 12, "group")
    assert "12 more groups without a leak would be enough" in outcome_markdown(plain)


def test_the_terminal_fits(outcome: GateOutcome) -> None:
    out = io.StringIO()
    show_outcome(outcome, PlainConsole(file=out, width=200, highlight=False))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in out.getvalue()
    assert lines[1].rstrip() == "a passes"
    assert any(line.rstrip().endswith("(2 of 3 checks not met)") for line in lines)


def test_json_has_everything(outcome: GateOutcome) -> None:
    plain = GateOutcome(Input("c", "0" * 32, 42), "42 documents", False, outcome.anonymizations[:1])
    found = json.loads(outcome_json(plain))
    assert found["passed"] is True
    assert found["anonymizations"][0]["passed"] is True
    assert found["anonymizations"][0]["checks"][0]["kind"] == "sample"
