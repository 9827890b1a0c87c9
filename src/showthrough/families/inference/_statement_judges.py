"""Who says whether a text still makes a statement known: rules, an entailment model, a language model, recordings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from typing import Literal, NamedTuple, Protocol

import msgspec

from showthrough.core.errors import PlanError, quote_value
from showthrough.data.reading_form import is_unbordered, reading_form
from showthrough.data.statements import Statement
from showthrough.data.text_views import TextReading
from showthrough.families.inference._answer_files import AnswerFiles
from showthrough.families.inference._spec import ANSWERS, RULES, judge_fault
from showthrough.families.policies.leaving import is_half_masked
from showthrough.metrics.matching._dates import dates_in
from showthrough.metrics.matching.forms import Vocabulary, vocabulary_of
from showthrough.models import Resources
from showthrough.models._entailment import Entailment
from showthrough.models.chat.base import MODEL, Chat, ChatQuestion
from showthrough.models.chat.prompts import decode_answer, load

NLI = "nli:"
Verdict = bool | None  # whether a text still says it; None where the judge cannot tell
_TOKENS, _TOKENS_EACH = 60, 25  # of an answer


class StatementCase(NamedTuple):
    """A text, original or released, and the statements about its document."""

    anonymization: str
    document: str
    text: str
    statements: tuple[Statement, ...]


class StatementJudge(Protocol):
    """Says of each statement of each case whether the text still says it."""

    def verdicts(self, cases: Sequence[StatementCase]) -> list[list[Verdict]]: ...


def check_judge(name: str) -> None:
    """Raises PlanError for a name that is none; nothing is read or loaded."""
    if (not name.startswith(NLI) or name == NLI) and judge_fault(name):
        expected = f"expected {RULES}, {NLI}MODEL, {ANSWERS}FILE or {MODEL}MODEL[@URL]"
        raise PlanError(f"found {quote_value(name)}; {expected}", "judge")


def statement_judge_of(name: str, resources: Resources, dictionary: str, threshold: float) -> StatementJudge:
    check_judge(name)
    if name == RULES:
        return WordJudge(vocabulary_of(dictionary))
    if name.startswith(NLI):
        return EntailmentJudge(resources.entailment(name), threshold)
    if name.startswith(ANSWERS):
        return resources.once(("statement judge", name), lambda: RecordedStatementVerdicts(name))
    return resources.once(("statement judge", name), lambda: AskedVerdicts(resources.chat(name)))


class WordJudge:
    """By rules: the words, numbers and dates of a statement, or of its quote, are looked for in all of the text.

    If all are there, the text still says it; if none is, it does not. Where some are, or letters of one beside mask
    characters, rules cannot tell. Words that are in every text do not count. A word counts in every way in which it
    can be read, and a date in every way in which it can be written.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def verdicts(self, cases: Sequence[StatementCase]) -> list[list[Verdict]]:
        return [self._of_case(case) for case in cases]

    def _of_case(self, case: StatementCase) -> list[Verdict]:
        reading = TextReading(case.text)
        words = reading.words
        dates = {match.date for view in reading.views for match in dates_in(view.form, words)}
        return [
            self._verdict(statement.quote or statement.text, words, dates, case.text) for statement in case.statements
        ]

    def _verdict(self, text: str, words: frozenset[str], dates: set[date], shown: str) -> Verdict:
        sought = self.pieces(text)
        if not sought or any(isinstance(piece, str) and is_unbordered(piece) for piece in sought):
            return None
        seen = [piece in words if isinstance(piece, str) else not piece.isdisjoint(dates) for piece in sought]
        if not any(seen):
            return None if is_half_masked([piece for piece in sought if isinstance(piece, str)], shown) else False
        return True if all(seen) else None

    def pieces(self, text: str) -> list[str | frozenset[date]]:
        """The words of a sentence that say something, and its dates, each with all that it may mean.

        >>> judge = WordJudge(vocabulary_of("wordfreq:en"))
        >>> judge.pieces("Ann was treated for 2 weeks"), len(judge.pieces("He was born on 3 May 1980."))
        (['ann', 'treated', '2', 'weeks'], 2)
        """
        form = f" {reading_form(text)} "
        dates: dict[tuple[int, int], set[date]] = {}
        for match in dates_in(form):
            dates.setdefault((match.start, match.end), set()).add(match.date)
        for start, end in dates:
            form = f"{form[:start]}{' ' * (end - start)}{form[end:]}"
        words = dict.fromkeys(
            word
            for word in form.split()
            if word not in self._vocabulary.frequent and (len(word) > 1 or word.isdigit() or is_unbordered(word))
        )
        return [*words, *map(frozenset, dates.values())]


class EntailmentJudge:
    """A model says how likely a statement follows from a text; from the threshold on, it does."""

    def __init__(self, model: Entailment, threshold: float) -> None:
        self._model, self._threshold = model, threshold

    def verdicts(self, cases: Sequence[StatementCase]) -> list[list[Verdict]]:
        groups = [(case.text, [statement.text for statement in case.statements]) for case in cases]
        return [
            [None if math.isnan(chance) else chance >= self._threshold for chance in chances.tolist()]
            for chances in self._model.follow(groups)
        ]


class RecordedStatementVerdicts:
    """What was recorded of texts by people or anybody else: `statements` of a line, by their texts."""

    def __init__(self, name: str) -> None:
        self._files = AnswerFiles(name)
        self.source = ", ".join(self._files.paths.values())

    def knows(self, anonymization: str, documents: Sequence[str]) -> bool:
        """Whether there is a verdict on a statement about one of them."""
        lines = (self._files.of(anonymization, document) for document in documents)
        return any(line.statements for line in lines if line)

    def verdicts(self, cases: Sequence[StatementCase]) -> list[list[Verdict]]:
        lines = [self._files.of(case.anonymization, case.document) for case in cases]
        return [
            [line.statements.get(statement.text) if line else None for statement in case.statements]
            for line, case in zip(lines, cases, strict=True)
        ]


class _NumberedVerdict(msgspec.Struct):
    number: int
    verdict: Literal["yes", "no", "unclear"]


class _Reply(msgspec.Struct):
    verdicts: list[_NumberedVerdict]


_SCHEMA = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "verdict": {"type": "string", "enum": ["yes", "no", "unclear"]},
                },
                "required": ["number", "verdict"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}


class AskedVerdicts:
    """A language model: one question for a text with all statements about its document."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._prompt = load("showthrough.families.inference", "statements.v1")

    def verdicts(self, cases: Sequence[StatementCase]) -> list[list[Verdict]]:
        replies = self._chat.replies([self._question(case) for case in cases], _numbered)
        return [
            [answers.get(number) for number in range(1, len(case.statements) + 1)]
            for case, answers in zip(
                cases, ({} if reply is None else _numbered(reply.content) for reply in replies), strict=True
            )
        ]

    def _question(self, case: StatementCase) -> ChatQuestion:
        listed = "\n".join(f"{number}. {statement.text}" for number, statement in enumerate(case.statements, 1))
        text = f"<text>\n{case.text}\n</text>\n\n<statements>\n{listed}\n</statements>"
        tokens = _TOKENS + _TOKENS_EACH * len(case.statements)
        return self._prompt.about(text, schema=_SCHEMA, about=(case.anonymization, case.document), tokens=tokens)


def _numbered(content: str) -> dict[int, Verdict]:
    """What an answer says by number; raises ValueError where it says something else, or of one number two things."""
    reply = decode_answer(content, _Reply)
    verdicts: dict[int, Verdict] = {
        verdict.number: {"yes": True, "no": False}.get(verdict.verdict) for verdict in reply.verdicts
    }
    if len(verdicts) < len(reply.verdicts):
        raise ValueError("a number has two verdicts")
    return verdicts
