"""Talking with a program through pipes: all questions at once, answers one by one; it never outlives this process."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO

from showthrough.core.errors import PlanError, ResourceError, at_document, quote_value, shorten
from showthrough.data.documents import Document
from showthrough.models.chat.echoes import KEPT_BACK, fold_letters, repeats

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
        texts = (fold_letters(document.text) for documents in self._told for document in documents)
        return f"; it said: {KEPT_BACK if repeats(self._said[0], texts) else shorten(self._said[0])}"

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
