"""Services as anonymizers: what they are sent, what they may answer, and that nothing goes to other machines."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import showthrough as st
from showthrough.data.masks import ScoredMask
from showthrough.systems.outside.service import Service

Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


class Quiet(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who asked may be gone before the answer."""


class Site:
    """A service on this machine that answers as it is told to, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answer: Answer = numbers
        self.headers: dict[str, str] = {}
        self.reason: str | None = None
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                site.asked.append((self.path, body))
                status, content = site.answer(body)
                self.send_response(status, site.reason)
                for key, value in {"Content-Length": str(len(content)), **site.headers}.items():
                    self.send_header(key, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *arguments: Any) -> None:
                """Nothing on the terminal."""

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


def numbers(body: dict[str, Any]) -> tuple[int, bytes]:
    found = [
        {"start": one.start(), "end": one.end(), "entity_type": "NUMBER", "score": 0.5, "analysis_explanation": None}
        for one in re.finditer(r"\d+", body["text"])
    ]
    return 200, json.dumps(found).encode()


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


CORPUS = st.Corpus([st.Document(str(number), f"😀 Room {number}") for number in range(20)])


def test_it_is_asked_as_presidios_analyzer_is_and_the_order_stays(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nobody listens there
    made = st.anonymize(CORPUS, f'{site.url}(language="da")')
    assert [list(masks) for masks in made.masks.values()] == [
        [ScoredMask(7, len(one.text), "NUMBER", "NUMBER", 0.5)] for one in CORPUS
    ]
    assert sorted(body["text"] for _, body in site.asked) == sorted(one.text for one in CORPUS)
    assert {(path, body["language"]) for path, body in site.asked} == {("/analyze", "da")}
    assert made.provenance is not None
    assert made.provenance.cost is not None
    assert (made.provenance.anonymizer, made.provenance.cost.device) == (f'{site.url}(language="da")', "outside")


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/analyze"])
def test_it_may_stand_under_a_path(site: Site, path: str) -> None:
    st.anonymize(CORPUS, site.url + path)
    assert {asked for asked, _ in site.asked} == {"/api/analyze"}


def test_several_questions_are_under_way_and_no_more_than_asked_for(site: Site) -> None:
    lock, now, most = threading.Lock(), 0, 0
    together = threading.Barrier(2, timeout=10)

    def slow(body: dict[str, Any]) -> tuple[int, bytes]:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait()  # goes on only when another is asked at the same time
        with lock:
            now -= 1
        return 200, b"[]"

    site.answer = slow
    st.anonymize(CORPUS, f"{site.url}(at_once=2)")
    assert most == 2


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ((500, b"Room 7 broke it"), "document 0: POST /analyze was answered 500 Internal Server Error; expected 200"),
        ((302, b""), "document 0: answered 302, which leads elsewhere; that is not followed"),
        ((200, b"<html>"), "document 0: answered what is no JSON; expected a list of objects such as"),
        ((200, b"\xff"), "document 0: answered what is no JSON"),
        ((200, b'{"error": "x"}'), "document 0: answered {'error': 'x'}; expected a list of objects"),
        ((200, b"[[0, 1]]"), "document 0: answered [[0, 1]]; expected a list of objects"),
        ((200, b'[{"start": 0}]'), "document 0: answer[0]: found a value of type dict"),
        ((200, b'[{"start": "0", "end": 1}]'), "document 0: answer[0]: start: found '0'; expected a whole number"),
        ((200, b'[{"start": 0, "end": 1, "score": 7}]'), "document 0: answer[0]: score: found 7"),
        ((200, b'[{"start": 0, "end": 99}]'), "document 0: masks[0]: end 99 is past the end of the text"),
    ],
)
def test_wrong_answers_are_one_line_each(site: Site, answer: tuple[int, bytes], fault: str) -> None:
    site.answer, site.headers = (lambda _: answer), {"Location": "http://pii.example/"} if answer[0] == 302 else {}
    with pytest.raises((st.InputError, st.ResourceError)) as caught:
        st.anonymize(CORPUS.part(range(1)), site.url)
    assert str(caught.value).startswith(f"anonymizer {site.url}: {fault}")
    assert len(str(caught.value).splitlines()) == 1


def test_one_that_says_nothing_is_given_up(site: Site) -> None:
    ended = threading.Event()

    def silent(body: dict[str, Any]) -> tuple[int, bytes]:
        ended.wait(10)
        return 200, b"[]"

    site.answer = silent
    with pytest.raises(st.ResourceError, match=r"document 0: no whole answer came in 0\.05 seconds"):
        st.anonymize(CORPUS.part(range(1)), f"{site.url}(timeout=0.05)")
    ended.set()


@pytest.mark.parametrize("before", [b"", b"HTTP/1.0 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n"])
def test_one_that_sends_a_byte_now_and_then_is_given_up(before: bytes) -> None:
    """It comes to an end by itself, though later: else a fault here would never end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def drip() -> None:
            connection, _ = server.accept()  # of the first look whether somebody is there
            connection.close()
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(1 << 16)
                connection.sendall(before)
                for _ in range(100):
                    connection.sendall(b" ")
                    if ended.wait(0.1):
                        break

        thread = threading.Thread(target=drip)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(st.ResourceError, match=r"document 0: no whole answer came in 0\.5 seconds"):
            st.anonymize(CORPUS.part(range(1)), f"{url}(timeout=0.5)")
        ended.set()
        thread.join()


@pytest.mark.parametrize("reason", ["no: ROOM  of Élise Lund", "no: élise"])
def test_a_reason_that_repeats_the_text_is_not_shown(site: Site, reason: str) -> None:
    site.answer, site.reason = (lambda _: (500, b"")), reason
    with pytest.raises(st.ResourceError) as caught:
        st.anonymize(st.Corpus([st.Document("a", "In the room of Elise Lund.")]), site.url)
    assert "was answered 500 (it repeats what it was sent, and is not shown); expected 200" in str(caught.value)


def test_nobody_there() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    url = f"http://127.0.0.1:{server.server_port}"
    server.server_close()
    with pytest.raises(st.ResourceError, match=f"anonymizer {url}: cannot be reached: Connection refused"):
        st.anonymize(CORPUS, url)


def test_no_address() -> None:
    with pytest.raises(st.PlanError, match="no address was named"):
        st.anonymize(CORPUS, "http")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "LOCALHOST"])
def test_this_machine_needs_no_leave(host: str) -> None:
    assert Service(f"http://{host}:5002").url


@pytest.mark.parametrize("host", ["pii.example", "10.0.0.1", "localhost.pii.example", "127.0.0.1.pii.example"])
def test_another_machine_has_to_be_allowed_by_name(host: str) -> None:
    with pytest.raises(st.PlanError, match="is not this machine, and every document's text would be sent there"):
        Service(f"http://{host}")
    with pytest.raises(st.PlanError, match="is not this machine"):
        Service(f"http://{host}", allow="pii")
    assert Service(f"http://{host}", allow=host).url


@pytest.mark.parametrize("more", ["", '(allow="pii.example")'])
def test_a_name_that_leads_elsewhere_is_found_out_before_anything_is_sent(
    site: Site, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    class Elsewhere:
        def getpeername(self) -> tuple[str, int]:
            return "192.0.2.1", 80

        def close(self) -> None:
            """As a socket has it."""

    monkeypatch.setattr("http.client.HTTPConnection.connect", lambda self: setattr(self, "sock", Elsewhere()))
    with pytest.raises(st.PlanError, match=r"localhost is 192\.0\.2\.1, which is not this machine; nothing was sent"):
        st.anonymize(CORPUS, f"http://localhost:5002{more}")
    assert site.asked == []
