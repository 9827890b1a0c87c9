"""A folder of passages to rate, and a server at work on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from showthrough import Anonymization, Corpus, Document, Mask, rating_sample
from showthrough.report.html.sources import rating_page
from showthrough.studies.rating.server import RatingServer

SYSTEMS = ("plain", "odd")


def corpus() -> Corpus:
    texts = [f"Ann Lee {number} met <b>Bob</b> & me. She saw the sea." for number in range(3)]
    return Corpus([Document(f"d{number}", text) for number, text in enumerate(texts)])


def systems() -> list[Anonymization]:
    """One writes a name, the other what would be a script, were it markup."""
    written = {"plain": "Somebody", "odd": '<img src=x onerror="alert(1)">'}
    return [Anonymization({f"d{number}": [Mask(0, 7, written[name])] for number in range(3)}, name) for name in SYSTEMS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six passages: the first sentence of three documents, by two systems."""
    made = tmp_path / "ratings"
    rating_sample(corpus(), systems(), documents=3, passages=1).write(made)
    return made


@pytest.fixture
def serving(folder: Path) -> Iterator[Callable[..., RatingServer]]:
    """`serving("r1", "r2")` listens until the test ends."""
    begun: list[tuple[RatingServer, threading.Thread]] = []

    def begin(*raters: str, port: int = 0) -> RatingServer:
        server = RatingServer(folder, raters, rating_page(), port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        begun.append((server, thread))
        return server

    yield begin
    for server, thread in begun:
        server.shutdown()
        thread.join()
        with suppress(OSError):
            server.close()
