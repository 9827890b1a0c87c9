"""A program as an anonymizer: documents as lines of JSON on its standard input, answers as lines on its output."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar

import msgspec

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, ResourceError, at_document, quote_value, shorten
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.models.chat.echo_filter import KEPT_BACK, ToldTexts
from showthrough.systems.outside.answers import (
    ExternalAnonymizer,
    answer_location,
    check_timeout,
    masks_in,
    masks_of_text,
    wrong,
)

# A program is asked through pipes: all questions at once, answers one by one. It never outlives this process.

_LONGEST = 1 << 26  # bytes of an answer: more is no answer but a flood
_ENDING = 5  # seconds that a program takes at most to end by itself once its output has ended
# Ends a program when this process is gone, however it ended: the pipe that it waits on closes then. A word says that
# there is nothing to end any more.
_WATCH = "import os, signal, sys\nif not sys.stdin.read(): os.killpg(int(sys.argv[1]), signal.SIGKILL)"


class Conversation:
    """A program that runs. Raises PlanError where it cannot be started."""

    def __init__(self, name: str, arguments: Sequence[str], timeout: float) -> None:
        self._place, self._timeout = f"anonymizer {shorten(name)}", timeout
        posix = os.name == "posix"
        try:
            self._process = subprocess.Popen(  # noqa: S603 (what the user asked to be run)
                list(arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={"PYTHONUNBUFFERED": "1", **os.environ},  # else a Python program keeps its answers to itself
                start_new_session=posix,  # Ctrl-C is this program's to handle
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise PlanError(f"cannot start {quote_value(arguments[0])}: {why}", self._place) from None
        self._watch = _start_watchdog(self._process.pid) if posix else None
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._said: deque[str] = deque(maxlen=1)
        self._told: deque[Sequence[Document]] = deque(maxlen=2)  # what it said may be about the ones before
        self._listener = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._hearer = threading.Thread(target=self._overhear, args=(self._process.stderr,), daemon=True)
        self._listener.start()
        self._hearer.start()

    def answers(self, documents: Sequence[Document], *, last: bool) -> Iterator[bytes]:
        """One line for each document; after the `last` ones its input ends. Raises ResourceError where none comes."""
        self._told.append(documents)
        teller = threading.Thread(target=self._tell, args=(documents, last), daemon=True)
        teller.start()  # beside, since a program may fill its output before it has read all
        for document in documents:
            yield self._answer(document)
        teller.join()

    def _tell(self, documents: Sequence[Document], last: bool) -> None:
        stdin = self._process.stdin
        with suppress(OSError, ValueError):  # it has ended, which its missing answer tells
            if stdin is not None:
                for document in documents:
                    stdin.write(json.dumps({"id": document.id, "text": document.text}).encode() + b"\n")
                stdin.flush()
                if last:
                    stdin.close()

    def _answer(self, document: Document) -> bytes:
        location = f"{self._place}: {at_document(document.id)}"
        try:
            line = self._lines.get(timeout=self._timeout)
        except queue.Empty:
            hint = "expected a line for each document as soon as it was read, flushed (or anew=true)"
            raise ResourceError(
                f"{location}: no answer came for {self._timeout:g} seconds; {hint}{self._last_words}"
            ) from None
        if line is None:
            raise ResourceError(f"{location}: {self._end()} before it answered{self._last_words}")
        if len(line) >= _LONGEST:
            raise ResourceError(f"{location}: answered with a line of more than {_LONGEST >> 20} MB")
        return line

    def _end(self) -> str:
        try:
            status = self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            return "the program closed its output"
        self._hearer.join(_ENDING)
        return (
            f"the program ended with exit status {status}"
            if status >= 0
            else f"the program was killed ({_signal(status)})"
        )

    @property
    def _last_words(self) -> str:
        if not self._said:
            return ""
        texts = ToldTexts(document.text for documents in self._told for document in documents)
        return f"; it said: {KEPT_BACK if texts.repeated_in(self._said[0]) else shorten(self._said[0])}"

    def _listen(self, output: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while line := output.readline(_LONGEST):
                if line.strip():
                    self._lines.put(line)
                if len(line) >= _LONGEST:
                    break
        self._lines.put(None)

    def _overhear(self, output: IO[bytes]) -> None:
        """Of what it says beside, the last line is kept; all is read, or it would stand still some day."""
        with suppress(OSError, ValueError):
            while line := output.readline(1 << 16):
                if message := line.decode("utf-8", "replace").strip():
                    self._said.append(message)

    def close(self) -> None:
        """Ends the program and all that it started."""
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        if self._watch is not None:
            self._watch.communicate(b"done")
        for thread in (self._listener, self._hearer):
            thread.join(_ENDING)
        for channel in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):
                if channel is not None:
                    channel.close()


def _start_watchdog(pid: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", "-c", _WATCH, str(pid)]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True)  # noqa: S603 (this very interpreter)


def _signal(status: int) -> str:
    return signal.Signals(-status).name if -status in {*signal.Signals} else f"signal {-status}"


_EXPECTED = '{"id": …, "masks": [[start, end, type, score], …]} or {"id": …, "text": the anonymized text}'
_running: dict[Program, Conversation] = {}  # in this process: a program is started once


@dataclass(frozen=True)
class Program(ExternalAnonymizer):
    """Hides what a program of your own finds: any that reads documents as JSON Lines and answers a line for each.

    It reads `{"id": "a", "text": "…"}`, a line a document, and writes `{"id": "a", "masks": [[0, 4, "PERSON", 0.9]]}`
    in the same order: type and score may be left out, and masks may be objects with start, end, entity_type, score and
    replacement. A program that rewrites answers `{"id": "a", "text": "…"}`. Offsets count code points.
    """

    kind: ClassVar[str] = "cmd"
    needs: ClassVar[str] = "a program"

    command: str = parameter("", "the program and its arguments, as on a command line; no shell reads it")
    timeout: float = parameter(300.0, "seconds without an answer after which it is given up")
    anew: bool = parameter(
        False, "start it for every batch, and end its input there: for programs that read all before they answer"
    )

    def __post_init__(self) -> None:
        check_timeout(self.timeout)
        if self.command:
            _ = self.arguments

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.command}" if self.command and self == Program(self.command) else super().name

    @property
    def arguments(self) -> list[str]:
        """Raises PlanError for what is no command."""
        try:
            words = shlex.split(self.command, posix=os.name != "nt")
        except ValueError as error:
            raise PlanError(f"found {quote_value(self.command)}: {str(error).lower()}", "command") from None
        if not words or "\0" in self.command:
            raise PlanError("found no program; expected one, as in cmd:python mine.py", "command")
        return words

    @property
    def pinned(self) -> Mapping[str, str]:
        """The digest of each file that the command names, the program itself aside."""
        files = [Path(argument) for argument in self.arguments[1:]]
        return {path.name: _digest(path) for path in files if path.is_file()}

    def prepare(self) -> None:
        _ = self._conversation

    @property
    def _conversation(self) -> Conversation:
        if self not in _running:
            _running[self] = Conversation(self.name, self.arguments, self.timeout)
        return _running[self]

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        conversation, stays = self._conversation, False
        try:
            answers = conversation.answers(documents, last=self.anew)
            masks = [self._masks(document, line) for document, line in zip(documents, answers, strict=True)]
            stays = not self.anew
        finally:
            if not stays:  # of one that is stopped in the middle, the rest of the answers is still to come
                self.finish()
        return masks

    def finish(self) -> None:
        if self in _running:
            _running.pop(self).close()

    def _masks(self, document: Document, line: bytes) -> list[Mask]:
        location = answer_location(self.name, document)
        try:
            answer: Any = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise wrong(
                location, f"answered {_quote_line(line)}, which is no JSON; expected a line {_EXPECTED}"
            ) from None
        if not isinstance(answer, dict):
            raise wrong(location, f"answered {quote_value(answer)}; expected a line {_EXPECTED}")
        if "id" not in answer:
            raise wrong(f"{location}: id", f"is missing from the answer; expected a line {_EXPECTED}")
        if answer["id"] != document.id:
            actual, expected = quote_value(answer["id"]), quote_value(document.id)
            fault = f"found {actual}; expected {expected}: answers come in the order of the documents"
            raise wrong(f"{location}: id", fault)
        if ("masks" in answer) == ("text" in answer):
            which = "both masks and text" if "masks" in answer else "neither masks nor text"
            raise wrong(location, f"answered {which}; expected a line {_EXPECTED}")
        if "masks" in answer:
            return masks_in(answer["masks"], document, self.name)
        if not isinstance(answer["text"], str):
            raise wrong(f"{location}: text", f"found {quote_value(answer['text'])}; expected the anonymized text")
        return masks_of_text(answer["text"], document)


def _quote_line(line: bytes) -> str:
    return quote_value(line.decode("utf-8", "replace"))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
