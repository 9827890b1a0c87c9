"""A service on this machine as an anonymizer: one that answers as Presidio's analyzer does."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import SplitResult, urlsplit

import msgspec

from showthrough.core.call_syntax import difference, literal, parameter
from showthrough.core.errors import PlanError, ResourceError, quote_value, shorten
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.models.chat.echo_filter import KEPT_BACK, ToldTexts
from showthrough.systems.outside.answers import ExternalAnonymizer, answer_location, check_timeout, masks_in, wrong

if TYPE_CHECKING:
    from http.client import HTTPConnection

_LONGEST = 1 << 26  # bytes of an answer
_MOST = 64  # questions at once
_OK = 200
_MOVED = range(300, 400)


@dataclass(frozen=True)
class Service(ExternalAnonymizer):
    """Hides what a service finds that answers as Presidio's analyzer does: `POST /analyze` with text and language.

    Each document's text is sent to it. It must be on this machine, unless its host is allowed by name: then the texts
    leave this machine, over http without encryption. Proxies are never asked and redirections not followed.
    """

    kind: ClassVar[str] = "http"
    needs: ClassVar[str] = "a service"

    url: str = parameter("", "where it listens: http://localhost:5002")
    language: str = parameter("en", "the language of the texts, as the service names it")
    allow: str = parameter("", "the host that texts may be sent to although it is another machine")
    timeout: float = parameter(60.0, "seconds for a whole answer, after which it is given up")
    at_once: int = parameter(4, "documents that it is asked about at the same time")

    def __post_init__(self) -> None:
        check_timeout(self.timeout)
        if not 1 <= self.at_once <= _MOST:
            raise PlanError(f"found {self.at_once}; expected 1 to {_MOST}", "at_once")
        if self.url:
            _ = self._address

    @property
    def name(self) -> str:
        options = {key: value for key, value in difference(self, Service()).items() if key != "url"}
        arguments = ", ".join(f"{key}={literal(value)}" for key, value in options.items())
        return f"{self.url or self.kind}({arguments})" if arguments else self.url or self.kind

    @property
    def _address(self) -> SplitResult:
        """Raises PlanError for what is no address, and for another machine's unless that is allowed."""
        expected = "expected http://localhost:PORT"
        try:
            address = urlsplit(self.url)
            host, _ = address.hostname, address.port
        except ValueError as error:
            raise PlanError(f"found {quote_value(self.url)}: {error}; {expected}", "url") from None
        if address.scheme not in ("http", "https") or not host or not self.url.isascii() or not self.url.isprintable():
            raise PlanError(f"found {quote_value(self.url)}; {expected}", "url")
        if (
            address.username is not None
            or address.password is not None
            or address.query
            or address.fragment
            or " " in self.url
        ):
            raise PlanError(f"has a user, a question or a mark in it; {expected}, with a path at most", "url")
        if not _is_local(host) and host != self.allow.lower():
            fault = f"{shorten(host)} is not this machine, and every document's text would be sent there"
            raise PlanError(f'{fault}; expected localhost, or allow="{shorten(host)}" to send them all the same', "url")
        return address

    def prepare(self) -> None:
        if not self.url:
            raise PlanError("no address was named; expected one, such as http://localhost:5002", "anonymizer http")
        self._connect().close()

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        with ThreadPoolExecutor(self.at_once) as threads:
            under_way = [threads.submit(self._masks, document) for document in documents]
            try:
                return [future.result() for future in under_way]
            finally:
                for future in under_way:
                    future.cancel()

    def _masks(self, document: Document) -> list[Mask]:
        from http.client import HTTPException

        location = answer_location(self.name, document)
        path = self._address.path.rstrip("/").removesuffix("/analyze") + "/analyze"
        body = msgspec.json.encode({"text": document.text, "language": self.language})
        connection, late = self._connect(), threading.Event()
        watch = threading.Timer(self.timeout, _break_off, (connection.sock, late))  # the socket's own is for each read
        watch.start()
        try:
            connection.request("POST", path, body, {"Content-Type": "application/json", "Accept": "application/json"})
            response = connection.getresponse()
            content = response.read(_LONGEST + 1)
        except (OSError, HTTPException, ValueError, AttributeError) as error:  # whatever a socket that is shut raises
            if not late.is_set() and not isinstance(error, TimeoutError):
                raise ResourceError(f"{location}: the connection broke off ({type(error).__name__})") from None
            late.set()
        finally:
            watch.cancel()
            connection.close()
        if late.is_set():
            raise ResourceError(f"{location}: no whole answer came in {self.timeout:g} seconds")
        if response.status in _MOVED:
            raise ResourceError(f"{location}: answered {response.status}, which leads elsewhere; that is not followed")
        if response.status != _OK:
            repeated = ToldTexts([document.text]).repeated_in(response.reason)
            reason = KEPT_BACK if repeated else shorten(response.reason)
            raise ResourceError(f"{location}: POST {path} was answered {response.status} {reason}; expected {_OK}")
        if len(content) > _LONGEST:
            raise ResourceError(f"{location}: answered with more than {_LONGEST >> 20} MB")
        return _masks_of(content, document, self.name)

    def _connect(self) -> HTTPConnection:
        """Straight to the address: no proxy of the environment sees a text."""
        from http.client import HTTPConnection, HTTPException, HTTPSConnection

        address = self._address
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = kind(str(address.hostname), address.port, timeout=self.timeout)
        try:
            connection.connect()
            peer = connection.sock.getpeername()[0]
        except (OSError, HTTPException, UnicodeError) as error:
            connection.close()
            why = getattr(error, "strerror", None) or type(error).__name__
            raise ResourceError(
                f"anonymizer {shorten(self.name)}: cannot be reached: {why}; is the service running?"
            ) from None
        if address.hostname != self.allow.lower() and not ipaddress.ip_address(peer.partition("%")[0]).is_loopback:
            connection.close()
            fault = f"{shorten(str(address.hostname))} is {peer}, which is not this machine"
            raise PlanError(f"{fault}; nothing was sent", f"anonymizer {shorten(self.name)}")
        return connection


def _break_off(connection: socket.socket, late: threading.Event) -> None:
    late.set()
    with suppress(OSError):  # it may have ended by itself
        connection.shutdown(socket.SHUT_RDWR)


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _masks_of(content: bytes, document: Document, name: str) -> list[Mask]:
    location = answer_location(name, document)
    expected = 'expected a list of objects such as {"start": 0, "end": 4, "entity_type": "PERSON", "score": 0.9}'
    try:
        answer: Any = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise wrong(location, f"answered what is no JSON; {expected}") from None
    if not isinstance(answer, list) or not all(isinstance(entry, dict) for entry in answer):
        raise wrong(location, f"answered {quote_value(answer)}; {expected}")
    return masks_in(answer, document, name, "answer")
