"""What comes over the wire for one question: so many bytes at most, and all of it in time.

The client's own time limit is for each read, so that a server may send a byte a second for ever; and it unpacks
whatever comes. Here reads have what is left of one limit, and answers that are packed, which nobody asks for, are not
unpacked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import Any

import httpcore2
import httpx2

from showthrough.storage.limits import in_words

MOST = 16_000_000  # bytes of an answer with its headers; the longest are some hundred thousand

ReadError, LateError = httpx2.RequestError, httpx2.TimeoutException  # while an answer comes in


class WireError(Exception):
    """An answer is not read to its end."""


class FloodError(WireError):
    """It is longer than any."""


class PackedError(WireError):
    """It is packed, and may unpack to anything."""


class Turn(threading.local):
    """What is left for the question that a thread asks."""

    until = float("inf")
    bytes = MOST

    def begin(self, seconds: float) -> None:
        self.until, self.bytes = time.monotonic() + seconds, MOST

    def remaining(self, timeout: float | None, late: type[Exception]) -> float:
        left = min(self.until - time.monotonic(), float("inf") if timeout is None else timeout)
        if left <= 0:
            raise late
        return left

    def take(self, count: int) -> None:
        self.bytes -= count
        if self.bytes < 0:
            raise FloodError(f"answered with more than {in_words(MOST)}")


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream, turn: Turn) -> None:
        self._inner, self._turn = inner, turn

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        content = self._inner.read(max_bytes, self._turn.remaining(timeout, httpcore2.ReadTimeout))
        self._turn.take(len(content))
        return content

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._turn.remaining(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = self._turn.remaining(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._turn)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Network(httpcore2.NetworkBackend):
    def __init__(self, turn: Turn) -> None:
        self._inner, self._turn = httpcore2.SyncBackend(), turn

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        left = self._turn.remaining(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.connect_tcp(host, port, left, local_address, socket_options), self._turn)


def build_client(turn: Turn, proxy: str | None) -> httpx2.Client:
    """A client that follows no redirect and asks no environment. Raises ImportError or ValueError for a bad proxy."""
    transport = httpx2.HTTPTransport(trust_env=False, proxy=proxy, limits=httpx2.Limits(max_connections=None))
    transport._pool._network_backend = _Network(turn)  # no argument leads there
    return httpx2.Client(
        transport=transport,
        follow_redirects=False,
        trust_env=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_check_unpacked]},
    )


def _check_unpacked(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise PackedError("its answer is packed, which it was asked not to do")
