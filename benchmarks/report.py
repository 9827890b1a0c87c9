"""The HTML report of a large corpus: 1,000 documents and nine anonymizations, opened in a real browser.

TAB's 100 training cases are taken ten times over, with TAB's four anonymizations, that by rules, and four that lack a
third of the masks of another. Limits: the file under 6 MB; the page in use (all charts drawn, a document on the desk)
within 1 s of opening in Chromium; and less processor time to write it than to evaluate. Beside them, how long
another document takes. Needs SHOWTHROUGH_DATA; without Chromium only the file is measured.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from showthrough import Anonymization, Corpus, Document, evaluate, read_anonymization, read_corpus
from showthrough.report.html import html_text
from showthrough.systems import anonymize, anonymizer

DOCUMENTS = 1_000
SYSTEMS = 9
LIMIT_MB = 6
LIMIT_SECONDS = 1.0
LIMIT_SHARE = 1.0  # of the processor time of evaluating
ATTEMPTS = 3
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def poorer(system: Anonymization, seed: int) -> Anonymization:
    """The same without a third of its masks."""
    chance = random.Random(seed)
    kept = {key: [mask for mask in masks if chance.random() > 1 / 3] for key, masks in system.masks.items()}
    return Anonymization(kept, f"{system.name} without a third of its masks")


def written(data: Path) -> tuple[str, float, float]:
    """The page, and the seconds of the processor to evaluate and to write it."""
    cases = read_corpus(data / "tab/train_100.json")
    found = [read_anonymization(path, cases) for path in sorted((data / "tab/train_anonymizations").glob("*.json"))]
    found.append(anonymize(cases, anonymizer("rules")))
    found += [poorer(one, seed) for seed, one in enumerate(found)][: SYSTEMS - len(found)]
    times = DOCUMENTS // len(cases)
    documents = [Document(f"{one.id}#{turn}", one.text, one.annotations) for turn in range(times) for one in cases]
    anonymizations = [
        Anonymization({f"{key}#{turn}": one.masks[key] for turn in range(times) for key in one.masks}, one.name)
        for one in found
    ]
    start = time.process_time()
    run = evaluate(Corpus(documents, "tab"), anonymizations)
    between = time.process_time()
    text = html_text(run)
    return text, between - start, time.process_time() - between


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
    text, evaluating, writing = written(Path(data))
    size = len(text.encode()) / 1e6
    print(f"{DOCUMENTS} documents, {SYSTEMS} anonymizations: {size:.1f} MB   limit {LIMIT_MB} MB")
    share = writing / evaluating
    print(f"written in {writing:.1f} s of the processor, {share:.2f} of evaluating   limit {LIMIT_SHARE}")
    failed = size > LIMIT_MB or share > LIMIT_SHARE
    browser = shutil.which("chromium")
    if browser is None:
        print("no chromium here: opening was not measured")
        return int(failed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(text, encoding="utf-8")
        ready, turned = opened(path, browser)
    print(f"in use after {ready:.2f} s   limit {LIMIT_SECONDS} s; the next document after {turned:.2f} s")
    return int(failed or ready > LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
