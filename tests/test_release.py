"""What a release consists of: its list of packages, its bill of materials, and the sites of all versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from release import add_site, bill_of_materials

PINS = """numpy==2.4.6 \\
    --hash=sha256:00
rich==15.0.0 \\
    --hash=sha256:01
colorama==0.4.6 ; sys_platform == 'win32' \\
    --hash=sha256:02
pygments==2.21.0 \\
    --hash=sha256:03
"""


def test_a_bill_has_every_pin_and_who_needs_it() -> None:
    bill = bill_of_materials(PINS, "1.0.0")
    assert bill == bill_of_materials(PINS, "1.0.0")
    assert bill["serialNumber"] != bill_of_materials(PINS, "1.0.1")["serialNumber"]
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/showthrough@1.0.0"
    assert [(each["purl"], each["scope"]) for each in bill["components"]] == [
        ("pkg:pypi/colorama@0.4.6", "optional"),
        ("pkg:pypi/numpy@2.4.6", "required"),
        ("pkg:pypi/pygments@2.21.0", "required"),
        ("pkg:pypi/rich@15.0.0", "required"),
    ]
    needs = {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}
    assert needs["pkg:pypi/rich@15.0.0"] == ["pkg:pypi/pygments@2.21.0"]
    assert needs["pkg:pypi/showthrough@1.0.0"] == ["pkg:pypi/numpy@2.4.6", "pkg:pypi/rich@15.0.0"]


def test_the_newest_version_is_what_a_reader_comes_to(tmp_path: Path) -> None:
    site, folder = tmp_path / "site", tmp_path / "sites"
    site.mkdir()
    folder.mkdir()
    for number in ("1.9.0", "1.10.2", "1.9.1"):
        (site / "index.html").write_text(number)
        add_site(site, folder, number)
    entries = json.loads((folder / "versions.json").read_text())
    assert [(entry["version"], entry["aliases"]) for entry in entries] == [("1.10", ["latest"]), ("1.9", [])]
    assert (folder / "1.9/index.html").read_text() == "1.9.1"  # a repair takes the place of what it repairs
    assert "url=1.10/index.html" in (folder / "index.html").read_text()


def test_a_site_that_was_not_built(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="make docs-site"):
        add_site(tmp_path / "site", tmp_path, "1.0.0")
