"""Who says whether a guess agrees with what is true, beside the rules: recorded verdicts, a language model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from showthrough.core.errors import Problem
from showthrough.families.inference._answer_files import AnswerFiles, paths_of
from showthrough.families.inference._spec import ANSWERS
from showthrough.families.inference.base import GuessPair, Judge
from showthrough.formats.people.inference_answers import DocumentAnswer
from showthrough.models.chat.base import MODEL, Chat, ChatQuestion
from showthrough.models.chat.prompts import decode_answer, load

_VERDICTS = {"yes": 1.0, "less precise": 0.5, "no": 0.0}
_SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": list(_VERDICTS)}},
    "required": ["verdict"],
    "additionalProperties": False,
}
_TOKENS = 40  # of an answer


class RecordedVerdicts:
    """What was recorded of guesses, by people or anybody else: it counts wherever it says something."""

    overrules = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._files = AnswerFiles(name)

    def verdicts(self, pairs: Sequence[GuessPair]) -> list[float | None]:
        return [self._verdict(pair) for pair in pairs]

    def _verdict(self, pair: GuessPair) -> float | None:
        line = self._files.of(pair.anonymization, pair.document) if pair.document else None
        verdicts = line.verdicts.get(pair.tag, ()) if line is not None else ()
        if line is None or not verdicts:
            return None
        guesses = _guesses(line, pair.tag)
        if not guesses:  # they are in the raw answer alone: their order tells
            return verdicts[pair.rank] if pair.rank < len(verdicts) else None
        # A verdict is on a guess and not on its rank: another attacker's guesses have other verdicts.
        alike = {rank: verdicts[rank] for rank, guess in enumerate(guesses[: len(verdicts)]) if guess == pair.guess}
        return alike.get(pair.rank, next(iter(alike.values())) if len({*alike.values()}) == 1 else None)


def has_verdicts(name: str) -> bool:
    """Whether somebody recorded verdicts in the files of a name. Raises InputError for files that cannot be read."""
    lines = AnswerFiles(name).by_name.values() if name.startswith(ANSWERS) else ()
    return any(line.verdicts for file_lines in lines for line in file_lines.values())


def verdict_problems(names: Iterable[str]) -> list[Problem]:
    """Of files that are to judge: those without a verdict, beside which rules alone would count."""
    lacking = [name for name in names if name.startswith(ANSWERS) and not has_verdicts(name)]
    expected = "expected verdicts beside guesses: 1, 0.5, 0 or null for each"
    return [Problem(", ".join(paths_of(name).values()), "", f"has no verdicts; {expected}") for name in lacking]


def _guesses(line: DocumentAnswer, tag: str) -> list[str]:
    return [guess.value for person in line.answer or () for guess in person.guesses if guess.tag == tag]


class _Verdict(msgspec.Struct):
    verdict: Literal["yes", "less precise", "no"]


class ModelJudge:
    """A language model that compares two values; asked where rules say less than yes.

    One pair is one question. So a verdict does not hang on what is asked beside it, the same pair has the same verdict
    in all anonymizations, and a run that is resumed asks nothing twice.
    """

    overrules = False

    def __init__(self, chat: Chat) -> None:
        self.name = chat.name
        self._chat = chat
        self._prompt = load("showthrough.families.inference", "agreement.v1")

    def verdicts(self, pairs: Sequence[GuessPair]) -> list[float | None]:
        replies = self._chat.replies([self._question(pair) for pair in pairs], _verdict)
        return [None if reply is None else _verdict(reply.content) for reply in replies]

    def expect(self, pairs: int) -> None:
        """While costs are estimated: so many more pairs at most, whose guesses nobody knows yet."""
        self._chat.expect(pairs, len(self._prompt.text) + 100, _TOKENS)

    def _question(self, pair: GuessPair) -> ChatQuestion:
        text = msgspec.json.encode({"attribute": pair.tag, "true": pair.true, "guess": pair.guess}).decode()
        about = pair.anonymization, pair.document
        return self._prompt.about(text, schema=_SCHEMA, about=about, tokens=_TOKENS)


def expect_pairs(judge: Judge | None, attacker: str, pairs: int) -> None:
    """While costs are estimated: so many pairs at most, once an attacker has answered whom nobody has asked yet."""
    if isinstance(judge, ModelJudge) and attacker.startswith(MODEL):
        judge.expect(pairs)


def _verdict(content: str) -> float:
    """What an answer says; raises ValueError where it says something else."""
    return _VERDICTS[decode_answer(content, _Verdict).verdict]
