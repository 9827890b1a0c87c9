"""A web site for every test, reached directly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from registry.site import Site, without_proxies


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    without_proxies(monkeypatch)
    made = Site()
    yield made
    made.close()
