"""`check --drift`: released texts of a month against those of the month before."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
LEAK = "seen by Dr Rask"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")


def write(
    name: str = "releases.jsonl", *, last: str = "2026-11-09", leaks: int = 1, days: int = 40, **more: str
) -> str:
    """Ten documents a day; on the watched days of November some of them with a name, before one and one."""
    lines = []
    end = date.fromisoformat(last)
    for number in range(days):
        day = end - timedelta(days - 1 - number)
        for place in range(10):
            leaking = place < (leaks if day >= date(2026, 11, 1) else 1)
            text = f"[NAME_1] of [CITY] was {LEAK if leaking else 'here'} on <DATE> {'again ' * (place % 3)}."
            lines.append({"id": f"{day}-{place}", "text": text, "released": f"{day}T10:00:00", **more})
    Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return name


def drift(cli: Cli, *options: str) -> Any:
    return cli("check", "releases.jsonl", "--drift", "--date-field", "released", *options)


def test_a_quiet_month_passes_and_is_not_called_sure(cli: Cli) -> None:
    write()
    found = drift(cli, "--json", "gate.json")
    assert (found.status, found.err) == (0, "")
    assert "no drift is shown" in found.out
    assert "checks do not hold for sure" in found.out
    outcome = json.loads(Path("gate.json").read_text())
    checks = {check["asked"]: check for check in outcome["anonymizations"][0]["checks"]}
    rate = checks["no drift: finds per 1,000 words"]
    assert rate["kind"] == "drift"
    assert rate["value"] == pytest.approx(rate["earlier"]) == pytest.approx(1000 / 82)  # 1 find a day in 82 words
    assert checks["no drift: share of NAME among masks"]["value"] == pytest.approx(1 / 3)


def test_more_leaks_fail_and_the_files_hold_no_text(cli: Cli) -> None:
    write(leaks=6)
    found = drift(cli, "--json", "gate.json", "--markdown", "gate.md", "--junit", "gate.xml")
    assert found.status == 1
    assert "FAIL" in found.out
    assert "rose on 2026-11-01: hardly chance" in " ".join(found.out.split())
    for name in ("gate.json", "gate.md", "gate.xml"):
        content = Path(name).read_text()
        assert "Rask" not in content
        assert "finds per 1,000 words" in content
    assert drift(cli, "--json", "gate.json").status == 1  # an earlier outcome is replaced


def test_a_first_day_of_ones_own(cli: Cli) -> None:
    """Looks from 25 October on have the leaks of November before them."""
    write(leaks=6)
    assert "5 looks since 2026-11-05" in drift(cli, "--since", "2026-11-05").out
    since = drift(cli, "--since", "2026-10-25")
    assert since.status == 1
    assert "16 looks since 2026-10-25" in since.out


def test_too_few_days_do_not_pass(cli: Cli) -> None:
    """Three days of October are no reference."""
    write(days=12)
    found = drift(cli)
    assert found.status == 1
    assert "3 days" in found.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--drift",), "--drift and --date-field FIELD go together"),
        (("--date-field", "released"), "--drift and --date-field FIELD go together"),
        (("--drift", "--date-field", "released", "--min", "er_di=1"), "--drift reads released texts and no run"),
        (("--drift", "--date-field", "released", "--only"), "--drift reads released texts and no run"),
        (("--drift", "--date-field", "day"), "document 2026-10-01-0: found 0 values as day; expected a day"),
        (
            ("--drift", "--date-field", "kind"),
            "document 2026-10-01-0: found 'note' as kind; expected a day, as 2026-11-18",
        ),
        (("--drift", "--date-field", "released", "--since", "soon"), "--since: found 'soon'; expected a day"),
        (("--drift", "--date-field", "released", "--since", "2026-10-09"), "expected a day at most 30 days before"),
        (("--drift", "--date-field", "released", "--since", "2026-11-10"), "--since: found 2026-11-10"),
        (("--drift", "--date-field", "released", "--json", "releases.jsonl"), "is read by this command"),
    ],
)
def test_what_cannot_be_asked(cli: Cli, options: tuple[str, ...], message: str) -> None:
    write(kind="note")
    found = cli("check", "releases.jsonl", *options)
    assert found.status == 2
    assert message in found.err


def test_masks_that_change_are_noticed(cli: Cli) -> None:
    """From November on nobody masks cities any more."""
    write()
    lines = [json.loads(line) for line in Path("releases.jsonl").read_text().splitlines()]
    for line in lines:
        if line["released"] >= "2026-11":
            line["text"] = line["text"].replace("[CITY]", "Oslo")
    Path("releases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert drift(cli, "--json", "gate.json").status == 1
    checks = json.loads(Path("gate.json").read_text())["anonymizations"][0]["checks"]
    failed = {check["asked"]: check["said"] for check in checks if not check["passed"]}
    assert failed["no drift: share of CITY among masks"] == "fell in 2 days up to 2026-11-02: hardly chance"
    assert "no drift: finds per 1,000 words" not in failed  # nobody finds a city by its form
