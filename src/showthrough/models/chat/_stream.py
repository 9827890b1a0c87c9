"""An answer while it comes in: its text, and whether anything of use can still follow.

A server may ignore what it is asked for. Then a model writes on behind the end of its JSON, repeats itself, or goes
past the limit of tokens. Nobody waits for that: the reader breaks off, and the answer says what the server ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from showthrough.core.patterns import lazy_pattern

FORM, LIMIT = "response_format", "max_tokens"  # what servers ignore, as requests name it
_FURTHER = 8  # pieces behind the end of JSON: a fence, the end of the message, the server's counts
_LOOKS = 32  # pieces between two looks for repetition
_LOOP = lazy_pattern(r"(.{8,200}?)\1{5}\Z", re.DOTALL)
_TAIL = 1300  # characters in which it is sought
_FENCE = " \t\r\n`"  # may stand behind JSON


class StreamUsage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Delta(msgspec.Struct):
    content: str | None = None


class _StreamChoice(msgspec.Struct):
    delta: _Delta = msgspec.field(default_factory=_Delta)
    finish_reason: str | None = None


class _Event(msgspec.Struct):
    choices: list[_StreamChoice] = []
    model: str | None = None
    usage: StreamUsage | None = None
    error: Any = None


_EVENT = msgspec.json.Decoder(_Event)


class BrokenStreamError(Exception):
    """It is no stream of events, ended too early, or reports a fault of the server."""


class EmptyStreamError(Exception):
    """Nothing came, not even a fault."""


class InterruptedStreamError(BrokenStreamError):
    """The server said that it was all, and did not say why. So the answer may lack its end."""

    def __init__(self) -> None:
        super().__init__("the server ended an answer without a finish_reason")


class JsonScanner:
    """Where the first JSON object or list of an answer ends, as far as the answer begins with one.

    Thoughts and the opening of a code fence may stand before it.

    >>> scanner = JsonScanner()
    >>> scanner.feed('```json\\n{"a": "}"'), scanner.feed('}\\n```')
    (None, 18)
    """

    def __init__(self) -> None:
        self._text, self._at = "", 0
        self._depth, self._in_string, self._escaped = 0, False, False
        self.begun = False
        self.end: int | None = None
        self.hopeless = False  # it begins with something else

    def feed(self, text: str) -> int | None:
        """Takes more of the answer; the number of characters up to the end of the JSON, when it is there."""
        if self.end is not None:
            return self.end
        self._text += text
        if not self.begun and not self.hopeless:
            self._find_begin()
        if self.begun:
            self._scan()
        return self.end

    def _find_begin(self) -> None:
        rest = self._text.lstrip()
        for opening, closing in (("<think>", "</think>"), ("```", ""), ("json", "")):
            if opening.startswith(rest):  # it may still become one
                return
            if rest.startswith(opening):
                _, closed, rest = rest.partition(closing or opening)
                if not closed:
                    return
                rest = rest.lstrip()
        if rest:
            self.begun = rest[0] in "{["
            self.hopeless, self._at = not self.begun, len(self._text) - len(rest)

    def _scan(self) -> None:
        for at in range(self._at, len(self._text)):
            sign = self._text[at]
            if self._in_string:
                self._in_string = self._escaped or sign != '"'
                self._escaped = sign == "\\" and not self._escaped
            elif sign == '"':
                self._in_string = True
            elif sign in "{[":
                self._depth += 1
            elif sign in "}]":
                self._depth -= 1
                if self._depth == 0:
                    self.end = at + 1
                    return
        self._at = len(self._text)


class AnswerStream:
    """What came of one answer. `is_over` holds when nothing of use can follow."""

    def __init__(self, wants_json: bool, tokens: int) -> None:
        self._pieces: list[str] = []
        self._scanner = JsonScanner() if wants_json else None
        self._most, self._after = 2 * tokens, 0
        self._tail = ""
        self.model, self.finish = "", ""
        self.usage: StreamUsage | None = None
        self.complete = False  # the server said that it was all
        self.repeats = False
        self.tokens = 0  # pieces with text, which are about as many

    def read(self, chunks: Iterable[bytes]) -> None:
        """Takes in the events of a response, until its end or until it is over.

        Raises BrokenStreamError, or EmptyStreamError.
        """
        begun = False
        for line in _lines(chunks):
            if not line.startswith(b"data:"):
                continue  # comments, which keep a connection open, and names of events
            data, begun = line[5:].strip(), True
            if data == b"[DONE]":
                if not self.finish and (self._scanner is None or self._scanner.end is None):
                    raise InterruptedStreamError
                self.complete = True
                return
            try:
                event = _EVENT.decode(data)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                raise BrokenStreamError("what came is no event in JSON") from None
            if event.error is not None:
                raise BrokenStreamError("the server reported a fault while it answered")
            self._take(event)
            if self.is_over:
                return
        self.complete = bool(self.finish)
        if not begun:
            raise EmptyStreamError
        if not self.complete:
            raise BrokenStreamError("the answer broke off")

    @property
    def is_over(self) -> bool:
        return self.repeats or self._after > _FURTHER or self.tokens > self._most

    @property
    def text(self) -> str:
        """The answer; up to the end of its JSON where it was broken off behind that."""
        text = "".join(self._pieces)
        return text if self.complete or self._scanner is None else text[: self._scanner.end]

    @property
    def ignored(self) -> set[str]:
        """What the server did not do, if it was asked to: end with the JSON, and keep to the limit of tokens."""
        ignored = {LIMIT} if self.tokens > self._most else set()
        if self._scanner is not None:
            end = self._scanner.end
            if self._scanner.hopeless or (end is not None and "".join(self._pieces)[end:].strip(_FENCE)):
                ignored.add(FORM)
        return ignored

    @property
    def was_cut(self) -> bool:
        """Whether it stopped for its length, so that a longer one may be whole. One that repeats itself is never."""
        ended = self._scanner is not None and (self._scanner.end is not None or self._scanner.hopeless)
        return not ended and not self.repeats and (self.finish == "length" or self.tokens > self._most)

    def _take(self, event: _Event) -> None:
        self.model = event.model or self.model
        self.usage = event.usage or self.usage
        for choice in event.choices[:1]:
            self.finish = choice.finish_reason or self.finish
            if choice.delta.content:
                self.take_text(choice.delta.content)

    def take_text(self, text: str) -> None:
        """Takes in a piece, which a server sends for each token."""
        self._pieces.append(text)
        self.tokens += 1
        if self._scanner is not None:
            self._after += self._scanner.end is not None
            self._scanner.feed(text)
        self._tail = (self._tail + text)[-_TAIL:]
        if self.tokens % _LOOKS == 0:
            self.repeats = _LOOP.search(self._tail) is not None


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a body; only line feeds part them, since text may have any other sign."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from (line.rstrip(b"\r") for line in whole)
    if rest:
        yield rest.rstrip(b"\r")
