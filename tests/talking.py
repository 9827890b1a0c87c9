"""A server on this machine that speaks OpenAI's protocol, answers as it is told to, and fails on schedule."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answering = Callable[[dict[str, Any]], str | Iterator[str]]  # what was sent, to what the model says, or its pieces

REFUSED, REFUSED_FOR_A_WHILE, BUSY, DROPPED, CUT, MALFORMED, NO_JSON, EMPTY = (
    "429", "429 with Retry-After", "503", "dropped", "truncated body", "malformed content", "no JSON", "no choices",
)  # fmt: skip
FAULTS = REFUSED, REFUSED_FOR_A_WHILE, BUSY, DROPPED, CUT, MALFORMED, NO_JSON, EMPTY


class DroppedError(Exception):
    """Raised among the pieces of an answer: the server drops the rest, and does not say so."""


class Talking:
    """What a server was asked and what it answered. `faults` are used up one by one, whoever asks."""

    def __init__(self, answering: Answering, faults: Iterator[str | None], delay: float = 0.0) -> None:
        self.answering, self._faults, self.delay = answering, faults, delay
        self.tries: Counter[str] = Counter()  # by what the user said
        self.answered: Counter[str] = Counter()  # whole, valid answers
        self.sent: list[dict[str, Any]] = []
        self.at_once = self.most_at_once = 0
        self.refusing: tuple[int, str] | None = None  # a status and a message for everybody
        self.elsewhere = ""  # where a redirect leads
        self.unable: tuple[str, ...] = ()  # fields that it takes for a mistake
        self.refuses: Callable[[dict[str, Any]], tuple[int, str] | None] = lambda _: None  # a status and a message
        self.lock = threading.Lock()
        self.url = ""

    def fault(self) -> str | None:
        with self.lock:
            return next(self._faults, None)

    def reply(self, asked: dict[str, Any], content: str | Iterator[str] | None = None) -> bytes:
        content = self.answering(asked) if content is None else content
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        told = {"id": "1", "object": "chat.completion", "created": 0, "model": "told-by-server", "choices": [choice]}
        return json.dumps({**told, "usage": usage}).encode()


@contextmanager
def talking(answering: Answering, *faults: str | None, delay: float = 0.0) -> Iterator[Talking]:
    """A server as long as somebody is in here."""
    state = Talking(answering, iter(faults), delay)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = asked["messages"][-1]["content"]
            with state.lock:
                state.sent.append({**asked, "path": self.path, "key": self.headers["Authorization"]})
                state.tries[said] += 1
                state.at_once += 1
                state.most_at_once = max(state.most_at_once, state.at_once)
            try:
                time.sleep(state.delay)
                self._answer(asked, said)
            finally:
                with state.lock:
                    state.at_once -= 1

        def _answer(self, asked: dict[str, Any], said: str) -> None:
            if state.refusing is not None:
                where = {"Location": state.elsewhere} if state.elsewhere else {}
                self._send(state.refusing[0], json.dumps({"error": {"message": state.refusing[1]}}).encode(), where)
                return
            if refusal := state.refuses(asked):
                self._send(refusal[0], json.dumps({"error": {"message": refusal[1]}}).encode())
                return
            if unable := [name for name in state.unable if name in asked]:
                self._send(400, json.dumps({"error": {"message": f"Unsupported parameter: '{unable[0]}'"}}).encode())
                return
            fault = state.fault()
            if fault is None and not isinstance(pieces := state.answering(asked), str):
                self._stream(pieces, said)
            elif fault is None:
                content = state.reply(asked, pieces)
                with state.lock:
                    state.answered[said] += 1
                self._send(200, content)
            elif fault in (REFUSED, REFUSED_FOR_A_WHILE):
                wait = {"Retry-After": "0"} if fault == REFUSED_FOR_A_WHILE else {}
                self._send(429, b'{"error": {"message": "slow down"}}', wait)
            elif fault == BUSY:
                self._send(503, b"busy")
            elif fault == DROPPED:
                self.connection.close()
            elif fault == CUT:
                self._send(200, state.reply(asked), short=20)
            else:
                self._send(200, _SPOILT[fault])

        def _stream(self, pieces: Iterator[str], said: str) -> None:
            """Events, without the counts that a server sends at the end."""
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            try:
                for piece in pieces:
                    self._event({"index": 0, "delta": {"content": piece}, "finish_reason": None})
                self._event({"index": 0, "delta": {}, "finish_reason": "stop"})
            except DroppedError:
                self.wfile.write(b"data: [DONE]\n\n")
                return
            except ConnectionError:  # the reader left, or the pieces break off
                return
            self.wfile.write(b"data: [DONE]\n\n")
            with state.lock:
                state.answered[said] += 1

        def _event(self, choice: dict[str, Any]) -> None:
            self.wfile.write(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
            self.wfile.flush()

        def _send(self, status: int, content: bytes, headers: dict[str, str] | None = None, short: int = 0) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) - short])
            if short:
                self.connection.close()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_SPOILT = {
    MALFORMED: b'{"choices": [{"message": {"content": "{\\"people\\": ["}}], "usage": {"completion_tokens": 5}}',
    NO_JSON: b"<html>gateway</html>",
    EMPTY: b'{"choices": []}',
}
