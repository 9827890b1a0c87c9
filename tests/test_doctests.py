"""The examples in docstrings of the program.

Not by `--doctest-modules`, which looks through every file of tests and program in each process that collects.
"""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import showthrough

PROGRAM = Path(showthrough.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(PROGRAM.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PROGRAM.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_give_what_they_say(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert (found.failed, found.attempted > 0) == (0, True)  # what failed was printed
