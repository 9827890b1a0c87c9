"""The HTML report of a large corpus: 1,000 documents and five anonymizations, opened in a real browser.

TAB's 100 training cases are taken ten times over. Limits: the file under 40 MB, and the page interactive (all charts
drawn, a document on the desk) within 3 s of opening in Chromium; beside them the time to write the file and to open
another document. Needs SHOWTHROUGH_DATA; without Chromium only the file is measured.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from showthrough import Anonymization, Corpus, Document, evaluate, read_anonymization, read_corpus
from showthrough.anonymizers import anonymize, anonymizer
from showthrough.report.html import html_text

DOCUMENTS = 1_000
LIMIT_MB = 40
LIMIT_SECONDS = 3.0
ATTEMPTS = 3
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def written(data: Path) -> tuple[str, float]:
    """The page, and the seconds it took to write."""
    cases = read_corpus(data / "tab/train_100.json")
    found = [read_anonymization(path, cases) for path in sorted((data / "tab/train_anonymizations").glob("*.json"))]
    found.append(anonymize(cases, anonymizer("rules")))
    times = DOCUMENTS // len(cases)
    documents = [Document(f"{one.id}#{turn}", one.text, one.annotations) for turn in range(times) for one in cases]
    anonymizations = [
        Anonymization({f"{key}#{turn}": one.masks[key] for turn in range(times) for key in one.masks}, one.name)
        for one in found
    ]
    run = evaluate(Corpus(documents, "tab"), anonymizations)
    start = time.perf_counter()
    return html_text(run), time.perf_counter() - start


def opened(path: Path, browser_path: str) -> tuple[float, float]:
    """Seconds until the page can be used, and until another document stands on the desk; the best of a few times."""
    from playwright.sync_api import sync_playwright

    ready, turned = [], []
    with sync_playwright() as playwright:
        for _ in range(ATTEMPTS):
            browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
            tab = browser.new_page()
            tab.goto(path.as_uri(), wait_until="commit")
            page = tab.locator("html[data-ready]")
            page.wait_for(state="attached")
            ready.append(float(page.get_attribute("data-ready") or "inf") / 1e3)
            before = tab.locator(".title").inner_text()
            start = time.perf_counter()
            tab.keyboard.press("j")
            tab.locator(".title").filter(has_not_text=before).wait_for()
            turned.append(time.perf_counter() - start)
            browser.close()
    return min(ready), min(turned)


def main() -> int:
    data = os.environ.get("SHOWTHROUGH_DATA")
    if not data:
        print("SHOWTHROUGH_DATA is not set: nothing measured")
        return 0
    text, seconds = written(Path(data))
    size = len(text.encode()) / 1e6
    print(f"{DOCUMENTS} documents, 5 anonymizations: {size:.1f} MB   limit {LIMIT_MB} MB; written in {seconds:.1f} s")
    failed = size > LIMIT_MB
    browser = shutil.which("chromium")
    if browser is None:
        print("no chromium here: opening was not measured")
        return int(failed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(text, encoding="utf-8")
        ready, turned = opened(path, browser)
    print(f"interactive after {ready:.2f} s   limit {LIMIT_SECONDS} s; the next document after {turned:.2f} s")
    return int(failed or ready > LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
