"""A web site on this machine that does what real ones do, and what they should not."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from showthrough.formats.datasets._web import Web
from showthrough.formats.datasets.entries import Dataset, Licence, PublishedFile
from showthrough.formats.datasets.fetching import FetchedCorpus, Wish, keep

CONTENT = bytes(range(256)) * 2_000  # 512,000 bytes, more than a buffer or two


@dataclass
class Page:
    """A file on the site, and how it is served."""

    content: bytes = CONTENT
    etag: str = '"one"'
    changed: str = ""
    ranges: bool = True  # whether a part of it can be had
    if_range: bool = True  # whether the server heeds If-Range
    says_length: bool = True
    cut: int | None = None  # bytes after which the connection ends
    status: int = 200
    location: str = ""
    wait: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)


class Site:
    """Pages by path; `asked` is every question, with the range that was asked for."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.asked: list[tuple[str, str]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append((self.path, self.headers.get("Range", "")))
                _serve(self, site.pages[self.path])

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def file(self, name: str = "a.json", page: Page | None = None, **about: Any) -> PublishedFile:
        """A page, and its entry; with the sha256 of what it has, unless other digests are given."""
        self.pages[f"/{name}"] = page or Page()
        known = {"sha256": hashlib.sha256(self.pages[f"/{name}"].content).hexdigest()}
        return PublishedFile(f"{self.address}/{name}", **({"digests": known, "vouched": "the test"} | about))


def _serve(handler: BaseHTTPRequestHandler, page: Page) -> None:
    time.sleep(page.wait)
    if page.status != 200:
        handler.send_response(page.status)
        if page.location:
            handler.send_header("Location", page.location)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    start, content = _start(handler, page), page.content
    if start > len(content) or (start and start == len(content)):
        handler.send_error(416)
        return
    handler.send_response(206 if start else 200)
    if start:
        handler.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
    if page.says_length:
        handler.send_header("Content-Length", str(len(content) - start))
    for key, value in {"ETag": page.etag, "Last-Modified": page.changed, **page.headers}.items():
        if value:
            handler.send_header(key, value)
    handler.end_headers()
    handler.wfile.write(content[start : page.cut])


def _start(handler: BaseHTTPRequestHandler, page: Page) -> int:
    """From where on the file is given: from its beginning where there are no ranges, or it is another one now."""
    asked, tag = handler.headers.get("Range"), handler.headers.get("If-Range")
    if not asked or not page.ranges or (page.if_range and tag and tag not in (page.etag, page.changed)):
        return 0
    return int(asked.removeprefix("bytes=").removesuffix("-"))


WEB = Web(frozenset({"http"}), 5.0)


def corpus_of(*files: PublishedFile, **about: Any) -> Dataset:
    licence = Licence("MIT", "https://example.org/mit")
    plain = {"title": "A corpus", "about": "texts", "language": "Danish", "citation": "Us", "home": "https://x.org"}
    return Dataset(**{**plain, "name": "ours", "licence": licence, "files": files, **about})


def kept(folder: Path, *files: PublishedFile, web: Web = WEB, **wish: Any) -> FetchedCorpus:
    return keep(corpus_of(*files), folder, Wish(**wish), web=web)


@contextmanager
def reached(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site that is reached directly: whoever runs the tests may have a proxy, which does not know this machine."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    made = Site()
    yield made
    made.close()
