"""Utility by a judge who sees the original and the released text: readability, meaning, whether anything was invented.

As Staab et al. (2025) ask for them. An answer that cannot be read is missing: its document counts nowhere, and a note
says how many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple, Protocol

import msgspec
import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import InputError, PlanError, Problem, at_document, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import EVERYTHING, ORIGINALS, REFERENCES
from showthrough.families.inference._answer_files import AnswerFiles, Replies
from showthrough.families.inference._spec import ANSWERS, RULES, judge_fault
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.models.chat.base import MODEL, Chat, ChatQuestion
from showthrough.models.chat.prompts import decode_answer, load
from showthrough.statistics.rows import Rows, Totals

# A judge who also sees the original says what use is left in a released text (Staab et al. 2025).

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


_POINTS, _JUDGED = "points", "judged"


@dataclass(frozen=True)
class _JudgedMetric(Metric):
    """The mean of what a judge says of one quality, over the documents of which it says something."""

    group = "utility"
    scope = "corpus"
    undefined = "no document of it was judged"
    quality: ClassVar[Quality]

    judge: str = parameter("", "who judges: llm:MODEL[@URL], or answers:FILE with what was said")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.judge and (fault := utility_fault(self.judge)):
            raise PlanError(fault, "judge")

    @property
    def asks(self) -> tuple[str, ...]:
        return (self.judge,) if self.judge else ()

    def shows(self, name: str) -> tuple[str, ...]:
        return (ORIGINALS,)

    def is_bounded(self, part: str) -> bool:
        return self.limits(part) == (0.0, 1.0)

    def limits(self, part: str) -> tuple[float, float]:
        return SCALES[self.quality]

    def unit_change(self, part: str, totals: Totals) -> float:
        """A document at the other end."""
        low, high = SCALES[self.quality]
        return high - low

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        if not self.judge:
            return [Problem("", f"metric {type(self).__name__.lower()}", f"names no judge; {EXPECTED}")]
        if not self.judge.startswith(ANSWERS):
            nothing_left = anonymization.name == EVERYTHING  # and nothing to pay for
            return [Problem("", anonymization.name, "leaves no text to judge; expected some")] * nothing_left
        recorded = RecordedOpinions(self.judge)
        if any(self.quality in recorded.opinion(anonymization.name, key) for key in corpus.ids):
            return []
        expected = f"expected {self.quality} of its documents"
        return [Problem(recorded.source, f"anonymization {shorten(anonymization.name)}", f"is not judged; {expected}")]

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        judge = utility_judge_of(self.judge, chunk.resources)

        def rows(anonymized: Anonymized) -> Rows:
            name, texts = anonymized.name, anonymized.texts
            releases = [ReleasePair(name, document.id, document.text, texts[document.id]) for document in chunk.corpus]
            scores = [opinion.get(self.quality) for opinion in judge.opinions(releases)]
            judged = np.array([score is not None for score in scores], dtype=np.float64)
            return Rows.named({_POINTS: [score or 0.0 for score in scores], _JUDGED: judged})

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {HEADLINE: ratio(totals[_POINTS], totals[_JUDGED])}

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        sizes = {name: (int(rows.totals()[_JUDGED]), len(rows)) for name, rows in tables.items()}
        return [
            f"{documents - judged} of {documents} documents of {shorten(name)} count nowhere in "
            f"{type(self).__name__.lower()}: there is no answer about them that can be read"
            for name, (judged, documents) in sizes.items()
            if judged < documents and name not in REFERENCES
        ]


@dataclass(frozen=True)
class Readability(_JudgedMetric):
    """How easily the release reads, in a judge's opinion: from 1 (not at all) to 10 (like the original).

    The mean over documents. (Staab et al. 2025)

    readability = Σ scores / |documents that were judged|

    >>> Readability("answers:said.jsonl").combine({"points": np.array(15.0), "judged": np.array(2.0)})[HEADLINE].item()
    7.5
    """

    title = "Readability, judged 1 to 10"
    tells = "whether a judge finds the text readable"
    quality = "readability"


@dataclass(frozen=True)
class Meaning(_JudgedMetric):
    """How much of the original's content a judge still finds in the release, from 1 to 10.

    The mean over documents. (Staab et al. 2025)

    meaning = Σ scores / |documents that were judged|

    >>> Meaning("answers:said.jsonl").combine({"points": np.array(13.0), "judged": np.array(2.0)})[HEADLINE].item()
    6.5
    """

    title = "Meaning kept, judged 1 to 10"
    tells = "whether a judge finds that the text says the same"
    quality = "meaning"


@dataclass(frozen=True)
class Hallucination(_JudgedMetric):
    """Share of documents in which a judge finds nothing invented.

    Staab et al. (2025) score it that way round, so that higher is better.

    hallucination = |documents with nothing invented| / |documents that were judged|

    >>> Hallucination("answers:said.jsonl").combine({"points": np.array(3.0), "judged": np.array(4.0)})[HEADLINE].item()
    0.75
    """

    title = "Nothing invented, by a judge"
    tells = "whether a judge finds that nothing was invented"
    quality = "hallucinations"
