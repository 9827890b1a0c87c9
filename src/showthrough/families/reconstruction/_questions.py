"""A guesser that is a language model: it is given a released text with numbered places, and says what stood there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Annotated, Any

import msgspec

from showthrough.families.reconstruction.guessers import GUESSES, Guess, GuessCase, Guesses, Words
from showthrough.families.reconstruction.slots import Slot
from showthrough.models.chat.base import Chat, ChatQuestion
from showthrough.models.chat.prompts import decode_answer, load

_PACKAGE, _PROMPT = "showthrough.families.reconstruction", "recover.v1"
_TOGETHER = 20  # places that are asked for at once
_TOKENS = 150  # of an answer, for each of them
_TEXT, _NUMBER = {"type": "string"}, {"type": "number"}

Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]


class _Guessed(msgspec.Struct):
    text: str | int | float
    probability: Probability = 0.0


class _Answer(msgspec.Struct):
    number: int
    guesses: list[_Guessed]
    evidence: str = ""


class _Answers(msgspec.Struct):
    answers: list[_Answer]


class Questioner:
    """`llm:MODEL[@URL]`. A text is sent whole, with all its places; some are asked for at a time."""

    reads = True

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def guess(self, cases: Sequence[GuessCase]) -> list[Guesses | None]:
        questions: list[tuple[int, range, ChatQuestion]] = []
        for number, case in enumerate(cases):
            text, schema = _numbered(case), _schema()
            for first in range(0, len(case.slots), _TOGETHER):
                numbers = range(first, min(first + _TOGETHER, len(case.slots)))
                questions.append((number, numbers, _question(case, text, numbers, schema)))
        guesses: list[Guesses | None] = [[] for _ in cases]
        for numbers in dict.fromkeys(numbers for _, numbers, _ in questions):  # what is valid depends on what was asked
            chosen = [(number, question) for number, of, question in questions if of == numbers]
            replies = self._chat.replies([question for _, question in chosen], partial(_read, numbers))
            for (number, _), reply in zip(chosen, replies, strict=True):
                so_far = guesses[number]
                if reply is None or so_far is None:
                    guesses[number] = None
                else:
                    so_far += _read(numbers, reply.content)
        return guesses

    def explain(self, case: GuessCase, slot: Slot, guess: Guess) -> Words:
        return [(guess.words, guess.probability)] if guess.words and guess.words in case.text else []


def _numbered(case: GuessCase) -> str:
    """The text with its places numbered, and what is written there."""
    if not case.text:
        return ""
    pieces, position = [], 0
    for number, slot in sorted(enumerate(case.slots, 1), key=lambda pair: (pair[1].start, pair[1].end)):
        written = case.text[slot.start : slot.end].strip()
        pieces += [case.text[position : slot.start], f"⟦{number}: {written}⟧" if written else f"⟦{number}⟧"]
        position = max(position, slot.end)
    return "".join((*pieces, case.text[position:]))


def _question(case: GuessCase, text: str, numbers: range, schema: dict[str, Any]) -> ChatQuestion:
    question = load(_PACKAGE, _PROMPT).about(
        f"<text>\n{text}\n</text>",
        schema=schema,
        about=(case.anonymization, case.document),
        tokens=_TOKENS * len(numbers) + _TOKENS,
    )
    wanted = ", ".join(str(number + 1) for number in numbers)
    return replace(question, instructions=f"{question.instructions}\n\nNumbers that are asked for: {wanted}.")


def _read(numbers: range, content: str) -> Guesses:
    """The guesses of each number. Raises ValueError where one has no answer: it was not asked well."""
    answers = {answer.number - 1: answer for answer in decode_answer(content, _Answers).answers}
    if missing := [number + 1 for number in numbers if number not in answers or not answers[number].guesses]:
        raise ValueError(f"no guess of {', '.join(map(str, missing))}")
    return [
        [
            Guess(str(guessed.text).strip(), guessed.probability, answers[number].evidence)
            for guessed in islice(
                (guessed for guessed in answers[number].guesses if str(guessed.text).strip()), GUESSES
            )
        ]
        for number in numbers
    ]


def _schema() -> dict[str, Any]:
    """As servers want it that hold models to a schema: every field is there, and no other."""
    guess = _object(text=_TEXT, probability=_NUMBER)
    guesses = {"type": "array", "items": guess}
    answer = _object(number={"type": "integer"}, guesses=guesses, evidence=_TEXT)
    return _object(answers={"type": "array", "items": answer})


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
