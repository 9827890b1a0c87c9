"""The picture of the demonstration report in the README: `make screenshot`. Needs chromium.

python docs/screenshot.py [FOLDER]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from showthrough.cli.demo import demo_bench
from showthrough.report.html import html_text
from showthrough.systems.workbench.runner import put_to_work, score

FOLDER = Path(__file__).parent / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
SIZE = {"width": 1280, "height": 860}


def page() -> str:
    bench = demo_bench()
    return html_text(score(bench, put_to_work(bench)))


def summary(tab: Page) -> None:
    tab.evaluate("scrollTo(0, 0)")


def document(tab: Page) -> None:
    tab.evaluate("location.hash = '#doc=clinic-03&anonymization=ner'")
    tab.locator(".title", has_text="clinic-03").wait_for()
    tab.evaluate("document.querySelector('#viewer').scrollIntoView()")


def main() -> int:
    browser_path = shutil.which("chromium")
    if browser_path is None:
        print("no chromium here: apt-get install chromium", file=sys.stderr)
        return 1
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        path = Path(place) / "report.html"
        path.write_text(page(), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        tab = browser.new_page(viewport=SIZE, color_scheme="light")
        tab.goto(path.as_uri())
        tab.locator("html[data-ready]").wait_for(state="attached")
        for view in (summary, document):
            view(tab)
            tab.screenshot(path=folder / f"report-{view.__name__}.png")
            print(folder / f"report-{view.__name__}.png")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
