"""What a language model is asked, and what it says: questions out, replies back, each paid once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

import msgspec

MODEL = "llm:"  # before the name of a language model, wherever one is named
Check = Callable[[str], object]  # raises ValueError for what is no answer to the question


@dataclass(frozen=True)
class ChatQuestion:
    """What is said to a model at once, and what it is about. Two equal questions have one answer.

    `prompt` names the text file of instructions that it was made of, `digest` tells that file from others. `about` is
    for records alone: the anonymization and the document.
    """

    instructions: str
    text: str
    prompt: str
    digest: str
    schema: Mapping[str, Any] | None = field(default=None, hash=False)  # of the answer, where it is JSON
    about: tuple[str, str] = field(default=("", ""), compare=False)
    tokens: int = 2000  # that an answer may have


class Reply(msgspec.Struct, frozen=True):
    """What a model said, with the name that the server gave it and the tokens that it counted."""

    content: str
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0


class AnswerSource(msgspec.Struct, frozen=True):
    """Who was asked about people or texts: recorded answers, or a language model as it called itself."""

    name: Annotated[str, "as metrics name it"]
    digest: Annotated[str, "of the answers that there were"] = ""
    model: Annotated[str, "the model, as the server named it; several with commas between"] = ""
    prompts: Annotated[dict[str, str], "its prompts by name, with their digests"] = {}
    calls: Annotated[int, "answers that were given, and paid where that costs"] = 0
    tokens_in: Annotated[int, "tokens that were sent, as the server counted them"] = 0
    tokens_out: Annotated[int, "tokens of its answers"] = 0
    unanswered: Annotated[dict[str, int], "questions without a valid answer, by why"] = {}
    ignored: Annotated[dict[str, int], "what the server ignores, such as response_format, with the answers"] = {}

    @property
    def pin(self) -> str:
        """What a signature says of it."""
        prompts = [f"{name}.{digest[:8]}" for name, digest in sorted(self.prompts.items())]
        return "@".join(filter(None, ["/".join(filter(None, [self.model, *prompts])), self.digest[:8]]))


class Chat(Protocol):
    """A language model. Replies are recorded before they are returned, and what is recorded is never asked again."""

    @property
    def name(self) -> str:
        """As metrics name it: `llm:MODEL` or `llm:MODEL@URL`."""
        ...

    def replies(self, questions: Sequence[ChatQuestion], check: Check) -> list[Reply | None]:
        """In their order. None where there is no valid answer after all tries: it is missing, and never a no.

        Raises ResourceError where nobody can be asked at all.
        """
        ...

    def asked(self) -> AnswerSource:
        """What a run says of it, as it is recorded: also of what was answered before this run was resumed."""
        ...

    def expect(self, questions: int, characters: int, tokens: int) -> None:
        """While estimating: at most so many more, of which each has so many characters, and tokens to answer."""
        ...


def describe_unanswered(records: Iterable[AnswerSource]) -> list[str]:
    """What a reader must know of questions that have no answer, and of servers that do not do what they are asked."""
    lines = []
    for record in records:
        for why, number in record.unanswered.items():
            lines.append(f"{record.name}: {number:,} question{'' if number == 1 else 's'} had no answer: {why}")
        for option, number in record.ignored.items():
            effect = _IGNORED.get(option, "")
            lines.append(
                f"{record.name}: the server ignored {option} in {number:,} of {record.calls:,} answers{effect}"
            )
    return lines


_IGNORED = {
    "response_format": ": more of them are invalid or late than from a server that keeps to it",
    "max_tokens": ": such an answer was broken off",
}
