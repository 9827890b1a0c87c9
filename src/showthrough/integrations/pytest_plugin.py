"""The plugin for pytest: fixtures that hold releases and runs to what `[tool.showthrough]` of `pyproject.toml` asks.

pytest imports this module in every session where Showthrough is installed. So it imports nothing else of Showthrough
before a test asks for a fixture.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from showthrough.integrations.assertions import Assertions

Assertion = Callable[..., None]
Result = TypeVar("Result")


@pytest.fixture(scope="session")
def showthrough_assertions(pytestconfig: pytest.Config) -> Assertions:
    """What a release must reach here, from `[tool.showthrough]`."""
    from showthrough.integrations.assertions import Assertions

    file = Path(pytestconfig.rootpath, "pyproject.toml")
    table = tomllib.loads(file.read_text("utf-8")).get("tool", {}).get("showthrough", {}) if file.is_file() else {}
    return _failing(Assertions.of)(table, str(file))


@pytest.fixture
def assert_removed(showthrough_assertions: Assertions) -> Assertion:
    """Fails where an identifier can be read in a released text: `assert_removed(released, original, marks)`."""
    return _failing(showthrough_assertions.assert_removed)


@pytest.fixture
def assert_gate(showthrough_assertions: Assertions) -> Assertion:
    """Fails where a run does not pass the gate: `assert_gate(run, "presidio", min={"removed_di": 0.95})`."""
    return _failing(showthrough_assertions.assert_gate)


def _failing(function: Callable[..., Result]) -> Callable[..., Result]:
    """The same, failing its test in a few lines and without a traceback, which would show arguments with text."""

    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Result:
        __tracebackhide__ = True
        from showthrough.core.errors import ShowthroughError

        try:
            return function(*arguments, **options)
        except (AssertionError, ShowthroughError) as error:
            message = str(error)
        pytest.fail(message, pytrace=False)  # outside of `except`, so that no error is chained

    return called
