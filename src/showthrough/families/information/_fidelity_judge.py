"""A language model that says of each surrogate whether it fits where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from showthrough.families.information._fidelity_rules import RIGHT, UNKNOWN, WRONG, Verdict
from showthrough.families.information._surrogates import SurrogatePair
from showthrough.metrics.chunk import Anonymized
from showthrough.models.chat.base import Chat, ChatQuestion
from showthrough.models.chat.prompts import decode_answer, load

_AROUND = 80  # characters on each side of a surrogate that are sent
_TOGETHER = 20  # surrogates that are asked about at once
_TOKENS = 25  # of an answer, for each of them
_VERDICT = {"number": {"type": "integer"}, "fits": {"type": "boolean"}}
_SCHEMA = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _VERDICT,
                "required": list(_VERDICT),
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}


class _Verdict(msgspec.Struct):
    number: int
    fits: bool


class _Verdicts(msgspec.Struct):
    verdicts: list[_Verdict]


class SurrogateJudge:
    """`llm:MODEL[@URL]`. It sees a little of the original around each of some surrogates at a time."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._prompt = load("showthrough.families.information", "fidelity.v1")

    def verdicts(self, anonymized: Anonymized, by_document: Sequence[list[SurrogatePair]]) -> list[Verdict]:
        """Of all surrogates, document by document; unknown where there is no answer."""
        asked = [
            (pairs[first : first + _TOGETHER], document)
            for document, pairs in zip(anonymized.chunk.corpus, by_document, strict=True)
            for first in range(0, len(pairs), _TOGETHER)
        ]
        questions = [self._question(pairs, document.text, (anonymized.name, document.id)) for pairs, document in asked]
        said: list[list[Verdict]] = [[UNKNOWN] * len(pairs) for pairs, _ in asked]
        for count in sorted({len(pairs) for pairs, _ in asked}):  # what is valid depends on what was asked
            chosen = [place for place, (pairs, _) in enumerate(asked) if len(pairs) == count]
            replies = self._chat.replies([questions[place] for place in chosen], partial(_read, count))
            for place, reply in zip(chosen, replies, strict=True):
                if reply is not None:
                    said[place] = _read(count, reply.content)
        return [verdict for verdicts in said for verdict in verdicts]

    def _question(self, pairs: Sequence[SurrogatePair], text: str, about: tuple[str, str]) -> ChatQuestion:
        lines = [
            " ".join(
                f"{number}. …{text[max(0, pair.start - _AROUND) : pair.start]}⟦{pair.hidden}⟧"
                f"{text[pair.end : pair.end + _AROUND]}… → {pair.written}".split()
            )
            for number, pair in enumerate(pairs, 1)
        ]
        return self._prompt.about("\n".join(lines), schema=_SCHEMA, about=about, tokens=_TOKENS * (len(pairs) + 4))


def _read(count: int, content: str) -> list[Verdict]:
    """The verdicts of all numbers. Raises ValueError where one is missing: it was not asked well."""
    fits = {verdict.number: verdict.fits for verdict in decode_answer(content, _Verdicts).verdicts}
    if missing := [number for number in range(1, count + 1) if number not in fits]:
        raise ValueError(f"no verdict on {', '.join(map(str, missing))}")
    return [RIGHT if fits[number] else WRONG for number in range(1, count + 1)]
