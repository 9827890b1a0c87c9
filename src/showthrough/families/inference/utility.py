"""What use is left in released texts, in the opinion of a judge who also sees the original (Staab et al. 2025).

Readability and meaning from 1 to 10, and whether nothing was invented: 1, or 0 where something was. One question asks
for all three.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, Protocol

import msgspec

from showthrough.core.errors import InputError, PlanError, Problem, at_document, quote_value
from showthrough.families.inference.answer_files import AnswerFiles, Replies
from showthrough.families.inference.asking import ANSWERS, RULES, judge_fault
from showthrough.models import Resources
from showthrough.models.chat.base import MODEL, Chat, ChatQuestion
from showthrough.models.chat.contents import decode_answer
from showthrough.models.chat.prompts import load

Quality = Literal["readability", "meaning", "hallucinations"]
LOWEST, HIGHEST = 1.0, 10.0  # of readability and meaning
SCALES: dict[Quality, tuple[float, float]] = {
    "readability": (LOWEST, HIGHEST), "meaning": (LOWEST, HIGHEST), "hallucinations": (0.0, 1.0),
}  # fmt: skip
EXPECTED = f'expected judge="{MODEL}MODEL[@URL]" or judge="{ANSWERS}FILE"'
PROMPT = "utility.v1"
_TOKENS = 400  # of an answer
_GRADE = {
    "type": "object",
    "properties": {"why": {"type": "string"}, "score": {"type": "number"}},
    "required": ["why", "score"],
    "additionalProperties": False,
}
_SCHEMA = {
    "type": "object",
    "properties": dict.fromkeys(SCALES, _GRADE),
    "required": list(SCALES),
    "additionalProperties": False,
}


class ReleasePair(NamedTuple):
    """A released text beside its original."""

    anonymization: str
    document: str
    original: str
    text: str


Opinion = dict[Quality, float]  # what a judge says of a text; a quality of which nothing was said is missing


class UtilityJudge(Protocol):
    """Gives its opinion of texts, in their order; an empty one where there is none."""

    def opinions(self, texts: Sequence[ReleasePair]) -> list[Opinion]: ...


def utility_fault(name: str) -> str:
    """What is wrong with the name of such a judge; empty where nothing is. Rules know nothing of readability."""
    if name == RULES or judge_fault(name):
        return f"found {quote_value(name)}; {EXPECTED}"
    return ""


def utility_judge_of(name: str, resources: Resources) -> UtilityJudge:
    """The judge of a name, one for all metrics that ask it."""
    if fault := utility_fault(name):
        raise PlanError(fault, "judge")
    if name.startswith(ANSWERS):
        return resources.once(("utility judge", name), lambda: RecordedOpinions(name))
    return resources.once(("utility judge", name), lambda: AskedOpinions(resources.chat(name)))


class RecordedOpinions:
    """Opinions in files: `readability`, `meaning` and `hallucinations` of documents. Raises InputError."""

    def __init__(self, name: str) -> None:
        self._files = AnswerFiles(name)
        self.source = ", ".join(self._files.paths.values())
        faults = [*self._faults()]
        if faults:
            raise InputError(faults)

    def opinions(self, texts: Sequence[ReleasePair]) -> list[Opinion]:
        return [self.opinion(release.anonymization, release.document) for release in texts]

    def opinion(self, anonymization: str, document: str) -> Opinion:
        line = self._files.of(anonymization, document)
        if isinstance(line, Replies):  # a language model's, in another run
            return _opinion_in(line.by_prompt.get(PROMPT.partition(".")[0], ""))
        scores = line.utility if line is not None else {}
        return {quality: scores[quality] for quality in SCALES if quality in scores}

    def _faults(self) -> list[Problem]:
        """Numbers that are on no scale: what they mean nobody knows."""
        return [
            Problem(path, f"{at_document(document)}: {quality}", f"found {value:g}; expected {_scale(quality)}")
            for of, path in self._files.paths.items()
            for (_, document), line in self._files.by_name[of].items()
            for quality in SCALES
            if (value := line.utility.get(quality)) is not None and not _on_scale(quality, value)
        ]


def _on_scale(quality: Quality, value: float) -> bool:
    low, high = SCALES[quality]
    return value in (low, high) if quality == "hallucinations" else low <= value <= high


def _scale(quality: Quality) -> str:
    return "1 (none) or 0" if quality == "hallucinations" else "a number from 1 to 10"


class _Grade(msgspec.Struct):
    score: Annotated[float, msgspec.Meta(ge=LOWEST, le=HIGHEST)]


class _HallucinationGrade(msgspec.Struct):
    score: Literal[0, 1]


class _Reply(msgspec.Struct):
    readability: _Grade
    meaning: _Grade
    hallucinations: _HallucinationGrade


class AskedOpinions:
    """Opinions of a language model. What it answered is remembered as numbers alone."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._prompt = load("showthrough.families.inference", PROMPT)
        self._known: dict[tuple[str, str], Opinion] = {}

    def opinions(self, texts: Sequence[ReleasePair]) -> list[Opinion]:
        open_ones = [release for release in texts if release[:2] not in self._known]
        replies = self._chat.replies([self._question(release) for release in open_ones], _opinion)
        for release, reply in zip(open_ones, replies, strict=True):
            self._known[release[:2]] = {} if reply is None else _opinion(reply.content)
        return [self._known[release[:2]] for release in texts]

    def _question(self, release: ReleasePair) -> ChatQuestion:
        text = f"<original>\n{release.original}\n</original>\n\n<released>\n{release.text}\n</released>"
        return self._prompt.about(text, schema=_SCHEMA, about=(release.anonymization, release.document), tokens=_TOKENS)


def _opinion_in(content: str) -> Opinion:
    try:
        return _opinion(content)
    except ValueError:
        return {}


def _opinion(content: str) -> Opinion:
    """What an answer says; raises ValueError where it lacks a score or has one that is on no scale."""
    reply = decode_answer(content, _Reply)
    return {
        "readability": reply.readability.score,
        "meaning": reply.meaning.score,
        "hallucinations": float(reply.hallucinations.score),
    }
