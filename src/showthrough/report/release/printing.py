"""A page as PDF, printed by a browser that is installed: it lays out what the page shows, and nothing is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from showthrough.core.errors import OutputError

BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
    "microsoft-edge-stable", "msedge", "brave-browser",
)  # fmt: skip
# Where browsers are on systems that put them on no PATH.
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
SECONDS = 60  # after which a browser that has not printed is stopped
_FLAGS = (
    "--headless", "--disable-gpu", "--disable-extensions", "--disable-background-networking",
    "--disable-component-update", "--disable-default-apps", "--disable-domain-reliability", "--disable-quic",
    "--disable-sync", "--metrics-recording-only", "--no-default-browser-check", "--no-first-run", "--no-pings",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--no-pdf-header-footer", "--print-to-pdf-no-header",
)  # fmt: skip
_REMEDY = "write the page instead (a name that ends in .html), open it in a browser and print it"


def find_browser() -> str:
    """The browser that prints; raises OutputError where there is none."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    browser = browser or next((path for path in _PLACES if os.access(path, os.X_OK)), None)
    if browser is None:
        raise OutputError(f"PDF needs Chromium, Chrome or Edge on the PATH, and none was found; {_REMEDY}")
    return browser


def print_page(page: str) -> bytes:
    """The PDF of a page that needs nothing but itself. The browser has a new profile and reaches no network."""
    browser = find_browser()
    with TemporaryDirectory(prefix="showthrough-print-", ignore_cleanup_errors=True) as folder:  # for its owner alone
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        command = [browser, *_flags(Path(folder, "profile")), f"--print-to-pdf={target}", source.as_uri()]
        errors = _call(command)
        content = target.read_bytes() if target.is_file() else b""
    if not content.startswith(b"%PDF"):
        why = f" ({errors[-200:]})" if errors else ""
        raise OutputError(f"{browser} wrote no PDF{why}; {_REMEDY}")
    return content


def _flags(profile: Path) -> Iterator[str]:
    yield from _FLAGS
    yield f"--user-data-dir={profile}"
    if sys.platform != "win32" and os.geteuid() == 0:
        yield "--no-sandbox"  # with one, browsers refuse to work for root; the page runs no script


def _call(command: list[str]) -> str:
    """What a browser says last where it fails. It is stopped, with all its processes, when it takes too long."""
    try:
        process = subprocess.Popen(  # noqa: S603 (a browser that was found, and our own page)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # so that all of its processes can be ended together
        )
    except OSError as error:
        raise OutputError(f"{command[0]} cannot be started: {error.strerror or error}; {_REMEDY}") from error
    try:
        errors = process.communicate(timeout=SECONDS)[1]
    except subprocess.TimeoutExpired:
        raise OutputError(f"{command[0]} did not print within {SECONDS} seconds; {_REMEDY}") from None
    finally:
        _stop(process)
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if process.returncode and lines else ""


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a browser that still runs, and what it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
