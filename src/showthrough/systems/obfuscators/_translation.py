"""Translation by a language model that is asked: passage by passage, each recorded before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from showthrough.core.errors import PlanError, ResourceError, at_document, shorten
from showthrough.data.documents import Document
from showthrough.models import Resources
from showthrough.models.chat.consent import address_of, hosts_of
from showthrough.models.chat.prompts import load
from showthrough.models.settings import AskingSettings
from showthrough.systems._passages import passages, spoken_text

_PROMPT = "translate.v1"


@dataclass(frozen=True)
class Translator:
    """`llm:MODEL[@URL]`, with where its answers are kept and the host that may hear of the texts."""

    model: str
    recordings: str
    send_text_to: str

    def check(self) -> None:
        """Raises PlanError for what cannot be asked, or may not: before any text is sent."""
        address = address_of(self.model)
        if not self.recordings:
            fault = (
                "found no file for the answers, which cost and are kept; expected one, such as recordings='b.answers'"
            )
            raise PlanError(fault, "roundtrip: recordings")
        if not address.is_allowed(hosts_of(self.send_text_to)):
            fault = (
                f"{shorten(address.host)} is not this machine; send_text_to='{shorten(address.host)}' would allow it"
            )
            raise PlanError(fault, "roundtrip")

    def translate(self, documents: Sequence[Document], start: str, end: str) -> list[str]:
        """All texts in the other language. Raises ResourceError where no valid answer came."""
        asking = AskingSettings(send_text_to=self.send_text_to, recordings=self.recordings)
        chat, prompt = Resources(asking=asking).chat(self.model), load(__package__, _PROMPT)
        pieces = [list(passages(document.text)) for document in documents]
        questions = [
            prompt.about(f"{start} to {end}\n\n{piece.strip()}", about=("", document.id), tokens=len(piece) + 200)
            for document, own in zip(documents, pieces, strict=True)
            for piece in own
            if _says_something(piece)
        ]
        replies = iter(chat.replies(questions, spoken_text))
        translated = []
        for document, own in zip(documents, pieces, strict=True):
            written = []
            for piece in own:
                if not _says_something(piece):
                    written.append(piece)
                    continue
                reply = next(replies)
                if reply is None:
                    raise ResourceError(f"{shorten(self.model)}: {at_document(document.id)}: no valid answer came")
                bare = piece.strip()
                written.append(piece.replace(bare, spoken_text(reply.content), 1))  # white space around it stays
            translated.append("".join(written))
        return translated


def _says_something(piece: str) -> bool:
    return any(map(str.isalpha, piece))
