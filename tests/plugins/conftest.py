"""The package of a plugin, installed beside this one as anybody's would be."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

collect_ignore = ["package"]  # it is installed, and no part of it is a test

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package was installed into."""
    folder = tmp_path_factory.mktemp("installed")
    source = Path(__file__).parent / "package"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    finished = subprocess.run([*install, "--target", str(folder), str(source)], capture_output=True, text=True)
    if finished.returncode:
        pytest.skip(f"pip cannot install here: {finished.stderr.strip()[-200:]}")
    return folder


@pytest.fixture
def command(installed: Path) -> Command:
    """`command("metrics")`: the command line where the package is installed."""
    paths = [str(installed), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200", "NO_COLOR": "1"}

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        called = [sys.executable, "-m", "showthrough", *map(str, arguments)]
        return subprocess.run(called, capture_output=True, text=True, env=environment)

    return run
