"""A language model that says what it is told to, for tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from showthrough.models.chat.base import AnswerSource, ChatQuestion, Check, Reply


class Parrot:
    """Answers by a function of the question's text, and hears equal ones once; what fails the check is missing."""

    name = "llm:parrot"

    def __init__(self, answer: Callable[[str], str]) -> None:
        self._answer = answer
        self.heard: list[ChatQuestion] = []
        self.expected: list[tuple[int, int, int]] = []

    def replies(self, questions: Sequence[ChatQuestion], check: Check) -> list[Reply | None]:
        self.heard += [question for question in dict.fromkeys(questions) if question not in self.heard]
        return [self._reply(question, check) for question in questions]

    def _reply(self, question: ChatQuestion, check: Check) -> Reply | None:
        content = self._answer(question.text)
        try:
            check(content)
        except ValueError:
            return None
        return Reply(content, "parrot-1")

    def asked(self) -> AnswerSource:
        return AnswerSource(self.name, model="parrot-1", calls=len(self.heard))

    def expect(self, questions: int, characters: int, tokens: int) -> None:
        self.expected.append((questions, characters, tokens))
