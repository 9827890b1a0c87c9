"""For Inspect (inspect_ai): tasks that try a model as anonymizer and as attacker, and the scorers that they use.

    inspect eval showthrough/anonymizer -T corpus=corpus.json --model …
    inspect eval showthrough/attacker -T corpus=profiles.jsonl -T released=released.jsonl --model …

The logs of Inspect hold the texts. A document without a usable answer counts as one that nobody anonymized. An attacker
who does not answer shows nothing: the document leaves the denominators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState, generate

from showthrough.core.errors import PlanError
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, apply_masks
from showthrough.evaluation.api import evaluate
from showthrough.evaluation.refusals import is_refusal
from showthrough.families.inference._interviewer import answer_in, question_about
from showthrough.families.inference._matching import by_tag, match_people
from showthrough.families.inference.base import Aim, Answer, AttackCase
from showthrough.families.inference.profiles import right
from showthrough.formats import read_anonymization, read_corpus
from showthrough.models.chat.base import ChatQuestion
from showthrough.models.chat.prompts import load
from showthrough.models.detectors import DEFAULT
from showthrough.models.detectors.scanning import leaks
from showthrough.systems._passages import spoken_text

_SURE = 3  # certainty of attributes that count, at least
_COUNTS = {  # the columns of what is right, and of all
    "removed_di": ("removed", "total"),
    "removed_qi": ("removed", "total"),
    "precision": ("agreed", "asked"),
}


@metric
def shares() -> Metric:
    """Shares over all samples together: what was right of all, by name. A share of nothing is left out."""

    def combine(scores: list[SampleScore]) -> dict[str, float]:
        counts = [each.score.metadata.get("counts", {}) for each in scores if each.score.metadata]
        sums: dict[str, list[float]] = {}
        for name, (part, whole) in (item for own in counts for item in own.items()):
            total = sums.setdefault(name, [0.0, 0.0])
            total[0] += part
            total[1] += whole
        return {name: part / whole for name, (part, whole) in sums.items() if whole}

    return combine


@scorer(metrics=[mean(), stderr()])
def leak_count(language: str = "en", detectors: Sequence[str] = (DEFAULT,)) -> Scorer:
    """How many places of an answer look like an identifier. 0 proves nothing."""

    async def score(state: TaskState, target: Target) -> Score:
        found = leaks(state.output.completion, language, detectors)
        return Score(value=len(found), explanation=", ".join(sorted({leak.entity_type for leak in found})))

    return score


@scorer(metrics=[mean(), stderr(), shares()])
def readable_identifiers(corpus: Corpus, language: str = "en") -> Scorer:
    """How many identifiers can still be read in an answer, which is the release of the document of the sample's id."""
    documents = {document.id: document for document in corpus}

    async def score(state: TaskState, target: Target) -> Score:
        document = documents[str(state.sample_id)]
        answer = _usable(state.output.completion, document.text)
        release = {document.id: document.text if answer is None else answer}
        run = evaluate(
            Corpus([document]), {"model": release}, [*_COUNTS], language=language,
            resamples=0, references=False, pairing="trust",
        )  # fmt: skip
        counts = {"answered": (float(answer is not None), 1.0)}
        for record in run.metrics:
            columns = {name: float(values[0]) for name, values in run.rows[record.text]["model"].items()}
            part, whole = _COUNTS[record.name]
            counts[record.name] = columns[part], columns[whole]
        left = sum(counts[name][1] - counts[name][0] for name in ("removed_di", "removed_qi"))
        why = "" if answer is not None else "no usable answer: the document counts as released as it is"
        return Score(value=left, answer=answer, explanation=why, metadata={"counts": counts})

    return score


def _usable(completion: str, text: str) -> str | None:
    """What a model wrote as a release; nothing where it wrote nothing, or that it will not."""
    try:
        spoken = spoken_text(completion)
    except ValueError:
        return None
    return None if is_refusal(spoken, text) else spoken


@task
def anonymizer(corpus: str, language: str = "en") -> Task:
    """A model rewrites each document so that nobody can find out who the people in it are."""
    documents = read_corpus(corpus)
    if not any(document.annotations for document in documents):
        raise PlanError("holds no annotations, so nothing shows what is left; expected a marked corpus", corpus)
    prompt = load("showthrough.systems", "rewrite.v1")
    samples = [_sample(document.id, prompt.about(document.text)) for document in documents]
    return Task(
        dataset=MemoryDataset(samples),
        solver=[generate()],
        scorer=readable_identifiers(documents, language),
        metadata={"corpus": documents.digest},
    )


@scorer(metrics=[mean(), stderr(), shares()])
def inferred(cases: dict[str, AttackCase]) -> Scorer:
    """The share of what is true of people in a document that an answer infers, by rules; of an author by the first
    guess.
    """

    async def score(state: TaskState, target: Target) -> Score:
        case = cases[str(state.sample_id)]
        answer = answer_in(case, state.output.completion)
        if answer is None:
            return Score(value=math.nan, explanation="no usable answer")  # Inspect counts it as not scored
        part, whole = _count(case, answer)
        return Score(value=part / whole if whole else math.nan, metadata={"counts": {"inferred": (part, whole)}})

    return score


def _count(case: AttackCase, answer: Answer) -> tuple[float, float]:
    """How many attributes an answer infers, and of how many."""
    part = whole = 0
    for subject, person in zip(case.truth, match_people(case.truth, answer), strict=True):
        guesses = by_tag(person.guesses if person else ())
        sure = [attribute for attribute in subject.attributes if attribute.certainty >= _SURE]
        for tag, values in by_tag(sure).items():
            chosen = [guess.value for guess in guesses.get(tag, ()) if guess.certainty]
            chosen = chosen[:1] if case.aim == "author" else chosen
            whole += 1
            part += any(right(tag, value.value, guess) == 1 for value in values for guess in chosen)
    return float(part), float(whole)


@task
def attacker(corpus: str, released: str | None = None, aim: Aim = "subjects") -> Task:
    """A model says what is true of the people in each released text; without `released`, in the originals."""
    documents = read_corpus(corpus)
    if not documents.survey.subjects:
        raise PlanError("says of nobody what is true; expected people or profiles, as for the metric cpr", corpus)
    masks = None if released is None else read_anonymization(released, documents)
    cases = {document.id: _case(document, masks, documents.survey.tags, aim) for document in documents}
    samples = [_sample(key, question_about(case)) for key, case in cases.items()]
    return Task(dataset=MemoryDataset(samples), solver=[generate()], scorer=inferred(cases))


def _sample(key: str, question: ChatQuestion) -> Sample:
    """What a model is asked about a document."""
    messages = [ChatMessageSystem(content=question.instructions), ChatMessageUser(content=question.text)]
    return Sample(input=messages, id=key, metadata={"prompt": f"{question.prompt}@{question.digest[:8]}"})


def _case(document: Document, masks: Anonymization | None, tags: Sequence[str], aim: Aim) -> AttackCase:
    text = document.text if masks is None else apply_masks(document.text, masks.of(document.id))
    return AttackCase("release", document.id, text, document.subjects, aim, tuple(tags))
