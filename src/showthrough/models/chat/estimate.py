"""What questions would cost, counted while nobody is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from showthrough.models.chat.base import ChatQuestion

LETTERS = 4  # of a token, about: English prose; other languages and codes have fewer
SHARE = 4  # an answer is taken to be a quarter as long as it may be, where none is recorded
_BESIDE = 10  # tokens of a question that are neither its instructions nor its text

Place = tuple[str, str, str]  # a metric, an anonymization, a model


@dataclass
class QuestionCount:
    """Of one metric, one anonymization and one model. `further` questions follow from answers: so many at most."""

    calls: int = 0
    recorded: int = 0
    tokens_in: int = 0
    tokens_out: int = 0  # as answers usually are
    tokens_most: int = 0  # as they may be
    further: int = 0
    further_in: int = 0
    further_out: int = 0

    @property
    def has_questions(self) -> bool:
        """Whether there is anything to ask, or was."""
        return bool(self.calls or self.recorded or self.further)

    @property
    def total_in(self) -> int:
        return self.tokens_in + self.further_in

    @property
    def about(self) -> int:
        """Tokens of answers as they usually are."""
        return self.tokens_out + self.further_out // SHARE

    @property
    def most(self) -> int:
        """Tokens of answers as they may be."""
        return self.tokens_most + self.further_out


@dataclass
class QuestionTally:
    """Questions that would be asked, each once; and those that follow. Whoever counts says what is being scored."""

    counts: dict[Place, QuestionCount] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=dict)  # of anonymizations whose texts a model would be sent
    documents: dict[str, set[str]] = field(default_factory=dict)  # likewise
    scored: tuple[str, str] = ("", "")  # the metric and the anonymization
    _seen: set[str] = field(default_factory=set)

    def begin(self, metric: str, anonymization: str, models: Iterable[str]) -> None:
        """What is counted from now on; a metric that shares all questions with another has none of its own."""
        self.scored = metric, anonymization
        for model in models:
            self._count(model)

    def count(self, model: str, new: Mapping[str, ChatQuestion], answered: int, usual: Mapping[str, int]) -> None:
        """Questions by key, how many others have answers, and how long answers to prompts usually are."""
        tally = self._count(model)
        tally.recorded += answered
        fresh = {key: question for key, question in new.items() if key not in self._seen}
        self._seen.update(fresh)
        for question in fresh.values():
            tally.calls += 1
            tally.tokens_in += _tokens(len(question.instructions) + len(question.text)) + _BESIDE
            tally.tokens_out += usual.get(question.prompt) or question.tokens // SHARE
            tally.tokens_most += question.tokens
            self.names.setdefault(model, set()).add(question.about[0])
            if question.about[1]:  # the control is about no document
                self.documents.setdefault(model, set()).add(question.about[1])

    def expect(self, model: str, questions: int, characters: int, tokens: int) -> None:
        """Questions that follow from answers; none do where there is nothing new to ask in the first place."""
        tally = self._count(model)
        if not any(count.calls for key, count in self.counts.items() if key[:2] == self.scored):
            return
        tally.further += questions
        tally.further_in += questions * (_tokens(characters) + _BESIDE)
        tally.further_out += questions * tokens

    def assume(self, model: str, names: Iterable[str], documents: Iterable[str]) -> None:
        """That a model is asked about all of these, where it takes long to find out."""
        self.names.setdefault(model, set()).update(names)
        self.documents.setdefault(model, set()).update(documents)

    def would_ask(self, model: str) -> bool:
        named = model in self.names
        return named or any(count.calls or count.further for key, count in self.counts.items() if key[2] == model)

    def _count(self, model: str) -> QuestionCount:
        return self.counts.setdefault((*self.scored, model), QuestionCount())


def usual_lengths(recorded: Iterable[tuple[str, int, int]]) -> dict[str, int]:
    """How long answers are by prompt, from prompts, their tokens and the number of answers."""
    sums: dict[str, tuple[int, int]] = {}
    for prompt, tokens, answers in recorded:
        before = sums.get(prompt, (0, 0))
        sums[prompt] = before[0] + tokens, before[1] + answers
    return {prompt: tokens // answers for prompt, (tokens, answers) in sums.items() if answers and tokens}


def _tokens(characters: int) -> int:
    return -(-characters // LETTERS)
