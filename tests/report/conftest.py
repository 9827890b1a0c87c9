"""The page of the demonstration corpus, and a real browser to look at it with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import Window
from showthrough.report.html import html_text
from showthrough.run.run import Run


@pytest.fixture(scope="session")
def demo_page(demo_run: Run) -> str:
    return html_text(demo_run)


@pytest.fixture
def window(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Window]]:
    """`window(page)` opens a page without a network; options are those of a browser context."""
    contexts = []

    def show(page: str, fragment: str = "", **options: Any) -> Window:
        path = tmp_path / "report.html"
        path.write_text(page, encoding="utf-8")
        context = browser.new_context(offline=True, **({"viewport": {"width": 1360, "height": 900}} | options))
        contexts.append(context)
        return Window(context).open(path.as_uri() + fragment)

    yield show
    for context in contexts:
        context.close()
