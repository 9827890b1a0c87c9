"""One question over the wire and back, through the `openai` client, which tries it once and follows no redirect."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec

from showthrough.core.errors import ResourceError, UnavailableError, shorten
from showthrough.models.chat._stream import (
    FORM,
    AnswerStream,
    BrokenStreamError,
    EmptyStreamError,
    InterruptedStreamError,
    StreamUsage,
)
from showthrough.models.chat.base import ChatQuestion, Reply
from showthrough.models.chat.consent import KEY, Address
from showthrough.models.chat.echo_filter import KEPT_BACK, ToldTexts
from showthrough.models.chat.estimate import LETTERS

SEED = 0
_CONNECT, _ANSWER = 10.0, 600.0  # seconds for a connection, and for a whole answer
_LATER = {408, 409, 425, 429}  # and all from 500 on
_UNASKABLE = {400, 413, 422}
_INVALID_REQUEST = "validation error"  # how servers of FastAPI say it, some with 500
_MOVED = range(300, 400)
_ELSEWHERE = 12  # letters that may stand in a document that the question was not about: any ten stand in some
_MEANS = {
    401: f"the server does not take the key; {KEY} holds it",
    403: f"the server does not let the key of {KEY} ask that model",
    404: "the server has no such model, or it is not asked there: most URLs end in /v1",
}
# What servers may refuse, and the words by which they say that it was this.
_OPTIONAL = {
    "response_format": ("response_format", "json_schema", "structured output", "guided"),
    "seed": ("seed",),
    "temperature": ("temperature",),
    "max_tokens": ("max_tokens",),
    "stream_options": ("stream_options", "include_usage"),
    "stream": ("stream",),
}
_EVENTS = "text/event-stream"
_TOO_LONG = ("context_length", "context length", "maximum context", "too long", "too large", "too many tokens")
_FILTERED = ("content_filter", "content filter", "content management policy", "content_policy")
TRIES = 8  # of one question, whatever goes wrong
PAID = 5  # answers to one question, where none of them is valid
FIRST, LONGEST = 0.5, 60.0  # seconds to wait after a first try, and at most where nobody says
TOLD = 600.0  # seconds that a server may ask for
_SPEAKS = 2  # tokens after which a server has begun to answer
_TICK = 0.05  # seconds between two looks at who may ask


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: StreamUsage | None = None


_COMPLETION = msgspec.json.Decoder(_Completion)


class LaterError(Exception):
    """It may work the next time. `wait` are the seconds that the server asks for."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


class InterruptedAnswerError(LaterError):
    """The server stopped answering without a reason: some do when the next question comes."""


class UnaskableError(Exception):
    """This question can have no answer, and others can."""


class ServerAnswer(msgspec.Struct, frozen=True):
    """What the server said, which is paid, whether it is of use or not."""

    reply: Reply
    cut: bool  # it was longer than the question allowed
    ignored: tuple[str, ...] = ()  # what the server was asked for and did not do
    broken: bool = False  # nobody waited for its end: the model repeated itself, or went on without a limit


class Client:
    """Talks to one server. What that refuses is left out from then on."""

    def __init__(self, address: Address, hosts: Collection[str]) -> None:
        try:
            import openai

            from showthrough.models.chat import _wire  # which is built on what that is
        except ImportError:
            raise UnavailableError(f"{address.name} needs the package openai: pip install 'showthrough[llm]'") from None
        self._openai, self._wire = openai, _wire
        self._address, self._hosts = address, hosts
        self._refused: set[str] = set()
        self._by_object = False  # whether a schema goes as that of a `json_object`
        self.one_by_one = False  # it drops answers when the next question comes
        self._lock = threading.Lock()
        self._heard = False  # from that server, ever
        self._told = ToldTexts([])  # all that it was ever sent: a reply to one batch may repeat another
        self._key = address.key
        self.tokens = 0  # of all answers so far, with those that are still coming
        if fault := address.key_fault:
            raise ResourceError(f"{address.name}: {fault}")

    @contextmanager
    def connect(self, texts: Sequence[str]) -> Iterator[None]:
        """In here it can be asked about these texts; what is still under way at the end breaks off."""
        self._told, self._turn = self._told.and_also(texts), self._wire.Turn()
        proxy = self._address.proxy(self._hosts)
        try:
            http = self._wire.build_client(self._turn, proxy)
        except (ImportError, ValueError):  # of a kind that it does not know, or that needs a package
            raise self._nobody("the proxy of the environment cannot be used; expected one of http://…") from None
        timeout = self._openai.Timeout(_ANSWER, connect=_CONNECT)
        self._client = self._openai.OpenAI(
            api_key=self._key, base_url=self._address.url, max_retries=0, timeout=timeout, http_client=http
        )
        with self._client:
            yield

    @property
    def at_once(self) -> int:
        """How many questions may be under way: two until it answers, and one where it drops the first of them then."""
        if self.one_by_one:
            return 1
        return sys.maxsize if self._heard or self.tokens >= _SPEAKS else 2

    def ask(self, question: ChatQuestion, number: int, tokens: int) -> ServerAnswer:
        """Raises LaterError, UnaskableError, or ResourceError where nobody can be asked anything."""
        whole = False
        while True:
            sent = self._build_request(question, number, tokens, whole)
            self._turn.begin(_ANSWER)
            try:
                with self._client.chat.completions.with_streaming_response.create(**sent) as response:
                    if response.headers.get("content-type", "").startswith(_EVENTS):
                        return self._read_stream(response.iter_bytes(), question, tokens, sent)
                    return self._parse_answer(response.read(), question, sent)
            except EmptyStreamError:  # where an answer is no stream, the server can say why there is none
                whole = True
            except self._openai.APIStatusError as error:
                if not self._leave_out(error, sent):
                    raise self._fault(error, question) from None
            except self._openai.APITimeoutError:
                raise LaterError("no answer came in time") from None
            except (self._openai.APIConnectionError, self._wire.WireError) as error:
                raise self._connection_error(error) from None
            except self._wire.ReadError as error:  # while an answer came in
                raise self._reading_error(error) from None

    def _build_request(self, question: ChatQuestion, number: int, tokens: int, whole: bool) -> dict[str, Any]:
        optional: dict[str, Any] = {"temperature": 0, "seed": SEED + number, "max_tokens": tokens}
        if not whole and "stream" not in self._refused:
            optional |= {"stream": True, "stream_options": {"include_usage": True}}
        if question.schema is not None and self._by_object:
            optional[FORM] = {"type": "json_object", "schema": question.schema}
        elif question.schema is not None:
            form = {"name": "answer", "strict": True, "schema": question.schema}
            optional[FORM] = {"type": "json_schema", "json_schema": form}
        if "max_tokens" in self._refused:
            optional["max_completion_tokens"] = tokens
        messages = [{"role": "system", "content": question.instructions}, {"role": "user", "content": question.text}]
        options = {name: value for name, value in optional.items() if name not in self._refused}
        return {"model": self._address.model, "messages": messages, **options}

    def _read_stream(
        self, chunks: Iterator[bytes], question: ChatQuestion, tokens: int, sent: Mapping[str, Any]
    ) -> ServerAnswer:
        """An answer as it comes, until nothing of use can follow. The server's counts come last, if at all."""
        stream = AnswerStream(question.schema is not None, tokens)
        try:
            stream.read(self._count_events(chunks))
        except InterruptedStreamError as error:
            self.one_by_one = True
            raise InterruptedAnswerError(str(error)) from None
        except BrokenStreamError as error:
            raise LaterError(str(error)) from None
        self._heard = True
        if stream.finish == "content_filter" and not stream.text:
            raise UnaskableError("the server's content filter kept the answer back")
        usage = stream.usage or StreamUsage()
        letters = sum(len(message["content"]) for message in sent["messages"])
        tokens_in = letters // LETTERS if usage.prompt_tokens is None else max(usage.prompt_tokens, 0)
        tokens_out = stream.tokens if usage.completion_tokens is None else max(usage.completion_tokens, 0)
        reply = Reply(stream.text, shorten(stream.model, 80), tokens_in, tokens_out)
        return ServerAnswer(reply, stream.was_cut, tuple(sorted(stream.ignored & set(sent))), not stream.complete)

    def _count_events(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            with self._lock:
                self.tokens += chunk.count(b'"content"')  # about one an event, which is about a token
            yield chunk

    def _parse_answer(self, content: bytes, question: ChatQuestion, sent: Mapping[str, Any]) -> ServerAnswer:
        """An answer that came whole, from a server that sends no events."""
        try:
            completion = _COMPLETION.decode(content)
            choice = completion.choices[0]
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, IndexError):
            raise LaterError("what came is no completion in JSON") from None
        self._heard = True
        usage = completion.usage or StreamUsage()
        counts = max(usage.prompt_tokens or 0, 0), max(usage.completion_tokens or 0, 0)
        if choice.finish_reason == "content_filter" and not choice.message.content:
            raise UnaskableError("the server's content filter kept the answer back")
        with self._lock:
            self.tokens += counts[1]
        reply = Reply(choice.message.content or "", shorten(completion.model or "", 80), *counts)
        stream = AnswerStream(question.schema is not None, 10**9)
        stream.take_text(reply.content)
        return ServerAnswer(reply, choice.finish_reason == "length", tuple(sorted(stream.ignored & set(sent))))

    def _leave_out(self, error: Any, sent: Mapping[str, Any]) -> bool:
        """Whether the server refused something that it can do without: then that is left out, once and for all."""
        message = f"{error.param or ''} {error.message} {error.body or ''}".lower()
        if error.status_code not in _UNASKABLE and not (error.status_code == 500 and _INVALID_REQUEST in message):
            return False
        if any(word in message for word in _TOO_LONG):  # which servers may say of max_tokens
            return False
        with self._lock:
            for name, words in _OPTIONAL.items():
                if name in sent and any(word in message for word in words):
                    if name == FORM and sent[name]["type"] == "json_schema":
                        self._by_object = True
                    else:
                        self._refused.add(name)
                    return True
        # Another thread may have found it out meanwhile: then the question differs now.
        return any(name in sent for name in self._refused)

    def _fault(self, error: Any, question: ChatQuestion) -> Exception:
        status, headers = error.status_code, error.response.headers
        why = f"{status} {self._reason(error, question)}".strip()
        message = f"{error.code or ''} {error.message}".lower()
        if status in _LATER or status >= 500:
            wait = parse_retry_after(headers.get("retry-after-ms"), headers.get("retry-after"))
            if "insufficient_quota" in message or (wait or 0) > TOLD:
                return self._nobody(why if wait is None else f"{why}; it asks to wait {wait:,.0f} seconds")
            return LaterError(why, wait)
        if status in _MOVED:
            where = shorten(urlsplit(headers.get("location", "")).hostname or "elsewhere")
            return self._nobody(f"{status}, which leads to {where}; that is not followed")
        if status in _UNASKABLE and any(word in message for word in _TOO_LONG):
            return UnaskableError("the text is longer than the model takes")
        if status in _UNASKABLE and any(word in message for word in _FILTERED):
            return UnaskableError("the server's content filter refused the text")
        return self._nobody(why)

    def _connection_error(self, error: Exception) -> Exception:
        cause = error if isinstance(error, self._wire.WireError) else error.__cause__
        if isinstance(cause, self._wire.FloodError):
            return LaterError(str(cause))
        if isinstance(cause, self._wire.PackedError):
            return self._nobody(str(cause))
        why = f"the connection failed ({type(cause).__name__ if cause else 'unknown'})"
        if self._heard or cause is None or type(cause).__name__ != "ConnectError":
            return LaterError(why)
        return self._nobody(f"nobody answers at {self._address.url}: is the server running?")

    def _reading_error(self, error: Exception) -> Exception:
        late = isinstance(error, self._wire.LateError)
        return LaterError("no answer came in time" if late else f"the connection failed ({type(error).__name__})")

    def _nobody(self, why: str) -> ResourceError:
        return ResourceError(f"{self._address.name}: {self._address.host}: {why}")

    def _reason(self, error: Any, question: ChatQuestion) -> str:
        """What the server says, unless it repeats what it was sent: no message is a place for a document or a key.

        Whichever question that was: a server that is asked many at once, or kept an earlier one, may mix them up.
        """
        body = error.body if isinstance(error.body, Mapping) else {}
        message = body.get("message") or body.get("detail") or error.response.reason_phrase
        text = " ".join(str(message).split())
        long = len(text) > 2000 or self._key in text
        if long or ToldTexts([question.text, self._key]).repeated_in(text) or self._told.repeated_in(text, _ELSEWHERE):
            text = KEPT_BACK
        meant = _MEANS.get(error.status_code)
        return f"{meant}: {shorten(text, 200)}" if meant else shorten(text, 200)


class RetryPolicy:
    """Shared by all threads that ask one server. `stop` ends all waiting."""

    def __init__(self, rate: float, stop: threading.Event) -> None:
        self._gap = 60 / rate if rate else 0.0
        self._next = 0.0  # when the next question may be sent
        self._lock, self._free = threading.Lock(), threading.Condition()
        self._under_way = 0
        self._stop = stop

    @contextmanager
    def turn(self, at_once: Callable[[], int] = lambda: sys.maxsize) -> Iterator[bool]:
        """Waits until one more question may be sent, which happens in here; False in here where all is stopped."""
        with self._free:
            while self._under_way >= at_once() and not self._stop.is_set():
                self._free.wait(_TICK)
            self._under_way += 1
        try:
            with self._lock:
                mine = max(self._next, time.monotonic())
                self._next = mine + self._gap
            yield not self._stop.wait(max(0.0, mine - time.monotonic()))
        finally:
            with self._free:
                self._under_way -= 1
                self._free.notify_all()

    def after(self, tries: int, seconds: float | None) -> bool:
        """Waits after so many tries; whoever was told how long makes all others wait as well."""
        if seconds is not None:
            with self._lock:
                self._next = max(self._next, time.monotonic() + seconds)
            return not self._stop.wait(seconds)
        pause = min(LONGEST, FIRST * 2 ** (tries - 1))
        return not self._stop.wait(pause * (0.5 + random.random() / 2))


def parse_retry_after(milliseconds: str | None, retry_after: str | None) -> float | None:
    """Seconds that a server asks to wait, by its headers: a number, or a date. None where it says nothing useful.

    >>> parse_retry_after(None, "2"), parse_retry_after("1500", "2"), parse_retry_after(None, "soon")
    (2.0, 1.5, None)
    """
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        if retry_after is None:
            return None
        if retry_after.strip().replace(".", "", 1).isdigit():
            return float(retry_after)
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
