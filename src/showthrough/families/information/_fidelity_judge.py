"""A language model that says of each surrogate whether it fits where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from showthrough.data.documents import Document
from showthrough.families.information._fidelity_rules import RIGHT, UNKNOWN, WRONG, Verdict
from showthrough.families.information._surrogates import SurrogatePair
from showthrough.models.chat.base import Chat, ChatQuestion
from showthrough.models.chat.prompts import decode_answer, load

_AROUND = 80  # characters on each side of a surrogate that are sent
_TOGETHER = 20  # surrogates that are asked about at once
_TOKENS = 25  # of an answer, for each of them
_VERDICT = {
    "type": "object",
    "properties": {"number": {"type": "integer"}, "fits": {"type": "boolean"}},
    "required": ["number", "fits"],
    "additionalProperties": False,
}
_SCHEMA = {
    "type": "object",
    "properties": {"verdicts": {"type": "array", "items": _VERDICT}},
    "required": ["verdicts"],
    "additionalProperties": False,
}


class _Verdict(msgspec.Struct):
    number: int
    fits: bool


class _Verdicts(msgspec.Struct):
    verdicts: list[_Verdict]


def ask_judge(
    chat: Chat, anonymization: str, documents: Sequence[tuple[Document, Sequence[SurrogatePair]]]
) -> list[Verdict]:
    """What `llm:MODEL[@URL]` says of all surrogates, document by document; unknown where it does not answer.

    It sees a little of the original around each of some surrogates at a time.
    """
    batches = [
        (pairs[first : first + _TOGETHER], document)
        for document, pairs in documents
        for first in range(0, len(pairs), _TOGETHER)
    ]
    replies: list[list[Verdict]] = [[UNKNOWN] * len(pairs) for pairs, _ in batches]
    for count in sorted({len(pairs) for pairs, _ in batches}):  # what is valid depends on what was asked
        chosen = [number for number, (pairs, _) in enumerate(batches) if len(pairs) == count]
        questions = [_question(batches[number][0], batches[number][1], anonymization) for number in chosen]
        for number, reply in zip(chosen, chat.replies(questions, partial(_read, count)), strict=True):
            if reply is not None:
                replies[number] = _read(count, reply.content)
    return [verdict for verdicts in replies for verdict in verdicts]


def _question(pairs: Sequence[SurrogatePair], document: Document, anonymization: str) -> ChatQuestion:
    lines = []
    for number, pair in enumerate(pairs, 1):
        before = document.text[max(0, pair.start - _AROUND) : pair.start]
        behind = document.text[pair.end : pair.end + _AROUND]
        lines.append(" ".join(f"{number}. …{before}⟦{pair.hidden}⟧{behind}… → {pair.written}".split()))
    prompt = load("showthrough.families.information", "fidelity.v1")
    tokens, about = _TOKENS * (len(pairs) + 4), (anonymization, document.id)
    return prompt.about("\n".join(lines), schema=_SCHEMA, about=about, tokens=tokens)


def _read(count: int, content: str) -> list[Verdict]:
    """The verdicts of all numbers. Raises ValueError where one is missing: it was not asked well."""
    fits = {verdict.number: verdict.fits for verdict in decode_answer(content, _Verdicts).verdicts}
    if missing := [number for number in range(1, count + 1) if number not in fits]:
        raise ValueError(f"no verdict on {', '.join(map(str, missing))}")
    return [RIGHT if fits[number] else WRONG for number in range(1, count + 1)]
