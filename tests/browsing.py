"""A page in a real browser, and everything that goes on in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

# Words that stand outside the window or outside what clips them; only what is drawn for eyes is looked at.
CUT = """() => {
  const cut = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    const hidden = ".unseen, .skip, script, select, details:not([open])";
    if (!node.textContent.trim() || parent.closest(hidden)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      let [left, right] = [0, innerWidth];
      for (let one = parent; one; one = one.parentElement) {
        if (getComputedStyle(one).overflowX === "visible") continue;
        left = Math.max(left, one.getBoundingClientRect().left);
        right = Math.min(right, one.getBoundingClientRect().right);
      }
      const whole = box.left >= left - 1 && box.right <= right + 1;
      if (box.width && !whole) cut.push(`${parent.tagName}: ${node.textContent.trim().slice(0, 60)}`);
    }
  }
  return [...new Set(cut)];
}"""


class Window:
    """An open page, and everything that went on in it that should not."""

    def __init__(self, context: Any) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.tab = context.new_page()
        self.tab.set_default_timeout(30_000)
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("console", lambda message: self.errors.append(message.text))
        self.tab.on("dialog", lambda dialog: (self.errors.append(dialog.message), dialog.dismiss()))
        # What the page's policy had to stop; asked for before any script of the page runs.
        self.tab.add_init_script(
            "window.stopped = [];"
            "addEventListener('securitypolicyviolation', event => stopped.push(event.violatedDirective));"
        )

    def open(self, address: str) -> Window:
        self.tab.goto(address)
        self.tab.locator("html[data-ready]").wait_for(state="attached")
        return self

    def until(self, holds: Callable[[], bool]) -> None:
        """Waits until something holds. The page's policy forbids what Playwright would wait with."""
        for _ in range(1_000):
            if holds():
                return
            self.tab.wait_for_timeout(30)
        assert holds()

    def text(self, selector: str) -> str:
        return str(self.tab.locator(selector).first.inner_text())

    def stopped(self) -> list[str]:
        return list(self.tab.evaluate("stopped"))

    def cut(self) -> list[str]:
        """Words that cannot be read for want of room."""
        return list(self.tab.evaluate(CUT))

    def violations(self) -> list[str]:
        """What axe-core finds that is serious or critical."""
        package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
        self.tab.evaluate((Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
        found = self.tab.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [
            f"{one['id']}: {node['target']} {node['failureSummary']}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"][:3]
        ]
