"""What PHI is called, and that the documentation says the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from showthrough import InputError, TypedMask, read_anonymization
from showthrough.data.schemes import PHI_TYPES, phi_type

PAGE = Path(__file__).resolve().parents[2] / "docs/clinical.md"
HIPAA = "ABCDEFGHIJKLMNOPQR"  # eighteen kinds
TAB = {"PERSON", "CODE", "LOC", "ORG", "DATETIME", "DEM", "QUANTITY", "MISC"}


def test_the_documentation_lists_every_type_under_its_letter() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## HIPAA's categories")[2]
    listed: dict[str, set[str]] = {}
    for row in re.findall(r"^\| (not listed|[A-R]) ?(.*)$", section, re.MULTILINE):
        letter = "" if row[0] == "not listed" else row[0]
        listed[letter] = set(re.findall(r"`([\w-]+)`", row[1]))
    assert set(listed) == {"", *HIPAA}
    for letter, names in listed.items():
        assert {phi_type(name).hipaa for name in names} <= {letter}, letter
    assert set().union(*listed.values()) == set(PHI_TYPES) - TAB


def test_hipaa_lists_eighteen_kinds() -> None:
    assert {known.hipaa for known in PHI_TYPES.values()} <= {"", *HIPAA}


def test_typed_masks_as_json(tmp_path: Path) -> None:
    path = tmp_path / "masks.json"
    path.write_text('{"a": [[0, 1], [1, 2, "X"], [2, 3, null, "DATE"]], "b": [[0, 1, "X"]]}')
    found = read_anonymization(path)
    assert found.of("a")[2] == TypedMask(2, 3, None, "DATE")
    assert [mask.entity_type for mask in [*found.of("a"), *found.of("b")]] == ["", "", "DATE", ""]
    assert found.types == {"DATE": 1}
    path.write_text('{"a": [[0, 1, null, 5]], "b": [[0, 1, null, "DATE", 5]]}')
    with pytest.raises(InputError) as caught:
        read_anonymization(path)
    lines = str(caught.value).splitlines()
    assert "document a: masks[0]" in lines[0]
    assert "expected text" in lines[0]
    assert "document b: masks" in lines[1]
    assert len(lines) == 2
