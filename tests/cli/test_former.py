"""Spellings of the release before: each works as the new one does, and a line shows the new one."""

from __future__ import annotations

from typing import Any

import pytest

from showthrough.cli.former import COMMANDS, OPTIONS

QUICK = ("-m", "er_di", "--resamples", "20", "--no-cache")
CASES = {
    "metrics": ("metrics er_di", "list metrics er_di"),
    "formats": ("formats brat", "list formats brat"),
    "attacks": ("attacks lexical", "list attacks lexical"),
    "anonymizers": ("anonymizers", "list anonymizers"),
    "detectors": ("detectors patterns", "list detectors patterns"),
    "labels": ("labels CITY", "list labels CITY"),
    "bench": ("bench corpus.json --resamples 20 -m er_di", "evaluate corpus.json --with rules --resamples 20 -m er_di"),
    "bench --with": ("bench corpus.json --with nobody", "evaluate corpus.json --with nobody"),
    "surrogate": ("surrogate corpus.json -o {}", "apply corpus.json --replace surrogate -o {}"),
    "vocabulary": (
        "vocabulary corpus.json a=masks.json --tokens words",
        "corpus corpus.json a=masks.json --vocabulary --tokens words",
    ),
    "verifier train": ("verifier train corpus.json -o {}", "train verifier corpus.json -o {}"),
    "convert --from": (
        "convert corpus.json --from tab --to tab -o {}",
        "convert corpus.json --format tab --to tab -o {}",
    ),
    "scan --with": ("scan corpus.json --with=patterns", "scan corpus.json --detector=patterns"),
    "annotate --keep": (
        "annotate corpus.json --with rules --keep -o {}",
        "annotate corpus.json --with rules --keep-annotations -o {}",
    ),
    "train transformer --precision": (
        "train transformer corpus.json --precision x -o {}",
        "train transformer corpus.json --dtype x -o {}",
    ),
    "train transformer --keep": (
        "train transformer corpus.json --keep x -o {}",
        "train transformer corpus.json --keep-epoch x -o {}",
    ),
}


def test_every_former_spelling_has_a_case() -> None:
    words = {" ".join(former) for former in COMMANDS}
    words |= {f"{' '.join(command)} {option}" for command, options in OPTIONS.items() for option in options}
    assert words <= {*CASES}


@pytest.mark.parametrize(("former", "current"), CASES.values(), ids=CASES)
def test_the_former_spelling_works(former: str, current: str, desk: Any) -> None:
    before = desk.cli(*former.format("zq1").split())
    after = desk.cli(*current.format("zq2").split())
    line, _, rest = before.err.partition("\n")
    assert line.startswith("note: ")
    assert line.endswith("; the next release drops the old spelling")
    assert " is now " in line
    assert (before.status, before.out.replace("zq1", "zq2")) == (after.status, after.out)
    assert rest.replace("zq1", "zq2") == after.err
    assert (desk.folder / "zq1").exists() == (desk.folder / "zq2").exists()


def test_former_names_are_hidden(desk: Any) -> None:
    commands = desk.cli("--help").out
    assert not any(f"  {former[0]} " in commands for former in COMMANDS if len(former) == 1)
