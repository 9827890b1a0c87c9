"""A program as an anonymizer: documents as lines of JSON on its standard input, answers as lines on its output."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, quote_value
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.systems.outside.answers import (
    ExternalAnonymizer,
    check_timeout,
    masks_in,
    masks_of_text,
    place_of,
    wrong,
)
from showthrough.systems.outside.conversation import Conversation

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
        location = place_of(self.name, document)
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
