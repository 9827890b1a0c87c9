"""A language model reads a document and what is known of its ten best candidates, and puts them in order.

It is shown neither who the candidates are nor how well they fitted, and in an order that follows from the text alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import msgspec
import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.families.reidentification.attacks.base import Candidates
from showthrough.models.chat import prompts
from showthrough.models.chat.base import Chat, ChatQuestion
from showthrough.models.chat.prompts import decode_answer

CANDIDATES = 10  # that are put in order
DOCUMENT, BACKGROUND = 8_000, 2_000  # characters that are shown of a document, and of what is known of a candidate
_PASSAGES, _BETWEEN = 8, " … "  # of a text that is too long
_SCHEMA = {
    "type": "object",
    "properties": {"order": {"type": "array", "items": {"type": "integer"}}},
    "required": ["order"],
    "additionalProperties": False,
}


class ReleasedDocuments(NamedTuple):
    """Documents under attack: whose output they are, an id and the text of each."""

    anonymization: str
    ids: Sequence[str]
    texts: Sequence[str]


class _RankingAnswer(msgspec.Struct):
    order: list[int]


def rerank_candidates(
    candidates: Candidates, released: ReleasedDocuments, backgrounds: Sequence[str], chat: Chat
) -> Candidates:
    """The best of each document that tells something in the model's order, before all others.

    One without a valid answer keeps its order. Its first is ahead of the second by a step and up to one more: the surer
    the fits were of that individual, the more. So a model that contradicts them is the least sure.
    """
    heard = np.flatnonzero(candidates.heard)
    best, column = _best(candidates, heard)
    orders = [_shuffle(released.texts[row], best.shape[1]) for row in heard.tolist()]
    questions = [
        _question(released, row, [backgrounds[number] for number in individuals[order].tolist()])
        for row, individuals, order in zip(heard.tolist(), column, orders, strict=True)
    ]
    replies = chat.replies(questions, lambda content: _order(content, best.shape[1]))
    fit = np.take_along_axis(candidates.score[heard], best, axis=1)
    rank = (fit[:, None, :] > fit[:, :, None]).sum(axis=2)  # so many stand before each, as it was
    unanswered = np.zeros(len(candidates.heard), dtype=bool)
    for number, reply in enumerate(replies):
        if reply is None:
            unanswered[heard[number]] = True
        else:
            rank[number] = _rank(_order(reply.content, best.shape[1]), orders[number], rank[number])
    score = candidates.score.copy()
    score[heard[:, None], best] = candidates.score[heard].max(axis=1, initial=0)[:, None] + _steps(fit, rank)
    return replace(candidates, score=score, unanswered=unanswered, rest=None)


def _best(candidates: Candidates, rows: Ints) -> tuple[Ints, Ints]:
    """Where the best of each document stand, and who they are, by the number of the individual: nobody is first."""
    columns = candidates.columns()[rows]
    positions = np.lexsort((columns, -candidates.score[rows]), axis=1)[:, :CANDIDATES]
    individuals = np.take_along_axis(columns, positions, axis=1)
    order = np.argsort(individuals, axis=1)
    return np.take_along_axis(positions, order, axis=1), np.take_along_axis(individuals, order, axis=1)


def _shuffle(text: str, count: int) -> Ints:
    seed = int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:8])
    return np.random.default_rng(seed).permutation(count)


def _question(released: ReleasedDocuments, row: int, people: Sequence[str]) -> ChatQuestion:
    document, about = released.texts[row], (released.anonymization, released.ids[row])
    notes = [f"# Person {number}\n\n{shorten(text, BACKGROUND)}" for number, text in enumerate(people, 1)]
    text = "\n\n".join([f"# The document\n\n{shorten(document, DOCUMENT)}", *notes])
    return prompts.load("showthrough.families.reidentification.attacks", "rerank.v1").about(
        text, schema=_SCHEMA, about=about, tokens=200
    )


def shorten(text: str, longest: int) -> str:
    """A text, or passages from all of it, evenly far apart, that have at most so many characters together.

    >>> shorten("0123456789" * 10, 31)
    '0 … 4 … 8 … 2 … 6 … 0 … 4 … 9'
    """
    if len(text) <= longest:
        return text
    size = (longest - len(_BETWEEN) * (_PASSAGES - 1)) // _PASSAGES
    starts = np.linspace(0, len(text) - size, _PASSAGES).astype(int).tolist()
    return _BETWEEN.join(text[start : start + size] for start in starts)


def _order(content: str, people: int) -> list[int]:
    """The numbers of an answer, from 0; raises ValueError for what is no order of these people."""
    numbers = decode_answer(content, _RankingAnswer).order
    if not numbers or len({*numbers}) < len(numbers) or not 1 <= min(numbers) <= max(numbers) <= people:
        raise ValueError(f"expected the numbers 1 to {people}, each once")
    return [number - 1 for number in numbers]


def _rank(order: Sequence[int], order_shown: Ints, before: Ints) -> Ints:
    """The place of each candidate in the model's order; whoever it left out follows as they stood before."""
    rank = len(order) + before
    rank[order_shown[list(order)]] = np.arange(len(order))
    return np.asarray(rank)


def _steps(fit: Floats, rank: Ints) -> Floats:
    """What stands before others has more: 1 a place, and the first as much of one more as it fitted better than all."""
    first = rank == 0
    runner_up = np.where(first, -np.inf, fit).max(axis=1)
    ahead = np.where(first, fit, -np.inf).max(axis=1) - runner_up
    alone = first.sum(axis=1) == 1
    sure = np.where(alone, 1 / (1 + np.exp(np.clip(-ahead, -700, 700))), 0.0)
    return np.asarray(fit.shape[1] - rank + np.where(first, sure[:, None], 0.0))
