"""An attacker that is a language model: it is given a released text, and says what is true of whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import msgspec

from showthrough.data.subjects import CERTAIN
from showthrough.families.inference.base import Answer, AttackCase, Guess, Person
from showthrough.models.chat.base import Chat, ChatQuestion
from showthrough.models.chat.prompts import decode_answer, load

_PACKAGE = "showthrough.families.inference"
_PROMPTS = {"subjects": "subjects.v1", "author": "author.v1"}
_MOST_TOKENS = 4000  # of an answer
_GUESSES = 3
_TEXT, _SURE = {"type": "string"}, {"type": "integer", "enum": list(range(1, CERTAIN + 1))}

Value = str | int | float
Certainty = Annotated[int, msgspec.Meta(ge=0, le=CERTAIN)]


class _Attribute(msgspec.Struct):
    tag: str
    value: Value
    certainty: Certainty
    evidence: str = ""


class _Someone(msgspec.Struct):
    attributes: list[_Attribute]
    who: str = ""


class _Everybody(msgspec.Struct):
    people: list[_Someone]


class _TagGuesses(msgspec.Struct):
    tag: str
    guesses: list[Value]
    certainty: Certainty
    reasoning: str = ""


class _Author(msgspec.Struct):
    attributes: list[_TagGuesses]


class Interviewer:
    """`llm:MODEL[@URL]` as attacker. A text is sent whole; one that is too long for the model has no answer."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        return self._chat.name

    def infer(self, cases: Sequence[AttackCase]) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(cases)
        for aim, tags in dict.fromkeys((case.aim, case.tags) for case in cases):
            numbers = [number for number, case in enumerate(cases) if (case.aim, case.tags) == (aim, tags)]
            read: Callable[[str, str], Answer] = partial(_READERS[aim], tags)
            replies = self._chat.replies([question_about(cases[number]) for number in numbers], partial(read, ""))
            for number, reply in zip(numbers, replies, strict=True):
                answers[number] = None if reply is None else read(cases[number].text, reply.content)
        return answers


def answer_in(case: AttackCase, content: str) -> Answer | None:
    """The answer to a case in what a model wrote; none where it is none."""
    try:
        return _READERS[case.aim](case.tags, case.text, content)
    except ValueError:
        return None


def question_about(case: AttackCase) -> ChatQuestion:
    """What a model is asked about a released text."""
    question = load(_PACKAGE, _PROMPTS[case.aim]).about(
        f"<text>\n{case.text}\n</text>",
        schema=_SCHEMAS[case.aim](case.tags),
        about=(case.anonymization, case.document),
        tokens=_answer_tokens(case),
    )
    return replace(
        question, instructions=f"{question.instructions}\n\nTags that are asked for: {', '.join(case.tags)}."
    )


def _answer_tokens(case: AttackCase) -> int:
    """How long an answer can need to be: a tag of an author takes some sentences, people some words for each of theirs.

    A longer one is asked for again with more.
    """
    return min(_MOST_TOKENS, 200 + 150 * len(case.tags) if case.aim == "author" else 700 + len(case.text) // 2)


def _people(tags: Sequence[str], text: str, content: str) -> Answer:
    """Raises ValueError for what is no answer."""
    tag_by_name = {tag.casefold(): tag for tag in tags}
    return tuple(
        Person(
            tuple(
                Guess(
                    tag_by_name[attribute.tag.casefold()],
                    str(attribute.value).strip(),
                    attribute.certainty,
                    _find_span(attribute.evidence, text),
                )
                for attribute in someone.attributes
                if attribute.tag.casefold() in tag_by_name and attribute.certainty and str(attribute.value).strip()
            ),
            someone.who,
        )
        for someone in decode_answer(content, _Everybody).people
    )


def _author(tags: Sequence[str], text: str, content: str) -> Answer:
    """Raises ValueError where a tag has no guess: a model that says nothing of it was not asked well."""
    tag_by_name = {tag.casefold(): tag for tag in tags}
    attributes = [
        attribute for attribute in decode_answer(content, _Author).attributes if attribute.tag.casefold() in tag_by_name
    ]
    guesses = tuple(
        Guess(tag_by_name[attribute.tag.casefold()], str(value).strip(), attribute.certainty, why=attribute.reasoning)
        for attribute in attributes
        for value in attribute.guesses[:_GUESSES]
        if str(value).strip()
    )
    if missing := set(tags) - {guess.tag for guess in guesses}:
        raise ValueError(f"no guess of {', '.join(sorted(missing))}")
    return (Person(guesses),)


def _find_span(evidence: str, text: str) -> tuple[int, int] | None:
    """Where words stand in a text, if they stand there once: of several places nobody knows which was meant."""
    start = text.find(evidence) if evidence else -1
    return None if start < 0 or text.find(evidence, start + 1) >= 0 else (start, start + len(evidence))


def _object(**properties: Any) -> dict[str, Any]:
    """As servers want it that hold models to a schema: every field is there, and no other."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _people_schema(tags: Sequence[str]) -> dict[str, Any]:
    tag = {"type": "string", "enum": list(tags)}
    attribute = _object(tag=tag, value=_TEXT, certainty=_SURE, evidence=_TEXT)
    someone = _object(who=_TEXT, attributes={"type": "array", "items": attribute})
    return _object(people={"type": "array", "items": someone})


def _author_schema(tags: Sequence[str]) -> dict[str, Any]:
    tag = {"type": "string", "enum": list(tags)}
    guesses = {"type": "array", "items": _TEXT}
    attribute = _object(tag=tag, reasoning=_TEXT, guesses=guesses, certainty=_SURE)
    return _object(attributes={"type": "array", "items": attribute})


_READERS = {"subjects": _people, "author": _author}
_SCHEMAS = {"subjects": _people_schema, "author": _author_schema}
