"""A web site for every test, reached directly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from registry.site import Site, reached


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with reached(monkeypatch) as made:
        yield made
