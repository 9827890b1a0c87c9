"""There and back through another language, by a program or a language model that translates (PAN 2016, B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, quote_value
from showthrough.data.alignment import align
from showthrough.data.documents import Document
from showthrough.data.masks import Mask, apply_masks
from showthrough.models.chat.base import MODEL
from showthrough.models.chat.consent import address_of
from showthrough.systems.obfuscators._translation import Translator
from showthrough.systems.outside.answers import ExternalAnonymizer
from showthrough.systems.outside.program import Program

_FROM, _TO = "{from}", "{to}"


@dataclass(frozen=True)
class RoundTrip(ExternalAnonymizer):
    """Writes texts anew by translating them and translating them back: what an author prefers gets lost on the way.

    The program translates, any that you name. In its command, {from} and {to} stand for the languages. It is started
    twice, reads `{"id": "a", "text": "…"}`, a line a document, and answers with the same and the translated text. Or a
    language model translates: `llm:MODEL` or `llm:MODEL@URL`. Its answers are kept in `recordings`, and text goes to
    another machine only if `send_text_to` names it. It hides nobody whom a text is about.
    """

    kind: ClassVar[str] = "roundtrip"
    needs: ClassVar[str] = "a program or a language model"

    command: str = parameter("", "the program that translates, with {from} and {to}; no shell reads it; or llm:MODEL")
    through: str = parameter("de", "the language in between, or several with commas, one after the other")
    language: str = parameter("en", "the language of the texts")
    timeout: float = parameter(300.0, "seconds without an answer after which the program is given up")

    recordings: str = parameter("", "the file that keeps the answers of a language model")
    send_text_to: str = parameter("", "a host that may get the texts, for a language model on another machine")

    def __post_init__(self) -> None:
        if self._model is not None:
            _ = address_of(self.command)
        elif self.command and not (_FROM in self.command and _TO in self.command):
            fault = f"found {quote_value(self.command)}; expected {_FROM} and {_TO} in it, for the languages"
            raise PlanError(fault, "command")
        if not all(self._stops):
            fault = f"found {quote_value(self.through)}; expected a language, or several with commas"
            raise PlanError(fault, "through")
        if self._model is None:
            _ = [leg.name for leg in self._legs]

    @property
    def _model(self) -> Translator | None:
        """The language model, where one translates."""
        if not self.command.startswith(MODEL):
            return None
        return Translator(self.command, self.recordings, self.send_text_to)

    @property
    def _stops(self) -> list[str]:
        return [stop.strip() for stop in (self.language, *self.through.split(","), self.language)]

    @property
    def _legs(self) -> list[Program]:
        """The program for each way, in their order."""
        stops = self._stops
        ways = pairwise(stops)
        return [
            Program(self.command.replace(_FROM, start).replace(_TO, end), self.timeout, anew=True)
            for start, end in ways
        ]

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        read = list(documents)
        if self._model is not None:
            self._model.check()
            for start, end in pairwise(self._stops):
                texts = self._model.translate(read, start, end)
                read = [Document(document.id, text) for document, text in zip(documents, texts, strict=True)]
            return [align(before.text, after.text) for before, after in zip(documents, read, strict=True)]
        for leg in self._legs:
            translated = zip(read, leg.masks(read), strict=True)
            read = [Document(document.id, apply_masks(document.text, masks)) for document, masks in translated]
        return [align(before.text, after.text) for before, after in zip(documents, read, strict=True)]

    def prepare(self) -> None:
        if not self.command:
            fault = "found no program; expected one that translates, as in roundtrip:python mine.py {from} {to}"
            raise PlanError(fault, f"anonymizer {self.kind}: command")
        if self._model is not None:
            self._model.check()

    @property
    def pinned(self) -> Mapping[str, str]:
        """The digest of each file that the command names."""
        return dict(self._legs[0].pinned) if self.command and self._model is None else {}
