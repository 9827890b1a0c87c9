"""The page of raters, for this machine alone: who has no address with its token sees nothing and says nothing.

A browser has other pages open. None of them knows the token, which stands behind the # of the address and so in no
request. And whatever another page sends is refused by what browsers say of it: a foreign Host, Origin or site.
Ratings are kept in a journal.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socketserver
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from showthrough.core.errors import OutputError, PlanError, quote_value
from showthrough.formats.authorship.rating_folder import (
    ANSWERS,
    TITLE,
    RaterAnswer,
    RatingItem,
    SampleDesign,
    answers_file,
    latest_answers,
    read_answers,
    read_items,
)
from showthrough.storage.append_log import GrowingFile
from showthrough.storage.reading import decoded_or_none
from showthrough.storage.writing import report_os_errors

# A journal saves what one rater says before it counts: its file only grows, and one program alone writes it.


if sys.platform != "win32":
    import fcntl


class RatingJournal:
    """The answers of one rater. An answer is on disk when `add` returns, and the last one of a passage counts."""

    def __init__(self, folder: Path, rater: str, items: Mapping[str, RatingItem]) -> None:
        """Raises InputError for a file that is damaged, OutputError where another program writes it."""
        self.path = answers_file(folder, rater)
        with report_os_errors(self.path):
            (folder / ANSWERS).mkdir(mode=0o700, exist_ok=True)
        self._lock = _only_writer(self.path)
        self._turn = threading.Lock()
        self._file = GrowingFile(self.path, TITLE)
        try:
            self._said = read_answers(self.path, items)
            self._file.begin(*map(msgspec.json.encode, self._said))  # what a kill left half written is gone
        except BaseException:
            self.close()
            raise

    @property
    def current_answers(self) -> dict[str, RaterAnswer]:
        """What counts, in the order in which it was said."""
        with self._turn:
            return latest_answers(self._said)

    def add(self, answer: RaterAnswer) -> None:
        """Raises OutputError where it could not be saved; then it does not count."""
        with self._turn:
            if not self._file.is_intact:
                raise OutputError(f"{self.path}: was removed or replaced meanwhile; start rate serve again")
            self._file.add(msgspec.json.encode(answer))
            self._said.append(answer)

    def close(self) -> None:
        self._file.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _only_writer(path: Path) -> int | None:
    """A lock that ends with this program, however it ends: the file is begun anew, so no other may write it then."""
    if sys.platform == "win32":
        return None
    with report_os_errors(path):
        handle = os.open(path.with_name(f".{path.stem}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        why = "another rate serve asks this rater; open the address that it printed, or stop it first"
        raise OutputError(f"{path}: {why}") from None
    except OSError:  # a file system without locks
        pass
    return handle


LOOPBACK = "127.0.0.1"
MOST_BYTES = 1 << 14  # of an answer with its comment
_RATER = re.compile(r"\w[\w-]{0,39}")
_OWN_SITES = ("same-origin", "none")  # what a browser says of requests by the page itself, and by its user
_ANSWER = msgspec.json.Decoder(RaterAnswer)
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Session(NamedTuple):
    """One rater at work."""

    rater: str
    token: str
    journal: RatingJournal
    order: Sequence[str]  # of passages, another for each rater


class _Refusal(Exception):  # noqa: N818 (it is an answer)
    """A request that is not answered, and why."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class RatingServer(ThreadingHTTPServer):
    """Asks raters for what they think of passages. `serve_forever` does it, `close` ends it."""

    def __init__(self, folder: Path, raters: Sequence[str], page: tuple[str, str], port: int = 0) -> None:
        self.page = page  # as raters see it, and the policy that it is sent with
        check_raters(raters)
        sample, self.items = read_items(folder)
        self.sessions: list[Session] = []
        try:
            for rater in raters:
                order = order_of(sample, list(self.items), rater)
                journal = RatingJournal(folder, rater, self.items)
                self.sessions.append(Session(rater, secrets.token_urlsafe(24), journal, order))
            try:
                super().__init__((LOOPBACK, port), _Handler)
            except (OSError, OverflowError) as error:
                why = getattr(error, "strerror", None) or error
                raise PlanError(
                    f"found {port}, which cannot be listened on: {why}; expected a free port", "port"
                ) from None
        except BaseException:
            self.close_journals()
            raise

    def server_bind(self) -> None:
        """Without asking the network for this machine's name, as HTTPServer does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """What a browser calls it. Any other name was made to lead here, by whom one does not know."""
        return tuple(f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost"))

    @property
    def addresses(self) -> dict[str, str]:
        """Where each rater goes."""
        return {session.rater: f"http://{self.hosts[0]}/#{session.token}" for session in self.sessions}

    @property
    def answered(self) -> dict[str, int]:
        """How many passages each has rated."""
        return {session.rater: len(session.journal.current_answers) for session in self.sessions}

    def session(self, token: str) -> Session | None:
        """Whose token it is."""
        tokens = (
            candidate for candidate in self.sessions if secrets.compare_digest(candidate.token.encode(), token.encode())
        )
        return next(tokens, None)

    def close(self) -> None:
        self.server_close()
        self.close_journals()

    def close_journals(self) -> None:
        for session in self.sessions:
            session.journal.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves early is no error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def check_raters(raters: Sequence[str]) -> None:
    """Raises PlanError for names that are no names of files, or that two have."""
    for rater in raters:
        if not _RATER.fullmatch(rater):
            raise PlanError(f"found {quote_value(rater)}; expected letters, digits, - and _, at most 40", "rater")
    if not raters:
        raise PlanError("none was named; expected --rater NAME", "rater")
    if len({rater.casefold() for rater in raters}) < len(raters):
        raise PlanError("one is named twice; expected unique names", "rater")


def order_of(sample: SampleDesign, items: Sequence[str], rater: str) -> list[str]:
    """The passages in the order in which a rater sees them: always the same, and another for everybody."""
    seed = hashlib.blake2b(f"{sample.seed} {sample.items} {rater}".encode(), digest_size=16).digest()
    return [items[index] for index in np.random.default_rng(list(seed)).permutation(len(items)).tolist()]


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    server: RatingServer
    timeout = 30  # seconds that a client may keep a thread waiting
    server_version, sys_version = "Showthrough", ""

    def do_GET(self) -> None:
        self._answer({"/": self._page, "/items": self._items})

    def do_POST(self) -> None:
        self._answer({"/answers": self._answers})

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal is where addresses stand."""

    def _answer(self, routes: dict[str, Any]) -> None:
        try:
            self._check_sender()
            if self.path not in routes:
                raise _Refusal(HTTPStatus.NOT_FOUND, "there is no such page")
            routes[self.path]()
        except _Refusal as refusal:
            self._send(refusal.status, {"error": str(refusal)})

    def _check_sender(self) -> None:
        """Raises for requests that another page made, or that came by another name."""
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            raise _Refusal(HTTPStatus.FORBIDDEN, "found another Host than this machine's")
        origin = self.headers.get("Origin")
        if origin is not None and origin != f"http://{hosts[0]}":
            raise _Refusal(HTTPStatus.FORBIDDEN, "found another Origin than this page's")
        fetch_headers = {name: self.headers.get(f"Sec-Fetch-{name}") for name in ("Site", "Mode", "Dest")}
        followed = (
            self.command == "GET"
            and self.path == "/"
            and fetch_headers["Mode"] == "navigate"
            and fetch_headers["Dest"] == "document"
        )
        # A link may lead to the page, which is empty by itself.
        if fetch_headers["Site"] not in (None, *_OWN_SITES) and not followed:
            raise _Refusal(HTTPStatus.FORBIDDEN, "was sent by another page")

    def _session(self) -> Session:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        session = self.server.session(token) if scheme == "Bearer" else None
        if session is None:
            raise _Refusal(
                HTTPStatus.UNAUTHORIZED, "found no token that is known; open the address that was printed last"
            )
        return session

    def _page(self) -> None:
        page, policy = self.server.page
        self._send(HTTPStatus.OK, page.encode(), "text/html; charset=utf-8", policy)

    def _items(self) -> None:
        session = self._session()
        texts = [{"id": key, "text": self.server.items[key].text} for key in session.order]
        answers = [msgspec.to_builtins(answer) for answer in session.journal.current_answers.values()]
        self._send(HTTPStatus.OK, {"rater": session.rater, "items": texts, "answers": answers})

    def _answers(self) -> None:
        session = self._session()
        if self.headers.get_content_type() != "application/json" or "Content-Type" not in self.headers:
            raise _Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected application/json")
        answer = decoded_or_none(self._body(), _ANSWER)
        if answer is None or answer.item not in self.server.items:
            raise _Refusal(HTTPStatus.BAD_REQUEST, "expected a passage of this folder and 0, 1, 2 or null")
        try:
            session.journal.add(answer)
        except OutputError as error:
            raise _Refusal(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from error
        self._send(HTTPStatus.OK, {"answered": list(session.journal.current_answers)})

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or "Transfer-Encoding" in self.headers:
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED, "expected a Content-Length")
        if len(length) > len(str(MOST_BYTES)) or int(length) > MOST_BYTES:
            raise _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {MOST_BYTES} bytes")
        return self.rfile.read(int(length))

    def _send(
        self, status: HTTPStatus, content: object, content_type: str = "application/json", policy: str = ""
    ) -> None:
        body = content if isinstance(content, bytes) else msgspec.json.encode(content)
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Security-Policy": policy or "default-src 'none'"}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
