"""A web site for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from registry.site import Site


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()
