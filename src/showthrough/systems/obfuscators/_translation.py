"""Translation by a language model that is asked: passage by passage, each recorded before it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from showthrough.core.errors import PlanError, ResourceError, at_document, shorten
from showthrough.data.documents import Document
from showthrough.models import Resources
from showthrough.models.chat.consent import address_of, hosts_of
from showthrough.models.chat.prompts import load
from showthrough.models.chat.settings import AskingSettings

_PROMPT = "translate.v1"
_LONGEST = 2_000  # characters of a passage: models leave things out of long ones
_PARAGRAPH = re.compile(r"(\s*\n\s*)")
_SENTENCE = re.compile(r"(?<=[.!?…])(\s+)")
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


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
        replies = iter(chat.replies(questions, _spoken))
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
                written.append(piece.replace(bare, _spoken(reply.content), 1))  # white space around it stays
            translated.append("".join(written))
        return translated


def passages(text: str) -> Iterator[str]:
    """Paragraphs, long ones cut between sentences, and the white space between them as pieces of their own.

    >>> list(passages("One.  Two!\\n\\nThree."))
    ['One.  Two!', '\\n\\n', 'Three.']
    """
    for piece in _PARAGRAPH.split(text):
        if len(piece) <= _LONGEST:
            yield from filter(None, [piece])
            continue
        passage = ""
        for part in _SENTENCE.split(piece):
            if passage.strip() and len(passage) + len(part) > _LONGEST:
                kept = passage.rstrip()
                yield from filter(None, [kept, passage[len(kept) :]])
                passage = ""
            passage += part
        yield from filter(None, [passage])


def _says_something(piece: str) -> bool:
    return any(map(str.isalpha, piece))


def _spoken(content: str) -> str:
    """What a model says, without its thoughts. Raises ValueError where that is nothing."""
    spoken = _THOUGHTS.sub("", content, count=1).strip()
    if not spoken:
        raise ValueError("expected a translation")
    return spoken
