"""Runs in which something was inferred of people, made by hand: what an attacker said is what a test says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from showthrough import Annotation, Anonymization, Background, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.families.inference._people import ASKED, INFERENCES, INFERRED, PEOPLE
from showthrough.run.records import Evidence, InferenceEvidence, MetricRecord, Score

Known = Sequence[tuple[str, str, str, str, float]]  # person, tag, true, guess, agreement
CENSUS = "AGE,SEX,LOCATION,count\n30,m,Oslo / Norway,1\n30,f,Oslo / Norway,10\n40,m,Bergen / Norway,89\n"


def inferred(*known: tuple[str, str, str, str, float]) -> Evidence:
    return Evidence(inferred=[InferenceEvidence(*one, 5, 1, None, None, None) for one in known])


def corpus_of(number: int) -> Corpus:
    text = "Mr Ole Berg of Oslo, phone 555-0001, 3 May 1950."
    spans = {"Ole Berg": "PERSON", "Oslo": "CITY", "555-0001": "PHONE", "3 May 1950": "DATE", "Mr": "WHATEVER"}
    marks = tuple(Mention(text.index(one), text.index(one) + len(one), kind, "QUASI") for one, kind in spans.items())
    return Corpus(
        [Document(f"d{each}", f"{text} {each}", (Annotation("a", marks),)) for each in range(number)], "letters"
    )


def run_of(
    known: Sequence[Known],
    people: Sequence[int] | None = None,
    *,
    metric: str = "cpr",
    metrics: Sequence[str] = ('recall_per_type(unit="mention")',),
    background: Background | None = None,
    counts: Mapping[str, Sequence[float]] | None = None,
    resamples: int = 200,
) -> Run:
    """A document for each of `known`; names are masked. `people` are those who were asked about."""
    corpus = corpus_of(len(known))
    names = Anonymization({one.id: [Mask(3, 11)] for one in corpus})
    run = evaluate(corpus, {"names": names}, list(metrics), background=background, resamples=resamples)
    asked = people or [len({one[0] for one in some}) for some in known]
    sums = {INFERRED: [sum(one[-1] for one in some) for some in known], ASKED: [5.0 * each for each in asked]}
    rows = {**sums, PEOPLE: list(map(float, asked)), INFERENCES: [float(len(some)) for some in known], **(counts or {})}
    run.metrics.append(
        MetricRecord(metric, metric.partition("(")[0], 1, "t", "privacy", "higher", {"attacker": "reader"})
    )
    run.rows[metric] = {"names": {key: list(values) for key, values in rows.items()}}
    run.evidence[metric] = {"names": {f"d{at}": inferred(*some) for at, some in enumerate(known) if some}}
    parts = {"": 0.4, "success": 0.6, "control:empty": 0.1, "control:other": 0.2, "risk:empty": 0.5, "risk:other": 0.5}
    run.scores += [Score("names", metric, part, value, 0.0, 1.0, "", f"{metric}|line") for part, value in parts.items()]
    return run
